package watch

import (
	"fmt"

	"workbench/engine/simt/code"
	"workbench/engine/simt/watch/race"
)

// outline is a kernel's code as one line of steps, calls included: what lies
// between two accesses.
type outline struct {
	steps []step
	loops []span // in the order of their ends: inner ones before those around
	open  map[int]bool
	ifs   int
	conds int
	polls bool // the condition of a loop looks at a flag
}

type step struct {
	kind stepKind
	in   bool // an if
	cond bool // the condition of a loop
	pos  code.Pos
}

type stepKind uint8

const (
	anAccess  stepKind = iota
	strong             // an atomic or a volatile access
	blockSync          // __syncthreads
	warpSync           // __syncwarp or an exchange
	aFence
	blockFence // __threadfence_block
	leave      // a return within an if
)

type span struct{ from, to int }

// maxSteps bounds an outline; of a kernel that is longer less is known.
const maxSteps = 1 << 16

func outlineOf(p *code.Program, kernel string) *outline {
	o := &outline{open: map[int]bool{}}
	if n := p.Function(kernel); n >= 0 {
		o.function(p, n)
	}
	return o
}

func (o *outline) function(p *code.Program, n int) {
	if o.open[n] || n < 0 || n >= len(p.Functions) {
		return
	}
	o.open[n] = true
	o.block(p, p.Functions[n].Body)
	delete(o.open, n)
}

func (o *outline) block(p *code.Program, b code.Block) {
	for _, in := range b {
		if len(o.steps) > maxSteps {
			return
		}
		add := func(k stepKind) {
			o.steps = append(o.steps, step{k, o.ifs > 0, o.conds > 0, in.Position()})
			o.polls = o.polls || k == strong && o.conds > 0
		}
		access := func(volatile bool) {
			if volatile {
				add(strong)
			} else {
				add(anAccess)
			}
		}
		switch i := in.(type) {
		case *code.Load:
			access(i.Volatile)
		case *code.Store:
			access(i.Volatile)
		case *code.Atomic:
			add(strong)
		case *code.Barrier:
			add(blockSync)
		case *code.SyncWarp, *code.Shuffle, *code.Vote, *code.Match, *code.Reduce:
			add(warpSync)
		case *code.Fence:
			if i.Scope == code.BlockScope {
				add(blockFence)
			} else {
				add(aFence)
			}
		case *code.Return:
			if o.ifs > 0 {
				add(leave)
			}
		case *code.Call:
			o.function(p, i.Function)
		case *code.Loop:
			from := len(o.steps)
			o.conds++
			o.block(p, i.Cond)
			o.conds--
			o.block(p, i.Body)
			o.block(p, i.Step)
			o.loops = append(o.loops, span{from, len(o.steps)})
		case *code.If:
			o.ifs++
			o.block(p, i.Then)
			o.block(p, i.Else)
			o.ifs--
		default:
			for _, inner := range code.Blocks(in) {
				o.block(p, inner)
			}
		}
	}
}

// has reports whether there is a step of a kind from one to another. What meets
// the block meets its warps.
func (o *outline) has(kind stepKind, from, to int) bool {
	for _, s := range o.steps[max(from, 0):max(to, 0)] {
		if s.kind == kind || s.kind == blockSync && kind == warpSync {
			return true
		}
	}
	return false
}

// at returns the steps of a position.
func (o *outline) at(pos code.Pos) []int {
	var out []int
	for i, s := range o.steps {
		if s.pos == pos {
			out = append(out, i)
		}
	}
	return out
}

// conditional reports whether a position is within an if.
func (o *outline) conditional(pos code.Pos) bool {
	for _, i := range o.at(pos) {
		if o.steps[i].in {
			return true
		}
	}
	return false
}

// polled reports whether a position is in the condition of a loop.
func (o *outline) polled(pos code.Pos) bool {
	for _, i := range o.at(pos) {
		if o.steps[i].cond {
			return true
		}
	}
	return false
}

// leaves reports whether a thread may end before it comes to a position.
func (o *outline) leaves(pos code.Pos) bool {
	at := o.at(pos)
	return len(at) > 0 && o.has(leave, 0, at[0])
}

// gap is a way from one access to another without what would order them.
type gap uint8

const (
	noGap   gap = iota
	forward     // on from the one to the other
	around      // from the one to the end of a loop around both, and from its beginning to the other
)

// gap looks for a way from one position to another without a step of a kind.
func (o *outline) gap(from, to code.Pos, kind stepKind) gap {
	best := noGap
	for _, i := range o.at(from) {
		for _, j := range o.at(to) {
			if i < j && !o.has(kind, i, j) {
				return forward
			}
			for _, l := range o.loops {
				if l.from <= min(i, j) && max(i, j) < l.to {
					if !o.has(kind, i, l.to) && !o.has(kind, l.from, j) {
						best = around
					}
					break // a loop further out has more between them
				}
			}
		}
	}
	return best
}

// passes reports whether the passes of the innermost loop around two positions
// follow each other without a step of a kind. Of a loop that was unrolled the steps
// are there several times.
func (o *outline) passes(one, two code.Pos, kind stepKind) bool {
	x, y := o.at(one), o.at(two)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	for _, l := range o.loops {
		if l.from <= min(x[0], y[0]) && max(x[0], y[0]) < l.to {
			return !o.has(kind, l.from, l.to)
		}
	}
	return one != two && len(x) > 1 && len(y) > 1 && !o.has(kind, min(x[0], y[0]), max(x[len(x)-1], y[len(y)-1]))
}

// why is what a race most likely comes from.
type why struct {
	cause     string
	backwards bool // of the two sites the later one in the source comes first
}

// others is what is known of the other races of a launch.
type others struct {
	across  bool   // threads of different warps race in the same array, or on one of the two lines
	clashes bool   // on one of the two lines several threads write one element
	flag    string // an array that is read as a flag and written like any variable, ""
}

// why looks for the cause of the races on two lines, which are in the order of
// the source.
func (c *Checks) why(group []*racing, more others) why {
	e := group[0]
	g := e.grid
	o := outlineOf(g.Program, g.Kernel)
	var lanes, warps, blocks, writes, sameSite, differ bool
	for _, x := range group {
		lanes, warps, blocks = lanes || x.lanes, warps || x.warps, blocks || x.blocks
		writes = writes || isWrite(x.sites[0].kind) && isWrite(x.sites[1].kind)
		sameSite = sameSite || x.sites[0] == x.sites[1]
		differ = differ || x.differ
	}
	one, two := g.Program.Position(e.sites[0].pos), g.Program.Position(e.sites[1].pos)
	sameLine := one.File == two.File && one.Line == two.Line
	name := e.memory.Label
	across := more.across
	atomics := func(w where) bool { return w.kind == race.Atomic }

	switch {
	case atomics(e.sites[0]) && atomics(e.sites[1]):
		return why{cause: fmt.Sprintf("an atomic whose scope is the block (_block) is one step for its own block only: where other blocks use %s too, take the one without the suffix", name)}
	case e.stale() && blocks:
		return why{
			cause:     fmt.Sprintf("blocks run in any order and wait for nothing, so that %s is read while other blocks still add to it: read it in the next launch, or let the last block do it, found by a counter behind a __threadfence()", name),
			backwards: e.sites[0].kind == race.Read,
		}
	case blocks && !warps && !lanes && strongly(e.sites[0]) != strongly(e.sites[1]):
		return why{
			cause:     fmt.Sprintf("%s is written here like any variable, and read there as a flag: set it by an atomic, as atomicExch(), behind a __threadfence()", name),
			backwards: strongly(e.sites[0]),
		}
	case blocks && more.flag == name:
		return why{cause: fmt.Sprintf("%s is written here like any variable, and read as a flag elsewhere: set it by an atomic, as atomicExch(), behind a __threadfence()", name)}
	case blocks && !warps && !lanes && more.flag != "":
		return why{cause: fmt.Sprintf("what the blocks wait for, %s, is written like any variable and orders nothing: set it by an atomic, as atomicExch(), behind a __threadfence()", more.flag)}
	case blocks && !warps && !lanes && o.has(strong, 0, len(o.steps)) && (o.polls || !writes || !sameSite): // a lock is waited for in a loop
		// Who reads is who should have waited.
		return why{cause: between(o), backwards: isWrite(e.sites[1].kind) && !isWrite(e.sites[0].kind)}
	case writes && sameSite && updates(group):
		return why{cause: fmt.Sprintf("several threads read %s, change it and write it back at the same time, and all but one of the changes are lost: use atomicAdd() or another atomic, or give each thread its own element", name)}
	case writes && sameSite && !differ && e.memory.Size > int64(e.memory.ElemSize):
		return why{cause: fmt.Sprintf("the index is the same for several threads: if each was meant to have its own element, it lacks a part of threadIdx or blockIdx or a guard; where each may find out by itself that an element of %s must be set, an atomic says that this is meant", name)}
	case writes && sameSite && !differ:
		return why{cause: fmt.Sprintf("all of them write what one could: let one thread do it, as in if (threadIdx.x == 0); where each may find out by itself that %s must be set, an atomic says that this is meant", name)}
	case writes && sameSite && blocks && !warps && !lanes:
		return why{cause: "the index does not tell blocks apart: does it lack blockIdx, or is a row or column counted with the wrong width? A sum of several blocks needs an atomic"}
	case writes && sameSite:
		return why{cause: "the index is the same for several threads: does it lack a part of threadIdx or blockIdx, or is a row counted with the wrong width? A sum of several threads needs an atomic"}
	case !sameLine && more.clashes && isWrite(e.sites[0].kind) != isWrite(e.sites[1].kind) && o.conditional(writer(e).pos):
		return why{
			cause:     fmt.Sprintf("each thread looks at %s and then writes it, and none sees what others write in between: use atomicMax(), atomicMin() or atomicCAS()", name),
			backwards: isWrite(e.sites[0].kind),
		}
	case (atomics(e.sites[0]) || atomics(e.sites[1])) && !blocks && !e.stale():
		return why{cause: fmt.Sprintf("an atomic orders nothing but the other atomics: a __syncthreads() must stand between what writes %s without one and what updates it", name)}
	case blocks && !warps && !lanes:
		return why{cause: between(o), backwards: isWrite(e.sites[1].kind) && !isWrite(e.sites[0].kind)}
	}

	x, y := e.sites[0], e.sites[1]
	if o.polls && warps && !blocks {
		// Warps that wait for each other by a flag.
		switch {
		case strongly(x) && strongly(y) && (o.polled(x.pos) || o.polled(y.pos)):
			return why{
				cause:     fmt.Sprintf("a volatile flag orders no other memory: a __threadfence_block() must stand between what is written for the other warp and %s, and one behind the loop that waits for it", name),
				backwards: isWrite(y.kind),
			}
		case o.conditional(x.pos) && o.conditional(y.pos):
			return why{
				cause:     fmt.Sprintf("a flag alone does not order other memory: the warp that writes %s needs a __threadfence_block() between that and the flag, and the one that reads it another behind the loop that waits; where all threads of the block come by, a __syncthreads() does both", name),
				backwards: isWrite(y.kind) && !isWrite(x.kind),
			}
		}
	}
	kind, call, reason := blockSync, "__syncthreads()", ""
	if !across {
		kind = warpSync
		reason = "; the threads are of one warp, but since Volta the lanes of a warp do not execute every instruction at the same time"
		if o.conditional(x.pos) || o.conditional(y.pos) || g.Block.Count() <= 32 {
			call = "__syncwarp()"
		}
	}
	lineX, lineY := fmt.Sprintf("line %d", one.Line), fmt.Sprintf("line %d", two.Line)
	if one.File != two.File {
		lineX, lineY = one.String(), two.String()
	}
	if sameLine {
		if sameSite || x.pos == y.pos {
			return why{cause: fmt.Sprintf("threads write %s while others still read it: read into a variable, then %s, then write, then %s%s", name, call, call, reason)}
		}
		if o.passes(x.pos, y.pos, kind) {
			return why{cause: fmt.Sprintf("no %s in the loop around line %d, which reads elements of %s that other threads wrote a pass before: put one at the beginning of each pass, where all threads come to it%s", call, one.Line, name, reason)}
		}
		return why{cause: fmt.Sprintf("line %d reads elements of %s that other threads write in the same line: read into a variable, then %s, then write%s", one.Line, name, call, reason)}
	}
	says := func(first, second where, a, b string, how gap) string {
		verb := func(w where) string {
			if isWrite(w.kind) {
				return "writes"
			}
			return verbs[w.kind]
		}
		if how == around {
			return fmt.Sprintf("no %s between %s, which %s %s, and the next time that the loop comes to %s, which %s it: a thread that is ahead does so while others are not done%s",
				call, a, verb(first), name, b, verb(second), reason)
		}
		return fmt.Sprintf("no %s between %s, which %s %s, and %s, which %s what other threads have there%s", call, a, verb(first), name, b, verb(second), reason)
	}
	switch {
	case o.gap(x.pos, y.pos, kind) == forward:
		return why{cause: says(x, y, lineX, lineY, forward)}
	case o.gap(y.pos, x.pos, kind) != noGap:
		return why{cause: says(y, x, lineY, lineX, o.gap(y.pos, x.pos, kind)), backwards: true}
	case o.gap(x.pos, y.pos, kind) == around:
		return why{cause: says(x, y, lineX, lineY, around)}
	}
	return why{cause: fmt.Sprintf("threads come to %s and to %s by different ways, with no %s that all of them pass between the two%s", lineX, lineY, call, reason)}
}

// updates reports whether the races of one line are of x = f(x): what writes an
// element reads it too.
func updates(group []*racing) bool {
	for _, e := range group {
		if isWrite(e.sites[0].kind) != isWrite(e.sites[1].kind) {
			return true
		}
	}
	return false
}

// writer returns the site that writes of one that reads and one that writes.
func writer(e *racing) where {
	if isWrite(e.sites[0].kind) {
		return e.sites[0]
	}
	return e.sites[1]
}

// strongly reports whether an access is one that flags are read and set by.
func strongly(w where) bool { return w.kind >= race.Atomic }

// between is the cause of a race of two blocks.
func between(o *outline) string {
	all := len(o.steps)
	switch {
	case !o.has(strong, 0, all):
		return "blocks run in any order and wait for nothing: what one writes, another may read in the next launch only, or after a flag that is set and read by atomics with __threadfence() on both sides"
	case o.has(aFence, 0, all):
		return "the fences do not order these two: a __threadfence() must stand between what is written and the flag, in the thread that sets the flag or before a __syncthreads() on its way, and one between the flag and what is read, unless the flag is read by an atomic"
	case o.has(blockFence, 0, all):
		return "__threadfence_block() is for the threads of one block: between blocks it takes __threadfence(), on both sides of the flag"
	}
	return "a flag or a lock alone does not order other memory: the thread that writes needs a __threadfence() between what it writes and the flag, and the one that reads another between the flag and what it reads"
}
