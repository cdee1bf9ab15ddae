package check

import (
	"strings"

	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// A class is a struct, class or union with what is known of it beside its layout.
type class struct {
	name   string
	typ    *types.Type
	decl   *syntax.Struct
	env    *scope // around it, with the arguments of its template
	scope  *scope // of its members
	bases  []*class
	state  bodyState
	pos    source.Pos
	lambda *lambda

	template *classTemplate
	args     []targ

	constructors []*function
	conversions  []*function
	destructor   *function
	hostMade     *source.Pos   // a constructor of the host
	userMade     bool          // it has constructors of its own
	copies       bool          // one of them copies
	inits        []*syntax.Var // of each field: the declaration with its value, or nil
	fieldPos     []source.Pos
	changes      map[int]bool // fields that are mutable
}

// An enum is an enum with the scope of its values.
type enum struct {
	scope *scope
}

// self is the name of a struct in itself.
func (cl *class) self() entity { return &typeName{cl.typ, cl} }

// declareStruct enters a struct that is no template.
func (c *checker) declareStruct(d *syntax.Struct) {
	into := c.scope
	if d.Name != nil && len(d.Name.Parts) > 1 {
		c.defineNested(d)
		return
	}
	name := "(unnamed)"
	var cl *class
	if d.Name != nil {
		name = d.Name.Last().Ident
		if d.Name.Last().HasArgs {
			c.errorf(d.Pos(), name, "a specialisation of %s begins with template <>", name)
		}
		if old, ok := into.names[name].(*typeName); ok && old.class != nil && old.class.env == into {
			cl = old.class
			if d.Defined && cl.decl.Defined {
				if old.class.decl == d {
					return
				}
				if !builtIn(cl.pos) {
					c.fail(source.Errorf(d.Pos(), name, "%s is defined twice", name).Note(cl.pos, "the first time"))
				}
				cl = nil // the source's own hides that of a header
			}
		}
	}
	if cl == nil {
		cl = c.newClass(c.qualified(name), d, into)
		cl.name = name
		if d.Name != nil {
			c.declareName(name, &typeName{cl.typ, cl}, d.Pos())
		}
	}
	if into.decls == nil {
		into.decls = map[syntax.Decl]*types.Type{}
	}
	into.decls[d] = cl.typ
	if d.Defined {
		cl.decl, cl.pos = d, d.Pos()
		c.complete(cl, d.Pos())
	}
}

// defineNested defines struct A::B, which A declares.
func (c *checker) defineNested(d *syntax.Struct) {
	e, ok := c.find(d.Name, true).(*typeName)
	if !ok || e.class == nil || e.class.decl.Defined {
		c.errorf(d.Pos(), d.Name.String(), "%s is not declared in front, or is defined already", d.Name)
	}
	e.class.decl, e.class.pos = d, d.Pos()
	c.complete(e.class, d.Pos())
}

func builtIn(p source.Pos) bool { return p.File != nil && p.File.BuiltIn }

func (c *checker) newClass(name string, d *syntax.Struct, env *scope) *class {
	s := &types.Struct{Name: name, Union: d.Keyword == "union"}
	cl := &class{name: name, typ: types.StructOf(s), decl: d, env: env, pos: d.Pos()}
	cl.scope = newScope(env)
	cl.scope.class = cl
	c.classes[s] = cl
	return cl
}

// qualified returns a name with the namespaces and structs around it.
func (c *checker) qualified(name string) string {
	for s := c.scope; s != nil; s = s.parent {
		if s.class != nil {
			return s.class.typ.Struct.Name + "::" + name
		}
	}
	return name
}

// complete lays a struct out and declares its members.
func (c *checker) complete(cl *class, pos source.Pos) {
	if cl == nil || cl.state == checked {
		return
	}
	if cl.state == checking {
		return
	}
	if cl.template != nil && cl.decl == nil {
		c.choose(cl, pos)
	}
	if !cl.decl.Defined {
		return
	}
	cl.state = checking
	define := func() {
		scope, order := c.scope, c.order
		c.scope, c.order = cl.scope, everything
		c.members(cl)
		c.scope, c.order = scope, order
	}
	if cl.template != nil {
		c.instantiate(pos, cl.typ.String(), define)
	} else {
		define()
	}
	cl.state = checked
}

func (c *checker) members(cl *class) {
	d := cl.decl
	s := cl.typ.Struct
	cl.scope.names[cl.name] = &typeName{cl.typ, cl}
	for _, b := range d.Bases {
		t := c.typeOf(b.Type)
		base := c.classOf(t)
		if base == nil {
			c.errorf(b.Pos(), "base", "%s is no struct: nothing can be derived from it", t)
		}
		c.complete(base, b.Pos())
		if base.state != checked || s.Union {
			c.errorf(b.Pos(), "base", "nothing can be derived from %s here", t)
		}
		cl.bases = append(cl.bases, base)
		s.Fields = append(s.Fields, types.Field{Type: t.Unqualified(), Base: true})
		cl.inits = append(cl.inits, nil)
		cl.fieldPos = append(cl.fieldPos, b.Pos())
	}
	var asserts []*syntax.StaticAssert
	for i, m := range d.Members {
		switch m := m.(type) {
		case *syntax.Var:
			c.memberVar(cl, m)
		case *syntax.Func:
			c.method(cl, m, nil)
		case *syntax.Struct:
			c.declareStruct(m)
			if m.Name == nil && m.Defined && !declares(d.Members, i+1, m) {
				c.anonymous(cl, m)
			}
		case *syntax.Template:
			if f, ok := m.Decl.(*syntax.Func); ok {
				c.method(cl, f, m)
			} else {
				c.declare(m)
			}
		case *syntax.StaticAssert:
			asserts = append(asserts, m)
		case *syntax.HostCode:
			if m.Name == cl.name {
				pos := m.Pos()
				cl.hostMade, cl.userMade = &pos, true
				continue
			}
			if cl.scope.names[m.Name] == nil {
				cl.scope.names[m.Name] = &hostCode{pos: m.Pos()}
			}
		case *syntax.Using:
			c.usingMember(cl, m)
		default:
			c.declare(m)
		}
	}
	align := c.alignment(d.Align, d.AlignTypes)
	if !s.Lay(align) {
		c.errorf(d.Pos(), s.Name, "%s has more than %d bytes", s.Name, int64(types.MaxSize))
	}
	for _, a := range asserts {
		c.declare(a)
	}
}

// declares reports whether a member from i on has the type that decl defines.
func declares(members []syntax.Decl, i int, decl *syntax.Struct) bool {
	for ; i < len(members); i++ {
		v, ok := members[i].(*syntax.Var)
		if !ok {
			return false
		}
		t := v.Type
		for {
			switch u := t.(type) {
			case *syntax.Array:
				t = u.Elem
				continue
			case *syntax.Pointer:
				t = u.Elem
				continue
			case *syntax.Qualified:
				t = u.Elem
				continue
			case *syntax.Defined:
				return u.Decl == decl
			}
			return false
		}
	}
	return false
}

// memberVar declares a field, or a static member.
func (c *checker) memberVar(cl *class, m *syntax.Var) {
	name := m.Name.Last().Ident
	if m.Static || m.Constexpr && m.Static {
		c.staticMember(cl, m)
		return
	}
	if m.Constexpr {
		c.fail(source.Errorf(m.Pos(), name, "a constexpr member belongs to the struct and not to its values").With("write static constexpr"))
	}
	if m.Shared || m.Constant || m.Device {
		c.errorf(m.Pos(), name, "a member is where its struct is: it cannot be __shared__, __constant__ or __device__")
	}
	t := c.typeOf(m.Type)
	c.requireComplete(t, m.Pos(), "member "+name)
	if t.Kind == types.KindArray && t.Len < 0 {
		c.fail(source.Errorf(m.Pos(), name, "the length of the array %s is missing", name).With("use a pointer for what has no fixed length"))
	}
	s := cl.typ.Struct
	if old := cl.scope.names[name]; old != nil {
		if _, ok := old.(*member); ok {
			c.errorf(m.Pos(), name, "%s has two members called %s", s.Name, name)
		}
	}
	if a := c.alignment(m.Align, m.AlignTypes); a > t.Align() {
		c.refuse(m.Pos(), "alignment of a member", "align the struct: struct __align__(16) S")
	}
	cl.scope.names[name] = &member{cl, []int{len(s.Fields)}}
	if m.Mutable {
		if cl.changes == nil {
			cl.changes = map[int]bool{}
		}
		cl.changes[len(s.Fields)] = true
	}
	s.Fields = append(s.Fields, types.Field{Name: name, Type: t})
	if m.Init == nil && !m.Paren {
		m = nil
	}
	cl.inits = append(cl.inits, m)
	cl.fieldPos = append(cl.fieldPos, c.posOf(m, cl.pos))
}

func (c *checker) posOf(m *syntax.Var, other source.Pos) source.Pos {
	if m != nil {
		return m.Pos()
	}
	return other
}

// anonymous makes the members of a struct without a name those of the one around.
func (c *checker) anonymous(cl *class, m *syntax.Struct) {
	t := c.scope.decls[m]
	inner := c.classOf(t)
	s := cl.typ.Struct
	at := len(s.Fields)
	s.Fields = append(s.Fields, types.Field{Type: t})
	cl.inits = append(cl.inits, nil)
	cl.fieldPos = append(cl.fieldPos, m.Pos())
	for name, e := range inner.scope.names {
		if f, ok := e.(*member); ok {
			if cl.scope.names[name] != nil {
				c.errorf(m.Pos(), name, "%s has two members called %s", s.Name, name)
			}
			cl.scope.names[name] = &member{cl, append([]int{at}, f.path...)}
		}
	}
}

// staticMember declares a constant of a struct.
func (c *checker) staticMember(cl *class, m *syntax.Var) {
	name := m.Name.Last().Ident
	v := c.constantVar(m, cl.scope)
	if v == nil {
		c.fail(source.Errorf(m.Pos(), name, "a static member that is not a constant belongs to the host").With("use a __device__ variable outside of the struct"))
	}
	cl.scope.names[name] = v
}

// usingMember brings a name of a base into sight, or its constructors.
func (c *checker) usingMember(cl *class, m *syntax.Using) {
	last := m.Name.Last()
	e := c.find(m.Name, false)
	if t, ok := e.(*typeName); ok && t.class != nil && (len(m.Name.Parts) > 1 && m.Name.Parts[len(m.Name.Parts)-2].Ident == last.Ident) {
		for _, f := range t.class.constructors {
			if len(f.decl.Params) > 0 {
				c.refuse(m.Pos(), "inherited constructor", "write a constructor that hands its arguments on")
			}
		}
		return
	}
	if e == nil {
		c.find(m.Name, true)
	}
	if old, ok := cl.scope.names[last.Ident].(*overloads); ok {
		if more, ok := e.(*overloads); ok {
			old.list = append(old.list, more.list...)
			return
		}
	}
	if o, ok := e.(*overloads); ok {
		e = &overloads{append([]*function(nil), o.list...)}
	}
	cl.scope.names[last.Ident] = e
}

// alignment returns what is asked for, 0 for nothing.
func (c *checker) alignment(list []syntax.Expr, of []syntax.Type) int64 {
	var out int64
	for _, x := range list {
		v, ok := c.constant(c.value(x))
		n := int64(v.Bits)
		if !ok || n < 0 || n&(n-1) != 0 || n > 4096 {
			c.errorf(x.Pos(), "alignment", "an alignment is a constant, a power of two up to 4096")
		}
		out = max(out, n)
	}
	for _, t := range of {
		out = max(out, c.typeOf(t).Align())
	}
	return out
}

// method declares a method, constructor, destructor or conversion.
func (c *checker) method(cl *class, d *syntax.Func, t *syntax.Template) {
	f := c.newFunction(d, t)
	f.class = cl
	f.scope = cl.scope
	f.static = d.Static
	f.isConst = d.Const
	if d.Friend {
		// A function of the namespace around, found by its arguments.
		f.class = nil
		f.static = false
		if !f.template {
			f.sig = c.signature(f, cl.scope)
		}
		space := cl.env.spaceOf()
		c.enterFunction(space, f)
		return
	}
	if d.Global {
		c.fail(source.Errorf(d.Pos(), f.name, "a kernel cannot be a method").With("write a __global__ function that takes the struct"))
	}
	if !f.template {
		f.sig = c.signature(f, cl.scope)
	}
	if !f.template && !f.builtIn && f.device && d.Body != nil && len(c.stack) == 0 {
		c.later = append(c.later, func() { c.use(f, f.pos) }) // what nobody calls may be wrong too
	}
	switch {
	case d.Destructor:
		cl.destructor = f
		return
	case d.Constructor:
		if d.Name.Last().Ident != cl.name {
			c.fail(source.Errorf(d.Pos(), f.name, "the function %s has no type", f.name).With("write void in front if it returns nothing"))
		}
		if d.Deleted || !d.Default {
			cl.userMade = true
		}
		if f.sig != nil && len(f.sig.params) >= 1 && f.sig.least <= 1 && types.Same(f.sig.params[0].Referred(), cl.typ) {
			if d.Default {
				return
			}
			cl.copies = true
		}
		cl.constructors = append(cl.constructors, f)
		return
	case f.convert:
		if f.sig == nil {
			c.refuse(d.Pos(), "template of a conversion", "write a conversion for each type, or a method")
		}
		cl.conversions = append(cl.conversions, f)
		return
	}
	if f.name == "operator=" && (d.Default || d.Deleted) {
		if d.Deleted {
			cl.scope.add(f.name, f)
		}
		return
	}
	for _, other := range c.functionsIn(cl.scope, f.name) {
		if c.sameSignature(f, other) && other.isConst == f.isConst {
			c.fail(source.Errorf(d.Pos(), f.name, "%s has two methods %s that take the same", cl.typ, f.name).Note(other.pos, "the other"))
		}
	}
	if _, ok := cl.scope.names[f.name].(*overloads); !ok && cl.scope.names[f.name] != nil {
		if _, host := cl.scope.names[f.name].(*hostCode); !host {
			c.errorf(d.Pos(), f.name, "%s is both a method and something else", f.name)
		}
		delete(cl.scope.names, f.name)
	}
	cl.scope.add(f.name, f)
}

func (c *checker) functionsIn(s *scope, name string) []*function {
	if o, ok := s.names[name].(*overloads); ok {
		return o.list
	}
	return nil
}

// bodyOutside attaches a method's body that is written outside of its struct.
func (c *checker) bodyOutside(cl *class, d *syntax.Func, within *scope, sig *signature) {
	name := functionName(d)
	var list []*function
	switch {
	case d.Constructor || name == cl.name:
		list = cl.constructors
	case d.Destructor:
		if cl.destructor != nil {
			list = []*function{cl.destructor}
		}
	case d.Name.Last().Convert != nil:
		list = cl.conversions
	default:
		list = c.functionsIn(cl.scope, name)
	}
	for _, f := range list {
		if f.template || f.defined != nil || f.decl.Body != nil || len(f.sig.params) != len(sig.params) || f.isConst != d.Const {
			continue
		}
		same := true
		for i := range sig.params {
			same = same && types.Identical(sig.params[i].Unqualified(), f.sig.params[i].Unqualified())
		}
		if same {
			f.defined, f.within = d, within
			return
		}
	}
	c.errorf(d.Pos(), name, "%s has no method %s that takes these parameters", cl.typ, strings.TrimPrefix(name, "operator T"))
}
