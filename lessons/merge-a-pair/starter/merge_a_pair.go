// Package exercise merges a pair of tokens.
package exercise

// Merge returns the tokens with id in place of each left that right follows. It
// goes from the beginning to the end, and a token is merged once at most. The
// tokens themselves stay as they are.
func Merge(tokens []int, left, right, id int) []int {
	// ---- your part begins ----
	return nil
	// ---- your part ends ----
}
