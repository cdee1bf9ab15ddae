package check

import (
	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// A lambda is a struct of what it captured, with an operator().
type lambda struct {
	class    *class
	captures map[*Var]int // the field of each variable
	byRef    map[*Var]bool
	this     int // the field of the pointer this; -1 if it is not captured
	outer    *context
}

func lambdaOf(f *function) *lambda {
	if f.class != nil {
		return f.class.lambda
	}
	return nil
}

// lambdaExpr makes the struct of a lambda, with what it captures as its members.
func (c *checker) lambdaExpr(x *syntax.Lambda) Expr {
	pos := x.Pos()
	if c.fn == nil {
		c.refuse(pos, "lambda outside of a function", "write a __device__ function")
	}
	d := &syntax.Struct{At: syntax.At{Place: pos}, Keyword: "struct", Defined: true}
	cl := c.newClass("(lambda)", d, c.scope)
	cl.name = "(lambda)"
	cl.userMade = true
	l := &lambda{class: cl, captures: map[*Var]int{}, byRef: map[*Var]bool{}, this: -1, outer: c.fn}
	cl.lambda = l
	g := &Group{Node: Node{T: cl.typ, At: pos}}
	s := cl.typ.Struct

	add := func(name string, t *types.Type, v Expr) int {
		s.Fields = append(s.Fields, types.Field{Name: name, Type: t})
		cl.inits = append(cl.inits, nil)
		cl.fieldPos = append(cl.fieldPos, pos)
		g.Parts = append(g.Parts, v)
		return len(s.Fields) - 1
	}
	take := func(v *Var, ref bool, at source.Pos) {
		if _, ok := l.captures[v]; ok {
			return
		}
		place := c.varRef(v, at)
		t := v.Type.Referred()
		if ref {
			l.byRef[v] = true
			l.captures[v] = add(v.Name, types.PointerTo(t), &AddrOf{Node{T: types.PointerTo(t), At: at}, place})
			return
		}
		if t.Kind == types.KindArray {
			c.fail(source.Errorf(at, "capture", "the array %s cannot be captured as a copy", v.Name).With("capture it by reference: &%s", v.Name))
		}
		l.captures[v] = add(v.Name, t.Unqualified(), c.rvalue(place))
	}
	takeThis := func(at source.Pos) {
		if l.this >= 0 {
			return
		}
		place := c.thisPlace(at)
		if place == nil {
			c.errorf(at, "this", "there is no this outside of methods")
		}
		p := types.PointerTo(place.Type())
		l.this = add("this", p, &AddrOf{Node{T: p, At: at}, place})
	}
	inner := newScope(c.scope) // of [n = x]
	for _, capture := range x.Captures {
		switch {
		case capture.Name == "this":
			takeThis(capture.Pos())
		case capture.Init != nil:
			e := c.expr(capture.Init)
			if capture.Ref {
				if !e.Place() {
					c.errorf(capture.Pos(), "capture", "&%s refers to a variable, not to a value", capture.Name)
				}
				t := types.PointerTo(e.Type())
				i := add(capture.Name, types.ReferenceTo(e.Type(), false), &AddrOf{Node{T: t, At: capture.Pos()}, e})
				inner.names[capture.Name] = &member{cl, []int{i}}
				break
			}
			t := c.decayed(e.Type()).Unqualified()
			i := add(capture.Name, t, c.coerce(e, t, capture.Name))
			inner.names[capture.Name] = &member{cl, []int{i}}
		default:
			v, ok := c.scope.lookup(capture.Name, c.order).(*Var)
			if !ok || v.Storage != Auto && v.Storage != Param {
				c.errorf(capture.Pos(), "capture", "%s is no variable of this function: it need not be captured", capture.Name)
			}
			take(v, capture.Ref, capture.Pos())
		}
	}
	if x.Default != 0 {
		c.captureUsed(x, take, takeThis)
	}
	s.Lay(0)
	cl.state = checked
	cl.scope.parent = inner

	f := &syntax.Func{At: syntax.At{Place: pos}, Name: &syntax.Name{At: syntax.At{Place: pos}, Parts: []syntax.Part{{At: syntax.At{Place: pos}, Ident: "operator()"}}}}
	f.Device = true
	f.Const = !x.Mutable
	f.Body = x.Body
	f.Result = x.Result
	if f.Result == nil {
		f.Result = &syntax.Auto{At: syntax.At{Place: pos}}
	}
	f.Params = x.Params
	f.Order = -1
	var t *syntax.Template
	for i, p := range x.Params {
		if hasAuto(p.Type) {
			if t == nil {
				t = &syntax.Template{At: syntax.At{Place: pos}}
				f.Params = append([]*syntax.Param(nil), x.Params...)
			}
			name := "auto:" + ordinal(i)
			t.Params = append(t.Params, &syntax.TemplateParam{At: p.At, Name: name})
			q := *p
			q.Type = withName(p.Type, name)
			f.Params[i] = &q
		}
	}
	c.in(cl.scope, func() {
		op := c.newFunction(f, t)
		op.class, op.scope, op.isConst = cl, cl.scope, f.Const
		if !op.template {
			op.sig = c.signature(op, cl.scope)
		}
		cl.scope.add("operator()", op)
	})
	return g
}

// withName replaces auto in a type by the name of a parameter.
func withName(t syntax.Type, name string) syntax.Type {
	switch t := t.(type) {
	case *syntax.Auto:
		return &syntax.Named{Name: &syntax.Name{At: t.At, Parts: []syntax.Part{{At: t.At, Ident: name}}}}
	case *syntax.Qualified:
		return &syntax.Qualified{Elem: withName(t.Elem, name), Const: t.Const, Volatile: t.Volatile}
	case *syntax.Pointer:
		return &syntax.Pointer{At: t.At, Elem: withName(t.Elem, name)}
	case *syntax.Reference:
		return &syntax.Reference{At: t.At, Elem: withName(t.Elem, name), RValue: t.RValue}
	case *syntax.Array:
		return &syntax.Array{At: t.At, Elem: withName(t.Elem, name), Len: t.Len}
	}
	return t
}

// captureUsed captures the variables that the body of a lambda names.
func (c *checker) captureUsed(x *syntax.Lambda, take func(*Var, bool, source.Pos), takeThis func(source.Pos)) {
	hidden := map[string]bool{}
	for _, p := range x.Params {
		hidden[p.Name] = true
	}
	visit := func(n syntax.Node) {
		switch n := n.(type) {
		case *syntax.This:
			takeThis(n.Pos())
		case *syntax.Ident:
			if !n.Name.Simple() || hidden[n.Name.Parts[0].Ident] {
				return
			}
			switch e := c.scope.lookup(n.Name.Parts[0].Ident, c.order).(type) {
			case *Var:
				c.settle(e)
				if e.Storage == Auto || e.Storage == Param {
					if e.value != nil && e.Type.IsScalar() {
						return // its value is known
					}
					take(e, x.Default == '&', n.Pos())
				}
			case *member:
				takeThis(n.Pos())
			case *overloads:
				if len(e.list) > 0 && e.list[0].class != nil && !e.list[0].static && c.thisPlace(n.Pos()) != nil {
					takeThis(n.Pos())
				}
			}
		}
	}
	syntax.Walk(x.Body, visit)
}

// captured is a variable of the function around a lambda, as the lambda has it.
func (c *checker) captured(v *Var, pos source.Pos) Expr {
	l := c.fn.lambda
	if v.value != nil && v.Type.IsScalar() {
		return &VarRef{Node{T: v.Type, At: pos, LV: true}, v}
	}
	if l == nil {
		c.errorf(pos, v.Name, "%s is a variable of another function", v.Name)
	}
	i, ok := l.captures[v]
	if !ok {
		c.fail(source.Errorf(pos, v.Name, "the lambda does not capture %s", v.Name).With("write [=] or [&], or name it in the brackets"))
	}
	self := c.fn.fn.This
	obj := &VarRef{Node{T: self.Type.Referred(), At: pos, LV: true}, self}
	field := c.field(obj, i, pos)
	if l.byRef[v] {
		return &Deref{Node{T: v.Type.Referred(), At: pos, LV: true}, c.rvalue(field)}
	}
	return field
}

// capturedThis is the object of the method around a lambda.
func (c *checker) capturedThis(pos source.Pos) Expr {
	l := c.fn.lambda
	if l.this < 0 {
		return nil
	}
	self := c.fn.fn.This
	obj := &VarRef{Node{T: self.Type.Referred(), At: pos, LV: true}, self}
	p := c.rvalue(c.field(obj, l.this, pos))
	return &Deref{Node{T: p.Type().Elem, At: pos, LV: true}, p}
}
