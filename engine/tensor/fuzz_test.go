package tensor

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"
)

// choices hands out the bytes of a fuzz input as decisions; when they are used
// up, every decision is 0.
type choices struct{ rest []byte }

func (c *choices) byte() byte {
	if len(c.rest) == 0 {
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

// pick returns a number from 0 up to, not including, n.
func (c *choices) pick(n int) int { return int(c.byte()) % n }

// number returns small numbers for most bytes and the edges of every range for
// the others.
func (c *choices) number() int {
	edges := []int{
		-1, -2, -3, -7, 17, 64, 1 << 14, MaxElements, MaxElements + 1, 1 << 31, 1 << 32, 1_000_000_000_000,
		1 << 61, 1 << 62, math.MaxInt, math.MinInt, math.MinInt + 1, -(1 << 62), -(1 << 31), 1_000_000,
	}
	b := int(c.byte())
	if b < 256-len(edges) {
		return b % 6
	}
	return edges[b-(256-len(edges))]
}

func (c *choices) numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = c.number()
	}
	return out
}

// storage returns distinct values with nothing readable behind them.
func storage(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i + 1)
	}
	return out[:n:n]
}

// fits decides in integers of any size whether a shape is one a tensor may have.
func fits(shape []int) bool {
	if len(shape) > MaxRank {
		return false
	}
	product := big.NewInt(1)
	for _, d := range shape {
		if d < 0 {
			return false
		}
		product.Mul(product, big.NewInt(int64(max(d, 1))))
	}
	return product.Cmp(big.NewInt(MaxElements)) <= 0
}

// inside decides in integers of any size whether a view stays in a storage.
func inside(length, offset int, shape, strides []int) bool {
	if !fits(shape) || len(shape) != len(strides) || offset < 0 || offset > length {
		return false
	}
	if slices.Contains(shape, 0) {
		return true
	}
	lowest, highest := big.NewInt(int64(offset)), big.NewInt(int64(offset))
	for axis, stride := range strides {
		span := new(big.Int).Mul(big.NewInt(int64(shape[axis]-1)), big.NewInt(int64(stride)))
		if span.Sign() < 0 {
			lowest.Add(lowest, span)
		} else {
			highest.Add(highest, span)
		}
	}
	return lowest.Sign() >= 0 && highest.Cmp(big.NewInt(int64(length))) < 0
}

const readable = 1 << 12 // elements a fuzz case reads one by one

// FuzzView builds a view of any shape, strides and offset, and applies any
// operations to it. A view is accepted exactly if every element lies inside its
// storage; an operation on it reads what the model of it says.
func FuzzView(f *testing.F) {
	f.Add([]byte{6, 0, 2, 2, 2, 3, 3, 1, 0, 1, 0, 1})        // 2×3
	f.Add([]byte{6, 5, 1, 1, 6, 236, 1, 0, 0, 5, 1})         // backwards
	f.Add([]byte{9, 0, 2, 2, 3, 3, 4, 1, 4})                 // wrong number of strides or out of range
	f.Add([]byte{3, 0, 3, 3, 3, 0, 2, 250, 1, 251, 1, 0, 1}) // empty, wild strides
	f.Add([]byte{1, 0, 2, 2, 255, 255, 0, 0})                // 10^12 elements
	f.Add([]byte{7, 0, 1, 1, 4, 2, 1, 0, 1, 3, 1, 1})
	f.Fuzz(func(t *testing.T, input []byte) {
		c := &choices{input}
		data := storage(c.pick(40))
		offset := c.number()
		shape := c.numbers(c.pick(6))
		strides := c.numbers(len(shape))
		if c.pick(8) == 7 {
			strides = append(strides, 1)
		}
		v, err := NewView(data, offset, shape, strides)
		if want := inside(len(data), offset, shape, strides); (err == nil) != want {
			t.Fatalf("NewView of %d elements, offset %d, shape %v, strides %v: %v, want accepted %v", len(data), offset, shape, strides, err, want)
		}
		if err != nil {
			if !errors.As(err, new(*ShapeError)) || err.Error() == "" {
				t.Fatalf("%v is no ShapeError", err)
			}
			return
		}

		// Operations with any numbers: an error, or a view inside the storage.
		for range 4 {
			var w View
			switch c.pick(4) {
			case 0:
				w, err = v.Transpose(c.number(), c.number())
			case 1:
				w, err = v.Slice(c.number(), c.number(), c.number(), c.number())
			case 2:
				w, err = v.Broadcast(c.numbers(c.pick(7))...)
			case 3:
				w, err = v.Reshape(c.numbers(c.pick(5))...)
			}
			if err != nil {
				if !errors.As(err, new(*ShapeError)) {
					t.Fatalf("%v is no ShapeError", err)
				}
				continue
			}
			if !inside(len(data), w.Offset(), w.Shape(), w.Strides()) {
				t.Fatalf("shape %v, strides %v, offset %d lies outside %d elements", w.Shape(), w.Strides(), w.Offset(), len(data))
			}
			v = w
		}
		if v.Len() > readable {
			return
		}

		// Operations that fit: the model reads the same.
		m := modelOf(v)
		for range 4 {
			if v.Len() > readable {
				return
			}
			v, m = step(t, v, m, c.pick)
			m.check(t, v)
		}
	})
}

// FuzzPlan plans products and reductions of views of any shape. A plan is made
// exactly if the shapes fit, and its operands are the definition's.
func FuzzPlan(f *testing.F) {
	f.Add([]byte{2, 2, 3, 1, 2, 3, 2, 1, 0, 0, 0, 0})
	f.Add([]byte{3, 4, 2, 3, 1, 3, 1, 3, 2, 1, 0, 1, 1, 1, 0})
	f.Add([]byte{2, 3, 2, 0, 2, 4, 3, 2, 1, 1, 2, 0})
	f.Add([]byte{2, 243, 0, 1, 2, 0, 243, 1, 0, 0}) // a large output of empty sums
	f.Add([]byte{1, 3, 0, 0, 1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, input []byte) {
		c := &choices{input}
		operand := func() View {
			shape := c.numbers(c.pick(5))
			if !fits(shape) {
				shape = shape[:0]
			}
			// A row-major view or one with any strides that fit; large shapes
			// repeat one element.
			n, _ := Elements(shape)
			data, strides := storage(1), make([]int, len(shape))
			switch style := c.pick(3); {
			case style == 1 && n <= readable:
				data, strides = storage(n), rowMajor(shape)
			case style == 2 && n <= readable:
				data, strides = storage(n+8), c.numbers(len(shape))
			}
			v, err := NewView(data, 0, shape, strides)
			if err != nil {
				v, err = NewView(data, len(data)/2, shape, make([]int, len(shape)))
			}
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		left, right := operand(), operand()
		transposeLeft, transposeRight := c.pick(2) == 1, c.pick(2) == 1

		p, err := PlanMatmul(left, right, transposeLeft, transposeRight)
		if want := multiplies(left.Shape(), right.Shape(), transposeLeft, transposeRight); (err == nil) != want {
			t.Fatalf("PlanMatmul(%v, %v, %v, %v): %v, want accepted %v", left.Shape(), right.Shape(), transposeLeft, transposeRight, err, want)
		}
		if err != nil {
			if !errors.As(err, new(*ShapeError)) {
				t.Fatalf("%v is no ShapeError", err)
			}
		} else {
			if p.B <= readable && p.M <= readable && p.B*p.K*(p.M+p.N) <= readable && p.B*p.M*p.N*max(p.K, 1) <= readable {
				checkMatmul(t, p, left, right, transposeLeft, transposeRight)
			}
			b, i, j := c.number(), c.number(), c.number()
			if within := b >= 0 && b < p.B && i >= 0 && i < p.M && j >= 0 && j < p.N; !within || p.K <= readable {
				if _, _, err := p.Operands(b, i, j); (err == nil) != within {
					t.Fatalf("cell (%d, %d, %d) of B %d, M %d, N %d: %v", b, i, j, p.B, p.M, p.N, err)
				}
			}
		}

		axis, keepDim := c.number(), c.pick(2) == 1
		a, err := PlanAxis(left, axis, keepDim)
		if want := axis >= 0 && axis < left.Rank(); (err == nil) != want {
			t.Fatalf("PlanAxis(%v, %d): %v, want accepted %v", left.Shape(), axis, err, want)
		}
		if err == nil && left.Len() <= readable && a.G <= readable {
			checkAxis(t, a, left, axis, keepDim)
		}
	})
}

// multiplies decides whether two shapes have a product, operands and output of
// sizes that a tensor may have.
func multiplies(left, right []int, transposeLeft, transposeRight bool) bool {
	if len(left) < 2 || len(right) < 2 {
		return false
	}
	l, r := slices.Clone(left), slices.Clone(right)
	if n := len(l); transposeLeft {
		l[n-1], l[n-2] = l[n-2], l[n-1]
	}
	if n := len(r); transposeRight {
		r[n-1], r[n-2] = r[n-2], r[n-1]
	}
	m, k, k2, n := l[len(l)-2], l[len(l)-1], r[len(r)-2], r[len(r)-1]
	l, r = l[:len(l)-2], r[:len(r)-2]
	for len(l) < len(r) {
		l = slices.Insert(l, 0, 1)
	}
	for len(r) < len(l) {
		r = slices.Insert(r, 0, 1)
	}
	batch := []int{}
	for axis := range l {
		switch {
		case l[axis] == r[axis], r[axis] == 1:
			batch = append(batch, l[axis])
		case l[axis] == 1:
			batch = append(batch, r[axis])
		default:
			return false
		}
	}
	with := func(a, b int) []int { return append(slices.Clone(batch), a, b) }
	return k == k2 && fits(with(m, k)) && fits(with(k, n)) && fits(with(m, n))
}
