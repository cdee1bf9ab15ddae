package cpu

import (
	"math"

	"workbench/engine/scalar"
)

// portable is the tier in Go alone. A tile of 2×4 keeps its eight sums and what
// multiplies them in the sixteen registers that every 64-bit processor has;
// larger ones spill.
var portable = &tier{
	name:    "portable",
	float64: tile[float64]{rows: 2, columns: 4, separate: separate64Portable, fused: fused64Portable},
	float32: tile[float32]{rows: 2, columns: 4, separate: separate32Portable, fused: fused32Portable},
}

func separate64Portable(k int, a, b []float64, step int, c []float64, stride int) {
	upper, lower := c[:4:4], c[stride:stride+4:stride+4]
	s00, s01, s02, s03 := upper[0], upper[1], upper[2], upper[3]
	s10, s11, s12, s13 := lower[0], lower[1], lower[2], lower[3]
	for {
		a0, a1 := a[0], a[1]
		b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
		s00 = float64(a0*b0) + s00
		s01 = float64(a0*b1) + s01
		s02 = float64(a0*b2) + s02
		s03 = float64(a0*b3) + s03
		s10 = float64(a1*b0) + s10
		s11 = float64(a1*b1) + s11
		s12 = float64(a1*b2) + s12
		s13 = float64(a1*b3) + s13
		if k--; k == 0 {
			break
		}
		a, b = a[2:], b[step:]
	}
	upper[0], upper[1], upper[2], upper[3] = s00, s01, s02, s03
	lower[0], lower[1], lower[2], lower[3] = s10, s11, s12, s13
}

func fused64Portable(k int, a, b []float64, step int, c []float64, stride int) {
	upper, lower := c[:4:4], c[stride:stride+4:stride+4]
	s00, s01, s02, s03 := upper[0], upper[1], upper[2], upper[3]
	s10, s11, s12, s13 := lower[0], lower[1], lower[2], lower[3]
	for {
		a0, a1 := a[0], a[1]
		b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
		s00 = math.FMA(a0, b0, s00)
		s01 = math.FMA(a0, b1, s01)
		s02 = math.FMA(a0, b2, s02)
		s03 = math.FMA(a0, b3, s03)
		s10 = math.FMA(a1, b0, s10)
		s11 = math.FMA(a1, b1, s11)
		s12 = math.FMA(a1, b2, s12)
		s13 = math.FMA(a1, b3, s13)
		if k--; k == 0 {
			break
		}
		a, b = a[2:], b[step:]
	}
	upper[0], upper[1], upper[2], upper[3] = s00, s01, s02, s03
	lower[0], lower[1], lower[2], lower[3] = s10, s11, s12, s13
}

func separate32Portable(k int, a, b []float32, step int, c []float32, stride int) {
	upper, lower := c[:4:4], c[stride:stride+4:stride+4]
	s00, s01, s02, s03 := upper[0], upper[1], upper[2], upper[3]
	s10, s11, s12, s13 := lower[0], lower[1], lower[2], lower[3]
	for {
		a0, a1 := a[0], a[1]
		b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
		s00 = float32(a0*b0) + s00
		s01 = float32(a0*b1) + s01
		s02 = float32(a0*b2) + s02
		s03 = float32(a0*b3) + s03
		s10 = float32(a1*b0) + s10
		s11 = float32(a1*b1) + s11
		s12 = float32(a1*b2) + s12
		s13 = float32(a1*b3) + s13
		if k--; k == 0 {
			break
		}
		a, b = a[2:], b[step:]
	}
	upper[0], upper[1], upper[2], upper[3] = s00, s01, s02, s03
	lower[0], lower[1], lower[2], lower[3] = s10, s11, s12, s13
}

// The language has no fused step in float32: each is a dozen float64
// operations, and there is nothing to gain from registers.
func fused32Portable(k int, a, b []float32, step int, c []float32, stride int) {
	for t := range k {
		for i, x := range a[2*t : 2*t+2] {
			sums := c[i*stride : i*stride+4]
			for j, y := range b[t*step : t*step+4] {
				sums[j] = scalar.FMA32(x, y, sums[j])
			}
		}
	}
}
