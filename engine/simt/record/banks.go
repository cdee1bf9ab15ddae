package record

import (
	"cmp"
	"math/bits"
	"slices"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// Shared memory, as launch.Banked has it.
const (
	banks     = 32
	wordBytes = 4
)

// turns returns how long the banks take to serve an access to shared memory, and
// how many of those turns are conflicts.
func turns(a *access) (turns, conflicts int) {
	words := max(a.width()/wordBytes, 1)
	size := 32 / words // lanes that are served together
	for part := range words {
		mask := a.mask >> (part * size) << (part * size)
		if part < words-1 {
			mask &= 1<<(part*size+size) - 1
		}
		if mask != 0 {
			n := busiest(a, mask, words)
			turns += n
			conflicts += n - 1
		}
	}
	return turns, conflicts
}

// busiest returns how many words one bank has to give to lanes that are served
// together: to an atomic one for each lane, otherwise each word once.
func busiest(a *access, mask uint32, words int) int {
	var count [banks]int
	given := make(map[run.Pointer]bool, 32)
	lanes(mask, func(lane int) {
		for k := range words {
			word := a.addrs[lane]/wordBytes + run.Pointer(k)
			if a.kind == run.Atomic || !given[word] {
				given[word] = true
				count[word%banks]++
			}
		}
	})
	return max(slices.Max(count[:]), 1)
}

// banksOf returns by lane the bank of the first word that it accesses.
func banksOf(a *access) []int {
	list := make([]int, 0, bits.OnesCount32(a.mask))
	lanes(a.mask, func(lane int) { list = append(list, int(a.addrs[lane].Offset()/wordBytes%banks)) })
	return list
}

// asker is where in the source a shared array is asked, within a phase.
type asker struct {
	phase, array int
	pos          code.Pos
	kind         run.AccessKind
}

// ask adds an access to those of its place.
func (t *tape) ask(asked map[asker]*launch.SharedRequests, phase, step int, a *access) {
	p := a.addrs[bits.TrailingZeros32(a.mask)&31]
	array, ok := t.arrayOf[p-run.Pointer(p.Offset())]
	if !ok {
		return
	}
	key := asker{phase, array, a.pos, a.kind}
	r := asked[key]
	if r == nil {
		r = &launch.SharedRequests{Place: t.place(a.pos), Kind: a.kind.String(), Array: array}
		asked[key] = r
	}
	n, conflicts := turns(a)
	r.Requests++
	r.Turns += n
	r.Conflicts += conflicts
	if n > r.Most {
		r.Most, r.Step = n, step
	}
}

// requested sorts requests into the phases.
func requested(asked map[asker]*launch.SharedRequests, out *launch.Touched) {
	for key, r := range asked {
		i := slices.IndexFunc(out.Phases, func(p launch.PhaseTouched) bool { return p.Phase == key.phase })
		if i < 0 { // its elements are beyond what is listed
			i = len(out.Phases)
			out.Phases = append(out.Phases, launch.PhaseTouched{Phase: key.phase, Arrays: []launch.ArrayTouched{}})
		}
		out.Phases[i].Requests = append(out.Phases[i].Requests, *r)
	}
	slices.SortFunc(out.Phases, func(a, b launch.PhaseTouched) int { return cmp.Compare(a.Phase, b.Phase) })
	for i := range out.Phases {
		slices.SortFunc(out.Phases[i].Requests, func(a, b launch.SharedRequests) int {
			return cmp.Or(cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Array, b.Array))
		})
	}
}
