package conform

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
)

// verdicts runs every case, or those of the names, and returns the errors of
// those that failed by name.
func verdicts(d device.Device, names ...string) map[string]error {
	failures := map[string]error{}
	for _, c := range Cases() {
		if len(names) > 0 && !slices.Contains(names, c.Name) {
			continue
		}
		err := attempt(context.Background(), c, d)
		var skipped *SkippedError
		if err != nil && !errors.As(err, &skipped) {
			failures[c.Name] = err
		}
	}
	return failures
}

func specs() []device.Spec {
	return []device.Spec{
		{Kind: device.CPU},
		{Kind: device.CPU, Contract: device.Fused},
		{Kind: device.Emulator},
		{Kind: device.CUDA, Ordinal: 1, Contract: device.Fused},
	}
}

func TestSoundDevicePasses(t *testing.T) {
	for _, spec := range specs() {
		t.Run(spec.String(), func(t *testing.T) {
			for name, err := range verdicts(newModel(spec)) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

func TestNamesAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cases() {
		if seen[c.Name] {
			t.Errorf("two cases are called %q", c.Name)
		}
		seen[c.Name] = true
	}
	if cases := Cases(); cases[len(cases)-1].Name != "close" {
		t.Errorf("the last case is %q: closing must come last", cases[len(cases)-1].Name)
	}
}

func TestRunCounts(t *testing.T) {
	d := newModel(device.Spec{Kind: device.CPU})
	d.fault.bits = func(q int, x float64) float64 { return -x }
	reported, wrong := 0, 0
	tally := Run(context.Background(), d, func(_ string, err error) {
		reported++
		if err != nil {
			wrong++
		}
	})
	if all := len(Cases()); tally.Passed+tally.Failed != all || reported != all || tally.Failed != wrong || tally.Failed == 0 || tally.Passed == 0 || tally.Skipped != 0 {
		t.Errorf("%+v of %d cases; %d reports, %d of them errors", tally, all, reported, wrong)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tally = Run(ctx, newModel(device.Spec{Kind: device.CPU}), func(name string, err error) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got error %v after the context was cancelled", name, err)
		}
	})
	if tally != (Tally{Failed: len(Cases())}) {
		t.Errorf("%+v after the context was cancelled", tally)
	}
}

// plainModel is a model that does not explain.
type plainModel struct{ device.Device }

// What a device cannot be asked is not counted as if it had passed.
func TestExplainIsSkippedWithoutExplainer(t *testing.T) {
	spec := device.Spec{Kind: device.CUDA}
	var want, skipped int
	tally := Run(context.Background(), plainModel{newModel(spec)}, func(name string, err error) {
		explain := strings.HasPrefix(name, "explain/")
		if explain {
			want++
		}
		var typed *SkippedError
		switch {
		case errors.As(err, &typed):
			skipped++
			if !explain || !strings.Contains(err.Error(), "cuda:0 does not explain cells") {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		}
	})
	if want == 0 || skipped != want || tally != (Tally{Passed: len(Cases()) - want, Skipped: want}) {
		t.Errorf("%+v with %d of %d skipped", tally, skipped, want)
	}
}

// TestFlippedBitIsNamed holds the error to the coordinate, the bits and the
// count of what is wrong.
func TestFlippedBitIsNamed(t *testing.T) {
	d := newModel(device.Spec{Kind: device.CPU})
	d.fault.bits = func(q int, x float64) float64 {
		if q != 41 {
			return x
		}
		return math.Float64frombits(math.Float64bits(x) ^ 1)
	}
	const name = "product/float64/17×33×9"
	err := verdicts(d, name)[name]
	var wrong *MismatchError
	if !errors.As(err, &wrong) {
		t.Fatalf("got error %v, want a *MismatchError", err)
	}
	if !slices.Equal(wrong.Coordinate, []int{4, 5}) || wrong.Wrong != 1 || wrong.Count != 17*9 {
		t.Errorf("names value %v, %d of %d, want [4 5], 1 of 153", wrong.Coordinate, wrong.Wrong, wrong.Count)
	}
	if math.Float64bits(wrong.Actual)^math.Float64bits(wrong.Expected) != 1 {
		t.Errorf("names %v for %v, which do not differ in the flipped bit", wrong.Actual, wrong.Expected)
	}
	for _, part := range []string{"[4, 5]", fmt.Sprintf("%016x", math.Float64bits(wrong.Actual)), fmt.Sprintf("%016x", math.Float64bits(wrong.Expected)), "1 of 153"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not contain %q", err, part)
		}
	}
}

// TestFaultsAreCaught runs devices that are wrong in one way each, and names
// the cases, at least, that must fail for it.
func TestFaultsAreCaught(t *testing.T) {
	separate, fused := device.Spec{Kind: device.CPU}, device.Spec{Kind: device.CPU, Contract: device.Fused}
	gpu := device.Spec{Kind: device.CUDA}
	for _, c := range []struct {
		name  string
		spec  device.Spec
		fault fault
		cases []string
	}{
		{"one bit of one cell", separate, fault{bits: func(q int, x float64) float64 {
			if q == 152 {
				return math.Nextafter(x, 2*x)
			}
			return x
		}}, []string{"product/float64/17×33×9", "eight goroutines"}},
		{"descending order", separate, fault{reverse: true}, []string{"product/float64/17×33×9", "product/float32/7×11×13", "product/float64/values/cancelled, then added", "product/bfloat16/values/added, then cancelled", "sum/float64/[601] axis 0", "sum/float32/values/cancelled, then added"}},
		{"halves added apart", separate, fault{split: true}, []string{"product/float64/17×33×9", "product/float16/values/added, then cancelled", "sum/float32/[17 129] axis 1"}},
		{"fused for separate", separate, fault{contract: opposite}, []string{"product/float64/17×33×9", "product/float32/17×33×9", "product/float64/values/contract", "product/float32/values/contract", "product/bfloat16/values/contract at overflow", "explain/float64/37 terms"}},
		{"separate for fused", fused, fault{contract: opposite}, []string{"product/float64/17×33×9", "product/float32/17×33×9", "product/float64/values/contract", "product/float32/values/contract", "product/bfloat16/values/contract at overflow", "explain/float32/37 terms"}},
		{"zeros skipped", separate, fault{skipZero: true}, []string{"product/float64/values/zero times NaN", "product/float32/values/zero times infinity", "product/float16/values/everywhere/NaN"}},
		{"chain from its first product", separate, fault{fromFirst: true}, []string{"product/float64/values/negative zero becomes zero", "sum/float64/values/negative zeros", "sum/bfloat16/values/one negative zero"}},
		{"subnormals flushed", fused, fault{bits: func(_ int, x float64) float64 {
			if math.Abs(x) < 0x1p-1022 {
				return math.Copysign(0, x)
			}
			return x
		}}, []string{"product/float64/values/subnormal sum"}},
		{"float32 chain in float64", separate, fault{wide: true}, []string{"product/float32/17×33×9", "product/float16/values/lost between", "sum/float32/[601] axis 0"}},
		{"half chain in its format", separate, fault{narrow: true}, []string{"product/float16/17×33×9", "product/bfloat16/3×258×4", "sum/float16/[601] axis 0"}},
		{"halves by way of float32", separate, fault{twice: true}, []string{"product/float16/values/an operand just above a tie", "sum/bfloat16/values/a bfloat16 tie"}},
		{"mean by a reciprocal", separate, fault{reciprocal: true}, []string{"mean/float64/values/a mean of three that rounds", "mean/float64/[2 3 1 7] axis 1"}},
		{"mean of the rounded sum", separate, fault{roundFirst: true}, []string{"mean/float16/values/a mean of large values", "mean/bfloat16/[17 129] axis 1"}},
		{"a mean explained as its sum", separate, fault{forgetDivisor: true}, []string{"explain/float64/a mean of 37", "explain/float16/a mean of large values"}},
		{"a transposition ignored", separate, fault{forgetRight: true}, []string{"product/float64/view/transposed square"}},
		{"a stride ignored", separate, fault{packed: true}, []string{"product/float64/view/reversed rows", "product/float32/view/sliced", "product/float16/view/padded rows"}},
		{"the first batch for all", separate, fault{firstBatch: true}, []string{"product/float64/batch/one batch axis", "product/float64/batch/crossed axes", "product/float64/view/reversed batches"}},
		{"a tail left out", separate, fault{bits: func(q int, x float64) float64 {
			if q >= 256 {
				return 0
			}
			return x
		}}, []string{"product/float64/integers/19×40×65", "product/float16/3×4×258"}},
		{"an operand written", separate, fault{scribble: true}, []string{"product/float64/17×33×9", "sum/float64/[7] axis 0"}},
		{"a result shared", separate, fault{cache: true}, []string{"product/result is its own"}},
		{"the context ignored", separate, fault{noContext: true}, []string{"refused/cancelled", "refused/past its deadline", "explain/cancelled", "cancelled on the way"}},
		{"the context looked at on admission alone", separate, fault{deaf: true}, []string{"cancelled on the way"}},
		{"a request torn by closing", separate, fault{torn: true}, []string{"close"}},
		{"an error when closed again", separate, fault{closeOnce: true}, []string{"close"}},
		{"a part of a result", separate, fault{partial: true}, []string{"refused/cancelled"}},
		{"open when closed", separate, fault{noClose: true}, []string{"close"}},
		{"the mean of nothing", separate, fault{meanOfNothing: true}, []string{"refused/mean of nothing", "refused/mean of an empty vector"}},
		{"any precision", separate, fault{anyPrecision: true}, []string{"refused/unknown precision"}},
		{"untyped errors", separate, fault{untyped: true}, []string{"refused/inner dimensions", "refused/axis past the last", "close"}},
		{"stuck after an error", separate, fault{sticky: true}, []string{"refused/inner dimensions"}},
		{"a CPU that counts", separate, fault{count: true}, []string{"product/float64/2×3×2"}},
		{"a GPU that does not", gpu, fault{noCount: true}, []string{"product/float64/2×3×2"}},
		{"a GPU that counts nothing's cost", gpu, fault{countEmpty: true}, []string{"product/float64/0×3×2", "product/float32/2×0×3", "sum/float64/[0] axis 0"}},
		{"a scratch value shared by goroutines", separate, fault{racy: true}, []string{"eight goroutines"}},
		{"a panic", separate, fault{panics: true}, []string{"product/float64/17×33×9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newModel(c.spec)
			d.fault = c.fault
			failures := verdicts(d, c.cases...)
			for _, name := range c.cases {
				if failures[name] == nil {
					t.Errorf("%s passes", name)
				}
			}
		})
	}
}

// TestLibraryTolerance: a device that multiplies by a library may add in
// another order, and may not lose digits.
func TestLibraryTolerance(t *testing.T) {
	library := device.Spec{Kind: device.CUDA, Contract: device.Fused, Library: true}
	d := newModel(library)
	d.fault = fault{split: true}
	for name, err := range verdicts(d) {
		if !strings.HasPrefix(name, "explain/") {
			t.Errorf("another order: %s: %v", name, err)
		}
	}
	d = newModel(library)
	d.fault = fault{bits: func(_ int, x float64) float64 { return float64(x * (1 + 0x1p-9)) }}
	for _, name := range []string{"product/float64/17×33×9", "product/float32/17×33×9", "mean/float32/[5 9] axis 1"} {
		if len(verdicts(d, name)) == 0 {
			t.Errorf("a relative error of 2⁻⁹: %s passes", name)
		}
	}
	d = newModel(library)
	d.fault = fault{skipZero: true}
	if len(verdicts(d, "product/float64/values/zero times NaN")) == 0 {
		t.Error("zeros skipped: zero times NaN passes")
	}
}

// The two answers below were worked out by hand.
func TestOracleByHand(t *testing.T) {
	left, right := rows([]float64{1, 2, 3}, []float64{4, 5, 6}), rows([]float64{7, 8}, []float64{9, 10}, []float64{11, 12})
	got := productAnswer(device.Product{Left: left, Right: right}, device.Separate)
	if !slices.Equal(got.shape, []int{2, 2}) || !slices.Equal(got.cells, []float64{58, 64, 139, 154}) {
		t.Errorf("product is %v %v, want [58 64 139 154]", got.shape, got.cells)
	}
	mean := reductionAnswer(device.Reduction{Input: left, Axis: 0, KeepDim: true, Op: device.Mean}, device.Separate)
	if !slices.Equal(mean.shape, []int{1, 3}) || !slices.Equal(mean.cells, []float64{2.5, 3.5, 4.5}) {
		t.Errorf("mean over axis 0 is %v %v, want [2.5 3.5 4.5]", mean.shape, mean.cells)
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		precision device.Precision
		x, want   float64
	}{
		{device.Float16, 2049, 2048},
		{device.Float16, 2051, 2052},
		{device.Float16, 65519.999, 65504},
		{device.Float16, 65520, inf},
		{device.Float16, -65520, -inf},
		{device.Float16, 0x1p-25, 0},
		{device.Float16, -0x1.8p-25, -0x1p-24},
		{device.Float16, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-10},
		{device.BFloat16, 257, 256},
		{device.BFloat16, 0x1p-134, 0},
		{device.BFloat16, 0x1.8p-134, 0x1p-133},
		{device.BFloat16, math.MaxFloat32, inf},
		{device.Float32, 1 + 0x1p-24, 1},
		{device.Float32, 0x1p-150, 0},
		{device.Float32, 1e300, inf},
		{device.Float64, 1 + 0x1p-52, 1 + 0x1p-52},
	} {
		if got := nearest(c.x, c.precision); math.Float64bits(got) != math.Float64bits(c.want) {
			t.Errorf("nearest(%v) in %s is %v, want %v", c.x, c.precision, got, c.want)
		}
	}
	// Against the language's own conversion.
	s := newSource("nearest")
	for range 20000 {
		x := math.Float64frombits(uint64(s.IntN(600)+800)<<52 | s.Uint64()>>12)
		if got, want := nearest(x, device.Float32), float64(float32(x)); got != want {
			t.Fatalf("nearest(%b) is %b, want %b", x, got, want)
		}
	}
}

func TestFusedFloat32(t *testing.T) {
	for _, c := range []struct{ a, b, c, want float32 }{
		{1 + 0x1p-13, 1 - 0x1p-13, -1, -0x1p-26},
		{0x1p-100, 0x1p-100, 1, 1},
		// 1 + 2⁻²⁴ is a tie; what lies below the last bit of float64 breaks it.
		{0x1p-60, 0x1p-60, 1 + 0x1p-23, 1 + 0x1p-23},
		{1 + 0x1p-23, 0x1p-24 + 0x1p-47, 1, 1 + 0x1p-23},
		{-0x1p-75, 0x1p-75, 0, float32(math.Copysign(0, -1))},
		{0x1.8p-75, 0x1p-75, 0, 0x1p-149},
		{float32(math.Copysign(0, -1)), 1, 0, 0},
		{3, 5, -15, 0},
	} {
		if got := fusedFloat32(c.a, c.b, c.c); math.Float32bits(got) != math.Float32bits(c.want) {
			t.Errorf("fusedFloat32(%b, %b, %b) is %b, want %b", c.a, c.b, c.c, got, c.want)
		}
	}
	if got := fusedFloat32(0, float32(math.Inf(1)), 1); got == got {
		t.Errorf("0·∞ + 1 is %v, want NaN", got)
	}
}

var _ device.Explainer = (*model)(nil)
