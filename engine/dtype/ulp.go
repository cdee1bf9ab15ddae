package dtype

import "math"

// ULPDistance64 returns how many float64 steps lie between a and b: 0 where they
// are the same number, 1 where they are neighbours. The two zeros are one number
// and 0 apart; an infinity is the step after the largest finite value. The
// distance has no order: it is the same for (b, a). It is false, with a distance
// of 0, where either is NaN.
func ULPDistance64(a, b float64) (steps uint64, ok bool) {
	if a != a || b != b {
		return 0, false
	}
	x, y := line64(a), line64(b)
	if x < y {
		x, y = y, x
	}
	// The largest distance, from −Inf to +Inf, is below 2^64 though not below
	// 2^63: the difference wraps to the right unsigned value.
	return uint64(x) - uint64(y), true
}

// line64 numbers the float64 values in their order, both zeros being 0. IEEE
// patterns of one sign already ascend with the magnitude.
func line64(x float64) int64 {
	pattern := int64(math.Float64bits(x))
	if pattern < 0 {
		return math.MinInt64 - pattern
	}
	return pattern
}
