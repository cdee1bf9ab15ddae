package conform

import (
	"math"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

var (
	inf     = math.Inf(1)
	nan     = math.NaN()
	minus0  = math.Copysign(0, -1)
	tiny    = map[device.Precision]float64{device.Float64: 0x1p-1074, device.Float32: 0x1p-149, device.Float16: 0x1p-24, device.BFloat16: 0x1p-133}
	largest = map[device.Precision]float64{device.Float64: math.MaxFloat64, device.Float32: math.MaxFloat32, device.Float16: 65504, device.BFloat16: 0x1.fep127}
	// digits are the significant bits of each format.
	digits = map[device.Precision]int{device.Float64: 53, device.Float32: 24, device.Float16: 11, device.BFloat16: 8}
)

// valueCases are products whose values are the point: infinities, NaNs, zeros
// of both signs, subnormal numbers, and ties of the rounding.
func valueCases() []Case {
	pair := func(left, right tensor.View) func(source) device.Product {
		return func(source) device.Product { return device.Product{Left: left, Right: right} }
	}
	var cases []Case
	for _, p := range device.Precisions {
		ulp := math.Ldexp(1, 1-digits[p]) // from 1 to the next value
		small, large := tiny[p], largest[p]
		big := 0x1p13 // 2 is lost beside its square, 2²⁶, in a float32 chain
		if p == device.Float64 {
			big = 0x1p28
		}
		for _, c := range []struct {
			name        string
			left, right tensor.View
		}{
			{"zero times NaN", row(0, 1), column(nan, 2)},
			{"NaN times zero", row(nan, 1), column(0, 2)},
			{"zero times infinity", row(0, 1), column(inf, 2)},
			{"infinity times zero", row(1, -inf), column(2, 0)},
			{"infinities that cancel", row(inf, 1, -inf), column(1, 1, 1)},
			{"an infinity stays", row(1, inf, -3), column(2, 5, 7)},
			{"a negative infinity", row(1, inf, -3), column(2, -5, 7)},
			{"a NaN stays", row(1, nan, -3), column(2, 5, 7)},
			{"a NaN in its own cells", rows([]float64{1, 2}, []float64{nan, 3}, []float64{4, 5}), rows([]float64{6, inf}, []float64{7, 8})},
			{"negative zero becomes zero", row(minus0), column(1)},
			{"negative zeros become zero", row(minus0, 0, -1), column(1, minus0, 0)},
			{"a difference of equals", row(3, -3), column(5, 5)},
			{"subnormal operands", row(small, 3*small, -5*small), column(1, 7, 2)},
			{"subnormal sum", row(small, small), column(3, -2)},
			{"products that underflow", row(small, -small, small), column(0.5, 0.5, 0.25)},
			{"a tie of the smallest", row(small, small), column(1.5, 1)},
			{"the largest value", row(large), column(1)},
			{"overflow of the sum", row(large, large), column(1, 1)},
			{"overflow below zero", row(-large, -large), column(1, 1)},
			{"overflow that cancels too late", row(large, large, -large), column(1, 1, 1)},
			{"overflow of a product", row(large), column(2)},
			{"an operand halfway to overflow", row(large + 0.5*ulp*math.Ldexp(1, math.Ilogb(large))), column(1)},
			{"an operand just below halfway", row(math.Nextafter(large+0.5*ulp*math.Ldexp(1, math.Ilogb(large)), 0)), column(1)},
			{"a tie to even below", row(1, 1), column(1, ulp/2)},
			{"a tie to even above", row(1, 1), column(1+ulp, ulp/2)},
			{"an operand that is a tie", row(1 + ulp/2), column(1)},
			{"an operand just above a tie", row(1 + ulp/2 + 0x1p-52), column(1)},
			{"an operand just above an odd tie", row(1 + ulp + ulp/2 - 0x1p-52), column(1)},
			{"an operand half the smallest", row(small / 2), column(1)},
			{"an operand above half the smallest", row(0.75 * small), column(1)},
			{"cancelled, then added", row(big, -big, 1), column(big, big, 2)},
			{"added, then cancelled", row(2, -big, big), column(1, big, big)},
			{"lost between", row(big, 2, -big), column(big, 1, big)},
			{"order of three", row(1, ulp/2, ulp/2), column(1, 1, 1)},
			{"order of three, reversed", row(ulp/2, ulp/2, 1), column(1, 1, 1)},
		} {
			cases = append(cases, product("values/"+c.name, p, pair(c.left, c.right)))
		}

		// What tells the contracts apart. The product of two float16 values is
		// always exact in float32, so in float16 nothing does.
		if p == device.Float64 || p == device.Float32 {
			// (1+ε)·(1−ε) = 1−ε² is 1 once rounded.
			e := math.Ldexp(1, -digits[p]/2-1)
			cases = append(cases, product("values/contract", p, pair(row(-1, 1+e), column(1, 1-e))))
		}
		if p != device.Float16 {
			// 2·x overflows, but 2·x − x does not.
			x := math.Ldexp(1, math.Ilogb(large))
			cases = append(cases, product("values/contract at overflow", p, pair(row(-1, 2), column(x, x))))
		}

		// Rows that meet every special value at every place of a vector
		// register and of the tail behind the last one.
		for _, special := range []struct {
			name  string
			value float64
		}{{"NaN", nan}, {"infinity", inf}, {"negative zero", minus0}, {"smallest", small}, {"largest", large}} {
			cases = append(cases, product("values/everywhere/"+special.name, p, func(s source) device.Product {
				left, right := dense(s.ordinary, 19, 6), dense(s.ordinary, 6, 53)
				for i := range 19 {
					value := special.value
					if i%2 == 1 {
						value = 0
					}
					left.Storage()[left.Index(i, i%6)] = value
				}
				for j := 0; j < 53; j += 3 {
					right.Storage()[right.Index(j%6, j)] = special.value
					right.Storage()[right.Index((j+2)%6, j)] = minus0
				}
				return device.Product{Left: left, Right: right}
			}))
		}
	}
	return cases
}
