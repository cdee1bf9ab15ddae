// Caught as panic: the last token has no neighbour.

// Package exercise merges a pair of tokens.
package exercise

// Merge returns the tokens with id in place of each left that right follows. It
// goes from the beginning to the end, and a token is merged once at most. The
// tokens themselves stay as they are.
func Merge(tokens []int, left, right, id int) []int {
	// ---- your part begins ----
	var merged []int
	for i := 0; i < len(tokens); i++ {
		if tokens[i] == left && tokens[i+1] == right {
			merged = append(merged, id)
			i++
		} else {
			merged = append(merged, tokens[i])
		}
	}
	return merged
	// ---- your part ends ----
}
