package scalar

import "math"

// Tanh returns the hyperbolic tangent of x. Special cases are:
//
//	Tanh(±0) = ±0
//	Tanh(±Inf) = ±1
//	Tanh(NaN) = NaN
func Tanh(x float64) float64 {
	x = float64(x)
	abs := math.Abs(x)
	switch {
	case x != x:
		return nan()
	case abs < 0.125:
		// Taylor polynomial; the coefficients are 2^2k·(2^2k − 1)·B_2k/(2k)! with
		// the Bernoulli numbers (Abramowitz and Stegun 4.5.64). The first term
		// left out is below 2^-65 of x.
		x2 := float64(x * x)
		q := float64(x2*(6404582.0/10854718875)) - 929569.0/638512875
		q = float64(x2*q) + 21844.0/6081075
		q = float64(x2*q) - 1382.0/155925
		q = float64(x2*q) + 62.0/2835
		q = float64(x2*q) - 17.0/315
		q = float64(x2*q) + 2.0/15
		q = float64(x2*q) - 1.0/3
		return math.Copysign(abs+float64(float64(abs*x2)*q), x)
	case abs > 22:
		return math.Copysign(1, x) // 1 − tanh 22 is below 2^-62
	}
	// tanh x = 1 − 2/(e^2x + 1). With t + p = e^2x from the table method, the
	// denominator is dh + dl, and the quotient's error is found from the remainder
	// 2 − q·dh, computed without rounding by splitting both factors.
	t, p, m := expParts(float64(2*abs), 0)
	power := math.Float64frombits(uint64(1023+m) << 52)
	eh := t + p
	el := float64(((t - eh) + p) * power)
	eh = float64(eh * power)
	dh := eh + 1
	dl := (eh - dh) + 1 + el
	q := 2 / dh
	qTop, dTop := head(q), head(dh)
	qRest, dRest := q-qTop, dh-dTop
	rest := 2 - float64(qTop*dTop) - float64(qTop*dRest) - float64(qRest*dTop) - float64(qRest*dRest)
	correction := (rest - float64(q*dl)) / dh
	y := 1 - q
	return math.Copysign(y+((1-y)-q-correction), x)
}
