package tensor

import (
	"fmt"
	"slices"
)

// View reads storage at strides. It is a value: taking a view of a view copies
// no elements and changes nothing. The zero View is a scalar without storage
// and must not be read.
type View struct {
	data    []float64
	offset  int
	shape   []int
	strides []int // in elements; 0 repeats, negative walks backwards
}

// NewView returns a view over data after checking that every coordinate of the
// shape stays inside it. An empty view may have any offset from 0 to len(data).
func NewView(data []float64, offset int, shape, strides []int) (View, error) {
	n, err := elements("view", shape)
	if err != nil {
		return View{}, err
	}
	if len(shape) != len(strides) {
		return View{}, &ShapeError{Op: "view", Left: clone(shape), Reason: fmt.Sprintf("has rank %d and %s: give one stride per axis", len(shape), plural(len(strides), "stride"))}
	}
	if offset < 0 || offset > len(data) {
		return View{}, &ShapeError{Op: "view", Left: clone(shape), Reason: fmt.Sprintf("offset %d lies outside a storage of %s", offset, plural(len(data), "element"))}
	}
	lowest, highest := offset, offset
	if n > 0 {
		for axis, stride := range strides {
			span, ok := mulInt(shape[axis]-1, stride)
			if ok && span < 0 {
				lowest, ok = addInt(lowest, span)
			} else if ok {
				highest, ok = addInt(highest, span)
			}
			if !ok {
				return View{}, &ShapeError{Op: "view", Left: clone(shape), Reason: fmt.Sprintf("stride %d of axis %d overflows", stride, axis)}
			}
		}
		if lowest < 0 || highest >= len(data) {
			return View{}, &ShapeError{Op: "view", Left: clone(shape), Reason: fmt.Sprintf("reads elements %d to %d of a storage of %d", lowest, highest, len(data))}
		}
	}
	return View{data: data, offset: offset, shape: clone(shape), strides: clone(strides)}, nil
}

// Shape returns a copy of the dimensions.
func (v View) Shape() []int { return clone(v.shape) }

// Strides returns a copy of the strides, in elements.
func (v View) Strides() []int { return clone(v.strides) }

// Offset returns the storage index of coordinate zero.
func (v View) Offset() int { return v.offset }

// Storage returns the values the view reads from, not a copy.
func (v View) Storage() []float64 { return v.data }

// Rank returns the number of axes.
func (v View) Rank() int { return len(v.shape) }

// Dim returns the dimension of an axis.
func (v View) Dim(axis int) int { return v.shape[axis] }

// Len returns the number of elements the view reads, repeats counted.
func (v View) Len() int {
	n := 1
	for _, d := range v.shape {
		n *= d
	}
	return n
}

// region:index

// Index returns the storage index of a coordinate. Coordinates outside the
// shape panic, as an index outside a slice does.
func (v View) Index(coordinate ...int) int {
	if len(coordinate) != len(v.shape) {
		panic(fmt.Sprintf("tensor: coordinate %v of a view of shape %s", coordinate, FormatShape(v.shape)))
	}
	index := v.offset
	for axis, c := range coordinate {
		if c < 0 || c >= v.shape[axis] {
			panic(fmt.Sprintf("tensor: coordinate %v of a view of shape %s", coordinate, FormatShape(v.shape)))
		}
		index += c * v.strides[axis]
	}
	return index
}

// endregion:index

// At returns the element at a coordinate.
func (v View) At(coordinate ...int) float64 { return v.data[v.Index(coordinate...)] }

// region:contiguous

// Contiguous reports whether the view reads consecutive elements in row-major
// order. Axes of length 1 may have any stride; an empty view is contiguous.
func (v View) Contiguous() bool {
	if slices.Contains(v.shape, 0) {
		return true
	}
	want := 1
	for axis := len(v.shape) - 1; axis >= 0; axis-- {
		d := v.shape[axis]
		if d != 1 && v.strides[axis] != want {
			return false
		}
		want *= d
	}
	return true
}

// endregion:contiguous

// Transpose returns the view with two axes exchanged.
func (v View) Transpose(a, b int) (View, error) {
	if a < 0 || a >= len(v.shape) || b < 0 || b >= len(v.shape) {
		return View{}, &ShapeError{Op: "transpose", Left: clone(v.shape), Reason: fmt.Sprintf("has no axes %d and %d: axes run from 0 to %d", a, b, len(v.shape)-1)}
	}
	out := v
	out.shape, out.strides = clone(v.shape), clone(v.strides)
	out.shape[a], out.shape[b] = out.shape[b], out.shape[a]
	out.strides[a], out.strides[b] = out.strides[b], out.strides[a]
	return out, nil
}

// region:slice

// Slice returns every step-th element of an axis from start up to, not
// including, stop. Bounds satisfy 0 ≤ start ≤ stop ≤ dimension and step ≥ 1.
func (v View) Slice(axis, start, stop, step int) (View, error) {
	fail := func(format string, args ...any) (View, error) {
		return View{}, &ShapeError{Op: "slice", Left: clone(v.shape), Reason: fmt.Sprintf(format, args...)}
	}
	if axis < 0 || axis >= len(v.shape) {
		return fail("has no axis %d: axes run from 0 to %d", axis, len(v.shape)-1)
	}
	if step < 1 {
		return fail("step %d is not positive", step)
	}
	if start < 0 || stop < start || stop > v.shape[axis] {
		return fail("%d:%d does not lie in axis %d: 0 ≤ start ≤ stop ≤ %d", start, stop, axis, v.shape[axis])
	}
	out := v
	out.shape, out.strides = clone(v.shape), clone(v.strides)
	out.shape[axis] = 0
	if stop > start {
		out.shape[axis] = (stop-start-1)/step + 1
		if v.Len() > 0 {
			// An empty view's strides may lead anywhere: its offset stays.
			out.offset += start * v.strides[axis]
		}
	}
	if out.shape[axis] > 1 {
		// The step is smaller than the dimension here, so the product is a
		// distance inside the storage.
		out.strides[axis] *= step
	}
	return out, nil
}

// endregion:slice

// Broadcast returns a view of a larger shape that repeats the elements: new
// leading axes and axes of length 1 get stride 0.
func (v View) Broadcast(shape ...int) (View, error) {
	if _, err := elements("broadcast", shape); err != nil {
		return View{}, err
	}
	if len(shape) < len(v.shape) {
		return View{}, &ShapeError{Op: "broadcast", Left: clone(v.shape), Right: clone(shape), Reason: "the target has fewer axes"}
	}
	lead := len(shape) - len(v.shape)
	strides := make([]int, len(shape))
	for axis, d := range v.shape {
		switch {
		case shape[lead+axis] == d:
			strides[lead+axis] = v.strides[axis]
		case d != 1:
			return View{}, &ShapeError{Op: "broadcast", Left: clone(v.shape), Right: clone(shape), Reason: fmt.Sprintf("axis %d has %s where %d are wanted: only an axis of length 1 repeats", axis, plural(d, "element"), shape[lead+axis])}
		}
	}
	return View{data: v.data, offset: v.offset, shape: clone(shape), strides: strides}, nil
}

// Reshape returns a view of another shape over the same elements. It copies
// nothing, and is therefore an error for a view that is not contiguous.
func (v View) Reshape(shape ...int) (View, error) {
	n, err := elements("reshape", shape)
	if err != nil {
		return View{}, err
	}
	if n != v.Len() {
		return View{}, &ShapeError{Op: "reshape", Left: clone(v.shape), Right: clone(shape), Reason: fmt.Sprintf("has %s and %d are asked for: a reshape keeps their number", plural(v.Len(), "element"), n)}
	}
	if !v.Contiguous() {
		return View{}, &ShapeError{Op: "reshape", Left: clone(v.shape), Right: clone(shape), Reason: fmt.Sprintf("strides %s do not read consecutive elements: pack the view first", FormatShape(v.strides))}
	}
	return View{data: v.data, offset: v.offset, shape: clone(shape), strides: rowMajor(shape)}, nil
}

// Pack copies the elements in row-major order into a tensor of its own.
func (v View) Pack() *Tensor {
	out := &Tensor{shape: clone(v.shape), data: make([]float64, v.Len())}
	v.packInto(out.data)
	return out
}

// region:pack

// packInto copies Len elements in row-major order. dst is at least that long.
func (v View) packInto(dst []float64) {
	n := v.Len()
	if n == 0 {
		return
	}
	if v.Contiguous() {
		copy(dst, v.data[v.offset:v.offset+n])
		return
	}
	at := 0
	v.rows(func(start, count, stride int) {
		for range count {
			dst[at] = v.data[start]
			at++
			start += stride
		}
	})
}

// endregion:pack

// rows calls visit for every run along the last axis, in row-major order, with
// the storage index of its first element, its length and its stride.
func (v View) rows(visit func(start, count, stride int)) {
	rank := len(v.shape)
	if rank == 0 {
		visit(v.offset, 1, 0)
		return
	}
	last := rank - 1
	if slices.Contains(v.shape, 0) {
		return
	}
	coordinate := make([]int, last)
	start := v.offset
	for {
		visit(start, v.shape[last], v.strides[last])
		axis := last - 1
		for ; axis >= 0; axis-- {
			coordinate[axis]++
			start += v.strides[axis]
			if coordinate[axis] < v.shape[axis] {
				break
			}
			start -= v.shape[axis] * v.strides[axis]
			coordinate[axis] = 0
		}
		if axis < 0 {
			return
		}
	}
}

// Indices returns the storage index of every element in row-major order.
func (v View) Indices() []int {
	out := make([]int, 0, v.Len())
	v.rows(func(start, count, stride int) {
		for range count {
			out = append(out, start)
			start += stride
		}
	})
	return out
}
