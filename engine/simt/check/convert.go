package check

import (
	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// A braced list is an argument or an initial value without a type of its own.
type braced struct {
	Node
	list *syntax.List
}

// rank is how good a conversion is, the best first.
type rank uint8

const (
	exact rank = iota
	promotion
	standard // a standard conversion
	user     // by a constructor, a conversion operator, or with __half
	dots     // taken by …
)

// A conv is the implicit conversion of an argument to the type of a parameter.
type conv struct {
	ok    bool
	rank  rank
	qual  int  // const and volatile that were added
	bool  bool // of a pointer to bool
	depth int  // from a struct to its base, and how far; void* is farthest
	// Of a reference: whether it binds a value, and as &&.
	bindsValue, rvalueRef, reference bool
	via                              *function
}

// better reports whether x is the better conversion of one argument.
func (x conv) better(y conv) bool {
	if x.rank != y.rank {
		return x.rank < y.rank
	}
	if x.bool != y.bool {
		return !x.bool
	}
	if x.depth != y.depth {
		return x.depth < y.depth
	}
	if x.reference && y.reference && x.bindsValue && y.bindsValue && x.rvalueRef != y.rvalueRef {
		return x.rvalueRef
	}
	return x.qual < y.qual
}

// promoted is the type that C computes with in place of a small integer or enum.
func promoted(t *types.Type) *types.Type {
	t = t.Unqualified()
	if t.Kind == types.KindEnum {
		if t.Enum.Scoped {
			return t
		}
		t = t.Enum.Base
	}
	switch t.Kind {
	case types.KindBool, types.KindChar, types.KindSChar, types.KindUChar, types.KindShort, types.KindUShort:
		return types.Int
	}
	return t
}

// common is the type that C's usual arithmetic conversions give two numbers.
func common(x, y *types.Type) *types.Type {
	x, y = promoted(x), promoted(y)
	switch {
	case x.Kind == y.Kind:
		return x
	case x.Kind == types.KindDouble || y.Kind == types.KindDouble:
		return types.Double
	case x.Kind == types.KindFloat || y.Kind == types.KindFloat:
		return types.Float
	case x.Floating():
		return x
	case y.Floating():
		return y
	}
	order := func(t *types.Type) int {
		switch t.Kind {
		case types.KindLong, types.KindULong:
			return 1
		case types.KindLongLong, types.KindULongLong:
			return 2
		}
		return 0
	}
	unsigned := func(t *types.Type) *types.Type {
		switch t.Kind {
		case types.KindInt:
			return types.UInt
		case types.KindLong:
			return types.ULong
		case types.KindLongLong:
			return types.ULongLong
		}
		return t
	}
	if x.Signed() == y.Signed() {
		if order(x) >= order(y) {
			return x
		}
		return y
	}
	u, s := x, y
	if x.Signed() {
		u, s = y, x
	}
	switch {
	case order(u) >= order(s):
		return u
	case s.Size() > u.Size():
		return s
	}
	return unsigned(s)
}

// ---- how a value converts ---------------------------------------------------------

// conversion returns how e converts to t by itself, as an argument does.
func (c *checker) conversion(e Expr, t *types.Type) conv {
	if t.Kind == types.KindReference {
		return c.binding(e, t)
	}
	if l, ok := e.(*braced); ok {
		return c.listConversion(l, t)
	}
	from := e.Type()
	if from.Kind == types.KindArray {
		from = types.PointerTo(from.Elem)
	}
	t = t.Unqualified()
	from = from.Unqualified()
	if from.Kind == types.KindStruct || t.Kind == types.KindStruct {
		return c.structConversion(e, from, t)
	}
	return c.scalarConversion(e, from, t)
}

func (c *checker) scalarConversion(e Expr, from, t *types.Type) conv {
	if types.Identical(from, t) {
		return conv{ok: true}
	}
	scoped := func(t *types.Type) bool { return t.Kind == types.KindEnum && t.Enum.Scoped }
	switch {
	case scoped(from) || t.Kind == types.KindEnum:
		return conv{}
	case from.Kind == types.KindVoid || t.Kind == types.KindVoid || from.Kind == types.KindFunction:
		return conv{}
	case t.Kind == types.KindBool:
		if from.HalfWidth() {
			return conv{ok: true, rank: user}
		}
		return conv{ok: from.Arithmetic() || from.Kind == types.KindEnum || from.IsPointer(), rank: standard, bool: from.IsPointer()}
	case t.Arithmetic() && (from.Arithmetic() || from.Kind == types.KindEnum):
		switch {
		case from.HalfWidth() && t.HalfWidth():
			return conv{}
		case from.HalfWidth():
			return conv{ok: true, rank: user, depth: halfDistance(t)}
		case t.HalfWidth():
			return conv{ok: true, rank: user, depth: halfDistance(from)}
		}
		if types.Identical(promoted(from), t) || from.Kind == types.KindFloat && t.Kind == types.KindDouble {
			return conv{ok: true, rank: promotion}
		}
		return conv{ok: true, rank: standard}
	case t.IsPointer() && from.IsPointer():
		return c.pointerConversion(from, t)
	case (t.IsPointer() || t.Kind == types.KindNullptr) && (from.Kind == types.KindNullptr || isNull(e)):
		return conv{ok: true, rank: standard}
	}
	return conv{}
}

// halfDistance orders what a 16-bit number converts to and from: float first.
func halfDistance(t *types.Type) int {
	if t.Kind == types.KindFloat {
		return 0
	}
	return 1
}

// isNull reports whether e is the number 0, which any pointer may be.
func isNull(e Expr) bool {
	k, ok := e.(*Const)
	return ok && k.T.Kind == types.KindInt && k.Value.Bits == 0 && k.Value.Text == nil
}

// pointerConversion returns how one pointer becomes another.
func (c *checker) pointerConversion(from, t *types.Type) conv {
	x, y := from.Elem, t.Elem
	added, ok := 0, true
	if x.IsConst() && !y.IsConst() || x.IsVolatile() && !y.IsVolatile() {
		ok = false
	}
	if y.IsConst() && !x.IsConst() {
		added++
	}
	if y.IsVolatile() && !x.IsVolatile() {
		added++
	}
	if !ok {
		return conv{}
	}
	switch {
	case types.Same(x, y):
		return conv{ok: true, qual: added}
	case y.Kind == types.KindVoid && x.Kind != types.KindFunction:
		return conv{ok: true, rank: standard, qual: added, depth: 1000}
	case x.IsPointer() && y.IsPointer():
		inner := c.pointerConversion(x, y)
		if !inner.ok || inner.rank != exact || inner.qual > 0 && !y.Const {
			return conv{}
		}
		return conv{ok: true, qual: added + inner.qual}
	}
	if d := c.baseDistance(x, y); d > 0 {
		return conv{ok: true, rank: standard, qual: added, depth: d}
	}
	return conv{}
}

// baseDistance returns how many steps a struct is derived from another, 0 if it
// is not.
func (c *checker) baseDistance(from, to *types.Type) int {
	cl, base := c.classOf(from), c.classOf(to)
	if cl == nil || base == nil || cl == base {
		return 0
	}
	c.complete(cl, cl.pos)
	for _, b := range cl.bases {
		if b == base {
			return 1
		}
		if d := c.baseDistance(b.typ, to); d > 0 {
			return d + 1
		}
	}
	return 0
}

// structConversion returns how a struct, or something that becomes one, converts.
func (c *checker) structConversion(e Expr, from, t *types.Type) conv {
	if types.Same(from, t) {
		return conv{ok: true}
	}
	if d := c.baseDistance(from, t); d > 0 {
		return conv{ok: true, rank: standard, depth: d}
	}
	if f := c.userConversion(e, from, t, false); f != nil {
		return conv{ok: true, rank: user, via: f}
	}
	return conv{}
}

// userConversion returns the constructor of t, or the conversion operator of
// from, that makes a t of e; nil if there is none, or no single best.
func (c *checker) userConversion(e Expr, from, t *types.Type, explicit bool) *function {
	if c.converting > 0 {
		return nil // one conversion of the user's in a row
	}
	c.converting++
	defer func() { c.converting-- }()
	if cl := c.classOf(t); cl != nil {
		c.complete(cl, e.Pos())
		var list []*function
		for _, f := range cl.constructors {
			if !f.explicit || explicit {
				list = append(list, f)
			}
		}
		if best, _ := c.best(list, nil, []Expr{e}, nil); best != nil {
			return best
		}
	}
	if cl := c.classOf(from); cl != nil {
		c.complete(cl, e.Pos())
		var found *function
		var how conv
		ties := false
		for _, f := range c.conversionsOf(cl) {
			if f.explicit && !explicit || e.Place() && e.Type().IsConst() && !f.isConst {
				continue
			}
			result := f.sig.result.Referred().Unqualified()
			x := c.conversion(&Const{Node: Node{T: result, At: e.Pos()}, Value: Value{Bits: 1}}, t)
			if !x.ok {
				continue
			}
			switch {
			case found == nil || x.better(how):
				found, how, ties = f, x, false
			case !how.better(x):
				ties = true
			}
		}
		if !ties {
			return found
		}
	}
	return nil
}

func (c *checker) conversionsOf(cl *class) []*function {
	out := cl.conversions
	for _, b := range cl.bases {
		out = append(out[:len(out):len(out)], c.conversionsOf(b)...)
	}
	return out
}

// binding returns how a reference is bound to e.
func (c *checker) binding(e Expr, ref *types.Type) conv {
	to := ref.Elem
	if l, ok := e.(*braced); ok {
		x := c.listConversion(l, to.Unqualified())
		if !ref.RValue && !to.IsConst() {
			return conv{}
		}
		x.reference, x.bindsValue, x.rvalueRef = true, true, ref.RValue
		return x
	}
	from := e.Type()
	related := types.Same(from, to)
	depth := 0
	if !related {
		depth = c.baseDistance(from, to)
		related = depth > 0
	}
	if related && from.Kind == types.KindPointer {
		related = types.Identical(from.Unqualified(), to.Unqualified())
	}
	x := conv{ok: true, reference: true, rvalueRef: ref.RValue, depth: depth}
	if depth > 0 {
		x.rank = standard
	}
	xv := isExpiring(e)
	if related {
		if from.IsConst() && !to.IsConst() || from.IsVolatile() && !to.IsVolatile() {
			return conv{}
		}
		if to.IsConst() && !from.IsConst() {
			x.qual++
		}
		if to.IsVolatile() && !from.IsVolatile() {
			x.qual++
		}
		if e.Place() && !xv {
			x.ok = !ref.RValue
			return x
		}
		x.bindsValue = true
		x.ok = ref.RValue || to.IsConst() && !to.IsVolatile()
		return x
	}
	if !ref.RValue && (!to.IsConst() || to.IsVolatile()) {
		return conv{}
	}
	y := c.conversion(e, to.Unqualified())
	y.reference, y.bindsValue, y.rvalueRef = true, true, ref.RValue
	return y
}

func isExpiring(e Expr) bool {
	switch x := e.(type) {
	case *Call:
		return x.XV
	case *Deref:
		return x.XV
	case *Field:
		return x.XV
	case *Index:
		return x.XV
	case *Temp:
		return true
	case *VarRef:
		return x.XV
	}
	return false
}

// converts reports whether e becomes a t by itself.
func (c *checker) converts(e Expr, t *types.Type) bool { return c.conversion(e, t).ok }

// ---- doing it ----------------------------------------------------------------------

// value checks an expression and returns its value.
func (c *checker) value(x syntax.Expr) Expr { return c.rvalue(c.expr(x)) }

// rvalue returns the value of e: what a place holds, a pointer for an array.
func (c *checker) rvalue(e Expr) Expr {
	t := e.Type()
	switch {
	case t.Kind == types.KindArray:
		if !e.Place() {
			e = &Temp{Node{T: t, At: e.Pos(), LV: true}, e}
		}
		return &Decay{Node{T: types.PointerTo(t.Elem), At: e.Pos()}, e}
	case t.Kind == types.KindFunction:
		c.refuse(e.Pos(), "pointer to a function", "take a struct with operator() as a template parameter, or switch over a number")
	case !e.Place():
		return e
	case t.Kind == types.KindStruct:
		return c.copyOf(e)
	}
	return c.load(e)
}

// load reads a place. The value of a constant is the constant.
func (c *checker) load(e Expr) Expr {
	t := e.Type().Unqualified()
	l := &Load{Node{T: t, At: e.Pos()}, e}
	if v, ok := c.known(e); ok {
		return &Const{Node{T: t, At: e.Pos()}, v}
	}
	return l
}

// known returns the value of a place that is a constant of the source, or a part
// of one, if it is known without computing anything.
func (c *checker) known(e Expr) (Value, bool) {
	switch e := e.(type) {
	case *VarRef:
		if e.Var.value != nil && e.T.IsScalar() {
			return *e.Var.value, true
		}
	case *Field, *Index:
		if root := rootOf(e); root != nil && root.value != nil && e.Type().IsScalar() {
			if v, ok := c.constant(e); ok {
				return v, true
			}
		}
	}
	return Value{}, false
}

// rootOf returns the variable that a place is a part of, or nil.
func rootOf(e Expr) *Var {
	for {
		switch x := e.(type) {
		case *VarRef:
			return x.Var
		case *Field:
			e = x.X
		case *Index:
			e = x.X
		default:
			return nil
		}
	}
}

// copyOf returns the value of a struct in a place.
func (c *checker) copyOf(e Expr) Expr {
	t := e.Type().Unqualified()
	if cl := c.classOf(t); cl != nil && cl.copies {
		if f, err := c.best(cl.constructors, nil, []Expr{e}, nil); f != nil {
			return c.made(cl, f, []Expr{e}, e.Pos())
		} else if err != nil {
			c.fail(err)
		}
	}
	return &Load{Node{T: t, At: e.Pos()}, e}
}

// coerce returns e as a value of type t, which is no reference, by the conversions
// that happen by themselves.
func (c *checker) coerce(e Expr, t *types.Type, why string) Expr {
	t = t.Unqualified()
	if l, ok := e.(*braced); ok {
		return c.listValue(l, t)
	}
	how := c.conversion(e, t)
	if !how.ok {
		c.cannot(e, t, why)
	}
	return c.apply(e, t, how)
}

// cannot reports a value of the wrong type.
func (c *checker) cannot(e Expr, t *types.Type, why string) {
	from := e.Type().Unqualified()
	err := source.Errorf(e.Pos(), "conversion", "%s is %s, and a value of type %s does not become that", why, t, from)
	switch {
	case from.IsPointer() && t.IsPointer() && from.Elem.IsConst() && !t.Elem.IsConst() && types.Same(from.Elem, t.Elem):
		err.Message = why + " is " + t.String() + ", through which the const could be lost that " + from.String() + " has"
		err.With("make the pointer const too")
	case pointsToFunction(from) || pointsToFunction(t):
		err.With("the function must have the types of the pointer")
	case from.IsPointer() && t.IsPointer():
		err.With("write reinterpret_cast<%s>(…) if the memory is to be read as that", t)
	case from.HalfWidth() && t.HalfWidth():
		err.With("go by way of float")
	case from.Kind == types.KindVoid:
		err.Message = why + " is " + t.String() + ", and void is no value"
	case from.IsPointer() && t.Arithmetic():
		err.With("is the value meant that it points to? Write * in front, or an index behind")
	case from.Kind == types.KindEnum && from.Enum.Scoped:
		err.With("write static_cast<%s>(…)", t)
	case t.Kind == types.KindEnum:
		err.With("write static_cast<%s>(…)", t)
	}
	c.fail(err)
}

// apply does a conversion that is known to be possible.
func (c *checker) apply(e Expr, t *types.Type, how conv) Expr {
	from := e.Type().Unqualified()
	if how.via != nil {
		return c.applyUser(e, t, how.via)
	}
	if t.Kind == types.KindStruct {
		if !types.Same(from, t) {
			e = c.toBase(e, c.classOf(t))
		}
		return c.rvalue(e)
	}
	return c.convert(c.rvalue(e), t)
}

// applyUser converts with a constructor or a conversion operator.
func (c *checker) applyUser(e Expr, t *types.Type, f *function) Expr {
	if f.decl.Constructor {
		return c.made(f.class, f, []Expr{e}, e.Pos())
	}
	call := c.callMethod(f, e, nil, e.Pos())
	return c.coerce(call, t, "the value")
}

// convert returns a scalar value as another scalar type.
func (c *checker) convert(e Expr, t *types.Type) Expr {
	from := e.Type()
	t = t.Unqualified()
	if types.Identical(from.Unqualified(), t) {
		return e
	}
	if k, ok := e.(*Const); ok && from.IsScalar() && t.IsScalar() {
		if t.IsPointer() || t.Kind == types.KindNullptr {
			if from.IsPointer() || k.Value.Bits == 0 {
				return &Const{Node{T: t, At: e.Pos()}, k.Value}
			}
		} else if !from.IsPointer() && from.Kind != types.KindNullptr {
			return &Const{Node{T: t, At: e.Pos()}, convertValue(t, from, k.Value)}
		}
	}
	return &Convert{Node{T: t, At: e.Pos()}, e}
}

// toBase returns the part of a struct that is its base.
func (c *checker) toBase(e Expr, base *class) Expr {
	cl := c.classOf(e.Type().Unqualified())
	for cl != nil && cl != base {
		next := -1
		for i, b := range cl.bases {
			if b == base || c.baseDistance(b.typ, base.typ) > 0 {
				next = i
				break
			}
		}
		if next < 0 {
			break
		}
		t := cl.bases[next].typ.Qualify(e.Type().Const, e.Type().Volatile)
		e = &Field{Node{T: t, At: e.Pos(), LV: e.Place(), XV: isExpiring(e)}, e, next}
		cl = cl.bases[next]
	}
	return e
}

// argument returns what is handed over for a parameter: a place for a reference,
// otherwise a value.
func (c *checker) argument(e Expr, t *types.Type, why string) Expr {
	if t.Kind != types.KindReference {
		return c.coerce(e, t, why)
	}
	return c.bindTo(e, t, why)
}

// bindTo returns the place that a reference refers to.
func (c *checker) bindTo(e Expr, ref *types.Type, why string) Expr {
	to := ref.Elem
	if l, ok := e.(*braced); ok {
		if !ref.RValue && !to.IsConst() {
			c.errorf(e.Pos(), "reference", "%s is %s, which refers to a variable, not to a list", why, ref)
		}
		v := c.listValue(l, to.Unqualified())
		return &Temp{Node{T: to, At: e.Pos(), LV: true}, v}
	}
	how := c.binding(e, ref)
	from := e.Type()
	if !how.ok {
		err := source.Errorf(e.Pos(), "reference", "%s is %s, and %s does not bind to that", why, ref, from)
		switch {
		case from.IsConst() && !to.IsConst() && types.Same(from, to):
			err.Message = why + " is " + ref.String() + ", through which a constant could be changed"
			err.With("make it const %s", ref)
		case !e.Place() && !ref.RValue && types.Same(from, to):
			err.Message = why + " is " + ref.String() + ", which refers to a variable, not to a value"
			err.With("store the value in a variable first, or make it const %s", ref)
		case e.Place() && ref.RValue && types.Same(from, to):
			err.With("write std::move(…), or take %s", types.ReferenceTo(to, false))
		}
		c.fail(err)
	}
	if types.Same(from, to) || c.baseDistance(from, to) > 0 {
		if !types.Same(from, to) {
			e = c.toBase(e, c.classOf(to))
		}
		if e.Place() {
			return e
		}
		return &Temp{Node{T: to, At: e.Pos(), LV: true}, e}
	}
	if how.via == nil && e.Place() && from.Kind == types.KindArray && to.Kind == types.KindArray {
		return e
	}
	v := c.apply(e, to.Unqualified(), how)
	return &Temp{Node{T: to, At: e.Pos(), LV: true}, v}
}

// truth checks a condition and returns it as a truth value.
func (c *checker) truth(x syntax.Expr) Expr { return c.asTruth(c.expr(x)) }

func (c *checker) asTruth(e Expr) Expr {
	t := e.Type().Unqualified()
	if t.Kind == types.KindStruct {
		if f := c.userConversion(e, t, types.Bool, true); f != nil {
			return c.asTruth(c.callMethod(f, e, nil, e.Pos()))
		}
		c.errorf(e.Pos(), "condition", "a value of type %s is neither true nor false", t)
	}
	v := c.rvalue(e)
	t = v.Type()
	if t.Kind == types.KindVoid || t.Kind == types.KindEnum && t.Enum.Scoped {
		c.errorf(e.Pos(), "condition", "a value of type %s is neither true nor false", t)
	}
	return c.convert(v, types.Bool)
}

// cast returns e as t, by a conversion that is asked for. kind is "" for (T)x and
// T(x), or the word of the cast.
func (c *checker) cast(e Expr, t *types.Type, kind string, pos source.Pos) Expr {
	if l, ok := e.(*braced); ok {
		return c.listValue(l, t.Unqualified())
	}
	if t.Kind == types.KindReference {
		return c.castReference(e, t, kind, pos)
	}
	t = t.Unqualified()
	bad := func() {
		err := source.Errorf(pos, "cast", "a value of type %s cannot be cast to %s", e.Type().Unqualified(), t)
		if kind == "static_cast" && e.Type().IsPointer() {
			err.With("use reinterpret_cast if the memory is to be read as that")
		}
		if kind == "reinterpret_cast" {
			err.With("use static_cast for another kind of number, __float_as_int and its like for the bits")
		}
		c.fail(err)
	}
	if t.Kind == types.KindVoid {
		if e.Type().Kind == types.KindStruct || e.Type().Kind == types.KindArray || e.Type().Kind == types.KindVoid {
			return &Convert{Node{T: t, At: pos}, e}
		}
		return &Convert{Node{T: t, At: pos}, c.rvalue(e)}
	}
	if t.Kind == types.KindArray {
		bad()
	}
	if e.Type().Kind == types.KindStruct || t.Kind == types.KindStruct {
		if kind == "reinterpret_cast" || kind == "const_cast" {
			bad()
		}
		from := e.Type().Unqualified()
		if types.Same(from, t) || c.baseDistance(from, t) > 0 {
			return c.apply(e, t, conv{ok: true})
		}
		f := c.userConversion(e, from, t, true)
		if f == nil {
			if t.Kind == types.KindStruct {
				c.requireComplete(t, pos, "the value")
				return c.construct(t, []Expr{e}, pos, false) // which says why not
			}
			bad()
		}
		if f.decl.Constructor {
			return c.made(f.class, f, []Expr{e}, pos)
		}
		return c.cast(c.callMethod(f, e, nil, pos), t, "", pos)
	}
	v := c.rvalue(e)
	from := v.Type().Unqualified()
	number := func(t *types.Type) bool { return t.Arithmetic() || t.Kind == types.KindEnum }
	pointer := func(t *types.Type) bool { return t.IsPointer() || t.Kind == types.KindNullptr }
	switch {
	case types.Identical(from, t):
		return v
	case number(from) && number(t):
		if kind == "reinterpret_cast" || kind == "const_cast" {
			bad()
		}
		return c.convert(v, t)
	case pointer(from) && t.Kind == types.KindBool:
		return c.convert(v, t)
	case pointer(from) && pointer(t):
		if kind == "static_cast" && from.IsPointer() && t.IsPointer() && !types.Same(from.Elem, t.Elem) && from.Elem.Kind != types.KindVoid && t.Elem.Kind != types.KindVoid {
			if c.baseDistance(from.Elem, t.Elem) == 0 && c.baseDistance(t.Elem, from.Elem) == 0 {
				bad()
			}
		}
		if kind == "const_cast" && !types.Same(from.Elem, t.Elem) {
			bad()
		}
		if kind == "static_cast" && from.IsPointer() && from.Elem.IsConst() && !t.Elem.IsConst() || kind == "reinterpret_cast" && from.IsPointer() && from.Elem.IsConst() && !t.Elem.IsConst() {
			c.fail(source.Errorf(pos, "cast", "%s would lose the const of %s", kind, from).With("make the pointer const too, or use const_cast"))
		}
		return c.movePointer(v, from, t)
	case pointer(from) && (t.Integer() || t.Kind == types.KindEnum):
		if t.Size() < 8 {
			c.fail(source.Errorf(pos, "cast", "a pointer has 64 bits and %s has %d", t, 8*t.Size()).With("use unsigned long long or size_t"))
		}
		if kind == "static_cast" || kind == "const_cast" {
			bad()
		}
		return c.convert(v, t)
	case (from.Integer() || from.Kind == types.KindEnum) && pointer(t):
		if (kind == "static_cast" || kind == "const_cast") && !isNull(v) {
			bad()
		}
		if from.Size() < 8 {
			v = c.convert(v, types.Long)
		}
		return c.convert(v, t)
	}
	bad()
	return nil
}

// movePointer casts between pointers; one to a base points to that part.
func (c *checker) movePointer(v Expr, from, t *types.Type) Expr {
	if from.IsPointer() && t.IsPointer() {
		if base := c.classOf(t.Elem.Unqualified()); base != nil && c.baseDistance(from.Elem, t.Elem) > 0 {
			place := &Deref{Node{T: from.Elem, At: v.Pos(), LV: true}, v}
			part := c.toBase(place, base)
			return c.convert(&AddrOf{Node{T: types.PointerTo(part.Type()), At: v.Pos()}, part}, t)
		}
	}
	return c.convert(v, t)
}

// castReference returns a place as one of another type.
func (c *checker) castReference(e Expr, t *types.Type, kind string, pos source.Pos) Expr {
	if !e.Place() {
		if t.RValue || t.Elem.IsConst() {
			return c.bindTo(e, t, "the value of the cast")
		}
		c.errorf(pos, "cast", "only a variable can be cast to %s", t)
	}
	from := e.Type()
	if types.Same(from, t.Elem) || c.baseDistance(from, t.Elem) > 0 {
		if !types.Same(from, t.Elem) {
			e = c.toBase(e, c.classOf(t.Elem))
		}
		p := &AddrOf{Node{T: types.PointerTo(from), At: pos}, e}
		return c.derefAs(p, e, t, pos)
	}
	if kind == "static_cast" && c.baseDistance(t.Elem, from) == 0 {
		c.fail(source.Errorf(pos, "cast", "%s cannot be cast to %s", from, t).With("use reinterpret_cast if the memory is to be read as that"))
	}
	p := &AddrOf{Node{T: types.PointerTo(from), At: pos}, e}
	return &Deref{Node{T: t.Elem, At: pos, LV: true, XV: t.RValue}, c.convert(p, types.PointerTo(t.Elem))}
}

// derefAs is the place e with the qualifiers of a reference. It stays the same
// place: nothing is said of its address.
func (c *checker) derefAs(p Expr, e Expr, t *types.Type, pos source.Pos) Expr {
	switch x := e.(type) {
	case *VarRef:
		y := *x
		y.T, y.XV = t.Elem, t.RValue
		return &y
	case *Field:
		y := *x
		y.T, y.XV = t.Elem, t.RValue
		return &y
	case *Index:
		y := *x
		y.T, y.XV = t.Elem, t.RValue
		return &y
	case *Deref:
		y := *x
		y.T, y.XV = t.Elem, t.RValue
		return &y
	}
	return &Deref{Node{T: t.Elem, At: pos, LV: true, XV: t.RValue}, c.convert(p, types.PointerTo(t.Elem))}
}
