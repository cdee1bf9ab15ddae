// Package commonpair checks the exercise of that name.
package commonpair

import (
	"fmt"

	"workbench/lessons/lesson"
)

// Check has ties in either token, runs of equal tokens, and texts without a pair.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "CommonPair", Signature: "func(tokens []int) (left, right, count int)"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	var calls []lesson.Call
	for _, tokens := range [][]int{
		{7, 3, 7, 3, 5, 7, 3},
		{9, 8, 2, 6, 9, 8, 2, 6},                         // 2 6, 8 2 and 9 8 twice
		{5, 9, 5, 4, 5, 9, 5, 4, 5},                      // 4 5, 5 4, 5 9 and 9 5 twice
		{6, 8, 1, 6, 2, 6, 8, 9, 6, 2},                   // 6 2 and 6 8 twice
		{4, 4, 4, 8, 9, 8, 9},                            // 4 4 once, 8 9 twice
		{4, 4, 4, 4, 8, 9, 8, 9},                         // 4 4 twice
		{5, 5, 5, 5, 5, 5, 5, 2, 3, 2, 3, 7, 2, 3, 2, 3}, // 5 5 three times, 2 3 four times
		{2, 1},
		{1, 2, 2, 3, 1, 9, 9, 2, 2},
		{3, 4, 6, 1, 6, 1},
		{12},
		{},
	} {
		left, right, most := common(tokens, true)
		call := lesson.Call{
			Name: fmt.Sprint(tokens), Function: "CommonPair",
			Args: []any{tokens}, Want: []any{left, right, most},
		}
		if l, r, n := common(tokens, false); n != most {
			text := "each neighbour in a run of equal tokens was counted, also those that overlap"
			if l == left && r == right {
				call.Mistakes = []lesson.Mistake{{Array: "2", Values: []float64{float64(n)}, Text: text}}
			} else {
				call.Mistakes = []lesson.Mistake{{Array: "0", Values: []float64{float64(l)}, Text: text}}
			}
		}
		calls = append(calls, call)
	}
	return calls
}

// common tries every pair of tokens in order, the smaller ones first, and counts
// where it stands.
func common(tokens []int, apart bool) (left, right, most int) {
	for l := range 20 {
		for r := range 20 {
			n := 0
			for i := 1; i < len(tokens); i++ {
				if tokens[i-1] == l && tokens[i] == r {
					n++
					if apart && l == r {
						i++ // the next one would overlap
					}
				}
			}
			if n > most {
				left, right, most = l, r, n
			}
		}
	}
	return left, right, most
}
