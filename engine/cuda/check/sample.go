package check

import (
	"math"
	"slices"
	"time"
)

// sample is one quantity measured several times.
type sample []float64

// quantile returns the value that a share q of the sample lies below, between
// the two nearest in proportion. That of an empty sample is NaN.
func (s sample) quantile(q float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	at := float64(q * float64(len(sorted)-1))
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + float64((at-float64(low))*(sorted[high]-sorted[low]))
}

func (s sample) median() float64 { return s.quantile(0.5) }

// spread is the distance between the quartiles: half of the sample lies in it.
func (s sample) spread() float64 { return s.quantile(0.75) - s.quantile(0.25) }

// each returns the sample with a function applied to every value.
func (s sample) each(f func(float64) float64) sample {
	out := make(sample, len(s))
	for i, x := range s {
		out[i] = f(x)
	}
	return out
}

// microseconds is the unit of everything that a request takes.
func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// repeat calls f n times and returns the microseconds of each, after as many
// calls as a tenth of that, and one at least, that are not counted.
func repeat(n int, f func() error) (sample, error) {
	for range n/10 + 1 {
		if err := f(); err != nil {
			return nil, err
		}
	}
	out := make(sample, 0, n)
	for range n {
		start := time.Now()
		err := f()
		took := time.Since(start)
		if err != nil {
			return nil, err
		}
		out = append(out, microseconds(took))
	}
	return out, nil
}
