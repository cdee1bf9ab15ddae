package dtype

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// float32Oracle rounds by big.Float, which knows nothing of the processor.
func float32Oracle(x float64) float64 {
	if math.IsInf(x, 0) || x == 0 {
		return x
	}
	rounded, _ := big.NewFloat(x).Float32()
	return float64(rounded)
}

// checkAgainstOracle holds all conversions of x against the slow ones.
func checkAgainstOracle(t *testing.T, x float64) {
	t.Helper()
	if math.IsNaN(x) {
		for _, f := range formats {
			if got := f.round(x); !math.IsNaN(got) || math.Signbit(got) != math.Signbit(x) {
				t.Errorf("%s of NaN %016x = %v", f.name, math.Float64bits(x), got)
			}
			if got := f.fromBits(f.bits(x)); !sameBits(got, f.round(x)) {
				t.Errorf("%s pattern of NaN %016x reads as %016x", f.name, math.Float64bits(x), math.Float64bits(got))
			}
		}
		return
	}
	for _, f := range formats {
		checkPattern(t, f.name, f.bits, f.round, f.fromBits, x, f.format.oracle(x))
	}
	if got, want := RoundFloat32(x), float32Oracle(x); !sameBits(got, want) {
		t.Errorf("RoundFloat32(%x) = %x, want %x", x, got, want)
	}
}

func TestRandomAgainstOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		checkAgainstOracle(t, math.Float64frombits(random.Uint64()))
		// Exponents of the formats' own ranges, which random patterns rarely meet.
		exponent := uint64(bias64 - 155 + random.IntN(300))
		checkAgainstOracle(t, math.Float64frombits(random.Uint64()&^infinity64|exponent<<fraction64))
		exponent = uint64(bias64 - 28 + random.IntN(46))
		checkAgainstOracle(t, math.Float64frombits(random.Uint64()&^infinity64|exponent<<fraction64))
	}
}

func FuzzRound(f *testing.F) {
	for _, x := range []float64{0, 1, -1, 65520, 0x1p-25, 0x1p-14, 0x1.ffp127, 0x1p-134, 0x1.ffffffp127, 0x1p-150, 1 + 0x1p-11 + 0x1p-30, math.Inf(1), math.NaN()} {
		f.Add(math.Float64bits(x))
	}
	f.Fuzz(func(t *testing.T, pattern uint64) {
		checkAgainstOracle(t, math.Float64frombits(pattern))
	})
}

func FuzzULPDistance64(f *testing.F) {
	f.Add(uint64(0), uint64(1)<<63)
	f.Add(math.Float64bits(-1), math.Float64bits(1))
	f.Add(math.Float64bits(math.Inf(-1)), math.Float64bits(math.Inf(1)))
	f.Fuzz(func(t *testing.T, p, q uint64) {
		a, b := math.Float64frombits(p), math.Float64frombits(q)
		got, ok := ULPDistance64(a, b)
		if math.IsNaN(a) || math.IsNaN(b) {
			if ok {
				t.Fatalf("ULPDistance64(%v, %v) has a distance", a, b)
			}
			return
		}
		want := new(big.Int).Sub(place(a), place(b))
		if !ok || want.CmpAbs(new(big.Int).SetUint64(got)) != 0 {
			t.Fatalf("ULPDistance64(%v, %v) = %d, %v, want %v", a, b, got, ok, want)
		}
	})
}

// place is the number of float64 values between 0 and x, with x's sign.
func place(x float64) *big.Int {
	n := new(big.Int).SetUint64(math.Float64bits(math.Abs(x)))
	if x < 0 {
		n.Neg(n)
	}
	return n
}

func BenchmarkRound(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	values := make([]float64, 1024)
	for i := range values {
		values[i] = random.NormFloat64()
	}
	for _, f := range []struct {
		name  string
		round func(float64) float64
	}{{"float32", RoundFloat32}, {"float16", RoundFloat16}, {"bfloat16", RoundBFloat16}} {
		b.Run(f.name, func(b *testing.B) {
			var sum float64
			for i := 0; b.Loop(); i++ {
				sum += f.round(values[i%len(values)])
			}
			if math.IsNaN(sum) {
				b.Fatal("the sum of finite values is NaN")
			}
		})
	}
}
