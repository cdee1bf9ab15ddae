// Caught as known-mistake: in a run of equal tokens the last two are merged first.

// Package exercise merges a pair of tokens.
package exercise

// Merge returns the tokens with id in place of each left that right follows. It
// goes from the beginning to the end, and a token is merged once at most. The
// tokens themselves stay as they are.
func Merge(tokens []int, left, right, id int) []int {
	// ---- your part begins ----
	var backwards []int
	for i := len(tokens) - 1; i >= 0; i-- {
		if i > 0 && tokens[i-1] == left && tokens[i] == right {
			backwards = append(backwards, id)
			i--
		} else {
			backwards = append(backwards, tokens[i])
		}
	}
	var merged []int
	for i := len(backwards) - 1; i >= 0; i-- {
		merged = append(merged, backwards[i])
	}
	return merged
	// ---- your part ends ----
}
