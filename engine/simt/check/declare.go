package check

import (
	"strings"

	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// declare enters a declaration into the scope.
func (c *checker) declare(d syntax.Decl) {
	defer c.enter(d.Pos())()
	switch d := d.(type) {
	case *syntax.Struct:
		c.declareStruct(d)
	case *syntax.Enum:
		c.declareEnum(d)
	case *syntax.Alias:
		c.declareAlias(d)
	case *syntax.Func:
		if len(d.Name.Parts) > 1 {
			c.functionOutside(d)
			return
		}
		c.declareFunction(d, nil)
	case *syntax.Var:
		c.declareVar(d)
	case *syntax.Template:
		c.declareTemplate(d)
	case *syntax.Namespace:
		c.declareNamespace(d)
	case *syntax.NamespaceAlias:
		e, ok := c.find(d.Of, true).(*namespace)
		if !ok {
			c.errorf(d.Pos(), d.Name, "%s is no namespace", d.Of)
		}
		c.declareName(d.Name, e, d.Pos())
	case *syntax.UsingNamespace:
		e, ok := c.find(d.Name, true).(*namespace)
		if !ok {
			c.errorf(d.Pos(), "using", "%s is no namespace", d.Name)
		}
		c.scope.using = append(c.scope.using, e.scope)
	case *syntax.Using:
		c.declareUsing(d)
	case *syntax.StaticAssert:
		c.staticAssert(d)
	case *syntax.Instantiate:
		c.explicitInstance(d)
	case *syntax.HostCode:
		if c.scope.names[d.Name] == nil && d.Name != "" {
			c.scope.names[d.Name] = &hostCode{d.Pos(), d.Err}
		} else {
			c.passOverload(d.Name, &hostCode{d.Pos(), d.Err})
		}
		c.passOver(d.Err, d.Device)
	case *syntax.Trial:
		c.try(d)
	}
}

// try declares what a source has outside of functions. What is not supported, and
// what without CUDA's words cannot be understood, is an error where a kernel needs it.
func (c *checker) try(d *syntax.Trial) {
	err := c.attempt(func() { c.declare(d.Decl) })
	if err == nil {
		return
	}
	bad, ok := err.(*source.Error)
	if _, asserted := d.Decl.(*syntax.StaticAssert); !ok || !c.passable(bad) && (d.Device || asserted && !bad.Unknown) {
		c.fail(bad)
	}
	c.passOver(bad, d.Device)
	name := declared(d.Decl)
	switch old := c.scope.names[name].(type) {
	case nil:
	case *typeName:
		if old.class != nil && builtIn(old.class.pos) {
			return
		}
	case *classTemplate, *aliasTemplate, *Var:
	case *overloads:
		c.passOverload(name, &hostCode{d.Pos(), bad})
		return
	default:
		return
	}
	if name != "" {
		c.scope.names[name] = &hostCode{d.Pos(), bad}
	}
}

// passOverload notes a function that was passed over beside others of its name: a
// call that fits none of them may have meant it.
func (c *checker) passOverload(name string, h *hostCode) {
	if name == "" || h.err == nil || c.passed[name] != nil {
		return
	}
	if c.passed == nil {
		c.passed = map[string]*hostCode{}
	}
	c.passed[name] = h
}

// declared returns the name that a declaration enters into its scope, or "".
func declared(d syntax.Decl) string {
	var n *syntax.Name
	switch d := d.(type) {
	case *syntax.Template:
		return declared(d.Decl)
	case *syntax.Alias:
		return d.Name
	case *syntax.NamespaceAlias:
		return d.Name
	case *syntax.Struct:
		n = d.Name
	case *syntax.Enum:
		n = d.Name
	case *syntax.Func:
		n = d.Name
	case *syntax.Var:
		n = d.Name
	}
	if n == nil || len(n.Parts) != 1 || n.Last().HasArgs {
		return ""
	}
	return n.Last().Ident
}

// unusable reports the use of what could not be read.
func (c *checker) unusable(h *hostCode, pos source.Pos) {
	if h.err == nil {
		return
	}
	if !pos.IsValid() {
		panic(h.err)
	}
	err := *h.err
	err.Notes = append(append([]source.Note(nil), err.Notes...), source.Note{Pos: pos, Message: "it is needed here"})
	panic(&err)
}

// declareName enters a name that nothing else in the scope has.
func (c *checker) declareName(name string, e entity, pos source.Pos) {
	old := c.scope.names[name]
	switch o := old.(type) {
	case nil, *hostCode:
	case *typeName:
		if n, ok := e.(*typeName); ok && types.Identical(o.typ, n.typ) {
			return
		}
		if o.class != nil && builtIn(o.class.pos) || c.scope == c.global && (o.class == nil || builtIn(pos)) {
			break // the source's own hides that of a header
		}
		if _, ok := e.(*typeName); ok {
			c.errorf(pos, name, "%s is declared twice, as different types", name)
		}
	case *namespace:
		if n, ok := e.(*namespace); ok && n.scope == o.scope {
			return
		}
		c.errorf(pos, name, "%s is a namespace already", name)
	case *Var:
		if c.scope != c.global || !builtIn(o.Pos) {
			c.fail(source.Errorf(pos, name, "%s is declared twice", name).Note(o.Pos, "the first time"))
		}
	case *overloads:
		if _, ok := e.(*typeName); !ok && !(len(o.list) > 0 && o.list[0].builtIn) {
			c.fail(source.Errorf(pos, name, "%s is a function already", name).Note(o.list[0].pos, "the function"))
		}
	default:
		if _, ok := old.(*constant); ok || !builtIn(pos) {
			c.errorf(pos, name, "%s is declared twice", name)
		}
	}
	c.scope.names[name] = e
}

func (c *checker) declareNamespace(d *syntax.Namespace) {
	var space *namespace
	if d.Name != "" {
		space, _ = c.scope.names[d.Name].(*namespace)
	}
	if space == nil {
		space = &namespace{newScope(c.scope)}
		space.scope.space, space.scope.name = true, d.Name
		if d.Name != "" {
			c.declareName(d.Name, space, d.Pos())
		}
		if d.Inline {
			c.scope.using = append(c.scope.using, space.scope)
		}
	}
	c.in(space.scope, func() {
		for _, inner := range d.Decls {
			c.declare(inner)
		}
	})
}

func (c *checker) declareUsing(d *syntax.Using) {
	name := d.Name.Last().Ident
	e := c.find(d.Name, true)
	if o, ok := e.(*overloads); ok {
		for _, f := range o.list {
			known := false
			for _, g := range c.functionsIn(c.scope, name) {
				known = known || f == g
			}
			if !known {
				c.scope.add(name, f)
			}
		}
		return
	}
	if c.scope.names[name] != e {
		c.declareName(name, e, d.Pos())
	}
}

func (c *checker) declareAlias(d *syntax.Alias) {
	t := c.typeOf(d.Type)
	if t.Kind == types.KindStruct && strings.HasSuffix(t.Struct.Name, "(unnamed)") {
		// typedef struct {…} Name;
		t.Struct.Name = strings.TrimSuffix(t.Struct.Name, "(unnamed)") + d.Name
		if cl := c.classOf(t); cl != nil && cl.name == "(unnamed)" {
			cl.name = d.Name
		}
	}
	if t.Kind == types.KindEnum && t.Enum.Name == "(unnamed)" {
		t.Enum.Name = d.Name
	}
	c.declareName(d.Name, &typeName{t, c.classOf(t)}, d.Pos())
}

func (c *checker) declareEnum(d *syntax.Enum) {
	into := c.scope
	if into.decls != nil && into.decls[d] != nil {
		return
	}
	name := "(unnamed)"
	if d.Name != nil {
		name = d.Name.Last().Ident
	}
	e := &types.Enum{Name: c.qualified(name), Base: types.UInt, Scoped: d.Class}
	if d.Name == nil {
		e.Name = name
	}
	t := types.EnumOf(e)
	fixed := d.Base != nil
	if fixed {
		e.Base = c.typeOf(d.Base).Unqualified()
		if !e.Base.Integer() {
			c.errorf(d.Base.Pos(), "enum", "an enum is stored as an integer, not as %s", e.Base)
		}
	} else if d.Class {
		e.Base = types.Int
	}
	inner := newScope(into)
	c.enums[e] = &enum{inner}
	if d.Name != nil {
		if old, ok := into.names[name].(*typeName); ok && old.typ.Kind == types.KindEnum && len(c.enums[old.typ.Enum].scope.names) == 0 && d.Defined {
			e, t = old.typ.Enum, old.typ // it was declared in front
			inner = c.enums[e].scope
		} else {
			c.declareName(name, &typeName{t, nil}, d.Pos())
		}
	}
	if into.decls == nil {
		into.decls = map[syntax.Decl]*types.Type{}
	}
	into.decls[d] = t
	if !d.Defined {
		return
	}
	// Within the braces the values are integers; unless a type is given, they are
	// as wide as the widest needs.
	next := Value{}
	nextType := types.Int
	if fixed || d.Class {
		nextType = e.Base
	}
	var negative bool
	var largest uint64
	var list []*constant
	c.in(inner, func() {
		for _, v := range d.Values {
			value, typ := next, nextType
			if v.Value != nil {
				x := c.value(v.Value)
				k, ok := c.constant(x)
				if !ok || !x.Type().Integer() && x.Type().Kind != types.KindEnum {
					c.errorf(v.Value.Pos(), "enum", "the value of %s must be an integer that is known when the kernel is compiled", v.Name)
				}
				typ = x.Type().Unqualified()
				if typ.Kind == types.KindEnum {
					typ = typ.Enum.Base
				}
				value = k
				if fixed || d.Class {
					value = convertValue(e.Base, typ, k)
					typ = e.Base
				}
			}
			if typ.Signed() && int64(value.Bits) < 0 {
				negative = true
			} else {
				largest = max(largest, value.Bits)
			}
			k := &constant{typ, value}
			list = append(list, k)
			if inner.names[v.Name] != nil {
				c.errorf(v.Pos(), v.Name, "the enum has two values called %s", v.Name)
			}
			inner.names[v.Name] = k
			next = Value{Bits: wrap(typ, value.Bits+1)}
			nextType = typ
		}
	})
	if !fixed && !d.Class {
		switch {
		case negative && largest > 1<<31-1, negative && smallest(list) < -1<<31:
			e.Base = types.Long
		case negative:
			e.Base = types.Int
		case largest > 1<<32-1:
			e.Base = types.ULong
		}
	}
	for i, v := range d.Values {
		k := list[i]
		k.value = convertValue(e.Base, k.typ, k.value)
		k.typ = t
		if !d.Class {
			c.in(into, func() { c.declareName(v.Name, k, v.Pos()) })
		}
	}
}

func smallest(list []*constant) int64 {
	out := int64(0)
	for _, k := range list {
		if k.typ.Signed() {
			out = min(out, int64(k.value.Bits))
		}
	}
	return out
}

func (c *checker) staticAssert(d *syntax.StaticAssert) {
	e := c.truth(d.Cond)
	v, ok := c.constant(e)
	switch {
	case !ok:
		c.errorf(d.Pos(), "static_assert", "the condition of static_assert must be known when the kernel is compiled")
	case v.Bits == 0 && d.Message != "":
		c.errorf(d.Pos(), "static_assert", "static_assert: %s", d.Message)
	case v.Bits == 0:
		c.errorf(d.Pos(), "static_assert", "static_assert: the condition does not hold")
	}
}

// ---- functions -------------------------------------------------------------------

// functionName returns the name that a function is looked up by.
func functionName(d *syntax.Func) string { return d.Name.Last().Ident }

// newFunction returns what a declaration says of a function.
func (c *checker) newFunction(d *syntax.Func, t *syntax.Template) *function {
	f := &function{
		name: functionName(d), pos: d.Pos(), decl: d, scope: c.scope, order: d.Order,
		builtIn: builtIn(d.Pos()), device: d.Device || d.Global || d.Constexpr || d.Default, host: !d.Device && !d.Global && !d.Constexpr,
		explicit: d.Explicit, deleted: d.Deleted, intrinsic: d.Intrinsic, isConst: d.Const,
		convert: d.Name.Last().Convert != nil,
	}
	f.operator = strings.HasPrefix(f.name, "operator") && !f.convert && len(f.name) > len("operator")
	if f.builtIn {
		f.device, f.host, f.order = true, false, -1
	}
	if t != nil {
		f.template, f.params, f.instances = true, t.Params, map[string]*function{}
		f.order = min(f.order, t.Order)
		for _, p := range t.Params {
			if p.Pack {
				c.refuse(p.Pos(), "pack of template parameters", "write an overload or a template for each number of arguments")
			}
		}
	}
	for _, p := range d.Params {
		if p.Pack {
			c.refuse(p.Pos(), "pack of parameters", "write an overload for each number of arguments")
		}
	}
	return f
}

// paramType returns the type of a parameter: arrays and functions are pointers.
func (c *checker) paramType(p *syntax.Param) *types.Type {
	t := c.typeOf(p.Type)
	switch t.Kind {
	case types.KindArray:
		t = types.PointerTo(t.Elem)
	case types.KindFunction:
		t = types.PointerTo(t)
	case types.KindVoid:
		c.errorf(p.Pos(), "parameter", "a parameter cannot be void")
	}
	return t
}

// signature finds the types of a function, in a scope.
func (c *checker) signature(f *function, scope *scope) *signature {
	s := &signature{variadic: f.decl.Variadic}
	c.in(scope, func() {
		inner := newScope(c.scope)
		c.scope = inner
		s.least = len(f.decl.Params)
		for i, p := range f.decl.Params {
			t := c.paramType(p)
			s.params = append(s.params, t)
			if p.Default != nil && s.least == len(f.decl.Params) {
				s.least = i
			}
			if p.Default == nil && s.least < i {
				c.errorf(p.Pos(), f.name, "parameter %d of %s needs a default, as the one before has one", i+1, f.name)
			}
			if p.Name != "" {
				// decltype in the result may name it
				inner.names[p.Name] = &Var{Name: p.Name, Type: t, Pos: p.Pos(), Storage: Param}
			}
		}
		switch {
		case f.decl.Constructor || f.decl.Destructor:
			s.result = types.VoidType
		case f.decl.Result == nil:
			c.fail(source.Errorf(f.pos, f.name, "the function %s has no type", f.name).With("write void in front if it returns nothing"))
		case hasAuto(f.decl.Result):
			s.result = nil
		default:
			s.result = c.typeOf(f.decl.Result)
			if s.result.Kind == types.KindArray || s.result.Kind == types.KindFunction {
				c.errorf(f.pos, f.name, "a function cannot return %s", s.result)
			}
		}
	})
	return s
}

// sameSignature reports whether two functions of one name take the same.
func (c *checker) sameSignature(f, g *function) bool {
	if f.template != g.template {
		return false
	}
	if f.template {
		return c.sameTemplate(f, g)
	}
	if f.sig == nil || g.sig == nil || len(f.sig.params) != len(g.sig.params) || f.sig.variadic != g.sig.variadic {
		return false
	}
	for i := range f.sig.params {
		if !types.Identical(f.sig.params[i].Unqualified(), g.sig.params[i].Unqualified()) {
			return false
		}
	}
	return true
}

// sameTemplate reports whether two templates of functions are one that is declared
// twice: with the same unique arguments they have the same signature.
func (c *checker) sameTemplate(f, g *function) bool {
	if len(f.params) != len(g.params) || len(f.decl.Params) != len(g.decl.Params) {
		return false
	}
	for i := range f.params {
		if (f.params[i].Type == nil) != (g.params[i].Type == nil) {
			return false
		}
	}
	args := c.unique(f.params)
	same := false
	err := c.attempt(func() {
		ofF, ofG := c.bind(f.params, args, f.scope), c.bind(g.params, args, g.scope)
		x, y := c.signature(f, ofF), c.signature(g, ofG)
		for i, p := range f.params {
			if p.Type == nil {
				continue
			}
			// Of templates for some types alone, like those of enable_if, one names a
			// type that is not there, and the attempt ends.
			var one, other *types.Type
			c.in(ofF, func() { one = c.typeOf(p.Type) })
			c.in(ofG, func() { other = c.typeOf(g.params[i].Type) })
			if !types.Identical(one, other) {
				return
			}
		}
		same = x.result != nil && y.result != nil && types.Identical(x.result, y.result)
		for i := range x.params {
			same = same && types.Identical(x.params[i].Unqualified(), y.params[i].Unqualified())
		}
	})
	return err == nil && same
}

// declareFunction enters a function outside of structs.
func (c *checker) declareFunction(d *syntax.Func, t *syntax.Template) {
	f := c.newFunction(d, t)
	if !f.template {
		f.sig = c.signature(f, c.scope)
	}
	if d.Global {
		c.kernelRules(f)
	}
	if d.Constructor || f.convert || d.Destructor {
		c.fail(source.Errorf(d.Pos(), f.name, "the function %s has no type", f.name).With("write void in front if it returns nothing"))
	}
	c.enterFunction(c.scope, f)
}

// kernelRules holds a kernel against what a launch can hand it.
func (c *checker) kernelRules(f *function) {
	d := f.decl
	if d.Result == nil || !isVoid(d.Result) {
		c.fail(source.Errorf(d.Pos(), f.name, "kernel %s must return void", f.name).With("write what it computes to a buffer"))
	}
	if d.Variadic {
		c.errorf(d.Pos(), f.name, "kernel %s cannot take any number of arguments", f.name)
	}
	for _, p := range d.Params {
		if _, ok := p.Type.(*syntax.Reference); ok {
			c.fail(source.Errorf(p.Pos(), f.name, "kernel %s cannot take a reference: %s would be in the host's memory", f.name, p.Name).With("take a pointer, or the value"))
		}
	}
	if f.operator {
		c.errorf(d.Pos(), f.name, "an operator cannot be a kernel")
	}
}

func isVoid(t syntax.Type) bool {
	b, ok := t.(*syntax.Basic)
	return ok && b.Name == "void"
}

// enterFunction adds a function to its overloads, or a body to its declaration.
func (c *checker) enterFunction(into *scope, f *function) {
	d := f.decl
	switch old := into.names[f.name].(type) {
	case nil, *overloads:
	case *hostCode:
		delete(into.names, f.name)
	case *Var:
		c.fail(source.Errorf(d.Pos(), f.name, "%s is a variable already", f.name).Note(old.Pos, "the variable"))
	case *typeName:
		// a struct and a function of one name: the function hides the struct
		delete(into.names, f.name)
	default:
		if f.builtIn {
			return
		}
		c.errorf(d.Pos(), f.name, "%s is something else already", f.name)
	}
	for i, g := range c.functionsIn(into, f.name) {
		if !c.sameSignature(f, g) {
			continue
		}
		if g.builtIn && !f.builtIn && g.scope == f.scope {
			// The source's own hides that of a header.
			into.names[f.name].(*overloads).list[i] = f
			c.isKernel(f)
			return
		}
		if g.decl.Body != nil && d.Body != nil {
			c.fail(source.Errorf(d.Pos(), f.name, "function %s is defined twice", f.name).Note(g.pos, "the first time"))
		}
		if !f.template && g.sig.result != nil && f.sig.result != nil && !types.Identical(g.sig.result, f.sig.result) {
			c.fail(source.Errorf(d.Pos(), f.name, "function %s is declared with two results, %s and %s", f.name, g.sig.result, f.sig.result).Note(g.pos, "the first time"))
		}
		c.merge(g, f)
		return
	}
	into.add(f.name, f)
	c.isKernel(f)
	if !f.template && !f.builtIn && f.device && d.Body != nil && !d.Global {
		c.later = append(c.later, func() { c.use(f, f.pos) })
	}
}

func (c *checker) isKernel(f *function) {
	if f.decl.Global && !f.template && f.decl.Body != nil {
		c.kernels = append(c.kernels, f)
	}
	c.templates = c.templates || f.decl.Global && f.template
}

// merge joins a declaration and a definition of one function.
func (c *checker) merge(g, f *function) {
	old, new := g.decl, f.decl
	whole := *new
	if new.Body == nil {
		whole = *old
	}
	// Default arguments stand where a function is declared first.
	params := make([]*syntax.Param, len(whole.Params))
	for i, p := range whole.Params {
		q := *p
		if q.Default == nil {
			if i < len(old.Params) && old.Params[i].Default != nil {
				q.Default = old.Params[i].Default
			} else if i < len(new.Params) {
				q.Default = new.Params[i].Default
			}
		}
		params[i] = &q
	}
	whole.Params = params
	whole.Specs.Global = old.Global || new.Global
	whole.Specs.C = old.C || new.C
	if whole.Specs.Bounds == nil {
		whole.Specs.Bounds = append(old.Bounds, new.Bounds...)
	}
	g.decl = &whole
	g.device = g.device || f.device
	g.host = g.host && f.host
	if new.Body != nil {
		g.pos = f.pos
		if g.template {
			g.params = c.joinParams(g.params, f.params)
			g.scope = f.scope
		}
	}
	if g.sig != nil {
		g.sig.least = min(g.sig.least, f.sig.least)
	}
	if g.fn != nil {
		g.fn.Pos = g.pos
	}
	if new.Body != nil {
		c.isKernel(g)
		if !g.template && !g.builtIn && g.device && !whole.Global {
			c.later = append(c.later, func() { c.use(g, g.pos) })
		}
	}
}

// joinParams takes the defaults of an earlier declaration.
func (c *checker) joinParams(old, new []*syntax.TemplateParam) []*syntax.TemplateParam {
	out := make([]*syntax.TemplateParam, len(new))
	for i, p := range new {
		q := *p
		if i < len(old) && q.Default == nil && q.DefaultType == nil {
			q.Default, q.DefaultType = old[i].Default, old[i].DefaultType
		}
		out[i] = &q
	}
	return out
}

// functionOutside declares S::f or ns::f.
func (c *checker) functionOutside(d *syntax.Func) {
	owner := &syntax.Name{At: d.Name.At, Global: d.Name.Global, Parts: d.Name.Parts[:len(d.Name.Parts)-1]}
	var e entity
	if len(owner.Parts) == 0 {
		e = &namespace{c.global}
	} else {
		e = c.find(owner, true)
	}
	switch e := e.(type) {
	case *namespace:
		c.in(e.scope, func() { c.declareFunction(d, nil) })
	case *typeName:
		cl := c.classOf(e.typ)
		if cl == nil {
			c.errorf(d.Pos(), d.Name.String(), "%s is no struct", owner)
		}
		c.complete(cl, d.Pos())
		within := newScope(cl.scope)
		var sig *signature
		c.in(within, func() {
			sig = c.signature(&function{name: functionName(d), pos: d.Pos(), decl: d, scope: within}, within)
		})
		c.bodyOutside(cl, d, cl.scope, sig)
	default:
		c.errorf(d.Pos(), d.Name.String(), "%s is no struct and no namespace", owner)
	}
}

// specialFunction declares template <> of a function: the body for some arguments.
func (c *checker) specialFunction(d *syntax.Func) {
	name := &syntax.Name{At: d.Name.At, Global: d.Name.Global, Parts: append([]syntax.Part(nil), d.Name.Parts...)}
	written := name.Last().Args
	name.Last().HasArgs, name.Last().Args = false, nil
	set, ok := c.find(name, true).(*overloads)
	if !ok {
		c.errorf(d.Pos(), name.String(), "%s is no template of functions", name)
	}
	special := c.newFunction(d, nil)
	special.sig = c.signature(special, c.scope)
	for _, t := range set.list {
		if !t.template || len(t.decl.Params) != len(d.Params) {
			continue
		}
		args, ok := c.deduceExact(t, written, special.sig, d.Pos())
		if !ok {
			continue
		}
		key := keyOf(args)
		if old := t.instances[key]; old != nil && old.fn != nil {
			c.errorf(d.Pos(), name.String(), "%s%s is specialised after it was used", name, listOf(args))
		}
		special.from, special.args = t, args
		special.scope = t.scope
		t.instances[key] = special
		if d.Global {
			c.kernelRules(special)
		} else if d.Body != nil && special.device {
			c.later = append(c.later, func() { c.use(special, special.pos) })
		}
		return
	}
	c.errorf(d.Pos(), name.String(), "there is no template %s that this specialises", name)
}

// deduceExact finds the arguments for which a template has a signature.
func (c *checker) deduceExact(t *function, written []syntax.Arg, sig *signature, pos source.Pos) (args []targ, ok bool) {
	err := c.attempt(func() {
		d := c.newDeduction(t.params, t.scope)
		bound := newScope(t.scope)
		for i, a := range written {
			if i >= len(t.params) {
				return
			}
			x := c.templateArg(t.params[i], a, bound, pos, t.name)
			d.found[t.params[i].Name] = x
			c.bindOne(bound, t.params[i], x)
		}
		for i, p := range t.decl.Params {
			if !d.from(p.Type, sig.params[i]) {
				return
			}
		}
		if args, ok = d.complete(); !ok {
			return
		}
		ok = false
		got := c.signature(t, c.bind(t.params, args, t.scope))
		for i := range got.params {
			if !types.Identical(got.params[i].Unqualified(), sig.params[i].Unqualified()) {
				return
			}
		}
		ok = true
	})
	return args, err == nil && ok
}

// explicitInstance makes the instance that template …; asks for.
func (c *checker) explicitInstance(d *syntax.Instantiate) {
	switch inner := d.Decl.(type) {
	case *syntax.Func:
		name := &syntax.Name{At: inner.Name.At, Global: inner.Name.Global, Parts: append([]syntax.Part(nil), inner.Name.Parts...)}
		written := name.Last().Args
		name.Last().HasArgs, name.Last().Args = false, nil
		set, ok := c.find(name, true).(*overloads)
		if !ok {
			c.errorf(inner.Pos(), name.String(), "%s is no template of functions", name)
		}
		wanted := c.newFunction(inner, nil)
		wanted.sig = c.signature(wanted, c.scope)
		for _, t := range set.list {
			if !t.template || len(t.decl.Params) != len(inner.Params) {
				continue
			}
			if args, ok := c.deduceExact(t, written, wanted.sig, inner.Pos()); ok {
				c.later = append(c.later, func() {
					f := c.functionInstance(t, args, inner.Pos())
					if t.decl.Global {
						c.kernels = append(c.kernels, f)
					}
					c.use(f, inner.Pos())
				})
				return
			}
		}
		c.errorf(inner.Pos(), name.String(), "there is no template %s of which this is an instance", name)
	case *syntax.Struct:
		e, ok := c.find(inner.Name, true).(*typeName)
		if ok && e.class != nil {
			c.complete(e.class, inner.Pos())
		}
	}
}

// ---- variables outside of functions -----------------------------------------------

func (c *checker) declareVar(d *syntax.Var) {
	name := d.Name.Last().Ident
	if len(d.Name.Parts) > 1 {
		return // the definition of a static member, whose value is in its struct
	}
	if d.Shared {
		c.sharedOutside(d, name)
		return
	}
	if d.Intrinsic != "" {
		c.declareName(name, &Var{Name: name, Type: c.typeOf(d.Type), Pos: d.Pos(), Storage: Machine, Intrinsic: d.Intrinsic, order: -1}, d.Pos())
		return
	}
	if !d.Device && !d.Constant && !d.Managed {
		v := c.constantVar(d, c.scope)
		if v == nil {
			c.declareName(name, &hostCode{pos: d.Pos()}, d.Pos())
			return
		}
		c.declareName(name, v, d.Pos())
		if d.Constexpr {
			c.settle(v)
		}
		return
	}
	v := &Var{Name: name, Pos: d.Pos(), Storage: Global, order: d.Order}
	if d.Constant {
		v.Storage = Constant
	}
	if old, ok := c.scope.names[name].(*Var); ok && !builtIn(old.Pos) && old.Storage == v.Storage {
		// extern in front, and then the definition
		c.globalVar(d, v)
		if v.Init != nil {
			old.Init = v.Init
		}
		if types.Identical(old.Type, v.Type) || old.Type.Kind == types.KindArray && old.Type.Len < 0 {
			old.Type = v.Type
			return
		}
	}
	c.globalVar(d, v)
	c.declareName(name, v, d.Pos())
}

// globalVar finds the type and the initial value of a variable in device memory.
func (c *checker) globalVar(d *syntax.Var, v *Var) {
	name := v.Name
	var init Expr
	v.Type, init = c.initialised(d, nil)
	v.Align = c.alignment(d.Align, d.AlignTypes)
	c.requireComplete(v.Type, d.Pos(), "variable "+name)
	switch {
	case v.Type.Kind == types.KindReference:
		c.errorf(d.Pos(), name, "a variable in device memory cannot be a reference")
	case v.Type.Kind == types.KindArray && v.Type.Len < 0 && !d.Extern:
		c.errorf(d.Pos(), name, "the length of the array %s is missing", name)
	}
	if init == nil {
		if d.Constexpr || v.Type.IsConst() && v.Storage == Global && !d.Extern {
			c.errorf(d.Pos(), name, "the constant %s has no value", name)
		}
		return
	}
	value, ok := c.constant(init)
	if !ok {
		c.fail(source.Errorf(init.Pos(), name, "what %s starts as must be known when the kernel is compiled", name).With("set it in a kernel, or hand it over as an argument"))
	}
	v.Init = &value
	if d.Constexpr || v.Type.IsConst() {
		v.value = &value
	}
}

func (c *checker) sharedOutside(d *syntax.Var, name string) {
	if !d.Extern {
		c.fail(source.Errorf(d.Pos(), name, "a __shared__ variable belongs into a function").With("only extern __shared__ arrays, whose size the launch gives, can be outside"))
	}
	c.declareName(name, c.dynamicShared(d), d.Pos())
}

// dynamicShared declares extern __shared__ T name[];
func (c *checker) dynamicShared(d *syntax.Var) *Var {
	name := d.Name.Last().Ident
	t := c.typeOf(d.Type)
	if d.Init != nil || d.Paren {
		c.errorf(d.Pos(), name, "a __shared__ variable cannot have an initial value: every thread of the block would set it")
	}
	if t.Kind != types.KindArray {
		c.fail(source.Errorf(d.Pos(), name, "extern __shared__ declares an array").With("write extern __shared__ %s %s[];", t, name))
	}
	c.requireComplete(t.Elem, d.Pos(), "the element of "+name)
	return &Var{Name: name, Type: t, Pos: d.Pos(), Storage: Dynamic, Align: c.alignment(d.Align, d.AlignTypes), order: d.Order}
}

// constantVar declares a variable that may be a constant of the source; nil if it
// cannot be one, and so belongs to the host.
func (c *checker) constantVar(d *syntax.Var, scope *scope) *Var {
	v := &Var{Name: d.Name.Last().Ident, Pos: d.Pos(), Storage: Constant, order: d.Order, plain: true}
	if builtIn(d.Pos()) {
		v.order = -1
	}
	isConst := d.Constexpr
	for t := d.Type; !isConst; {
		switch u := t.(type) {
		case *syntax.Qualified:
			isConst = u.Const
		case *syntax.Array:
			t = u.Elem
			continue
		case *syntax.Named:
			isConst = true // an alias may be const: it is looked at below
		}
		break
	}
	if !isConst || d.Init == nil && !d.Paren {
		return nil
	}
	find := func() {
		v.pending = func() { c.errorf(d.Pos(), v.Name, "the value of %s depends on itself", v.Name) }
		order := c.order
		c.order = d.Order
		if scope.class != nil || builtIn(d.Pos()) {
			c.order = everything
		}
		savedFn := c.fn
		c.fn = nil
		look := func() {
			c.in(scope, func() {
				var init Expr
				v.Type, init = c.initialised(d, nil)
				if d.Constexpr {
					v.Type = v.Type.Qualify(true, false)
				}
				value, ok := c.constant(init)
				if !ok && d.Constexpr {
					c.errorf(init.Pos(), v.Name, "the value of the constexpr %s is not known when the kernel is compiled", v.Name)
				}
				if ok && v.Type.IsConst() {
					v.value, v.Init = &value, &value
				}
			})
		}
		switch {
		case scope.class != nil && scope.class.template != nil:
			c.instantiate(d.Pos(), scope.class.typ.String()+"::"+v.Name, look)
		case d.Constexpr || builtIn(d.Pos()):
			look()
		default:
			// What a constant of the host's program starts as may be anything.
			if err := c.attempt(look); err != nil && v.Type == nil {
				v.Type = types.Int.Qualify(true, false)
			}
		}
		c.fn = savedFn
		c.order = order
		v.pending = nil
	}
	v.pending = find
	return v
}

// settle finds the value of a constant that has not been looked at yet.
func (c *checker) settle(v *Var) {
	if v.pending != nil {
		v.pending()
	}
}
