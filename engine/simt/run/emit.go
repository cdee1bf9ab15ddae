package run

import (
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// op is one instruction, or a part of one, made for its operands. It works on
// all active lanes of a warp. The next op is the one behind it, unless it sets
// pc.
type op func(w *Warp)

// form is a kernel as it runs: one list of ops for it and all functions it
// calls, for one contract and one set of events.
type form struct {
	program  *code.Program
	ops      []op
	kernel   *unit
	units    map[int]*unit // functions that stay functions, by their index
	params   []slot        // of the kernel's parameters
	shared   []int         // what of Program.Shared it uses
	segments int
	accesses int  // loads and stores
	polls    bool // it reads what other blocks may write while it waits
}

// unit is what the ops of one function need of a frame.
type unit struct {
	f               *code.Function
	entry           int // the pc
	nv, nx, np, ns  int // registers of each bank
	consts          []uint64
	clear           []slot // registers that may be read before they are written
	locals          []local
	words           int // of local memory
	params, results []slot
	instructions    int64
}

// bytes returns what a warp takes of memory for a frame, and for itself.
func (u *unit) bytes() int64 {
	return int64(u.nv)*128 + int64(u.nx)*256 + int64(u.np)*4 + int64(u.ns+len(u.consts))*8 + int64(u.words)*128 + 8<<10
}

// label is a place in the list of ops, known when it is reached.
type label struct{ pc int }

type emitter struct {
	program *code.Program
	form    *form
	fused   bool
	events  Events

	unit    *unit
	a       *analysis
	slots   []slot
	consts  map[uint64]int
	targets []jump
	dead    *label            // where a warp goes that has no active lane left
	loose   set               // registers that may be read before they are written
	reads   []int             // by register: how many operands are it
	written map[code.Reg]int  // of registers that Values watches: which lanes have written it, in p
	rows    map[code.Reg]*row // of addresses that Values watches: the rows that they are in
	given   int               // which lanes the instruction gives something that was set, in p, or -1: what it moves on may be unset

	segment *Segment
	entered int64 // instructions since the innermost loop's head
}

// jump is a construct that Break and Continue may name.
type jump struct {
	exits, again int // lanes that wait at its end, at its Step; in p
	end, step    *label
}

// compile makes a form of a kernel.
func compile(p *code.Program, kernel int, fused bool, events Events) *form {
	e := &emitter{
		program: p, fused: fused, events: events,
		form: &form{program: p, units: map[int]*unit{}},
	}
	f, stays := inline(p, kernel)
	e.form.kernel = e.function(f)
	e.form.params = e.unit.params
	// Functions that could not be put in place, and what those call.
	for len(stays) > 0 {
		next := map[int]bool{}
		for index := range stays {
			u := e.form.unit(index)
			if u.f != nil {
				continue
			}
			f, more := inline(p, index)
			*u = *e.function(f)
			for m := range more {
				if e.form.unit(m).f == nil {
					next[m] = true
				}
			}
		}
		stays = next
	}
	return e.form
}

// unit returns the unit of a function, which may be empty yet.
func (f *form) unit(index int) *unit {
	u := f.units[index]
	if u == nil {
		u = &unit{}
		f.units[index] = u
	}
	return u
}

// function emits one function and returns its unit.
func (e *emitter) function(f *code.Function) *unit {
	f, e.loose, e.reads = optimise(f)
	e.a = analyse(f, false)
	u := &unit{f: f, entry: len(e.form.ops), np: 2}
	e.unit, e.consts = u, map[uint64]int{}
	e.targets, e.segment, e.entered = nil, nil, 0
	e.assign(f, u)
	e.a.entry.each(func(r code.Reg) {
		if r > 0 && int(r) < len(e.slots) && e.slots[r].bits > 0 {
			u.clear = append(u.clear, e.slots[r])
		}
	})
	for _, p := range f.Params {
		u.params = append(u.params, e.slots[p.Reg])
	}
	for _, t := range f.Results {
		s := slot{bits: widthOf(t)}
		switch s.bits {
		case 1:
			s.i = u.np
			u.np++
		case 64:
			s.i = u.nx
			u.nx++
		default:
			s.i = u.nv
			u.nv++
		}
		u.results = append(u.results, s)
	}
	for _, x := range f.Locals {
		m := memoryOf(x, code.Local)
		u.locals = append(u.locals, local{base: u.words, size: uint64(x.Size), memory: m})
		u.words += int((x.Size + 7) / 8 * 2)
	}
	e.written, e.rows = nil, nil
	if e.events&Values != 0 {
		e.watch(f)
	}
	e.dead = &label{}
	e.block(f.Body)
	e.cut()
	e.place(e.dead)
	if f.Kernel {
		e.emit((*Warp).finish)
	} else {
		e.emit((*Warp).leave)
	}
	return u
}

func (e *emitter) emit(o op) { e.form.ops = append(e.form.ops, o) }

func (e *emitter) place(l *label) { l.pc = len(e.form.ops) }

// mask returns a new place in p.
func (e *emitter) mask() int {
	e.unit.np++
	return e.unit.np - 1
}

// arg is an operand: a register of its bank, or with uniform one of s.
type arg struct {
	uniform bool
	i       int
}

// arg returns an operand that is no pred.
func (e *emitter) arg(x code.Value, t types.Scalar) arg {
	if x.Reg != 0 {
		s := e.slots[x.Reg]
		return arg{s.uniform, s.i}
	}
	bits := x.Bits
	if t.Size() < 8 {
		bits = uint64(uint32(bits))
	}
	return arg{true, e.constant(bits)}
}

// constant returns where s has a constant.
func (e *emitter) constant(bits uint64) int {
	i, ok := e.consts[bits]
	if !ok {
		i = e.unit.ns + len(e.unit.consts)
		e.consts[bits] = i
		e.unit.consts = append(e.unit.consts, bits)
	}
	return i
}

// pred returns where p has an operand that is a pred.
func (e *emitter) pred(x code.Value) int {
	if x.Reg != 0 {
		return e.slots[x.Reg].i
	}
	return int(x.Bits & 1)
}

// evenly reports whether an operand is the same in all lanes.
func (e *emitter) evenly(x code.Value) bool { return x.Reg == 0 || !e.a.varying[x.Reg] }

// v32 and x64 return the register of an operand; of one that all lanes share,
// the t-th temporary filled with it.
func (w *Warp) v32(a arg, t int) *v32 {
	if !a.uniform {
		return &w.v[a.i]
	}
	d := &w.t32[t]
	splat32(d, uint32(w.s[a.i]))
	return d
}

func (w *Warp) x64(a arg, t int) *v64 {
	if !a.uniform {
		return &w.x[a.i]
	}
	d := &w.t64[t]
	splat64(d, w.s[a.i])
	return d
}

// one returns an operand in one lane.
func (w *Warp) one(a arg, bits, lane int) uint64 {
	switch {
	case a.uniform:
		return w.s[a.i]
	case bits == 64:
		return w.x[a.i][lane]
	}
	return uint64(w.v[a.i][lane])
}

// ---- results -------------------------------------------------------------------

// give32 emits an op that computes a register of 32 bits.
func (e *emitter) give32(in code.Instr, r code.Reg, compute func(w *Warp, d *v32)) {
	s := e.slots[r]
	switch {
	case s.uniform:
		panic("BUG: a uniform register is computed for every lane")
	case e.a.masked[in]:
		e.emit(func(w *Warp) {
			if w.Active == w.all {
				compute(w, &w.v[s.i])
				return
			}
			d := &w.t32[7]
			compute(w, d)
			blend32(&w.v[s.i], d, w.Active)
		})
	default:
		e.emit(func(w *Warp) { compute(w, &w.v[s.i]) })
	}
}

// give64 emits an op that computes a register of 64 bits.
func (e *emitter) give64(in code.Instr, r code.Reg, compute func(w *Warp, d *v64)) {
	s := e.slots[r]
	switch {
	case s.uniform:
		panic("BUG: a uniform register is computed for every lane")
	case e.a.masked[in]:
		e.emit(func(w *Warp) {
			if w.Active == w.all {
				compute(w, &w.x[s.i])
				return
			}
			d := &w.t64[7]
			compute(w, d)
			blend64(&w.x[s.i], d, w.Active)
		})
	default:
		e.emit(func(w *Warp) { compute(w, &w.x[s.i]) })
	}
}

// giveOne emits an op that computes one value for all lanes, whatever register
// it is for.
func (e *emitter) giveOne(in code.Instr, r code.Reg, compute func(w *Warp) uint64) {
	s := e.slots[r]
	switch {
	case s.bits == 1:
		e.givePred(in, r, func(w *Warp) uint32 { return -uint32(compute(w) & 1) })
	case s.uniform:
		e.emit(func(w *Warp) { w.s[s.i] = compute(w) })
	case s.bits == 64:
		e.give64(in, r, func(w *Warp, d *v64) { splat64(d, compute(w)) })
	default:
		e.give32(in, r, func(w *Warp, d *v32) { splat32(d, uint32(compute(w))) })
	}
}

// givePred emits an op that computes a pred. What is uniform must come as no
// lane or every lane.
func (e *emitter) givePred(in code.Instr, r code.Reg, compute func(w *Warp) uint32) {
	i := e.slots[r].i
	if e.a.masked[in] {
		e.emit(func(w *Warp) { w.p[i] = w.p[i]&^w.Active | compute(w)&w.Active })
		return
	}
	e.emit(func(w *Warp) { w.p[i] = compute(w) })
}
