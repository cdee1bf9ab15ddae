package conform

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"workbench/engine/device"
	"workbench/engine/launch"
)

// numbers are the inputs of one case, the same on every machine.
type numbers struct{ *rand.Rand }

// seeded returns numbers that depend on the case's name alone.
func seeded(name string) numbers {
	h := fnv.New64a()
	h.Write([]byte(name))
	return numbers{rand.New(rand.NewPCG(h.Sum64(), 0))}
}

// ordinary returns n different numbers of either sign whose exponents differ, as
// those of data do, rounded to the precision.
func (s numbers) ordinary(p device.Precision, n int) []float64 {
	return s.spread(p, n, 3)
}

// spread does the same with exponents from −e to e.
func (s numbers) spread(p device.Precision, n, e int) []float64 {
	out := make([]float64, n)
	for i := range out {
		x := math.Ldexp(1+s.Float64(), s.IntN(2*e+1)-e)
		if s.IntN(2) == 0 {
			x = -x
		}
		out[i] = p.Round(x)
	}
	return out
}

// fence are the elements behind an output that must stay.
const fence = 3

// fenced returns n numbers that a launch must write over, and the fence: those
// that it must not read are NaN.
func (s numbers) fenced(p device.Precision, n int) []float64 {
	out := make([]float64, n, n+fence)
	for i := range out {
		out[i] = math.NaN()
	}
	return append(out, s.ordinary(p, fence)...)
}

// buffer lays numbers out as a buffer of the precision's elements.
func buffer(p device.Precision, list []float64) launch.Buffer {
	return launch.Buffer{Type: launch.Element(p), Data: p.AppendBytes(nil, list)}
}

var contracts = []device.Contract{device.Separate, device.Fused}
