package conform

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"workbench/engine/tensor"
)

// source makes the inputs of one case. Its seed is the case's name, so a case
// has the same inputs in every run and on every device.
type source struct{ *rand.Rand }

func newSource(name string) source {
	h := fnv.New64a()
	h.Write([]byte(name))
	return source{rand.New(rand.NewPCG(h.Sum64(), 0x9e3779b97f4a7c15))}
}

// ordinary returns a value of either sign with a full significand and a
// magnitude from 1/16 to 16: sums of them are rounded at every step, and depend
// on the order, in every precision, and none of the sizes here overflows
// float16.
func (s source) ordinary() float64 {
	x := math.Ldexp(1+s.Float64(), s.IntN(8)-4)
	if s.IntN(2) == 0 {
		return -x
	}
	return x
}

// integer returns a small integer. Products and sums of the sizes here are
// exact in every precision, so their bits do not depend on the order.
func (s source) integer() float64 { return float64(s.IntN(5) - 2) }

// fill returns n values.
func fill(n int, value func() float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = value()
	}
	return out
}

// dense returns a contiguous view of its own storage, with values behind and
// before it that no request may read or write.
func dense(value func() float64, shape ...int) tensor.View {
	return guarded(value, 0, shape, rowMajor(shape))
}

// guarded returns a view with the given strides, at an offset that makes room
// for negative ones, in a storage with eight NaNs at each end. Elements that
// the view skips are NaNs too: a device that reads one spoils its result.
func guarded(value func() float64, skip int, shape, strides []int) tensor.View {
	const guard = 8
	low, high := 0, 0
	for axis, stride := range strides {
		span := (max(shape[axis], 1) - 1) * stride
		low, high = min(low, low+span), max(high, high+span)
	}
	offset := guard + skip - low
	data := fill(offset+high+1+guard, math.NaN)
	view := must(tensor.NewView(data, offset, shape, strides))
	for _, index := range view.Indices() {
		if math.IsNaN(data[index]) { // a broadcast axis comes back to it
			data[index] = value()
		}
	}
	return view
}

func rowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	stride := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = stride
		stride *= max(shape[axis], 1)
	}
	return strides
}

// rows returns the view of a matrix that is written out.
func rows(values ...[]float64) tensor.View { return must(tensor.FromRows(values)).View() }

// row and column return the matrices [1, K] and [K, 1].
func row(values ...float64) tensor.View { return rows(values) }

func column(values ...float64) tensor.View {
	return must(tensor.FromSlice(values, len(values), 1)).View()
}

// must is for views of shapes that this package wrote.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("BUG: a conformance case is not well formed: %v", err))
	}
	return value
}
