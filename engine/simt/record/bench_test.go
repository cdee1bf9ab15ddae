package record_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

// BenchmarkRecord is what recording one block takes beside the same launch with
// checks and measurements alone: of a product in many blocks, and in one.
func BenchmarkRecord(b *testing.B) {
	one := product(b, "tiled", 1024)
	one.Grid = launch.Dim3{X: 1, Y: 1, Z: 1}
	many := product(b, "tiled", 256)
	for _, c := range []struct {
		name string
		l    *launch.Launch
	}{{"many", many}, {"one", one}, {"reduce", language(b, "reduce", 1, 64, 64)}, {"long", language(b, "long_one", 1, 64, 2000)}} {
		b.Run(c.name, func(b *testing.B) {
			e := &simt.Emulator{}
			list := []*launch.Launch{c.l}
			least := func(f func()) time.Duration {
				best := time.Duration(math.MaxInt64)
				for range 3 {
					start := time.Now()
					f()
					best = min(best, time.Since(start))
				}
				return best
			}
			var plain, recorded time.Duration
			for b.Loop() {
				plain = least(func() {
					if _, err := e.Sequence(context.Background(), list); err != nil {
						b.Fatal(err)
					}
				})
				recorded = least(func() {
					if _, _, err := e.Record(context.Background(), list, 0, []launch.Index{{}}); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(float64(recorded)/float64(plain), "×")
			b.ReportMetric(plain.Seconds()*1000, "ms-plain")
			b.ReportMetric(recorded.Seconds()*1000, "ms-recorded")
		})
	}
}

// BenchmarkStep is what a step takes, with its JSON, of a block of which a part is
// in memory.
func BenchmarkStep(b *testing.B) {
	_, r := recorded(b, &simt.Emulator{}, product(b, "tiled", 1024), launch.Index{3, 5, 0})
	tape := r.Tape()
	b.Logf("%d steps, %d held, %d bytes of %d", tape.Steps, tape.Held, tape.Bytes, tape.Bound)
	random := rand.New(rand.NewPCG(5, 6))
	at := func(step int) time.Duration {
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
	for b.Loop() {
		var forwards, backwards, jumps []time.Duration
		step := min(tape.Held, tape.Steps) / 2
		for range 200 {
			forwards = append(forwards, at(step))
			step++
		}
		for range 200 {
			backwards = append(backwards, at(step))
			step--
		}
		for range 100 {
			jumps = append(jumps, at(random.IntN(tape.Held)))
		}
		far := at(tape.Steps - 1000)
		b.ReportMetric(median(forwards), "µs/forwards")
		b.ReportMetric(median(backwards), "µs/backwards")
		b.ReportMetric(median(jumps), "µs/jump")
		b.ReportMetric(float64(far.Microseconds()), "µs/first-far")
	}
}
