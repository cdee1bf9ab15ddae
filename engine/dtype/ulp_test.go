package dtype

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestULPDistance64(t *testing.T) {
	inf, tiny := math.Inf(1), math.SmallestNonzeroFloat64
	negZero := math.Copysign(0, -1)
	tests := []struct {
		name string
		a, b float64
		want uint64
	}{
		{"the same", 1.5, 1.5, 0},
		{"both zeros", 0, negZero, 0},
		{"neighbours", 1, math.Nextafter(1, 2), 1},
		{"across a power of two", math.Nextafter(1, 0), math.Nextafter(1, 2), 2},
		{"zero and the smallest", 0, tiny, 1},
		{"negative zero and the smallest", negZero, tiny, 1},
		{"across zero", -tiny, tiny, 2},
		{"subnormal to normal", 0x1p-1022 - tiny, 0x1p-1022, 1},
		{"a binade", 1, 2, 1 << 52},
		{"largest and infinity", math.MaxFloat64, inf, 1},
		{"same infinity", inf, inf, 0},
		{"the two infinities", -inf, inf, 2 * (0x7ff << 52)},
		{"minus one and one", -1, 1, 2 * (0x3ff << 52)},
	}
	for _, test := range tests {
		for _, swap := range []bool{false, true} {
			a, b := test.a, test.b
			if swap {
				a, b = b, a
			}
			if got, ok := ULPDistance64(a, b); !ok || got != test.want {
				t.Errorf("%s: ULPDistance64(%v, %v) = %d, %v, want %d, true", test.name, a, b, got, ok, test.want)
			}
			if got, ok := ULPDistance64(-a, -b); !ok || got != test.want {
				t.Errorf("%s, negated: ULPDistance64(%v, %v) = %d, %v, want %d, true", test.name, -a, -b, got, ok, test.want)
			}
		}
	}
}

func TestULPDistance64NaN(t *testing.T) {
	nan := math.NaN()
	for _, pair := range [][2]float64{{nan, 1}, {1, nan}, {nan, nan}, {nan, math.Inf(1)}, {math.Copysign(nan, -1), 0}} {
		if steps, ok := ULPDistance64(pair[0], pair[1]); ok || steps != 0 {
			t.Errorf("ULPDistance64(%v, %v) = %d, %v, want 0, false", pair[0], pair[1], steps, ok)
		}
	}
}

// Walking n steps with Nextafter, from values of every size, must measure n.
func TestULPDistance64Walk(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		start := math.Float64frombits(random.Uint64())
		if math.IsNaN(start) {
			continue
		}
		x, steps := start, uint64(random.IntN(20))
		for range steps {
			if x == math.Inf(1) {
				break
			}
			x = math.Nextafter(x, math.Inf(1))
		}
		if math.IsInf(x, 1) {
			continue
		}
		if got, ok := ULPDistance64(start, x); !ok || got != steps {
			t.Errorf("ULPDistance64(%v, %v) = %d, %v, want %d steps", start, x, got, ok, steps)
		}
	}
}
