package launchfile

import "math"

// splitMix is SplitMix64 (Steele, Lea and Flood, 2014).
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// fills are the ways to fill a buffer: the pattern of element i. Integers wrap
// in their own width.
var fills = map[string]func(t Type, i int, random *splitMix) uint64{
	"zeros": func(Type, int, *splitMix) uint64 { return 0 },
	"ones":  func(t Type, _ int, _ *splitMix) uint64 { return number(t, 1) },
	"iota":  func(t Type, i int, _ *splitMix) uint64 { return number(t, i) },
	"random": func(t Type, _ int, random *splitMix) uint64 {
		z := random.next()
		if !t.float() {
			return z % 100
		}
		unit := float64(float64(z>>11) * 0x1p-53)
		return t.pattern(float64(2*unit) - 1) // both exact
	},
	"nan": func(t Type, _ int, _ *splitMix) uint64 {
		switch {
		case t.float():
			return t.pattern(math.NaN())
		case t.signed():
			return 1<<(8*t.Size()-1) - 1
		}
		return math.MaxUint64
	},
}

func number(t Type, i int) uint64 {
	if t.float() {
		return t.pattern(float64(i))
	}
	return uint64(i)
}
