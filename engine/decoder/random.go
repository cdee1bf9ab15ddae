package decoder

import (
	"math"

	"workbench/engine/tensor"
)

// stream is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014).
type stream struct{ state uint64 }

func (s *stream) next() uint64 {
	s.state += 0x9E3779B97F4A7C15
	z := s.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// unit returns a value in [0, 1), a multiple of 2^-53.
func (s *stream) unit() float64 { return float64(s.next()>>11) * 0x1p-53 }

// xavier draws a matrix [fanIn, fanOut] row-major from the uniform distribution
// of Glorot and Bengio 2010: ±sqrt(6/(fanIn+fanOut)).
func (s *stream) xavier(fanIn, fanOut int) *tensor.Tensor {
	limit := math.Sqrt(6 / float64(fanIn+fanOut))
	out := tensor.Must(tensor.New(fanIn, fanOut))
	for i := range out.Data() {
		out.Data()[i] = limit * (float64(2*s.unit()) - 1)
	}
	return out
}

func ones(n int) *tensor.Tensor {
	out := tensor.Must(tensor.New(n))
	for i := range out.Data() {
		out.Data()[i] = 1
	}
	return out
}
