package session

import (
	"errors"
	"fmt"
	"math"

	"workbench/engine/cuda/nvidia"
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

// format returns the elements' format.
func (p Product) format() (nvidia.Type, error) {
	switch p.Precision {
	case device.Float64:
		return nvidia.Float64, nil
	case device.Float32:
		return nvidia.Float32, nil
	case device.Float16:
		return nvidia.Float16, nil
	case device.BFloat16:
		return nvidia.BFloat16, nil
	}
	return 0, fmt.Errorf("%s is not a precision: use one of device.Precisions", p.Precision)
}

// Sizes returns the bytes of the packed operands and of the result.
func (p Product) Sizes() (left, right, out int, err error) {
	if err := p.check(); err != nil {
		return 0, 0, 0, err
	}
	format, _ := p.format()
	var fits [3]bool
	left, fits[0] = times(p.B, p.M, p.K, format.Size())
	right, fits[1] = times(p.B, p.K, p.N, format.Size())
	out, fits[2] = times(p.B, p.M, p.N, format.Size())
	if fits != [3]bool{true, true, true} {
		return 0, 0, 0, fmt.Errorf("the product %s has more bytes than can be counted", p.shapes())
	}
	return left, right, out, nil
}

// check refuses what is no request of a GPU.
func (p Product) check() error {
	if _, err := p.format(); err != nil {
		return err
	}
	if p.B < 1 || p.M < 1 || p.K < 1 || p.N < 1 {
		return fmt.Errorf("the product %s is empty: its answer is known without a GPU, and a device gives it itself", p.shapes())
	}
	switch {
	case p.Contract != device.Separate && p.Contract != device.Fused:
		return fmt.Errorf("%s is not a contract", p.Contract)
	case p.Library && p.Contract != device.Fused:
		return errors.New("the library multiplies fused and nothing else")
	case p.Library && max(p.B, p.M, p.K, p.N) > math.MaxInt32:
		return fmt.Errorf("the product %s has an extent above %d, which cuBLAS does not take", p.shapes(), math.MaxInt32)
	}
	return nil
}

func (p Product) shapes() string {
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
