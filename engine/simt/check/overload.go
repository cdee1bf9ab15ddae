package check

import (
	"fmt"
	"strings"

	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// A candidate is a function that a call may mean.
type candidate struct {
	f     *function
	convs []conv // of the object of a method first
}

// object is what a method is called on: nil, or a place or value of a struct.
type object = Expr

// resolve returns the function that a call means, or fails.
func (c *checker) resolve(set []*function, written []syntax.Arg, args []Expr, this object, pos source.Pos, name string) *function {
	f, err := c.best(set, written, args, this)
	if f == nil {
		if h := c.passed[name[strings.LastIndexByte(name, ':')+1:]]; h != nil {
			c.unusable(h, pos)
		}
		c.whyNot(set, written, args, this, pos)
		err.Pos, err.Construct = pos, name
		err.Message = strings.ReplaceAll(err.Message, "\x00", name)
		c.fail(err)
	}
	return f
}

// whyNot reports what is wrong with the arguments of the one function that a call
// can mean.
func (c *checker) whyNot(set []*function, written []syntax.Arg, args []Expr, this object, pos source.Pos) {
	if len(set) != 1 || set[0].template || len(written) > 0 {
		return
	}
	f := set[0]
	if n := len(args); n < f.sig.least || n > len(f.sig.params) {
		return
	}
	if f.builtIn {
		return // its parameters have no places that the reader knows
	}
	c.stack = append(c.stack[:len(c.stack):len(c.stack)], instance{pos: f.pos, name: ""})
	c.convertArgs(f, args, pos)
	c.stack = c.stack[:len(c.stack)-1]
}

// best returns the function that fits the arguments best. If there is none, or
// several, it returns nil and what is wrong, with \x00 in place of the name.
func (c *checker) best(set []*function, written []syntax.Arg, args []Expr, this object) (*function, *source.Error) {
	var viable []candidate
	var reasons []string
	for _, f := range set {
		cand, reason := c.viable(f, written, args, this)
		if cand == nil {
			reasons = append(reasons, reason)
			continue
		}
		viable = append(viable, *cand)
	}
	if len(viable) == 0 {
		return nil, c.noneFits(set, reasons, args)
	}
	best := 0
	for i := 1; i < len(viable); i++ {
		if c.beats(viable[i], viable[best]) {
			best = i
		}
	}
	for i := range viable {
		if i != best && !c.beats(viable[best], viable[i]) {
			return nil, c.several(viable[best].f, viable[i].f, args)
		}
	}
	return viable[best].f, nil
}

// viable returns how the arguments convert to the parameters of f, or why not.
func (c *checker) viable(f *function, written []syntax.Arg, args []Expr, this object) (*candidate, string) {
	if len(written) > 0 && !f.template {
		return nil, "it is no template"
	}
	if f.template {
		g, reason := c.deduce(f, written, args)
		if g == nil {
			return nil, reason
		}
		f = g
	}
	n := len(f.sig.params)
	if len(args) < f.sig.least || len(args) > n && !f.sig.variadic {
		takes := fmt.Sprint(n)
		if f.sig.least < n {
			takes = fmt.Sprintf("%d to %d", f.sig.least, n)
		}
		return nil, fmt.Sprintf("\x01takes %s %s and is given %d", takes, plural(n, "argument"), len(args))
	}
	cand := &candidate{f: f}
	if this != nil && f.class != nil && !f.static && !f.decl.Constructor {
		x := conv{ok: true}
		if this.Type().IsConst() && !f.isConst {
			return nil, "it is not const, and what it is called on is"
		}
		if f.isConst && !this.Type().IsConst() {
			x.qual = 1
		}
		x.depth = c.baseDistance(this.Type(), f.class.typ)
		cand.convs = append(cand.convs, x)
	} else if this != nil {
		cand.convs = append(cand.convs, conv{ok: true})
	}
	for i, a := range args {
		if i >= n {
			cand.convs = append(cand.convs, conv{ok: true, rank: dots})
			continue
		}
		x := c.conversion(a, f.sig.params[i])
		if !x.ok {
			return nil, fmt.Sprintf("argument %d is %s and does not become %s", i+1, describe(a), f.sig.params[i])
		}
		cand.convs = append(cand.convs, x)
	}
	return cand, ""
}

func describe(e Expr) string {
	if _, ok := e.(*braced); ok {
		return "a list"
	}
	return e.Type().Unqualified().String()
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// beats reports whether x is the better candidate.
func (c *checker) beats(x, y candidate) bool {
	better := false
	for i := range x.convs {
		if y.convs[i].better(x.convs[i]) {
			return false
		}
		better = better || x.convs[i].better(y.convs[i])
	}
	if better {
		return true
	}
	fx, fy := x.f.from, y.f.from
	switch {
	case fx == nil && fy != nil:
		return true
	case fx != nil && fy == nil:
		return false
	case fx != nil:
		return c.moreSpecialFunction(fx, fy) && !c.moreSpecialFunction(fy, fx)
	}
	if x.f == y.f {
		return true
	}
	// A function of the source's own and one of a header that take the same.
	return !x.f.builtIn && y.f.builtIn && len(x.f.sig.params) == len(y.f.sig.params)
}

// moreSpecialFunction reports whether every call of x is one of y.
func (c *checker) moreSpecialFunction(x, y *function) bool {
	if len(x.decl.Params) != len(y.decl.Params) {
		return false
	}
	args := c.unique(x.params)
	ok := false
	err := c.attempt(func() {
		sig := c.signature(x, c.bind(x.params, args, x.scope))
		d := c.newDeduction(y.params, y.scope)
		for i, p := range y.decl.Params {
			pattern, t := p.Type, sig.params[i]
			if r, is := pattern.(*syntax.Reference); is {
				pattern = r.Elem
			}
			t = t.Referred()
			if q, is := pattern.(*syntax.Qualified); is && !t.IsConst() && !t.IsVolatile() {
				pattern = q.Elem
			} else if !is {
				t = t.Unqualified()
			}
			if !d.from(pattern, t) {
				return
			}
			if !d.depends(p.Type) && !types.Identical(c.typeIn(y.scope, p.Type), sig.params[i]) {
				return
			}
		}
		ok = true
	})
	return err == nil && ok
}

func (c *checker) typeIn(s *scope, t syntax.Type) (out *types.Type) {
	c.in(s, func() { out = c.typeOf(t) })
	return out
}

// noneFits says why no function fits.
func (c *checker) noneFits(set []*function, reasons []string, args []Expr) *source.Error {
	var list []string
	for _, a := range args {
		list = append(list, describe(a))
	}
	given := strings.Join(list, ", ")
	if given == "" {
		given = "no arguments"
	}
	err := source.Errorf(source.Pos{}, "call", "no \x00 takes %s", given)
	if len(set) == 1 {
		// \x01 stands for what the reason is about.
		why, counted := strings.CutPrefix(reasons[0], "\x01")
		switch {
		case counted:
			err = source.Errorf(source.Pos{}, "call", "\x00 %s", why)
		case len(args) == 0:
			err = source.Errorf(source.Pos{}, "call", "\x00 cannot be called so: %s", why)
		default:
			err = source.Errorf(source.Pos{}, "call", "\x00 does not take %s: %s", given, why)
		}
	}
	for i := range reasons {
		if why, counted := strings.CutPrefix(reasons[i], "\x01"); counted {
			reasons[i] = "it " + why
		}
	}
	const most = 4
	for i, f := range set {
		if i == most {
			break
		}
		if f.builtIn {
			continue
		}
		if len(set) == 1 {
			err.Note(f.pos, "it is declared here")
		} else {
			err.Note(f.pos, "not this one: %s", reasons[i])
		}
	}
	if len(set) > 1 && set[0].builtIn {
		seen := map[string]bool{}
		var forms []string
		for _, f := range set {
			if f.sig != nil {
				var params []string
				for _, p := range f.sig.params {
					params = append(params, p.String())
				}
				form := "(" + strings.Join(params, ", ") + ")"
				if !seen[form] && len(forms) < 12 {
					seen[form] = true
					forms = append(forms, form)
				}
			}
		}
		err.With("it takes %s", strings.Join(forms, ", or "))
	}
	return err
}

// several says that two functions fit as well.
func (c *checker) several(f, g *function, args []Expr) *source.Error {
	var list []string
	for _, a := range args {
		list = append(list, describe(a))
	}
	err := source.Errorf(source.Pos{}, "call", "several \x00 take %s, and none fits better than the others", strings.Join(list, ", "))
	for _, x := range []*function{f, g} {
		if !x.builtIn {
			err.Note(x.pos, "one of them")
		}
	}
	err.With("cast an argument to the type that is meant")
	return err
}

// ---- templates of functions ---------------------------------------------------------

// deduce returns the instance of a template that a call asks for, or why there is
// none.
func (c *checker) deduce(f *function, written []syntax.Arg, args []Expr) (g *function, reason string) {
	reason = "its template arguments cannot be found"
	if len(args) > len(f.decl.Params) && !f.decl.Variadic {
		return nil, fmt.Sprintf("\x01takes %d %s and is given %d", len(f.decl.Params), plural(len(f.decl.Params), "argument"), len(args))
	}
	err := c.attempt(func() {
		d := c.newDeduction(f.params, f.scope)
		if len(written) > len(f.params) {
			reason = fmt.Sprintf("it has %d template parameters and is given %d", len(f.params), len(written))
			return
		}
		bound := newScope(f.scope)
		for i, a := range written {
			x := c.templateArg(f.params[i], a, bound, f.pos, f.name)
			d.found[f.params[i].Name], d.written[f.params[i].Name] = x, true
			c.bindOne(bound, f.params[i], x)
		}
		for i, p := range f.decl.Params {
			if i >= len(args) {
				break
			}
			if !c.deduceParam(d, p, args[i]) {
				reason = fmt.Sprintf("argument %d is %s, which does not fit its type", i+1, describe(args[i]))
				return
			}
		}
		list, ok := d.complete()
		if !ok {
			for _, p := range f.params {
				if _, found := d.found[p.Name]; !found && p.Default == nil && p.DefaultType == nil {
					reason = fmt.Sprintf("nothing says what its template parameter %s is", p.Name)
				}
			}
			return
		}
		g = c.functionInstance(f, list, f.pos)
	})
	if err != nil {
		if e, ok := err.(*source.Error); ok {
			reason = e.Message
		}
		return nil, reason
	}
	return g, reason
}

// deduceParam deduces from one argument of a call.
func (c *checker) deduceParam(d *deduction, p *syntax.Param, e Expr) bool {
	if _, ok := e.(*braced); ok {
		return true // a list says nothing
	}
	if !d.open(p.Type) {
		return true
	}
	pattern := p.Type
	if a, ok := pattern.(*syntax.Array); ok {
		pattern = &syntax.Pointer{At: a.At, Elem: a.Elem} // what a parameter that is an array is
	}
	t := e.Type()
	if r, ok := pattern.(*syntax.Reference); ok {
		pattern = r.Elem
		if named, ok := pattern.(*syntax.Named); ok && r.RValue {
			if param := d.param(named.Name); param != nil {
				if _, fixed := d.found[param.Name]; fixed {
					return true
				}
				if e.Place() && !isExpiring(e) {
					return d.set(param, targ{typ: types.ReferenceTo(t, false)}) // T&& takes both
				}
				return d.set(param, targ{typ: t.Unqualified()})
			}
		}
		inner := innermost(pattern)
		if q, ok := inner.(*syntax.Qualified); ok {
			// const T& takes what is not const too
			t = t.Qualify(q.Const, q.Volatile)
		}
	} else {
		t = c.decayed(t).Unqualified()
		if q, ok := pattern.(*syntax.Qualified); ok {
			pattern = q.Elem
		}
		// const T* takes a T*.
		if ptr, ok := pattern.(*syntax.Pointer); ok && t.IsPointer() {
			if q, ok := innermost(ptr.Elem).(*syntax.Qualified); ok {
				t = types.PointerTo(t.Elem.Qualify(q.Const, q.Volatile))
			}
		}
	}
	if named, ok := pattern.(*syntax.Named); ok {
		if param := d.param(named.Name); param != nil {
			if a, fixed := d.found[param.Name]; fixed && a.value == nil {
				// Its argument was written, or found before: the value converts to what was
				// written.
				return d.written[param.Name] || types.Identical(a.typ, t)
			}
		}
	}
	return d.from(pattern, t)
}

// innermost returns the type of the elements of an array of any rank.
func innermost(t syntax.Type) syntax.Type {
	for {
		a, ok := t.(*syntax.Array)
		if !ok {
			return t
		}
		t = a.Elem
	}
}

// functionInstance returns the instance of a template for its arguments.
func (c *checker) functionInstance(t *function, args []targ, pos source.Pos) *function {
	key := keyOf(args)
	if f := t.instances[key]; f != nil {
		return f
	}
	f := *t
	f.template, f.params, f.instances = false, nil, nil
	f.from, f.args = t, args
	f.fn = nil
	f.name = t.name
	f.order = t.order
	f.level = 1
	if c.fn != nil {
		f.level += c.fn.f.level
	}
	if f.level > c.limits.Nesting {
		c.tooDeep(pos, t.name+listOf(args))
	}
	c.instantiate(pos, t.name+listOf(args), func() {
		f.scope = c.bind(t.params, args, t.scope)
		c.order = everything
		f.sig = c.signature(&f, f.scope)
	})
	out := &f
	t.instances[key] = out
	return out
}

// pickInstance returns the one instance that reduce<256> is.
func (c *checker) pickInstance(t *templateID, name *syntax.Name) *function {
	var found *function
	var why *source.Error
	for _, f := range t.set.list {
		if !f.template {
			continue
		}
		var g *function
		err := c.attempt(func() {
			args := c.templateArgs(f.params, t.args, f.scope, t.at, f.name)
			g = c.functionInstance(f, args, t.at)
		})
		if err != nil {
			why, _ = err.(*source.Error)
			continue
		}
		if found != nil && found.decl.Global == g.decl.Global {
			c.errorf(t.at, name.String(), "several templates are %s", name)
		}
		if found == nil || g.decl.Global {
			found = g
		}
	}
	if found == nil {
		if why != nil {
			c.fail(why)
		}
		c.errorf(t.at, name.String(), "%s is no template", name)
	}
	return found
}

// ---- using a function ----------------------------------------------------------------

// use returns a function as it is called, and has its body checked.
func (c *checker) use(f *function, pos source.Pos) *Func {
	if f.deleted || f.from != nil && f.from.deleted {
		c.fail(source.Errorf(pos, f.name, "%s is deleted: it is not to be used with these arguments", f.name).Note(f.pos, "it is deleted here"))
	}
	if f.fn != nil {
		return f.fn
	}
	if f.from == nil && f.class != nil {
		c.attachOutside(f.class, f)
	}
	d := f.decl
	fn := &Func{
		Name: c.displayName(f), Kernel: d.Global, NoInline: d.NoInline, BuiltIn: f.builtIn, Intrinsic: f.intrinsic,
		Result: f.sig.result, Variadic: f.sig.variadic, Pos: f.pos, function: f, constant: d.Constexpr,
	}
	if d.C {
		fn.Symbol = f.name
	}
	f.fn = fn
	def := d
	if f.defined != nil {
		def = f.defined
	}
	if f.class != nil && !f.static {
		t := f.class.typ.Qualify(f.isConst, false)
		fn.This = &Var{Name: "this", Type: types.ReferenceTo(t, false), Pos: f.pos, Storage: Param, function: fn}
	}
	for i, p := range def.Params {
		fn.Params = append(fn.Params, &Var{Name: p.Name, Type: f.sig.params[i], Pos: p.Pos(), Storage: Param, function: fn})
	}
	for _, v := range fn.Params {
		if !v.Type.Complete() && v.Type.Kind != types.KindReference {
			c.requireComplete(v.Type, v.Pos, "parameter "+v.Name)
		}
	}
	if fn.Result != nil && fn.Result.Kind == types.KindStruct {
		c.requireComplete(fn.Result, f.pos, "the result of "+f.name)
	}
	if fn.Intrinsic != "" {
		fn.state = checked
		return fn
	}
	c.launchBounds(f, fn)
	if fn.Result == nil {
		c.body(fn) // it says what it returns
		return fn
	}
	c.queue = append(c.queue, fn)
	return fn
}

// launchBounds evaluates __launch_bounds__.
func (c *checker) launchBounds(f *function, fn *Func) {
	if len(f.decl.Bounds) == 0 {
		return
	}
	c.in(f.scope, func() {
		order := c.order
		c.order = everything
		v, ok := c.constant(c.value(f.decl.Bounds[0]))
		c.order = order
		if !ok || int64(v.Bits) < 1 || int64(v.Bits) > 1<<20 {
			c.errorf(f.decl.Bounds[0].Pos(), "__launch_bounds__", "__launch_bounds__ takes a number of threads that is known when the kernel is compiled")
		}
		fn.MaxThreads = int(v.Bits)
	})
}

// displayName returns the name of a function as messages and launches have it.
func (c *checker) displayName(f *function) string {
	name := f.name
	if f.convert {
		name = "operator " + f.sig.result.String()
	}
	if f.args != nil {
		name += listOf(f.args)
	}
	switch {
	case f.class != nil && f.class.lambda != nil:
		return "lambda"
	case f.class != nil:
		return f.class.typ.Struct.Name + "::" + name
	}
	space := ""
	s := f.scope
	if f.from != nil {
		s = f.from.scope
	}
	for ; s != nil && s != c.global; s = s.parent {
		if s.space && s.name != "" {
			space = s.name + "::" + space
		}
	}
	return space + name
}
