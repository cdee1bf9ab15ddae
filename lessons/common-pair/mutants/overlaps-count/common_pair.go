// Caught as known-mistake: three equal tokens in a row are one pair, not two.

// Package exercise finds the pair of tokens that byte-pair encoding merges next.
package exercise

// CommonPair returns the pair of neighbours that stands most often in the tokens,
// and how often. Of pairs that stand equally often it is the one with the smaller
// left token, and of those the one with the smaller right one. Without a pair all
// three are 0.
func CommonPair(tokens []int) (left, right, count int) {
	// ---- your part begins ----
	counts := map[[2]int]int{}
	for i := 0; i+1 < len(tokens); i++ {
		counts[[2]int{tokens[i], tokens[i+1]}]++
	}
	for pair, n := range counts {
		smaller := pair[0] < left || pair[0] == left && pair[1] < right
		if n > count || n == count && smaller {
			left, right, count = pair[0], pair[1], n
		}
	}
	return left, right, count
	// ---- your part ends ----
}
