package run

import (
	"math"

	"workbench/engine/scalar"
)

// The elementary functions that engine/scalar does not have, in float64. They
// are made of operations whose bits IEEE 754 fixes, and of scalar's functions, so
// that they are the same on every processor; each errs by a few units of its
// last place. A GPU's own differ from these, and from one architecture to the
// next: CUDA promises an error of so many units and no bits.

var (
	pi     = math.Float64frombits(0x400921fb54442d18)
	piLow  = math.Float64frombits(0x3ca1a62633145c07) // π − pi
	ln2    = math.Float64frombits(0x3fe62e42fefa39ef)
	ln10   = math.Float64frombits(0x40026bb1bbb55516)
	inf    = math.Inf(1)
	nan    = math.NaN()
	rootPi = math.Sqrt(pi)
)

func exp10(x float64) float64 {
	if r := math.RoundToEven(x); r == x && math.Abs(x) < 400 {
		return scalar.Pow(10, x)
	}
	return scalar.Pow(10, x)
}

// expm1 and log1p by W. Kahan: the error of 1 + x is undone by dividing by what
// was really added.
func expm1(x float64) float64 {
	u := scalar.Exp(x)
	switch {
	case u == 1:
		return x
	case u-1 == -1:
		return -1
	case math.IsInf(u, 1) || u != u:
		return u
	}
	return (u - 1) * x / scalar.Log(u)
}

func log1p(x float64) float64 {
	u := 1 + x
	switch {
	case u == 1:
		return x
	case !(u > 0) || math.IsInf(u, 1):
		return scalar.Log(u)
	}
	return scalar.Log(u) * x / (u - 1)
}

func log10(x float64) float64 {
	l := scalar.Log(x) / ln10
	// Powers of ten are exact.
	if r := math.RoundToEven(l); math.Abs(l-r) < 1e-13 && r-r == 0 && scalar.Pow(10, r) == x {
		return r
	}
	return l
}

func cbrt(x float64) float64 {
	if x == 0 || x-x != 0 {
		return x
	}
	a := math.Abs(x)
	// Two of Newton's steps from a value that is good already; scaled, so that
	// nothing underflows.
	f, e := math.Frexp(a)
	for e%3 != 0 {
		f, e = f/2, e+1
	}
	y := scalar.Pow(f, 1.0/3)
	y -= (float64(float64(y*y)*y) - f) / float64(3*float64(y*y))
	return math.Copysign(math.Ldexp(y, e/3), x)
}

func tan(x float64) float64 { return scalar.Sin(x) / scalar.Cos(x) }

// turns returns sin(π·x) and cos(π·x): x is taken modulo 2 exactly.
func turns(x float64) (sin, cos float64) {
	if x-x != 0 {
		return nan, nan
	}
	r := math.Mod(x, 2)
	q := math.RoundToEven(r * 2) // quarters of a turn
	a := float64((r - q/2) * pi)
	s, c := scalar.Sin(a), scalar.Cos(a)
	switch int(q) & 3 {
	case 0:
		sin, cos = s, c
	case 1:
		sin, cos = c, -s
	case 2:
		sin, cos = -s, -c
	default:
		sin, cos = -c, s
	}
	if sin == 0 {
		sin = math.Copysign(0, x)
	}
	if cos == 0 {
		cos = 0
	}
	return sin, cos
}

// atan turns x by an angle near its own, and adds what is left over as a
// series.
func atan(x float64) float64 {
	switch {
	case x != x || x == 0:
		return x
	case x == 1:
		return pi / 4
	case x > 1:
		return (pi/2 - atan(1/x)) + piLow/2
	case x < -1:
		return -atan(-x)
	}
	// Within 0.004 of the angle.
	near := float64(x * (pi/4 + float64(0.273*(1-math.Abs(x)))))
	if math.Abs(x) < 1.0/16 {
		near = 0
	}
	s, c := scalar.Sin(near), scalar.Cos(near)
	t := (float64(x*c) - s) / (c + float64(x*s))
	u := float64(t * t)
	sum := 0.0
	for k := 15; k >= 3; k -= 2 {
		sum = float64(u * (1/float64(k) - sum))
	}
	return near + (t - float64(t*sum))
}

func atan2(y, x float64) float64 {
	switch {
	case x != x || y != y:
		return nan
	case y == 0:
		if math.Signbit(x) {
			return math.Copysign(pi, y)
		}
		return math.Copysign(0, y)
	case x == 0:
		return math.Copysign(pi/2, y)
	case math.IsInf(x, 1) && math.IsInf(y, 0):
		return math.Copysign(pi/4, y)
	case math.IsInf(x, -1) && math.IsInf(y, 0):
		return math.Copysign(3*(pi/4), y)
	case math.IsInf(x, 1):
		return math.Copysign(0, y)
	case math.IsInf(x, -1):
		return math.Copysign(pi, y)
	}
	a := atan(math.Abs(y) / math.Abs(x))
	if x < 0 {
		a = (pi - a) + piLow
	}
	return math.Copysign(a, y)
}

func asin(x float64) float64 {
	if !(math.Abs(x) <= 1) {
		return nan
	}
	return atan2(x, math.Sqrt((1-x)*(1+x)))
}

func acos(x float64) float64 {
	if !(math.Abs(x) <= 1) {
		return nan
	}
	return 2 * atan2(math.Sqrt(1-x), math.Sqrt(1+x))
}

func sinh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x == 0 || x-x != 0:
		return x
	case a > 700:
		h := scalar.Exp(a / 2)
		return math.Copysign(float64(h/2)*h, x)
	}
	u := expm1(a)
	return math.Copysign((u+u/(u+1))/2, x)
}

func cosh(x float64) float64 {
	a := math.Abs(x)
	if a > 700 {
		h := scalar.Exp(a / 2)
		return float64(h/2) * h
	}
	u := scalar.Exp(a)
	return u/2 + 1/u/2
}

func asinh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x == 0 || x-x != 0:
		return x
	case a > 1e8:
		return math.Copysign(scalar.Log(a)+ln2, x)
	}
	q := float64(a * a)
	return math.Copysign(log1p(a+q/(1+math.Sqrt(q+1))), x)
}

func acosh(x float64) float64 {
	switch {
	case !(x >= 1):
		return nan
	case x > 1e8:
		return scalar.Log(x) + ln2
	}
	t := x - 1
	return log1p(t + math.Sqrt(float64(2*t)+float64(t*t)))
}

func atanh(x float64) float64 {
	if x == 0 || x != x {
		return x
	}
	a := math.Abs(x)
	return math.Copysign(log1p(2*a/(1-a))/2, x)
}

// norm returns the length of a vector, scaled so that no square overflows.
func norm(x ...float64) float64 {
	most := 0.0
	bad := false
	for _, v := range x {
		if math.IsInf(v, 0) {
			return inf
		}
		bad = bad || v != v
		most = max(most, math.Abs(v))
	}
	if bad {
		return nan
	}
	if most == 0 {
		return 0
	}
	_, e := math.Frexp(most)
	sum := 0.0
	for _, v := range x {
		v = math.Ldexp(v, -e)
		sum += float64(v * v)
	}
	return math.Ldexp(math.Sqrt(sum), e)
}

// ---- the error function ----------------------------------------------------------

// erf up to 1 is a series of positive terms (Abramowitz and Stegun 7.1.6), and 1
// less erfc beyond.
func erf(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return x
	case a > 6:
		return math.Copysign(1, x)
	case a > 1:
		return math.Copysign(1-erfc(a), x)
	}
	term, sum := a, a
	for n := 1; n < 80 && term > sum*1e-18; n++ {
		term = float64(term*float64(2*float64(a*a))) / float64(2*n+1)
		sum += float64(term)
	}
	return math.Copysign(2/rootPi*scalar.Exp(-float64(a*a))*sum, x)
}

func erfc(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < 0.5:
		return 1 - erf(x)
	case x > 27.3:
		return 0
	}
	// e^−x² with the part of x² that a float64 has no room for.
	q := float64(x * x)
	low := math.FMA(x, x, -q)
	return erfcx(x) * float64(scalar.Exp(-q)*(1-low))
}

// erfcx is e^x²·erfc(x): from 0.5 on a continued fraction (Abramowitz and
// Stegun 7.1.14), evaluated from its far end.
func erfcx(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < 0.5:
		// e^x² with the part of x² that a float64 has no room for, unless it is
		// infinite.
		q := float64(x * x)
		if low := math.FMA(x, x, -q); x > -26 {
			return float64(scalar.Exp(q)*(1+low)) * erfc(x)
		}
		return scalar.Exp(q) * erfc(x)
	case x > 1e9:
		return 1 / (x * rootPi)
	}
	terms := int(20 + 400/(x*x))
	f := x
	for k := terms; k > 0; k-- {
		f = x + float64(k)/2/f
	}
	return 1 / float64(f*rootPi)
}

func normcdf(x float64) float64 {
	if !(x < -1) || x < -40 {
		return erfc(-x/math.Sqrt2) / 2
	}
	q := float64(x * x)
	low := math.FMA(x, x, -q)
	return erfcx(-x/math.Sqrt2) / 2 * float64(scalar.Exp(-q/2)*(1-low/2))
}

// erfcinv by Newton's method on erfc, from the leading term of its tail.
func erfcinv(y float64) float64 {
	switch {
	case !(y >= 0 && y <= 2):
		return nan
	case y == 0:
		return inf
	case y == 2:
		return -inf
	case y > 1:
		return -erfcinv(2 - y)
	case y == 1:
		return 0
	}
	if y > 0.5 {
		return erfinv(1 - y)
	}
	l := -scalar.Log(y)
	x := math.Sqrt(max(l-scalar.Log(max(l, 1))/2, 0.2))
	for range 60 {
		// The step of Halley: e = erfc(x) − y over its slope.
		grown := float64(y * scalar.Exp(float64(x*x)))
		if l > 700 { // e^x² alone is too large
			grown = scalar.Exp(float64(x*x) - l)
		}
		e := float64((erfcx(x)-grown)*rootPi) / 2
		step := e / (1 + float64(x*e))
		x += float64(step)
		if math.Abs(step) < math.Abs(x)*1e-16 {
			break
		}
	}
	return x
}

func erfinv(y float64) float64 {
	a := math.Abs(y)
	switch {
	case !(a <= 1):
		return nan
	case a == 1:
		return math.Copysign(inf, y)
	case a > 0.5:
		return math.Copysign(erfcinv(1-a), y)
	}
	x := a * rootPi / 2
	for range 60 {
		e := float64((erf(x) - a) * rootPi / 2 * scalar.Exp(float64(x*x)))
		step := e / (1 + float64(x*e))
		x -= float64(step)
		if math.Abs(step) <= math.Abs(x)*1e-16 {
			break
		}
	}
	return math.Copysign(x, y)
}

func normcdfinv(y float64) float64 { return -math.Sqrt2 * erfcinv(2*y) }

// ---- the gamma function ------------------------------------------------------------

// stirling is ln Γ(x) for x ≥ 10 without the part that grows: its asymptotic
// series (Abramowitz and Stegun 6.1.41).
func stirling(x float64) float64 {
	z := 1 / float64(x*x)
	terms := [...]float64{1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156, -3617.0 / 122400}
	sum := 0.0
	for k := len(terms) - 1; k >= 0; k-- {
		sum = float64(sum*z) + terms[k]
	}
	return sum / x
}

const halfLog2Pi = 0.91893853320467274178

// zetas are (ζ(k) − 1)/k for k from 2, with the sign of (−1)^k.
var zetas = [...]float64{
	0.3224670334241132, -0.0673523010531981, 0.020580808427784546, -0.007385551028673986,
	0.0028905103307415234, -0.001192753911703261, 0.0005096695247430425, -0.00022315475845357939,
	9.945751278180853e-05, -4.492623673813314e-05, 2.050721277567069e-05, -9.439488275268397e-06,
	4.374866789907488e-06, -2.039215753801366e-06, 9.55141213040742e-07, -4.492469198764566e-07,
	2.1207184805554665e-07, -1.0043224823968099e-07, 4.7698101693639804e-08, -2.2711094608943164e-08,
	1.0838659214896955e-08, -5.183475041970047e-09, 2.4836745438024785e-09, -1.1921401405860912e-09,
	5.731367241678862e-10, -2.7595228851242334e-10, 1.330476437424449e-10, -6.4229645638381e-11,
	3.1044247747322276e-11, -1.5021384080754142e-11, 7.275974480239079e-12, -3.527742476575915e-12,
	1.711991790559618e-12, -8.315385841420285e-13, 4.04220052528944e-13, -1.9664756310966165e-13,
}

const oneMinusEuler = 0.42278433509846713939

// nearTwo is ln Γ(2+z) for |z| up to ½ (Abramowitz and Stegun 6.1.33).
func nearTwo(z float64) float64 {
	sum := 0.0
	for k := len(zetas) - 1; k >= 0; k-- {
		sum = float64((sum + zetas[k]) * z)
	}
	return float64((sum + oneMinusEuler) * z)
}

func lgamma(x float64) float64 {
	switch {
	case x != x:
		return x
	case math.IsInf(x, 0):
		return inf
	case x <= 0 && x == math.Floor(x):
		return inf
	case x < 0 && x > -1e-300:
		return -scalar.Log(-x)
	case x < 0:
		// The reflection: Γ(x)·Γ(1−x) = π / sin πx.
		s, _ := turns(x)
		return scalar.Log(pi/math.Abs(s)) - lgamma(1-x)
	case x < 0.5:
		return nearTwo(x) - log1p(x) - scalar.Log(x)
	case x < 1.5:
		return nearTwo(x-1) - log1p(x-1)
	case x < 2.5:
		return nearTwo(x - 2)
	case x < 16:
		return scalar.Log(tgamma(x))
	}
	return float64((x-0.5)*(scalar.Log(x)-1)) - 0.5 + halfLog2Pi + stirling(x)
}

func tgamma(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x == 0:
		return math.Copysign(inf, x)
	case math.IsInf(x, -1) || x < 0 && x == math.Floor(x):
		return nan
	case x > 172:
		return inf
	case x < -190:
		s, _ := turns(x)
		return math.Copysign(0, s)
	case x < 0.5:
		s, _ := turns(x)
		return pi / float64(s*tgamma(1-x))
	}
	if x < 16 {
		// Down to where nearTwo holds, by Γ(x) = (x−1)·Γ(x−1).
		product := 1.0
		for x >= 2.5 {
			x--
			product = float64(product * x)
		}
		if x == 2 || x == 1 {
			return product
		}
		if x < 1.5 {
			return product / x * scalar.Exp(nearTwo(x-1))
		}
		return product * scalar.Exp(nearTwo(x-2))
	}
	// x^(x−½)·e^−x in two halves, neither of which overflows.
	p := scalar.Pow(x, (x-0.5)/2)
	g := float64(float64(p*scalar.Exp(-x)) * p)
	return float64(math.Sqrt(2*pi)*g) * scalar.Exp(stirling(x))
}
