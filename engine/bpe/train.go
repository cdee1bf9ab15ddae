package bpe

import (
	"cmp"
	"fmt"
	"slices"
)

// A TrainError is a number of merges that cannot be asked for.
type TrainError struct {
	Merges int
}

func (e *TrainError) Error() string {
	return fmt.Sprintf("training cannot make %d merges: ask for 0 to %d", e.Merges, MaxMerges)
}

// Train returns at most n merges for a text: again and again the pair with the
// highest count becomes a token. Of several such pairs the one with the lowest
// left token is taken, then the one with the lowest right token, so the same
// text always gives the same merges. Occurrences do not overlap: a run of k
// equal tokens holds their pair ⌊k/2⌋ times, as often as Encode would replace
// it. Training stops early when no pair occurs twice; a pair whose token would
// be longer than MaxTokenBytes is left alone.
//
// It takes O(m log m) time for m = len(text) + merges made.
func Train(text []byte, n int) ([]Merge, error) {
	if n < 0 || n > MaxMerges {
		return nil, &TrainError{Merges: n}
	}
	t := newTrainer(text)
	merges := []Merge{}
	for len(merges) < n {
		pair, ok := t.best()
		if !ok {
			break
		}
		t.merge(pair, FirstMerge+len(merges))
		merges = append(merges, pair)
	}
	return merges, nil
}

// trainer is a text in which pairs are merged, with the count of each pair.
//
// The text is a linked list of runs of equal tokens, neighbours never of the
// same token. Two neighbouring runs hold the pair of their tokens once, and a
// run of k tokens holds its own pair ⌊k/2⌋ times, so a merge changes the counts
// around its occurrences and no others. Counting afresh for every merge would
// take len(text)·n steps.
type trainer struct {
	runs    []run
	counts  map[Merge]int
	where   map[Merge][]int // runs that hold a pair or begin it; some no longer do
	lengths []int           // bytes of each merge's token
	queue   heap[pairCount]
	touched []Merge // pairs whose count may have changed since the last enqueue
}

// run is count equal tokens. A run of none is in no list.
type run struct {
	token, count   int
	previous, next int // none at the ends
}

const none = -1

func newTrainer(text []byte) *trainer {
	t := &trainer{counts: map[Merge]int{}, where: map[Merge][]int{}}
	for _, token := range bytesToTokens(text) {
		last := len(t.runs) - 1
		if last >= 0 && t.runs[last].token == token {
			t.runs[last].count++
			continue
		}
		t.runs = append(t.runs, run{token: token, count: 1, previous: last, next: none})
		if last >= 0 {
			t.runs[last].next = len(t.runs) - 1
		}
	}
	for r := range t.runs {
		t.countWithin(r, 1)
		t.countAcross(r, 1)
	}
	t.enqueue()
	return t
}

// best returns the pair to merge next.
func (t *trainer) best() (Merge, bool) {
	for len(t.queue) > 0 {
		top := t.queue.pop()
		if top.count != t.counts[top.pair] {
			continue // it was queued again when its count changed
		}
		if t.length(top.pair.Left)+t.length(top.pair.Right) <= MaxTokenBytes {
			return top.pair, true
		}
	}
	return Merge{}, false
}

// merge makes every occurrence of a pair the token, which is a new one.
func (t *trainer) merge(pair Merge, token int) {
	t.lengths = append(t.lengths, t.length(pair.Left)+t.length(pair.Right))
	// Rewriting an occurrence may list one beside it again, under another run.
	for len(t.where[pair]) > 0 {
		places := t.where[pair]
		r := places[len(places)-1]
		t.where[pair] = places[:len(places)-1]

		first, count := t.runs[r].token, t.runs[r].count
		if count == 0 || first != pair.Left {
			continue
		}
		if pair.Left == pair.Right {
			if count >= 2 {
				t.rewrite(r, r, run{token: token, count: count / 2}, run{token: first, count: count % 2})
			}
			continue
		}
		next := t.runs[r].next
		if next == none || t.runs[next].token != pair.Right {
			continue
		}
		t.rewrite(r, next,
			run{token: first, count: count - 1},
			run{token: token, count: 1},
			run{token: pair.Right, count: t.runs[next].count - 1})
	}
	delete(t.where, pair)
	t.enqueue()
}

// rewrite puts the pieces in the place of the runs from first to last. The runs
// before and after them are rewritten too, since a piece may join them.
func (t *trainer) rewrite(first, last int, pieces ...run) {
	if previous := t.runs[first].previous; previous != none {
		first = previous
		pieces = append([]run{t.runs[previous]}, pieces...)
	}
	if next := t.runs[last].next; next != none {
		last = next
		pieces = append(pieces, t.runs[next])
	}
	before, after := t.runs[first].previous, t.runs[last].next

	if before != none {
		t.countAcross(before, -1)
	}
	var free []int
	for r := first; r != after; r = t.runs[r].next {
		t.countWithin(r, -1)
		t.countAcross(r, -1)
		free = append(free, r)
	}
	for _, r := range free {
		t.runs[r].count = 0
	}

	tail := before
	for _, piece := range pieces {
		if piece.count == 0 {
			continue
		}
		if tail != before && t.runs[tail].token == piece.token {
			t.runs[tail].count += piece.count
			continue
		}
		if len(free) == 0 {
			t.runs = append(t.runs, run{})
			free = append(free, len(t.runs)-1)
		}
		r := free[0]
		free = free[1:]
		t.runs[r].token, t.runs[r].count = piece.token, piece.count
		t.connect(tail, r)
		tail = r
	}
	t.connect(tail, after)

	if before != none {
		t.countAcross(before, 1)
	}
	// The first piece that is not empty took the place of the first run.
	for r := first; r != after; r = t.runs[r].next {
		t.countWithin(r, 1)
		t.countAcross(r, 1)
	}
}

func (t *trainer) connect(left, right int) {
	if left != none {
		t.runs[left].next = right
	}
	if right != none {
		t.runs[right].previous = left
	}
}

// countWithin adds sign times the pairs inside run r to their count.
func (t *trainer) countWithin(r, sign int) {
	if token := t.runs[r].token; t.runs[r].count >= 2 {
		t.tally(Merge{token, token}, r, sign*(t.runs[r].count/2))
	}
}

// countAcross adds sign times the pair that begins with the last token of run r
// and ends with the first of the next run.
func (t *trainer) countAcross(r, sign int) {
	if next := t.runs[r].next; next != none {
		t.tally(Merge{t.runs[r].token, t.runs[next].token}, r, sign)
	}
}

func (t *trainer) tally(pair Merge, r, change int) {
	t.counts[pair] += change
	if t.counts[pair] == 0 {
		delete(t.counts, pair)
	}
	if change > 0 {
		t.where[pair] = append(t.where[pair], r)
	}
	t.touched = append(t.touched, pair)
}

// enqueue queues the touched pairs with their counts as they are now.
func (t *trainer) enqueue() {
	slices.SortFunc(t.touched, comparePairs)
	for _, pair := range slices.Compact(t.touched) {
		if count := t.counts[pair]; count >= 2 {
			t.queue.push(pairCount{pair, count})
		}
	}
	t.touched = t.touched[:0]
}

func (t *trainer) length(id int) int {
	if id >= FirstMerge {
		return t.lengths[id-FirstMerge]
	}
	return 1
}

func comparePairs(a, b Merge) int {
	return cmp.Or(cmp.Compare(a.Left, b.Left), cmp.Compare(a.Right, b.Right))
}

type pairCount struct {
	pair  Merge
	count int
}

// before reports whether p is merged rather than q: the highest count first,
// then the lowest pair.
func (p pairCount) before(q pairCount) bool {
	return cmp.Or(cmp.Compare(q.count, p.count), comparePairs(p.pair, q.pair)) < 0
}
