package record

import (
	"cmp"
	"context"
	"slices"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// Bounds of what Touched lists: threads with their elements, and elements.
const (
	maxTouched = 1 << 18
	maxUsed    = 1 << 19
)

// pair is a thread and an element that it accesses.
type pair struct {
	array, phase, thread int
	store                bool
	element              int64
}

// use is how often an element was accessed.
type use struct{ loads, fetches, stores int }

type element struct {
	array int
	index int64
}

// Touched returns which elements the threads of the block accessed.
func (x *Recording) Touched(ctx context.Context, from, to int) (*launch.Touched, error) {
	t := x.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if from < 0 || from > t.steps {
		return nil, &StepError{from, t.steps}
	}
	if to < from || to > t.steps {
		return nil, &StepError{to, t.steps}
	}
	out := &launch.Touched{From: from, To: to, Phases: []launch.PhaseTouched{}, Ends: []launch.PhaseEnd{}, Uses: []launch.ArrayUses{}}
	pairs := map[pair]int{}
	asked := map[asker]*launch.SharedRequests{}
	uses := map[element]use{}
	for n := max(t.find(from), 0); n < len(t.segments); n++ {
		if t.segments[n].first >= to && t.segments[n].late >= to {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := t.fetch(ctx, n)
		if err != nil {
			return nil, err
		}
		t.touched(s, from, to, pairs, asked, uses, out)
	}
	listed(pairs, out)
	requested(asked, out)
	used(uses, out)
	return out, nil
}

// touched adds what a segment has.
func (t *tape) touched(s *segment, from, to int, pairs map[pair]int, asked map[asker]*launch.SharedRequests, uses map[element]use, out *launch.Touched) {
	current := [32]int{}
	for i := range s.key.warps {
		current[i] = int(s.key.warps[i].step)
	}
	phase := int(s.key.phase)
	step := s.first - 1
	var a access
	for at := 0; at < len(s.log); {
		rec := s.log[at:]
		at += length(rec)
		switch rec[0] {
		case recStep:
			step++
			current[rec[1]] = step
			continue
		case recEnd, recRelease:
			step++
			if step >= from && step < to {
				out.Ends = append(out.Ends, launch.PhaseEnd{Phase: phase, Step: step})
			}
			if rec[0] == recRelease {
				phase++
			}
			continue
		case recAccess:
		default:
			continue
		}
		if c := current[rec[1]]; c < from || c >= to || code.Space(rec[9]) == code.Local {
			continue
		}
		readAccess(rec, &a)
		if a.space == code.Shared {
			t.ask(asked, phase, current[rec[1]], &a)
		}
		fetched := map[element]bool{}
		lanes(a.mask, func(lane int) {
			p := a.addrs[lane]
			array, ok := t.arrayOf[p-run.Pointer(p.Offset())]
			if !ok {
				return
			}
			size := int64(max(t.arrays[array].ElemSize, 1))
			for e := p.Offset() / size; e*size < p.Offset()+int64(a.width()); e++ {
				key := element{array, e}
				u, have := uses[key]
				if !have && len(uses) >= maxUsed {
					out.Cut = true
					continue
				}
				switch {
				case a.kind != run.Load:
					u.stores++
				default:
					u.loads++
					if !fetched[key] {
						fetched[key] = true
						u.fetches++
					}
				}
				uses[key] = u
				k := pair{array, phase, 32*int(rec[1]) + lane, a.kind != run.Load, e}
				if _, have := pairs[k]; !have && len(pairs) >= maxTouched {
					out.Cut = true
					continue
				}
				pairs[k]++
			}
		})
	}
}

// listed sorts pairs into the phases and arrays.
func listed(pairs map[pair]int, out *launch.Touched) {
	list := make([]pair, 0, len(pairs))
	for p := range pairs {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.array, b.array), cmp.Compare(a.thread, b.thread), cmp.Compare(a.element, b.element))
	})
	for _, p := range list {
		if n := len(out.Phases); n == 0 || out.Phases[n-1].Phase != p.phase {
			out.Phases = append(out.Phases, launch.PhaseTouched{Phase: p.phase, Arrays: []launch.ArrayTouched{}, Requests: []launch.SharedRequests{}})
		}
		phase := &out.Phases[len(out.Phases)-1]
		if n := len(phase.Arrays); n == 0 || phase.Arrays[n-1].Array != p.array {
			phase.Arrays = append(phase.Arrays, launch.ArrayTouched{
				Array: p.array, LoadThreads: []int{}, LoadElements: []int64{}, LoadCounts: []int{}, StoreThreads: []int{}, StoreElements: []int64{}, StoreCounts: []int{},
			})
		}
		a := &phase.Arrays[len(phase.Arrays)-1]
		if p.store {
			a.StoreThreads, a.StoreElements, a.StoreCounts = append(a.StoreThreads, p.thread), append(a.StoreElements, p.element), append(a.StoreCounts, pairs[p])
		} else {
			a.LoadThreads, a.LoadElements, a.LoadCounts = append(a.LoadThreads, p.thread), append(a.LoadElements, p.element), append(a.LoadCounts, pairs[p])
		}
	}
}

// used sorts the uses of elements into the arrays.
func used(uses map[element]use, out *launch.Touched) {
	list := make([]element, 0, len(uses))
	for e := range uses {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b element) int { return cmp.Or(cmp.Compare(a.array, b.array), cmp.Compare(a.index, b.index)) })
	for _, e := range list {
		if n := len(out.Uses); n == 0 || out.Uses[n-1].Array != e.array {
			out.Uses = append(out.Uses, launch.ArrayUses{Array: e.array})
		}
		a, u := &out.Uses[len(out.Uses)-1], uses[e]
		a.Elements = append(a.Elements, e.index)
		a.Loads, a.Fetches, a.Stores = append(a.Loads, u.loads), append(a.Fetches, u.fetches), append(a.Stores, u.stores)
	}
}
