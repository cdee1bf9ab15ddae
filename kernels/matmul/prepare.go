package matmul

import (
	"fmt"
	"math"
	"slices"

	"workbench/engine/device"
	"workbench/engine/launch"
)

// Prepare returns the launch of a product by the naive version: see
// Version.Prepare.
func Prepare(c device.Contract, p device.Precision, m Params, left, right, out launch.Buffer) (*launch.Launch, error) {
	return Naive.Prepare(c, p, m, left, right, out)
}

// Prepare returns the launch of a product on the caller's buffers, checked
// against everything the kernel depends on. A kernel cannot check by itself how
// long a buffer is: one that is too short would be read or written beyond its
// end. Buffers hold elements of the precision's C type (Element), the first one
// at index 0 of every stride; what out holds before the launch is written over
// where the product has cells, or added to, and kept between them. A product of no
// terms has cells of zero, one of no cells is refused. The error is a
// *launch.ArgumentError.
func (v Version) Prepare(c device.Contract, p device.Precision, m Params, left, right, out launch.Buffer) (*launch.Launch, error) {
	k, err := v.Source().Kernel(c, p)
	if err != nil {
		return nil, err
	}
	refuse := func(field, format string, args ...any) (*launch.Launch, error) {
		return nil, &launch.ArgumentError{Symbol: k.Symbol, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	for _, e := range []struct {
		field  string
		extent int64
	}{
		{"batches", m.Batches}, {"rows", m.Rows}, {"columns", m.Columns},
	} {
		if e.extent < 1 {
			return refuse(e.field, "%d must be at least 1: a product without cells needs no launch", e.extent)
		}
	}
	if m.Terms < 0 {
		return refuse("terms", "%d must be at least 0", m.Terms)
	}
	if reason := checkFactor(p, m.Divisor); reason != "" {
		return refuse("divisor", "%v %s: give the number of terms for a mean, 0 for a sum", m.Divisor, reason)
	}
	if reason := checkFactor(p, m.Alpha); reason != "" {
		return refuse("alpha", "%v %s: give 1 to leave the sum as it is", m.Alpha, reason)
	}

	for _, o := range []struct {
		name   string
		buffer launch.Buffer
		axes   axes
	}{
		{"left", left, axes{{"batch", m.Batches, m.Left.Batch}, {"row", m.Rows, m.Left.Row}, {"column", m.Terms, m.Left.Column}}},
		{"right", right, axes{{"batch", m.Batches, m.Right.Batch}, {"row", m.Terms, m.Right.Row}, {"column", m.Columns, m.Right.Column}}},
		{"out", out, axes{{"batch", m.Batches, m.Out.Batch}, {"row", m.Rows, m.Out.Row}, {"column", m.Columns, m.Out.Column}}},
	} {
		if o.buffer.Type != Element(p) {
			return refuse(o.name, "its elements are %q, and %s takes %q", o.buffer.Type, k.Symbol, Element(p))
		}
		if len(o.buffer.Data)%p.Size() != 0 {
			return refuse(o.name, "its %d bytes are no whole number of elements of %d bytes", len(o.buffer.Data), p.Size())
		}
		if o.name == "out" {
			if reason := o.axes.distinct(); reason != "" {
				return refuse("out", "%s", reason)
			}
		}
		last, reason := o.axes.last()
		if reason != "" {
			return refuse(o.name, "%s", reason)
		}
		if held := int64(len(o.buffer.Data) / p.Size()); last >= held {
			return refuse(o.name, "its strides reach element %d, counted from 0, and it holds %d: give it %d bytes or make the strides smaller",
				last, held, uint64(last+1)*uint64(p.Size()))
		}
	}

	out.Out = true
	grid, block := v.Geometry(m)
	return &launch.Launch{
		Kernel: k,
		Grid:   grid,
		Block:  block,
		Args: []launch.Arg{
			{Name: "left", Buffer: &left},
			{Name: "right", Buffer: &right},
			{Name: "out", Buffer: &out},
			{Name: "m", Value: m.Bytes()},
		},
	}, nil
}

// checkFactor says what is wrong with a factor or a divisor in the type of the
// sum, which it is rounded to.
func checkFactor(p device.Precision, x float64) string {
	used := x
	if p != device.Float64 {
		used = float64(float32(x))
	}
	switch {
	case math.IsNaN(used) || math.IsInf(used, 0):
		return "is no finite number in " + sumType(p)
	case used == 0 && x != 0:
		return "is zero in " + sumType(p)
	}
	return ""
}

// sumType is what a precision's sums are made in.
func sumType(p device.Precision) string {
	if p == device.Float64 {
		return "float64"
	}
	return "float32"
}

// axes are those of one operand, with the distance in elements of neighbours
// along each.
type axes []axis

type axis struct {
	name           string
	extent, stride int64
}

// maxElements bounds what an operand may span, so that a count of its bytes does
// not overflow: 2^59 elements of 8 bytes are more than any GPU has.
const maxElements = 1 << 59

// last returns the index of the last element that the axes reach from the
// first, −1 if they reach none, or says why there is none. An axis of extent one
// takes no step.
func (a axes) last() (index int64, wrong string) {
	if slices.ContainsFunc(a, func(x axis) bool { return x.extent == 0 }) {
		return -1, ""
	}
	for _, x := range a {
		if x.extent == 1 {
			continue
		}
		if x.stride < 0 {
			return 0, fmt.Sprintf("its %s stride %d is negative and would reach before the buffer's first element", x.name, x.stride)
		}
		steps := x.extent - 1
		if x.stride > 0 && steps > (maxElements-1-index)/x.stride {
			return 0, fmt.Sprintf("its %d steps of %d along its %ss reach beyond 2^59 elements, which no GPU has", steps, x.stride, x.name)
		}
		index += steps * x.stride
	}
	return index, ""
}

// distinct says why two cells might share an element, which two threads would
// then write in any order. It asks that each stride be longer than all that the
// shorter ones reach; whatever a row-major or a transposed matrix with gaps has.
func (a axes) distinct() (wrong string) {
	sorted := slices.Clone(a)
	slices.SortStableFunc(sorted, func(x, y axis) int {
		switch {
		case x.stride < y.stride:
			return -1
		case x.stride > y.stride:
			return 1
		}
		return 0
	})
	for i, x := range sorted {
		if x.extent == 1 || x.stride < 0 { // last refuses those
			continue
		}
		reach, wrong := sorted[:i].last()
		if wrong != "" {
			return "" // and those
		}
		if x.stride <= reach {
			return fmt.Sprintf("its %s stride %d must be above %d, the last element that its shorter strides reach: two cells would share an element", x.name, x.stride, reach)
		}
	}
	return ""
}
