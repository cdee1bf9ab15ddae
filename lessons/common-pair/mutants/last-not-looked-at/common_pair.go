// Caught as wrong-values: the loop ends before the last pair.

// Package exercise finds the pair of tokens that byte-pair encoding merges next.
package exercise

// CommonPair returns the pair of neighbours that stands most often in the tokens,
// and how often. Of pairs that stand equally often it is the one with the smaller
// left token, and of those the one with the smaller right one. Without a pair all
// three are 0.
func CommonPair(tokens []int) (left, right, count int) {
	// ---- your part begins ----
	for i := 0; i+2 < len(tokens); i++ {
		n := 0
		for k := 0; k+2 < len(tokens); k++ {
			if tokens[k] == tokens[i] && tokens[k+1] == tokens[i+1] {
				n++
				if tokens[i] == tokens[i+1] {
					k++
				}
			}
		}
		smaller := tokens[i] < left || tokens[i] == left && tokens[i+1] < right
		if n > count || n == count && smaller {
			left, right, count = tokens[i], tokens[i+1], n
		}
	}
	return left, right, count
	// ---- your part ends ----
}
