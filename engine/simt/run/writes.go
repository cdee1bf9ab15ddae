package run

import "workbench/engine/simt/code"

// What a kernel can write is known from its code: the memory that the addresses of
// its stores and atomics come from. Most kernels read most of their buffers only.

// origins are where a value may come from, as far as it may be an address: a bit for
// each of the kernel's parameters, then for each of the program's variables in
// global memory.
type origins uint64

// anywhere is of an address that was read from memory, where it may have been since
// another launch.
const anywhere origins = 1 << 63

// originOf returns the bit of a parameter or variable, counted through.
func originOf(n int) origins {
	if n >= 63 {
		return anywhere
	}
	return 1 << n
}

// writing follows addresses through the functions that a kernel reaches, until
// nothing new is found.
type writing struct {
	program *code.Program
	params  int // of the kernel

	registers [][]origins // by function and register; nil of one that is not reached
	results   [][]origins
	stored    origins // of what was stored anywhere
	written   origins
	changed   bool
}

// writtenBy returns where what a kernel writes to global memory may come from.
func writtenBy(p *code.Program, kernel int) origins {
	w := &writing{
		program: p, params: len(p.Functions[kernel].Params),
		registers: make([][]origins, len(p.Functions)), results: make([][]origins, len(p.Functions)),
	}
	w.reach(kernel)
	for i, x := range p.Functions[kernel].Params {
		if x.Reg != 0 {
			w.registers[kernel][x.Reg] = originOf(i)
		}
	}
	for w.changed = true; w.changed && w.written&anywhere == 0; {
		w.changed = false
		for n, f := range p.Functions {
			if w.registers[n] != nil {
				w.block(n, f.Body)
			}
		}
	}
	return w.written
}

func (w *writing) reach(function int) {
	if w.registers[function] == nil {
		f := w.program.Functions[function]
		w.registers[function] = make([]origins, len(f.Regs))
		w.results[function] = make([]origins, len(f.Results))
		w.changed = true
	}
}

// add adds origins to those of a register, or of whatever to is.
func (w *writing) add(to *origins, o origins) {
	if o&^*to != 0 {
		*to |= o
		w.changed = true
	}
}

func (w *writing) block(function int, b code.Block) {
	r := w.registers[function]
	of := func(values ...code.Value) (o origins) {
		for _, x := range values {
			o |= r[x.Reg] // 0 of a constant
		}
		return o
	}
	give := func(to code.Reg, o origins) {
		if to != 0 {
			w.add(&r[to], o)
		}
	}
	for _, in := range b {
		switch i := in.(type) {
		case *code.Stmt, *code.Compare, *code.Special, *code.Note:
		case *code.Move:
			give(i.Dst, r[i.X.Reg])
		case *code.Binary:
			give(i.Dst, r[i.X.Reg]|r[i.Y.Reg])
		case *code.Index: // an index does not lead to another array
			give(i.Dst, r[i.Base.Reg])
		case *code.Addr:
			switch i.Space {
			case code.Parameter:
				give(i.Dst, originOf(i.Index))
			case code.Global:
				give(i.Dst, originOf(w.params+i.Index))
			}
		case *code.Load:
			var o origins
			switch i.Space {
			case code.Parameter:
				o = of(i.Addr)
			case code.Local, code.Shared:
				o = w.stored
			default:
				o = w.stored | of(i.Addr) | anywhere
			}
			for _, to := range i.Dst {
				give(to, o)
			}
		case *code.Store:
			if i.Space != code.Local && i.Space != code.Shared {
				w.add(&w.written, of(i.Addr))
			}
			w.add(&w.stored, of(i.Src...))
		case *code.Atomic:
			if i.Space != code.Shared {
				w.add(&w.written, of(i.Addr))
			}
			w.add(&w.stored, of(i.X, i.Compare))
			give(i.Dst, w.stored|anywhere)
		case *code.Call:
			w.reach(i.Function)
			for k, p := range w.program.Functions[i.Function].Params {
				if p.Reg != 0 && k < len(i.Args) {
					w.add(&w.registers[i.Function][p.Reg], of(i.Args[k]))
				}
			}
			for k, to := range i.Dst {
				give(to, w.results[i.Function][k])
			}
		case *code.Return:
			for k, x := range i.Values {
				w.add(&w.results[function][k], of(x))
			}
		default:
			values, dst := code.Operands(in)
			o := of(values...)
			for _, to := range dst {
				give(to, o)
			}
			for _, inner := range code.Blocks(in) {
				w.block(function, inner)
			}
		}
	}
}

// Writes reports whether the launch may write m, of global memory: false is for
// certain, as the kernel's code is, but for addresses that are half a tebibyte from
// the array that they were made from. It is for observers.
func (g *Grid) Writes(m *Memory) bool {
	if g.writes == nil {
		g.writes = g.written()
	}
	return m.Number >= len(g.writes) || g.writes[m.Number]
}

// written returns by number what the launch may write of global memory.
func (g *Grid) written() []bool {
	from := g.machine.image.written(g.variant.kernel)
	out := make([]bool, len(g.machine.global))
	if from&anywhere != 0 {
		for i := range out {
			out[i] = true
		}
		return out
	}
	f := g.Program.Functions[g.variant.kernel]
	params := g.params[1].data
	for i, p := range f.Params {
		if from&originOf(i) == 0 {
			continue
		}
		// Whatever in it may be a pointer, for it may be a struct, and packed.
		from := f.Offset(i)
		for at := from; at+8 <= from+p.Size; at++ {
			x := Pointer(le.Uint64(params[at:]))
			if n := x.Number(); x.Space() == code.Global && n < len(out) {
				out[n] = true
			}
		}
	}
	for i := range g.Program.Globals {
		if from&originOf(len(f.Params)+i) != 0 {
			out[1+i] = true
		}
	}
	return out
}

// written is writtenBy, found once.
func (i *Image) written(kernel int) origins {
	i.mu.Lock()
	defer i.mu.Unlock()
	o, ok := i.writes[kernel]
	if !ok {
		o = writtenBy(i.Program, kernel)
		i.writes[kernel] = o
	}
	return o
}
