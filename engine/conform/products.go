package conform

import (
	"context"
	"fmt"
	"math"
	"slices"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// product is one case: a product of inputs that make draws from the case's
// source.
func product(name string, precision device.Precision, make func(source) device.Product) Case {
	name = fmt.Sprintf("product/%s/%s", precision, name)
	return Case{Name: name, Run: func(ctx context.Context, d device.Device) error {
		p := make(newSource(name))
		p.Precision = precision
		return multiply(ctx, d, p)
	}}
}

// sizes are M×K×N. None but the first few fits a tile of a kernel; some have
// one side only, one contracts past the block that packed kernels hold, and two
// are the decoder's.
var sizes = [][3]int{
	{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {2, 3, 2}, {3, 2, 1}, {1, 2, 3},
	{1, 7, 1}, {1, 13, 37}, {37, 13, 1}, {13, 1, 11},
	{7, 11, 13}, {17, 33, 9}, {5, 129, 31}, {23, 29, 19}, {2, 16, 129},
	{3, 4, 258}, {3, 258, 4}, {2, 601, 3},
}

// emptySizes have no cells, or cells without terms, which are zeros.
var emptySizes = [][3]int{{0, 0, 0}, {0, 3, 2}, {2, 0, 3}, {2, 3, 0}, {0, 0, 4}, {1, 0, 1}}

func productCases() []Case {
	var cases []Case
	for _, precision := range device.Precisions {
		for _, size := range slices.Concat(sizes, emptySizes) {
			m, k, n := size[0], size[1], size[2]
			cases = append(cases, product(fmt.Sprintf("%d×%d×%d", m, k, n), precision, func(s source) device.Product {
				return device.Product{Left: dense(s.ordinary, m, k), Right: dense(s.ordinary, k, n)}
			}))
		}
		for _, size := range [][3]int{{17, 33, 9}, {5, 129, 31}, {19, 40, 65}} {
			cases = append(cases, integers(size[0], size[1], size[2], precision))
		}
		cases = append(cases, batchCases(precision)...)
	}
	return cases
}

// integers is a product that is exact in every precision and order, held to
// integer arithmetic. A device that fails it has an index wrong, not a rounding.
func integers(m, k, n int, precision device.Precision) Case {
	name := fmt.Sprintf("product/%s/integers/%d×%d×%d", precision, m, k, n)
	return Case{Name: name, Run: func(ctx context.Context, d device.Device) error {
		s := newSource(name)
		p := device.Product{Left: dense(s.integer, m, k), Right: dense(s.integer, k, n), Precision: precision}
		exact := newAnswer([]int{m, n})
		for q := range exact.cells {
			i, j, sum := q/n, q%n, 0
			for t := range k {
				sum += int(p.Left.At(i, t)) * int(p.Right.At(t, j))
			}
			exact.cells[q] = float64(sum)
		}
		got, _, err := d.Multiply(ctx, p)
		if err != nil {
			return fmt.Errorf("the device refused a product it must take: %w", err)
		}
		return exact.hold(got, d.Spec())
	}}
}

func batchCases(precision device.Precision) []Case {
	batches := []struct {
		name        string
		left, right []int
	}{
		{"one batch axis", []int{3, 5, 7}, []int{3, 7, 4}},
		{"shared right", []int{4, 3, 5}, []int{5, 6}},
		{"shared left", []int{3, 5}, []int{2, 2, 5, 7}},
		{"crossed axes", []int{2, 1, 3, 5}, []int{3, 5, 4}},
		{"both repeat", []int{2, 1, 3, 5}, []int{1, 3, 5, 4}},
		{"length one", []int{1, 3, 5}, []int{1, 1, 5, 4}},
		{"many small", []int{29, 1, 3}, []int{29, 3, 2}},
		{"no batches", []int{0, 3, 5}, []int{0, 5, 4}},
		{"no batches against one", []int{0, 3, 5}, []int{1, 5, 4}},
		{"no terms", []int{2, 3, 0}, []int{2, 0, 4}},
	}
	var cases []Case
	for _, b := range batches {
		cases = append(cases, product("batch/"+b.name, precision, func(s source) device.Product {
			return device.Product{Left: dense(s.ordinary, b.left...), Right: dense(s.ordinary, b.right...)}
		}))
	}
	return cases
}

// viewCases are products of operands that are not contiguous.
func viewCases() []Case {
	const m, k, n = 7, 19, 11
	left, right := []int{m, k}, []int{k, n}
	views := []struct {
		name string
		make func(source) device.Product
	}{
		{"transposed left", func(s source) device.Product {
			return device.Product{Left: dense(s.ordinary, k, m), Right: dense(s.ordinary, k, n), TransposeLeft: true}
		}},
		{"transposed right", func(s source) device.Product {
			return device.Product{Left: dense(s.ordinary, m, k), Right: dense(s.ordinary, n, k), TransposeRight: true}
		}},
		{"transposed both", func(s source) device.Product {
			return device.Product{Left: dense(s.ordinary, k, m), Right: dense(s.ordinary, n, k), TransposeLeft: true, TransposeRight: true}
		}},
		{"transposed square", func(s source) device.Product {
			// Shapes that fit either way: only the values show a
			// transposition that was forgotten.
			return device.Product{Left: dense(s.ordinary, k, k), Right: dense(s.ordinary, k, k), TransposeLeft: true, TransposeRight: true}
		}},
		{"transposed batch", func(s source) device.Product {
			return device.Product{Left: dense(s.ordinary, 3, k, m), Right: dense(s.ordinary, n, k), TransposeLeft: true, TransposeRight: true}
		}},
		{"transposed views", func(s source) device.Product {
			return device.Product{
				Left:  must(dense(s.ordinary, k, m).Transpose(0, 1)),
				Right: must(dense(s.ordinary, n, k).Transpose(0, 1)),
			}
		}},
		{"offset", func(s source) device.Product {
			return device.Product{Left: guarded(s.ordinary, 5, left, []int{k, 1}), Right: guarded(s.ordinary, 3, right, []int{n, 1})}
		}},
		{"padded rows", func(s source) device.Product {
			return device.Product{Left: guarded(s.ordinary, 0, left, []int{k + 5, 1}), Right: guarded(s.ordinary, 0, right, []int{n + 3, 1})}
		}},
		{"sliced", func(s source) device.Product {
			l := dense(s.ordinary, 2*m+3, 3*k+2)
			r := dense(s.ordinary, 2*k+1, 4*n)
			l = must(must(l.Slice(0, 3, 2*m+3, 2)).Slice(1, 1, 3*k, 3))
			r = must(must(r.Slice(0, 0, 2*k, 2)).Slice(1, 3, 4*n, 4))
			return device.Product{Left: l, Right: r}
		}},
		{"reversed rows", func(s source) device.Product {
			return device.Product{Left: guarded(s.ordinary, 0, left, []int{-k, 1}), Right: guarded(s.ordinary, 0, right, []int{-n, 1})}
		}},
		{"reversed columns", func(s source) device.Product {
			return device.Product{Left: guarded(s.ordinary, 0, left, []int{k, -1}), Right: guarded(s.ordinary, 0, right, []int{n, -1})}
		}},
		{"reversed both, transposed", func(s source) device.Product {
			return device.Product{
				Left:          guarded(s.ordinary, 2, []int{k, m}, []int{-2 * m, -1}),
				Right:         guarded(s.ordinary, 2, []int{n, k}, []int{-k, -1}),
				TransposeLeft: true, TransposeRight: true,
			}
		}},
		{"one row repeated", func(s source) device.Product {
			return device.Product{Left: guarded(s.ordinary, 0, left, []int{0, 1}), Right: guarded(s.ordinary, 0, right, []int{0, 1})}
		}},
		{"one column repeated", func(s source) device.Product {
			return device.Product{Left: guarded(s.ordinary, 0, left, []int{1, 0}), Right: guarded(s.ordinary, 0, right, []int{1, 0})}
		}},
		{"one element", func(s source) device.Product {
			return device.Product{Left: guarded(s.ordinary, 0, left, []int{0, 0}), Right: guarded(s.ordinary, 0, right, []int{0, 0})}
		}},
		{"overlapping rows", func(s source) device.Product {
			return device.Product{Left: guarded(s.ordinary, 0, left, []int{1, 1}), Right: guarded(s.ordinary, 0, right, []int{2, 1})}
		}},
		{"exchanged batch axes", func(s source) device.Product {
			return device.Product{
				Left:  must(dense(s.ordinary, 3, 2, m, k).Transpose(0, 1)),
				Right: must(dense(s.ordinary, k, 3, n).Transpose(0, 1)),
			}
		}},
		{"reversed batches", func(s source) device.Product {
			return device.Product{
				Left:  guarded(s.ordinary, 0, []int{3, m, k}, []int{-m * k, k, 1}),
				Right: guarded(s.ordinary, 0, []int{3, k, n}, []int{0, n, 1}),
			}
		}},
		{"the same storage twice", func(s source) device.Product {
			v := dense(s.ordinary, m, k)
			return device.Product{Left: v, Right: v, TransposeRight: true}
		}},
	}
	var cases []Case
	for _, precision := range device.Precisions {
		for _, v := range views {
			cases = append(cases, product("view/"+v.name, precision, v.make))
		}
	}
	cases = append(cases, Case{Name: "product/result is its own", Run: ownResult})
	return cases
}

// ownResult checks that results share nothing with operands or with each other.
func ownResult(ctx context.Context, d device.Device) error {
	s := newSource("own result")
	identity := rows([]float64{1, 0, 0}, []float64{0, 1, 0}, []float64{0, 0, 1})
	p := device.Product{Left: identity, Right: dense(s.ordinary, 3, 3)}
	before := copyOf(p.Left, p.Right)
	var results []*tensor.Tensor
	for range 2 {
		if err := multiply(ctx, d, p); err != nil {
			return err
		}
		out, _, err := d.Multiply(ctx, p)
		if err != nil {
			return err
		}
		results = append(results, out)
	}
	kept := copyOf(results[1].View())
	for i := range results[0].Data() {
		results[0].Data()[i] = math.NaN()
	}
	if err := before.same(p.Left, p.Right); err != nil {
		return fmt.Errorf("a result shares its storage with an operand: %w", err)
	}
	if err := kept.same(results[1].View()); err != nil {
		return fmt.Errorf("two results share their storage: %w", err)
	}
	return multiply(ctx, d, p)
}
