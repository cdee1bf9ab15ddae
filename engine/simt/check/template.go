package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// A targ is an argument of a template: a type, or a value of a type.
type targ struct {
	typ   *types.Type
	value *Value
	name  string // of a function
}

func (a targ) key() string {
	if a.value == nil {
		return typeKey(a.typ)
	}
	return fmt.Sprintf("%s=%d", typeKey(a.typ), a.value.Bits)
}

func (a targ) String() string {
	switch {
	case a.name != "":
		return a.name
	case a.value == nil:
		return a.typ.String()
	case a.typ.Kind == types.KindBool:
		return strconv.FormatBool(a.value.Bits != 0)
	case a.typ.Signed():
		return strconv.FormatInt(int64(a.value.Bits), 10)
	}
	return strconv.FormatUint(a.value.Bits, 10)
}

func (a targ) equal(b targ) bool {
	if (a.value == nil) != (b.value == nil) {
		return false
	}
	if a.value != nil {
		return a.value.Bits == b.value.Bits
	}
	return types.Identical(a.typ, b.typ)
}

func keyOf(args []targ) string {
	var b strings.Builder
	for _, a := range args {
		b.WriteString(a.key())
		b.WriteByte(';')
	}
	return b.String()
}

func listOf(args []targ) string {
	var parts []string
	for _, a := range args {
		parts = append(parts, a.String())
	}
	s := strings.Join(parts, ", ")
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return "<" + s + ">"
}

type (
	// A classTemplate is a template of structs.
	classTemplate struct {
		name      string
		pos       source.Pos
		params    []*syntax.TemplateParam
		decl      *syntax.Struct
		env       *scope
		special   []*specialisation
		instances map[string]*class
		outside   []outside
	}
	// A specialisation is another definition for some arguments: all, where it has
	// no parameters.
	specialisation struct {
		params []*syntax.TemplateParam
		args   []syntax.Arg
		decl   *syntax.Struct
		env    *scope
	}
	// outside is a method whose body is outside of its template.
	outside struct {
		params []*syntax.TemplateParam
		decl   *syntax.Func
		env    *scope
	}
	// An aliasTemplate is template <…> using A = T.
	aliasTemplate struct {
		params    []*syntax.TemplateParam
		decl      *syntax.Alias
		env       *scope
		instances map[string]*types.Type
	}
	// A varTemplate is template <…> constexpr T v = x.
	varTemplate struct {
		params    []*syntax.TemplateParam
		decl      *syntax.Var
		env       *scope
		instances map[string]*Var
	}
)

// declareTemplate enters a template.
func (c *checker) declareTemplate(t *syntax.Template) {
	for _, p := range t.Params {
		if p.Pack {
			c.refuse(p.Pos(), "pack of template parameters", "write an overload or a template for each number of arguments")
		}
	}
	switch d := t.Decl.(type) {
	case *syntax.Struct:
		c.structTemplate(t, d)
	case *syntax.Alias:
		c.declareName(d.Name, &aliasTemplate{t.Params, d, c.scope, map[string]*types.Type{}}, d.Pos())
	case *syntax.Var:
		if len(t.Params) == 0 || len(d.Name.Parts) > 1 {
			if len(d.Name.Parts) > 1 {
				return // of a static member, whose value is in its struct
			}
			c.refuse(d.Pos(), "specialisation of a variable", "use a struct with a static member")
		}
		if !d.Constexpr {
			c.fail(source.Errorf(d.Pos(), d.Name.String(), "a template of variables is one of constants").With("write constexpr in front"))
		}
		c.declareName(d.Name.Last().Ident, &varTemplate{t.Params, d, c.scope, map[string]*Var{}}, d.Pos())
	case *syntax.Func:
		if len(t.Params) == 0 {
			c.specialFunction(d)
			return
		}
		if len(d.Name.Parts) > 1 {
			c.methodOutside(t, d)
			return
		}
		c.declareFunction(d, t)
	case *syntax.Template:
		c.refuse(t.Pos(), "method template outside of its template", "define it in the struct")
	case *syntax.Enum, *syntax.HostCode:
	default:
		c.errorf(t.Pos(), "template", "this cannot be a template")
	}
}

func (c *checker) structTemplate(t *syntax.Template, d *syntax.Struct) {
	if d.Name == nil {
		c.errorf(d.Pos(), "template", "a template of structs needs a name")
	}
	part := d.Name.Last()
	var ct *classTemplate
	if len(d.Name.Parts) == 1 {
		ct, _ = c.scope.names[part.Ident].(*classTemplate)
	} else {
		whole := &syntax.Name{At: d.Name.At, Global: d.Name.Global, Parts: append([]syntax.Part(nil), d.Name.Parts...)}
		whole.Last().HasArgs = false
		ct, _ = c.find(whole, true).(*classTemplate)
	}
	if part.HasArgs {
		if ct == nil {
			ct, _ = c.scope.lookup(part.Ident, everything).(*classTemplate)
		}
		if ct == nil {
			c.errorf(d.Pos(), part.Ident, "there is no template %s to specialise", part.Ident)
		}
		s := &specialisation{t.Params, part.Args, d, c.scope}
		for i, other := range ct.special {
			if !other.decl.Defined && d.Defined && c.sameArgs(other, s) {
				ct.special[i] = s
				return
			}
		}
		ct.special = append(ct.special, s)
		if len(t.Params) == 0 && d.Defined {
			args := c.templateArgs(ct.params, part.Args, ct.env, part.Pos(), part.Ident)
			if cl := ct.instances[keyOf(args)]; cl != nil && cl.state == checked {
				c.errorf(d.Pos(), part.Ident, "%s is specialised after it was used", cl.typ)
			}
		}
		return
	}
	if len(t.Params) == 0 {
		c.fail(source.Errorf(d.Pos(), part.Ident, "template <> specialises a template: its arguments are missing").With("write struct %s<…>", part.Ident))
	}
	if ct == nil {
		ct = &classTemplate{name: part.Ident, pos: d.Pos(), env: c.scope, instances: map[string]*class{}}
		c.declareName(part.Ident, ct, d.Pos())
	} else if ct.decl != nil && ct.decl.Defined && d.Defined {
		c.fail(source.Errorf(d.Pos(), part.Ident, "template %s is defined twice", part.Ident).Note(ct.pos, "the first time"))
	}
	// Default arguments may be those of an earlier declaration.
	params := slices.Clone(t.Params)
	for i := range params {
		if i < len(ct.params) && params[i].Default == nil && params[i].DefaultType == nil {
			p := *params[i]
			p.Default, p.DefaultType = ct.params[i].Default, ct.params[i].DefaultType
			params[i] = &p
		}
	}
	if ct.decl == nil || d.Defined {
		ct.decl, ct.pos = d, d.Pos()
	}
	ct.params = params
}

// sameArgs reports whether two full specialisations are for the same arguments.
func (c *checker) sameArgs(x, y *specialisation) bool {
	return len(x.params) == 0 && len(y.params) == 0 && fmt.Sprint(len(x.args)) == fmt.Sprint(len(y.args)) && c.argsText(x) == c.argsText(y)
}

func (c *checker) argsText(s *specialisation) string {
	text := ""
	for _, a := range s.args {
		if a.Type != nil {
			text += typeKey(c.typeOf(a.Type)) + ";"
		} else if v, ok := c.constant(c.value(a.Expr)); ok {
			text += fmt.Sprint(v.Bits) + ";"
		}
	}
	return text
}

// ---- arguments --------------------------------------------------------------------

// bind returns a scope in which the parameters have the arguments.
func (c *checker) bind(params []*syntax.TemplateParam, args []targ, env *scope) *scope {
	s := newScope(env)
	for i, p := range params {
		if i >= len(args) {
			break
		}
		c.bindOne(s, p, args[i])
	}
	return s
}

func (c *checker) bindOne(s *scope, p *syntax.TemplateParam, a targ) {
	if p.Name == "" {
		return
	}
	if a.value == nil {
		s.names[p.Name] = &typeName{a.typ, c.classOf(a.typ)}
		return
	}
	s.names[p.Name] = &constant{a.typ, *a.value}
}

// templateArgs evaluates the arguments that are written, and the defaults of the
// others.
func (c *checker) templateArgs(params []*syntax.TemplateParam, written []syntax.Arg, env *scope, pos source.Pos, name string) []targ {
	if len(written) > len(params) {
		c.errorf(pos, name, "template %s takes %d %s and is given %d", name, len(params), plural(len(params), "argument"), len(written))
	}
	bound := newScope(env)
	var out []targ
	for i, p := range params {
		var a targ
		if i < len(written) {
			a = c.templateArg(p, written[i], bound, pos, name)
		} else {
			var ok bool
			if a, ok = c.defaultArg(p, bound); !ok {
				err := source.Errorf(pos, name, "template %s takes %d %s and is given %d", name, len(params), plural(len(params), "argument"), len(written))
				if p.Name != "" {
					err = source.Errorf(pos, name, "template %s: the argument for %s is missing", name, p.Name)
				}
				c.fail(err.Note(p.Pos(), "the parameter"))
			}
		}
		out = append(out, a)
		c.bindOne(bound, p, a)
	}
	return out
}

// templateArg evaluates one argument, in the scope where it is written.
func (c *checker) templateArg(p *syntax.TemplateParam, a syntax.Arg, bound *scope, pos source.Pos, name string) targ {
	if p.Type == nil {
		if a.Type == nil {
			// A name that may be either.
			if id, ok := a.Expr.(*syntax.Ident); ok {
				if t, ok := c.find(id.Name, true).(*typeName); ok {
					return targ{typ: t.typ}
				}
			}
			c.errorf(a.Expr.Pos(), name, "template %s takes a type for %s, not a value", name, p.Name)
		}
		return targ{typ: c.typeOf(a.Type)}
	}
	if a.Expr == nil {
		c.errorf(a.Type.Pos(), name, "template %s takes a value for %s, not a type", name, p.Name)
	}
	var e Expr
	c.constantContext(func() { e = c.value(a.Expr) })
	return c.valueArg(p, e, bound, name)
}

// valueArg converts a value to the type of a parameter.
func (c *checker) valueArg(p *syntax.TemplateParam, e Expr, bound *scope, name string) targ {
	var t *types.Type
	saved := c.autoAs
	c.autoAs = e.Type().Unqualified()
	c.in(bound, func() { t = c.typeOf(p.Type).Unqualified() })
	c.autoAs = saved
	if t.IsPointer() && e.Type().Kind == types.KindNullptr {
		return targ{typ: t, value: &Value{}} // of enable_if<…>::type* = nullptr
	}
	if !t.Integer() && t.Kind != types.KindEnum && !pointsToFunction(t) {
		c.refuse(p.Pos(), "template parameter of type "+t.String(), "use a type, an integer or an enum")
	}
	v, ok := c.constant(e)
	if !ok {
		c.fail(source.Errorf(e.Pos(), name, "template %s: the argument for %s must be known when the kernel is compiled", name, p.Name).With("use a number, a constexpr variable or a template parameter"))
	}
	if !c.converts(e, t) {
		c.errorf(e.Pos(), name, "template %s takes %s for %s, not %s", name, t, p.Name, e.Type())
	}
	from := e.Type()
	v = convertValue(t, from, v)
	a := targ{typ: t, value: &v}
	if pointsToFunction(t) && v.Bits >= 1 && v.Bits <= uint64(len(c.addressed)) {
		a.name = c.displayName(c.addressed[v.Bits-1])
	}
	return a
}

func (c *checker) defaultArg(p *syntax.TemplateParam, bound *scope) (a targ, ok bool) {
	saved := c.autoAs
	defer func() { c.autoAs = saved }()
	switch {
	case p.Type == nil && p.DefaultType != nil:
		c.in(bound, func() { a.typ = c.typeOf(p.DefaultType) })
		return a, true
	case p.Type != nil && p.Default != nil:
		c.in(bound, func() {
			var e Expr
			c.constantContext(func() { e = c.value(p.Default) })
			a = c.valueArg(p, e, bound, p.Name)
		})
		return a, true
	}
	return a, false
}

// constantContext runs f as outside of the function being checked: what it
// computes is not part of that.
func (c *checker) constantContext(f func()) { f() }

// classInstance returns the struct that a template is for some arguments.
func (c *checker) classInstance(ct *classTemplate, written []syntax.Arg, pos source.Pos) *class {
	args := c.templateArgs(ct.params, written, ct.env, pos, ct.name)
	return c.instanceOf(ct, args, pos)
}

func (c *checker) instanceOf(ct *classTemplate, args []targ, pos source.Pos) *class {
	key := keyOf(args)
	if cl := ct.instances[key]; cl != nil {
		return cl
	}
	if c.count++; c.count > c.limits.Instances {
		c.tooMany(pos)
	}
	s := &types.Struct{Name: ct.name + listOf(args), Union: ct.decl.Keyword == "union"}
	cl := &class{name: ct.name, typ: types.StructOf(s), template: ct, args: args, pos: ct.pos}
	c.classes[s] = cl
	cl.scope = newScope(ct.env)
	cl.scope.class = cl
	ct.instances[key] = cl
	return cl
}

// choose finds the definition of an instance: the template's own, or that of the
// specialisation that fits best.
func (c *checker) choose(cl *class, pos source.Pos) {
	ct := cl.template
	var best *specialisation
	var bound *scope
	for _, s := range ct.special {
		b, ok := c.matches(s, cl.args)
		if !ok {
			continue
		}
		if best == nil || c.moreSpecial(s, best) {
			best, bound = s, b
		} else if !c.moreSpecial(best, s) && len(s.params) > 0 {
			c.errorf(pos, cl.typ.String(), "several specialisations of %s fit, and none is the more special one", cl.typ)
		}
	}
	if best != nil {
		cl.decl, cl.env = best.decl, bound
	} else {
		cl.decl, cl.env = ct.decl, c.bind(ct.params, cl.args, ct.env)
	}
	cl.scope.parent = cl.env
	cl.pos = cl.decl.Pos()
}

// matches holds the arguments of an instance against those of a specialisation.
func (c *checker) matches(s *specialisation, args []targ) (*scope, bool) {
	d := c.newDeduction(s.params, s.env)
	ok := false
	err := c.attempt(func() {
		c.in(s.env, func() {
			if len(s.args) > len(args) {
				return
			}
			for i, a := range s.args {
				if !d.arg(a, args[i]) {
					return
				}
			}
			list, complete := d.complete()
			if !complete {
				return
			}
			// What was not deduced from, such as a type of another template, is compared.
			bound := c.bind(s.params, list, s.env)
			c.in(bound, func() {
				for i, a := range s.args {
					switch {
					case a.Type != nil:
						if args[i].value != nil || !types.Identical(c.typeOf(a.Type), args[i].typ) {
							return
						}
					case args[i].value == nil:
						if id, isName := a.Expr.(*syntax.Ident); !isName || !types.Identical(c.namedType(id.Name), args[i].typ) {
							return
						}
					default:
						v, known := c.constant(c.value(a.Expr))
						if !known || v.Bits != args[i].value.Bits {
							return
						}
					}
				}
				d.bound, ok = bound, true
			})
		})
	})
	return d.bound, err == nil && ok
}

// moreSpecial reports whether x fits less than y does: y can be deduced from x.
func (c *checker) moreSpecial(x, y *specialisation) bool {
	if len(x.params) == 0 {
		return len(y.params) > 0
	}
	if len(y.params) == 0 {
		return false
	}
	args, ok := c.invented(x.params, x.env, x.args)
	if !ok {
		return false
	}
	_, fits := c.matches(y, args)
	return fits
}

// invented returns the arguments of a specialisation with types and values that
// nothing else has in place of its parameters.
func (c *checker) invented(params []*syntax.TemplateParam, env *scope, args []syntax.Arg) (out []targ, ok bool) {
	bound := c.bind(params, c.unique(params), env)
	err := c.attempt(func() {
		c.in(bound, func() {
			for _, a := range args {
				if a.Type != nil {
					out = append(out, targ{typ: c.typeOf(a.Type)})
					continue
				}
				if id, isName := a.Expr.(*syntax.Ident); isName {
					if t, isType := c.find(id.Name, true).(*typeName); isType {
						out = append(out, targ{typ: t.typ})
						continue
					}
				}
				e := c.value(a.Expr)
				v, known := c.constant(e)
				if !known {
					return
				}
				out = append(out, targ{typ: e.Type(), value: &v})
			}
			ok = true
		})
	})
	return out, err == nil && ok
}

// unique returns an argument for each parameter that equals no other.
func (c *checker) unique(params []*syntax.TemplateParam) []targ {
	var out []targ
	for i, p := range params {
		if p.Type == nil {
			s := &types.Struct{Name: p.Name, Complete: true, Size: 1, Align: 1}
			cl := &class{name: p.Name, typ: types.StructOf(s), decl: &syntax.Struct{Defined: true}, state: checked, scope: newScope(nil)}
			cl.scope.class = cl
			c.classes[s] = cl
			out = append(out, targ{typ: cl.typ})
			continue
		}
		v := Value{Bits: uint64(0x5eed0000 + i)}
		out = append(out, targ{typ: types.Int, value: &v})
	}
	return out
}

func (c *checker) aliasInstance(a *aliasTemplate, written []syntax.Arg, pos source.Pos) *types.Type {
	args := c.templateArgs(a.params, written, a.env, pos, a.decl.Name)
	key := keyOf(args)
	if t := a.instances[key]; t != nil {
		return t
	}
	var t *types.Type
	c.instantiate(pos, a.decl.Name+listOf(args), func() {
		c.in(c.bind(a.params, args, a.env), func() { t = c.typeOf(a.decl.Type) })
	})
	a.instances[key] = t
	return t
}

func (c *checker) varInstance(a *varTemplate, written []syntax.Arg, pos source.Pos) *Var {
	name := a.decl.Name.Last().Ident
	args := c.templateArgs(a.params, written, a.env, pos, name)
	key := keyOf(args)
	if v := a.instances[key]; v != nil {
		return v
	}
	var v *Var
	c.instantiate(pos, name+listOf(args), func() {
		v = c.constantVar(a.decl, c.bind(a.params, args, a.env))
		c.settle(v)
	})
	a.instances[key] = v
	return v
}

// methodOutside attaches the body of a method of a template of structs.
func (c *checker) methodOutside(t *syntax.Template, d *syntax.Func) {
	owner := &syntax.Name{At: d.Name.At, Global: d.Name.Global, Parts: append([]syntax.Part(nil), d.Name.Parts[:len(d.Name.Parts)-1]...)}
	owner.Last().HasArgs = false
	switch e := c.find(owner, true).(type) {
	case *classTemplate:
		e.outside = append(e.outside, outside{t.Params, d, c.scope})
		return
	case *typeName:
		if e.class != nil {
			c.refuse(d.Pos(), "method template outside of its struct", "define it in the struct")
		}
	case *namespace:
		c.in(e.scope, func() { c.declareFunction(d, t) })
		return
	}
	c.errorf(d.Pos(), d.Name.String(), "%s is no template of structs", owner)
}

// attachOutside gives the methods of an instance the bodies that are outside.
func (c *checker) attachOutside(cl *class, f *function) {
	if cl.template == nil || f.decl.Body != nil || f.defined != nil || cl.decl != cl.template.decl {
		return
	}
	for _, o := range cl.template.outside {
		if functionName(o.decl) != f.name || o.decl.Destructor != f.decl.Destructor || len(o.decl.Params) != len(f.decl.Params) || o.decl.Const != f.isConst {
			continue
		}
		bound := c.bind(o.params, cl.args, o.env)
		within := newScope(bound)
		within.class = cl
		within.names = cl.scope.names
		same := true
		if f.sig != nil {
			c.in(within, func() {
				for i, p := range o.decl.Params {
					same = same && types.Identical(c.paramType(p).Unqualified(), f.sig.params[i].Unqualified())
				}
			})
		}
		if same {
			f.defined, f.within = o.decl, within
			return
		}
	}
}

// ---- deduction ----------------------------------------------------------------------

// A deduction finds the arguments of a template from what it is used with.
type deduction struct {
	c      *checker
	params []*syntax.TemplateParam
	env    *scope
	found  map[string]targ
	bound  *scope
	auto   *types.Type // what auto was found to be

	written map[string]bool // arguments that the source gives
}

func (c *checker) newDeduction(params []*syntax.TemplateParam, env *scope) *deduction {
	return &deduction{c: c, params: params, env: env, found: map[string]targ{}, written: map[string]bool{}}
}

// param returns the parameter that a name is, or nil.
func (d *deduction) param(n *syntax.Name) *syntax.TemplateParam {
	if !n.Simple() {
		return nil
	}
	for _, p := range d.params {
		if p.Name == n.Parts[0].Ident {
			return p
		}
	}
	return nil
}

// set enters an argument, and reports whether it agrees with what was found.
func (d *deduction) set(p *syntax.TemplateParam, a targ) bool {
	if old, ok := d.found[p.Name]; ok {
		return old.equal(a)
	}
	d.found[p.Name] = a
	return true
}

// depends reports whether a type names a parameter.
func (d *deduction) depends(t syntax.Type) bool {
	yes := false
	syntax.Walk(t, func(n syntax.Node) {
		switch n := n.(type) {
		case *syntax.Name:
			for _, part := range n.Parts {
				for _, p := range d.params {
					if part.Ident == p.Name && p.Name != "" {
						yes = true
					}
				}
			}
		case *syntax.Auto:
			yes = true
		}
	})
	return yes
}

// open reports whether a type names a parameter whose argument is not written.
func (d *deduction) open(t syntax.Type) bool {
	yes := false
	syntax.Walk(t, func(n syntax.Node) {
		if n, ok := n.(*syntax.Name); ok {
			for _, part := range n.Parts {
				for _, p := range d.params {
					if part.Ident == p.Name && p.Name != "" && !d.written[p.Name] {
						yes = true
					}
				}
			}
		}
	})
	return yes
}

// arg deduces from an argument of a template.
func (d *deduction) arg(pattern syntax.Arg, a targ) bool {
	if pattern.Type != nil {
		if a.value != nil {
			return false
		}
		return d.from(pattern.Type, a.typ)
	}
	if id, ok := pattern.Expr.(*syntax.Ident); ok {
		if p := d.param(id.Name); p != nil {
			if (p.Type == nil) != (a.value == nil) {
				return false
			}
			return d.set(p, a)
		}
	}
	return true // compared when all are found
}

// from deduces from a type. It reports false where the pattern cannot be that
// type; what does not depend on a parameter is left to be compared later.
func (d *deduction) from(pattern syntax.Type, t *types.Type) bool {
	switch p := pattern.(type) {
	case *syntax.Auto:
		if d.auto != nil {
			return types.Identical(d.auto, t)
		}
		d.auto = t
		return true
	case *syntax.Named:
		if param := d.param(p.Name); param != nil {
			if param.Type != nil {
				return false
			}
			return d.set(param, targ{typ: t})
		}
		if !d.depends(p) {
			return true
		}
		last := p.Name.Last()
		if !last.HasArgs {
			return true // typename T::type says nothing of T
		}
		cl := d.c.classOf(t)
		var ct *classTemplate
		var e entity
		whole := &syntax.Name{At: p.Name.At, Global: p.Name.Global, Parts: append([]syntax.Part(nil), p.Name.Parts...)}
		whole.Last().HasArgs = false
		// The name is one of where the template is, not of where it is used.
		d.c.in(d.env, func() { e = d.c.find(whole, false) })
		switch e := e.(type) {
		case *classTemplate:
			ct = e
		case *typeName:
			if e.class != nil {
				ct = e.class.template
			}
		default:
			return true // an alias: compared when all are found
		}
		for cl != nil && (cl.template == nil || cl.template != ct) {
			d.c.complete(cl, p.Pos())
			if len(cl.bases) == 0 {
				return false
			}
			cl = cl.bases[0]
		}
		if cl == nil {
			return false
		}
		for i, a := range last.Args {
			if i >= len(cl.args) || !d.arg(a, cl.args[i]) {
				return false
			}
		}
		return true
	case *syntax.Qualified:
		if p.Const && !t.IsConst() || p.Volatile && !t.IsVolatile() {
			return false
		}
		q := *t
		if t.Kind == types.KindArray {
			return d.from(p.Elem, types.ArrayOf(t.Elem.Unqualified(), t.Len))
		}
		q.Const = q.Const && !p.Const
		q.Volatile = q.Volatile && !p.Volatile
		out := &q
		if !q.Const && !q.Volatile {
			out = t.Unqualified()
		}
		return d.from(p.Elem, out)
	case *syntax.Pointer:
		return t.Kind == types.KindPointer && d.from(p.Elem, t.Elem)
	case *syntax.Reference:
		if t.Kind != types.KindReference || t.RValue != p.RValue {
			return false
		}
		return d.from(p.Elem, t.Elem)
	case *syntax.Array:
		if t.Kind != types.KindArray {
			return false
		}
		if p.Len == nil {
			if t.Len >= 0 {
				return false
			}
			return d.from(p.Elem, t.Elem)
		}
		if id, ok := p.Len.(*syntax.Ident); ok {
			if param := d.param(id.Name); param != nil {
				if t.Len < 0 {
					return false
				}
				typ := types.ULong
				v := Value{Bits: uint64(t.Len)}
				if !d.set(param, targ{typ: typ, value: &v}) {
					return false
				}
			}
		}
		return d.from(p.Elem, t.Elem)
	}
	return true
}

// complete returns all arguments, with defaults; false if one is not found.
func (d *deduction) complete() ([]targ, bool) {
	bound := newScope(d.env)
	var out []targ
	for _, p := range d.params {
		a, ok := d.found[p.Name]
		if p.Name == "" {
			ok = false
		}
		if ok && p.Type != nil {
			// The value in the type of the parameter.
			var t *types.Type
			saved := d.c.autoAs
			d.c.autoAs = a.typ
			d.c.in(bound, func() { t = d.c.typeOf(p.Type).Unqualified() })
			d.c.autoAs = saved
			v := integer(t, a.value.Bits)
			a = targ{typ: t, value: &v, name: a.name}
		}
		if !ok {
			if a, ok = d.c.defaultArg(p, bound); !ok {
				return nil, false
			}
		}
		out = append(out, a)
		d.c.bindOne(bound, p, a)
	}
	d.bound = bound
	return out, true
}

// deduceAuto returns the type that a variable declared with auto has, from its
// value.
func (c *checker) deduceAuto(t syntax.Type, e Expr) *types.Type {
	d := c.newDeduction(nil, c.scope)
	from := e.Type()
	pattern := t
	if r, ok := t.(*syntax.Reference); ok {
		pattern = r.Elem
		if r.RValue && e.Place() {
			if _, plain := pattern.(*syntax.Auto); plain {
				return types.ReferenceTo(from, false) // auto&&
			}
		}
	} else {
		from = c.decayed(from).Unqualified()
		if q, ok := t.(*syntax.Qualified); ok {
			from = from.Qualify(q.Const, q.Volatile)
		}
	}
	if q, ok := pattern.(*syntax.Qualified); ok {
		from = from.Qualify(q.Const, q.Volatile)
	}
	if !d.from(pattern, from) || d.auto == nil {
		c.errorf(e.Pos(), "auto", "a value of type %s cannot be what this auto asks for", e.Type())
	}
	if d.auto.Kind == types.KindVoid {
		c.errorf(e.Pos(), "auto", "what the variable starts as is void")
	}
	saved := c.autoAs
	c.autoAs = d.auto
	out := c.typeOf(t)
	c.autoAs = saved
	return out
}

// decayed returns the type of a value of t: an array is a pointer to its first
// element.
func (c *checker) decayed(t *types.Type) *types.Type {
	if t.Kind == types.KindArray {
		return types.PointerTo(t.Elem)
	}
	return t
}

// hasAuto reports whether a type is to be found from a value.
func hasAuto(t syntax.Type) bool {
	switch t := t.(type) {
	case *syntax.Auto:
		return true
	case *syntax.Qualified:
		return hasAuto(t.Elem)
	case *syntax.Pointer:
		return hasAuto(t.Elem)
	case *syntax.Reference:
		return hasAuto(t.Elem)
	case *syntax.Array:
		return hasAuto(t.Elem)
	}
	return false
}
