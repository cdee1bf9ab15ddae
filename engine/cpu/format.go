package cpu

import "workbench/engine/device"

// arithmetic is how a chain is rounded: everything about a request that is not
// its shape.
type arithmetic struct {
	precision device.Precision
	contract  device.Contract
	divisor   int // of a mean; 0 for a product or a sum
}

// half reports whether the format is narrower than the chain's float32.
func (a arithmetic) half() bool {
	return a.precision == device.Float16 || a.precision == device.BFloat16
}

// operand returns the rounding of an operand on its way into a chain that runs
// in float32. Both half formats are subsets of float32, so only the first
// rounding can change a value.
func (a arithmetic) operand() func(float64) float32 {
	if !a.half() {
		return func(x float64) float32 { return float32(x) }
	}
	round := a.precision.Rounding()
	return func(x float64) float32 { return float32(round(x)) }
}

// result returns what becomes of a float32 chain's last sum: divided for a
// mean, then rounded to the precision's format.
func (a arithmetic) result() func(float32) float64 {
	if !a.half() {
		return func(s float32) float64 { return float64(quotient(a, s)) }
	}
	round := a.precision.Rounding()
	return func(s float32) float64 { return round(float64(quotient(a, s))) }
}

// quotient divides the last sum of a mean's chain, in the chain's own type. Any
// other sum it returns as it is.
func quotient[T float32 | float64](a arithmetic, sum T) T {
	if a.divisor == 0 {
		return sum
	}
	return sum / T(a.divisor)
}
