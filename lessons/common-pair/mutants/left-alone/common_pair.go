// Caught as wrong-values: it does not look at the right tokens of a tie.

// Package exercise finds the pair of tokens that byte-pair encoding merges next.
package exercise

// CommonPair returns the pair of neighbours that stands most often in the tokens,
// and how often. Of pairs that stand equally often it is the one with the smaller
// left token, and of those the one with the smaller right one. Without a pair all
// three are 0.
func CommonPair(tokens []int) (left, right, count int) {
	// ---- your part begins ----
	for i := 0; i+1 < len(tokens); i++ {
		n := 0
		for k := 0; k+1 < len(tokens); k++ {
			if tokens[k] == tokens[i] && tokens[k+1] == tokens[i+1] {
				n++
				if tokens[i] == tokens[i+1] {
					k++
				}
			}
		}
		if n > count || n == count && tokens[i] < left {
			left, right, count = tokens[i], tokens[i+1], n
		}
	}
	return left, right, count
	// ---- your part ends ----
}
