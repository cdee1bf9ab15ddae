package scalar

import (
	"math"
	"testing"
)

// FuzzAccuracy holds every function against the oracle at any float64, and Pow at
// any two.
func FuzzAccuracy(f *testing.F) {
	for _, x := range []float64{1, -1, 0.25, 709.78, -745.1, 1e300, subnormal, 1 + 0x1p-52, 0x1p52, math.Ldexp(6381956970095103, 797)} {
		f.Add(math.Float64bits(x), math.Float64bits(0.5))
		f.Add(math.Float64bits(2), math.Float64bits(x))
	}
	f.Fuzz(func(t *testing.T, p, q uint64) {
		x, y := math.Float64frombits(p), math.Float64frombits(q)
		if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 {
			return // TestSpecial's
		}
		for _, fn := range functions {
			switch fn.name {
			case "Exp", "Exp2", "Tanh":
				if math.Abs(x) > 2000 {
					if got := fn.f(x); got != fn.f(math.Copysign(inf, x)) {
						t.Errorf("%s(%x) = %x, not the limit", fn.name, x, got)
					}
					continue
				}
			case "Log", "Log2":
				if x < 0 {
					continue
				}
			}
			worst := newWorst(t, fn.bound)
			worst.see(fn.f(x), fn.exact(number(x)), x)
		}
		if math.IsNaN(y) || math.IsInf(y, 0) || x < 0 {
			return // TestPowSpecial's
		}
		got := Pow(x, y)
		if size := y * math.Log(x); math.Abs(size) > 2000 {
			if (size > 0) != math.IsInf(got, 1) || size < 0 && got != 0 {
				t.Errorf("Pow(%x, %x) = %x, where y·log x is %v", x, y, got, size)
			}
			return
		}
		worst := newWorst(t, powBound)
		worst.see(got, bigPow(number(x), number(y)), x, y)
	})
}
