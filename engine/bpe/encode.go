package bpe

// Encode returns the tokens of a text without marks. It takes O(n log n) time
// for n bytes.
func (t *Tokenizer) Encode(text []byte) []int {
	return t.encode(make([]int, 0, len(text)), text)
}

// EncodeDocument returns Begin, the tokens of the text and End.
func (t *Tokenizer) EncodeDocument(text []byte) []int {
	out := append(make([]int, 0, len(text)+2), Begin)
	return append(t.encode(out, text), End)
}

// encode appends the tokens of text to out.
//
// The tokens form a linked list in which a merge joins two neighbours. A heap
// holds the pairs that can merge, the lowest rank first and the leftmost of a
// rank first. That gives what replacing rank after rank gives: a pair that a
// merge brings about contains the token just made, so its own rank is higher
// and its turn comes later.
func (t *Tokenizer) encode(out []int, text []byte) []int {
	n := len(text)
	list := make([]link, n)
	for i, b := range text {
		list[i] = link{token: FirstByte + int(b), previous: i - 1, next: i + 1}
	}
	var pending heap[pairAt]
	for i := 0; i+1 < n; i++ {
		if rank, ok := t.Rank(list[i].token, list[i+1].token); ok {
			pending = append(pending, pairAt{rank, i})
		}
	}
	pending.order()
	for len(pending) > 0 {
		top := pending.pop()
		at := &list[top.at]
		if at.token == gone || at.next == n {
			continue
		}
		// An entry goes stale when a neighbour merges first. The list as it
		// is now decides: a pair has one rank, so an equal rank is the same
		// pair.
		right := list[at.next]
		if rank, ok := t.Rank(at.token, right.token); !ok || rank != top.rank {
			continue
		}
		list[at.next].token = gone
		at.token = FirstMerge + top.rank
		at.next = right.next
		if at.next < n {
			list[at.next].previous = top.at
			if rank, ok := t.Rank(at.token, list[at.next].token); ok {
				pending.push(pairAt{rank, top.at})
			}
		}
		if at.previous >= 0 {
			if rank, ok := t.Rank(list[at.previous].token, at.token); ok {
				pending.push(pairAt{rank, at.previous})
			}
		}
	}
	// The leftmost token of a merge stays in place, so the list begins at 0.
	for i := 0; i < n; i = list[i].next {
		out = append(out, list[i].token)
	}
	return out
}

// gone marks a link whose token was merged into the one before it.
const gone = -1

// link is a token of the text being encoded and its neighbours' places: -1 and
// the length of the text are the ends.
type link struct {
	token, previous, next int
}

// pairAt is a pair that can merge: its rank, and the place of its left token.
type pairAt struct {
	rank, at int
}

func (p pairAt) before(q pairAt) bool {
	return p.rank < q.rank || p.rank == q.rank && p.at < q.at
}
