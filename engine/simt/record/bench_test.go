package record_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

// BenchmarkRecord is what recording one block takes beside the same launch with
// checks and measurements alone, by turns: of a product in many blocks and in one,
// and of kernels of one block that the checks have little to do with. Beside it,
// what it takes to write the log of all steps once it is recorded, which happens
// as they are looked at.
func BenchmarkRecord(b *testing.B) {
	one := product(b, "tiled", 1024)
	one.Grid = launch.Dim3{X: 1, Y: 1, Z: 1}
	for _, c := range []struct {
		name string
		l    *launch.Launch
	}{
		{"many", product(b, "tiled", 256)}, {"one", one}, {"reduce", language(b, "reduce", 1, 64, 64)}, {"long", language(b, "long_one", 1, 64, 2000)},
		{"barriers", language(b, "meeting", 1, 64, 5000)}, {"barriers-1024", language(b, "meeting", 1, 1024, 500)},
		{"exchanges", language(b, "passing", 1, 256, 2000)}, {"calls", language(b, "counted", 1, 96, 700)},
		{"variables", language(b, "chain", 1, 64, 5000)}, {"variables-1024", language(b, "chain", 1, 1024, 500)},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := &simt.Emulator{}
			list := []*launch.Launch{c.l}
			timed := func(f func()) float64 {
				runtime.GC()
				start := time.Now()
				f()
				return time.Since(start).Seconds() * 1000
			}
			var plains, recordeds, ratios, writings []float64
			for b.Loop() {
				plain := timed(func() {
					if _, err := e.Sequence(context.Background(), list); err != nil {
						b.Fatal(err)
					}
				})
				var r []launch.Recording
				recorded := timed(func() {
					var err error
					if _, r, err = e.Record(context.Background(), list, 0, []launch.Index{{}}); err != nil {
						b.Fatal(err)
					}
				})
				writing := timed(func() {
					if _, err := r[0].At(context.Background(), r[0].Tape().Steps-1, launch.View{}); err != nil {
						b.Fatal(err)
					}
				})
				plains, recordeds, ratios, writings = append(plains, plain), append(recordeds, recorded), append(ratios, recorded/plain), append(writings, writing)
			}
			median := func(list []float64) float64 {
				slices.Sort(list)
				return list[len(list)/2]
			}
			b.ReportMetric(median(ratios), "×")
			b.ReportMetric(median(plains), "ms-plain")
			b.ReportMetric(median(recordeds), "ms-recorded")
			b.ReportMetric(median(writings), "ms-written")
		})
	}
}

// BenchmarkStep is what a step takes, with its JSON: the first one that is looked at,
// one far from it, for which the block runs up to there, and then forwards, backwards
// and anywhere, with the worst on a way through all steps.
func BenchmarkStep(b *testing.B) {
	_, list, err := (&simt.Emulator{Unmeasured: true, Unchecked: launch.ReportKinds}).Record(context.Background(), []*launch.Launch{product(b, "tiled", 1024)}, 0, []launch.Index{{3, 5, 0}, {4, 5, 0}})
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	at := func(r launch.Recording, step int) time.Duration {
		start := time.Now()
		m, err := r.At(context.Background(), step, launch.View{Shared: true})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := json.Marshal(m); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	median := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/2].Microseconds())
	}
	steps := list[0].Tape().Steps
	first := at(list[0], 0)
	worst := first
	for step := 1; step < steps; step += 10 {
		worst = max(worst, at(list[0], step))
	}
	r := list[1]
	far := at(r, steps-1000)
	tape := r.Tape()
	b.Logf("%d steps, %d held after the first far one, %d bytes of %d", tape.Steps, tape.Held, tape.Bytes, tape.Bound)
	for b.Loop() {
		var forwards, backwards, jumps []time.Duration
		step := steps / 2
		for range 200 {
			forwards = append(forwards, at(r, step))
			step++
		}
		for range 200 {
			backwards = append(backwards, at(r, step))
			step--
		}
		for range 100 {
			jumps = append(jumps, at(r, random.IntN(steps)))
		}
		b.ReportMetric(median(forwards), "µs/forwards")
		b.ReportMetric(median(backwards), "µs/backwards")
		b.ReportMetric(median(jumps), "µs/jump")
		b.ReportMetric(float64(first.Microseconds()), "µs/first")
		b.ReportMetric(float64(worst.Microseconds()), "µs/worst")
		b.ReportMetric(float64(far.Microseconds()), "µs/first-far")
	}
}
