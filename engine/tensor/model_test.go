package tensor

import (
	"slices"
	"testing"
)

// model is a view as a list of values and nothing else: each operation on it
// copies every value, by coordinates, and knows no strides.
type model struct {
	shape  []int
	values []float64
}

func modelOf(v View) model { return model{v.Shape(), naive(v)} }

func (m model) at(coordinate []int) float64 {
	flat := 0
	for axis, c := range coordinate {
		flat = flat*m.shape[axis] + c
	}
	return m.values[flat]
}

// gather returns the model of another shape whose element at a coordinate is
// m's at from(coordinate).
func (m model) gather(shape []int, from func(at []int) []int) model {
	out := model{shape, []float64{}}
	n := 1
	for _, d := range shape {
		n *= d
	}
	for flat := range n {
		out.values = append(out.values, m.at(from(Coordinate(shape, flat))))
	}
	return out
}

func (m model) transpose(a, b int) model {
	swap := func(list []int) []int {
		out := slices.Clone(list)
		out[a], out[b] = out[b], out[a]
		return out
	}
	return m.gather(swap(m.shape), swap)
}

func (m model) slice(axis, start, stop, step int) model {
	shape := slices.Clone(m.shape)
	shape[axis] = 0
	for i := start; i < stop; i += step {
		shape[axis]++
	}
	return m.gather(shape, func(at []int) []int {
		out := slices.Clone(at)
		out[axis] = start + at[axis]*step
		return out
	})
}

func (m model) broadcast(shape []int) model {
	return m.gather(shape, func(at []int) []int {
		out := slices.Clone(at[len(shape)-len(m.shape):])
		for axis := range out {
			if m.shape[axis] == 1 {
				out[axis] = 0
			}
		}
		return out
	})
}

func (m model) check(t testing.TB, v View) {
	t.Helper()
	if !slices.Equal(v.Shape(), m.shape) || !slices.Equal(naive(v), m.values) {
		t.Fatalf("view %v, strides %v, offset %d reads %v; want %v %v", v.Shape(), v.Strides(), v.Offset(), naive(v), m.shape, m.values)
	}
	checkView(t, v)
}

// step applies one operation, chosen by pick, to a view and to its model. Pick
// returns a number from 0 up to, not including, its argument.
func step(t testing.TB, v View, m model, pick func(n int) int) (View, model) {
	t.Helper()
	rank := v.Rank()
	var out View
	var err error
	switch op := pick(5); {
	case op == 0 && rank > 0:
		a, b := pick(rank), pick(rank)
		out, err = v.Transpose(a, b)
		m = m.transpose(a, b)
	case op == 1 && rank > 0:
		axis := pick(rank)
		start := pick(v.Dim(axis) + 1)
		stop := start + pick(v.Dim(axis)-start+1)
		by := 1 + pick(3)
		out, err = v.Slice(axis, start, stop, by)
		m = m.slice(axis, start, stop, by)
	case op == 2 && rank < 5 && v.Len() <= 256:
		shape := v.Shape()
		for axis, d := range shape {
			if d == 1 {
				shape[axis] = pick(4)
			}
		}
		if pick(2) == 1 {
			shape = append([]int{1 + pick(3)}, shape...)
		}
		if !fits(shape) {
			return v, m // an empty view whose other axes are too long to repeat
		}
		out, err = v.Broadcast(shape...)
		m = m.broadcast(shape)
	case op == 3:
		shape := []int{v.Len()}
		if pick(2) == 1 {
			shape = []int{1, v.Len(), 1}
		}
		out, err = v.Reshape(shape...)
		if !v.Contiguous() {
			shapeFault(t, err, "reshape", "pack the view first")
			return v, m
		}
		m.shape = shape
	default:
		out = v.Pack().View()
	}
	if err != nil {
		t.Fatalf("view %v, strides %v: %v", v.Shape(), v.Strides(), err)
	}
	return out, m
}
