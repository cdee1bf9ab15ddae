package run_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"workbench/engine/device"
	"workbench/engine/scalar"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/types"
)

func fma32(a, b, c float32) float32 { return scalar.FMA32(a, b, c) }

// author writes random programs: nested loops and branches, some of them the
// same for all lanes and some not, with jumps out of them, over registers that
// are the same for all lanes, or were until something happened to them.
type author struct {
	*rand.Rand
	program *code.Program
	b       *code.Builder
	regs    map[types.Scalar][]code.Reg
	loops   []bool // what Break counts, innermost last: whether Continue may name it
	out     code.Reg
	slot    int
	budget  int
	level   int
	nested  int  // temporaries within an operand
	jumps   bool // many
	depth   int  // of functions
}

var scalars = []types.Scalar{types.I32, types.U32, types.I64, types.U64, types.F32, types.F64, types.Pred}

const slots = 32 // of 8 bytes, for what each thread writes

func (a *author) pick(t types.Scalar) code.Reg { return a.regs[t][a.IntN(len(a.regs[t]))] }

func (a *author) constant(t types.Scalar) code.Value {
	switch t {
	case types.F32:
		return code.Float32([]float32{0, 1, -1.5, 3.25e7, 1e-39, 0.1}[a.IntN(6)])
	case types.F64:
		return code.Float64([]float64{0, 1, -1.5, 3.25e17, 1e-310, 0.1}[a.IntN(6)])
	}
	return code.Int(t, []int64{0, 1, -1, 2, 7, 31, 33, -1 << 31, 1 << 30, 12345}[a.IntN(10)])
}

func (a *author) value(t types.Scalar) code.Value {
	switch k := a.IntN(10); {
	case k < 2:
		return a.constant(t)
	case k < 5 && a.nested < 2:
		return a.temporary(t)
	}
	return code.R(a.pick(t))
}

// temporary computes something that is likely to be computed again: of few
// operations on few registers.
func (a *author) temporary(t types.Scalar) code.Value {
	a.nested++
	defer func() { a.nested-- }()
	x, y := code.R(a.regs[t][a.IntN(2)+1]), a.value(t)
	if t == types.Pred {
		return a.b.Binary(code.And, t, x, y)
	}
	return a.b.Binary([]code.BinaryOp{code.Add, code.Mul}[a.IntN(2)], t, x, y)
}

func (a *author) any() types.Scalar { return scalars[a.IntN(len(scalars))] }

func (a *author) statements() {
	a.level++
	for n := a.IntN(5) + 1; n > 0 && a.budget > 0; n-- {
		if a.statement() {
			break
		}
	}
	a.level--
}

// statement writes one, and reports whether nothing may follow it.
func (a *author) statement() (last bool) {
	a.budget--
	b := a.b
	k := a.IntN(32)
	if a.jumps && k > 20 {
		k = []int{1, 4, 5, 6, 7, 7, 7, 7}[a.IntN(8)]
	}
	switch {
	case k < 3 && a.level < 6:
		cond := code.R(a.pick(types.Pred))
		var orElse func()
		if a.IntN(2) == 0 {
			orElse = a.statements
		}
		b.If(cond, a.statements, orElse)
	case k < 5 && a.level < 5:
		a.loop()
	case k < 6 && a.level < 6:
		r := &code.Region{At: b.At()}
		a.loops = append(a.loops, false)
		r.Body = b.Block(a.statements)
		a.loops = a.loops[:len(a.loops)-1]
		b.Emit(r)
	case k < 8 && len(a.loops) > 0:
		depth := a.IntN(len(a.loops))
		jump := code.Instr(&code.Break{At: b.At(), Depth: depth})
		if a.loops[len(a.loops)-1-depth] && a.IntN(2) == 0 {
			jump = &code.Continue{At: b.At(), Depth: depth}
		}
		if a.IntN(3) == 0 {
			b.Emit(jump)
			return true
		}
		b.If(code.R(a.pick(types.Pred)), func() { b.Emit(jump) }, nil)
	case k < 9 && a.IntN(3) == 0:
		cond := code.R(a.pick(types.Pred))
		b.If(cond, func() { a.ret() }, nil)
	case k < 12:
		a.store()
	case k < 13:
		a.call()
	case k < 15:
		a.local()
	default:
		a.assign()
	}
	return false
}

func (a *author) ret() {
	r := &code.Return{At: a.b.At()}
	for _, t := range a.b.Function.Results {
		x := a.value(t)
		for _, p := range a.b.Function.Params {
			if p.Type == t && a.IntN(2) == 0 {
				x = code.R(p.Reg)
			}
		}
		r.Values = append(r.Values, x)
	}
	a.b.Emit(r)
}

// loop writes one that ends: its counter is no register that anything picks.
func (a *author) loop() {
	b := a.b
	i := b.Reg(types.I32, "")
	b.Move(i, code.Int(types.I32, 0))
	limit := code.Int(types.I32, int64(a.IntN(4)))
	if a.IntN(2) == 0 {
		limit = b.Binary(code.And, types.I32, code.R(a.pick(types.I32)), code.Int(types.I32, 3))
	}
	step := func() {
		b.Emit(&code.Binary{At: b.At(), Op: code.Add, Type: types.I32, Dst: i, X: code.R(i), Y: code.Int(types.I32, 1)})
		if a.IntN(3) == 0 {
			a.assign()
		}
	}
	test := func() code.Value {
		if a.IntN(4) == 0 {
			a.assign()
		}
		return b.Compare(code.LT, types.I32, code.R(i), limit)
	}
	l := &code.Loop{At: b.At(), Test: code.True}
	a.loops = append(a.loops, false)
	do := a.IntN(3) == 0
	if !do {
		l.Cond = b.Block(func() { l.Test = test() })
	}
	a.loops[len(a.loops)-1] = true
	l.Body = b.Block(a.statements)
	a.loops[len(a.loops)-1] = false
	l.Step = b.Block(func() {
		step()
		if do {
			b.If(test(), func() {}, func() { b.Emit(&code.Break{At: b.At()}) })
		}
	})
	a.loops = a.loops[:len(a.loops)-1]
	// The counter may be read by what comes later.
	a.regs[types.I32] = append(a.regs[types.I32], i)
	b.Emit(l)
	a.regs[types.I32] = a.regs[types.I32][:len(a.regs[types.I32])-1]
	if a.IntN(2) == 0 {
		b.Move(a.pick(types.I32), code.R(i))
	}
}

func (a *author) store() {
	if a.out == 0 {
		a.assign()
		return
	}
	t := a.any()
	x := code.R(a.pick(t))
	b := a.b
	if t == types.Pred {
		x = b.Convert(types.U8, types.Pred, x)
		t = types.U8
	}
	a.slot = (a.slot + 1) % slots
	b.Store(t, code.Global, code.R(a.out), int64(a.slot)*8, x)
}

// local writes or reads the lane's own array, at an index that may differ.
func (a *author) local() {
	b := a.b
	at := b.Binary(code.And, types.I32, code.R(a.pick(types.I32)), code.Int(types.I32, 3))
	if a.IntN(2) == 0 {
		at = code.Int(types.I32, int64(a.IntN(4)))
	}
	p := b.Index(b.Addr(code.Local, 0), types.I32, at, 16, 0)
	space := code.Local
	if a.IntN(2) == 0 {
		space = code.Generic
	}
	t := scalars[a.IntN(6)]
	n := 1
	if t.Size() == 4 && a.IntN(2) == 0 {
		n = []int{2, 4}[a.IntN(2)]
	}
	if a.IntN(2) == 0 {
		s := &code.Store{At: b.At(), Type: t, Space: space, Addr: p}
		for range n {
			s.Src = append(s.Src, a.value(t))
		}
		b.Emit(s)
		return
	}
	l := &code.Load{At: b.At(), Type: t, Space: space, Addr: p}
	for range n {
		r := a.pick(t)
		for k := range l.Dst {
			if l.Dst[k] == r {
				r = 0
			}
		}
		l.Dst = append(l.Dst, r)
	}
	b.Emit(l)
}

func (a *author) call() {
	b := a.b
	if a.depth > 1 || len(a.program.Functions) < 2 {
		a.assign()
		return
	}
	n := 1 + a.IntN(len(a.program.Functions)-1)
	f := a.program.Functions[n]
	c := &code.Call{At: b.At(), Function: n}
	for _, p := range f.Params {
		c.Args = append(c.Args, a.value(p.Type))
	}
	for _, t := range f.Results {
		r := a.pick(t)
		for k, p := range f.Params {
			if p.Type == t && a.IntN(2) == 0 && c.Args[k].Reg != 0 {
				r = c.Args[k].Reg
			}
		}
		for _, d := range c.Dst {
			if d == r {
				r = 0
			}
		}
		c.Dst = append(c.Dst, r)
	}
	b.Emit(c)
}

func (a *author) assign() {
	b := a.b
	t := a.any()
	dst := a.pick(t)
	if t == types.Pred {
		switch a.IntN(4) {
		case 0:
			b.Emit(&code.Binary{At: b.At(), Op: []code.BinaryOp{code.And, code.Or, code.Xor}[a.IntN(3)], Type: t, Dst: dst, X: a.value(t), Y: a.value(t)})
		case 1:
			b.Emit(&code.Unary{At: b.At(), Op: code.Not, Type: t, Dst: dst, X: a.value(t)})
		default:
			of := scalars[a.IntN(6)]
			b.Emit(&code.Compare{At: b.At(), Op: code.CompareOp(a.IntN(6)), Type: of, Dst: dst, X: a.value(of), Y: a.value(of)})
		}
		return
	}
	switch a.IntN(8) {
	case 0:
		b.Move(dst, a.value(t))
	case 1:
		from := a.any()
		b.Emit(&code.Convert{At: b.At(), To: t, From: from, Dst: dst, X: a.value(from)})
	case 2:
		b.Emit(&code.Select{At: b.At(), Type: t, Dst: dst, Cond: a.value(types.Pred), X: a.value(t), Y: a.value(t)})
	case 3:
		if t.Float() {
			b.Emit(&code.MulAdd{At: b.At(), Type: t, Dst: dst, X: a.value(t), Y: a.value(t), Z: a.value(t), NegProduct: a.IntN(2) == 0, NegAddend: a.IntN(2) == 0})
			return
		}
		b.Emit(&code.Unary{At: b.At(), Op: []code.UnaryOp{code.Neg, code.Not}[a.IntN(2)], Type: t, Dst: dst, X: a.value(t)})
	default:
		ops := []code.BinaryOp{code.Add, code.Sub, code.Mul, code.Div, code.Min, code.Max, code.Rem, code.And, code.Or, code.Xor, code.Shl, code.Shr}
		n := len(ops)
		if t.Float() {
			n = 6
		}
		op := ops[a.IntN(n)]
		y := a.value(t)
		if op == code.Shl || op == code.Shr {
			y = a.value(types.U32)
		}
		b.Emit(&code.Binary{At: b.At(), Op: op, Type: t, Dst: dst, X: a.value(t), Y: y})
	}
}

// begin gives the function being written registers of all types: some hold the
// same in all lanes, some do not.
func (a *author) begin(f *code.Function) {
	a.b = code.NewBuilder(f)
	a.regs = map[types.Scalar][]code.Reg{}
	a.loops = nil
	f.Locals = []*code.Variable{{Name: "array", Size: 64, Align: 16}}
	b := a.b
	tid := b.Special(code.ThreadX)
	block := b.Special(code.BlockX)
	for _, t := range scalars {
		for n := range 4 {
			r := b.Reg(t, "")
			x := tid
			if n < 2 {
				x = block
			}
			if t == types.Pred {
				b.Move(r, b.Compare(code.LT, types.U32, b.Binary(code.And, types.U32, x, code.Int(types.U32, 7)), code.Int(types.U32, int64(n+2))))
			} else {
				b.Move(r, b.Convert(t, types.U32, b.Binary(code.Mul, types.U32, x, code.Int(types.U32, int64(n*n*7+1)))))
			}
			a.regs[t] = append(a.regs[t], r)
		}
	}
	for n := range 4 {
		b.Store(types.U64, code.Local, b.Addr(code.Local, 0), int64(n)*16, code.R(a.pick(types.U64)))
		b.Store(types.U64, code.Local, b.Addr(code.Local, 0), int64(n)*16+8, code.R(a.pick(types.U64)))
	}
}

// write returns a program of one kernel that calls functions.
func write(seed uint64) *code.Program {
	a := &author{Rand: rand.New(rand.NewPCG(seed, 3)), program: &code.Program{Positions: []code.Position{{}}}}
	a.jumps = seed%3 == 0
	kernel := &code.Function{Name: "kernel", Kernel: true, Pos: 0}
	a.program.Functions = append(a.program.Functions, kernel)
	for n := range a.IntN(3) {
		f := &code.Function{Name: string(rune('f' + n))}
		a.depth = 2
		a.begin(f)
		for range a.IntN(3) + 1 {
			t := scalars[a.IntN(2)]
			f.Params = append(f.Params, code.Param{Type: t, Reg: a.b.Reg(t, "")})
			a.regs[t] = append(a.regs[t], f.Params[len(f.Params)-1].Reg)
		}
		for range a.IntN(3) {
			f.Results = append(f.Results, scalars[a.IntN(2)])
		}
		a.out = 0
		a.budget = 20
		a.function()
		a.ret()
		a.program.Functions = append(a.program.Functions, f)
	}
	a.depth = 0
	a.begin(kernel)
	out := a.b.Reg(types.Ptr, "out")
	kernel.Params = []code.Param{{Name: "out", Type: types.Ptr, Size: 8, Align: 8, Reg: out}}
	b := a.b
	thread := b.Binary(code.Add, types.U32, b.Binary(code.Mul, types.U32, b.Special(code.BlockX), b.Special(code.BlockDimX)), b.Special(code.ThreadX))
	a.out = b.Index(code.R(out), types.U32, thread, slots*8, 0).Reg
	a.budget = 60
	a.function()
	for range 8 {
		a.store()
	}
	return a.program
}

func (a *author) function() {
	for range 6 {
		if a.statement() {
			panic("a jump out of nothing")
		}
	}
}

// TestRandom holds the interpreter against the evaluator of one thread.
func TestRandom(t *testing.T) {
	n := uint64(800)
	if testing.Short() {
		n = 200
	}
	for seed := range n {
		random(t, seed)
	}
}

func FuzzRandom(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { random(t, seed) })
}

func random(t *testing.T, seed uint64) { agree(t, write(seed), seed) }

// agree runs kernel 0 of a program, which writes slots for each thread, on the
// interpreter and on the evaluator.
func agree(t *testing.T, p *code.Program, seed uint64) {
	t.Helper()
	image, err := run.Compile(p)
	if err != nil {
		t.Fatalf("program %d: %v", seed, err)
	}
	const blocks = 2
	threads := 33 + int(seed%40)
	fused := seed%2 == 0
	contract := device.Separate
	if fused {
		contract = device.Fused
	}
	want := make([]byte, blocks*threads*slots*8)
	for i := range want {
		want[i] = byte(i)
	}
	start := bytes.Clone(want)
	for block := range blocks {
		for tid := range threads {
			th := &thread{program: p, tid: uint32(tid), ctaid: uint32(block), ntid: uint32(threads), params: []uint64{0}, out: want, fused: fused}
			th.kernel(p.Functions[0])
		}
	}
	for _, quantum := range []int{0, 3} {
		for _, o := range []run.Observer{nil, &silent{}} {
			m, err := run.New(image, 0)
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Allocate("out", int64(len(want)), "unsigned char", 1)
			if err != nil {
				t.Fatal(err)
			}
			copy(out.Data, start)
			_, err = m.Launch(context.Background(), &run.Launch{
				Kernel: "kernel", Grid: dim(blocks, 1, 1), Block: dim(threads, 1, 1), Args: args(out), Contract: contract, Quantum: quantum, Seed: seed, Observer: o, Workers: 1,
			})
			if err != nil {
				t.Fatalf("program %d: %v\n%s", seed, err, code.Text(p))
			}
			for i := 0; i < len(want); i += 8 {
				if g, w := binary.LittleEndian.Uint64(out.Data[i:]), binary.LittleEndian.Uint64(want[i:]); g != w {
					t.Fatalf("program %d, observed %v: block %d thread %d slot %d holds %#x, not %#x\n%s", seed, o != nil, i/8/slots/threads, i/8/slots%threads, i/8%slots, g, w, code.Text(p))
				}
			}
		}
	}
}

// silent observes everything and says nothing.
type silent struct{}

func (*silent) Wants() run.Events                                     { return ^run.Events(0) }
func (*silent) Begin(*run.Block)                                      {}
func (*silent) End(*run.Block)                                        {}
func (*silent) Statement(*run.Warp, code.Pos)                         {}
func (*silent) Segment(*run.Warp, *run.Segment)                       {}
func (*silent) Branch(*run.Warp, code.Pos, uint32, uint32)            {}
func (*silent) Declare(*run.Warp, code.Pos, run.Pointer)              {}
func (*silent) Access(*run.Access)                                    {}
func (*silent) Barrier(*run.Warp, code.Pos)                           {}
func (*silent) Release(*run.Block)                                    {}
func (*silent) SyncWarp(*run.Warp, code.Pos, *[32]uint32)             {}
func (*silent) Exchange(*run.Warp, code.Pos, code.Instr, *[32]uint32) {}
func (*silent) Fence(*run.Warp, code.Pos, code.Scope)                 {}
func (*silent) Fault(*run.Warp, *run.Fault) bool                      { return true }
