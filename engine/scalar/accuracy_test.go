package scalar

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// A function of the package with the same one of big.Float, the arguments that
// its tests draw, and the largest error that they may show.
type function struct {
	name   string
	f      func(float64) float64
	exact  func(*big.Float) *big.Float
	bound  float64 // units in the last place
	ranges []argumentRange
	hard   []float64
}

// An argumentRange is drawn from evenly, or evenly in the exponent.
type argumentRange struct {
	low, high float64
	geometric bool
	negate    bool // both signs
}

func (r argumentRange) draw(random *rand.Rand) float64 {
	// Rounded after the product on every processor, for the goldens' sake.
	x := r.low + float64((r.high-r.low)*random.Float64())
	if r.geometric {
		// Patterns ascend with the value, a binade as long as another.
		low, high := math.Float64bits(r.low), math.Float64bits(r.high)
		x = math.Float64frombits(low + random.Uint64N(high-low))
	}
	if r.negate && random.IntN(2) == 0 {
		return -x
	}
	return x
}

// around lists each value with its neighbours.
func around(values ...float64) []float64 {
	var out []float64
	for _, x := range values {
		out = append(out, math.Nextafter(x, math.Inf(-1)), x, math.Nextafter(x, math.Inf(1)))
	}
	return out
}

const (
	subnormal   = 0x1p-1074
	smallNormal = 0x1p-1022
)

// The bounds are those of doc.go: what an analysis of the roundings gives, a
// little above what these tests measure.
var functions = []function{
	{
		name: "Exp", f: Exp, exact: bigExp, bound: 0.51,
		ranges: []argumentRange{
			{low: -1, high: 1}, {low: -708, high: 709.78}, {low: -745.13, high: -708},
			{low: 0x1p-60, high: 700, geometric: true, negate: true},
		},
		hard: append(around(1, -1, math.Ln2, math.Ln2/2, math.Ln2/256, -math.Ln2/256, 3*math.Ln2/256,
			709.782712893384, -708.3964185322641, -745.1332191019411, -744.4400719213812),
			subnormal, -subnormal, 0x1p-54, -0x1p-54, 0x1p-53, -0x1p-53),
	},
	{
		name: "Exp2", f: Exp2, exact: bigExp2, bound: 0.51,
		ranges: []argumentRange{
			{low: -1, high: 1}, {low: -1022, high: 1024}, {low: -1075, high: -1022},
			{low: 0x1p-60, high: 1000, geometric: true, negate: true},
		},
		hard: append(around(0.5, 1, -1, 1.0/256, 3.0/256, -1.0/256, 1023, -1022, -1074),
			math.Nextafter(1024, 0), math.Nextafter(-1075, 0), subnormal, -subnormal, -1073.5, -1074.5),
	},
	{
		name: "Log", f: Log, exact: bigLog, bound: 0.505,
		ranges: []argumentRange{
			{low: 0.5, high: 2}, {low: 0.99, high: 1.01}, {low: 0.9999, high: 1.0001},
			{low: smallNormal, high: math.MaxFloat64, geometric: true},
			{low: subnormal, high: smallNormal, geometric: true},
		},
		hard: append(around(1, 0.5, 2, math.E, 10, math.Sqrt2, 1/math.Sqrt2, math.Float64frombits(logStart),
			1+0x1p-8, 1-0x1p-9, 1+0x1p-30, 1-0x1p-30, smallNormal),
			subnormal, 2*subnormal, 3*subnormal, math.MaxFloat64),
	},
	{
		name: "Log2", f: Log2, exact: bigLog2, bound: 0.505,
		ranges: []argumentRange{
			{low: 0.5, high: 2}, {low: 0.99, high: 1.01}, {low: 0.9999, high: 1.0001},
			{low: smallNormal, high: math.MaxFloat64, geometric: true},
			{low: subnormal, high: smallNormal, geometric: true},
		},
		hard: append(around(1, 0.5, 2, 3, 10, 1024, math.Sqrt2, 1+0x1p-8, 1-0x1p-9, 1+0x1p-30, 1-0x1p-30, smallNormal),
			subnormal, 2*subnormal, 3*subnormal, math.MaxFloat64),
	},
	{
		name: "Sin", f: Sin, exact: func(x *big.Float) *big.Float { return bigSin(x, 0) }, bound: 0.525,
		ranges: trigRanges, hard: trigHard,
	},
	{
		name: "Cos", f: Cos, exact: func(x *big.Float) *big.Float { return bigSin(x, 1) }, bound: 0.525,
		ranges: trigRanges, hard: trigHard,
	},
	{
		name: "Tanh", f: Tanh, exact: bigTanh, bound: 0.52,
		ranges: []argumentRange{
			{low: -1, high: 1}, {low: 0.12, high: 0.2}, {low: 0.5, high: 22, negate: true},
			{low: subnormal, high: 25, geometric: true, negate: true},
		},
		hard: append(around(0.125, 0.5, 0.5493061443340549, 1, 22, 19.0615, 20, 25, 300),
			subnormal, -subnormal, smallNormal, 0x1p-27, 0x1p-28),
	},
}

var trigRanges = []argumentRange{
	{low: -math.Pi / 4, high: math.Pi / 4}, {low: -10, high: 10}, {low: 0.2, high: 0.3},
	{low: 0, high: 1 << 20, negate: true}, {low: 1 << 20, high: 1 << 30, negate: true},
	{low: 0x1p-30, high: 1, geometric: true, negate: true},
	{low: 1, high: math.MaxFloat64, geometric: true, negate: true},
}

// trigHard holds, beside borders of the method, the float64 nearest to a multiple
// of π/2 relative to its own size, 6381956970095103·2^797 (J.-M. Muller, Elementary
// Functions, 3rd ed., table 11.1), convergents of π, and multiples of π/2 as
// near as float64 has them.
var trigHard = func() []float64 {
	hard := append(around(math.Pi/4, math.Pi/2, math.Pi, 3*math.Pi/4, 0.25, 1<<20, 22, 355, 103993, 80143857),
		math.Ldexp(6381956970095103, 797), -math.Ldexp(6381956970095103, 797),
		math.Ldexp(5154266308650337, -32), math.MaxFloat64, -math.MaxFloat64, 1e22, 1e300,
		subnormal, -subnormal, 0x1p-27, 0x1p-26, 0x1p-28)
	for _, n := range []float64{5, 11, 100, 12345, 1 << 19, 667543, 1<<20 + 1, 1 << 30, 1e15, 1e18} {
		hard = append(hard, around(n*math.Pi/2)...)
	}
	return hard
}()

var sampleCount = flag.Int("samples", 2000, "arguments drawn from each range of the accuracy tests")

// samples is how many arguments each range gives.
func samples() int {
	if testing.Short() {
		return min(*sampleCount, 200)
	}
	return *sampleCount
}

func TestAccuracy(t *testing.T) {
	for _, fn := range functions {
		t.Run(fn.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, 8))
			worst := newWorst(t, fn.bound)
			for _, x := range fn.hard {
				worst.see(fn.f(x), fn.exact(number(x)), x)
			}
			for _, r := range fn.ranges {
				for range samples() {
					x := r.draw(random)
					worst.see(fn.f(x), fn.exact(number(x)), x)
				}
			}
			worst.report()
		})
	}
}

// A worstError follows the largest error of a function.
type worstError struct {
	t          *testing.T
	bound      float64
	error      float64
	arguments  []float64
	count      int
	misrounded int
}

func newWorst(t *testing.T, bound float64) *worstError { return &worstError{t: t, bound: bound} }

func (w *worstError) see(got float64, exact *big.Float, arguments ...float64) {
	w.t.Helper()
	e := ulpError(got, exact)
	w.count++
	if !(e <= 0.5) {
		w.misrounded++
	}
	if e > w.error {
		w.error, w.arguments = e, arguments
	}
	if !(e <= w.bound) {
		w.t.Errorf("of %x: %x is %.4f ulp from %.20g, more than %v", arguments, got, e, exact, w.bound)
	}
}

func (w *worstError) report() {
	w.t.Logf("%s: largest error %.4f ulp, at %x; %d of %d results are not the nearest", w.t.Name(), w.error, w.arguments, w.misrounded, w.count)
}

// powBound is the bound of a function for Pow.
const powBound = 0.515

func TestPowAccuracy(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	worst := newWorst(t, powBound)
	see := func(x, y float64) { worst.see(Pow(x, y), bigPow(number(x), number(y)), x, y) }
	for _, x := range append(around(1, 2, 0.5, 3, 10, 10000, smallNormal), subnormal, math.MaxFloat64) {
		for _, y := range append(around(0.5, 1, 2, 3, -1, -0.25, 1023, 1e10, 1e-10), subnormal, 0x1p-65, 0x1p63) {
			if want := y * math.Log(x); x != 1 && math.Abs(want) < 740 {
				see(x, y)
			}
		}
	}
	for range 2 * samples() {
		// Both small; then results of every size, from x of every size, x near 1,
		// and subnormal results.
		see(8*random.Float64(), 8*(random.Float64()-0.5))
		x := argumentRange{low: subnormal, high: math.MaxFloat64, geometric: true}.draw(random)
		see(x, 1400*(random.Float64()-0.5)/math.Log(x))
		x = 1 + argumentRange{low: 0x1p-40, high: 0.5, geometric: true, negate: true}.draw(random)
		see(x, 1400*(random.Float64()-0.5)/math.Log(x))
		see(x, -37*(random.Float64()+708.0/37)/math.Log(x))
	}
	worst.report()
}

// The powers of a decoder's angles: base^(−2i/width).
func TestPowOfAngles(t *testing.T) {
	worst := newWorst(t, powBound)
	for _, base := range []float64{100, 10000, 500000, 1000000} {
		for _, width := range []int{2, 4, 8, 64, 128} {
			for i := range width / 2 {
				y := -2 * float64(i) / float64(width)
				worst.see(Pow(base, y), bigPow(number(base), number(y)), base, y)
			}
		}
	}
	worst.report()
}
