package conform

import (
	"context"
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// reductions returns the sum and the mean of one input along one axis, with the
// axis kept and dropped, in every precision.
func reductions(name string, axis int, make func(source) tensor.View) []Case {
	var cases []Case
	for _, precision := range device.Precisions {
		for _, op := range []device.ReduceOp{device.Sum, device.Mean} {
			name := fmt.Sprintf("%s/%s/%s", op, precision, name)
			cases = append(cases, Case{Name: name, Run: func(ctx context.Context, d device.Device) error {
				in := make(newSource(name))
				for _, keep := range []bool{false, true} {
					r := device.Reduction{Input: in, Axis: axis, KeepDim: keep, Op: op, Precision: precision}
					if err := reduce(ctx, d, r); err != nil {
						return fmt.Errorf("with KeepDim %t: %w", keep, err)
					}
				}
				return nil
			}})
		}
	}
	return cases
}

func reductionCases() []Case {
	var cases []Case
	for _, shape := range [][]int{{1}, {2}, {7}, {601}, {5, 9}, {9, 5}, {1, 31}, {31, 1}, {17, 129}, {3, 4, 5}, {2, 3, 1, 7}} {
		for axis := range shape {
			cases = append(cases, reductions(fmt.Sprintf("%v axis %d", shape, axis), axis, func(s source) tensor.View {
				return dense(s.ordinary, shape...)
			})...)
		}
	}

	// No groups, which is an answer for a mean too.
	for _, empty := range []struct {
		shape []int
		axis  int
	}{{[]int{0, 3}, 1}, {[]int{3, 0, 2}, 0}, {[]int{2, 0, 4}, 2}} {
		cases = append(cases, reductions(fmt.Sprintf("%v axis %d", empty.shape, empty.axis), empty.axis, func(s source) tensor.View {
			return dense(s.ordinary, empty.shape...)
		})...)
	}
	// No values in them, which is one for a sum alone.
	for _, empty := range []struct {
		shape []int
		axis  int
	}{{[]int{0}, 0}, {[]int{3, 0}, 1}, {[]int{0, 3}, 0}, {[]int{2, 0, 4}, 1}} {
		for _, precision := range device.Precisions {
			name := fmt.Sprintf("sum/%s/%v axis %d", precision, empty.shape, empty.axis)
			cases = append(cases, Case{Name: name, Run: func(ctx context.Context, d device.Device) error {
				in := dense(newSource(name).ordinary, empty.shape...)
				return reduce(ctx, d, device.Reduction{Input: in, Axis: empty.axis, Precision: precision})
			}})
		}
	}

	for _, v := range []struct {
		name string
		axis int
		make func(source) tensor.View
	}{
		{"transposed", 0, func(s source) tensor.View { return must(dense(s.ordinary, 5, 13).Transpose(0, 1)) }},
		{"transposed, last axis", 1, func(s source) tensor.View { return must(dense(s.ordinary, 5, 13).Transpose(0, 1)) }},
		{"exchanged axes", 1, func(s source) tensor.View { return must(dense(s.ordinary, 4, 5, 3).Transpose(0, 2)) }},
		{"sliced", 1, func(s source) tensor.View {
			return must(must(dense(s.ordinary, 9, 14).Slice(0, 1, 9, 3)).Slice(1, 2, 13, 2))
		}},
		{"reversed", 1, func(s source) tensor.View { return guarded(s.ordinary, 0, []int{3, 9}, []int{9, -1}) }},
		{"reversed groups", 1, func(s source) tensor.View { return guarded(s.ordinary, 0, []int{3, 9}, []int{-9, 1}) }},
		{"one value repeated", 1, func(s source) tensor.View { return guarded(s.ordinary, 0, []int{3, 9}, []int{1, 0}) }},
		{"one group repeated", 1, func(s source) tensor.View { return guarded(s.ordinary, 0, []int{3, 9}, []int{0, 1}) }},
	} {
		cases = append(cases, reductions("view/"+v.name, v.axis, v.make)...)
	}

	for _, v := range []struct {
		name   string
		values []float64
	}{
		{"negative zeros", []float64{minus0, minus0, minus0}},
		{"one negative zero", []float64{minus0}},
		{"NaN", []float64{1, nan, 2}},
		{"infinities that cancel", []float64{inf, 1, -inf}},
		{"infinity", []float64{1, -inf, 2}},
		{"a mean of large values", []float64{60000, 60000, 60000}},
		{"a sum that overflows", []float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}},
		{"subnormal", []float64{0x1p-1074, 0x1p-149, 0x1p-133, 0x1p-24, -0x1p-149}},
		{"a mean that is not exact", []float64{1, 0, 0}},
		{"a mean of three that rounds", []float64{5, 0, 0}},
		{"cancelled, then added", []float64{0x1p26, -0x1p26, 2}},
		{"added, then cancelled", []float64{2, -0x1p26, 0x1p26}},
		{"a float16 tie", []float64{1 + 0x1p-11 + 0x1p-40}},
		{"a bfloat16 tie", []float64{1 + 0x1p-8 + 0x1p-40}},
		{"small beside large", []float64{1, 0x1p-53, 0x1p-53, 0x1p-24, 0x1p-24, 0x1p-11}},
	} {
		cases = append(cases, reductions("values/"+v.name, 1, func(source) tensor.View { return row(v.values...) })...)
	}
	return cases
}
