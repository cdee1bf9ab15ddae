package watch

import (
	"cmp"
	"math/bits"
	"slices"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/types"
)

// Measures is an observer that counts what one launch does. Its Measurement is
// asked for once, behind the launch.
type Measures struct {
	grid     *run.Grid
	blocks   int64
	segments []segment        // by number
	at       []*launch.Counts // by position; nil where nothing was counted
	global   []*usage         // by number
	shared   []*usage
	order    []*usage // as they were used first
	counter  counter
}

// NewMeasures returns measures that have seen nothing.
func NewMeasures() *Measures { return &Measures{} }

// segment is how often a run of instructions was executed.
type segment struct {
	of          *run.Segment
	warps, lane int64
}

// Wants says what Measures must be told.
func (m *Measures) Wants() run.Events {
	return run.Segments | run.Branches | run.Accesses | run.Syncs
}

// Begin begins a block.
func (m *Measures) Begin(b *run.Block) {
	if m.grid == nil {
		m.grid = b.Grid
		m.at = make([]*launch.Counts, len(b.Grid.Program.Positions)+1)
	}
	m.blocks++
	for _, u := range m.shared {
		if u != nil {
			u.settle()
		}
	}
}

func (m *Measures) End(*run.Block)                                        {}
func (m *Measures) Statement(*run.Warp, code.Pos)                         {}
func (m *Measures) Declare(*run.Warp, code.Pos, run.Pointer)              {}
func (m *Measures) Release(*run.Block)                                    {}
func (m *Measures) SyncWarp(*run.Warp, code.Pos, *[32]uint32)             {}
func (m *Measures) Exchange(*run.Warp, code.Pos, code.Instr, *[32]uint32) {}
func (m *Measures) Fence(*run.Warp, code.Pos, code.Scope)                 {}

// Fault lets a launch go on that would go on if nobody observed it.
func (m *Measures) Fault(_ *run.Warp, f *run.Fault) bool {
	switch f.Kind {
	case run.DivideByZero, run.Uninitialised, run.InactiveLane, run.OutputOut:
		return true
	}
	return false
}

func (m *Measures) counts(pos code.Pos) *launch.Counts {
	c := m.at[pos]
	if c == nil {
		c = &launch.Counts{}
		m.at[pos] = c
	}
	return c
}

// Segment counts instructions.
func (m *Measures) Segment(w *run.Warp, s *run.Segment) {
	for len(m.segments) <= s.Number {
		m.segments = append(m.segments, segment{})
	}
	e := &m.segments[s.Number]
	e.of = s
	e.warps++
	e.lane += int64(bits.OnesCount32(w.Active))
}

// Branch counts a branch, and whether the lanes part.
func (m *Measures) Branch(_ *run.Warp, pos code.Pos, taken, others uint32) {
	c := m.counts(pos)
	c.Branches++
	if taken != 0 && others != 0 {
		c.Diverged++
	}
}

// Barrier counts an arrival.
func (m *Measures) Barrier(_ *run.Warp, pos code.Pos) { m.counts(pos).Barriers++ }

// Access counts what an access moves, and how often each value is.
func (m *Measures) Access(a *run.Access) {
	c := m.counts(a.Pos)
	switch a.Space {
	case code.Global:
		t := &c.Loads
		switch a.Kind {
		case run.Store:
			t = &c.Stores
		case run.Atomic:
			t = &c.Atomics
		}
		m.counter.traffic(t, a)
		m.use(&m.global, a)
	case code.Shared:
		b := &c.SharedLoads
		switch a.Kind {
		case run.Store:
			b = &c.SharedStores
		case run.Atomic:
			b = &c.SharedAtomics
		}
		m.counter.banked(b, a)
		m.use(&m.shared, a)
	}
}

// Measurement returns what was counted.
func (m *Measures) Measurement() *launch.Measurement {
	if m.grid == nil {
		return &launch.Measurement{}
	}
	g := m.grid
	out := &launch.Measurement{
		Kernel: g.Kernel, Blocks: m.blocks, Threads: m.blocks * int64(g.Block.Count()), Warps: m.blocks * int64(g.Warps),
		Lines: []launch.LineCounts{}, Buffers: []launch.ArrayCounts{}, Shared: []launch.ArrayCounts{},
	}
	type line struct {
		file string
		line int
	}
	lines := map[line]*launch.Counts{}
	of := func(pos code.Pos) *launch.Counts {
		p := g.Program.Position(pos)
		k := line{p.File, p.Line}
		c := lines[k]
		if c == nil {
			c = &launch.Counts{}
			lines[k] = c
		}
		return c
	}
	for pos, c := range m.at {
		if c != nil {
			of(code.Pos(pos)).Add(*c)
		}
	}
	for _, s := range m.segments {
		if s.of == nil {
			continue
		}
		for _, in := range s.of.Instrs {
			if w := workOf(in); w != (work{}) {
				of(in.Position()).Add(launch.Counts{
					Instructions: s.warps * w.instructions, LaneInstructions: s.lane * w.instructions,
					Flops: s.lane * w.flops, Special: s.lane * w.special,
				})
			}
		}
	}
	for k, c := range lines {
		out.Counts.Add(*c)
		out.Lines = append(out.Lines, launch.LineCounts{File: k.file, Line: k.line, Counts: *c})
	}
	slices.SortFunc(out.Lines, func(a, b launch.LineCounts) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	all := out.Loads
	all.Add(out.Stores)
	all.Add(out.Atomics)
	out.InstructionsPerWarp = ratio(out.Instructions, out.Warps)
	out.LaneEfficiency = ratio(out.LaneInstructions, 32*out.Instructions)
	out.SectorsPerRequest = ratio(all.Sectors, all.Requests)
	out.TransactionsPerRequest = ratio(all.Transactions, all.Requests)
	out.ArithmeticIntensity = ratio(out.Flops, sectorBytes*all.Sectors)
	for _, u := range m.order {
		u.settle()
		a := u.sum
		a.LoadsPerElement = ratio(a.Loads, a.Loaded)
		a.FetchesPerElement = ratio(a.Fetches, a.Loaded)
		a.LoadsPerBlock = ratio(a.Loads, a.Shares)
		if u.shared {
			out.Shared = append(out.Shared, a)
		} else {
			out.Buffers = append(out.Buffers, a)
		}
	}
	return out
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// work is what one instruction counts for.
type work struct{ instructions, flops, special int64 }

// workOf says it of an instruction, for each warp or lane that executes it.
func workOf(in code.Instr) work {
	w := work{instructions: 1}
	switch i := in.(type) {
	case *code.Stmt, *code.Undef, *code.Begin, *code.Region, *code.Note, *code.Enter, *code.Leave:
		return work{}
	case *code.Binary:
		switch i.Op {
		case code.Add, code.Sub, code.Mul, code.Div:
			if isFloat(i.Type) {
				w.flops = 1
			}
		}
	case *code.MulAdd, *code.FMA:
		w.flops = 2
	case *code.Atomic:
		if isFloat(i.Type) && (i.Op == code.AtomicAdd || i.Op == code.AtomicSub) {
			w.flops = 1
		}
	case *code.Intrinsic:
		if isFloat(i.Type) {
			w.flops, w.special = intrinsicWork(i.Name)
		}
	}
	return w
}

func isFloat(t types.Scalar) bool {
	switch t {
	case types.F16, types.BF16, types.F32, types.F64:
		return true
	}
	return false
}

// intrinsicWork says what an intrinsic on floats counts for: sums and products
// that round otherwise are operations as they are with an operator, taking a
// number apart and rounding it is none, and the rest is special.
func intrinsicWork(name string) (flops, special int64) {
	switch name {
	case "add_rz", "add_rd", "add_ru", "mul_rz", "mul_rd", "mul_ru", "div_rz", "div_rd", "div_ru", "fast_divide":
		return 1, 0
	case "fma_rz", "fma_rd", "fma_ru":
		return 2, 0
	case "ceil", "floor", "trunc", "round", "rint", "copysign", "nextafter", "frexp", "modf", "ldexp", "saturate", "logb", "ilogb":
		return 0, 0
	}
	return 0, 1
}
