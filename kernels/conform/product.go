package conform

import (
	"context"
	"fmt"
	"math"
	"slices"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/scalar"
	"workbench/kernels/matmul"
)

// sizes of products, M×K×N: one cell, awkward ones that fill no tile, primes above
// every tile's side, and no terms.
var sizes = [][3]int{{1, 1, 1}, {17, 33, 9}, {5, 129, 31}, {67, 23, 71}, {2, 0, 3}}

// productCases hold every version in every precision and contract.
func productCases() []Case {
	var out []Case
	for _, v := range matmul.Versions {
		for _, p := range v.Source().Precisions {
			for _, c := range contracts {
				k := productKernel{v, p, c}
				for _, size := range sizes {
					out = append(out, k.sized(size))
				}
				out = append(out, k.viewed(), k.gridded(), k.edges(), k.empty())
				if p == device.Float16 || p == device.BFloat16 {
					out = append(out, k.rounded())
				}
			}
		}
	}
	return out
}

// productKernel is one kernel under one contract.
type productKernel struct {
	version   matmul.Version
	precision device.Precision
	contract  device.Contract
}

func (k productKernel) name() string {
	return k.version.Symbol(k.precision) + "/" + k.contract.String()
}

// sized makes every combination of transposed operands, batched or not,
// accumulating or not. α is 1 where nothing is added: then the chain alone shows.
func (k productKernel) sized(size [3]int) Case {
	name := fmt.Sprintf("%s/%d×%d×%d", k.name(), size[0], size[1], size[2])
	return Case{Name: name, Run: func(ctx context.Context, l launch.Launcher) error {
		s := seeded(name)
		for _, batches := range []int{1, 3} {
			for _, accumulate := range []bool{false, true} {
				for _, transposed := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
					m := matmul.Packed(batches, size[0], size[1], size[2])
					if transposed[0] {
						m.Left.Row, m.Left.Column = 1, m.Rows
					}
					if transposed[1] {
						m.Right.Row, m.Right.Column = 1, m.Terms
					}
					if accumulate {
						m.Accumulate, m.Alpha = true, -1.3
					}
					what := fmt.Sprintf("%d batches, left transposed %t, right transposed %t, accumulating %t", batches, transposed[0], transposed[1], accumulate)
					if err := k.hold(ctx, l, what, m, s.operands(k.precision, m), launch.Dim3{}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}}
}

// viewed reads and writes matrices that do not lie packed.
func (k productKernel) viewed() Case {
	name := k.name() + "/views"
	return Case{Name: name, Run: func(ctx context.Context, l launch.Launcher) error {
		s := seeded(name)
		for _, view := range []struct {
			name   string
			change func(m *matmul.Params)
		}{
			{"a mean", func(m *matmul.Params) { m.Divisor = float64(m.Terms) }},
			{"divided by less than one", func(m *matmul.Params) { m.Divisor = -0.75 }},
			{"a mean, scaled and added", func(m *matmul.Params) { m.Divisor, m.Alpha, m.Accumulate = 3, 0.1, true }},
			{"nothing of the sum added", func(m *matmul.Params) { m.Alpha, m.Accumulate = 0, true }},
			{"out transposed", func(m *matmul.Params) { m.Out.Row, m.Out.Column = 1, m.Rows }},
			{"left the same for all batches", func(m *matmul.Params) { m.Left.Batch = 0 }},
			{"right the same for all batches", func(m *matmul.Params) { m.Right.Batch = 0 }},
			{"one row of left repeated", func(m *matmul.Params) { m.Left.Row = 0 }},
			{"one column of right repeated", func(m *matmul.Params) { m.Right.Column = 0 }},
			{"one element of each", func(m *matmul.Params) { m.Left, m.Right = matmul.Strides{}, matmul.Strides{} }},
			{"gaps everywhere", func(m *matmul.Params) {
				m.Left = matmul.Strides{Batch: 3 * m.Rows * (m.Terms + 2), Row: 2 * (m.Terms + 2), Column: 2}
				m.Right = matmul.Strides{Batch: m.Terms*(m.Columns+5) + 7, Row: m.Columns + 5, Column: 1}
				m.Out = matmul.Strides{Batch: m.Rows * (3*m.Columns + 1), Row: 3*m.Columns + 1, Column: 3}
			}},
			{"heads within rows", func(m *matmul.Params) {
				m.Left = matmul.Strides{Batch: m.Terms, Row: m.Batches * m.Terms, Column: 1}
				m.Right = matmul.Strides{Batch: m.Columns, Row: m.Batches * m.Columns, Column: 1}
				m.Out = matmul.Strides{Batch: m.Columns, Row: m.Batches * m.Columns, Column: 1}
			}},
		} {
			m := matmul.Packed(2, 13, 19, 37)
			view.change(&m)
			if err := k.hold(ctx, l, view.name, m, s.operands(k.precision, m), launch.Dim3{}); err != nil {
				return err
			}
		}
		return nil
	}}
}

// gridded launches grids that are smaller and larger than the product.
func (k productKernel) gridded() Case {
	name := k.name() + "/grids"
	return Case{Name: name, Run: func(ctx context.Context, l launch.Launcher) error {
		s := seeded(name)
		for _, grid := range []launch.Dim3{{X: 1, Y: 1, Z: 1}, {X: 2, Y: 1, Z: 1}, {X: 1, Y: 2, Z: 2}, {X: 7, Y: 5, Z: 4}} {
			m := matmul.Packed(3, 131, 5, 67)
			if err := k.hold(ctx, l, fmt.Sprintf("a grid of %s", grid), m, s.operands(k.precision, m), grid); err != nil {
				return err
			}
		}
		return nil
	}}
}

// edges are values that an implementation loses which adds a zero too many, in
// another order, or not in the chain's type.
func (k productKernel) edges() Case {
	name := k.name() + "/edges"
	return Case{Name: name, Run: func(ctx context.Context, l launch.Launcher) error {
		s := seeded(name)
		tiny := map[device.Precision]float64{device.Float64: 0x1p-1074, device.Float32: 0x1p-149, device.Float16: 0x1p-24, device.BFloat16: 0x1p-133}[k.precision]
		large := map[device.Precision]float64{device.Float64: math.MaxFloat64, device.Float32: math.MaxFloat32, device.Float16: 65504, device.BFloat16: 0x1.fep127}[k.precision]
		inf, nan := math.Inf(1), math.NaN()
		for _, edge := range []struct {
			name string
			pick []float64 // every operand is one of them
		}{
			// Under fused a product that underflows leaves −0, and whatever is
			// added behind the last term would make it +0.
			{"products that underflow", []float64{-tiny, -3 * tiny, tiny, 0, math.Copysign(0, -1)}},
			{"sums that overflow and come back", []float64{large, -large, 1, -1}},
			{"infinities", []float64{inf, -inf, 1, 0.5}},
			{"one that is not a number", []float64{nan, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
			{"subnormal numbers", []float64{3 * tiny, -5 * tiny, 1, -0.75}},
		} {
			// 33 terms are two tiles and one term more.
			m := matmul.Packed(1, 18, 33, 19)
			o := s.operands(k.precision, m)
			for _, list := range [][]float64{o.left, o.right} {
				for i := range list {
					list[i] = k.precision.Round(edge.pick[s.IntN(len(edge.pick))])
				}
			}
			if err := k.hold(ctx, l, edge.name, m, o, launch.Dim3{}); err != nil {
				return err
			}
		}
		// A sum that is −0 from its first term to its last: one sign, one size.
		m := matmul.Packed(1, 2, 33, 2)
		o := s.operands(k.precision, m)
		for i := range o.left {
			o.left[i] = -tiny
		}
		for i := range o.right {
			o.right[i] = tiny
		}
		return k.hold(ctx, l, "a sum of −0", m, o, launch.Dim3{})
	}}
}

// rounded are sums at the edges of a half format: ties, subnormal numbers, and what
// is too large. A sum that is rounded on its way, or twice, ends beside these.
func (k productKernel) rounded() Case {
	inf := math.Inf(1)
	type sum struct {
		terms         []float64 // times one each
		divisor, want float64
	}
	sums := map[device.Precision][]sum{
		device.Float16: {
			{[]float64{2048, 1}, 0, 2048},           // half way, the even one is below
			{[]float64{2048, 1, 2}, 0, 2052},        // 2051 in float32: half way, the even one is above
			{[]float64{2048, 0.5, 0.5, 2}, 0, 2052}, // rounded on the way it would be 2050
			{[]float64{65504, 8}, 0, 65504},
			{[]float64{65504, 16}, 0, inf}, // half way to the next that there would be
			{[]float64{-65504, -65504}, 0, -inf},
			{[]float64{0x1p-24}, 2, 0},                         // half of the least
			{[]float64{0x1p-24, 0x1p-24, 0x1p-24}, 2, 0x1p-23}, // 1.5 of it
		},
		device.BFloat16: {
			{[]float64{256, 1}, 0, 256},
			{[]float64{256, 1, 2}, 0, 260},
			{[]float64{0x1.fep127, 0x1p119}, 0, inf},
			{[]float64{0x1p-133}, 2, 0},
		},
	}
	return Case{Name: k.name() + "/rounded once", Run: func(ctx context.Context, l launch.Launcher) error {
		for _, sum := range sums[k.precision] {
			m := matmul.Packed(1, 1, len(sum.terms), 1)
			m.Divisor = sum.divisor
			o := seeded("").operands(k.precision, m)
			o.left = sum.terms
			for i := range o.right {
				o.right[i] = 1
			}
			what := fmt.Sprintf("the sum of %v, divided by %v", sum.terms, sum.divisor)
			if got := k.expected(m, o)[0]; got != sum.want {
				return fmt.Errorf("BUG: %s is %v by the definition, and %v by hand", what, got, sum.want)
			}
			if err := k.hold(ctx, l, what, m, o, launch.Dim3{}); err != nil {
				return err
			}
		}
		return nil
	}}
}

// empty products have no cells and no grid, so they are not launched.
func (k productKernel) empty() Case {
	return Case{Name: k.name() + "/empty", Run: func(context.Context, launch.Launcher) error {
		for field, m := range map[string]matmul.Params{
			"batches": matmul.Packed(0, 2, 3, 4),
			"rows":    matmul.Packed(2, 0, 3, 4),
			"columns": matmul.Packed(2, 3, 4, 0),
		} {
			o := seeded(field).operands(k.precision, m)
			launch, err := k.version.Prepare(k.contract, k.precision, m, buffer(k.precision, o.left), buffer(k.precision, o.right), buffer(k.precision, o.out))
			if err := refused(launch, err, field); err != nil {
				return err
			}
		}
		return nil
	}}
}

// operands are the three buffers of a product.
type operands struct {
	left, right, out []float64
}

// operands fills buffers that are as long as the strides reach, and a fence.
func (s numbers) operands(p device.Precision, m matmul.Params) operands {
	reach := func(extents [3]int64, strides matmul.Strides) int {
		if slices.Contains(extents[:], 0) {
			return 0
		}
		return int(1 + (extents[0]-1)*strides.Batch + (extents[1]-1)*strides.Row + (extents[2]-1)*strides.Column)
	}
	o := operands{
		left:  s.ordinary(p, reach([3]int64{m.Batches, m.Rows, m.Terms}, m.Left)),
		right: s.ordinary(p, reach([3]int64{m.Batches, m.Terms, m.Columns}, m.Right)),
	}
	n := reach([3]int64{m.Batches, m.Rows, m.Columns}, m.Out)
	if m.Accumulate {
		o.out = s.ordinary(p, n+fence)
	} else {
		o.out = s.fenced(p, n)
	}
	return o
}

// hold launches one product, on a grid other than Prepare's if one is given, and
// compares every element of out.
func (k productKernel) hold(ctx context.Context, on launch.Launcher, what string, m matmul.Params, o operands, grid launch.Dim3) error {
	p := k.precision
	l, err := k.version.Prepare(k.contract, p, m, buffer(p, o.left), buffer(p, o.right), buffer(p, o.out))
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if grid.X != 0 {
		l.Grid = grid
	}
	got, err := run(ctx, on, what, l, 2)
	if err != nil {
		return err
	}
	return holdBits(what, p, got, k.expected(m, o))
}

// expected is what out holds after the launch, by the definition.
func (k productKernel) expected(m matmul.Params, o operands) []float64 {
	want := slices.Clone(o.out)
	for b := range m.Batches {
		for i := range m.Rows {
			for j := range m.Columns {
				sum := chain{precision: k.precision, contract: k.contract}
				for t := range m.Terms {
					sum.add(o.left[b*m.Left.Batch+i*m.Left.Row+t*m.Left.Column], o.right[b*m.Right.Batch+t*m.Right.Row+j*m.Right.Column])
				}
				cell := b*m.Out.Batch + i*m.Out.Row + j*m.Out.Column
				want[cell] = sum.finish(m, o.out[cell])
			}
		}
	}
	return want
}

// chain is the running sum of a cell: float64, or float32 for every other
// precision.
type chain struct {
	precision device.Precision
	contract  device.Contract
	wide      float64
	narrow    float32
}

func (c *chain) add(x, y float64) {
	switch {
	case c.precision == device.Float64 && c.contract == device.Fused:
		c.wide = math.FMA(x, y, c.wide)
	case c.precision == device.Float64:
		c.wide = float64(x*y) + c.wide
	case c.contract == device.Fused:
		c.narrow = scalar.FMA32(float32(x), float32(y), c.narrow)
	default:
		c.narrow = float32(float32(x)*float32(y)) + c.narrow
	}
}

// finish is all that follows the last term, a rounding each.
func (c *chain) finish(m matmul.Params, held float64) float64 {
	if c.precision == device.Float64 {
		sum := c.wide
		if m.Divisor != 0 {
			sum /= m.Divisor
		}
		sum = float64(m.Alpha * sum)
		if m.Accumulate {
			sum += held
		}
		return sum
	}
	sum := c.narrow
	if m.Divisor != 0 {
		sum /= float32(m.Divisor)
	}
	sum = float32(float32(m.Alpha) * sum)
	if m.Accumulate {
		sum += float32(held)
	}
	return c.precision.Round(float64(sum))
}
