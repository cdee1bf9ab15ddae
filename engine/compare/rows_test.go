package compare

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"workbench/engine/device"
)

// rowInputs are rows of numbers of all sizes that a format has room for.
func rowInputs(p device.Precision) [][]float64 {
	random := rand.New(rand.NewPCG(7, 11))
	var out [][]float64
	for _, n := range []int{1, 2, 5, 33, 400} {
		for _, exponent := range []int{-6, 0, 3, 6} {
			row := make([]float64, n)
			for i := range row {
				row[i] = p.Round(math.Ldexp(random.Float64()*2-1, random.IntN(exponent+9)-8))
			}
			out = append(out, row)
		}
	}
	return out
}

// single computes in float32 and rounds the end to a format, in the order of a
// permutation: what a kernel of one thread may do.
func single(p device.Precision, x float32) float64 { return p.Round(float64(x)) }

// TestSoftmaxRow holds what float32 makes of rows, in several orders, against the
// bounds, and those against the values: they are no licence.
func TestSoftmaxRow(t *testing.T) {
	for _, p := range []device.Precision{device.Float32, device.Float16, device.BFloat16} {
		random := rand.New(rand.NewPCG(1, 2))
		for _, row := range rowInputs(p) {
			want, bound := SoftmaxRow(p, row, InAnyOrder(len(row)))
			total := 0.0
			for i, w := range want {
				total += w
				if most := w*(1e-4+math.Ldexp(1, -7)) + 1e-7; bound[i] > most {
					t.Fatalf("%v, %d elements: %g may be off by %g", p, len(row), w, bound[i])
				}
			}
			if math.Abs(total-1) > 1e-12 {
				t.Fatalf("the shares of %d elements are %v together", len(row), total)
			}
			largest := float32(math.Inf(-1))
			for _, x := range row {
				largest = max(largest, float32(x))
			}
			exponentials := make([]float32, len(row))
			for i, x := range row {
				exponentials[i] = float32(math.Exp(float64(float32(x) - largest)))
				if random.IntN(2) == 0 { // by an ulp, as CUDA's may be
					exponentials[i] = math.Nextafter32(exponentials[i], 2)
				}
			}
			sum := float32(0)
			for _, i := range random.Perm(len(row)) {
				sum += exponentials[i]
			}
			for i := range row {
				if got := single(p, exponentials[i]/sum); !(math.Abs(got-want[i]) <= bound[i]) {
					t.Errorf("%v, element %d of %d: %g, want %g within %g", p, i, len(row), got, want[i], bound[i])
				}
			}
		}
	}
}

// TestSoftmaxRowEdges are elements that are no part of it, and rows that are no
// numbers.
func TestSoftmaxRowEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	want, bound := SoftmaxRow(device.Float32, []float64{-inf, 1, 1, -math.MaxFloat32}, InAnyOrder(4))
	if want[0] != 0 || bound[0] != 0 || want[1] != 0.5 || !(bound[1] > 0 && bound[1] < 1e-5) || want[3] != 0 || !(bound[3] >= 0 && bound[3] < 1e-40) {
		t.Errorf("%v within %v", want, bound)
	}
	for _, row := range [][]float64{{nan, 1, 2}, {1, nan, inf}, {-inf, -inf}} {
		want, _ := SoftmaxRow(device.Float32, row, InAnyOrder(len(row)))
		for i, w := range want {
			if !math.IsNaN(w) {
				t.Errorf("element %d of %v is %v", i, row, w)
			}
		}
	}
}

// TestRMSNormRow holds rows against exact arithmetic, and float32's against the bound.
func TestRMSNormRow(t *testing.T) {
	for _, p := range []device.Precision{device.Float64, device.Float32, device.Float16, device.BFloat16} {
		random := rand.New(rand.NewPCG(3, 4))
		for _, row := range rowInputs(p) {
			n := len(row)
			gain := make([]float64, n)
			for i := range gain {
				gain[i] = p.Round(random.NormFloat64())
			}
			epsilon := 1e-5
			want, bound := RMSNormRow(p, row, gain, epsilon, InAnyOrder(n))

			sum := new(big.Float).SetPrec(600)
			for _, x := range row {
				sum.Add(sum, new(big.Float).SetPrec(600).Mul(big.NewFloat(x), big.NewFloat(x)))
			}
			sum.Quo(sum, new(big.Float).SetInt64(int64(n)))
			root := new(big.Float).SetPrec(600).Sqrt(sum.Add(sum, big.NewFloat(p.Round(epsilon))))
			for i, x := range row {
				exact, _ := new(big.Float).SetPrec(600).Quo(new(big.Float).SetPrec(600).Mul(big.NewFloat(x), big.NewFloat(gain[i])), root).Float64()
				if math.Abs(want[i]-exact) > math.Abs(exact)*8*0x1p-53 {
					t.Fatalf("%v, element %d of %d: %g, exactly %g", p, i, n, want[i], exact)
				}
				if most := math.Abs(exact)*(1e-4+math.Ldexp(1, -7)) + 1e-7; bound[i] > most {
					t.Fatalf("%v, %d elements: %g may be off by %g", p, n, exact, bound[i])
				}
			}
			if p == device.Float64 {
				continue
			}
			squares := float32(0)
			for _, i := range random.Perm(n) {
				squares += float32(row[i]) * float32(row[i])
			}
			scale := 1 / float32(math.Sqrt(float64(squares/float32(n)+float32(p.Round(epsilon)))))
			for i, x := range row {
				got := single(p, float32(float32(x)*scale)*float32(gain[i]))
				if !(math.Abs(got-want[i]) <= bound[i]) {
					t.Errorf("%v, element %d of %d: %g, want %g within %g", p, i, n, got, want[i], bound[i])
				}
			}
		}
	}
}

// TestSumOfSquares is of squares of which most vanish beside the largest.
func TestSumOfSquares(t *testing.T) {
	row := []float64{0x1p+27}
	for range 1 << 10 {
		row = append(row, 0x1p-3) // each square is 2^-6, and half a step of the sum is 2^1
	}
	if got, want := sumOfSquares(row), 0x1p+54+16; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := sumOfSquares([]float64{1e200, 1}); !math.IsInf(got, 1) {
		t.Errorf("a sum that overflows is %v", got)
	}
}
