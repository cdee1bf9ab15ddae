package compare

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/scalar"
	"workbench/engine/tensor"
)

// Gamma is never below the exact quotient and at most three steps above it.
func TestGamma(t *testing.T) {
	for _, unit := range []float64{unit64, unit32, 0x1p-11, 0x1p-8, 1e-3} {
		for _, k := range []int{1, 2, 3, 7, 100, 255, 1023, 1 << 20, 1<<24 - 1, 1 << 40} {
			ku := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(k)), new(big.Rat).SetFloat64(unit))
			rest := new(big.Rat).Sub(big.NewRat(1, 1), ku)
			got := Gamma(k, unit)
			if rest.Sign() <= 0 {
				if !math.IsInf(got, 1) {
					t.Errorf("Gamma(%d, %g) = %g, want +Inf: there is no bound", k, unit, got)
				}
				continue
			}
			exact := new(big.Rat).Quo(ku, rest)
			if new(big.Rat).SetFloat64(got).Cmp(exact) < 0 {
				t.Errorf("Gamma(%d, %g) = %g lies below the exact value", k, unit, got)
			}
			near, _ := exact.Float64()
			if rest.Cmp(big.NewRat(1, 2)) > 0 && got > near*(1+0x1p-50) {
				t.Errorf("Gamma(%d, %g) = %g, want about %g", k, unit, got, near)
			}
		}
	}
	if Gamma(0, unit64) != 0 || Gamma(-1, unit64) != 0 {
		t.Error("no roundings must have no error")
	}
}

// dots computes one cell in ways that the bounds must hold for: the two
// contracts, forwards and backwards, and in pairs.
func dots(p device.Precision, left, right []float64) map[string]float64 {
	a := arithmeticOf(p)
	l, r := make([]float64, len(left)), make([]float64, len(right))
	for i := range left {
		l[i], r[i] = a.operand(left[i]), a.operand(right[i])
	}
	round := func(x float64) float64 { return x }
	fma := math.FMA
	if p != device.Float64 {
		// A float64 holds the product of two float32 exactly, and the sum of
		// two float32 rounds the same from float64: 53 ≥ 2·24 + 2 (Figueroa,
		// When is double rounding innocuous?, 1995).
		round = dtype.RoundFloat32
		fma = func(a, b, c float64) float64 {
			return float64(scalar.FMA32(float32(a), float32(b), float32(c)))
		}
	}
	n := len(l)
	separate, fused, backwards := 0.0, 0.0, 0.0
	for k := range n {
		separate = round(separate + round(float64(l[k]*r[k])))
		fused = fma(l[k], r[k], fused)
		backwards = round(backwards + round(float64(l[n-1-k]*r[n-1-k])))
	}
	var pairs func(from, to int) float64
	pairs = func(from, to int) float64 {
		switch to - from {
		case 0:
			return 0
		case 1:
			return round(float64(l[from] * r[from]))
		}
		middle := (from + to) / 2
		return round(pairs(from, middle) + pairs(middle, to))
	}
	out := map[string]float64{"separate": separate, "fused": fused, "backwards": backwards, "pairs": pairs(0, n)}
	for name, x := range out {
		switch p {
		case device.Float16:
			out[name] = dtype.RoundFloat16(x)
		case device.BFloat16:
			out[name] = dtype.RoundBFloat16(x)
		}
	}
	return out
}

func exactDot(p device.Precision, left, right []float64) *big.Float {
	a := arithmeticOf(p)
	sum := new(big.Float).SetPrec(4500)
	for k := range left {
		product := new(big.Float).SetPrec(200).Mul(big.NewFloat(a.operand(left[k])), big.NewFloat(a.operand(right[k])))
		sum.Add(sum, product)
	}
	return sum
}

func distance(a, b *big.Float) *big.Float {
	d := new(big.Float).SetPrec(4500).Sub(a, b)
	return d.Abs(d)
}

func TestProductBoundsHold(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 10))
	for _, p := range device.Precisions {
		for trial := range 60 {
			m, k, n := 1+random.IntN(3), []int{0, 1, 2, 3, 17, 129}[trial%6], 1+random.IntN(3)
			// Wide scales reach subnormal products and results; equal signs
			// leave nothing to cancel and alternating ones nearly all.
			scale := []float64{1, 0x1p-6, 0x1p-14, 0x1p-70, 0x1p3}[trial%5]
			fill := func(count int) []float64 {
				out := make([]float64, count)
				for i := range out {
					out[i] = scale * (random.Float64() - float64(trial%3)/2)
				}
				return out
			}
			left, right := tensor.Must(tensor.FromSlice(fill(2*m*k), 2, m, k)), tensor.Must(tensor.FromSlice(fill(k*n), k, n))
			plan, err := tensor.PlanMatmul(left.View(), right.View(), false, false)
			if err != nil {
				t.Fatal(err)
			}
			alone, both := ProductBounds(plan, p, 1), ProductBounds(plan, p, 2)
			if len(alone) != 2*m*n || len(both) != 2*m*n {
				t.Fatalf("%d bounds for %d cells", len(alone), 2*m*n)
			}
			for q := range alone {
				at := tensor.Coordinate([]int{2, m, n}, q)
				l, r, err := plan.Operands(at[0], at[1], at[2])
				if err != nil {
					t.Fatal(err)
				}
				exact := exactDot(p, l, r)
				values := dots(p, l, r)
				for name, x := range values {
					if d := distance(big.NewFloat(x), exact); !(d.Cmp(big.NewFloat(alone[q])) <= 0) {
						t.Fatalf("%v %s, K = %d, scale %g: %g lies %g from the exact value, outside %g", p, name, k, scale, x, d, alone[q])
					}
					for other, y := range values {
						if !(math.Abs(x-y) <= both[q]) {
							t.Fatalf("%v, K = %d: %s and %s lie %g apart, outside %g", p, k, name, other, math.Abs(x-y), both[q])
						}
					}
				}
			}
		}
	}
}

// The bounds are the formula and not a wide margin around it.
func TestProductBoundsAreTight(t *testing.T) {
	left := tensor.Must(tensor.FromSlice([]float64{1, -2, 3}, 1, 3))
	right := tensor.Must(tensor.FromSlice([]float64{4, 5, -6}, 3, 1))
	plan, err := tensor.PlanMatmul(left.View(), right.View(), false, false)
	if err != nil {
		t.Fatal(err)
	}
	const magnitude = 4 + 10 + 18
	for p, want := range map[device.Precision]float64{
		device.Float64:  3 * 0x1p-53 * magnitude,
		device.Float32:  3 * 0x1p-24 * magnitude,
		device.Float16:  (3*0x1p-24 + 0x1p-11) * magnitude,
		device.BFloat16: (3*0x1p-24 + 0x1p-8) * magnitude,
	} {
		for sides := 1; sides <= 2; sides++ {
			got := ProductBounds(plan, p, sides)[0] / float64(sides)
			if !(got >= want && got <= want*1.00001) {
				t.Errorf("%v, %d sides: bound %g a side, want %g and hardly more", p, sides, got, want)
			}
		}
	}
	three := tensor.Must(tensor.FromSlice([]float64{4, -10, 18}, 3))
	axis, err := tensor.PlanAxis(three.View(), 0, false)
	if err != nil {
		t.Fatal(err)
	}
	for op, want := range map[device.ReduceOp]float64{
		device.Sum:  3 * 0x1p-24 * magnitude,
		device.Mean: 5 * 0x1p-24 * magnitude / 3, // the division, and the rounding of 1/3
	} {
		if got := ReductionBounds(axis, op, device.Float32, 1)[0]; !(got >= want && got <= want*1.00001) {
			t.Errorf("%v: bound %g, want %g and hardly more", op, got, want)
		}
	}
	for _, p := range device.Precisions {
		// What one rounding too many of the largest size does is outside.
		bound := ProductBounds(plan, p, 1)
		g := Group{Name: "c", Shape: []int{1}, CandidateShape: []int{1}, Reference: []float64{-24}, Candidate: []float64{-24 + 2*bound[0]}, Bound: bound}
		if r := Compare("cpu", "x", Bounded(), []Group{g}); r.Passed {
			t.Errorf("%v: twice the bound passes", p)
		}
	}
}

func TestReductionBoundsHold(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 11))
	for _, p := range device.Precisions {
		for trial := range 40 {
			k := []int{1, 2, 3, 17, 129}[trial%5]
			values := make([]float64, 2*k*3)
			for i := range values {
				values[i] = random.Float64() - float64(trial%3)/2
			}
			input := tensor.Must(tensor.FromSlice(values, 2, k, 3))
			plan, err := tensor.PlanAxis(input.View(), 1, false)
			if err != nil {
				t.Fatal(err)
			}
			sums, means := ReductionBounds(plan, device.Sum, p, 1), ReductionBounds(plan, device.Mean, p, 1)
			ones, parts := make([]float64, k), make([]float64, k)
			for i := range ones {
				ones[i], parts[i] = 1, 1/float64(k)
			}
			round := func(x float64) float64 { return x }
			if p != device.Float64 {
				round = dtype.RoundFloat32
			}
			store := round
			switch p {
			case device.Float16:
				store = dtype.RoundFloat16
			case device.BFloat16:
				store = dtype.RoundBFloat16
			}
			for g := range plan.G {
				group, err := plan.Group(g)
				if err != nil {
					t.Fatal(err)
				}
				exact := exactDot(p, group, ones)
				mean := new(big.Float).SetPrec(4500).Quo(exact, new(big.Float).SetInt64(int64(k)))
				for name, x := range dots(p, group, ones) {
					if d := distance(big.NewFloat(x), exact); !(d.Cmp(big.NewFloat(sums[g])) <= 0) {
						t.Errorf("%v %s sum of %d: %g from the exact value, outside %g", p, name, k, d, sums[g])
					}
				}
				// The mean divides the accumulator, or scales it by a rounded 1/K.
				sum := 0.0
				for _, x := range group {
					sum = round(sum + arithmeticOf(p).operand(x))
				}
				for name, x := range map[string]float64{
					"divided": store(round(sum / float64(k))),
					"scaled":  store(round(float64(sum * round(1/float64(k))))),
				} {
					if d := distance(big.NewFloat(x), mean); !(d.Cmp(big.NewFloat(means[g])) <= 0) {
						t.Errorf("%v %s mean of %d: %g from the exact value, outside %g", p, name, k, d, means[g])
					}
				}
			}
		}
	}
}

func TestBoundsOfNothing(t *testing.T) {
	empty := tensor.Must(tensor.New(2, 0))
	axis, err := tensor.PlanAxis(empty.View(), 1, false)
	if err != nil {
		t.Fatal(err)
	}
	product, err := tensor.PlanMatmul(empty.View(), tensor.Must(tensor.New(0, 3)).View(), false, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range device.Precisions {
		for _, b := range append(ReductionBounds(axis, device.Sum, p, 2), ProductBounds(product, p, 2)...) {
			if b != 0 {
				t.Errorf("%v: a contraction of nothing is zero without error, and its bound is %g", p, b)
			}
		}
	}
}

func TestBoundsWithoutBound(t *testing.T) {
	left := tensor.Must(tensor.FromSlice([]float64{math.Inf(1), math.NaN(), 1}, 3, 1))
	right := tensor.Must(tensor.FromSlice([]float64{1}, 1, 1))
	plan, err := tensor.PlanMatmul(left.View(), right.View(), false, false)
	if err != nil {
		t.Fatal(err)
	}
	bound := ProductBounds(plan, device.Float32, 1)
	g := Group{Name: "c", Shape: []int{3}, CandidateShape: []int{3}, Reference: []float64{1, 1, 1}, Candidate: []float64{1, 1, 1}, Bound: bound}
	r := Compare("cpu", "x", Bounded(), []Group{g})
	if r.Failures != 2 || !r.Entries[2].Pass {
		t.Errorf("bounds %v let %d of 3 values fail, want the two that have none", bound, r.Failures)
	}
	defer func() {
		if message, _ := recover().(string); !strings.HasPrefix(message, "BUG: no bounds for Precision(99)") {
			t.Errorf("an unknown precision: %v, want a BUG", message)
		}
	}()
	ProductBounds(plan, device.Precision(99), 1)
}
