package watch

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// kinds says which report a fault becomes.
var kinds = map[run.FaultKind]launch.ReportKind{
	run.OutOfBounds:     launch.OutOfBounds,
	run.NullPointer:     launch.OutOfBounds,
	run.ReadOnly:        launch.OutOfBounds,
	run.Misaligned:      launch.Misaligned,
	run.DivideByZero:    launch.DivideByZero,
	run.Uninitialised:   launch.Uninitialised,
	run.InactiveLane:    launch.InactiveShuffle,
	run.Assertion:       launch.Assert,
	run.Trap:            launch.Assert,
	run.CallDepth:       launch.EndlessLoop,
	run.InstructionsOut: launch.EndlessLoop,
	run.TimeOut:         launch.EndlessLoop,
}

// Fault takes a fault down and lets the launch go on.
func (c *Checks) Fault(w *run.Warp, f *run.Fault) bool {
	c.fault(w.Block.Grid, w.Block.Number, f)
	return f.Kind != run.Cancelled
}

// Ended takes down what ended a launch, if that is a fault of the kernel: the
// instructions that are spent, or calls that nest too deep. It reports whether
// it was, so that the reports say all that the error does.
func (c *Checks) Ended(err error) bool {
	var f *run.Fault
	if !errors.As(err, &f) || c.grid == nil {
		return false
	}
	if _, ok := kinds[f.Kind]; !ok {
		return false
	}
	g := c.grid
	c.fault(g, f.Block.X+g.Grid.X*(f.Block.Y+g.Grid.Y*f.Block.Z), f)
	return true
}

// Kind returns which report an error of a launch becomes, "" for none.
func (c *Checks) Kind(err error) launch.ReportKind {
	var f *run.Fault
	if errors.As(err, &f) {
		return kinds[f.Kind]
	}
	var a *launch.ArgumentError
	if errors.As(err, &a) && a.Field == run.SharedMemory {
		return launch.SharedMemory
	}
	return ""
}

func (c *Checks) fault(g *run.Grid, block int, f *run.Fault) {
	kind, ok := kinds[f.Kind]
	if !ok {
		return
	}
	detail := string(f.Kind)
	switch f.Kind {
	case run.Assertion:
		detail += ": " + f.Detail
	case run.Uninitialised:
		// The elements of an array that is kept in registers are one variable.
		name, _, _ := strings.Cut(f.Detail, "[")
		detail += ": " + name
	case run.InactiveLane:
		if f.Source == f.Lane {
			detail += ": itself"
		}
	case run.OutOfBounds:
		switch {
		case f.Row != nil:
			detail = leftRow
		case f.Memory != nil && f.Offset < 0:
			detail += below
		}
	}
	t := thread{block, 32*f.Warp + f.Lane}
	e := c.finding(kind, f.Pos, f.Memory, detail, t, f.Offset)
	told := e.fault != nil && f.Kind == run.Uninitialised && e.fault.Lane == f.Lane && e.fault.Warp == f.Warp && e.fault.Block == f.Block
	if n := bits.OnesCount32(f.Lanes); n > 1 {
		e.count += int64(n - 1)
	}
	if e.fault == nil || e.thread == t && e.offset == f.Offset && !told {
		e.fault, e.width = f, f.Width
	}
}

// report writes a finding.
func (c *Checks) report(f *finding) launch.Report {
	r := launch.Report{Kind: f.kind, Severity: launch.Fault, Place: c.place(f.grid, f.pos, f.thread), Count: f.count}
	switch {
	case f.waits != nil:
		c.sayBarrier(&r, f)
	case f.fault == nil:
		sayUnwritten(&r, f)
	default:
		c.sayFault(&r, f)
	}
	return r
}

func (c *Checks) sayBarrier(r *launch.Report, f *finding) {
	g, d := f.grid, f.waits
	threads := g.Block.Count()
	missing := threadIndex(g, d.missing.index)
	switch d.why {
	case other:
		o := c.place(g, d.other, d.missing)
		r.Other = &o
		r.Message = fmt.Sprintf("some threads of the block wait at this barrier while others, as thread %v, wait at the one in line %d", missing, o.Line)
		r.Cause = "two barriers in two branches are not one: take the barrier out of the branches, so that all threads of the block reach the same one"
	case apart:
		r.Message = fmt.Sprintf("%d of the %d threads of the block reach this barrier, and others, as thread %v, take another way", d.arrived, threads, missing)
		r.Cause = inBranch
	default:
		r.Message = fmt.Sprintf("%d of the %d threads of the block reach this barrier, and the others, as thread %v, have ended without it", d.arrived, threads, missing)
		r.Cause = inBranch
		if outlineOf(g.Program, g.Kernel).leaves(f.pos) {
			r.Cause = "an early return, as in if (i >= n) return: put what such threads must not do into an if, and let them go on to the barrier; a GPU does not wait for threads that have ended, but none of them does its part any more"
		}
	}
}

const inBranch = "the barrier is in a branch or a loop that not all threads of the block go through equally often: take it out, so that every thread reaches it"

func sayUnwritten(r *launch.Report, f *finding) {
	m := f.memory
	r.Access = "read"
	r.Address = m.Name(f.offset)
	r.Message = fmt.Sprintf("reads %s, which nobody has written", r.Address)
	switch m.Space {
	case code.Shared:
		r.Cause = fmt.Sprintf("shared memory holds whatever was there before: every element of %s that is read must have been written by a thread of this block; are all of them filled, also at the edges?", m.Label)
	case code.Local:
		r.Cause = fmt.Sprintf("%s is declared without a value: give it one, as in %s", m.Label, declaration(m))
	default:
		r.Cause = fmt.Sprintf("%s is a result and has no contents before the kernel writes them: write with = before adding with +=, or give the buffer contents", m.Label)
	}
}

func declaration(m *run.Memory) string {
	if len(m.Dims) > 0 {
		return fmt.Sprintf("%s %s[%d] = {}", m.Elem, m.Label, m.Dims[0])
	}
	return fmt.Sprintf("%s %s = 0", m.Elem, m.Label)
}

func (c *Checks) sayFault(r *launch.Report, f *finding) {
	x := f.fault
	m := x.Memory
	r.Message = string(x.Kind)
	if x.Detail != "" {
		r.Message = x.Detail
	}
	does := "reads"
	if x.Width > 0 {
		r.Access = "read"
		switch x.Access {
		case run.Store:
			r.Access, does = "write", "writes"
		case run.Atomic:
			r.Access, does = "atomic", "updates"
		}
	}
	if m != nil {
		r.Address = m.Name(x.Offset)
	}
	switch x.Kind {
	case run.OutOfBounds:
		if m == nil {
			r.Cause = "the pointer points to nothing: was it computed from something that is no pointer, or from a local variable that has ended?"
			break
		}
		if x.Row != nil {
			sayRow(r, x, does)
			break
		}
		r.Message = fmt.Sprintf("%s %s, and %s", does, r.Address, holds(m))
		if x.Offset >= 0 && x.Offset < m.Size {
			r.Message = fmt.Sprintf("%s %d bytes from %s on, and %s", does, x.Width, r.Address, holds(m))
		}
		r.Cause = c.beyond(f)
	case run.NullPointer:
		r.Message = fmt.Sprintf("%s through a null pointer", does)
		if o := x.Pointer.Offset(); o != 0 {
			r.Message += fmt.Sprintf(", %d bytes from it", o)
		}
		r.Cause = "the pointer was never set: is an argument of the launch missing, or a member of a struct?"
	case run.ReadOnly:
		r.Message = fmt.Sprintf("%s %s, which is read only", does, r.Address)
		r.Cause = "constant memory and the parameters of a kernel are written by the host, before the launch"
	case run.Misaligned:
		r.Message = fmt.Sprintf("%s %d bytes at %s, byte %d, which is no multiple of %d", does, x.Width, r.Address, x.Offset, x.Width)
		r.Cause = fmt.Sprintf("an access of %d bytes, as through a float4 or double pointer, must begin at a multiple of %d: is the index a multiple of the vector's length, and the row's too?", x.Width, x.Width)
	case run.DivideByZero:
		r.Message = "divides an integer by zero"
		r.Cause = "a GPU gives no error and a number without meaning: is a size or a stride zero?"
	case run.Uninitialised:
		r.Cause = "the variable is declared without a value, and not all ways to here give it one: initialise it where it is declared"
	case run.InactiveLane:
		r.Cause = "the exchange is in a branch or loop that not all lanes of its mask go through, or the block has no such lane: take it out of the branch, or make the mask of the lanes that are there, with __ballot_sync() before the branch"
		switch {
		case strings.HasPrefix(x.Detail, "it reads"):
			r.Message = fmt.Sprintf("lane %d reads the value of lane %d, which does not take part", x.Lane, x.Source)
		case x.Source != x.Lane:
			r.Message = fmt.Sprintf("lane %d names lane %d in its mask, which does not take part", x.Lane, x.Source)
		default:
			r.Message = fmt.Sprintf("lane %d is not in its own mask", x.Lane)
			r.Cause = "every lane that calls it must be in the mask that it gives: was the mask made for other lanes, or for one lane too few?"
		}
	case run.Assertion:
		r.Message = fmt.Sprintf("assert(%s) does not hold", x.Detail)
	case run.Trap:
		r.Message = "the kernel traps"
	case run.CallDepth:
		r.Cause = "a function calls itself without end"
	case run.InstructionsOut, run.TimeOut:
		has := "has used up its instructions"
		more := "limits.instructions"
		if x.Kind == run.TimeOut {
			has, more = "has used up its time", "limits.seconds"
		}
		r.Message = fmt.Sprintf("the loop does not end: it still runs when the launch %s, after %d instructions of all warps and with %d of %d blocks at their end", has, x.Spent, x.Ended, x.Blocks)
		r.Cause = "the loop's condition never becomes false: does its variable change, in the right direction, and does somebody write what it waits for? A kernel that only takes long needs a larger limit: raise " + more
		if x.Waiting != 0 && x.Awaits {
			r.Message = fmt.Sprintf("the loop does not end: lane %d waits in it for a value that does not come, and %s of its warp, at the end of the loop or the branch, until lane %d comes there too", x.Lane, lanesOf(x.Waiting), x.Lane)
			r.Cause = "a lane that waits for another lane of its own warp may wait for ever, as in a lock that each lane takes by itself: let one lane of the warp do it, or do the work inside the branch that got the lock. If no lane of its warp is to write the value, does anybody?"
		}
		if at, warps := c.atBarrier(f); warps > 0 {
			what := "another warp of the block waits"
			if warps > 1 {
				what = fmt.Sprintf("%d other warps of the block wait", warps)
			}
			r.Message += fmt.Sprintf("; %s at the barrier in line %d", what, at.Line)
		}
	}
}

// sayRow is of an index that leaves its row, and not the array.
func sayRow(r *launch.Report, x *run.Fault, does string) {
	m, row := x.Memory, x.Row
	there := r.Address
	size := int64(max(m.ElemSize, 1))
	if len(m.Dims) > 1 && row.Scale == size && m.Dims[len(m.Dims)-1] == int(row.Len) {
		// As it is written: the row's first element has a last index of 0.
		if first, ok := strings.CutSuffix(m.Name((x.Offset/size-row.Index)*size), "[0]"); ok {
			r.Address = fmt.Sprintf("%s[%d]", first, row.Index)
			r.Cause = fmt.Sprintf("an index beyond its row, which C does not allow even where there is memory: does the edge lack a guard, or does the row lack a column? A loop over all elements of %s begins at a pointer to the first", m.Label)
			r.Message = fmt.Sprintf("%s %s, and %s: what lies there is %s", does, r.Address, holds(m), there)
			return
		}
	}
	r.Message = fmt.Sprintf("%s element %d of an array of %d, which is a part of %s: what lies there is %s", does, row.Index, row.Len, m.Label, there)
	r.Cause = "an index beyond the end of a row or of a member, which C does not allow though there is memory: does the edge lack a guard, or is the array too short?"
}

// oneRow puts together what leaves a row and stays in the array and what the same
// access does beyond the array, which is one fault.
func (c *Checks) oneRow() {
	for k, row := range c.findings {
		if k.detail != leftRow {
			continue
		}
		for _, detail := range [...]string{string(run.OutOfBounds), string(run.OutOfBounds) + below} {
			k.detail = detail
			if f := c.findings[k]; f != nil {
				row.count += f.count
				delete(c.findings, k)
			}
		}
	}
}

// What tells findings of accesses out of bounds from each other.
const (
	below   = ": below"
	leftRow = string(run.OutOfBounds) + ": row"
)

// atBarrier returns where other warps of a block wait whose loop does not end, and
// how many.
func (c *Checks) atBarrier(f *finding) (at code.Position, warps int) {
	for b := range c.blocks {
		if b.Grid != f.grid || b.Number != f.thread.block {
			continue
		}
		for _, w := range b.Warps {
			if w.At != 0 {
				at = f.grid.Program.Position(w.At)
				warps++
			}
		}
	}
	return at, warps
}

// holds says how large an array is.
func holds(m *run.Memory) string {
	size := int64(max(m.ElemSize, 1))
	n := m.Size / size
	switch {
	case len(m.Dims) > 1:
		var d strings.Builder
		for _, x := range m.Dims {
			fmt.Fprintf(&d, "[%d]", x)
		}
		if m.Space == code.Global {
			return fmt.Sprintf("the shape of %s is %s", m.Label, d.String())
		}
		return fmt.Sprintf("%s is declared as %s%s", m.Label, m.Label, d.String())
	case n == 0:
		return fmt.Sprintf("%s has no elements", m.Label)
	case n == 1:
		return fmt.Sprintf("%s has one element", m.Label)
	}
	return fmt.Sprintf("%s has the elements 0 to %d", m.Label, n-1)
}

// beyond is the cause of an access outside an array.
func (c *Checks) beyond(f *finding) string {
	x := f.fault
	m := x.Memory
	size := int64(max(m.ElemSize, 1))
	n := m.Size / size
	at := x.Offset / size
	g := f.grid
	switch {
	case x.Offset < 0:
		return "a negative index, as of the neighbour before the first element: does the edge lack a guard, or did a number wrap?"
	case x.Offset < m.Size:
		return fmt.Sprintf("the last of the %d bytes lie behind the end: a wide access at an edge that is no multiple of its width needs a guard", x.Width)
	case at >= 1<<31:
		return "an unsigned number that wrapped, as 0u - 1 does: compare before subtracting, or count in int"
	case m.Space == code.Shared && dynamic(g.Program, m.Label):
		return fmt.Sprintf("the launch gives a block %d bytes of dynamic shared memory, the third number in <<<grid, block, bytes>>>: are they as many as the block uses?", m.Size)
	case n == 0:
		return "the array is empty"
	case x.Access == run.Atomic:
		return "the index comes from the data or from a counter: is there an element for its largest value?"
	}
	// A thread that has no element of its own.
	switch in := int64(f.thread.index); m.Space {
	case code.Global:
		threads := int64(g.Block.Count()) * int64(g.Grid.Count())
		if own := int64(f.thread.block)*int64(g.Block.Count()) + in; threads > n && (at == own || g.Grid.Y > 1 || g.Block.Y > 1 && g.Grid.X > 1) {
			return fmt.Sprintf("a missing guard: the grid has %d threads and %s %d elements, so the threads without an element must do nothing, as in if (i < n)", threads, m.Label, n)
		}
	case code.Shared:
		if threads := int64(g.Block.Count()); threads > n && at == in {
			return fmt.Sprintf("a block larger than its array: the block has %d threads and %s %d elements", threads, m.Label, n)
		}
	}
	if at == n {
		return "one past the end: does a loop run to <= instead of <, is a row counted with the wrong width, or does an edge lack its guard?"
	}
	return fmt.Sprintf("the index is %d beyond the last element: is a row or a tile counted with the wrong width, or does an edge lack its guard?", at-n+1)
}

// dynamic reports whether a shared array is as large as the launch says.
func dynamic(p *code.Program, name string) bool {
	for _, v := range p.Shared {
		if v.Name == name {
			return v.Dynamic
		}
	}
	return false
}

func lanesOf(mask uint32) string {
	n := bits.OnesCount32(mask)
	first := bits.TrailingZeros32(mask)
	if n == 1 {
		return fmt.Sprintf("lane %d", first)
	}
	return fmt.Sprintf("lane %d and %d others", first, n-1)
}

// Refused takes down a launch that was refused because it asks for too much shared
// memory, and reports whether it was; other refusals are no faults of a kernel.
func (c *Checks) Refused(p *code.Program, err error) bool {
	var a *launch.ArgumentError
	if !errors.As(err, &a) || a.Field != run.SharedMemory {
		return false
	}
	r := launch.Report{
		Kind: launch.SharedMemory, Severity: launch.Fault, Count: 1, Message: a.Reason,
		Cause: "a smaller tile, or fewer arrays at the same time; up to 48 KiB may be declared, and more only as extern __shared__, given in the launch",
	}
	if n := p.Function(a.Symbol); n >= 0 {
		at := p.Position(p.Functions[n].Pos)
		r.File, r.Line, r.Column = at.File, at.Line, at.Column
		r.Source = c.source(at)
	}
	c.refused = append(c.refused, r)
	return true
}
