package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/launchfile"
	"workbench/engine/tensor"
)

// precisionOf returns the precision of a buffer's elements; ok is false for an
// integer.
func precisionOf(t launchfile.Type) (p device.Precision, ok bool) {
	switch t {
	case launchfile.F64:
		return device.Float64, true
	case launchfile.F32:
		return device.Float32, true
	case launchfile.F16:
		return device.Float16, true
	case launchfile.BF16:
		return device.BFloat16, true
	}
	return 0, false
}

// operands are the buffers of a reference, and what shape its result has.
type operands struct {
	precision              device.Precision
	left, right, gain, out *launchfile.Buffer // left is In where there is one operand
	shape                  []int              // of what is compared

	transposeLeft, transposeRight bool
}

// resolve finds the buffers that a reference names and holds their shapes
// against its operation.
func (r Reference) resolve(f *launchfile.File) (*operands, error) {
	fail := func(field, format string, args ...any) (*operands, error) {
		return nil, &InputError{"reference." + field, fmt.Sprintf(format, args...)}
	}
	if !slices.Contains(Operations, r.Of) {
		return fail("of", "%q is no operation: write one of %s", r.Of, strings.Join(Operations, ", "))
	}
	o := operands{transposeLeft: r.TransposeLeft, transposeRight: r.TransposeRight}
	var unknown error
	find := func(field, name string) *launchfile.Buffer {
		b := buffer(f, name)
		switch {
		case unknown != nil:
		case name == "":
			_, unknown = fail(field, "is missing: a reference of %s needs the name of that buffer", r.Of)
		case b == nil:
			_, unknown = fail(field, "the launch has no buffer %q", name)
		default:
			p, ok := precisionOf(b.Type)
			if !ok {
				_, unknown = fail(field, "%s holds %s, and a reference is of f16, bf16, f32 or f64", name, b.Type)
			} else if o.out != nil && p != o.precision {
				_, unknown = fail(field, "%s holds %s and %s %s: they must hold the same", name, b.Type, o.out.Name, o.out.Type)
			}
			o.precision = p
		}
		return b
	}
	o.out = find("out", r.Out)
	first, second := "in", ""
	switch r.Of {
	case "product", "add":
		first, second = "left", "right"
	case "rmsnorm":
		second = "gain"
	}
	names := map[string]string{"in": r.In, "left": r.Left, "right": r.Right, "gain": r.Gain}
	o.left = find(first, names[first])
	var other *launchfile.Buffer
	if second != "" {
		other = find(second, names[second])
	}
	if unknown != nil {
		return nil, unknown
	}
	if !o.out.Out {
		return fail("out", "%s is not read back: give it \"out\": true", r.Out)
	}
	for _, name := range []string{"in", "left", "right", "gain"} {
		if names[name] != "" && name != first && name != second {
			return fail(name, "a reference of %s has none", r.Of)
		}
	}

	if r.Of != "product" && (r.TransposeLeft || r.TransposeRight) {
		field := "transpose_left"
		if r.TransposeRight {
			field = "transpose_right"
		}
		return fail(field, "only a product's operand is transposed")
	}

	rank := len(o.left.Shape)
	switch r.Of {
	case "product":
		o.right = other
		plan, err := o.product(make([]float64, size(o.left)), make([]float64, size(o.right))).Plan()
		if err != nil {
			return fail("left", "%v", err)
		}
		o.shape = plan.OutputShape()
	case "add":
		o.right = other
		if !slices.Equal(o.left.Shape, o.right.Shape) {
			return fail("right", "%s is %v and %s is %v: they must be alike", r.Left, o.left.Shape, r.Right, o.right.Shape)
		}
		o.shape = o.left.Shape
	case "sum", "squares":
		o.shape = []int{}
		return &o, nil // of whatever shape
	case "softmax", "rmsnorm":
		if rank == 0 || o.left.Shape[rank-1] == 0 {
			return fail("in", "%s has no rows", r.In)
		}
		o.shape = o.left.Shape
		if r.Of == "rmsnorm" {
			o.gain = other
			if size(o.gain) != o.left.Shape[rank-1] {
				return fail("gain", "%s has %d elements, and a row of %s has %d", r.Gain, size(o.gain), r.In, o.left.Shape[rank-1])
			}
			if !(r.Epsilon >= 0) || math.IsInf(r.Epsilon, 0) {
				return fail("epsilon", "must be a number from 0")
			}
		}
	}
	if !slices.Equal(o.out.Shape, o.shape) {
		return fail("out", "%s is %v, and the result is %v", r.Out, o.out.Shape, o.shape)
	}
	return &o, nil
}

// size returns the elements of a buffer.
func size(b *launchfile.Buffer) int {
	n := 1
	for _, d := range b.Shape {
		n *= d
	}
	return n
}

// values returns what a buffer of floats holds.
func values(b *launchfile.Buffer) []float64 {
	step := b.Type.Size()
	out := make([]float64, len(b.Memory.Data)/step)
	for i := range out {
		out[i], _ = b.Type.Float(b.Memory.Data[i*step:])
	}
	return out
}

// product is a reference's product as a request.
func (o *operands) product(left, right []float64) device.Product {
	view := func(data []float64, shape []int) tensor.View {
		return tensor.Must(tensor.FromSlice(data, shape...)).View()
	}
	return device.Product{
		Left: view(left, o.left.Shape), Right: view(right, o.right.Shape), Precision: o.precision,
		TransposeLeft: o.transposeLeft, TransposeRight: o.transposeRight,
	}
}

// expected is what should come out: the values, and by how much each may be off
// at most, nil where it may not be off at all.
type expected struct {
	operands
	values, bound []float64
	total         bool // the sum of what comes out is what is compared
}

// expect computes a reference on the host from what the buffers hold now.
func (r Reference) expect(ctx context.Context, f *launchfile.File, host device.Device) (*expected, error) {
	o, err := r.resolve(f)
	if err != nil {
		return nil, err
	}
	x := &expected{operands: *o}
	left := values(o.left)
	switch r.Of {
	case "product":
		if x.values, x.bound, err = multiplied(ctx, host, o.product(left, values(o.right))); err != nil {
			return nil, err
		}
	case "add":
		right := values(o.right)
		for i, v := range left {
			x.values = append(x.values, o.precision.Round(v+right[i]))
		}
	case "sum", "squares":
		x.total = true
		other := left
		if r.Of == "sum" {
			other = slices.Repeat([]float64{1}, len(left))
		}
		n := len(left)
		row, column := tensor.Must(tensor.FromSlice(left, 1, n)), tensor.Must(tensor.FromSlice(other, n, 1))
		p := device.Product{Left: row.View(), Right: column.View(), Precision: o.precision}
		if x.values, x.bound, err = multiplied(ctx, host, p); err != nil {
			return nil, err
		}
		// The elements of out are added in float64, which rounds too.
		magnitude := 0.0
		for i, v := range left {
			magnitude += math.Abs(v * other[i])
		}
		x.bound[0] += float64(compare.Gamma(size(o.out), 0x1p-53) * magnitude)
	case "softmax", "rmsnorm":
		columns := o.left.Shape[len(o.left.Shape)-1]
		var gain []float64
		if r.Of == "rmsnorm" {
			gain = values(o.gain)
		}
		for i := 0; i+columns <= len(left); i += columns {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			row := left[i : i+columns]
			var want, bound []float64
			if r.Of == "softmax" {
				want, bound = compare.SoftmaxRow(o.precision, row, compare.InAnyOrder(columns))
			} else {
				want, bound = compare.RMSNormRow(o.precision, row, gain, r.Epsilon, compare.InAnyOrder(columns))
			}
			x.values, x.bound = append(x.values, want...), append(x.bound, bound...)
		}
	}
	return x, nil
}

// multiplied returns a product, and by how much another's may differ from it.
func multiplied(ctx context.Context, host device.Device, p device.Product) (values, bound []float64, err error) {
	plan, err := p.Plan()
	if err != nil {
		return nil, nil, err
	}
	out, _, err := host.Multiply(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return out.Data(), compare.ProductBounds(plan, p.Precision, 2), nil
}

// hold compares what came out, which is in the buffers of f, with what should.
func (x *expected) hold(f *launchfile.File, host, candidate string) *compare.Report {
	got, shape := values(buffer(f, x.out.Name)), x.out.Shape
	if x.total {
		sum := 0.0
		for _, v := range got {
			sum += v
		}
		got, shape = []float64{sum}, []int{}
	}
	tolerance := compare.Bounded()
	if x.bound == nil {
		tolerance = compare.Exact("one rounding of each element, whoever computes it")
	}
	name := x.out.Name
	if x.total {
		name = "the sum of " + name
	}
	return compare.Compare(host, candidate, tolerance, []compare.Group{{
		Name: name, Shape: x.shape, CandidateShape: shape, Reference: x.values, Candidate: got, Bound: x.bound,
	}})
}
