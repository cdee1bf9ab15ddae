package check

import (
	"strings"

	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// call checks f(args).
func (c *checker) call(x *syntax.Call) Expr {
	switch fun := unparen(x.Fun).(type) {
	case *syntax.Ident:
		return c.namedCall(x, fun)
	case *syntax.Member:
		return c.memberCall(x, fun)
	}
	e := c.expr(x.Fun)
	args := c.args(x.Args)
	if e.Type().Kind == types.KindStruct {
		if out, ok := c.operatorCall("()", append([]Expr{e}, args...), x.Pos()); ok {
			return out
		}
	}
	if pointsToFunction(e.Type()) {
		return c.callThrough(e, args, x.Pos())
	}
	c.errorf(x.Pos(), "call", "%s is no function: it cannot be called", e.Type().Unqualified())
	return nil
}

func unparen(x syntax.Expr) syntax.Expr {
	for {
		p, ok := x.(*syntax.Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}

// namedCall is a call by a name: of a function, a method of the own object, or a
// variable that can be called.
func (c *checker) namedCall(x *syntax.Call, fun *syntax.Ident) Expr {
	name := fun.Name
	pos := name.Pos()
	e := c.find(name, false)
	if e == nil {
		args := c.args(x.Args)
		if set := c.byArguments(nil, name, args); len(set) > 0 {
			f := c.resolve(set, nil, args, nil, pos, name.String())
			return c.callFunction(f, nil, args, pos)
		}
		c.find(name, true)
	}
	switch e := e.(type) {
	case *overloads:
		args := c.args(x.Args)
		return c.callSet(e.list, nil, name, args, pos)
	case *templateID:
		args := c.args(x.Args)
		return c.callSet(e.set.list, e.args, name, args, pos)
	case *Var, *member, *constant:
		obj := c.ident(fun)
		args := c.args(x.Args)
		if obj.Type().Kind == types.KindStruct {
			if out, ok := c.operatorCall("()", append([]Expr{obj}, args...), pos); ok {
				return out
			}
		}
		if pointsToFunction(obj.Type()) {
			return c.callThrough(obj, args, pos)
		}
		err := source.Errorf(pos, name.String(), "%s is no function: it is a variable of type %s", name, obj.Type().Unqualified())
		if v, ok := e.(*Var); ok && !builtIn(v.Pos) {
			err.Note(v.Pos, "it is declared here")
		}
		c.fail(err)
	case *hostCode:
		c.unusable(e, pos)
		c.fail(source.Errorf(pos, name.String(), "%s is a function of the host: a kernel cannot call it", name).With("put __device__ in front of it").Note(e.pos, "it is defined here"))
	case *typeName:
		t := e.typ
		c.requireCompleteValue(t, pos)
		args := c.args(x.Args)
		if t.Kind == types.KindStruct {
			return c.construct(t.Unqualified(), args, pos, false)
		}
		if len(args) == 1 {
			return c.cast(args[0], t, "", pos)
		}
		return c.zeroOf(t.Unqualified(), pos)
	}
	return c.ident(fun)
}

// callSet calls the best of some functions and of those that the arguments bring
// into sight.
func (c *checker) callSet(set []*function, written []syntax.Arg, name *syntax.Name, args []Expr, pos source.Pos) Expr {
	this := Expr(nil)
	methods := len(set) > 0 && set[0].class != nil
	if methods {
		this = c.thisPlace(pos)
	} else if len(name.Parts) == 1 && !name.Global {
		set = c.byArguments(set, name, args)
	}
	f := c.resolve(set, written, args, this, pos, name.String())
	if f.class != nil && !f.static {
		if this == nil {
			c.errorf(pos, name.String(), "%s is a method: there is no object here that it is called on", name)
		}
		return c.callMethod(f, this, args, pos)
	}
	return c.callFunction(f, nil, args, pos)
}

// byArguments adds the functions of the namespaces that the arguments' types are
// of.
func (c *checker) byArguments(set []*function, name *syntax.Name, args []Expr) []*function {
	if len(name.Parts) > 1 || name.Global {
		return set
	}
	return c.associated(set, name.Last().Ident, args)
}

func (c *checker) associated(set []*function, name string, args []Expr) []*function {
	known := map[*function]bool{}
	for _, f := range set {
		known[f] = true
	}
	seen := map[*scope]bool{}
	var from func(t *types.Type, depth int)
	from = func(t *types.Type, depth int) {
		if t == nil || depth > 8 {
			return
		}
		switch t.Kind {
		case types.KindPointer, types.KindReference, types.KindArray:
			from(t.Elem, depth+1)
			return
		case types.KindStruct:
		default:
			return
		}
		cl := c.classOf(t)
		if cl == nil {
			return
		}
		c.complete(cl, cl.pos)
		for _, a := range cl.args {
			from(a.typ, depth+1)
		}
		for _, b := range cl.bases {
			from(b.typ, depth+1)
		}
		env := cl.env
		if cl.template != nil {
			env = cl.template.env
		}
		for ; env != nil && !env.space; env = env.parent {
		}
		if env == nil || seen[env] {
			return
		}
		seen[env] = true
		if o, ok := env.names[name].(*overloads); ok {
			for _, f := range o.list {
				if !known[f] {
					known[f] = true
					set = append(set[:len(set):len(set)], f)
				}
			}
		}
	}
	for _, a := range args {
		if _, ok := a.(*braced); !ok {
			from(a.Type(), 0)
		}
	}
	return set
}

// memberCall is x.f(args) and x->f(args).
func (c *checker) memberCall(x *syntax.Call, fun *syntax.Member) Expr {
	obj := c.object(fun)
	pos := fun.Pos()
	e := c.memberNamed(obj, fun.Name)
	var set []*function
	var written []syntax.Arg
	switch e := e.(type) {
	case *overloads:
		set = e.list
	case *templateID:
		set, written = e.set.list, e.args
	case *hostCode:
		c.fail(source.Errorf(pos, fun.Name.String(), "%s is a method of the host: a kernel cannot call it", fun.Name).With("put __device__ in front of it").Note(e.pos, "it is defined here"))
	default:
		callee := c.memberExprOf(obj, e, fun)
		args := c.args(x.Args)
		if callee.Type().Kind == types.KindStruct {
			if out, ok := c.operatorCall("()", append([]Expr{callee}, args...), pos); ok {
				return out
			}
		}
		if pointsToFunction(callee.Type()) {
			return c.callThrough(callee, args, pos)
		}
		c.errorf(pos, fun.Name.String(), "%s is no method: it cannot be called", fun.Name)
	}
	args := c.args(x.Args)
	f := c.resolve(set, written, args, obj, pos, fun.Name.String())
	return c.callMethod(f, obj, args, pos)
}

func (c *checker) memberExprOf(obj Expr, e entity, x *syntax.Member) Expr {
	switch e := e.(type) {
	case *member:
		return c.memberOf(obj, e, x.Pos())
	case *Var:
		return c.varRef(e, x.Pos())
	}
	c.errorf(x.Pos(), x.Name.String(), "%s is no method: it cannot be called", x.Name)
	return nil
}

// callMethod calls a method on an object.
func (c *checker) callMethod(f *function, obj Expr, args []Expr, pos source.Pos) Expr {
	if f.static {
		return c.callFunction(f, nil, args, pos)
	}
	if cl := c.classOf(obj.Type()); cl != f.class && f.class != nil {
		obj = c.toBase(obj, f.class)
	}
	if !obj.Place() {
		obj = &Temp{Node{T: obj.Type(), At: obj.Pos(), LV: true}, obj}
	}
	return c.callFunction(f, obj, args, pos)
}

// callFunction calls f, which was found to fit.
func (c *checker) callFunction(f *function, this Expr, args []Expr, pos source.Pos) Expr {
	if f.decl.Global {
		c.fail(source.Errorf(pos, f.name, "%s is a kernel: a kernel is launched, not called", f.name).With("move what both need into a __device__ function"))
	}
	if strings.HasPrefix(f.intrinsic, "refused.") {
		c.refusedCall(f, pos)
	}
	if !f.device && !f.builtIn {
		c.fail(source.Errorf(pos, f.name, "%s is a function of the host: a kernel cannot call it", f.name).With("put __device__ in front of it").Note(f.pos, "it is declared here"))
	}
	saved := c.stack
	if f.from != nil {
		c.stack = append(c.stack[:len(c.stack):len(c.stack)], instance{pos, c.displayName(f)})
	}
	fn := c.use(f, pos)
	c.stack = saved
	switch f.intrinsic {
	case "printf":
		return c.printf(args, pos)
	case "assert":
		return c.assert(args, pos)
	}
	call := &Call{Func: fn, This: this}
	call.Args = c.convertArgs(f, args, pos)
	call.At = pos
	if fn.Result == nil {
		c.fail(source.Errorf(pos, f.name, "%s calls itself before it is known what it returns", f.name).With("write its type instead of auto"))
	}
	call.T = fn.Result
	if fn.Result.Kind == types.KindReference {
		call.T, call.LV, call.XV = fn.Result.Elem, true, fn.Result.RValue
	} else {
		call.T = call.T.Unqualified()
	}
	if fn.constant || f.intrinsic != "" {
		if v, ok := c.foldCall(call); ok {
			return &Const{Node{T: call.T, At: pos}, v}
		}
	}
	return call
}

// foldCall computes a call of constants.
func (c *checker) foldCall(call *Call) (Value, bool) {
	if !call.T.IsScalar() || call.LV || call.This != nil {
		return Value{}, false
	}
	for _, a := range call.Args {
		if !isConst(a) {
			return Value{}, false
		}
	}
	return c.constant(call)
}

// convertArgs returns the arguments as the parameters take them, with defaults.
func (c *checker) convertArgs(f *function, args []Expr, pos source.Pos) []Expr {
	var out []Expr
	for i, a := range args {
		if i >= len(f.sig.params) {
			out = append(out, c.promoteVariadic(a))
			continue
		}
		out = append(out, c.argument(a, f.sig.params[i], "argument "+ordinal(i)+" of "+f.name))
	}
	for i := len(args); i < len(f.sig.params); i++ {
		out = append(out, c.defaultArgument(f, i, pos))
	}
	return out
}

func ordinal(i int) string { return string("123456789"[min(i, 8)]) }

// defaultArgument evaluates the default of a parameter, where f is declared.
func (c *checker) defaultArgument(f *function, i int, pos source.Pos) Expr {
	x := f.decl.Params[i].Default
	if x == nil {
		c.errorf(pos, f.name, "argument %d of %s is missing", i+1, f.name)
	}
	var e Expr
	order, fn := c.order, c.fn
	c.order, c.fn = everything, nil
	c.in(f.scope, func() {
		e = c.argument(c.arg(x), f.sig.params[i], "the default of parameter "+ordinal(i)+" of "+f.name)
	})
	c.order, c.fn = order, fn
	return e
}

// promoteVariadic is an argument for …, as C promotes it.
func (c *checker) promoteVariadic(e Expr) Expr {
	if _, ok := e.(*braced); ok {
		c.errorf(e.Pos(), "list", "a list in braces has no type here")
	}
	v := c.rvalue(e)
	t := v.Type()
	switch {
	case t.Kind == types.KindFloat:
		return c.convert(v, types.Double)
	case t.HalfWidth():
		c.fail(source.Errorf(e.Pos(), "printf", "%s cannot be printed as it is", t).With("convert it to float first: (float)x"))
	case t.Kind == types.KindStruct:
		c.fail(source.Errorf(e.Pos(), "printf", "the struct %s cannot be printed as a whole", t).With("print its members"))
	case t.Kind == types.KindEnum:
		return c.convert(c.convert(v, t.Enum.Base), promoted(t.Enum.Base))
	case t.Kind == types.KindVoid:
		c.errorf(e.Pos(), "printf", "void is no value")
	}
	return c.convert(v, promoted(t))
}

func (c *checker) printf(args []Expr, pos source.Pos) Expr {
	format, ok := textOf(args[0])
	if !ok {
		c.fail(source.Errorf(args[0].Pos(), "printf", "the format of printf must be a string that is written here").With(`write printf("%%s", …) for text that varies`))
	}
	p := &Printf{Node: Node{T: types.Int, At: pos}, Format: format}
	for _, a := range args[1:] {
		p.Args = append(p.Args, c.promoteVariadic(a))
	}
	if len(p.Args) > 32 {
		c.errorf(pos, "printf", "printf takes 32 arguments after its format at most")
	}
	return p
}

// textOf returns the characters of a string that is known.
func textOf(e Expr) (string, bool) {
	switch e := e.(type) {
	case *Text:
		return e.Data, true
	case *Decay:
		return textOf(e.X)
	case *Convert:
		if e.T.IsPointer() {
			return textOf(e.X)
		}
	case *Const:
		if e.Value.Text != nil {
			return *e.Value.Text, true
		}
	}
	return "", false
}

func (c *checker) assert(args []Expr, pos source.Pos) Expr {
	text, _ := textOf(args[1])
	in := ""
	if c.fn != nil {
		in = c.fn.fn.Name
	}
	return &Assert{Node: Node{T: types.VoidType, At: pos}, Cond: c.asTruth(args[0]), Text: text, In: in}
}

func (c *checker) refusedCall(f *function, pos source.Pos) {
	switch f.intrinsic {
	case "refused.grid_sync":
		c.refuse(pos, "sync of a whole grid", "end the kernel and launch another: all blocks are done then")
	}
	c.refuse(pos, f.name, "write it another way")
}

// ---- operators of the source's own ------------------------------------------------------

// operatorCall calls the operator that structs or enums have; false if there is
// none that fits.
func (c *checker) operatorCall(op string, args []Expr, pos source.Pos) (Expr, bool) {
	name := "operator" + op
	var viable []candidate
	var all []*function
	if cl := c.classOf(args[0].Type().Unqualified()); cl != nil {
		c.complete(cl, pos)
		if o, ok := cl.scope.own(name, everything, nil).(*overloads); ok {
			for _, f := range o.list {
				all = append(all, f)
				if cand, _ := c.viable(f, nil, args[1:], args[0]); cand != nil {
					viable = append(viable, *cand)
				}
			}
		}
	}
	if op != "()" && op != "[]" && op != "->" && op != "=" {
		var set []*function
		for s := c.scope; s != nil; s = s.parent {
			if o, ok := s.own(name, c.order, nil).(*overloads); ok && (len(o.list) == 0 || o.list[0].class == nil) {
				set = o.list
				break
			}
		}
		for _, f := range c.associated(set, name, args) {
			if f.class != nil {
				continue
			}
			all = append(all, f)
			if cand, _ := c.viable(f, nil, args, nil); cand != nil {
				viable = append(viable, *cand)
			}
		}
	}
	if len(viable) == 0 {
		if op == "()" || op == "[]" || op == "->" {
			if len(all) > 0 {
				var list []string
				for _, a := range args[1:] {
					list = append(list, describe(a))
				}
				err := source.Errorf(pos, name, "no %s of %s takes %s", name, args[0].Type().Unqualified(), strings.Join(list, ", "))
				for i, f := range all {
					if i < 3 && !f.builtIn {
						err.Note(f.pos, "not this one")
					}
				}
				c.fail(err)
			}
		}
		return nil, false
	}
	best := 0
	for i := 1; i < len(viable); i++ {
		if c.beats(viable[i], viable[best]) {
			best = i
		}
	}
	for i := range viable {
		if i != best && !c.beats(viable[best], viable[i]) {
			err := c.several(viable[best].f, viable[i].f, args)
			err.Pos, err.Construct = pos, name
			err.Message = strings.ReplaceAll(err.Message, "\x00", name)
			c.fail(err)
		}
	}
	f := viable[best].f
	if f.class != nil && !f.static {
		return c.callMethod(f, args[0], args[1:], pos), true
	}
	return c.callFunction(f, nil, args, pos), true
}
