package check

import (
	"math"
	"strconv"
	"strings"

	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// expr checks an expression.
func (c *checker) expr(x syntax.Expr) Expr {
	defer c.enter(x.Pos())()
	switch x := x.(type) {
	case *syntax.Paren:
		return c.expr(x.X)
	case *syntax.Ident:
		return c.ident(x)
	case *syntax.Int:
		return c.intLiteral(x)
	case *syntax.Float:
		return c.floatLiteral(x)
	case *syntax.Char:
		return &Const{Node{T: types.Char, At: x.Pos()}, integer(types.Char, uint64(x.Value))}
	case *syntax.Bool:
		return &Const{Node{T: types.Bool, At: x.Pos()}, boolean(x.Value)}
	case *syntax.Nullptr:
		return &Const{Node{T: types.Nullptr, At: x.Pos()}, Value{}}
	case *syntax.String:
		t := types.ArrayOf(types.Char.Qualify(true, false), int64(len(x.Value))+1)
		return &Text{Node{T: t, At: x.Pos(), LV: true}, x.Value}
	case *syntax.This:
		place := c.thisPlace(x.Pos())
		if place == nil {
			c.errorf(x.Pos(), "this", "there is no this outside of methods")
		}
		return &AddrOf{Node{T: types.PointerTo(place.Type()), At: x.Pos()}, place}
	case *syntax.Unary:
		return c.unary(x)
	case *syntax.Postfix:
		return c.postfix(x)
	case *syntax.Binary:
		return c.binary(x)
	case *syntax.Assign:
		return c.assign(x)
	case *syntax.Conditional:
		return c.conditional(x)
	case *syntax.Call:
		return c.call(x)
	case *syntax.Index:
		return c.index(x)
	case *syntax.Member:
		return c.memberExpr(x)
	case *syntax.Cast:
		t := c.typeOf(x.Type)
		if t.Kind == types.KindStruct {
			c.requireComplete(t, x.Pos(), "the value")
		}
		return c.cast(c.arg(x.X), t, x.Kind, x.Pos())
	case *syntax.Construct:
		return c.constructExpr(x)
	case *syntax.List:
		c.fail(source.Errorf(x.Pos(), "list", "a list in braces has no type here").With("write the type in front of it"))
	case *syntax.Sizeof:
		return c.sizeof(x)
	case *syntax.Lambda:
		return c.lambdaExpr(x)
	case *syntax.Pack, *syntax.Fold:
		c.refuse(x.Pos(), "pack of parameters", "write an overload for each number of arguments")
	}
	c.errorf(x.Pos(), "expression", "this expression is not known")
	return nil
}

// arg checks an expression that may be a list.
func (c *checker) arg(x syntax.Expr) Expr {
	if l, ok := x.(*syntax.List); ok {
		return &braced{Node{T: types.VoidType, At: x.Pos()}, l}
	}
	return c.expr(x)
}

func (c *checker) args(list []syntax.Expr) []Expr {
	var out []Expr
	for _, x := range list {
		if _, ok := x.(*syntax.Pack); ok {
			c.refuse(x.Pos(), "pack of parameters", "write an overload for each number of arguments")
		}
		out = append(out, c.arg(x))
	}
	return out
}

func (c *checker) intLiteral(x *syntax.Int) Expr {
	var list []*types.Type
	switch x.Suffix {
	case "":
		list = []*types.Type{types.Int, types.Long}
		if !x.Decimal {
			list = []*types.Type{types.Int, types.UInt, types.Long, types.ULong}
		}
	case "u":
		list = []*types.Type{types.UInt, types.ULong}
	case "l":
		list = []*types.Type{types.Long}
		if !x.Decimal {
			list = []*types.Type{types.Long, types.ULong}
		}
	case "ul":
		list = []*types.Type{types.ULong}
	case "ll":
		list = []*types.Type{types.LongLong}
		if !x.Decimal {
			list = []*types.Type{types.LongLong, types.ULongLong}
		}
	case "ull":
		list = []*types.Type{types.ULongLong}
	}
	for _, t := range list {
		width := uint(8 * t.Size())
		if t.Signed() {
			width--
		}
		if width == 64 || x.Value < 1<<width {
			return &Const{Node{T: t, At: x.Pos()}, Value{Bits: x.Value}}
		}
	}
	c.fail(source.Errorf(x.Pos(), "number", "%d is too large for a signed integer", x.Value).With("write %dull", x.Value))
	return nil
}

func (c *checker) floatLiteral(x *syntax.Float) Expr {
	t, bits := types.Double, 64
	if x.Suffix == "f" {
		t, bits = types.Float, 32
	}
	v, err := strconv.ParseFloat(x.Text, bits)
	if err != nil && math.IsInf(v, 0) {
		c.fail(source.Errorf(x.Pos(), "number", "%s is too large for %s", x.Text, t).With("write INFINITY if that is meant"))
	}
	return &Const{Node{T: t, At: x.Pos()}, Value{Float: v}}
}

// ident checks a name that is used as a value.
func (c *checker) ident(x *syntax.Ident) Expr {
	if x.Name.Simple() {
		switch x.Name.Parts[0].Ident {
		case "__func__", "__FUNCTION__", "__PRETTY_FUNCTION__":
			name := ""
			if c.fn != nil {
				name = c.fn.f.name
			}
			return &Text{Node{T: types.ArrayOf(types.Char.Qualify(true, false), int64(len(name))+1), At: x.Pos(), LV: true}, name}
		}
	}
	found := c.find(x.Name, true)
	switch e := found.(type) {
	case *Var:
		return c.varRef(e, x.Pos())
	case *constant:
		return &Const{Node{T: e.typ, At: x.Pos()}, e.value}
	case *member:
		return c.ownMember(e, x.Pos())
	case *overloads, *templateID:
		return c.functionValue(found, x.Name, x.Pos())
	case *typeName, *classTemplate, *aliasTemplate:
		c.errorf(x.Pos(), x.Name.String(), "%s is a type: a value is expected here", x.Name)
	case *namespace:
		c.errorf(x.Pos(), x.Name.String(), "%s is a namespace: a value is expected here", x.Name)
	case *hostCode:
		c.hostUsed(x.Name, x.Pos(), e)
	case *varTemplate:
		c.errorf(x.Pos(), x.Name.String(), "%s is a template: its arguments are missing", x.Name)
	}
	c.errorf(x.Pos(), x.Name.String(), "%s is no value", x.Name)
	return nil
}

// hostUsed reports the use of what belongs to the host.
func (c *checker) hostUsed(n *syntax.Name, pos source.Pos, h *hostCode) {
	c.unusable(h, pos)
	c.fail(source.Errorf(pos, n.String(), "%s belongs to the host: a kernel cannot use it", n).With("put __device__ in front of its declaration, or __constant__ for a table that does not change").Note(h.pos, "it is declared here"))
}

// varRef is the place of a variable.
func (c *checker) varRef(v *Var, pos source.Pos) Expr {
	c.settle(v)
	if v.plain && v.value == nil {
		if v.Type.IsConst() || v.Type.Kind == types.KindReference {
			c.fail(source.Errorf(pos, v.Name, "the value of %s is not known when the kernel is compiled: it belongs to the host", v.Name).With("put __constant__ or __device__ in front of its declaration").Note(v.Pos, "it is declared here"))
		}
		c.hostUsed(&syntax.Name{Parts: []syntax.Part{{Ident: v.Name}}}, pos, &hostCode{pos: v.Pos})
	}
	if c.fn != nil && v.function != nil && v.function != c.fn.fn && (v.Storage == Auto || v.Storage == Param) {
		return c.captured(v, pos)
	}
	return &VarRef{Node{T: v.Type.Referred(), At: pos, LV: true}, v}
}

// thisPlace is the object of the method being checked, or nil.
func (c *checker) thisPlace(pos source.Pos) Expr {
	if c.fn == nil {
		return nil
	}
	if c.fn.lambda != nil {
		return c.capturedThis(pos)
	}
	if c.fn.fn.This == nil {
		return nil
	}
	v := c.fn.fn.This
	return &VarRef{Node{T: v.Type.Referred(), At: pos, LV: true}, v}
}

// ownMember is a member that a method names without an object.
func (c *checker) ownMember(m *member, pos source.Pos) Expr {
	if l := m.class.lambda; l != nil && c.fn != nil && c.fn.lambda == l {
		self := c.fn.fn.This
		return c.memberOf(&VarRef{Node{T: self.Type.Referred(), At: pos, LV: true}, self}, m, pos)
	}
	this := c.thisPlace(pos)
	if this == nil {
		name := m.class.typ.Struct.Name
		c.errorf(pos, "member", "this is a member of %s, and there is no object that it is of", name)
	}
	return c.memberOf(this, m, pos)
}

// memberOf is a member of an object.
func (c *checker) memberOf(obj Expr, m *member, pos source.Pos) Expr {
	if cl := c.classOf(obj.Type()); cl != m.class {
		obj = c.toBase(obj, m.class)
	}
	for _, i := range m.path {
		obj = c.field(obj, i, pos)
	}
	return obj
}

// field is field i of a struct. What a reference refers to is found through the
// pointer that it is stored as.
func (c *checker) field(obj Expr, i int, pos source.Pos) Expr {
	st := obj.Type()
	t := st.Struct.Fields[i].Type
	if t.Kind == types.KindReference {
		p := types.PointerTo(t.Elem)
		f := &Field{Node{T: p, At: obj.Pos(), LV: obj.Place()}, obj, i}
		return &Deref{Node{T: t.Elem, At: pos, LV: true}, c.rvalue(f)}
	}
	cl := c.classOf(st)
	isConst := st.Const
	if isConst && cl != nil && cl.mutable(i) {
		isConst = false
	}
	return &Field{Node{T: t.Qualify(isConst, st.Volatile), At: obj.Pos(), LV: obj.Place(), XV: isExpiring(obj)}, obj, i}
}

// mutable reports whether a field may be changed in a constant too.
func (cl *class) mutable(i int) bool { return cl.changes[i] }

// memberExpr checks x.m and x->m, where m is no method.
func (c *checker) memberExpr(x *syntax.Member) Expr {
	obj := c.object(x)
	e := c.memberNamed(obj, x.Name)
	switch e := e.(type) {
	case *member:
		return c.memberOf(obj, e, x.Pos())
	case *Var:
		return c.varRef(e, x.Pos())
	case *constant:
		return &Const{Node{T: e.typ, At: x.Pos()}, e.value}
	case *overloads, *templateID:
		c.fail(source.Errorf(x.Pos(), x.Name.String(), "%s is a method: it is to be called", x.Name).With("write %s(…)", x.Name))
	case *hostCode:
		c.hostUsed(x.Name, x.Pos(), e)
	}
	c.errorf(x.Pos(), x.Name.String(), "%s is no member of %s", x.Name, obj.Type().Unqualified())
	return nil
}

// object checks what stands before . or ->, and returns the struct.
func (c *checker) object(x *syntax.Member) Expr {
	obj := c.expr(x.X)
	if x.Arrow {
		for n := 0; obj.Type().Kind == types.KindStruct; n++ {
			next, ok := c.operatorCall("->", []Expr{obj}, x.Pos())
			if !ok || n > 10 {
				c.fail(source.Errorf(x.Pos(), "->", "%s is a struct and no pointer", obj.Type().Unqualified()).With("write . instead of ->"))
			}
			obj = next
		}
		p := c.rvalue(obj)
		if !p.Type().IsPointer() {
			c.errorf(x.Pos(), "->", "%s is no pointer: it has no members", p.Type())
		}
		obj = &Deref{Node{T: p.Type().Elem, At: p.Pos(), LV: true}, p}
	}
	t := obj.Type()
	if t.Kind != types.KindStruct {
		err := source.Errorf(x.Pos(), x.Name.String(), "%s has no member %s: it is no struct", t.Unqualified(), x.Name)
		if t.IsPointer() && t.Elem.Kind == types.KindStruct {
			err.With("write -> instead of . for a pointer")
		}
		c.fail(err)
	}
	c.requireComplete(t, x.Pos(), "the object")
	return obj
}

// memberNamed finds a name in a struct.
func (c *checker) memberNamed(obj Expr, n *syntax.Name) entity {
	cl := c.classOf(obj.Type())
	part := n.Last()
	if part.Convert != nil {
		t := c.typeOf(part.Convert)
		for _, f := range c.conversionsOf(cl) {
			if types.Identical(f.sig.result, t) {
				return &overloads{[]*function{f}}
			}
		}
	}
	in := cl.scope
	if len(n.Parts) > 1 {
		owner := &syntax.Name{At: n.At, Global: n.Global, Parts: n.Parts[:len(n.Parts)-1]}
		t, ok := c.findIn(owner, cl).(*typeName)
		if !ok || t.class == nil {
			c.errorf(n.Pos(), n.String(), "%s is no struct", owner)
		}
		in = t.class.scope
	}
	e := in.own(part.Ident, everything, nil)
	if e == nil {
		if cl.lambda != nil {
			c.errorf(n.Pos(), n.String(), "a lambda has no member %s", part.Ident)
		}
		err := source.Errorf(n.Pos(), n.String(), "%s has no member %s", obj.Type().Unqualified(), part.Ident)
		if near := nearest(part.Ident, cl.scope.names); near != "" {
			err.With("is %s meant?", near)
		}
		c.fail(err)
	}
	if part.HasArgs {
		if o, ok := e.(*overloads); ok {
			return &templateID{o, part.Args, part.Pos()}
		}
		return c.withArgs(e, part)
	}
	return e
}

// findIn finds a name that may also be one in a struct.
func (c *checker) findIn(n *syntax.Name, cl *class) (e entity) {
	if e = c.find(n, false); e != nil {
		return e
	}
	c.in(cl.scope, func() { e = c.find(n, true) })
	return e
}

// ---- operators on one value ----------------------------------------------------------

func (c *checker) unary(x *syntax.Unary) Expr {
	pos := x.Pos()
	if x.Op == "&" {
		return c.addressOf(x)
	}
	e := c.expr(x.X)
	t := e.Type()
	if t.Kind == types.KindStruct || t.Kind == types.KindEnum && t.Enum.Scoped {
		if out, ok := c.operatorCall(x.Op, []Expr{e}, pos); ok {
			return out
		}
		if x.Op == "!" {
			return c.not(c.asTruth(e), pos)
		}
		if t.Kind == types.KindEnum {
			c.fail(source.Errorf(pos, x.Op, "%s has no %s: it is an enum class", t.Unqualified(), x.Op).With("write static_cast<int>(…)"))
		}
		if e = c.asScalar(e, x.Op, pos); e == nil {
			c.fail(source.Errorf(pos, x.Op, "there is no %s of %s", x.Op, t.Unqualified()).With("compute with the members, or define operator%s", x.Op))
		}
	}
	switch x.Op {
	case "*":
		v := c.rvalue(e)
		p := v.Type()
		if !p.IsPointer() {
			c.errorf(pos, "*", "%s is no pointer: it points to nothing", p)
		}
		if p.Elem.Kind == types.KindFunction {
			return v // what it points to is used as a pointer again
		}
		if p.Elem.Kind == types.KindVoid {
			c.fail(source.Errorf(pos, "*", "a void* does not say what it points to").With("cast it to a pointer to the type first"))
		}
		c.requireComplete(p.Elem, pos, "what the pointer points to")
		return &Deref{Node{T: p.Elem, At: pos, LV: true}, v}
	case "++", "--":
		return c.step(e, x.Op, false, pos)
	case "!":
		return c.not(c.asTruth(e), pos)
	}
	v := c.rvalue(e)
	t = v.Type()
	if x.Op == "+" && t.IsPointer() {
		return v
	}
	if !t.Arithmetic() && t.Kind != types.KindEnum || x.Op == "~" && t.Floating() {
		c.errorf(pos, x.Op, "there is no %s of %s", x.Op, t)
	}
	p := promoted(t)
	v = c.convert(v, p)
	if x.Op == "+" {
		return v
	}
	return c.folded(&Unary{Node{T: p, At: pos}, x.Op, v})
}

// not is ! of a truth value.
func (c *checker) not(e Expr, pos source.Pos) Expr {
	return c.folded(&Unary{Node{T: types.Bool, At: pos}, "!", e})
}

// folded computes an operation on constants.
func (c *checker) folded(e Expr) Expr {
	constants := false
	switch x := e.(type) {
	case *Unary:
		constants = isConst(x.X)
	case *Binary:
		constants = isConst(x.X) && isConst(x.Y)
	case *Compare:
		constants = isConst(x.X) && isConst(x.Y)
	case *Logical:
		constants = isConst(x.X) && isConst(x.Y)
	}
	if !constants {
		return e
	}
	if v, ok := c.constant(e); ok {
		return &Const{Node{T: e.Type(), At: e.Pos()}, v}
	}
	return e
}

func isConst(e Expr) bool {
	k, ok := e.(*Const)
	return ok && k.T.IsScalar() && k.Value.Text == nil
}

func (c *checker) addressOf(x *syntax.Unary) Expr {
	if id, ok := x.X.(*syntax.Ident); ok {
		found := c.find(id.Name, true)
		switch e := found.(type) {
		case *overloads, *templateID:
			return c.functionValue(found, id.Name, x.Pos())
		case *member:
			if len(id.Name.Parts) > 1 {
				c.refuse(x.Pos(), "pointer to a member", "name the member, or index an array")
			}
			_ = e
		}
	}
	e := c.expr(x.X)
	if e.Type().Kind == types.KindStruct {
		if out, ok := c.operatorCall("&", []Expr{e}, x.Pos()); ok {
			return out
		}
	}
	if !e.Place() {
		c.fail(source.Errorf(x.Pos(), "&", "only a variable has an address, not a value").With("store the value in a variable first"))
	}
	if v := rootOf(e); v != nil && v.Storage == Machine {
		c.errorf(x.Pos(), "&", "%s has no address", v.Name)
	}
	if d, ok := e.(*Deref); ok {
		return c.convert(d.X, types.PointerTo(e.Type())) // &*p is p
	}
	if i, ok := e.(*Index); ok {
		// &a[i] is a + i
		return &PtrAdd{Node{T: types.PointerTo(e.Type()), At: x.Pos()}, c.rvalue(i.X), i.I, false}
	}
	return &AddrOf{Node{T: types.PointerTo(e.Type()), At: x.Pos()}, e}
}

func (c *checker) postfix(x *syntax.Postfix) Expr {
	e := c.expr(x.X)
	if e.Type().Kind == types.KindStruct {
		dummy := &Const{Node{T: types.Int, At: x.Pos()}, Value{}}
		if out, ok := c.operatorCall(x.Op, []Expr{e, dummy}, x.Pos()); ok {
			return out
		}
		c.errorf(x.Pos(), x.Op, "%s has no %s behind it", e.Type().Unqualified(), x.Op)
	}
	return c.step(e, x.Op, true, x.Pos())
}

// step is ++ or --.
func (c *checker) step(e Expr, op string, post bool, pos source.Pos) Expr {
	t := e.Type()
	c.changeable(e, op, pos)
	switch {
	case t.Kind == types.KindBool || t.Kind == types.KindEnum || !t.Arithmetic() && !t.IsPointer():
		c.errorf(pos, op, "there is no %s of %s", op, t.Unqualified())
	case t.IsPointer():
		c.movable(t, pos)
	}
	n := Node{T: t, At: pos, LV: true}
	if post {
		n = Node{T: t.Unqualified(), At: pos}
	}
	return &Step{n, e, op == "--", post}
}

// changeable fails for a place that cannot be assigned to.
func (c *checker) changeable(e Expr, op string, pos source.Pos) {
	if !e.Place() {
		c.errorf(pos, op, "%s needs a variable, not a value", op)
	}
	if v := rootOf(e); v != nil {
		switch {
		case v.Storage == Machine:
			c.errorf(pos, v.Name, "%s cannot be changed: the launch says what it is", v.Name)
		case v.Storage == Constant && !v.plain:
			c.fail(source.Errorf(pos, v.Name, "%s is __constant__: kernels can only read it", v.Name).Note(v.Pos, "it is declared here"))
		}
	}
	if e.Type().IsConst() {
		err := source.Errorf(pos, op, "this is const and cannot be changed")
		if v := rootOf(e); v != nil {
			if v.Name == "this" {
				err = source.Errorf(pos, op, "a const method cannot change its object").With("leave the const behind its parameters out")
			} else {
				err = source.Errorf(pos, v.Name, "%s is const and cannot be changed", v.Name)
				if v.Pos.IsValid() && !builtIn(v.Pos) {
					err.Note(v.Pos, "it is declared here")
				}
			}
		} else if d, ok := e.(*Deref); ok {
			err = source.Errorf(pos, op, "%s points to what cannot be changed through it", d.X.Type())
		}
		c.fail(err)
	}
}

// movable fails for a pointer that cannot be counted with.
func (c *checker) movable(t *types.Type, pos source.Pos) {
	if t.Elem.Kind == types.KindVoid {
		c.fail(source.Errorf(pos, "void*", "a void* does not say how large its elements are").With("cast it to char* first"))
	}
	c.requireComplete(t.Elem, pos, "what the pointer points to")
}

// asScalar converts a struct by its one conversion operator.
func (c *checker) asScalar(e Expr, op string, pos source.Pos) Expr {
	if e.Type().Kind != types.KindStruct {
		return e
	}
	cl := c.classOf(e.Type().Unqualified())
	c.complete(cl, pos)
	var found *function
	for _, f := range c.conversionsOf(cl) {
		if f.explicit || !f.sig.result.Referred().IsScalar() || e.Type().IsConst() && !f.isConst {
			continue
		}
		if found != nil {
			c.errorf(pos, op, "%s converts to several types: nothing says which one %s takes", e.Type().Unqualified(), op)
		}
		found = f
	}
	if found == nil {
		return nil
	}
	return c.callMethod(found, e, nil, pos)
}

// ---- operators on two values ----------------------------------------------------------

func (c *checker) binary(x *syntax.Binary) Expr {
	pos := x.Pos()
	// A chain of operators is deep on its left: it is read from there.
	var chain []*syntax.Binary
	left := syntax.Expr(x)
	for {
		b, ok := left.(*syntax.Binary)
		if !ok {
			break
		}
		chain = append(chain, b)
		left = b.X
	}
	if len(chain) > 1 {
		e := c.expr(left)
		for i := len(chain) - 1; i >= 0; i-- {
			b := chain[i]
			e = c.operate(b.Op, e, b.Y, b.Pos())
		}
		return e
	}
	return c.operate(x.Op, c.expr(x.X), x.Y, pos)
}

// operate is X op y.
func (c *checker) operate(op string, e Expr, y syntax.Expr, pos source.Pos) Expr {
	switch op {
	case ",":
		f := c.expr(y)
		return &Comma{Node{T: f.Type(), At: pos, LV: f.Place()}, e, f}
	case "&&", "||":
		return c.folded(&Logical{Node{T: types.Bool, At: pos}, op, c.asTruth(e), c.truth(y)})
	}
	f := c.expr(y)
	if overloaded(e.Type()) || overloaded(f.Type()) {
		if out, ok := c.operatorCall(op, []Expr{e, f}, pos); ok {
			return out
		}
		u, v := e, f
		if e.Type().Kind == types.KindStruct {
			u = c.asScalar(e, op, pos)
		}
		if f.Type().Kind == types.KindStruct {
			v = c.asScalar(f, op, pos)
		}
		if u == nil || v == nil {
			c.noOperator(op, e, f, pos)
		}
		e, f = u, v
	}
	return c.arithmetic(op, c.rvalue(e), c.rvalue(f), pos)
}

// overloaded reports whether operators of t may be the source's own.
func overloaded(t *types.Type) bool { return t.Kind == types.KindStruct || t.Kind == types.KindEnum }

func (c *checker) noOperator(op string, x, y Expr, pos source.Pos) {
	err := source.Errorf(pos, op, "there is no %s of %s and %s", op, x.Type().Unqualified(), y.Type().Unqualified())
	if t := x.Type(); t.Kind == types.KindStruct {
		err.With("compute with the members, or define operator%s", op)
	}
	c.fail(err)
}

// arithmetic is an operator on two scalar values.
func (c *checker) arithmetic(op string, x, y Expr, pos source.Pos) Expr {
	tx, ty := x.Type(), y.Type()
	compare := false
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		compare = true
	}
	pointer := func(t *types.Type) bool { return t.IsPointer() || t.Kind == types.KindNullptr }
	if pointer(tx) || pointer(ty) {
		return c.pointerArithmetic(op, x, y, pos)
	}
	scoped := func(t *types.Type) bool { return t.Kind == types.KindEnum && t.Enum.Scoped }
	if scoped(tx) || scoped(ty) {
		if compare && types.Same(tx, ty) {
			base := tx.Enum.Base
			p := promoted(base)
			return c.folded(&Compare{Node{T: types.Bool, At: pos}, op, c.convert(c.convert(x, base), p), c.convert(c.convert(y, base), p)})
		}
		c.fail(source.Errorf(pos, op, "there is no %s of %s and %s", op, tx, ty).With("write static_cast<int>(…) for an enum class"))
	}
	number := func(t *types.Type) bool { return t.Arithmetic() || t.Kind == types.KindEnum }
	if !number(tx) || !number(ty) {
		c.noOperator(op, x, y, pos)
	}
	if tx.HalfWidth() || ty.HalfWidth() {
		if !types.Same(tx, ty) {
			h, other := tx, ty
			if !tx.HalfWidth() {
				h, other = ty, tx
			}
			c.fail(source.Errorf(pos, op, "%s of %s and %s could be computed in either", op, h, other).With("say which: (float)h %s x, or h %s (%s)x", op, op, h))
		}
	}
	switch op {
	case "<<", ">>":
		if tx.Floating() || ty.Floating() {
			c.noOperator(op, x, y, pos)
		}
		p := promoted(tx)
		return c.folded(&Binary{Node{T: p, At: pos}, op, c.convert(x, p), c.convert(y, promoted(ty))})
	case "%", "&", "|", "^":
		if tx.Floating() || ty.Floating() {
			err := source.Errorf(pos, op, "there is no %s of %s and %s", op, tx, ty)
			if op == "%" {
				err.With("use fmodf or fmod")
			}
			c.fail(err)
		}
	}
	t := common(tx, ty)
	x, y = c.convert(x, t), c.convert(y, t)
	if compare {
		return c.folded(&Compare{Node{T: types.Bool, At: pos}, op, x, y})
	}
	return c.folded(&Binary{Node{T: t, At: pos}, op, x, y})
}

func (c *checker) pointerArithmetic(op string, x, y Expr, pos source.Pos) Expr {
	tx, ty := x.Type(), y.Type()
	index := func(t *types.Type) bool { return t.Integer() || t.Kind == types.KindEnum && !t.Enum.Scoped }
	switch op {
	case "+":
		if tx.IsPointer() && index(ty) {
			return c.moved(x, y, false, pos)
		}
		if ty.IsPointer() && index(tx) {
			return c.moved(y, x, false, pos)
		}
	case "-":
		if tx.IsPointer() && index(ty) {
			return c.moved(x, y, true, pos)
		}
		if tx.IsPointer() && ty.IsPointer() && types.Same(tx.Elem, ty.Elem) {
			c.movable(tx, pos)
			return &PtrDiff{Node{T: types.Long, At: pos}, x, y}
		}
	case "==", "!=", "<", "<=", ">", ">=":
		t := c.commonPointer(x, y)
		if t != nil {
			return c.folded(&Compare{Node{T: types.Bool, At: pos}, op, c.convert(x, t), c.convert(y, t)})
		}
	}
	err := source.Errorf(pos, op, "there is no %s of %s and %s", op, tx, ty)
	if op == "*" || op == "/" {
		err.With("is the value meant that a pointer points to? Write (*p)")
	}
	c.fail(err)
	return nil
}

// moved is a pointer and a number of elements.
func (c *checker) moved(p, i Expr, back bool, pos source.Pos) Expr {
	c.movable(p.Type(), pos)
	return &PtrAdd{Node{T: p.Type().Unqualified(), At: pos}, p, c.convert(i, promoted(i.Type())), back}
}

// commonPointer returns the type that two pointers are compared as, or nil.
func (c *checker) commonPointer(x, y Expr) *types.Type {
	tx, ty := x.Type().Unqualified(), y.Type().Unqualified()
	switch {
	case tx.IsPointer() && (ty.Kind == types.KindNullptr || isNull(y)):
		return tx
	case ty.IsPointer() && (tx.Kind == types.KindNullptr || isNull(x)):
		return ty
	case tx.Kind == types.KindNullptr && ty.Kind == types.KindNullptr:
		return tx
	case !tx.IsPointer() || !ty.IsPointer():
		return nil
	}
	isConst, isVolatile := tx.Elem.IsConst() || ty.Elem.IsConst(), tx.Elem.IsVolatile() || ty.Elem.IsVolatile()
	switch {
	case types.Same(tx.Elem, ty.Elem):
		return types.PointerTo(tx.Elem.Qualify(isConst, isVolatile))
	case tx.Elem.Kind == types.KindVoid || ty.Elem.Kind == types.KindVoid:
		return types.PointerTo(types.VoidType.Qualify(isConst, isVolatile))
	case c.baseDistance(tx.Elem, ty.Elem) > 0:
		return types.PointerTo(ty.Elem.Qualify(isConst, isVolatile))
	case c.baseDistance(ty.Elem, tx.Elem) > 0:
		return types.PointerTo(tx.Elem.Qualify(isConst, isVolatile))
	}
	return nil
}

// ---- assignment -----------------------------------------------------------------------

func (c *checker) assign(x *syntax.Assign) Expr {
	pos := x.Pos()
	e := c.expr(x.X)
	t := e.Type()
	f := c.arg(x.Y)
	if x.Op == "" {
		return c.assignTo(e, f, pos)
	}
	if overloaded(t) || overloaded(f.Type()) {
		if out, ok := c.operatorCall(x.Op+"=", []Expr{e, f}, pos); ok {
			return out
		}
		if t.Kind == types.KindStruct {
			// a + b, if there is that, and the assignment
			c.noOperator(x.Op+"=", e, f, pos)
		}
		if f.Type().Kind == types.KindStruct {
			g := c.asScalar(f, x.Op+"=", pos)
			if g == nil {
				c.noOperator(x.Op+"=", e, f, pos)
			}
			f = g
		}
	}
	c.changeable(e, x.Op+"=", pos)
	v := c.rvalue(f)
	n := Node{T: t, At: pos, LV: true}
	if t.IsPointer() {
		if x.Op != "+" && x.Op != "-" || !v.Type().Integer() && v.Type().Kind != types.KindEnum {
			c.noOperator(x.Op+"=", e, v, pos)
		}
		c.movable(t, pos)
		return &OpAssign{n, x.Op, t.Unqualified(), e, c.convert(v, promoted(v.Type()))}
	}
	if u := t.Unqualified(); u.HalfWidth() && strings.Contains("+-*/", x.Op) && v.Type().Arithmetic() && !types.Same(u, v.Type()) {
		v = c.convert(v, u) // there is one += of a half, and it takes a half
	}
	// The operation itself is checked as one on values is.
	probe := c.arithmetic(x.Op, &Undef{Node{T: t.Unqualified(), At: e.Pos()}}, v, pos)
	b, ok := probe.(*Binary)
	if !ok {
		c.noOperator(x.Op+"=", e, v, pos)
	}
	how := c.conversion(&Undef{Node{T: b.T, At: pos}}, t.Unqualified())
	if !how.ok {
		c.fail(source.Errorf(pos, x.Op+"=", "the result is %s and does not become %s by itself", b.T, t.Unqualified()).With("write the assignment out, with a cast"))
	}
	return &OpAssign{n, x.Op, b.T, e, b.Y}
}

// assignTo is x = f.
func (c *checker) assignTo(e, f Expr, pos source.Pos) Expr {
	t := e.Type()
	if t.Kind == types.KindStruct {
		cl := c.classOf(t.Unqualified())
		c.complete(cl, pos)
		if set := c.functionsIn(cl.scope, "operator="); len(set) > 0 {
			if g, _ := c.best(set, nil, []Expr{f}, e); g != nil {
				return c.callMethod(g, e, []Expr{f}, pos)
			}
		}
	}
	c.changeable(e, "=", pos)
	if t.Kind == types.KindArray {
		c.fail(source.Errorf(pos, "=", "an array cannot be assigned to").With("copy its elements in a loop"))
	}
	v := c.coerce(f, t, "what is assigned to")
	return &Assign{Node{T: t, At: pos, LV: true}, e, v}
}

// ---- the others -------------------------------------------------------------------------

func (c *checker) conditional(x *syntax.Conditional) Expr {
	pos := x.Pos()
	cond := c.truth(x.Cond)
	e, f := c.arg(x.X), c.arg(x.Y)
	if _, ok := e.(*braced); ok {
		c.errorf(e.Pos(), "list", "a list in braces has no type here")
	}
	if _, ok := f.(*braced); ok {
		c.errorf(f.Pos(), "list", "a list in braces has no type here")
	}
	tx, ty := e.Type(), f.Type()
	if tx.Kind == types.KindVoid || ty.Kind == types.KindVoid {
		if tx.Kind != ty.Kind {
			c.errorf(pos, "?:", "one of the two values is void and the other %s", other(tx, ty))
		}
		return &Cond{Node{T: types.VoidType, At: pos}, cond, e, f}
	}
	if e.Place() && f.Place() && types.Same(tx, ty) {
		t := tx.Qualify(ty.IsConst(), ty.IsVolatile())
		if t.IsScalar() {
			// Whoever needs the value only, loads it: lowering reads both sides where
			// that is cheaper.
			return &Cond{Node{T: t, At: pos, LV: true}, cond, e, f}
		}
		return &Cond{Node{T: t, At: pos, LV: true, XV: isExpiring(e) && isExpiring(f)}, cond, e, f}
	}
	if tx.Kind == types.KindStruct || ty.Kind == types.KindStruct {
		switch {
		case types.Same(tx, ty):
			return &Cond{Node{T: tx.Unqualified(), At: pos}, cond, c.rvalue(e), c.rvalue(f)}
		case c.converts(f, tx.Unqualified()) && !c.converts(e, ty.Unqualified()):
			return &Cond{Node{T: tx.Unqualified(), At: pos}, cond, c.rvalue(e), c.coerce(f, tx, "the other value")}
		case c.converts(e, ty.Unqualified()) && !c.converts(f, tx.Unqualified()):
			return &Cond{Node{T: ty.Unqualified(), At: pos}, cond, c.coerce(e, ty, "the other value"), c.rvalue(f)}
		}
		c.errorf(pos, "?:", "the two values have no type in common: %s and %s", tx.Unqualified(), ty.Unqualified())
	}
	u, v := c.rvalue(e), c.rvalue(f)
	tx, ty = u.Type().Unqualified(), v.Type().Unqualified()
	var t *types.Type
	switch {
	case types.Identical(tx, ty):
		t = tx
	case tx.HalfWidth() != ty.HalfWidth():
		c.fail(source.Errorf(pos, "?:", "one of the two values is %s and the other %s", tx, ty).With("cast one to the type of the other"))
	case tx.HalfWidth():
	case (tx.Arithmetic() || tx.Kind == types.KindEnum && !tx.Enum.Scoped) && (ty.Arithmetic() || ty.Kind == types.KindEnum && !ty.Enum.Scoped):
		t = common(tx, ty)
	default:
		t = c.commonPointer(u, v)
	}
	if t == nil {
		c.errorf(pos, "?:", "the two values have no type in common: %s and %s", tx, ty)
	}
	u, v = c.convert(u, t), c.convert(v, t)
	if k, ok := cond.(*Const); ok && isConst(u) && isConst(v) {
		if k.Value.Bits != 0 {
			return u
		}
		return v
	}
	return &Cond{Node{T: t, At: pos}, cond, u, v}
}

func other(x, y *types.Type) *types.Type {
	if x.Kind == types.KindVoid {
		return y
	}
	return x
}

func (c *checker) index(x *syntax.Index) Expr {
	e := c.expr(x.X)
	if e.Type().Kind == types.KindStruct {
		i := c.arg(x.I)
		if out, ok := c.operatorCall("[]", []Expr{e, i}, x.Pos()); ok {
			return out
		}
		u := c.asScalar(e, "[]", x.Pos())
		if u == nil {
			c.errorf(x.Pos(), "[]", "%s has no elements: it is a struct without operator[]", e.Type().Unqualified())
		}
		e = u
	}
	i := c.value(x.I)
	if i.Type().Kind == types.KindStruct {
		if u := c.asScalar(i, "[]", x.Pos()); u != nil {
			i = c.rvalue(u)
		}
	}
	if i.Type().IsPointer() && e.Type().Integer() {
		e, i = i, c.rvalue(e) // 2[a]
	}
	ti := i.Type()
	if !ti.Integer() && !(ti.Kind == types.KindEnum && !ti.Enum.Scoped) {
		err := source.Errorf(i.Pos(), "[]", "an index is an integer, not %s", ti)
		if ti.Floating() {
			err.With("convert it: (int)x")
		}
		c.fail(err)
	}
	i = c.convert(i, promoted(ti))
	if e.Type().Kind == types.KindArray {
		if !e.Place() {
			e = &Temp{Node{T: e.Type(), At: e.Pos(), LV: true}, e}
		}
		t := e.Type()
		return &Index{Node{T: t.Elem, At: startOf(x), LV: true, XV: isExpiring(e)}, e, i}
	}
	p := c.rvalue(e)
	if !p.Type().IsPointer() {
		c.errorf(x.Pos(), "[]", "%s has no elements: it is no array and no pointer", e.Type().Unqualified())
	}
	moved := c.moved(p, i, false, x.Pos())
	return &Deref{Node{T: p.Type().Elem, At: startOf(x), LV: true}, moved}
}

func (c *checker) sizeof(x *syntax.Sizeof) Expr {
	what := "sizeof"
	if x.Align {
		what = "alignof"
	}
	var t *types.Type
	if x.Type != nil {
		t = c.typeOf(x.Type).Referred()
	} else {
		if _, ok := x.X.(*syntax.Pack); ok {
			c.refuse(x.Pos(), "pack of parameters", "write an overload for each number of arguments")
		}
		t = c.expr(x.X).Type()
	}
	if t.Kind == types.KindVoid || t.Kind == types.KindFunction {
		c.errorf(x.Pos(), what, "%s has no size", t)
	}
	c.requireComplete(t, x.Pos(), "what is asked for the size of")
	if t.Kind == types.KindArray && t.Len < 0 && !x.Align {
		c.fail(source.Errorf(x.Pos(), what, "the size of %s is not known when the kernel is compiled", t).With("hand it over as an argument"))
	}
	n := t.Size()
	if x.Align {
		n = t.Align()
	}
	return &Const{Node{T: types.ULong, At: x.Pos()}, Value{Bits: uint64(n)}}
}

func (c *checker) constructExpr(x *syntax.Construct) Expr {
	var t *types.Type
	if hasAuto(x.Type) {
		if len(x.Args) != 1 {
			c.errorf(x.Pos(), "auto", "auto takes its type from one value")
		}
		e := c.expr(x.Args[0])
		return c.coerce(e, c.deduceAuto(x.Type, e), "the value")
	}
	t = c.typeOf(x.Type)
	if t.Kind == types.KindReference {
		if len(x.Args) != 1 {
			c.errorf(x.Pos(), "reference", "a reference refers to one variable")
		}
		return c.cast(c.arg(x.Args[0]), t, "", x.Pos())
	}
	c.requireCompleteValue(t, x.Pos())
	if x.Brace {
		return c.listValue(&braced{Node{T: types.VoidType, At: x.Pos()}, x.Args[0].(*syntax.List)}, t.Unqualified())
	}
	args := c.args(x.Args)
	if t.Kind == types.KindStruct {
		return c.construct(t.Unqualified(), args, x.Pos(), false)
	}
	switch len(args) {
	case 0:
		if t.Kind == types.KindVoid {
			return &Convert{Node{T: t, At: x.Pos()}, &Const{Node{T: types.Int, At: x.Pos()}, Value{}}}
		}
		return c.zeroOf(t.Unqualified(), x.Pos())
	case 1:
		return c.cast(args[0], t, "", x.Pos())
	}
	c.errorf(x.Pos(), t.String(), "%s is made of one value, not of %d", t, len(args))
	return nil
}

func (c *checker) requireCompleteValue(t *types.Type, pos source.Pos) {
	if t.Kind != types.KindVoid {
		c.requireComplete(t, pos, "the value")
	}
}
