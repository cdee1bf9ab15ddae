package tensor

import (
	"math"
	"slices"
	"testing"
)

// cells multiplies by the definition, straight from the operands that were
// given: no plan, no packing.
func cells(left, right View, transposeLeft, transposeRight bool, batch []int, m, k, n int) (lefts, rights [][]float64) {
	side := func(v View, transposed bool, at []int, row, column int) float64 {
		lead := v.Rank() - 2
		c := slices.Clone(at[len(at)-lead:])
		for axis := range c {
			if v.Dim(axis) == 1 {
				c[axis] = 0
			}
		}
		if transposed {
			row, column = column, row
		}
		return v.At(append(c, row, column)...)
	}
	count := 1
	for _, d := range batch {
		count *= d
	}
	for b := range count {
		at := Coordinate(batch, b)
		for i := range m {
			for j := range n {
				l, r := []float64{}, []float64{}
				for p := range k {
					l = append(l, side(left, transposeLeft, at, i, p))
					r = append(r, side(right, transposeRight, at, p, j))
				}
				lefts, rights = append(lefts, l), append(rights, r)
			}
		}
	}
	return lefts, rights
}

// checkMatmul holds every way to read a plan's operands against the definition.
func checkMatmul(t testing.TB, p *MatmulPlan, left, right View, transposeLeft, transposeRight bool) {
	t.Helper()
	lefts, rights := cells(left, right, transposeLeft, transposeRight, p.Batch, p.M, p.K, p.N)
	packedLeft, packedRight := p.PackLeft(), p.PackRight()
	if len(packedLeft) != p.B*p.M*p.K || len(packedRight) != p.B*p.K*p.N {
		t.Fatalf("packed %d and %d values for B %d, M %d, K %d, N %d", len(packedLeft), len(packedRight), p.B, p.M, p.K, p.N)
	}
	q := 0
	for b := range p.B {
		l, r := p.Matrix(b)
		for i := range p.M {
			for j := range p.N {
				if p.Flat(b, i, j) != q {
					t.Fatalf("cell (%d, %d, %d) has flat index %d, want %d", b, i, j, p.Flat(b, i, j), q)
				}
				gotLeft, gotRight, err := p.Operands(b, i, j)
				if err != nil || !slices.Equal(gotLeft, lefts[q]) || !slices.Equal(gotRight, rights[q]) {
					t.Fatalf("cell (%d, %d, %d) has operands %v and %v, %v; want %v and %v", b, i, j, gotLeft, gotRight, err, lefts[q], rights[q])
				}
				for k := range p.K {
					pl, pr := packedLeft[(b*p.M+i)*p.K+k], packedRight[(b*p.K+k)*p.N+j]
					if pl != lefts[q][k] || pr != rights[q][k] || l.At(i, k) != pl || r.At(k, j) != pr {
						t.Fatalf("term %d of cell (%d, %d, %d): packed %v and %v, want %v and %v", k, b, i, j, pl, pr, lefts[q][k], rights[q][k])
					}
				}
				q++
			}
		}
	}
	if n, err := Elements(p.OutputShape()); err != nil || n != q || n != p.B*p.M*p.N {
		t.Fatalf("output shape %v for %d cells, %v", p.OutputShape(), q, err)
	}
	if p.Empty() != (q == 0 || p.K == 0) {
		t.Fatalf("Empty is %v with %d cells of %d terms", p.Empty(), q, p.K)
	}
}

func TestPlanMatmul(t *testing.T) {
	view := func(shape ...int) View { return count(t, shape...).View() }
	for _, c := range []struct {
		name           string
		left, right    View
		transposeLeft  bool
		transposeRight bool
		batch          []int
		m, k, n        int
	}{
		{"the worked example", view(2, 3), view(3, 2), false, false, []int{}, 2, 3, 2},
		{"left transposed", view(3, 2), view(3, 4), true, false, []int{}, 2, 3, 4},
		{"right transposed", view(2, 3), view(4, 3), false, true, []int{}, 2, 3, 4},
		{"both transposed", view(3, 2), view(4, 3), true, true, []int{}, 2, 3, 4},
		{"a batch", view(5, 2, 3), view(5, 3, 2), false, false, []int{5}, 2, 3, 2},
		{"a matrix for a batch", view(5, 2, 3), view(3, 2), false, false, []int{5}, 2, 3, 2},
		{"both sides broadcast", view(4, 1, 2, 3), view(3, 3, 2), false, false, []int{4, 3}, 2, 3, 2},
		{"a batch, transposed", view(4, 1, 3, 2), view(3, 2, 3), true, true, []int{4, 3}, 2, 3, 2},
		{"one cell", view(1, 1), view(1, 1), false, false, []int{}, 1, 1, 1},
		{"column times row", view(3, 1), view(1, 5), false, false, []int{}, 3, 1, 5},
		{"no terms", view(2, 0), view(0, 3), false, false, []int{}, 2, 0, 3},
		{"no rows", view(0, 3), view(3, 2), false, false, []int{}, 0, 3, 2},
		{"no batches", view(0, 2, 3), view(3, 2), false, false, []int{0}, 2, 3, 2},
		{"a strided left", must(view(4, 6).Slice(1, 0, 6, 2)), must(view(2, 3).Transpose(0, 1)), false, false, []int{}, 4, 3, 2},
		{"backwards rows", must(NewView(view(2, 3).Storage(), 3, []int{2, 3}, []int{-3, 1})), view(3, 2), false, false, []int{}, 2, 3, 2},
		{"a broadcast operand", must(view(1, 3).Broadcast(4, 3)), view(3, 2), false, false, []int{}, 4, 3, 2},
		{"awkward sizes", view(2, 5, 7), view(2, 7, 3), false, false, []int{2}, 5, 7, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := PlanMatmul(c.left, c.right, c.transposeLeft, c.transposeRight)
			if err != nil {
				t.Fatal(err)
			}
			b := 1
			for _, d := range c.batch {
				b *= d
			}
			if !slices.Equal(p.Batch, c.batch) || p.B != b || p.M != c.m || p.K != c.k || p.N != c.n {
				t.Errorf("batch %v, B %d, M %d, K %d, N %d; want %v, %d, %d, %d, %d", p.Batch, p.B, p.M, p.K, p.N, c.batch, b, c.m, c.k, c.n)
			}
			if want := append(slices.Clone(c.batch), c.m, c.n); !slices.Equal(p.OutputShape(), want) {
				t.Errorf("output shape %v, want %v", p.OutputShape(), want)
			}
			checkMatmul(t, p, c.left, c.right, c.transposeLeft, c.transposeRight)
		})
	}
}

// A plan copies nothing: its operands read the storage that was given.
func TestPlanMatmulCopiesNothing(t *testing.T) {
	a, b := count(t, 3, 2), count(t, 3, 4)
	p, err := PlanMatmul(a.View(), b.View(), true, false)
	if err != nil {
		t.Fatal(err)
	}
	if &p.Left.Storage()[0] != &a.Data()[0] || &p.Right.Storage()[0] != &b.Data()[0] {
		t.Error("an operand was copied")
	}
	if !slices.Equal(p.Left.Strides(), []int{1, 2}) {
		t.Errorf("the transposed left has strides %v, want [1 2]", p.Left.Strides())
	}
	p.PackLeft()[0] = 99
	if a.Data()[0] != 1 {
		t.Error("a packed operand shares values")
	}
}

func TestPlanMatmulRefuses(t *testing.T) {
	view := func(shape ...int) View { return Must(New(shape...)).View() }
	for _, c := range []struct {
		name           string
		left, right    View
		transposeLeft  bool
		transposeRight bool
		op, reason     string
	}{
		{"a vector on the left", view(3), view(3, 2), false, false, "matmul", "at least two axes"},
		{"a scalar on the right", view(2, 3), view(), false, false, "matmul", "at least two axes"},
		{"inner sizes", view(2, 3), view(4, 2), false, false, "matmul", "matmul [2, 3] and [4, 2]: the left side has 3 columns and the right side 4 rows"},
		{"inner sizes, left transposed", view(2, 3), view(3, 2), true, false, "matmul", "the transposed left side has 2 columns and the right side 3 rows"},
		{"inner sizes, right transposed", view(2, 3), view(3, 2), false, true, "matmul", "the transposed right side 2 rows"},
		{"inner sizes, nothing with one", view(2, 0), view(1, 2), false, false, "matmul", "0 columns"},
		{"batches", view(2, 2, 3), view(3, 3, 2), false, false, "matmul", "leading axes [2] and [3] do not broadcast"},
		{"matrix axes do not broadcast", view(2, 1), view(3, 2), false, false, "matmul", "must be equal"},
		{"10^12 cells", must(view(1, 1).Broadcast(1_000_000, 1)), must(view(1, 1).Broadcast(1, 1_000_000)), false, false, "matmul", "has more than"},
		{"10^12 cells of nothing", view(1_000_000, 0), view(0, 1_000_000), false, false, "matmul", "has more than"},
		{"10^12 batches", must(view(1, 1, 1, 1).Broadcast(1_000_000, 1, 1, 1)), must(view(1, 1, 1).Broadcast(1_000_000, 1, 1)), false, false, "matmul", ""},
		{"10^12 operand values", must(view(1, 1, 1).Broadcast(1_000_000, 1, 1)), must(view(1, 1).Broadcast(1, 1_000_000)), false, false, "broadcast", "has more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := PlanMatmul(c.left, c.right, c.transposeLeft, c.transposeRight)
			if err == nil {
				t.Fatalf("no error: %+v", p)
			}
			shapeFault(t, err, c.op, c.reason)
		})
	}
}

func TestPlanMatmulTakesTheLargestOutput(t *testing.T) {
	one := Must(New(1, 1)).View()
	p, err := PlanMatmul(must(one.Broadcast(1<<14, 1)), must(one.Broadcast(1, 1<<14)), false, false)
	if err != nil || p.B*p.M*p.N != MaxElements {
		t.Errorf("plan %+v, %v, want one of %d cells", p, err, MaxElements)
	}
}

func TestOperandsRefuses(t *testing.T) {
	p, err := PlanMatmul(count(t, 4, 2, 3).View(), count(t, 3, 5).View(), false, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range [][3]int{{-1, 0, 0}, {4, 0, 0}, {0, -1, 0}, {0, 2, 0}, {0, 0, -1}, {0, 0, 5}, {math.MaxInt, 0, 0}} {
		_, _, err := p.Operands(at[0], at[1], at[2])
		shapeFault(t, err, "cell", ": lies outside the product of shape [4, 2, 5]")
	}
}
