package record

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"workbench/engine/dtype"
	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/types"
)

// Bounds of what a moment shows.
const (
	maxParts    = 256     // of an array in a variable
	maxElements = 1 << 14 // of a shared array
	maxAccesses = 1 << 10 // of a step, and as many exchanges
	maxLeaves   = 1 << 12 // of all variables of a frame
)

// A StepError is a step that a recording does not have.
type StepError struct{ Step, Steps int }

func (e *StepError) Error() string {
	return fmt.Sprintf("there is no step %d: the recording has %d, counted from 0", e.Step, e.Steps)
}

// At returns the block at a step.
func (x *Recording) At(ctx context.Context, step int, v launch.View) (*launch.Moment, error) {
	t := x.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if step < 0 || step >= t.steps {
		return nil, &StepError{step, t.steps}
	}
	c, err := t.to(ctx, step)
	if err != nil {
		return nil, err
	}
	g := c.segment
	s := c.s
	rec := g.log[g.at[step-g.first]:]
	out := &launch.Moment{Step: step, Phase: int(s.phase), Warps: []launch.WarpMoment{}, Accesses: []launch.StepAccess{}}
	switch rec[0] {
	case recStep:
		out.Kind, out.Warp = launch.StepStatement, int(rec[1])
		out.Place = t.place(s.warps[rec[1]].pos)
	case recRelease:
		out.Kind = launch.StepRelease
	default:
		out.Kind = launch.StepEnd
	}
	for i := range s.warps {
		w := &s.warps[i]
		m := launch.WarpMoment{Warp: i, Place: t.place(w.pos), Active: w.active & w.live, Live: w.live, Waiting: w.waiting, Lines: make([]int, 32)}
		for lane, pos := range w.lanes {
			m.Lines[lane] = t.grid.Program.Position(pos).Line
		}
		if slices.Contains(v.Warps, i) || len(v.Warps) == 0 && out.Kind == launch.StepStatement && i == out.Warp {
			m.Frames = t.frames(s, w)
		}
		out.Warps = append(out.Warps, m)
	}
	if v.Shared {
		for i := range s.slabs {
			out.Shared = append(out.Shared, t.slab(s, i))
		}
	}
	if out.Kind == launch.StepStatement {
		if err := t.during(ctx, c, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (t *tape) place(pos code.Pos) launch.Mark {
	p := t.grid.Program.Position(pos)
	return launch.Mark{File: p.File, Line: p.Line, Column: p.Column}
}

// during shows what a warp does until its next step. Others may come in between.
func (t *tape) during(ctx context.Context, c *cursor, out *launch.Moment) error {
	g, at := c.segment, c.at
	n := t.find(out.Step)
	w := c.s.warps[out.Warp]
	w.locals = slices.Clone(w.locals) // with those that the statement declares
	for {
		for at >= len(g.log) {
			for n++; n < len(t.segments) && t.segments[n].late > out.Step; n++ {
			}
			if n >= len(t.segments) {
				return nil
			}
			var err error
			if g, err = t.fetch(ctx, n); err != nil {
				return err
			}
			at = 0
			if int(g.key.warps[out.Warp].step) > out.Step {
				return nil
			}
		}
		rec := g.log[at:]
		at += length(rec)
		if int(rec[1]) != out.Warp {
			continue
		}
		switch rec[0] {
		case recStep, recEnd:
			return nil
		case recAccess:
			if len(out.Accesses) < maxAccesses {
				out.Accesses = append(out.Accesses, t.access(&w, rec))
			}
		case recDeclare:
			number := int(le.Uint32(rec[4:]))
			for len(w.locals) < number {
				w.locals = append(w.locals, local{memory: -1})
			}
			w.locals[number-1].memory = int32(le.Uint32(rec[8:]))
		case recExchange:
			if len(out.Exchanges) < maxAccesses {
				out.Exchanges = append(out.Exchanges, t.exchange(rec))
			}
		case recAfter:
			t.after(rec, out.Accesses)
		case recText:
			out.Printed += string(rec[header:length(rec)])
		}
	}
}

// access shows an access.
func (t *tape) access(w *warp, rec []byte) launch.StepAccess {
	var a access
	readAccess(rec, &a)
	out := launch.StepAccess{
		Place: t.place(a.pos), Kind: a.kind.String(), Array: -1, Lanes: a.mask, Elements: []int64{}, Width: a.width(), Values: []string{},
	}
	if a.space == code.Shared {
		out.Turns, out.Conflicts = turns(&a)
		out.Banks = banksOf(&a)
	}
	n := 0
	lanes(a.mask, func(lane int) {
		p := a.addrs[lane]
		size := int64(1)
		if m, array := t.memory(w, p); m != nil {
			out.Array, out.Name = array, m.Label
			size = int64(max(m.ElemSize, 1))
		}
		out.Elements = append(out.Elements, p.Offset()/size)
		s := ""
		for k := range a.count {
			if k > 0 {
				s += ", "
			}
			s += scalarText(a.t, a.bits(n, k))
		}
		out.Values = append(out.Values, s)
		n++
	})
	return out
}

// after adds what an atomic has left to the accesses so far.
func (t *tape) after(rec []byte, list []launch.StepAccess) {
	var a access
	readAfter(rec, &a)
	for i := range list {
		x := &list[i]
		if x.Kind != run.Atomic.String() || x.Lanes != a.mask || x.After != nil {
			continue
		}
		for n := range bits.OnesCount32(a.mask) {
			x.After = append(x.After, scalarText(a.t, a.bits(n, 0)))
		}
		return
	}
}

// memory returns what a pointer points into, and its number of tape.arrays.
func (t *tape) memory(w *warp, p run.Pointer) (*run.Memory, int) {
	if p.Space() == code.Local {
		if n := p.Number() - 1; n >= 0 && n < len(w.locals) && w.locals[n].memory >= 0 {
			return t.locals[w.locals[n].memory], -1
		}
		return nil, -1
	}
	if n, ok := t.arrayOf[p-run.Pointer(p.Offset())]; ok {
		return t.arrays[n], n
	}
	return nil, -1
}

// ---- variables -----------------------------------------------------------------

func (t *tape) frames(s *state, w *warp) []launch.FrameMoment {
	var out []launch.FrameMoment
	for i := range w.frames {
		f := &w.frames[i]
		of := &t.grid.Program.Names.Frames[f.frame]
		m := launch.FrameMoment{Function: of.Name, Place: t.place(f.pos), Lanes: f.lanes, Vars: []launch.Variable{}}
		if i == 0 {
			m.Lanes = w.live
		}
		m.Omitted = f.data == nil
		if f.data != nil {
			hidden := map[string]bool{}
			for at := int(f.scope); at > 0; {
				scope := t.grid.Program.Names.Scopes[at]
				at = scope.Parent
				if scope.Var >= len(of.Vars) || hidden[of.Vars[scope.Var].Name] {
					continue
				}
				hidden[of.Vars[scope.Var].Name] = true
				r := reader{t: t, s: s, w: w, f: f, v: &of.Vars[scope.Var], at: &t.layouts[f.frame].vars[scope.Var], left: maxLeaves}
				v := r.variable(name(r.v), r.v.Type, 0)
				v.Omitted = r.omitted
				m.Vars = append(m.Vars, v)
			}
			slices.Reverse(m.Vars)
		}
		out = append(out, m)
	}
	return out
}

func name(v *code.Var) string {
	if v.Name == "this" {
		return "*this"
	}
	return v.Name
}

// A reader reads one variable of a frame.
type reader struct {
	t    *tape
	s    *state
	w    *warp
	f    *frame
	v    *code.Var
	at   *place
	left int // numbers that may still be shown

	omitted bool // there was no room for what it holds
}

// variable shows what lies offset bytes from the variable's beginning.
func (r *reader) variable(name string, t *types.Type, offset int64) launch.Variable {
	out := launch.Variable{Name: name, Type: t.String()}
	switch {
	case t.Kind == types.KindArray:
		n := max(t.Len, 0)
		for i := range n {
			if i == maxParts || r.left <= 0 {
				out.More = n - i
				break
			}
			part := r.variable("["+strconv.FormatInt(i, 10)+"]", t.Elem, offset+i*t.Elem.Size())
			out.Set |= part.Set
			out.Parts = append(out.Parts, part)
		}
		return out
	case t.Kind == types.KindStruct && t.Struct != nil:
		for i, f := range t.Struct.Fields {
			if r.left <= 0 {
				out.More = int64(len(t.Struct.Fields) - i)
				break
			}
			if f.Type.Kind == types.KindStruct && f.Type.Struct.Empty() {
				continue
			}
			label := f.Name
			if f.Base || label == "" {
				label = f.Type.String()
			}
			part := r.variable(label, f.Type, offset+f.Offset)
			out.Set |= part.Set
			out.Parts = append(out.Parts, part)
		}
		return out
	}
	r.left--
	values := make([]string, 32)
	same := true
	first := ""
	for lane := range 32 {
		text, ok := r.lane(t, offset, lane)
		if !ok {
			continue
		}
		if out.Set == 0 {
			first = text
		}
		same = same && text == first
		out.Set |= 1 << lane
		values[lane] = text
	}
	switch {
	case out.Set == 0:
	case same:
		out.Values = []string{first}
	default:
		out.Values = values
	}
	return out
}

// lane shows a number or pointer in one lane.
func (r *reader) lane(t *types.Type, offset int64, lane int) (string, bool) {
	size := int(t.Size())
	if a := r.at.address; a.wide && r.f.data[a.mask]>>lane&1 != 0 {
		p := run.Pointer(a.get(r.f.data, lane)) + run.Pointer(offset)
		if s := p.Space(); s == code.Global || s == code.Constant {
			return "at " + r.t.pointer(r.w, p), true
		}
		x, ok := r.t.load(r.s, r.w, lane, p, size)
		if !ok {
			if n := p.Number() - 1; p.Space() == code.Local && n >= 0 && n < len(r.w.locals) && r.w.locals[n].words == nil {
				r.omitted = true
			}
			return "", false
		}
		return r.t.text(r.w, t, x), true
	}
	for k, leaf := range r.v.Leaves {
		if leaf.Offset != offset || leaf.Type.Size() != int64(size) {
			continue
		}
		c := r.at.leaves[k]
		if r.f.data[c.mask]>>lane&1 == 0 {
			return "", false
		}
		return r.t.text(r.w, t, c.get(r.f.data, lane)), true
	}
	return "", false
}

// text writes a value of a scalar type.
func (t *tape) text(w *warp, of *types.Type, x uint64) string {
	switch of.Kind {
	case types.KindBool:
		return strconv.FormatBool(x&1 != 0)
	case types.KindChar:
		if c := byte(x); c >= ' ' && c < 0x7f {
			return strconv.QuoteRune(rune(c))
		}
	case types.KindPointer, types.KindReference, types.KindNullptr:
		return t.pointer(w, run.Pointer(x))
	}
	return scalarText(of.Scalar(), x)
}

// pointer writes where a pointer points.
func (t *tape) pointer(w *warp, p run.Pointer) string {
	if p == 0 {
		return "nullptr"
	}
	if m, _ := t.memory(w, p); m != nil {
		return "&" + m.Name(p.Offset())
	}
	return fmt.Sprintf("%#x", uint64(p))
}

// scalarText writes the bits of a scalar as C would.
func scalarText(t types.Scalar, x uint64) string {
	switch t {
	case types.F16:
		return float(dtype.Float16FromBits(uint16(x)), 32)
	case types.BF16:
		return float(dtype.BFloat16FromBits(uint16(x)), 32)
	case types.F32:
		return float(float64(math.Float32frombits(uint32(x))), 32)
	case types.F64:
		return float(math.Float64frombits(x), 64)
	case types.Pred:
		return strconv.FormatBool(x&1 != 0)
	case types.I8:
		return strconv.Itoa(int(int8(x)))
	case types.I16:
		return strconv.Itoa(int(int16(x)))
	case types.I32:
		return strconv.Itoa(int(int32(x)))
	case types.I64:
		return strconv.FormatInt(int64(x), 10)
	case types.U8:
		return strconv.Itoa(int(uint8(x)))
	case types.U16:
		return strconv.Itoa(int(uint16(x)))
	case types.U32:
		return strconv.FormatUint(uint64(uint32(x)), 10)
	case types.Ptr:
		return fmt.Sprintf("%#x", x)
	}
	return strconv.FormatUint(x, 10)
}

func float(x float64, width int) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return strconv.FormatFloat(x, 'g', -1, width)
}

// ---- shared memory ---------------------------------------------------------------

func (t *tape) slab(s *state, i int) launch.SharedMoment {
	a, of := &s.slabs[i], t.shared[i]
	m := of.memory
	out := launch.SharedMoment{Array: t.arrayOf[m.Pointer()], Values: []string{}, Owners: []int{}, Steps: []int{}}
	size := max(m.ElemSize, 1)
	element := types.Basic(m.Elem)
	n := len(a.data) / size
	for e := range n {
		if e == maxElements {
			out.More = int64(n - e)
			break
		}
		owner, step, text := -1, -1, ""
		for g := e * size / of.grain; g*of.grain < (e+1)*size; g++ {
			if a.owners[g] != 0 && int(a.steps[g]) >= step {
				owner, step = int(a.owners[g])-1, int(a.steps[g])
			}
		}
		if owner >= 0 {
			b := a.data[e*size : (e+1)*size]
			if element != nil && int(element.Size()) == size && size <= 8 {
				var x [8]byte
				copy(x[:], b)
				text = t.text(&s.warps[0], element, le.Uint64(x[:]))
			} else {
				text = fmt.Sprintf("%#x", b)
			}
		}
		out.Values = append(out.Values, text)
		out.Owners = append(out.Owners, owner)
		out.Steps = append(out.Steps, step)
	}
	return out
}
