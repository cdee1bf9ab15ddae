package conform

import (
	"math"
	"math/big"
	"slices"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// answer is what the contract says a request returns.
type answer struct {
	shape []int
	cells []float64
	// bound is, for each cell, how far a device may be from it that does not
	// promise the chain's order.
	bound []float64
}

// productAnswer computes left · right cell by cell. It reads the views element
// by element and aligns the leading axes itself.
func productAnswer(p device.Product, contract device.Contract) answer {
	left := operand{p.Left, p.TransposeLeft}
	right := operand{p.Right, p.TransposeRight}
	m, terms := left.matrix()
	_, n := right.matrix()
	lead := broadcast(left.lead(), right.lead())
	out := newAnswer(append(slices.Clone(lead), m, n))
	for b := range newAnswer(lead).cells {
		at := coordinate(lead, b)
		columns := make([][]float64, n)
		for j := range columns {
			for k := range terms {
				columns[j] = append(columns[j], right.at(at, k, j))
			}
		}
		for i := range m {
			var row []float64
			for k := range terms {
				row = append(row, left.at(at, i, k))
			}
			for j, column := range columns {
				q := (b*m+i)*n + j
				out.cells[q], out.bound[q] = cell(row, column, p.Precision, contract, 0)
			}
		}
	}
	return out
}

// reductionAnswer computes the sum of every group as its product with ones, and
// divides it for a mean.
func reductionAnswer(r device.Reduction, contract device.Contract) answer {
	in := r.Input.Shape()
	terms := in[r.Axis]
	var shape []int
	for axis, d := range in {
		switch {
		case axis != r.Axis:
			shape = append(shape, d)
		case r.KeepDim:
			shape = append(shape, 1)
		}
	}
	divisor := 0
	if r.Op == device.Mean {
		divisor = terms
	}
	out := newAnswer(shape)
	a, b := make([]float64, terms), make([]float64, terms)
	for k := range b {
		b[k] = 1
	}
	for q := range out.cells {
		at := coordinate(shape, q)
		from := make([]int, 0, len(in))
		from = append(from, at[:r.Axis]...)
		from = append(from, 0)
		if r.KeepDim {
			from = append(from, at[r.Axis+1:]...)
		} else {
			from = append(from, at[r.Axis:]...)
		}
		for k := range terms {
			from[r.Axis] = k
			a[k] = r.Input.At(from...)
		}
		out.cells[q], out.bound[q] = cell(a, b, r.Precision, contract, divisor)
	}
	return out
}

func newAnswer(shape []int) answer {
	cells := 1
	for _, d := range shape {
		cells *= d
	}
	return answer{shape: shape, cells: make([]float64, cells), bound: make([]float64, cells)}
}

// cell is the chain of one output element, and its bound.
func cell(a, b []float64, p device.Precision, contract device.Contract, divisor int) (value, bound float64) {
	sums := chain(a, b, p, contract)
	last := 0.0
	if len(sums) > 0 {
		last = sums[len(sums)-1]
	}
	if divisor != 0 {
		if p == device.Float64 {
			last /= float64(divisor)
		} else {
			last = float64(float32(last) / float32(divisor))
		}
	}
	value = nearest(last, p)

	magnitude := 0.0 // Σ|a||b| of the finite terms
	for k := range a {
		if x := math.Abs(float64(nearest(a[k], p) * nearest(b[k], p))); !isSpecial(a[k]) && !isSpecial(b[k]) {
			magnitude += x
		}
	}
	unit := 0x1p-24 // half the spacing at 1 of the chain's type
	if p == device.Float64 {
		unit = 0x1p-53
	}
	ku := float64(len(a)) * unit
	apriori := float64(ku / (1 - ku) * magnitude / float64(max(divisor, 1)))
	switch {
	case magnitude > math.MaxFloat64 || p != device.Float64 && magnitude > math.MaxFloat32:
		bound = math.Inf(1) // some orders overflow and others do not
	case p == device.Float64:
		bound = max(1e-10+float64(1e-10*math.Abs(value)), apriori)
	default:
		// Two float32 values that close may round to neighbours in the format.
		bound = apriori + spacing(value, p)
	}
	return value, bound
}

// chain returns the running sums of a cell: K of them, the first after the
// first product, as float64 or as float32 values.
func chain(a, b []float64, p device.Precision, contract device.Contract) []float64 {
	sums := make([]float64, len(a))
	if p == device.Float64 {
		s := 0.0
		for k := range a {
			if contract == device.Fused {
				s = math.FMA(a[k], b[k], s)
			} else {
				s = float64(a[k]*b[k]) + s
			}
			sums[k] = s
		}
		return sums
	}
	s := float32(0)
	for k := range a {
		x, y := float32(nearest(a[k], p)), float32(nearest(b[k], p))
		if contract == device.Fused {
			s = fusedFloat32(x, y, s)
		} else {
			s = float32(x*y) + s
		}
		sums[k] = float64(s)
	}
	return sums
}

// fusedFloat32 is the exact a·b + c rounded once, by way of numbers that are
// long enough to hold it: a product of two float32 values and a third one lie
// between 2⁻²⁹⁸ and 2²⁵⁶.
func fusedFloat32(a, b, c float32) float32 {
	product := float64(float64(a) * float64(b)) // exact
	if product == 0 || isSpecial(product) || isSpecial(float64(c)) {
		return float32(product + float64(c)) // exact, infinite or NaN
	}
	exact := new(big.Float).SetPrec(640)
	exact.Add(big.NewFloat(product), big.NewFloat(float64(c)))
	rounded, _ := exact.Float32()
	return rounded
}

func isSpecial(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) }

// format describes a binary floating-point format narrower than float64.
type format struct {
	digits  int     // significant bits
	minimum int     // exponent of the smallest normal number
	largest float64 // finite value
}

func formatOf(p device.Precision) (f format, narrow bool) {
	switch p {
	case device.Float32:
		return format{24, -126, math.MaxFloat32}, true
	case device.Float16:
		return format{11, -14, 65504}, true
	case device.BFloat16:
		return format{8, -126, 0x1.fep127}, true
	}
	return format{}, false
}

// spacing is the distance from |x| to the next larger value of the format.
func spacing(x float64, p device.Precision) float64 {
	f, ok := formatOf(p)
	if !ok || isSpecial(x) {
		return 0
	}
	exponent := f.minimum
	if x != 0 {
		exponent = max(math.Ilogb(x), f.minimum)
	}
	return math.Ldexp(1, exponent-f.digits+1)
}

// nearest rounds x to the precision's format, ties to even: x in units of the
// format's spacing is rounded to an integer, which is exact but for that one
// rounding.
func nearest(x float64, p device.Precision) float64 {
	f, ok := formatOf(p)
	if !ok || x == 0 || isSpecial(x) {
		return x
	}
	unit := spacing(x, p)
	rounded := math.RoundToEven(x/unit) * unit
	if math.Abs(rounded) > f.largest {
		return math.Copysign(math.Inf(1), x)
	}
	return rounded
}

// operand reads a side of a product.
type operand struct {
	view       tensor.View
	transposed bool
}

// matrix returns the rows and columns the product sees.
func (o operand) matrix() (rows, columns int) {
	rank := o.view.Rank()
	rows, columns = o.view.Dim(rank-2), o.view.Dim(rank-1)
	if o.transposed {
		return columns, rows
	}
	return rows, columns
}

func (o operand) lead() []int { return o.view.Shape()[:o.view.Rank()-2] }

// at reads element (row, column) of the matrix at the leading coordinate of the
// output.
func (o operand) at(lead []int, row, column int) float64 {
	if o.transposed {
		row, column = column, row
	}
	own := o.lead()
	at := make([]int, 0, len(own)+2)
	for axis, d := range own {
		c := lead[len(lead)-len(own)+axis]
		if d == 1 {
			c = 0
		}
		at = append(at, c)
	}
	return o.view.At(append(at, row, column)...)
}

// broadcast returns the leading axes of a product's output; those of the
// operands fit.
func broadcast(left, right []int) []int {
	long, short := left, right
	if len(long) < len(short) {
		long, short = short, long
	}
	out := slices.Clone(long)
	for axis, d := range short {
		if at := len(long) - len(short) + axis; d != 1 {
			out[at] = d
		}
	}
	return out
}

func coordinate(shape []int, flat int) []int {
	at := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		at[axis] = flat % shape[axis]
		flat /= shape[axis]
	}
	return at
}
