package run

import (
	"math"
	"strings"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// Arithmetic that rounds in a given direction: __fadd_rz and its like. The
// nearest result is found first, and how the exact one lies to it from the error
// that was made, which is a number of the format itself (for a sum D. E. Knuth,
// TAOCP 2, §4.2.2; for the others by a fused multiply-add).

// directedOf returns the intrinsic of a name such as add_rz, or nil.
func directedOf(name string, t types.Scalar) native {
	op, mode, ok := strings.Cut(name, "_")
	if !ok {
		return nil
	}
	r, ok := map[string]code.Rounding{"rz": code.ToZero, "rd": code.Down, "ru": code.Up}[mode]
	if !ok {
		return nil
	}
	if t == types.F32 {
		// In float64, rounded to odd, there is all that a float32 needs to know.
		var f func(x, y, z float64) float64
		switch op {
		case "add":
			f = func(x, y, _ float64) float64 { return exactZero(odd(x, y), x, y, r) }
		case "mul":
			f = func(x, y, _ float64) float64 { return float64(x * y) }
		case "div":
			f = func(x, y, _ float64) float64 { return toOdd(x/y, quotientError(x, y)) }
		case "sqrt":
			f = func(x, _, _ float64) float64 { return toOdd(math.Sqrt(x), rootError(x)) }
		default:
			f = func(x, y, z float64) float64 {
				p := float64(x * y)
				return exactZero(odd(p, z), p, z, r)
			}
		}
		return func(a *[4]uint64, out *[2]uint64) {
			out[0] = bits32(toFloat32(f(float64(f32(a[0])), float64(f32(a[1])), float64(f32(a[2]))), r))
		}
	}
	return func(a *[4]uint64, out *[2]uint64) {
		x, y, z := f64(a[0]), f64(a[1]), f64(a[2])
		var near, low float64 // low has the sign of exact − near
		switch op {
		case "add":
			near, low = x+y, sumError(x, y)
			near = exactZero(near, x, y, r)
		case "mul":
			near, low = float64(x*y), productError(x, y, 0)
		case "div":
			near, low = x/y, quotientError(x, y)
		case "sqrt":
			near, low = math.Sqrt(x), rootError(x)
		default:
			near, low = math.FMA(x, y, z), productError(x, y, z)
			if z != 0 || x != 0 && y != 0 {
				near = exactZero(near, float64(x*y), z, r)
			}
		}
		out[0] = bits64(step(near, low, r, finite(x, y, z)))
	}
}

func finite(x ...float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// exactZero gives a sum that is 0 the sign it has where one rounds down.
func exactZero(sum, x, y float64, r code.Rounding) float64 {
	if sum == 0 && r == code.Down && (math.Signbit(x) || math.Signbit(y)) {
		return math.Copysign(0, -1)
	}
	return sum
}

// step returns the neighbour of near that r asks for.
func step(near, low float64, r code.Rounding, finite bool) float64 {
	if near != near {
		return near
	}
	if math.IsInf(near, 0) {
		if !finite {
			return near
		}
		low = -near // an overflow
	}
	switch {
	case low < 0 && (r == code.Down || r == code.ToZero && near > 0):
		return math.Nextafter(near, -inf)
	case low > 0 && (r == code.Up || r == code.ToZero && near < 0):
		return math.Nextafter(near, inf)
	}
	return near
}

// toOdd makes an inexact number one whose last bit is set.
func toOdd(near, low float64) float64 {
	pattern := math.Float64bits(near)
	if near-near != 0 || low == 0 || low != low || pattern&1 != 0 {
		return near
	}
	if near == 0 || (low > 0) == (near > 0) {
		return math.Float64frombits(pattern + 1)
	}
	return math.Float64frombits(pattern - 1)
}

// sumError returns x + y − (x ⊕ y).
func sumError(x, y float64) float64 {
	s := x + y
	part := s - x
	return (x - (s - part)) + (y - part)
}

// quotientError returns a number of the sign of x/y − (x ⊘ y).
func quotientError(x, y float64) float64 {
	q := x / y
	if q-q != 0 || y-y != 0 {
		return 0
	}
	// Scaled so that the remainder does not underflow.
	_, ex := math.Frexp(x)
	_, ey := math.Frexp(y)
	x, y, q = math.Ldexp(x, -ex), math.Ldexp(y, -ey), math.Ldexp(q, ey-ex)
	return float64(math.FMA(-q, y, x) * math.Copysign(1, y))
}

// rootError returns a number of the sign of √x − the nearest.
func rootError(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return 0
	}
	s := math.Sqrt(x)
	_, e := math.Frexp(x)
	e &^= 1
	return math.FMA(-math.Ldexp(s, -e/2), math.Ldexp(s, -e/2), math.Ldexp(x, -e))
}

// productError returns a number of the sign of x·y + z − the nearest: of the sum
// of four numbers without any rounding (J. R. Shewchuk, "Adaptive precision
// floating-point arithmetic", DCG 18, 1997, §2.3: expansions).
func productError(x, y, z float64) float64 {
	near := math.FMA(x, y, z)
	if near-near != 0 {
		return 0
	}
	// Scaled: the error of the product must not underflow. Where z is too large
	// for the scale, the product is far below its last place.
	scale := 0
	if x != 0 && y != 0 {
		_, ex := math.Frexp(x)
		_, ey := math.Frexp(y)
		if ex+ey < -1090 {
			return float64(math.Copysign(1, x) * math.Copysign(1, y)) // far below any last place
		}
		if ex+ey < -900 {
			scale = 600
			if _, ez := math.Frexp(z); z != 0 && ez > 400 {
				return float64(math.Copysign(1, x) * math.Copysign(1, y))
			}
			if ex < ey {
				x = math.Ldexp(x, scale)
			} else {
				y = math.Ldexp(y, scale)
			}
			z, near = math.Ldexp(z, scale), math.Ldexp(near, scale)
		}
	}
	p := float64(x * y)
	if math.IsInf(p, 0) { // and z takes it back
		x, z, near = math.Ldexp(x, -80), math.Ldexp(z, -80), math.Ldexp(near, -80)
		p = float64(x * y)
	}
	terms := []float64{math.FMA(x, y, -p), p, -near, z}
	var sum []float64 // from the least
	for _, t := range terms {
		var next []float64
		for _, s := range sum {
			low := sumError(t, s)
			t += s
			if low != 0 {
				next = append(next, low)
			}
		}
		sum = next
		if t != 0 {
			sum = append(sum, t)
		}
	}
	if len(sum) == 0 {
		return 0
	}
	return sum[len(sum)-1]
}
