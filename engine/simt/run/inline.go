package run

import (
	"slices"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// maxInlined bounds how many instructions a kernel may have after calls are
// replaced by what they call. Beyond, and where a function calls itself, a call
// stays a call.
const maxInlined = 1 << 15

// inline returns a kernel, or a function that stays one, with the functions it
// calls put in their places. stays says which functions it still calls.
//
// A call costs a warp as much as a few instructions, and, worse, hides from the
// analysis which values are the same in all lanes.
func inline(p *code.Program, index int) (f *code.Function, stays map[int]bool) {
	source := p.Functions[index]
	out := *source
	out.Regs = slices.Clone(source.Regs)
	out.Locals = slices.Clone(source.Locals)
	in := inliner{program: p, out: &out, open: map[int]bool{index: true}, stays: map[int]bool{}, size: count(source.Body)}
	out.Body = in.block(source.Body, nil)
	return &out, in.stays
}

type inliner struct {
	program *code.Program
	out     *code.Function
	open    map[int]bool // what is being put in place: a call of it is a recursion
	stays   map[int]bool
	size    int
}

// place is where a function that is put in place stands.
type place struct {
	regs    []code.Value // what stands for each of its registers
	locals  int          // number of its first local variable
	results []code.Reg   // the caller's
	region  bool         // a return leaves a region around it
	depth   int          // constructs within it, around the current instruction
}

func count(b code.Block) int {
	n := 0
	for _, in := range b {
		if !names(in) {
			n++
		}
		for _, inner := range code.Blocks(in) {
			n += count(inner)
		}
	}
	return n
}

// returns reports whether b has a Return anywhere but at its own end.
func returns(b code.Block, last bool) bool {
	for i, in := range b {
		if _, ok := in.(*code.Return); ok && !(last && i == len(b)-1) {
			return true
		}
		for _, inner := range code.Blocks(in) {
			if returns(inner, false) {
				return true
			}
		}
	}
	return false
}

func (in *inliner) block(b code.Block, at *place) code.Block {
	out := make(code.Block, 0, len(b))
	for _, i := range b {
		switch i := i.(type) {
		case *code.If:
			out = append(out, &code.If{At: i.At, Cond: at.value(i.Cond), Then: in.block(i.Then, at), Else: in.block(i.Else, at)})
		case *code.Loop:
			at.enter(1)
			out = append(out, &code.Loop{At: i.At, Cond: in.block(i.Cond, at), Test: at.value(i.Test), Body: in.block(i.Body, at), Step: in.block(i.Step, at)})
			at.enter(-1)
		case *code.Region:
			at.enter(1)
			out = append(out, &code.Region{At: i.At, Body: in.block(i.Body, at)})
			at.enter(-1)
		case *code.Return:
			if at == nil {
				out = append(out, i)
				continue
			}
			out = append(out, in.moves(i, at)...)
			if at.region {
				out = append(out, &code.Break{At: i.At, Depth: at.depth})
			}
		case *code.Call:
			called := in.program.Functions[i.Function]
			size := count(called.Body)
			if in.open[i.Function] || in.size+size > maxInlined {
				in.stays[i.Function] = true
				out = append(out, at.instr(i))
				continue
			}
			in.size += size
			out = append(out, in.call(i, called, at)...)
		default:
			out = append(out, at.instr(i))
		}
	}
	return out
}

// call returns what stands for a call.
func (in *inliner) call(i *code.Call, f *code.Function, at *place) code.Block {
	in.open[i.Function] = true
	defer delete(in.open, i.Function)

	var out code.Block
	written := map[code.Reg]bool{}
	code.Writes(f.Body, written)
	to := &place{regs: make([]code.Value, len(f.Regs)), locals: len(in.out.Locals)}
	for r := 1; r < len(f.Regs); r++ {
		to.regs[r] = code.Value{Reg: -1}
	}
	// An argument that the function does not change is what the caller has.
	var moves code.Block
	for k, p := range f.Params {
		x := at.value(i.Args[k])
		if !written[p.Reg] && to.regs[p.Reg].Reg == -1 {
			to.regs[p.Reg] = x
			continue
		}
		to.regs[p.Reg] = code.R(in.reg(f.Regs[p.Reg]))
		moves = append(moves, &code.Move{At: i.At, Dst: to.regs[p.Reg].Reg, X: x})
	}
	for r := 1; r < len(f.Regs); r++ {
		if to.regs[r].Reg == -1 {
			to.regs[r] = code.R(in.reg(f.Regs[r]))
		}
	}
	out = append(out, moves...)
	in.out.Locals = append(in.out.Locals, f.Locals...)
	for k := range f.Locals {
		out = append(out, &code.Begin{At: i.At, Local: to.locals + k})
	}
	for _, r := range i.Dst {
		if r != 0 {
			r = at.value(code.R(r)).Reg
		}
		to.results = append(to.results, r)
	}
	to.region = returns(f.Body, true)
	body := in.block(f.Body, to)
	if to.region {
		return append(out, &code.Region{At: i.At, Body: body})
	}
	return append(out, body...)
}

func (in *inliner) reg(r code.Register) code.Reg {
	in.out.Regs = append(in.out.Regs, r)
	return code.Reg(len(in.out.Regs) - 1)
}

// moves returns what hands a Return's values to the caller. All are read
// before the first is written.
func (in *inliner) moves(i *code.Return, at *place) code.Block {
	var out, last code.Block
	for k, x := range i.Values {
		dst := at.results[k]
		if dst == 0 {
			continue
		}
		x = at.value(x)
		hazard := false
		for _, later := range i.Values[k+1:] {
			hazard = hazard || at.value(later).Reg == dst
		}
		if hazard {
			t := in.reg(code.Register{Type: in.out.Regs[dst].Type})
			out = append(out, &code.Move{At: i.At, Dst: t, X: x})
			last = append(last, &code.Move{At: i.At, Dst: dst, X: code.R(t)})
			continue
		}
		out = append(out, &code.Move{At: i.At, Dst: dst, X: x})
	}
	return append(out, last...)
}

func (at *place) enter(n int) {
	if at != nil {
		at.depth += n
	}
}

func (at *place) value(x code.Value) code.Value {
	if at == nil || x.Reg == 0 {
		return x
	}
	return at.regs[x.Reg]
}

func (at *place) reg(r code.Reg) code.Reg {
	if at == nil || r == 0 {
		return r
	}
	return at.regs[r].Reg
}

// instr returns i with the registers of its place.
func (at *place) instr(i code.Instr) code.Instr {
	if at == nil {
		return i
	}
	switch i := i.(type) {
	case *code.Begin:
		c := *i
		c.Local += at.locals
		return &c
	case *code.Addr:
		c := *i
		c.Dst = at.reg(i.Dst)
		if i.Space == code.Local {
			c.Index += at.locals
		}
		return &c
	}
	return rename(i, at.value, at.reg)
}

// widthOf returns the bits of the bank that a register of type t is in: 32, 64,
// or 1 for a pred.
func widthOf(t types.Scalar) int {
	switch {
	case t == types.Pred:
		return 1
	case t.Size() == 8:
		return 64
	}
	return 32
}
