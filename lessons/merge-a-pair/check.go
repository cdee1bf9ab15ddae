// Package mergeapair checks the exercise of that name.
package mergeapair

import (
	"fmt"
	"slices"
	"strings"

	"workbench/lessons/lesson"
)

// Check has pairs at the beginning, at the end and in runs, and tokens without
// any.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "Merge", Signature: "func(tokens []int, left, right, id int) []int"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	var calls []lesson.Call
	for _, t := range []struct {
		tokens          []int
		left, right, id int
	}{
		{[]int{118, 106, 103, 34, 118, 106, 103, 112}, 118, 106, 258},
		{[]int{258, 103, 34, 258, 103, 112}, 258, 103, 259},
		{[]int{5, 5, 5}, 5, 5, 9},
		{[]int{5, 5, 5, 5, 2, 5}, 5, 5, 9},
		{[]int{3, 7, 2, 3}, 3, 7, 8},
		{[]int{2, 3, 7}, 3, 7, 8},
		{[]int{3, 3, 7, 7}, 3, 7, 8},
		{[]int{7, 3}, 3, 7, 8},
		{[]int{1, 2, 1, 2}, 1, 2, 1},
		{[]int{6}, 6, 6, 9},
		{[]int{}, 1, 2, 3},
	} {
		call := lesson.Call{
			Name:     fmt.Sprintf("%d %d becomes %d in %v", t.left, t.right, t.id, t.tokens),
			Function: "Merge", Args: []any{t.tokens, t.left, t.right, t.id},
			Want: []any{merged(t.tokens, t.left, t.right, t.id)},
		}
		// What the same merge gives from the end: the pair and the tokens mirrored.
		back := slices.Clone(t.tokens)
		slices.Reverse(back)
		back = merged(back, t.right, t.left, t.id)
		slices.Reverse(back)
		if want := call.Want[0].([]int); !slices.Equal(back, want) {
			var values []float64
			for _, token := range back {
				values = append(values, float64(token))
			}
			call.Mistakes = []lesson.Mistake{{Array: "0", Values: values, Text: "this is what comes out if one goes from the end to the beginning"}}
		}
		calls = append(calls, call)
	}
	return calls
}

// merged replaces text, in which each token is written in angle brackets.
func merged(tokens []int, left, right, id int) []int {
	var text strings.Builder
	for _, token := range tokens {
		fmt.Fprintf(&text, "<%d>", token)
	}
	replaced := strings.ReplaceAll(text.String(), fmt.Sprintf("<%d><%d>", left, right), fmt.Sprintf("<%d>", id))
	out := []int{}
	for _, word := range strings.Split(replaced, "<") {
		var token int
		if _, err := fmt.Sscanf(word, "%d>", &token); err == nil {
			out = append(out, token)
		}
	}
	return out
}
