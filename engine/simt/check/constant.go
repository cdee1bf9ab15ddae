package check

import (
	"math"

	"workbench/engine/simt/source"
	"workbench/engine/simt/types"
)

// constant computes an expression that is known while compiling. It reports false
// for one that is not: that reads memory, divides by zero, or takes too long.
func (c *checker) constant(e Expr) (v Value, ok bool) {
	ev := &evaluator{c: c}
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(notConstant); !is {
				panic(r)
			}
			v, ok = Value{}, false
		}
	}()
	return clone(ev.value(e)), true
}

// notConstant ends an evaluation.
type notConstant struct{}

// An evaluator runs the part of the language that constants are made of.
type evaluator struct {
	c      *checker
	frames []map[*Var]*Value
	refs   []map[*Var]*Value // what references refer to
	depth  int
}

func (ev *evaluator) fail() { panic(notConstant{}) }

// tick counts a step; there are only so many in a source.
func (ev *evaluator) tick(at source.Pos) {
	if ev.c.steps++; ev.c.steps > ev.c.limits.Steps {
		ev.c.errorf(at, "constexpr", "computing what must be known when the kernel is compiled takes more than %d steps", ev.c.limits.Steps)
	}
	if ev.depth > 10*ev.c.limits.Nesting {
		ev.c.errorf(at, "constexpr", "constexpr functions call each other too deep")
	}
}

// place returns where the value of a place is.
func (ev *evaluator) place(e Expr) *Value {
	ev.tick(e.Pos())
	ev.depth++
	defer func() { ev.depth-- }()
	switch e := e.(type) {
	case *VarRef:
		if n := len(ev.frames) - 1; n >= 0 {
			if v := ev.refs[n][e.Var]; v != nil {
				return v
			}
			if v := ev.frames[n][e.Var]; v != nil {
				return v
			}
		}
		if e.Var.value != nil {
			v := clone(*e.Var.value)
			return &v
		}
	case *Field:
		x := ev.place(e.X)
		if e.Index < len(x.Parts) {
			return &x.Parts[e.Index]
		}
	case *Index:
		x := ev.place(e.X)
		i := ev.value(e.I)
		if i.Bits < uint64(len(x.Parts)) {
			return &x.Parts[i.Bits]
		}
	case *Temp:
		v := ev.value(e.X)
		return &v
	case *Cond:
		if ev.value(e.If).Bits != 0 {
			return ev.place(e.X)
		}
		return ev.place(e.Y)
	case *Comma:
		ev.drop(e.X)
		return ev.place(e.Y)
	case *Assign:
		v := clone(ev.value(e.Y))
		to := ev.place(e.X)
		*to = v
		return to
	case *OpAssign:
		return ev.opAssign(e)
	case *Step:
		to := ev.place(e.X)
		ev.step(e, to)
		return to
	case *Call:
		if r, _ := ev.call(e); r != nil {
			return r
		}
	case *Text:
		v := ev.text(e)
		return &v
	}
	if !e.Place() {
		v := ev.value(e)
		return &v
	}
	ev.fail()
	return nil
}

func (ev *evaluator) text(e *Text) Value {
	v := Value{}
	for i := range e.Data {
		v.Parts = append(v.Parts, Value{Bits: uint64(int8(e.Data[i]))})
	}
	v.Parts = append(v.Parts, Value{})
	return v
}

func (ev *evaluator) drop(e Expr) {
	if e.Place() {
		ev.place(e)
		return
	}
	ev.value(e)
}

func (ev *evaluator) value(e Expr) Value {
	ev.tick(e.Pos())
	ev.depth++
	defer func() { ev.depth-- }()
	switch e := e.(type) {
	case *Const:
		return e.Value
	case *Load:
		return *ev.place(e.X)
	case *Decay:
		if text, ok := e.X.(*Text); ok {
			s := text.Data
			return Value{Text: &s}
		}
	case *Convert:
		v := ev.value(e.X)
		from := e.X.Type()
		if e.T.Kind == types.KindVoid {
			return Value{}
		}
		if from.IsPointer() && !e.T.IsPointer() && e.T.Kind != types.KindBool {
			ev.fail()
		}
		return convertValue(e.T, from, v)
	case *Unary:
		return ev.unary(e)
	case *Binary:
		x, y := ev.value(e.X), ev.value(e.Y)
		return ev.arithmetic(e.Op, e.T, x, y, e.Y.Type())
	case *Compare:
		return ev.compare(e)
	case *Logical:
		x := ev.value(e.X).Bits != 0
		if x == (e.Op == "||") {
			return boolean(x)
		}
		return boolean(ev.value(e.Y).Bits != 0)
	case *Cond:
		if ev.value(e.If).Bits != 0 {
			return ev.value(e.X)
		}
		return ev.value(e.Y)
	case *Comma:
		ev.drop(e.X)
		return ev.value(e.Y)
	case *Step:
		to := ev.place(e.X)
		old := *to
		ev.step(e, to)
		return old
	case *Group:
		return ev.group(e)
	case *Zero:
		v, ok := zero(e.T)
		if !ok {
			ev.fail()
		}
		return v
	case *Undef:
		v, ok := zero(e.T)
		if !ok {
			ev.fail()
		}
		return v
	case *Made:
		obj, ok := zero(e.T)
		if !ok {
			ev.fail()
		}
		ev.run(e.Func, &obj, e.Args)
		return obj
	case *Call:
		_, v := ev.call(e)
		return v
	}
	if e.Place() {
		return *ev.place(e)
	}
	ev.fail()
	return Value{}
}

func (ev *evaluator) group(e *Group) Value {
	v, ok := zero(e.T)
	if !ok {
		ev.fail()
	}
	for i, p := range e.Parts {
		if p == nil {
			continue
		}
		at := i
		if e.T.Kind == types.KindStruct && e.T.Struct.Union {
			ev.fail() // which member it has is not kept
		}
		if p.Type().IsPointer() {
			if k := ev.value(p); k.Text == nil && (k.Bits == 0 || pointsToFunction(p.Type())) {
				v.Parts[at] = k
				continue
			}
			ev.fail()
		}
		v.Parts[at] = clone(ev.value(p))
	}
	return v
}

func (ev *evaluator) unary(e *Unary) Value {
	v := ev.value(e.X)
	switch {
	case e.Op == "!":
		return boolean(v.Bits == 0)
	case e.Op == "~":
		return integer(e.T, ^v.Bits)
	case e.T.Floating():
		return Value{Float: -v.Float}
	}
	return integer(e.T, -v.Bits)
}

func (ev *evaluator) compare(e *Compare) Value {
	x, y := ev.value(e.X), ev.value(e.Y)
	if x.Text != nil && y.Text != nil {
		ev.fail()
	}
	return CompareValues(e.Op, e.X.Type(), x, y)
}

// CompareValues is the truth value x op y of two values of the scalar type t.
func CompareValues(op string, t *types.Type, x, y Value) Value {
	var less, equal, greater bool
	switch {
	case t.Floating():
		less, equal, greater = x.Float < y.Float, x.Float == y.Float, x.Float > y.Float
	case x.Text != nil || y.Text != nil:
		less, greater = y.Text != nil, x.Text != nil // against null
	case t.Signed():
		less, equal, greater = int64(x.Bits) < int64(y.Bits), x.Bits == y.Bits, int64(x.Bits) > int64(y.Bits)
	default:
		less, equal, greater = x.Bits < y.Bits, x.Bits == y.Bits, x.Bits > y.Bits
	}
	switch op {
	case "==":
		return boolean(equal)
	case "!=":
		return boolean(!equal)
	case "<":
		return boolean(less)
	case "<=":
		return boolean(less || equal)
	case ">":
		return boolean(greater)
	}
	return boolean(greater || equal)
}

// arithmetic is x op y in the type t.
func (ev *evaluator) arithmetic(op string, t *types.Type, x, y Value, ty *types.Type) Value {
	v, ok := Compute(op, t, x, y, ty)
	if !ok {
		ev.fail()
	}
	return v
}

// Compute is x op y in the type t, as a GPU computes it; false for a division of
// integers by zero. ty is the type of y, which for a shift may be another.
func Compute(op string, t *types.Type, x, y Value, ty *types.Type) (Value, bool) {
	if t.Floating() {
		var r float64
		switch op {
		case "+":
			r = x.Float + y.Float
		case "-":
			r = x.Float - y.Float
		case "*":
			r = float64(x.Float * y.Float)
		case "/":
			r = x.Float / y.Float
		default:
			return Value{}, false
		}
		// The double result of two numbers of half its precision or less is rounded
		// once more without harm.
		return Value{Float: quiet(t, round(t, r))}, true
	}
	signed := t.Signed()
	width := uint64(8 * t.Size())
	a, b := x.Bits, y.Bits
	var r uint64
	switch op {
	case "+":
		r = a + b
	case "-":
		r = a - b
	case "*":
		r = a * b
	case "&":
		r = a & b
	case "|":
		r = a | b
	case "^":
		r = a ^ b
	case "<<":
		if n := amount(b, ty); n < width {
			r = a << n
		}
	case ">>":
		n := amount(b, ty)
		switch {
		case signed:
			r = uint64(int64(a) >> min(n, 63))
		case n < width:
			r = a >> n
		}
	case "/", "%":
		if b == 0 {
			return Value{}, false
		}
		switch {
		case signed && int64(b) == -1:
			if op == "/" {
				r = -a
			}
		case signed && op == "/":
			r = uint64(int64(a) / int64(b))
		case signed:
			r = uint64(int64(a) % int64(b))
		case op == "/":
			r = a / b
		default:
			r = a % b
		}
	default:
		return Value{}, false
	}
	return integer(t, r), true
}

// amount is how far a shift goes: the lower 32 bits of its right side, as a GPU
// takes them.
func amount(b uint64, t *types.Type) uint64 { return b & math.MaxUint32 }

func (ev *evaluator) opAssign(e *OpAssign) *Value {
	y := ev.value(e.Y)
	to := ev.place(e.X)
	t := e.X.Type()
	if t.IsPointer() {
		ev.fail()
	}
	x := convertValue(e.Calc, t, *to)
	v := ev.arithmetic(e.Op, e.Calc, x, y, e.Y.Type())
	*to = convertValue(t, e.Calc, v)
	return to
}

func (ev *evaluator) step(e *Step, to *Value) {
	t := e.X.Type()
	if t.IsPointer() {
		ev.fail()
	}
	one := Value{Bits: 1, Float: 1}
	op := "+"
	if e.Down {
		op = "-"
	}
	if t.Floating() {
		*to = ev.arithmetic(op, t, *to, Value{Float: 1}, t)
		return
	}
	if e.Down {
		*to = integer(t, to.Bits-one.Bits)
	} else {
		*to = integer(t, to.Bits+one.Bits)
	}
}

// ---- calls ----------------------------------------------------------------------------

func (ev *evaluator) call(e *Call) (*Value, Value) {
	if e.Func.Intrinsic != "" {
		return nil, ev.intrinsic(e)
	}
	var this *Value
	if e.This != nil {
		this = ev.place(e.This)
	}
	r, v := ev.run(e.Func, this, e.Args)
	return r, v
}

// run runs a constexpr function.
func (ev *evaluator) run(f *Func, this *Value, args []Expr) (*Value, Value) {
	if !f.constant && !ev.harmless(f) {
		ev.fail()
	}
	if f.state == unchecked {
		ev.c.body(f)
	}
	if f.state != checked || f.Body == nil || f.Refused != nil || len(ev.frames) > 500 {
		if len(ev.frames) > 500 {
			ev.c.errorf(f.Pos, f.Name, "constexpr functions call each other more than 500 deep")
		}
		ev.fail()
	}
	frame, refs := map[*Var]*Value{}, map[*Var]*Value{}
	for i, p := range f.Params {
		if i >= len(args) {
			ev.fail()
		}
		if p.Type.Kind == types.KindReference {
			refs[p] = ev.place(args[i])
			continue
		}
		v := clone(ev.value(args[i]))
		frame[p] = &v
	}
	if f.This != nil {
		if this == nil {
			ev.fail()
		}
		refs[f.This] = this
	}
	ev.frames, ev.refs = append(ev.frames, frame), append(ev.refs, refs)
	defer func() { ev.frames, ev.refs = ev.frames[:len(ev.frames)-1], ev.refs[:len(ev.refs)-1] }()
	how, r, v := ev.exec(f.Body)
	if how != returned && f.Result.Kind != types.KindVoid {
		ev.fail()
	}
	return r, v
}

// harmless reports whether a function that is not constexpr may be run here all
// the same: that of a lambda, and a constructor or operator that is made by
// itself.
func (ev *evaluator) harmless(f *Func) bool {
	return f.function != nil && (lambdaOf(f.function) != nil || f.function.decl.Default)
}

// flow is how a statement ends.
type flow uint8

const (
	onward flow = iota
	broken
	continued
	returned
)

func (ev *evaluator) exec(s Stmt) (flow, *Value, Value) {
	ev.tick(s.Pos())
	switch s := s.(type) {
	case *Block:
		for _, x := range s.List {
			if how, r, v := ev.exec(x); how != onward {
				return how, r, v
			}
		}
	case *Local:
		frame := ev.frames[len(ev.frames)-1]
		switch {
		case s.Var.Type.Kind == types.KindReference:
			ev.refs[len(ev.refs)-1][s.Var] = ev.place(s.Init)
		case s.Init == nil:
			v, ok := zero(s.Var.Type)
			if !ok {
				ev.fail()
			}
			frame[s.Var] = &v
		default:
			v := clone(ev.value(s.Init))
			frame[s.Var] = &v
		}
	case *Eval:
		if s.X.Type().Kind == types.KindVoid {
			if _, ok := s.X.(*Assert); ok {
				return onward, nil, Value{}
			}
		}
		ev.drop(s.X)
	case *If:
		if ev.value(s.Cond).Bits != 0 {
			return ev.exec(s.Then)
		}
		if s.Else != nil {
			return ev.exec(s.Else)
		}
	case *Loop:
		return ev.loop(s)
	case *Switch:
		return ev.switchOf(s)
	case *Break:
		return broken, nil, Value{}
	case *Continue:
		return continued, nil, Value{}
	case *Return:
		if s.X == nil {
			return returned, nil, Value{}
		}
		if s.X.Place() && !s.X.Type().IsScalar() || s.X.Place() {
			r := ev.place(s.X)
			return returned, r, *r
		}
		return returned, nil, ev.value(s.X)
	default:
		ev.fail()
	}
	return onward, nil, Value{}
}

func (ev *evaluator) loop(s *Loop) (flow, *Value, Value) {
	if s.Init != nil {
		ev.exec(s.Init)
	}
	for first := true; ; first = false {
		if s.CondInit != nil {
			ev.exec(s.CondInit)
		}
		if s.Cond != nil && !(s.Until && first) && ev.value(s.Cond).Bits == 0 {
			return onward, nil, Value{}
		}
		switch how, r, v := ev.exec(s.Body); how {
		case returned:
			return how, r, v
		case broken:
			return onward, nil, Value{}
		}
		if s.Post != nil {
			ev.drop(s.Post)
		}
	}
}

func (ev *evaluator) switchOf(s *Switch) (flow, *Value, Value) {
	x := ev.value(s.X).Bits
	start := -1
	for i, g := range s.Groups {
		for _, v := range g.Values {
			if v == x {
				start = i
			}
		}
	}
	for i, g := range s.Groups {
		if start < 0 && g.Default {
			start = i
		}
	}
	if start < 0 {
		return onward, nil, Value{}
	}
	for _, g := range s.Groups[start:] {
		for _, x := range g.List {
			switch how, r, v := ev.exec(x); how {
			case broken:
				return onward, nil, Value{}
			case continued, returned:
				return how, r, v
			}
		}
	}
	return onward, nil, Value{}
}

// intrinsic computes the functions of the machine that constants may use.
func (ev *evaluator) intrinsic(e *Call) Value {
	var args []Value
	for _, a := range e.Args {
		if a.Place() || !a.Type().IsScalar() || a.Type().IsPointer() {
			ev.fail()
		}
		args = append(args, ev.value(a))
	}
	t := e.T
	switch e.Func.Intrinsic {
	case "bits":
		from := e.Args[0].Type()
		bits := Bits(from, args[0])
		if t.Floating() {
			return FromBits(t, wrap(unsignedOf(from), bits))
		}
		return integer(t, bits)
	case "binary.min", "binary.max":
		if t.Floating() {
			ev.fail() // of NaN and signed zeros the machine knows more
		}
		less := args[0].Bits < args[1].Bits
		if t.Signed() {
			less = int64(args[0].Bits) < int64(args[1].Bits)
		}
		if less == (e.Func.Intrinsic == "binary.min") {
			return args[0]
		}
		return args[1]
	case "unary.abs":
		if t.Floating() {
			return Value{Float: math.Abs(args[0].Float)}
		}
		if int64(args[0].Bits) < 0 {
			return integer(t, -args[0].Bits)
		}
		return args[0]
	}
	ev.fail()
	return Value{}
}

// unsignedOf returns the unsigned integer as wide as t.
func unsignedOf(t *types.Type) *types.Type {
	switch t.Size() {
	case 1:
		return types.UChar
	case 2:
		return types.UShort
	case 4:
		return types.UInt
	}
	return types.ULongLong
}
