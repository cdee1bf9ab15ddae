package cpu

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// BenchmarkMatmul/<contract>/<n> multiplies two n×n matrices in float64 on the
// fastest tier that TiersVariable allows, and reports
//
//	GFLOP/s        2n³ operations in the best time of a request, its output included
//	gonum-GFLOP/s  the same of gonum's dgemm, run in turn with ours into one output
//	x-gonum        how many times faster ours is
//	x-gonum-median the same of the median times
//
// The best times are compared since whatever else the machine does can only
// make a time longer. gonum is a peer for speed and not for bits: it skips zero
// multipliers. Our result is held to the reference of its contract before the
// first measurement.
func BenchmarkMatmul(b *testing.B) {
	eachSize(b, device.Float64, func(b *testing.B, left, right *tensor.Tensor, ours func()) {
		n := left.Dim(0)
		general := func(data []float64) blas64.General {
			return blas64.General{Rows: n, Cols: n, Stride: n, Data: data}
		}
		a, c, product := general(left.Data()), general(right.Data()), general(make([]float64, n*n))
		gonum := func() { blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a, c, 0, product) }
		for range 2 {
			ours()
			gonum()
		}
		// In turn, so that both meet the same machine.
		var mine, theirs []time.Duration
		for start := time.Now(); len(mine) < leastPairs || time.Since(start) < pairsTime; {
			mine = append(mine, timed(ours))
			theirs = append(theirs, timed(gonum))
		}
		for b.Loop() {
			ours()
		}
		b.ReportMetric(rate(n, slices.Min(mine)), "GFLOP/s")
		b.ReportMetric(rate(n, slices.Min(theirs)), "gonum-GFLOP/s")
		b.ReportMetric(float64(slices.Min(theirs))/float64(slices.Min(mine)), "x-gonum")
		b.ReportMetric(float64(median(theirs))/float64(median(mine)), "x-gonum-median")
	})
}

// BenchmarkMatmulFloat32/<contract>/<n> is the same in float32, without a peer:
// operands and results are float64 on the host, and no one else converts them.
func BenchmarkMatmulFloat32(b *testing.B) {
	eachSize(b, device.Float32, func(b *testing.B, left, right *tensor.Tensor, ours func()) {
		var mine []time.Duration
		for b.Loop() {
			mine = append(mine, timed(ours))
		}
		b.ReportMetric(rate(left.Dim(0), slices.Min(mine)), "GFLOP/s")
	})
}

// BenchmarkShapes/<tier>/<shape> are products that are not large squares: what
// the decoder asks for, and one side alone.
func BenchmarkShapes(b *testing.B) {
	for _, tier := range tiers() {
		d := &Device{spec: device.Spec{Kind: device.CPU}, tier: tier}
		for _, s := range [][3]int{{2, 3, 2}, {8, 8, 8}, {3, 4, 258}, {3, 258, 4}, {32, 32, 32}, {1, 1024, 1024}, {1024, 1024, 1}} {
			b.Run(fmt.Sprintf("%s/%dx%dx%d", tier.name, s[0], s[1], s[2]), func(b *testing.B) {
				r := newRandom(1, false)
				p := device.Product{Left: r.matrix("rows", s[0], s[1]), Right: r.matrix("rows", s[1], s[2])}
				hold(b, d, p)
				for b.Loop() {
					if _, _, err := d.Multiply(context.Background(), p); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s[0]*s[1]*s[2]), "ns/term")
			})
		}
	}
}

// Each side of a comparison is measured so often and at least so long. The
// first requests write to pages that the process has not touched before, until
// the collector hands them out again; dgemm is given its output.
const (
	leastPairs = 15
	pairsTime  = time.Second
)

func eachSize(b *testing.B, precision device.Precision, measure func(b *testing.B, left, right *tensor.Tensor, ours func())) {
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		for _, n := range []int{256, 512, 1024} {
			b.Run(fmt.Sprintf("%s/%d", contract, n), func(b *testing.B) {
				d, err := New(device.Spec{Kind: device.CPU, Contract: contract})
				if err != nil {
					b.Fatal(err)
				}
				defer d.Close()
				r := newRandom(uint64(n), false)
				left, right := r.matrix("rows", n, n).Pack(), r.matrix("rows", n, n).Pack()
				p := device.Product{Left: left.View(), Right: right.View(), Precision: precision}
				hold(b, d, p)
				measure(b, left, right, func() {
					if _, _, err := d.Multiply(context.Background(), p); err != nil {
						b.Fatal(err)
					}
				})
			})
		}
	}
}

// hold compares a product with its explanations, in about a thousand cells: the
// reference of all would take longer than the measurement.
func hold(b *testing.B, d *Device, p device.Product) {
	b.Helper()
	out, _, err := d.Multiply(context.Background(), p)
	if err != nil {
		b.Fatal(err)
	}
	plan, err := p.Plan()
	if err != nil {
		b.Fatal(err)
	}
	for q := 0; q < out.Len(); q += 1 + out.Len()/1009 {
		left, right, err := plan.Operands(0, q/plan.N, q%plan.N)
		if err != nil {
			b.Fatal(err)
		}
		chain, err := d.Explain(b.Context(), p.Precision, left, right)
		if err != nil {
			b.Fatal(err)
		}
		if !sameBits(chain.Result, out.Data()[q]) {
			b.Fatalf("cell %d is %v, want %v", q, out.Data()[q], chain.Result)
		}
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// rate is 10⁹ floating-point operations a second.
func rate(n int, t time.Duration) float64 {
	return 2 * math.Pow(float64(n), 3) / float64(t.Nanoseconds())
}

func median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}
