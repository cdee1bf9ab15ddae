package chapters_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

const boundary = "05-memory-boundary"

// ticks writes a number as chapter 5 does, in units of 2^-55, with at most two
// decimals.
func ticks(x *big.Rat) string {
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 55)))
	return strings.TrimRight(strings.TrimRight(scaled.FloatString(2), "0"), ".")
}

func exact(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// TestRoundings computes the table of chapter 5 that follows one cell under both
// contracts, each exact value in exact arithmetic.
func TestRoundings(t *testing.T) {
	text := source(t, boundary)
	left, right := []float64{0.1, 0.2, 0.3}, []float64{0.7, 0.9, 1.1}
	separate, fused := 0.0, 0.0
	var product, rounded, sumSeparate, sumFused *big.Rat
	var after [][2]string
	for k := range left {
		p := float64(left[k] * right[k])
		product = new(big.Rat).Mul(exact(left[k]), exact(right[k]))
		rounded = exact(p)
		sumSeparate, sumFused = new(big.Rat).Add(rounded, exact(separate)), new(big.Rat).Add(product, exact(fused))
		separate, fused = p+separate, math.FMA(left[k], right[k], fused)
		after = append(after, [2]string{ticks(exact(separate)), ticks(exact(fused))})
	}
	for _, row := range [][3]string{
		{"after 0.1·0.7", after[0][0], after[0][1]},
		{"after 0.2·0.9", after[1][0], after[1][1]},
		{"0.3·1.1, exactly", ticks(product), ticks(product)},
		{"0.3·1.1, as it is added", ticks(rounded), ticks(product)},
		{"sum before rounding", ticks(sumSeparate), ticks(sumFused)},
		{"sum, rounded", after[2][0], after[2][1]},
	} {
		if want := fmt.Sprintf("| %s | %s | %s |", row[0], row[1], row[2]); !strings.Contains(text, want) {
			t.Errorf("the table does not have the row %s", want)
		}
	}
	// The separate sum is a tie between neighbours 4 ticks apart, and the fused
	// one lies below it.
	below, above := exact(fused), exact(separate)
	middle := new(big.Rat).Quo(new(big.Rat).Add(below, above), big.NewRat(2, 1))
	if sumSeparate.Cmp(middle) != 0 || sumFused.Cmp(middle) >= 0 || math.Nextafter(fused, 1) != separate {
		t.Errorf("the separate sum %s is no tie between %s and %s", ticks(sumSeparate), ticks(below), ticks(above))
	}
	if math.Float64bits(separate)&1 != 0 {
		t.Error("a tie goes to the even neighbour, and the chapter says that it went up")
	}
	if exact(0.25).Cmp(exact(float64(left[0]*right[0])+float64(left[1]*right[1]))) != 0 {
		t.Error("the chapter says that the running sum is a quarter after two terms")
	}
	if got := ticks(new(big.Rat).Sub(above, below)); got != "4" {
		t.Errorf("the results are %s ticks apart, and the chapter says 4", got)
	}
	// What the device gives is what was followed.
	for spec, want := range map[string]float64{"cpu": separate, "cpu,fused": fused} {
		if got := dot(t, spec, device.Float64, left, right); got != want {
			t.Errorf("%s gives %v, and the table ends in %v", spec, got, want)
		}
	}
	if decimal(fused) != "0.58" {
		t.Errorf("the fused cell is %s, and the chapter says 0.58", decimal(fused))
	}
}

// product multiplies two matrices given by their rows.
func product(t *testing.T, spec string, left, right [][]float64) []float64 {
	t.Helper()
	matrix := func(rows [][]float64) tensor.View {
		var values []float64
		for _, row := range rows {
			values = append(values, row...)
		}
		return tensor.Must(tensor.FromSlice(values, len(rows), len(rows[0]))).View()
	}
	out, _, err := open(t, spec).Multiply(context.Background(), device.Product{Left: matrix(left), Right: matrix(right)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Data()
}

// TestContractClaims holds what chapter 5 says of its products under both
// contracts.
func TestContractClaims(t *testing.T) {
	text := source(t, boundary)
	a := [][]float64{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}
	b := [][]float64{{0.7, 0.8}, {0.9, 1.0}, {1.1, 1.2}}
	separate, fused := product(t, "cpu", a, b), product(t, "cpu,fused", a, b)
	for i, differs := range []bool{true, false, true, false} {
		switch x, y := math.Float64bits(separate[i]), math.Float64bits(fused[i]); {
		case (x != y) != differs:
			t.Errorf("cell %d: %v and %v, and the chapter says that they differ: %t", i, separate[i], fused[i], differs)
		case differs && x-y != 1 && y-x != 1:
			t.Errorf("cell %d: %v and %v differ by more than the last bit", i, separate[i], fused[i])
		}
	}

	a, b = [][]float64{{0.1, 0.3}, {0.1, 0.2}}, [][]float64{{0.1, 0.1}, {0.3, 0.8}}
	separate, fused = product(t, "cpu", a, b), product(t, "cpu,fused", a, b)
	if want := fmt.Sprintf("Separate says %s, fused says %s", decimal(separate[0]), decimal(fused[0])); !strings.Contains(text, want) {
		t.Errorf("the chapter does not say %q", want)
	}
	if decimal(fused[3]) != "0.17" || fused[3] == separate[3] {
		t.Errorf("cell (1, 1) is %v and %v: the chapter says that the fused one looks nicer", separate[3], fused[3])
	}
	// In both cells the fused value is nearer to the sum of the stored numbers.
	for _, c := range []struct{ cell, row, column int }{{0, 0, 0}, {3, 1, 1}} {
		sum := new(big.Rat)
		for k := range 2 {
			sum.Add(sum, new(big.Rat).Mul(exact(a[c.row][k]), exact(b[k][c.column])))
		}
		distance := func(x float64) *big.Rat { d := new(big.Rat).Sub(exact(x), sum); return d.Abs(d) }
		if distance(fused[c.cell]).Cmp(distance(separate[c.cell])) >= 0 {
			t.Errorf("cell %d: %v is not nearer than %v", c.cell, fused[c.cell], separate[c.cell])
		}
		if c.cell == 0 && sum.Cmp(exact(0.1)) >= 0 {
			t.Error("the chapter says that the stored numbers add up to less than the float64 0.1")
		}
	}

	if got := product(t, "cpu", [][]float64{{1, 3, 5}, {2, 4, 6}}, [][]float64{{7, 10}, {8, 11}, {9, 12}}); fmt.Sprint(got) != "[76 103 100 136]" || !strings.Contains(text, "as 76, 100, 103, 136, where") {
		t.Errorf("without the exchange the library makes %v, column by column: the chapter says otherwise", got)
	}
}

// TestMeanClaims holds what chapter 5 says of dividing and scaling.
func TestMeanClaims(t *testing.T) {
	text := source(t, boundary)
	third := 1.0 / 3
	scale := func(s float64) float64 { return dot(t, "cpu", device.Float64, []float64{s}, []float64{third}) }
	for _, want := range []string{
		"Divided, 7 gives " + valueAndBits(reduce(t, device.Mean, device.Float64, 1, 2, 4)),
		"Scaled, it gives " + valueAndBits(scale(7)),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the chapter does not say %q", want)
		}
	}
	for _, s := range []float64{6, 15} {
		if scale(s) != s/3 {
			t.Errorf("the chapter says that %v/3 is the same by scaling, and it is %v", s, scale(s))
		}
	}
	if math.Nextafter(scale(7), 3) != 7.0/3 {
		t.Error("the chapter says that scaling 7 lands one step lower")
	}
	if exact(third).Cmp(big.NewRat(1, 3)) >= 0 {
		t.Error("the chapter says that the float64 of one third is less than a third")
	}
	// Fifteen thirds are less than half a step from 5.
	short := new(big.Rat).Sub(big.NewRat(5, 1), new(big.Rat).Mul(big.NewRat(15, 1), exact(third)))
	half := new(big.Rat).Quo(new(big.Rat).Sub(exact(5), exact(math.Nextafter(5, 0))), big.NewRat(2, 1))
	if short.Sign() <= 0 || short.Cmp(half) >= 0 {
		t.Errorf("15 times the deficit is %s, half a step below 5 is %s", short.FloatString(20), half.FloatString(20))
	}
}

// TestBoundaryClaims holds the bytes of chapter 5 against a run, and its sizes
// against each other.
func TestBoundaryClaims(t *testing.T) {
	text := source(t, boundary)
	in, err := trace.DecodeInput(trace.ExampleBoundary, []byte(`{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`))
	if err != nil {
		t.Fatal(err)
	}
	run, err := trace.RunBoundary(t.Context(), open(t, "cpu"), *in.(*trace.BoundaryInput))
	if err != nil {
		t.Fatal(err)
	}
	var packed, back []string
	var bytesIn, bytesOut int64
	for _, s := range run.Steps {
		if c := s.Crossing; c != nil && c.Stage == trace.StageCopyOut {
			packed, back = append(packed, fmt.Sprint(c.Packed)), append(back, fmt.Sprint(c.Result))
			bytesIn, bytesOut = bytesIn+c.Packed, bytesOut+c.Result
		}
	}
	says := func(format string, args ...any) {
		t.Helper()
		if want := fmt.Sprintf(format, args...); !strings.Contains(text, want) {
			t.Errorf("the chapter does not say %q", want)
		}
	}
	says("%s = %d bytes in, %s = %d bytes out", strings.Join(packed, " + "), bytesIn, strings.Join(back, " + "), bytesOut)
	one := device.Float64.AppendBytes(nil, []float64{1})
	says("The first value, 1, is `% x`", one)
	says("the `%016x` that", math.Float64bits(1))
	for _, x := range run.Tensors {
		if x.Name == "packed A" && x.Bytes[0] != fmt.Sprintf("%x", one) {
			t.Errorf("the first packed value is %s", x.Bytes[0])
		}
	}

	const n = 4096
	sent, returned, products := 16*n*n, 8*n*n, n*n*n
	says("that is %d MB in, %d MB out and %.1f·10¹⁰ multiplications: about %d for each byte", sent/1e6, returned/1e6, float64(products)/1e10, products/(sent+returned))
	if tiny := 12.0 / (96 + 32); tiny >= 0.1 {
		t.Errorf("the tiny product has %v multiplications a byte", tiny)
	}

	decoder, err := trace.RunDecoder(t.Context(), open(t, "cpu"), trace.DecoderInput{})
	if err != nil {
		t.Fatal(err)
	}
	requests := 0
	for _, s := range decoder.Steps {
		if s.Product != nil || s.Reduction != nil {
			requests++
		}
	}
	says("with %d requests for two letters", requests)
}
