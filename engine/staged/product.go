package staged

import (
	"errors"
	"fmt"
	"math"

	"workbench/engine/device"
)

// Product is a request for out = left · right, as plain data:
//
//	left [B, M, K] · right [B, K, N] → out [B, M, N]
//
// The operands are packed: row-major, without gaps, little-endian, and of the
// precision's element format. A sum is a product with a column of ones that the
// caller makes, [1, G, K] · [1, K, 1], and a mean that with Mean.
type Product struct {
	B, M, K, N int
	Precision  device.Precision
	Contract   device.Contract
	Library    bool // cuBLAS multiplies instead of our own kernel; its contract is Fused
	Mean       bool // our kernel divides by K after the sum, the library scales by 1/K
}

// Sizes returns the bytes of the packed operands and of the result.
func (p Product) Sizes() (left, right, out int, err error) {
	if err := p.check(); err != nil {
		return 0, 0, 0, err
	}
	size := p.Precision.Size()
	var fits [3]bool
	left, fits[0] = times(p.B, p.M, p.K, size)
	right, fits[1] = times(p.B, p.K, p.N, size)
	out, fits[2] = times(p.B, p.M, p.N, size)
	if fits != [3]bool{true, true, true} {
		return 0, 0, 0, fmt.Errorf("the product %s has more bytes than can be counted", p.Shapes())
	}
	return left, right, out, nil
}

// check refuses what is no request of a device.
func (p Product) check() error {
	if p.Precision > device.BFloat16 {
		return fmt.Errorf("%s is not a precision: use one of device.Precisions", p.Precision)
	}
	if p.B < 1 || p.M < 1 || p.K < 1 || p.N < 1 {
		return fmt.Errorf("the product %s is empty: its answer is known without a device's memory, and the device gives it itself", p.Shapes())
	}
	switch {
	case p.Contract != device.Separate && p.Contract != device.Fused:
		return fmt.Errorf("%s is not a contract", p.Contract)
	case p.Library && p.Contract != device.Fused:
		return errors.New("the library multiplies fused and nothing else")
	case p.Library && max(p.B, p.M, p.K, p.N) > math.MaxInt32:
		return fmt.Errorf("the product %s has an extent above %d, which cuBLAS does not take", p.Shapes(), math.MaxInt32)
	}
	return nil
}

// Shapes writes the operands' shapes: [1,2,3]·[1,3,2].
func (p Product) Shapes() string {
	return fmt.Sprintf("[%d,%d,%d]·[%d,%d,%d]", p.B, p.M, p.K, p.B, p.K, p.N)
}

// times returns the product of positive factors, and whether an int holds it.
func times(factors ...int) (int, bool) {
	n := 1
	for _, f := range factors {
		if n > math.MaxInt/f {
			return 0, false
		}
		n *= f
	}
	return n, true
}
