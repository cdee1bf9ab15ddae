package lower

import (
	"math"

	"workbench/engine/simt/check"
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// place returns the place that an expression is.
func (w *writer) place(e check.Expr) *place {
	w.enter(e)
	defer w.leave()
	switch e := e.(type) {
	case *check.VarRef:
		return w.varPlace(e)
	case *check.Field:
		if !e.X.Place() {
			return w.valuePlace(w.partOf(w.value(e.X), e.X.Type(), e.Index))
		}
		p := w.field(w.place(e.X), e.Index)
		p.volatile = p.volatile || e.T.IsVolatile()
		return p
	case *check.Index:
		return w.indexPlace(e)
	case *check.Deref:
		return w.derefPlace(e)
	case *check.Text:
		w.mark(e.At)
		return &place{t: e.T, memory: true, addr: w.addressOf(code.Constant, w.l.text(e)), space: code.Constant}
	case *check.Temp:
		return w.tempPlace(e)
	case *check.Cond:
		return w.condPlace(e)
	case *check.Comma:
		w.discard(e.X)
		return w.place(e.Y)
	case *check.Assign:
		return w.assign(e)
	case *check.OpAssign:
		return w.opAssign(e)
	case *check.Step:
		p, _ := w.step(e)
		return p
	case *check.Call:
		_, p := w.call(e)
		if p != nil {
			return p
		}
	case *check.Load:
		return w.place(e.X)
	}
	return w.valuePlace(w.value(e))
}

// enter counts how deep expressions are in one another.
func (w *writer) enter(e check.Expr) { w.depth++ }

func (w *writer) leave() { w.depth-- }

// valuePlace is a place for a value that is only read.
func (w *writer) valuePlace(v *value) *place {
	if v.mem != nil {
		return v.mem
	}
	return &place{t: v.t, vals: v.leaves}
}

// partOf is a member of a value.
func (w *writer) partOf(v *value, t *types.Type, index int) *value {
	f := t.Struct.Fields[index]
	if v.mem != nil {
		return w.load(w.field(v.mem, index))
	}
	from, to := w.l.fieldLeaves(t, index)
	return &value{t: stored(f.Type), leaves: v.leaves[from:to]}
}

// varPlace is the place of a variable.
func (w *writer) varPlace(e *check.VarRef) *place {
	v := e.Var
	for f := w.frame; f != nil; f = f.parent {
		if k, ok := f.known[v]; ok {
			return &place{t: e.T, vals: []code.Value{{Bits: check.Bits(v.Type, k)}}}
		}
		if p := f.places[v]; p != nil {
			if types.Identical(p.t, e.T) {
				return p
			}
			out := *p
			out.t = e.T
			out.volatile = p.volatile || e.T.IsVolatile()
			return &out
		}
		if v.Storage == check.Auto || v.Storage == check.Param {
			break // another function's variables are not in sight
		}
	}
	w.mark(e.At)
	switch v.Storage {
	case check.Machine:
		return w.machine(e)
	case check.Shared, check.Dynamic, check.Global, check.Constant:
		if v.Value() != nil && v.Type.IsScalar() {
			return &place{t: e.T, vals: []code.Value{{Bits: check.Bits(v.Type, *v.Value())}}}
		}
		space, index := w.l.variable(v)
		return &place{t: e.T, memory: true, addr: w.addressOf(space, index), space: space, volatile: v.Type.IsVolatile()}
	}
	if v.Value() != nil {
		return w.constantPlace(v, e.T)
	}
	// A variable that a switch jumps over, or one of a function around: nothing was
	// said of it.
	p := w.variable(v, v.Type.Referred(), nil)
	w.frame.places[v] = p
	return p
}

// constantPlace is the place of a constant of a function.
func (w *writer) constantPlace(v *check.Var, t *types.Type) *place {
	shape := w.l.shapeOf(v.Type)
	if shape.fits && !w.frame.facts.memory[v] {
		p := &place{t: t}
		for _, bits := range w.l.constantLeaves(v.Type, *v.Value(), nil) {
			p.vals = append(p.vals, code.Value{Bits: bits})
		}
		return p
	}
	space, index := w.l.variable(v)
	return &place{t: t, memory: true, addr: w.addressOf(space, index), space: space}
}

// machine is threadIdx and its like.
func (w *writer) machine(e *check.VarRef) *place {
	var regs [3]code.SpecialReg
	switch e.Var.Intrinsic {
	case "tid":
		regs = [3]code.SpecialReg{code.ThreadX, code.ThreadY, code.ThreadZ}
	case "ctaid":
		regs = [3]code.SpecialReg{code.BlockX, code.BlockY, code.BlockZ}
	case "ntid":
		regs = [3]code.SpecialReg{code.BlockDimX, code.BlockDimY, code.BlockDimZ}
	case "nctaid":
		regs = [3]code.SpecialReg{code.GridDimX, code.GridDimY, code.GridDimZ}
	}
	p := &place{t: e.T}
	for _, r := range regs {
		p.vals = append(p.vals, w.special(r))
	}
	return p
}

// machineField is one coordinate of threadIdx, without the others.
func (w *writer) machineField(e *check.Field) (code.Value, bool) {
	v, ok := e.X.(*check.VarRef)
	if !ok || v.Var.Storage != check.Machine || e.Index > 2 {
		return code.Value{}, false
	}
	w.mark(e.At)
	base := code.ThreadX
	switch v.Var.Intrinsic {
	case "ctaid":
		base = code.BlockX
	case "ntid":
		base = code.BlockDimX
	case "nctaid":
		base = code.GridDimX
	}
	return w.special(base + code.SpecialReg(e.Index)), true
}

func (w *writer) indexPlace(e *check.Index) *place {
	if !e.X.Place() {
		v := w.value(e.X)
		return w.at1(w.valuePlace(v), e)
	}
	return w.at1(w.place(e.X), e)
}

// at1 is an element of an array in a place.
func (w *writer) at1(p *place, e *check.Index) *place {
	i := w.scalar(e.I)
	t := e.T
	length := p.length()
	if n := int64(i.Bits); i.Reg == 0 && (length == 0 || n >= 0 && n < length) {
		if !p.memory && (n < 0 || n >= p.t.Len) {
			// Outside of an array in registers: there is nothing there. It is put into
			// memory, where the access is reported.
			to := w.local(nameOf(e.X), p.t, 0)
			w.begin(to)
			w.store(to, w.load(p))
			p = to
		}
		out := w.element(p, n)
		out.t = t
		return out
	}
	if !p.memory {
		addr, offset, _ := w.address(p)
		p = &place{t: p.t, memory: true, addr: addr, offset: offset, space: code.Local}
	}
	w.mark(e.At)
	out := *p
	out.t = t
	out.volatile = p.volatile || t.IsVolatile()
	out.inside, out.start = true, false
	dst := w.temp(types.Ptr)
	w.emit(&code.Index{At: w.b.At(), Dst: dst, Base: p.addr, Index: i, IndexType: e.I.Type().Scalar(), Scale: t.Size(), Len: length})
	out.addr = code.R(dst)
	return &out
}

// nameOf is what a message calls a place: a variable or its member.
func nameOf(e check.Expr) string {
	switch e := e.(type) {
	case *check.VarRef:
		return e.Var.Name
	case *check.Field:
		return nameOf(e.X) + "." + e.X.Type().Struct.Fields[e.Index].Name
	case *check.Load:
		return nameOf(e.X)
	}
	return "(temporary)"
}

// length is how many elements an array has that is a part of something larger; 0
// where memory ends with it, or where all of it is meant by its first row, as in
// a[0][i].
func (p *place) length() int64 {
	if !p.memory || !p.inside || p.start || p.t.Len < 2 {
		return 0
	}
	return p.t.Len
}

// indexed is an address and a number of elements.
func (w *writer) indexed(base, i code.Value, t *types.Type, scale int64) code.Value {
	dst := w.temp(types.Ptr)
	w.emit(&code.Index{At: w.b.At(), Dst: dst, Base: base, Index: i, IndexType: t.Scalar(), Scale: scale})
	return code.R(dst)
}

func (w *writer) derefPlace(e *check.Deref) *place {
	// *&x is x.
	if a, ok := e.X.(*check.AddrOf); ok {
		p := *w.place(a.X)
		p.t = e.T
		return &p
	}
	if d, ok := e.X.(*check.Decay); ok && types.Same(d.X.Type().Elem, e.T) {
		if p := w.place(d.X); p.memory {
			out := *p
			out.t = e.T
			return &out
		}
	}
	p := &place{t: e.T, memory: true, volatile: e.T.IsVolatile(), inside: true, start: true}
	if add, ok := e.X.(*check.PtrAdd); ok {
		// p[i], where i may be a constant.
		base := w.scalar(add.X)
		i := w.scalarAfter(base, add.X, add.I)
		size := add.T.Elem.Size()
		if i.fixed.Reg == 0 {
			n := int64(i.fixed.Bits)
			if add.Back {
				n = -n
			}
			p.addr, p.offset, p.start = i.base, n*size, n == 0
			return p
		}
		w.mark(add.At)
		p.start = false
		scale := size
		if add.Back {
			scale = -size
		}
		p.addr = w.indexed(i.base, i.fixed, add.I.Type(), scale)
		return p
	}
	p.addr = w.scalar(e.X)
	return p
}

// stable is a place that stays where it is, whatever the pointer by which it was
// found points to later: what a reference refers to.
func (w *writer) stable(p *place) *place {
	if !p.memory || p.addr.Reg == 0 || !w.named[p.addr.Reg] {
		return p
	}
	out := *p
	out.addr = w.fixed(p.addr, types.Ptr)
	return &out
}

// pair is a value and the one computed after it.
type pair struct{ base, fixed code.Value }

// scalarAfter computes y after x was, and keeps x if y may change it.
func (w *writer) scalarAfter(x code.Value, ex, ey check.Expr) pair {
	if x.Reg != 0 && w.named[x.Reg] && effects(ey) {
		x = w.fixed(x, ex.Type().Scalar())
	}
	return pair{x, w.scalar(ey)}
}

// effects reports whether an expression may change a variable.
func effects(e check.Expr) bool {
	yes := false
	check.WalkExpr(e, func(e check.Expr) {
		switch e := e.(type) {
		case *check.Assign, *check.OpAssign, *check.Step, *check.Made:
			yes = true
		case *check.Call:
			if e.Func.Intrinsic == "" || e.Func.Result.Kind == types.KindVoid {
				yes = true
			}
		}
	})
	return yes
}

func (w *writer) tempPlace(e *check.Temp) *place {
	if e.X.Place() {
		return w.place(e.X)
	}
	w.mark(e.At)
	t := e.X.Type().Unqualified()
	if !w.l.shapeOf(t).fits {
		p := w.local("(temporary)", t, 0)
		w.begin(p)
		w.initialise(p, e.X)
		return p
	}
	if m, ok := e.X.(*check.Made); ok {
		return w.makePlace(m)
	}
	v := w.value(e.X)
	if e.T.IsConst() {
		return w.valuePlace(w.fixedAll(v))
	}
	p := &place{t: t}
	for i, leaf := range w.l.shapeOf(t).leaves {
		r := w.temp(leaf.t.Scalar())
		w.named[r] = true
		p.regs = append(p.regs, r)
		w.emit(&code.Move{At: w.b.At(), Dst: r, X: v.leaves[i]})
	}
	return p
}

// condPlace is one of two places, by its address.
func (w *writer) condPlace(e *check.Cond) *place {
	c := w.scalar(e.If)
	if c.Reg == 0 {
		if c.Bits != 0 {
			return w.place(e.X)
		}
		return w.place(e.Y)
	}
	w.mark(e.At)
	dst := w.temp(types.Ptr)
	space := code.Generic
	i := &code.If{At: w.b.At(), Cond: c}
	var x, y *place
	i.Then = w.b.Block(func() {
		x = w.place(e.X)
		w.emit(&code.Move{At: w.b.At(), Dst: dst, X: w.pointer(x)})
	})
	i.Else = w.b.Block(func() {
		y = w.place(e.Y)
		w.emit(&code.Move{At: w.b.At(), Dst: dst, X: w.pointer(y)})
	})
	w.emit(i)
	if x.memory && y.memory && x.space == y.space {
		space = x.space
	}
	return &place{t: e.T, memory: true, addr: code.R(dst), space: space, volatile: e.T.IsVolatile()}
}

// ---- values -------------------------------------------------------------------------

// scalar returns the value of an expression of a scalar type.
func (w *writer) scalar(e check.Expr) code.Value {
	if f, ok := e.(*check.Field); ok {
		if v, ok := w.machineField(f); ok {
			return v
		}
	}
	v := w.value(e)
	if len(v.leaves) == 0 {
		return code.Value{}
	}
	return v.leaves[0]
}

func one(t *types.Type, v code.Value) *value { return &value{t: t, leaves: []code.Value{v}} }

// value returns the value of an expression.
func (w *writer) value(e check.Expr) *value {
	w.enter(e)
	defer w.leave()
	t := e.Type()
	switch e := e.(type) {
	case *check.Const:
		if e.Value.Text != nil {
			text := &check.Text{Node: check.Node{T: types.ArrayOf(types.Char, int64(len(*e.Value.Text))+1), At: e.At}, Data: *e.Value.Text}
			w.mark(e.At)
			return one(t, w.addressOf(code.Constant, w.l.text(text)))
		}
		v := &value{t: t}
		for _, bits := range w.l.constantLeaves(t, e.Value, nil) {
			v.leaves = append(v.leaves, code.Value{Bits: bits})
		}
		return v
	case *check.Load:
		return w.loadExpr(e)
	case *check.Field:
		if !e.X.Place() {
			return w.partOf(w.value(e.X), e.X.Type(), e.Index)
		}
	case *check.AddrOf:
		p := w.place(e.X)
		w.mark(e.At)
		return one(t, w.pointer(p))
	case *check.Decay:
		p := w.place(e.X)
		w.mark(e.At)
		return one(t, w.pointer(p))
	case *check.Convert:
		return w.convertExpr(e)
	case *check.Unary:
		return one(t, w.unary(e))
	case *check.Binary:
		return one(t, w.binary(e))
	case *check.Compare:
		x := w.scalar(e.X)
		p := w.scalarAfter(x, e.X, e.Y)
		w.mark(e.At)
		return one(t, w.compare(e.Op, e.X.Type(), p.base, p.fixed))
	case *check.Logical:
		return one(t, w.logical(e))
	case *check.PtrAdd:
		return one(t, w.ptrAdd(e))
	case *check.PtrDiff:
		return one(t, w.ptrDiff(e))
	case *check.Cond:
		return w.condValue(e)
	case *check.Comma:
		w.discard(e.X)
		return w.value(e.Y)
	case *check.Assign, *check.OpAssign:
		return w.load(w.place(e))
	case *check.Step:
		if e.Post {
			_, old := w.step(e)
			return one(t, old)
		}
		p, _ := w.step(e)
		return w.load(p)
	case *check.Call:
		v, p := w.call(e)
		if p != nil {
			return w.load(p)
		}
		return v
	case *check.Made:
		return w.load(w.makePlace(e))
	case *check.Group:
		return w.group(e)
	case *check.Zero:
		if w.l.shapeOf(t).fits {
			return w.zero(t)
		}
		return w.inMemory(e)
	case *check.Undef:
		v := &value{t: t}
		if !w.l.shapeOf(t).fits {
			return w.inMemory(e)
		}
		w.mark(e.At)
		for _, leaf := range w.l.shapeOf(t).leaves {
			v.leaves = append(v.leaves, w.undefined(leaf.t))
		}
		return v
	case *check.Printf:
		return w.printf(e)
	case *check.Assert:
		cond := w.scalar(e.Cond)
		w.mark(e.At)
		w.emit(&code.Assert{At: w.b.At(), Cond: cond, Text: e.Text, Function: e.In})
		return &value{t: t}
	case *check.Register:
		return w.register(e)
	}
	if e.Place() {
		return w.load(w.place(e))
	}
	panic("BUG: an expression that is not lowered")
}

// inMemory makes a value in local memory.
func (w *writer) inMemory(e check.Expr) *value {
	w.mark(e.Pos())
	p := w.local("(temporary)", e.Type(), 0)
	w.begin(p)
	w.initialise(p, e)
	return &value{t: e.Type(), mem: p}
}

// loadExpr reads a place. Of a choice of places only the one that is chosen is
// read.
func (w *writer) loadExpr(e *check.Load) *value {
	if c, ok := e.X.(*check.Cond); ok && c.Place() {
		x := &check.Load{Node: check.Node{T: e.T, At: c.X.Pos()}, X: c.X}
		y := &check.Load{Node: check.Node{T: e.T, At: c.Y.Pos()}, X: c.Y}
		return w.condValue(&check.Cond{Node: check.Node{T: e.T, At: c.At}, If: c.If, X: x, Y: y})
	}
	if f, ok := e.X.(*check.Field); ok {
		if v, ok := w.machineField(f); ok {
			return one(e.T, v)
		}
	}
	p := w.place(e.X)
	w.mark(e.At)
	v := w.load(p)
	v.t = e.T
	return v
}

func (w *writer) convertExpr(e *check.Convert) *value {
	if e.T.Kind == types.KindVoid {
		w.discard(e.X)
		return &value{t: e.T}
	}
	x := w.scalar(e.X)
	w.mark(e.At)
	return one(e.T, w.convert(e.T, e.X.Type(), x))
}

// convert is the conversion of a scalar.
func (w *writer) convert(to, from *types.Type, x code.Value) code.Value {
	ts, fs := to.Scalar(), from.Scalar()
	if x.Reg == 0 {
		switch {
		case ts == types.Ptr || fs == types.Ptr:
			if ts == types.Pred {
				return code.Int(types.Pred, int64(bit(x.Bits != 0)))
			}
			return x
		default:
			v := check.ConvertValue(to, from, check.FromBits(from, x.Bits))
			return code.Value{Bits: check.Bits(to, v)}
		}
	}
	if ts == fs {
		return x
	}
	if ts == types.Ptr && !wide64(fs) {
		x = w.convert(types.Long, from, x)
		fs = types.I64
	}
	dst := w.temp(ts)
	w.emit(&code.Convert{At: w.b.At(), To: ts, From: fs, Dst: dst, X: x})
	return code.R(dst)
}

func wide64(t types.Scalar) bool { return t == types.I64 || t == types.U64 }

func bit(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (w *writer) unary(e *check.Unary) code.Value {
	x := w.scalar(e.X)
	w.mark(e.At)
	op := code.Neg
	if e.Op != "-" {
		op = code.Not
	}
	if x.Reg == 0 {
		v := check.FromBits(e.T, x.Bits)
		switch {
		case e.Op == "!":
			return code.Value{Bits: x.Bits ^ 1}
		case e.Op == "~":
			return code.Int(e.T.Scalar(), int64(^x.Bits))
		case e.T.Floating():
			return code.Value{Bits: check.Bits(e.T, check.Value{Float: -v.Float})}
		}
		return code.Int(e.T.Scalar(), -int64(x.Bits))
	}
	dst := w.temp(e.T.Scalar())
	w.emit(&code.Unary{At: w.b.At(), Op: op, Type: e.T.Scalar(), Dst: dst, X: x})
	return code.R(dst)
}

var binaryOps = map[string]code.BinaryOp{
	"+": code.Add, "-": code.Sub, "*": code.Mul, "/": code.Div, "%": code.Rem, "&": code.And, "|": code.Or, "^": code.Xor, "<<": code.Shl, ">>": code.Shr,
}

func (w *writer) binary(e *check.Binary) code.Value {
	x := w.scalar(e.X)
	p := w.scalarAfter(x, e.X, e.Y)
	w.mark(e.At)
	return w.arithmetic(e.Op, e.T, p.base, p.fixed, e.Y.Type())
}

// arithmetic is x op y in the type t; ty is the type of y.
func (w *writer) arithmetic(op string, t *types.Type, x, y code.Value, ty *types.Type) code.Value {
	s := t.Scalar()
	if x.Reg == 0 && y.Reg == 0 {
		if v, ok := check.Compute(op, t, check.FromBits(t, x.Bits), check.FromBits(ty, y.Bits), ty); ok {
			return code.Value{Bits: check.Bits(t, v)}
		}
	}
	if s.Integer() {
		if v, ok := simplified(op, x, y); ok {
			return v
		}
	}
	if op == "<<" || op == ">>" {
		// The amount is u32: a GPU looks at its lower 32 bits.
		y = w.convert(types.UInt, ty, y)
	}
	if op == "*" && s.Integer() && y.Reg == 0 && y.Bits != 0 && y.Bits&(y.Bits-1) == 0 && int64(y.Bits) > 0 {
		n := 0
		for y.Bits>>n > 1 {
			n++
		}
		dst := w.temp(s)
		w.emit(&code.Binary{At: w.b.At(), Op: code.Shl, Type: s, Dst: dst, X: x, Y: code.Int(types.U32, int64(n))})
		return code.R(dst)
	}
	if s.Float() && y.Reg == 0 {
		// A division by a power of two is a product, which rounds the same, and may
		// be contracted; a product with one is nothing.
		if r, ok := reciprocal(s, y.Bits); ok && op == "/" {
			op, y = "*", code.Value{Bits: r}
		}
		if op == "*" && check.FromBits(t, y.Bits).Float == 1 {
			return x
		}
	}
	dst := w.temp(s)
	w.emit(&code.Binary{At: w.b.At(), Op: binaryOps[op], Type: s, Dst: dst, X: x, Y: y})
	return code.R(dst)
}

// reciprocal returns the bits of 1/x where that is exact, and no subnormal number.
func reciprocal(s types.Scalar, bits uint64) (uint64, bool) {
	switch s {
	case types.F32:
		x := math.Float32frombits(uint32(bits))
		if fraction, exponent := math.Frexp(float64(x)); fraction != 0.5 && fraction != -0.5 || exponent < -124 || exponent > 125 {
			return 0, false
		}
		return uint64(math.Float32bits(1 / x)), true
	case types.F64:
		x := math.Float64frombits(bits)
		if fraction, exponent := math.Frexp(x); fraction != 0.5 && fraction != -0.5 || exponent < -1020 || exponent > 1020 {
			return 0, false
		}
		return math.Float64bits(1 / x), true
	}
	return 0, false
}

// simplified is an operation on integers whose result is one of its operands.
func simplified(op string, x, y code.Value) (code.Value, bool) {
	is := func(v code.Value, n uint64) bool { return v.Reg == 0 && v.Bits == n }
	switch op {
	case "+":
		if is(x, 0) {
			return y, true
		}
		if is(y, 0) {
			return x, true
		}
	case "-", "|", "^", "<<", ">>":
		if is(y, 0) {
			return x, true
		}
	case "*":
		switch {
		case is(x, 1):
			return y, true
		case is(y, 1):
			return x, true
		case is(x, 0), is(y, 0):
			return code.Value{}, true
		}
	case "/":
		if is(y, 1) {
			return x, true
		}
	case "&":
		if is(x, 0) || is(y, 0) {
			return code.Value{}, true
		}
	}
	return code.Value{}, false
}

var compareOps = map[string]code.CompareOp{"==": code.EQ, "!=": code.NE, "<": code.LT, "<=": code.LE, ">": code.GT, ">=": code.GE}

func (w *writer) compare(op string, t *types.Type, x, y code.Value) code.Value {
	s := t.Scalar()
	if x.Reg == 0 && y.Reg == 0 && s != types.Ptr {
		v := check.CompareValues(op, t, check.FromBits(t, x.Bits), check.FromBits(t, y.Bits))
		return code.Value{Bits: v.Bits}
	}
	if s == types.Pred && op != "==" && op != "!=" {
		x, y = w.convert(types.Int, t, x), w.convert(types.Int, t, y)
		s = types.I32
	}
	if s.Size() < 4 && s.Integer() {
		x, y = w.convert(types.Int, t, x), w.convert(types.Int, t, y)
		s = types.I32
	}
	dst := w.temp(types.Pred)
	w.emit(&code.Compare{At: w.b.At(), Op: compareOps[op], Type: s, Dst: dst, X: x, Y: y})
	return code.R(dst)
}

// logical is && and ||: the right side is computed only where it is needed, unless
// nobody can tell.
func (w *writer) logical(e *check.Logical) code.Value {
	and := e.Op == "&&"
	x := w.scalar(e.X)
	if x.Reg == 0 {
		if (x.Bits != 0) != and {
			return x
		}
		return w.scalar(e.Y)
	}
	if w.harmless(e.Y) {
		p := w.scalarAfter(x, e.X, e.Y)
		w.mark(e.At)
		switch {
		case p.fixed.Reg == 0 && (p.fixed.Bits != 0) == and:
			return p.base
		case p.fixed.Reg == 0:
			return p.fixed
		}
		op := code.Or
		if and {
			op = code.And
		}
		dst := w.temp(types.Pred)
		w.emit(&code.Binary{At: w.b.At(), Op: op, Type: types.Pred, Dst: dst, X: p.base, Y: p.fixed})
		return code.R(dst)
	}
	w.mark(e.At)
	dst := w.temp(types.Pred)
	w.emit(&code.Move{At: w.b.At(), Dst: dst, X: x})
	then := w.b.Block(func() {
		y := w.scalar(e.Y)
		w.mark(e.At)
		w.emit(&code.Move{At: w.b.At(), Dst: dst, X: y})
	})
	i := &code.If{At: w.b.At(), Cond: code.R(dst)}
	if and {
		i.Then = then
	} else {
		i.Else = then
	}
	w.emit(i)
	return code.R(dst)
}

// harmless reports whether an expression is cheap, changes nothing and cannot
// fault, so that it may be computed where its value is not needed.
func (w *writer) harmless(e check.Expr) bool {
	n := 0
	ok := true
	check.WalkExpr(e, func(e check.Expr) {
		n++
		switch e := e.(type) {
		case *check.Const, *check.Convert, *check.Unary, *check.Compare, *check.Logical, *check.VarRef, *check.Field:
		case *check.Load:
			v := rootVar(e.X)
			if v == nil || !w.inRegisters(v) {
				ok = false
			}
		case *check.Index:
			if _, constant := e.I.(*check.Const); !constant {
				ok = false
			}
		case *check.Binary:
			if (e.Op == "/" || e.Op == "%") && !e.T.Floating() {
				if k, constant := e.Y.(*check.Const); !constant || k.Value.Bits == 0 {
					ok = false
				}
			}
			if e.Op == "/" && e.T.Floating() {
				n += 4
			}
		default:
			ok = false
		}
	})
	return ok && n <= 16
}

// inRegisters reports whether reading a variable reads no memory.
func (w *writer) inRegisters(v *check.Var) bool {
	if v.Storage == check.Machine || v.Value() != nil && v.Type.IsScalar() {
		return true
	}
	if _, ok := w.frame.known[v]; ok {
		return true
	}
	p := w.frame.places[v]
	return p != nil && !p.memory
}

func (w *writer) ptrAdd(e *check.PtrAdd) code.Value {
	base := w.scalar(e.X)
	p := w.scalarAfter(base, e.X, e.I)
	w.mark(e.At)
	size := e.T.Elem.Size()
	if e.Back {
		size = -size
	}
	if p.fixed.Reg == 0 {
		return w.offsetBy(p.base, int64(p.fixed.Bits)*size)
	}
	return w.indexed(p.base, p.fixed, e.I.Type(), size)
}

func (w *writer) ptrDiff(e *check.PtrDiff) code.Value {
	x := w.scalar(e.X)
	p := w.scalarAfter(x, e.X, e.Y)
	w.mark(e.At)
	a := w.convert(types.Long, e.X.Type(), p.base)
	b := w.convert(types.Long, e.Y.Type(), p.fixed)
	d := w.arithmetic("-", types.Long, a, b, types.Long)
	return w.arithmetic("/", types.Long, d, code.Int(types.I64, max(e.X.Type().Elem.Size(), 1)), types.Long)
}

// condValue is one of two values.
func (w *writer) condValue(e *check.Cond) *value {
	c := w.scalar(e.If)
	if c.Reg == 0 {
		if c.Bits != 0 {
			return w.value(e.X)
		}
		return w.value(e.Y)
	}
	if e.T.Kind == types.KindVoid {
		w.mark(e.At)
		i := &code.If{At: w.b.At(), Cond: c}
		i.Then = w.b.Block(func() { w.discard(e.X) })
		i.Else = w.b.Block(func() { w.discard(e.Y) })
		w.emit(i)
		return &value{t: e.T}
	}
	shape := w.l.shapeOf(e.T)
	if !shape.fits {
		w.mark(e.At)
		to := w.local("(temporary)", e.T, 0)
		w.begin(to)
		i := &code.If{At: w.b.At(), Cond: c}
		i.Then = w.b.Block(func() { w.initialise(to, e.X) })
		i.Else = w.b.Block(func() { w.initialise(to, e.Y) })
		w.emit(i)
		return &value{t: e.T, mem: to}
	}
	if w.harmless(e.X) && w.harmless(e.Y) {
		c = w.fixed(c, types.Pred)
		x := w.value(e.X)
		y := w.value(e.Y)
		w.mark(e.At)
		out := &value{t: e.T}
		for i, leaf := range shape.leaves {
			dst := w.temp(leaf.t.Scalar())
			w.emit(&code.Select{At: w.b.At(), Type: leaf.t.Scalar(), Dst: dst, Cond: c, X: x.leaves[i], Y: y.leaves[i]})
			out.leaves = append(out.leaves, code.R(dst))
		}
		return out
	}
	w.mark(e.At)
	var regs []code.Reg
	out := &value{t: e.T}
	for _, leaf := range shape.leaves {
		r := w.temp(leaf.t.Scalar())
		regs = append(regs, r)
		out.leaves = append(out.leaves, code.R(r))
	}
	i := &code.If{At: w.b.At(), Cond: c}
	i.Then = w.b.Block(func() { w.moves(regs, w.value(e.X).leaves) })
	i.Else = w.b.Block(func() { w.moves(regs, w.value(e.Y).leaves) })
	w.emit(i)
	return out
}

// group is a struct or an array of its parts.
func (w *writer) group(e *check.Group) *value {
	shape := w.l.shapeOf(e.T)
	if !shape.fits {
		return w.inMemory(e)
	}
	v := &value{t: e.T}
	part := func(i int, t *types.Type) {
		if i >= len(e.Parts) || e.Parts[i] == nil {
			v.leaves = append(v.leaves, w.zero(t).leaves...)
			return
		}
		x := w.value(e.Parts[i])
		for _, later := range e.Parts[i+1:] {
			if later != nil && effects(later) {
				x = w.fixedAll(x)
				break
			}
		}
		v.leaves = append(v.leaves, x.leaves...)
	}
	if e.T.Kind == types.KindArray {
		for i := range e.T.Len {
			part(int(i), e.T.Elem)
		}
		return v
	}
	for i, f := range e.T.Struct.Fields {
		part(i, stored(f.Type))
	}
	return v
}

// initialise puts what a variable starts as into its place.
func (w *writer) initialise(p *place, e check.Expr) {
	switch x := e.(type) {
	case *check.Undef:
		w.undefine(p)
		return
	case *check.Zero:
		w.clear(p)
		return
	case *check.Made:
		w.construct(x, p)
		return
	case *check.Group:
		if p.memory || !w.l.shapeOf(p.t).fits {
			w.initialiseParts(p, x)
			return
		}
	}
	v := w.value(e)
	w.mark(e.Pos())
	w.store(p, v)
}

// undefine says that nothing is said of a place.
func (w *writer) undefine(p *place) {
	if p.memory {
		return // Begin says it
	}
	for _, r := range p.regs {
		w.emit(&code.Undef{At: w.b.At(), Dst: r})
	}
}

func (w *writer) initialiseParts(p *place, g *check.Group) {
	t := g.T
	if t.Kind == types.KindStruct {
		if t.Struct.Union {
			for _, part := range g.Parts {
				w.initialise(w.field(p, g.First), part)
			}
			return
		}
		if _, n := w.vector(t); n > 0 {
			v := w.group(g)
			w.mark(g.At)
			w.store(p, v)
			return
		}
		for i, f := range t.Struct.Fields {
			if f.Type.Kind == types.KindStruct && f.Type.Struct.Empty() {
				continue
			}
			to := w.field(p, i)
			if i < len(g.Parts) && g.Parts[i] != nil {
				w.initialise(to, g.Parts[i])
				continue
			}
			w.mark(g.At)
			w.clear(to)
		}
		return
	}
	n := int64(len(g.Parts))
	for i := range n {
		to := w.element(p, i)
		if g.Parts[i] != nil {
			w.initialise(to, g.Parts[i])
			continue
		}
		w.clear(to)
	}
	if n < t.Len {
		w.mark(g.At)
		size := t.Elem.Size()
		w.repeat(t.Len-n, func(i code.Value, known int64) {
			to := w.element(p, n+max(known, 0))
			if known < 0 {
				to.addr = w.b.Index(p.addr, types.I64, i, size, 0)
			}
			w.clear(to)
		})
	}
}

// makePlace is a struct that a constructor makes, in a place of its own.
func (w *writer) makePlace(e *check.Made) *place {
	w.mark(e.At)
	f := w.l.factsOf(e.Func)
	fits := w.l.shapeOf(e.T).fits
	var p *place
	if !fits || f == nil || !w.l.written(e.Func) || f.memory[e.Func.This] {
		p = w.local("(temporary)", e.T, 0)
		w.begin(p)
	} else {
		p = w.variable(&check.Var{}, e.T, nil)
	}
	w.construct(e, p)
	return p
}

// construct runs a constructor on a place.
func (w *writer) construct(e *check.Made, p *place) {
	w.undefine(p)
	call := &check.Call{Node: check.Node{T: types.VoidType, At: e.At}, Func: e.Func, Args: e.Args}
	w.callWith(call, p)
}

// discard computes an expression for what it does.
func (w *writer) discard(e check.Expr) {
	switch x := e.(type) {
	case *check.Convert:
		if x.T.Kind == types.KindVoid || !effects(x.X) && !reads(x.X) {
			w.discard(x.X)
			return
		}
	case *check.Load:
		if x.X.Type().IsVolatile() {
			break
		}
		w.discard(x.X)
		return
	case *check.VarRef, *check.Const, *check.Text:
		return
	case *check.Field:
		w.discard(x.X)
		return
	case *check.Comma:
		w.discard(x.X)
		w.discard(x.Y)
		return
	case *check.Step:
		before := *x
		before.Post = false // nobody asks for the value before
		w.step(&before)
		return
	case *check.Assign, *check.OpAssign:
		w.place(e)
		return
	case *check.Call:
		w.call(x)
		return
	}
	if e.Place() {
		w.place(e)
		return
	}
	w.value(e)
}

// reads reports whether an expression reads memory, which may fault.
func reads(e check.Expr) bool {
	yes := false
	check.WalkExpr(e, func(e check.Expr) {
		switch e.(type) {
		case *check.Load, *check.Call, *check.Made:
			yes = true
		}
	})
	return yes
}

// ---- assignment ------------------------------------------------------------------------

func (w *writer) assign(e *check.Assign) *place {
	if e.X.Type().Kind == types.KindArray || !w.l.shapeOf(e.X.Type()).fits {
		if _, ok := e.Y.(*check.Load); !ok {
			if rootVar(e.X) == nil || !mentions(e.Y, rootVar(e.X)) {
				p := w.place(e.X)
				w.mark(e.At)
				w.initialise(p, e.Y)
				return p
			}
		}
	}
	if m, ok := e.Y.(*check.Made); ok && isThis(e.X) {
		// A constructor's own member is made where it is.
		p := w.place(e.X)
		w.construct(m, p)
		return p
	}
	v := w.value(e.Y)
	if effects(e.X) {
		v = w.fixedAll(v)
	}
	p := w.place(e.X)
	w.mark(e.X.Pos()) // an access is where its place is named, and not at the =
	w.store(p, v)
	return p
}

// isThis reports whether a place is a member of the object of a method.
func isThis(e check.Expr) bool {
	f, ok := e.(*check.Field)
	if !ok {
		return false
	}
	v, ok := f.X.(*check.VarRef)
	return ok && v.Var.Name == "this"
}

// mentions reports whether an expression names a variable.
func mentions(e check.Expr, v *check.Var) bool {
	yes := false
	check.WalkExpr(e, func(e check.Expr) {
		if r, ok := e.(*check.VarRef); ok && r.Var == v {
			yes = true
		}
	})
	return yes
}

func (w *writer) opAssign(e *check.OpAssign) *place {
	y := w.scalar(e.Y)
	if effects(e.X) {
		y = w.fixed(y, e.Y.Type().Scalar())
	}
	p := w.place(e.X)
	w.mark(e.X.Pos())
	t := e.X.Type().Unqualified()
	x := w.load(p).leaves[0]
	w.mark(e.At)
	var r code.Value
	if t.IsPointer() {
		size := t.Elem.Size()
		if e.Op == "-" {
			size = -size
		}
		if y.Reg == 0 {
			r = w.offsetBy(x, int64(y.Bits)*size)
		} else {
			r = w.indexed(x, y, e.Y.Type(), size)
		}
	} else {
		x = w.convert(e.Calc, t, x)
		r = w.convert(t, e.Calc, w.arithmetic(e.Op, e.Calc, x, y, e.Y.Type()))
	}
	w.mark(e.X.Pos())
	w.store(p, one(t, r))
	return p
}

// step is ++ and --; it returns the place and, if it is asked for, the value
// before.
func (w *writer) step(e *check.Step) (*place, code.Value) {
	p := w.place(e.X)
	w.mark(e.X.Pos())
	t := e.X.Type().Unqualified()
	x := w.load(p).leaves[0]
	old := x
	if e.Post {
		old = w.fixed(x, t.Scalar())
	}
	var r code.Value
	op := "+"
	if e.Down {
		op = "-"
	}
	switch {
	case t.IsPointer():
		size := t.Elem.Size()
		if e.Down {
			size = -size
		}
		r = w.offsetBy(x, size)
	case t.Floating():
		r = w.arithmetic(op, t, x, code.Value{Bits: check.Bits(t, check.Value{Float: 1})}, t)
	default:
		calc := t
		if t.Size() < 4 {
			calc = types.Int
		}
		r = w.convert(t, calc, w.arithmetic(op, calc, w.convert(calc, t, x), code.Int(calc.Scalar(), 1), calc))
	}
	w.store(p, one(t, r))
	return p, old
}
