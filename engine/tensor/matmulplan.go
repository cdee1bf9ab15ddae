package tensor

import "fmt"

// MatmulPlan is a checked product of two views. With the leading axes of both
// broadcast and flattened into B matrices,
//
//	left  [B, M, K] · right [B, K, N] → output [B, M, N]
//
// and the output's cell (b, i, j) has the flat row-major index
// q = (b·M + i)·N + j. A transposed operand is read through exchanged strides:
// nothing is copied until Pack is asked for.
type MatmulPlan struct {
	Batch      []int // broadcast leading axes; B is their product
	B, M, K, N int

	// Left and Right are the operands as the product reads them: transposed
	// where asked and broadcast to Batch, of shape Batch+[M, K] and
	// Batch+[K, N].
	Left, Right View
}

// PlanMatmul checks left · right. Each operand has at least two axes; after the
// transpositions asked for, left's last axis and right's last but one have the
// same length; the leading axes broadcast.
func PlanMatmul(left, right View, transposeLeft, transposeRight bool) (*MatmulPlan, error) {
	fail := func(format string, args ...any) (*MatmulPlan, error) {
		return nil, &ShapeError{Op: "matmul", Left: left.Shape(), Right: right.Shape(), Reason: fmt.Sprintf(format, args...)}
	}
	if left.Rank() < 2 || right.Rank() < 2 {
		return fail("both sides need at least two axes: reshape a vector to [1, K] or [K, 1]")
	}
	l, r := left, right
	if transposeLeft {
		l = l.swapMatrix()
	}
	if transposeRight {
		r = r.swapMatrix()
	}
	lr, rr := l.Rank(), r.Rank()
	m, k := l.shape[lr-2], l.shape[lr-1]
	k2, n := r.shape[rr-2], r.shape[rr-1]
	if k != k2 {
		side := func(transposed bool, name string) string {
			if transposed {
				return "the transposed " + name
			}
			return "the " + name
		}
		return fail("%s side has %s and %s side %s: they must be equal", side(transposeLeft, "left"), plural(k, "column"), side(transposeRight, "right"), plural(k2, "row"))
	}
	batch, err := BroadcastShapes("matmul", l.shape[:lr-2], r.shape[:rr-2])
	if err != nil {
		return fail("leading axes %s and %s do not broadcast", FormatShape(l.shape[:lr-2]), FormatShape(r.shape[:rr-2]))
	}
	b, err := elements("matmul", batch)
	if err != nil {
		return nil, err
	}
	plan := &MatmulPlan{Batch: batch, B: b, M: m, K: k, N: n}
	if plan.Left, err = l.Broadcast(append(clone(batch), m, k)...); err != nil {
		return nil, err
	}
	if plan.Right, err = r.Broadcast(append(clone(batch), k, n)...); err != nil {
		return nil, err
	}
	if _, err := elements("matmul", plan.OutputShape()); err != nil {
		return nil, err
	}
	return plan, nil
}

// region:swap-matrix

// swapMatrix exchanges the last two axes.
func (v View) swapMatrix() View {
	out := v
	out.shape, out.strides = clone(v.shape), clone(v.strides)
	r := len(v.shape)
	out.shape[r-2], out.shape[r-1] = out.shape[r-1], out.shape[r-2]
	out.strides[r-2], out.strides[r-1] = out.strides[r-1], out.strides[r-2]
	return out
}

// endregion:swap-matrix

// OutputShape returns Batch+[M, N].
func (p *MatmulPlan) OutputShape() []int { return append(clone(p.Batch), p.M, p.N) }

// Empty reports that the product needs no arithmetic: it has no cells, or its
// contraction has no terms and every cell is zero.
func (p *MatmulPlan) Empty() bool { return p.B == 0 || p.M == 0 || p.N == 0 || p.K == 0 }

// region:flat

// Flat returns q = (b·M + i)·N + j, the cell's index in the packed output.
func (p *MatmulPlan) Flat(b, i, j int) int { return (b*p.M+i)*p.N + j }

// endregion:flat

// PackLeft copies the left matrices, [B, M, K] row-major, repeats included.
func (p *MatmulPlan) PackLeft() []float64 { return p.Left.Pack().data }

// PackRight copies the right matrices, [B, K, N] row-major, repeats included.
func (p *MatmulPlan) PackRight() []float64 { return p.Right.Pack().data }

// Matrix returns matrix b of the left and of the right side, as views of two
// axes. It is how a device reads operands without packing them.
func (p *MatmulPlan) Matrix(b int) (left, right View) {
	coordinate := Coordinate(p.Batch, b)
	return p.Left.matrixAt(coordinate), p.Right.matrixAt(coordinate)
}

func (v View) matrixAt(batch []int) View {
	out := v
	for axis, c := range batch {
		out.offset += c * v.strides[axis]
	}
	out.shape, out.strides = v.shape[len(batch):], v.strides[len(batch):]
	return out
}

// Operands returns copies of the K left and K right values behind cell
// (b, i, j), in contraction order.
func (p *MatmulPlan) Operands(b, i, j int) (left, right []float64, err error) {
	if b < 0 || b >= p.B || i < 0 || i >= p.M || j < 0 || j >= p.N {
		return nil, nil, &ShapeError{Op: "cell", Left: []int{b, i, j}, Reason: "lies outside the product of shape " + FormatShape([]int{p.B, p.M, p.N})}
	}
	l, r := p.Matrix(b)
	left, right = make([]float64, p.K), make([]float64, p.K)
	for k := range p.K {
		left[k], right[k] = l.At(i, k), r.At(k, j)
	}
	return left, right, nil
}
