package chapter

// nearest returns the word of a list that a misspelt one most likely meant: at
// most two letters away, and fewer than half its letters. It returns "" where
// none is near.
func nearest(word string, list []string) string {
	best, distance := "", 3
	for _, candidate := range list {
		d := editDistance(word, candidate)
		if d < distance && 2*d < len(candidate) {
			best, distance = candidate, d
		}
	}
	return best
}

// editDistance counts the letters to insert, delete, replace or exchange with
// their neighbour (the optimal string alignment distance).
func editDistance(a, b string) int {
	if len(a) > 32 || len(b) > 32 {
		return 32 // nothing that long is a misspelt word of ours
	}
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
