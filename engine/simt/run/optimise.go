package run

import (
	"slices"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// optimise returns a function that does the same with fewer instructions, the
// registers of it that may be read before they are written, and how often each is
// read.
//
// Code that follows its source closely computes many things more than once: the
// address of a row in every step of a loop, an index for the read and again for
// the write. A compiler for a GPU does not, and neither should the interpreter,
// where an op costs what it costs. What is done here changes no value, no access
// and no report:
//
//	coalesce   t = x+y; v = t       becomes v = x+y
//	number     what is available already is not computed again
//	hoist      what does not change in a loop is computed before it
//	sweep      what nobody reads is not computed
//
// The last three concern pure instructions, which have no effect and cannot fail,
// and temporaries: registers that one instruction writes, and that are never read
// before it.
func optimise(f *code.Function) (*code.Function, set, []int) {
	out := *f
	a := &analysis{
		f: &out, kernel: f.Kernel,
		liveAfter: map[code.Instr]set{}, liveElse: map[code.Instr]set{}, liveStep: map[code.Instr]set{}, liveHead: map[code.Instr]set{},
	}
	a.liveness(true)
	a.entry.union(a.unset)
	o := &optimiser{f: &out, unsafe: a.entry, suspect: a.entry.copy()}
	o.spread(out.Body)
	out.Body = o.copy(out.Body)
	o.survey()
	out.Body = o.coalesce(out.Body)
	o.survey()
	o.versions = make([]int, len(out.Regs))
	o.renamed = map[code.Reg]code.Reg{}
	out.Body = o.number(out.Body)
	o.survey()
	out.Body = o.hoist(out.Body)
	o.survey()
	out.Body = o.sweep(out.Body)
	o.survey()
	return &out, a.entry, o.reads
}

type optimiser struct {
	f      *code.Function
	unsafe set // registers that may be read before they are written: on some way to a read there is no write

	suspect set // those, and what is moved from them: using one may be a report, which is to come where the use is

	// By register: how many instructions write it, and how many operands are it.
	writes, reads []int

	versions []int // by register: it grows wherever the register is written
	renamed  map[code.Reg]code.Reg
	scopes   []map[expression]code.Reg
}

// spread enters what is moved from a suspect register.
func (o *optimiser) spread(b code.Block) {
	for again := true; again; {
		again = false
		var visit func(b code.Block)
		visit = func(b code.Block) {
			for _, in := range b {
				if i, ok := in.(*code.Move); ok && i.X.Reg != 0 && o.suspect.has(i.X.Reg) && !o.suspect.has(i.Dst) {
					o.suspect.add(i.Dst)
					again = true
				}
				for _, within := range code.Blocks(in) {
					visit(within)
				}
			}
		}
		visit(b)
	}
}

// copy returns b with instructions of its own, all the way down.
func (o *optimiser) copy(b code.Block) code.Block {
	out := make(code.Block, len(b))
	for k, in := range b {
		switch i := in.(type) {
		case *code.Region:
			out[k] = &code.Region{At: i.At, Body: o.copy(i.Body)}
			continue
		case *code.If:
			out[k] = &code.If{At: i.At, Cond: i.Cond, Then: o.copy(i.Then), Else: o.copy(i.Else)}
			continue
		case *code.Loop:
			out[k] = &code.Loop{At: i.At, Cond: o.copy(i.Cond), Test: i.Test, Body: o.copy(i.Body), Step: o.copy(i.Step)}
			continue
		}
		out[k] = rename(in, func(x code.Value) code.Value { return x }, func(r code.Reg) code.Reg { return r })
	}
	return out
}

// survey counts reads and writes.
func (o *optimiser) survey() {
	o.writes, o.reads = make([]int, len(o.f.Regs)), make([]int, len(o.f.Regs))
	for _, p := range o.f.Params {
		o.writes[p.Reg] += 2 // no temporary
	}
	o.count(o.f.Body)
}

func (o *optimiser) count(b code.Block) {
	for _, in := range b {
		values, dst := code.Operands(in)
		for _, x := range values {
			o.reads[x.Reg]++
		}
		if _, undef := in.(*code.Undef); !undef {
			for _, r := range dst {
				o.writes[r]++
			}
		}
		for _, within := range code.Blocks(in) {
			o.count(within)
		}
	}
}

func (o *optimiser) temporary(r code.Reg) bool {
	return r != 0 && o.writes[r] == 1 && !o.unsafe.has(r)
}

// ---- coalesce ------------------------------------------------------------------

// coalesce lets an instruction write the variable that its temporary is moved
// to. In between nobody may read or write that, and no lane may leave.
func (o *optimiser) coalesce(b code.Block) code.Block {
	last := map[code.Reg]int{} // by register: the last instruction of b that touched it, since the last with blocks within
	at := map[code.Reg]int{}   // by temporary: where it is written, likewise
	out := b[:0:0]
	for _, in := range b {
		if len(code.Blocks(in)) > 0 {
			code.Rewrite(in, o.coalesce)
			clear(last)
			clear(at)
			out = append(out, in)
			continue
		}
		if move, ok := in.(*code.Move); ok {
			t, v := move.X.Reg, move.Dst
			from, have := at[t]
			touched, ever := last[v]
			if have && o.reads[t] == 1 && o.temporary(t) && (!ever || touched <= from) {
				_, dst := code.Operands(out[from])
				clash := false
				for _, r := range dst {
					clash = clash || r == v
				}
				if !clash {
					out[from] = rename(out[from], func(x code.Value) code.Value { return x }, func(r code.Reg) code.Reg {
						if r == t {
							return v
						}
						return r
					})
					last[v] = from
					at[v] = from
					continue
				}
			}
		}
		values, dst := code.Operands(in)
		for _, x := range values {
			last[x.Reg] = len(out)
		}
		for _, r := range dst {
			last[r] = len(out)
			at[r] = len(out)
		}
		out = append(out, in)
	}
	return out
}

// ---- number --------------------------------------------------------------------

// expression is what a pure instruction computes: two that are equal give the
// same, as long as no operand was written in between.
type expression struct {
	kind    string
	op      uint8
	t, from types.Scalar
	x, y, z operand
	a, b    int64
	name    string
}

type operand struct {
	code.Value
	version int
}

// expressionOf returns what a pure instruction with one result computes.
func (o *optimiser) expressionOf(in code.Instr) (e expression, dst code.Reg, ok bool) {
	of := func(x code.Value) operand {
		if x.Reg == 0 {
			return operand{Value: x}
		}
		return operand{x, o.versions[x.Reg]}
	}
	flags := func(list ...bool) (n int64) {
		for k, b := range list {
			if b {
				n |= 1 << k
			}
		}
		return n
	}
	if !o.pure(in) {
		return e, 0, false
	}
	switch i := in.(type) {
	case *code.Unary:
		return expression{kind: "unary", op: uint8(i.Op), t: i.Type, x: of(i.X)}, i.Dst, true
	case *code.Binary:
		return expression{kind: "binary", op: uint8(i.Op), t: i.Type, x: of(i.X), y: of(i.Y)}, i.Dst, true
	case *code.MulAdd:
		return expression{kind: "muladd", t: i.Type, x: of(i.X), y: of(i.Y), z: of(i.Z), a: flags(i.NegProduct, i.NegAddend)}, i.Dst, true
	case *code.FMA:
		return expression{kind: "fma", t: i.Type, x: of(i.X), y: of(i.Y), z: of(i.Z)}, i.Dst, true
	case *code.Convert:
		return expression{kind: "convert", op: uint8(i.Round), t: i.To, from: i.From, x: of(i.X)}, i.Dst, true
	case *code.Bits:
		return expression{kind: "bits", t: i.To, from: i.From, x: of(i.X)}, i.Dst, true
	case *code.Compare:
		return expression{kind: "compare", op: uint8(i.Op), t: i.Type, x: of(i.X), y: of(i.Y)}, i.Dst, true
	case *code.Select:
		return expression{kind: "select", t: i.Type, x: of(i.Cond), y: of(i.X), z: of(i.Y)}, i.Dst, true
	case *code.Special:
		return expression{kind: "special", op: uint8(i.Which)}, i.Dst, true
	case *code.Addr:
		return expression{kind: "addr", op: uint8(i.Space), a: int64(i.Index)}, i.Dst, true
	case *code.Index:
		return expression{kind: "index", t: i.IndexType, x: of(i.Base), y: of(i.Index), a: i.Scale, b: i.Offset}, i.Dst, true
	case *code.Intrinsic:
		e = expression{kind: "math", name: i.Name, t: i.Type, a: int64(len(i.Args))}
		for k, x := range i.Args {
			*[]*operand{&e.x, &e.y, &e.z}[k] = of(x)
		}
		return e, i.Dst[0], true
	}
	return e, 0, false
}

// pure reports whether an instruction has one result, which depends on its
// operands alone, and nothing else comes of it.
func (o *optimiser) pure(in code.Instr) bool {
	switch i := in.(type) {
	case *code.Unary, *code.MulAdd, *code.FMA, *code.Convert, *code.Bits, *code.Compare, *code.Select, *code.Addr, *code.Index:
		return true
	case *code.Binary:
		return i.Type.Float() || i.Op != code.Div && i.Op != code.Rem // by zero is a report
	case *code.Special:
		return i.Which != code.Clock && i.Which != code.Clock64 && i.Which != code.GlobalTimer
	case *code.Intrinsic:
		return len(i.Dst) == 1 && i.Dst[0] != 0 && len(i.Args) <= 3
	}
	return false
}

// number replaces what has been computed already. Of what a branch or loop
// computes nothing is available behind it.
func (o *optimiser) number(b code.Block) code.Block {
	o.scopes = append(o.scopes, map[expression]code.Reg{})
	out := b[:0:0]
	for _, in := range b {
		if o.stale(in) {
			in = rename(in, func(x code.Value) code.Value {
				if r, ok := o.renamed[x.Reg]; ok {
					x.Reg = r
				}
				return x
			}, func(r code.Reg) code.Reg { return r })
		}
		if len(code.Blocks(in)) > 0 {
			if loop, ok := in.(*code.Loop); ok {
				// An iteration finds what the one before has written. Test is
				// renamed last: what it reads is computed in Cond.
				written := map[code.Reg]bool{}
				for _, within := range code.Blocks(in) {
					code.Writes(within, written)
				}
				for r := range written {
					o.versions[r]++
				}
				loop.Cond = o.number(loop.Cond)
				if r, ok := o.renamed[loop.Test.Reg]; ok {
					loop.Test.Reg = r
				}
				loop.Body, loop.Step = o.number(loop.Body), o.number(loop.Step)
			} else {
				code.Rewrite(in, o.number)
			}
			out = append(out, in)
			continue
		}
		e, dst, ok := o.expressionOf(in)
		if ok {
			if have := o.find(e); have != 0 {
				if o.temporary(dst) {
					o.renamed[dst] = have
					continue
				}
				in, ok = &code.Move{At: code.At{Pos: in.Position()}, Dst: dst, X: code.R(have)}, false
			}
		}
		_, written := code.Operands(in)
		for _, r := range written {
			o.versions[r]++
		}
		if ok && o.temporary(dst) {
			o.scopes[len(o.scopes)-1][e] = dst
		}
		out = append(out, in)
	}
	o.scopes = o.scopes[:len(o.scopes)-1]
	return out
}

// stale reports whether an instruction reads a register that was renamed.
func (o *optimiser) stale(in code.Instr) bool {
	values, _ := code.Operands(in)
	for _, x := range values {
		if _, ok := o.renamed[x.Reg]; ok && x.Reg != 0 {
			return true
		}
	}
	return false
}

// find returns the temporary that has an expression's value, or 0.
func (o *optimiser) find(e expression) code.Reg {
	for k := len(o.scopes) - 1; k >= 0; k-- {
		if r, ok := o.scopes[k][e]; ok {
			return r
		}
	}
	return 0
}

// ---- hoist ---------------------------------------------------------------------

// hoist moves what does not change in a loop before it, from the innermost loops
// outwards.
func (o *optimiser) hoist(b code.Block) code.Block {
	out := b[:0:0]
	for _, in := range b {
		code.Rewrite(in, o.hoist)
		if loop, ok := in.(*code.Loop); ok {
			changing := map[code.Reg]bool{}
			for _, within := range code.Blocks(loop) {
				code.Writes(within, changing)
			}
			for n := -1; n != len(out); {
				n = len(out)
				loop.Cond = o.lift(loop.Cond, changing, &out, true)
				loop.Body = o.lift(loop.Body, changing, &out, true)
				loop.Step = o.lift(loop.Step, changing, &out, true)
			}
		}
		out = append(out, in)
	}
	return out
}

// lift takes out of b what is to stand before the loop. always says that b is
// executed whenever the loop is, about: otherwise what is dear stays.
func (o *optimiser) lift(b code.Block, changing map[code.Reg]bool, before *code.Block, always bool) code.Block {
	out := b[:0:0]
	for _, in := range b {
		values, dst := code.Operands(in)
		move := o.pure(in) && o.temporary(dst[0])
		if _, dear := in.(*code.Intrinsic); dear && !always {
			move = false
		}
		for _, x := range values {
			move = move && !changing[x.Reg] && (x.Reg == 0 || !o.suspect.has(x.Reg))
		}
		if move {
			delete(changing, dst[0])
			*before = append(*before, in)
			continue
		}
		if _, loop := in.(*code.Loop); !loop {
			code.Rewrite(in, func(within code.Block) code.Block { return o.lift(within, changing, before, false) })
		}
		out = append(out, in)
	}
	return out
}

// ---- sweep ---------------------------------------------------------------------

// sweep removes pure instructions whose result nobody reads, from the end, so
// that what was computed for them alone goes too.
func (o *optimiser) sweep(b code.Block) code.Block {
	out := b[:0:0]
	for k := len(b) - 1; k >= 0; k-- {
		in := b[k]
		values, dst := code.Operands(in)
		if o.pure(in) && o.reads[dst[0]] == 0 {
			for _, x := range values {
				o.reads[x.Reg]--
			}
			continue
		}
		// The last of its blocks is looked at first.
		switch i := in.(type) {
		case *code.If:
			i.Else, i.Then = o.sweep(i.Else), o.sweep(i.Then)
		case *code.Loop:
			i.Step, i.Body, i.Cond = o.sweep(i.Step), o.sweep(i.Body), o.sweep(i.Cond)
		case *code.Region:
			i.Body = o.sweep(i.Body)
		}
		out = append(out, in)
	}
	slices.Reverse(out)
	return out
}
