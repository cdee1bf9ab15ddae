package cpu

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"workbench/engine/device"
)

// BenchmarkMatmul/<contract>/<n> multiplies two n×n matrices in float64 on the
// fastest tier that TiersVariable allows, and reports
//
//	GFLOP/s        2n³ operations in the best time of a product, output made anew
//	gonum-GFLOP/s  the same of gonum's dgemm, run in turn with ours into one output
//	x-gonum        how many times faster ours is
//
// The best times are compared since whatever else the machine does can only make
// a time longer. gonum is a peer for speed and not for bits: it skips zero multipliers. Our
// result is compared with the reference of its contract before the first
// measurement.
func BenchmarkMatmul(b *testing.B) {
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		for _, n := range []int{256, 512, 1024} {
			b.Run(fmt.Sprintf("%s/%d", contract, n), func(b *testing.B) {
				d, err := New(device.Spec{Kind: device.CPU, Contract: contract})
				if err != nil {
					b.Fatal(err)
				}
				defer d.Close()
				benchmarkMatmul(b, d, n)
			})
		}
	}
}

func benchmarkMatmul(b *testing.B, d *Device, n int) {
	left, right := randomMatrix(1, n, n), randomMatrix(2, n, n)
	p := device.Product{Left: left.View(), Right: right.View()}
	out := multiply(b, d, p)
	sampleAgainstReference(b, d.spec.Contract, p, out)

	a := blas64.General{Rows: n, Cols: n, Stride: n, Data: left.Data()}
	c := blas64.General{Rows: n, Cols: n, Stride: n, Data: right.Data()}
	product := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	gonum := func() { blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a, c, 0, product) }

	for range 2 {
		multiply(b, d, p)
		gonum()
	}
	var ours, theirs []time.Duration
	for b.Loop() {
		start := time.Now()
		multiply(b, d, p)
		ours = append(ours, time.Since(start))

		b.StopTimer()
		if len(theirs) < 10 || len(ours) > 8*len(theirs) {
			start = time.Now()
			gonum()
			theirs = append(theirs, time.Since(start))
		}
		b.StartTimer()
	}
	rate := func(times []time.Duration) float64 {
		return 2 * math.Pow(float64(n), 3) / float64(slices.Min(times).Nanoseconds())
	}
	b.ReportMetric(rate(ours), "GFLOP/s")
	b.ReportMetric(rate(theirs), "gonum-GFLOP/s")
	b.ReportMetric(rate(ours)/rate(theirs), "x-gonum")
}
