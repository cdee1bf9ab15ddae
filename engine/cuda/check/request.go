package check

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/tensor"
)

// request is one product or one reduction, with a name that says which.
type request struct {
	name      string
	product   *device.Product
	reduction *device.Reduction
}

// run makes the request of a device.
func (r request) run(ctx context.Context, d device.Device) (*tensor.Tensor, device.Stats, error) {
	var (
		out   *tensor.Tensor
		stats device.Stats
		err   error
	)
	if r.product != nil {
		out, stats, err = d.Multiply(ctx, *r.product)
	} else {
		out, stats, err = d.Reduce(ctx, *r.reduction)
	}
	if err == nil && out == nil {
		err = fmt.Errorf("the device returned neither a result nor an error")
	}
	if err != nil {
		return nil, stats, fmt.Errorf("%s of %s: %w", d.Spec(), r.name, err)
	}
	return out, stats, nil
}

func (r request) precision() device.Precision {
	if r.product != nil {
		return r.product.Precision
	}
	return r.reduction.Precision
}

// in returns the same request in another precision.
func (r request) in(p device.Precision) request {
	switch {
	case r.product != nil:
		product := *r.product
		product.Precision = p
		r.product = &product
	default:
		reduction := *r.reduction
		reduction.Precision = p
		r.reduction = &reduction
	}
	return r
}

// source makes inputs: full significands in [-1, 1], whose sums are rounded at
// every step. Its seed is a name, so that every run has the same inputs.
type source struct{ *rand.Rand }

func newSource(name string) source {
	h := fnv.New64a()
	h.Write([]byte(name))
	return source{rand.New(rand.NewPCG(h.Sum64(), 3))}
}

func (s source) values(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(2*s.Float64()) - 1
	}
	return out
}

// matrix returns a contiguous view of new values.
func (s source) matrix(shape ...int) tensor.View {
	n, err := tensor.Elements(shape)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return tensor.Must(tensor.FromSlice(s.values(n), shape...)).View()
}

// strided returns a view of new values with these strides; what it skips is NaN,
// so that a device that reads it spoils its result.
func (s source) strided(offset int, shape, strides []int) tensor.View {
	last := offset
	for axis, stride := range strides {
		last += max(0, (shape[axis]-1)*stride)
	}
	data := make([]float64, last+1)
	for i := range data {
		data[i] = math.NaN()
	}
	v := must(tensor.NewView(data, offset, shape, strides))
	for _, i := range v.Indices() {
		data[i] = float64(2*s.Float64()) - 1
	}
	return v
}

func must(v tensor.View, err error) tensor.View {
	if err != nil {
		panic("BUG: a check's view is not well formed: " + err.Error())
	}
	return v
}

// products returns the shapes of the bit checks: one, primes, ragged ones, large
// ones, batches and every kind of view.
func products() []request {
	var out []request
	add := func(name string, make func(s source) device.Product) {
		p := make(newSource(name))
		out = append(out, request{name: "the product " + name, product: &p})
	}
	for _, size := range [][3]int{
		{2, 3, 2}, {17, 33, 9}, {5, 129, 31}, {240, 240, 240},
		{1, 1, 1}, {1, 1, 7}, {7, 1, 1}, {13, 1, 11}, {1, 127, 1}, {1, 258, 4}, {3, 258, 1}, {31, 61, 1},
		{3, 4, 258}, {3, 258, 4}, {7, 11, 13}, {61, 67, 71}, {16, 16, 16}, {127, 131, 113}, {33, 1021, 2}, {257, 3, 17},
	} {
		add(fmt.Sprintf("%d×%d×%d", size[0], size[1], size[2]), func(s source) device.Product {
			return device.Product{Left: s.matrix(size[0], size[1]), Right: s.matrix(size[1], size[2])}
		})
	}
	for _, batch := range []struct{ left, right []int }{
		{[]int{5, 7, 11}, []int{5, 11, 3}}, {[]int{3, 1, 5, 7}, []int{4, 7, 9}}, {[]int{13, 2, 9}, []int{9, 5}}, {[]int{6, 5}, []int{2, 3, 5, 4}},
	} {
		add(fmt.Sprintf("of batches %v·%v", batch.left, batch.right), func(s source) device.Product {
			return device.Product{Left: s.matrix(batch.left...), Right: s.matrix(batch.right...)}
		})
	}
	for _, t := range []struct {
		name        string
		left, right bool
	}{{"left", true, false}, {"right", false, true}, {"left and right", true, true}} {
		add(t.name+" transposed, 19×23×29", func(s source) device.Product {
			left, right := []int{3, 19, 23}, []int{3, 23, 29}
			if t.left {
				left = []int{3, 23, 19}
			}
			if t.right {
				right = []int{3, 29, 23}
			}
			return device.Product{Left: s.matrix(left...), Right: s.matrix(right...), TransposeLeft: t.left, TransposeRight: t.right}
		})
	}
	add("of views: every second row and third column", func(s source) device.Product {
		return device.Product{Left: s.strided(5, []int{11, 7}, []int{2 * 30, 3}), Right: s.strided(2, []int{7, 13}, []int{80, 3})}
	})
	add("of views: backwards", func(s source) device.Product {
		return device.Product{Left: s.strided(11*7-1, []int{11, 7}, []int{-7, -1}), Right: s.strided(12, []int{7, 13}, []int{13, -1})}
	})
	add("of views: a repeated row and a repeated column", func(s source) device.Product {
		return device.Product{Left: s.strided(0, []int{9, 17}, []int{0, 1}), Right: s.strided(0, []int{17, 5}, []int{1, 0})}
	})
	add("of views: transposed storage in a batch", func(s source) device.Product {
		return device.Product{Left: must(s.matrix(3, 17, 5).Transpose(1, 2)), Right: must(s.matrix(9, 17, 3).Transpose(0, 2))}
	})
	return out
}

// reductions returns sums and means over every axis of several shapes.
func reductions() []request {
	var out []request
	add := func(name string, v tensor.View, axis int) {
		for _, op := range []device.ReduceOp{device.Sum, device.Mean} {
			out = append(out, request{
				name:      fmt.Sprintf("the %s of %s along axis %d", op, name, axis),
				reduction: &device.Reduction{Input: v, Axis: axis, Op: op, KeepDim: axis%2 == 1},
			})
		}
	}
	for _, shape := range [][]int{{1}, {2, 3}, {257}, {17, 33}, {5, 129, 31}, {1, 240}, {240, 1}, {3, 5, 7, 11}} {
		name := tensor.FormatShape(shape)
		v := newSource("reduction of " + name).matrix(shape...)
		for axis := range shape {
			add(name, v, axis)
		}
	}
	s := newSource("reduction of views")
	add("transposed [19, 23]", must(s.matrix(23, 19).Transpose(0, 1)), 1)
	add("sliced [11, 7]", s.strided(4, []int{11, 7}, []int{3 * 20, 2}), 0)
	add("reversed [5, 13]", s.strided(64, []int{5, 13}, []int{-13, -1}), 1)
	return out
}

// differences holds results against each other, bit by bit. A NaN equals any
// NaN.
type differences struct {
	requests int // compared
	values   int // in them
	wrong    int // with other bits
	in       int // requests with a wrong value
	worst    uint64
	first    string // the first wrong value, in words
}

// compare takes in one pair of results of a precision.
func (d *differences) compare(name string, p device.Precision, want, got *tensor.Tensor) {
	d.requests++
	d.values += want.Len()
	if !want.SameShape(got) {
		d.wrong += want.Len()
		d.in++
		if d.first == "" {
			d.first = fmt.Sprintf("%s has the shape %s, expected %s", name, tensor.FormatShape(got.Shape()), tensor.FormatShape(want.Shape()))
		}
		return
	}
	before := d.wrong
	for i, x := range want.Data() {
		y := got.Data()[i]
		if math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y) {
			continue
		}
		d.wrong++
		steps := ulps(p, x, y)
		d.worst = max(d.worst, steps)
		if d.first == "" {
			d.first = fmt.Sprintf("%s: value %s is %v (bits %016x), expected %v (bits %016x)",
				name, tensor.FormatShape(tensor.Coordinate(want.Shape(), i)), y, math.Float64bits(y), x, math.Float64bits(x))
		}
	}
	if d.wrong > before {
		d.in++
	}
}

// err is nil if every value of some request was equal.
func (d *differences) err() error {
	switch {
	case d.values == 0:
		return fmt.Errorf("nothing was compared")
	case d.wrong > 0:
		return fmt.Errorf("%s; %d of %d values differ, in %d of %d requests", d.first, d.wrong, d.values, d.in, d.requests)
	}
	return nil
}

// String says what was compared, where all was equal.
func (d *differences) String() string {
	if d.wrong == 0 {
		return fmt.Sprintf("%d values of %d requests equal in every bit", d.values, d.requests)
	}
	return fmt.Sprintf("%d of %d values differ, in %d of %d requests, by %d ulp at most", d.wrong, d.values, d.in, d.requests, d.worst)
}

// ulps returns how many values of the format lie from a to b, which are two of
// them: the largest number where one of them is no number.
func ulps(p device.Precision, a, b float64) uint64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.MaxUint64
	}
	if p == device.Float64 {
		steps, _ := dtype.ULPDistance64(a, b)
		return steps
	}
	// The patterns of one sign ascend with the magnitude, subnormal or not.
	line := func(x float64) int64 {
		n := int64(0)
		switch magnitude := math.Abs(x); p {
		case device.Float32:
			n = int64(math.Float32bits(float32(magnitude)))
		case device.Float16:
			n = int64(dtype.Float16Bits(magnitude))
		case device.BFloat16:
			n = int64(dtype.BFloat16Bits(magnitude))
		}
		if x < 0 {
			return -n
		}
		return n
	}
	distance := line(a) - line(b)
	return uint64(max(distance, -distance))
}

// hold makes the requests of both devices and compares the results.
func hold(ctx context.Context, cpu, gpu device.Device, requests []request) (*differences, error) {
	var d differences
	for _, r := range requests {
		want, _, err := r.run(ctx, cpu)
		if err != nil {
			return &d, err
		}
		got, _, err := r.run(ctx, gpu)
		if err != nil {
			return &d, err
		}
		d.compare(r.name+" in "+r.precision().String(), r.precision(), want, got)
	}
	return &d, nil
}

// inPrecision returns the requests in a precision.
func inPrecision(requests []request, p device.Precision) []request {
	out := slices.Clone(requests)
	for i, r := range out {
		out[i] = r.in(p)
	}
	return out
}
