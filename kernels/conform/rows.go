package conform

import (
	"context"
	"fmt"
	"math"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/rmsnorm"
	"workbench/kernels/softmax"
)

// matrices are the shapes, rows × columns, that fill no warp and no block: one
// element, fewer columns than lanes, as many, one more, and more rows than a block
// has warps.
var matrices = [][2]int{{1, 1}, {17, 33}, {5, 129}, {9, 32}, {3, 31}, {31, 257}, {300, 2}}

// grids are those that the rows' kernels are launched on, besides the one that fits.
var grids = []int{0, 1, 3, 50}

func softmaxCases() []Case {
	var out []Case
	for i, p := range softmax.Source.Precisions {
		for _, c := range contracts {
			prefix := softmax.Source.Symbols[i] + "/" + c.String()
			hold := func(ctx context.Context, on launch.Launcher, what string, rows, columns int, in []float64, grid int) error {
				s := seeded(what)
				before := s.fenced(p, rows*columns)
				l, err := softmax.Prepare(c, p, int64(rows), int64(columns), buffer(p, in), buffer(p, before))
				if err != nil {
					return err
				}
				if grid != 0 {
					l.Grid.X = grid
				}
				got, err := twice(ctx, on, what, l, 1)
				if err != nil {
					return err
				}
				want, bound := before, make([]float64, len(before))
				for r := range rows {
					w, b := compare.SoftmaxRow(p, in[r*columns:][:columns], ofWarp(columns))
					copy(want[r*columns:], w)
					copy(bound[r*columns:], b)
				}
				return holdWithin(what, p, got, want, bound)
			}
			for _, m := range matrices {
				name := fmt.Sprintf("%s/%d×%d", prefix, m[0], m[1])
				out = append(out, Case{Name: name, Run: func(ctx context.Context, l launch.Launcher) error {
					s := seeded(name)
					for _, exponent := range []int{1, 6} { // shares of one size, and some that vanish
						what := fmt.Sprintf("values up to %v", math.Ldexp(1, exponent+1))
						if err := hold(ctx, l, what, m[0], m[1], s.spread(p, m[0]*m[1], exponent), 0); err != nil {
							return err
						}
					}
					for _, grid := range grids {
						if err := hold(ctx, l, fmt.Sprintf("%d blocks", grid), m[0], m[1], s.ordinary(p, m[0]*m[1]), grid); err != nil {
							return err
						}
					}
					return nil
				}})
			}
			out = append(out, Case{Name: prefix + "/edges", Run: func(ctx context.Context, l launch.Launcher) error {
				inf, nan := math.Inf(1), math.NaN()
				large := p.Round(math.MaxFloat32)
				in := []float64{
					0, 0, 0, 0, 0,
					-inf, 1, -inf, 2, -inf, // positions that a mask has taken out
					large, -large, large, 0, 1, // the difference overflows
					nan, 1, 2, 3, 4,
					1, 2, inf, 3, 4,
					-inf, -inf, -inf, -inf, -inf,
					1000, 999, -1000, 990, 0,
					-1e-30, 1e-30, 0, math.Copysign(0, -1), 1e-38,
				}
				return hold(ctx, l, "edges", 8, 5, in, 0)
			}})
			out = append(out, Case{Name: prefix + "/empty", Run: func(context.Context, launch.Launcher) error {
				for field, size := range map[string][2]int64{"rows": {0, 5}, "columns": {5, 0}} {
					l, err := softmax.Prepare(c, p, size[0], size[1], buffer(p, nil), buffer(p, nil))
					if err := refused(l, err, field); err != nil {
						return err
					}
				}
				return nil
			}})
		}
	}
	return out
}

func rmsnormCases() []Case {
	const epsilon = 1e-6
	var out []Case
	for i, p := range rmsnorm.Source.Precisions {
		for _, c := range contracts {
			prefix := rmsnorm.Source.Symbols[i] + "/" + c.String()
			hold := func(ctx context.Context, on launch.Launcher, what string, rows, columns int, in, gain []float64, grid int) error {
				before := seeded(what).fenced(p, rows*columns)
				l, err := rmsnorm.Prepare(c, p, rmsnorm.Params{Rows: int64(rows), Columns: int64(columns), Epsilon: epsilon}, buffer(p, in), buffer(p, gain), buffer(p, before))
				if err != nil {
					return err
				}
				if grid != 0 {
					l.Grid.X = grid
				}
				got, err := twice(ctx, on, what, l, 2)
				if err != nil {
					return err
				}
				want, bound := before, make([]float64, len(before))
				for r := range rows {
					w, b := compare.RMSNormRow(p, in[r*columns:][:columns], gain, epsilon, ofWarp(columns))
					copy(want[r*columns:], w)
					copy(bound[r*columns:], b)
				}
				return holdWithin(what, p, got, want, bound)
			}
			for _, m := range matrices {
				name := fmt.Sprintf("%s/%d×%d", prefix, m[0], m[1])
				out = append(out, Case{Name: name, Run: func(ctx context.Context, l launch.Launcher) error {
					s := seeded(name)
					for _, exponent := range []int{1, 8} {
						what := fmt.Sprintf("values up to %v", math.Ldexp(1, exponent+1))
						if err := hold(ctx, l, what, m[0], m[1], s.spread(p, m[0]*m[1], exponent), s.ordinary(p, m[1]), 0); err != nil {
							return err
						}
					}
					for _, grid := range grids {
						if err := hold(ctx, l, fmt.Sprintf("%d blocks", grid), m[0], m[1], s.ordinary(p, m[0]*m[1]), s.ordinary(p, m[1]), grid); err != nil {
							return err
						}
					}
					return nil
				}})
			}
			out = append(out, Case{Name: prefix + "/edges", Run: func(ctx context.Context, l launch.Launcher) error {
				in := []float64{
					0, 0, 0, 0, 0, // epsilon alone
					1e-20, -1e-20, 2e-20, 0, 0,
					1e15, 1, -1, 0, 1e-15,
					1, 1, 1, 1, 1,
				}
				for i := range in {
					in[i] = p.Round(in[i])
				}
				return hold(ctx, l, "edges", 4, 5, in, []float64{1, -2, 0, 0.5, 3}, 0)
			}})
			out = append(out, Case{Name: prefix + "/empty", Run: func(context.Context, launch.Launcher) error {
				for field, n := range map[string]rmsnorm.Params{"rows": {Columns: 5}, "columns": {Rows: 5}} {
					l, err := rmsnorm.Prepare(c, p, n, buffer(p, nil), buffer(p, nil), buffer(p, nil))
					if err := refused(l, err, field); err != nil {
						return err
					}
				}
				return nil
			}})
		}
	}
	return out
}

// holdWithin holds every element to the expected one within its bound; where that
// is 0, to its bits.
func holdWithin(name string, p device.Precision, got []byte, want, bound []float64) error {
	return hold(name, values(p, got), want, bound)
}
