package check

import (
	"fmt"

	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// A pointer to a function is a number: which of the functions whose address is taken
// it is, from 1; 0 is null. A call through a pointer that is known when the kernel is
// compiled is a call of the function. Any other is a call of a dispatcher, one for each
// type of function, which compares the pointer with each function of that type. So the
// register code needs no calls that are not known.

// A dispatcher calls the function that its first parameter is.
type dispatcher struct {
	fn   *Func
	typ  *types.Type // of the functions
	done int         // functions that it knows, of those whose address is taken
}

// mostAddressed is how many functions may have their address taken.
const mostAddressed = 1000

// pointerTo is a function as a value.
func (c *checker) pointerTo(f *function, pos source.Pos) Expr {
	switch {
	case f.decl.Global:
		c.refuse(pos, "pointer to a kernel", "a kernel is launched by the host: move what is needed into a __device__ function")
	case f.class != nil && !f.static:
		c.refuse(pos, "pointer to a member", "name the member, or index an array")
	case !f.device && !f.builtIn:
		c.fail(source.Errorf(pos, f.name, "%s is a function of the host: a kernel cannot use it", f.name).With("put __device__ in front of it").Note(f.pos, "it is declared here"))
	case f.sig.variadic || f.intrinsic == "printf" || f.intrinsic == "assert":
		c.refuse(pos, "pointer to "+f.name, "call it by its name")
	}
	fn := c.use(f, pos)
	if fn.Result == nil {
		c.fail(source.Errorf(pos, f.name, "it is not known yet what %s returns", f.name).With("write its type instead of auto"))
	}
	var params []*types.Type
	for _, t := range f.sig.params {
		params = append(params, t.Unqualified())
	}
	n := 0
	for n < len(c.addressed) && c.addressed[n] != f {
		n++
	}
	if n == len(c.addressed) {
		if n >= mostAddressed {
			c.errorf(pos, f.name, "more than %d functions are used as values", mostAddressed)
		}
		c.addressed = append(c.addressed, f)
	}
	t := types.PointerTo(types.FunctionOf(fn.Result, params))
	return &Const{Node{T: t, At: pos}, Value{Bits: uint64(n + 1)}}
}

// functionValue is a name of functions as a value; of several, it is not known which.
func (c *checker) functionValue(e entity, n *syntax.Name, pos source.Pos) Expr {
	switch e := e.(type) {
	case *templateID:
		return c.pointerTo(c.pickInstance(e, n), pos)
	case *overloads:
		if len(e.list) == 1 && !e.list[0].template {
			return c.pointerTo(e.list[0], pos)
		}
	}
	c.fail(source.Errorf(pos, n.String(), "there are several functions %s: it is not known which is meant", n).With("write a function of another name that calls the right one").Refused())
	return nil
}

// pointsToFunction reports whether a type is a pointer to a function.
func pointsToFunction(t *types.Type) bool {
	return t.Kind == types.KindPointer && t.Elem.Kind == types.KindFunction
}

// callThrough calls what a pointer to a function points to.
func (c *checker) callThrough(e Expr, args []Expr, pos source.Pos) Expr {
	p := c.rvalue(e)
	t := p.Type().Elem
	if len(args) != len(t.Params) {
		c.errorf(pos, "call", "the function takes %d %s and is given %d", len(t.Params), plural(len(t.Params), "argument"), len(args))
	}
	if v, ok := c.constant(p); ok && v.Bits >= 1 && v.Bits <= uint64(len(c.addressed)) {
		return c.callFunction(c.addressed[v.Bits-1], nil, args, pos)
	}
	fn := c.dispatcher(t, pos).fn
	call := &Call{Func: fn, Args: []Expr{p}}
	for i, a := range args {
		call.Args = append(call.Args, c.argument(a, t.Params[i], "argument "+ordinal(i)+" of the function"))
	}
	call.At, call.T = pos, t.Elem
	if t.Elem.Kind == types.KindReference {
		call.T, call.LV, call.XV = t.Elem.Elem, true, t.Elem.RValue
	} else {
		call.T = call.T.Unqualified()
	}
	return call
}

func (c *checker) dispatcher(t *types.Type, pos source.Pos) *dispatcher {
	for _, d := range c.dispatchers {
		if types.Identical(d.typ, t) {
			return d
		}
	}
	fn := &Func{Name: "call through a pointer to " + t.String(), BuiltIn: true, Result: t.Elem, Pos: pos, state: checked, fallsOff: true, Body: &Block{At: At{pos}}}
	fn.function = &function{name: fn.Name, pos: pos, device: true, builtIn: true, decl: &syntax.Func{}, scope: c.global, fn: fn}
	add := func(name string, t *types.Type) {
		fn.Params = append(fn.Params, &Var{Name: name, Type: t, Pos: pos, Storage: Param, function: fn})
	}
	add("function", types.PointerTo(t))
	for i, p := range t.Params {
		c.requireComplete(p.Referred(), pos, "a parameter of the function")
		add(fmt.Sprintf("argument%d", i+1), p)
	}
	d := &dispatcher{fn: fn, typ: t}
	c.dispatchers = append(c.dispatchers, d)
	return d
}

// dispatch gives the dispatchers their bodies, as far as functions are known that a
// pointer can be.
func (c *checker) dispatch() {
	for i := 0; i < len(c.dispatchers); i++ {
		d := c.dispatchers[i]
		for ; d.done < len(c.addressed); d.done++ {
			f := c.addressed[d.done]
			if !types.Identical(c.pointerTo(f, f.pos).Type().Elem, d.typ) {
				continue
			}
			pos := d.fn.Pos
			saved := *c
			c.fn, c.scope, c.order = &context{fn: d.fn, f: d.fn.function}, newScope(c.global), everything
			ref := func(v *Var) Expr { return &VarRef{Node{T: v.Type.Referred(), At: pos, LV: true}, v} }
			is := c.arithmetic("==", c.rvalue(ref(d.fn.Params[0])), &Const{Node{T: types.PointerTo(d.typ), At: pos}, Value{Bits: uint64(d.done + 1)}}, pos)
			var args []Expr
			for _, v := range d.fn.Params[1:] {
				args = append(args, ref(v))
			}
			call := c.callFunction(f, nil, args, pos)
			var then Stmt = &Return{At{pos}, call}
			if call.Type().Kind == types.KindVoid && !call.Place() {
				then = &Block{At{pos}, []Stmt{&Eval{At{pos}, call}, &Return{At: At{pos}}}}
			}
			c.fn, c.scope, c.order = saved.fn, saved.scope, saved.order
			d.fn.Body.List = append(d.fn.Body.List, &If{At: At{pos}, Cond: is, Then: then})
		}
	}
}
