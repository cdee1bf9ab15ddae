package check

import (
	"math"

	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// An entity is what a name stands for: a *Var, *overloads, *typeName,
// *classTemplate, *aliasTemplate, *varTemplate, *namespace, *constant, *member or
// *hostCode.
type entity interface{}

type (
	// overloads are the functions of one name in one scope.
	overloads struct {
		list []*function
	}
	// typeName stands for a type.
	typeName struct {
		typ   *types.Type
		class *class // of a struct
	}
	// namespace stands for its scope.
	namespace struct{ scope *scope }
	// constant is an enumerator, or the argument for a parameter of a template.
	constant struct {
		typ   *types.Type
		value Value
	}
	// member is a field of a struct, found in its scope: the fields to go through
	// to it, of which all but the last are structs without a name.
	member struct {
		class *class
		path  []int
	}
	// hostCode is what was passed over.
	hostCode struct {
		pos source.Pos
		err *source.Error // why it could not be read, if anybody tried
	}
	// ambiguous is a name that several namespaces have.
	ambiguous struct{}
)

// A function is a declared function or a template of functions.
type function struct {
	name  string
	pos   source.Pos
	decl  *syntax.Func // with the body, if there is one
	scope *scope       // what its names are looked up in
	class *class       // of a method
	order int

	params   []*syntax.TemplateParam // of a template
	template bool

	sig       *signature // nil for a template
	static    bool
	isConst   bool
	operator  bool
	convert   bool // a conversion to a type
	builtIn   bool
	device    bool
	host      bool
	explicit  bool
	deleted   bool
	intrinsic string

	from      *function // the template it is an instance of
	args      []targ    // its arguments
	instances map[string]*function
	level     int          // how many templates asked for one another to get here
	defined   *syntax.Func // a body that is apart from the declaration in a struct
	within    *scope       // what that body's names are looked up in
	fn        *Func
}

// A signature is what a function takes and returns.
type signature struct {
	params   []*types.Type
	result   *types.Type // nil while auto is not known
	least    int         // arguments without default
	variadic bool
}

// A scope holds the names of a block, function, struct or namespace.
type scope struct {
	parent *scope
	names  map[string]entity
	using  []*scope // namespaces whose names are used as if they were here
	class  *class   // of a struct's scope
	space  bool     // a namespace's,
	name   string   // which is called that
	decls  map[syntax.Decl]*types.Type
}

func newScope(parent *scope) *scope { return &scope{parent: parent, names: map[string]entity{}} }

const everything = math.MaxInt

// own looks a name up in s, the bases of a struct, and the namespaces that s uses.
func (s *scope) own(name string, order int, seen map[*scope]bool) entity {
	if s.class != nil {
		order = everything // the bodies of methods see the whole struct
	}
	if e := visible(s.names[name], order); e != nil {
		return e
	}
	if s.class != nil {
		for _, b := range s.class.bases {
			if e := b.scope.own(name, order, nil); e != nil {
				return e
			}
		}
	}
	if len(s.using) == 0 {
		return nil
	}
	if seen == nil {
		seen = map[*scope]bool{}
	}
	if seen[s] {
		return nil
	}
	seen[s] = true
	var found entity
	for _, u := range s.using {
		e := u.own(name, order, seen)
		if e == nil {
			continue
		}
		if found == nil || found == e {
			found = e
			continue
		}
		x, ok1 := found.(*overloads)
		y, ok2 := e.(*overloads)
		if ok1 && ok2 {
			found = &overloads{append(append([]*function(nil), x.list...), y.list...)}
			continue
		}
		tx, ok1 := found.(*typeName)
		ty, ok2 := e.(*typeName)
		if ok1 && ok2 && types.Identical(tx.typ, ty.typ) {
			continue
		}
		found = &ambiguous{}
	}
	return found
}

// visible returns e as a place of the source sees it: without what is declared
// later.
func visible(e entity, order int) entity {
	if order == everything {
		return e
	}
	switch x := e.(type) {
	case *overloads:
		for i, f := range x.list {
			if f.order < order {
				continue
			}
			out := &overloads{append([]*function(nil), x.list[:i]...)}
			for _, f := range x.list[i:] {
				if f.order < order {
					out.list = append(out.list, f)
				}
			}
			if len(out.list) == 0 {
				return nil
			}
			return out
		}
	case *Var:
		if x.order >= order && x.order > 0 {
			return nil
		}
	}
	return e
}

func (s *scope) lookup(name string, order int) entity {
	for ; s != nil; s = s.parent {
		if e := s.own(name, order, nil); e != nil {
			return e
		}
	}
	return nil
}

// enclosing returns the innermost struct that s is in, or nil.
func (s *scope) enclosing() *class {
	for ; s != nil; s = s.parent {
		if s.class != nil {
			return s.class
		}
	}
	return nil
}

// spaceOf returns the innermost namespace that s is in.
func (s *scope) spaceOf() *scope {
	for ; s.parent != nil && !s.space; s = s.parent {
	}
	return s
}

// add enters a function beside the others of its name.
func (s *scope) add(name string, f *function) {
	if o, ok := s.names[name].(*overloads); ok {
		o.list = append(o.list, f)
		return
	}
	s.names[name] = &overloads{[]*function{f}}
}
