package check

import (
	"sort"

	"workbench/engine/simt/types"
)

// BuiltIn returns, for each function of the built-in headers that is no template,
// its name and the types of its parameters.
func (u *Unit) BuiltIn() (names []string, params [][]*types.Type) {
	type function struct {
		name   string
		params []*types.Type
	}
	var list []function
	seen := map[*scope]bool{}
	var visit func(s *scope, prefix string)
	visit = func(s *scope, prefix string) {
		if seen[s] {
			return
		}
		seen[s] = true
		for name, e := range s.names {
			switch e := e.(type) {
			case *namespace:
				visit(e.scope, prefix+name+"::")
			case *overloads:
				for _, f := range e.list {
					if f.builtIn && !f.template && f.class == nil && !f.operator {
						list = append(list, function{prefix + name, f.sig.params})
					}
				}
			}
		}
	}
	visit(u.c.global, "")
	sort.SliceStable(list, func(i, j int) bool { return list[i].name < list[j].name })
	for _, f := range list {
		names = append(names, f.name)
		params = append(params, f.params)
	}
	return names, params
}
