package scalar

import (
	"math"
	"math/big"
	"sync"
)

// The oracle computes every function of the package with big.Float, by series
// that share nothing with the code under test. precision leaves more than 150 bits
// after the worst cancellation among the arguments of the tests.
const precision = 320

// trigPrecision holds the 1024 bits before the point of the largest argument.
const trigPrecision = 1024 + precision

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
func integer(n int64) *big.Float  { return new(big.Float).SetPrec(precision).SetInt64(n) }
func add(x, y *big.Float) *big.Float {
	return new(big.Float).SetPrec(max(x.Prec(), y.Prec())).Add(x, y)
}
func sub(x, y *big.Float) *big.Float {
	return new(big.Float).SetPrec(max(x.Prec(), y.Prec())).Sub(x, y)
}
func mul(x, y *big.Float) *big.Float {
	return new(big.Float).SetPrec(max(x.Prec(), y.Prec())).Mul(x, y)
}
func quo(x, y *big.Float) *big.Float {
	return new(big.Float).SetPrec(max(x.Prec(), y.Prec())).Quo(x, y)
}

// negligible says that a term no longer changes a sum.
func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-int(sum.Prec())-2
}

// bigLn2 = 18·atanh(1/26) − 2·atanh(1/4801) + 8·atanh(1/8749).
var bigLn2 = sync.OnceValue(func() *big.Float {
	return add(sub(mul(integer(18), inverseArctangent(26, 1, precision)), mul(integer(2), inverseArctangent(4801, 1, precision))),
		mul(integer(8), inverseArctangent(8749, 1, precision)))
})

// bigPi = 16·atan(1/5) − 4·atan(1/239), Machin's formula.
var bigPi = sync.OnceValue(func() *big.Float {
	return sub(mul(integer(16), inverseArctangent(5, -1, trigPrecision)), mul(integer(4), inverseArctangent(239, -1, trigPrecision)))
})

// inverseArctangent returns atanh(1/n) for sign 1 and atan(1/n) for sign -1:
// Σ sign^k / ((2k+1)·n^(2k+1)).
func inverseArctangent(n, sign int64, prec uint) *big.Float {
	power := new(big.Float).SetPrec(prec).Quo(new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float).SetPrec(prec).SetInt64(n))
	sum := new(big.Float).SetPrec(prec)
	square := new(big.Float).SetPrec(prec).SetInt64(sign * n * n)
	for k := int64(1); ; k += 2 {
		term := quo(power, integer(k))
		if negligible(term, sum) {
			return sum
		}
		sum.Add(sum, term)
		power.Quo(power, square)
	}
}

// bigExp: x = k·ln2 + 2^8·s, then e^s by Taylor, squared eight times.
func bigExp(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return integer(1)
	}
	k, _ := quo(x, bigLn2()).Int64()
	r := sub(x, mul(integer(k), bigLn2()))
	s := new(big.Float).SetMantExp(r, -8)
	sum, term := integer(1), integer(1)
	for n := int64(1); ; n++ {
		term = quo(mul(term, s), integer(n))
		if negligible(term, sum) {
			break
		}
		sum = add(sum, term)
	}
	for range 8 {
		sum = mul(sum, sum)
	}
	return new(big.Float).SetMantExp(sum, int(k))
}

// bigLog solves e^y = x by Halley's iteration, which triples the right digits
// each time, starting from those of a float64.
func bigLog(x *big.Float) *big.Float {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	m, _ := mantissa.Float64()
	if m < 0.7 {
		// Near 1 the exponent must be 0: otherwise ln 2 cancels.
		m *= 2
		mantissa.SetMantExp(mantissa, 1)
		exponent--
	}
	y := number(math.Log(m))
	for range 3 {
		e := bigExp(y)
		y = add(y, mul(integer(2), quo(sub(mantissa, e), add(mantissa, e))))
	}
	return add(y, mul(integer(int64(exponent)), bigLn2()))
}

func bigExp2(x *big.Float) *big.Float { return bigExp(mul(x, bigLn2())) }
func bigLog2(x *big.Float) *big.Float { return quo(bigLog(x), bigLn2()) }

// bigPow needs x > 0.
func bigPow(x, y *big.Float) *big.Float { return bigExp(mul(y, bigLog(x))) }

// bigTanh returns (E − 1)/(E + 1), E = e^2x.
func bigTanh(x *big.Float) *big.Float {
	if x.MantExp(nil) < -80 {
		return sub(x, quo(mul(mul(x, x), x), integer(3)))
	}
	e := bigExp(mul(integer(2), x))
	return quo(sub(e, integer(1)), add(e, integer(1)))
}

// bigSin returns sin(x + quarters·π/2).
func bigSin(x *big.Float, quarters int64) *big.Float {
	half := new(big.Float).SetMantExp(bigPi(), -1)
	wide := new(big.Float).SetPrec(trigPrecision).Set(x)
	turns, _ := new(big.Float).SetPrec(trigPrecision).Quo(wide, half).Int(nil)
	wide.Sub(wide, new(big.Float).SetPrec(trigPrecision).Mul(half, new(big.Float).SetPrec(trigPrecision).SetInt(turns)))
	// Truncation leaves |r| < π/2: the series needs no more.
	r := new(big.Float).SetPrec(precision).Set(wide)
	quarters += new(big.Int).And(turns, big.NewInt(3)).Int64()
	term := new(big.Float).Set(r)
	if quarters&1 == 1 {
		term = integer(1)
	}
	sum := new(big.Float).Set(term)
	square := mul(r, r)
	for n := quarters&1 ^ 1 + 1; ; n += 2 {
		term = quo(mul(term, square), integer(-n*(n+1)))
		if negligible(term, sum) {
			break
		}
		sum = add(sum, term)
	}
	if quarters&2 == 2 {
		return sum.Neg(sum)
	}
	return sum
}

// ulpError is |got − exact| in units of the last place of a float64 of exact's
// size; infinite if got is NaN, or infinite where exact does not round to it.
func ulpError(got float64, exact *big.Float) float64 {
	if math.IsNaN(got) {
		return math.Inf(1)
	}
	if rounded, _ := exact.Float64(); math.IsInf(got, 0) || math.IsInf(rounded, 0) {
		if got == rounded {
			return 0
		}
		return math.Inf(1)
	}
	exponent := max(exact.MantExp(nil)-53, -1074)
	difference := sub(exact, number(got))
	error64, _ := new(big.Float).SetMantExp(difference.Abs(difference), -exponent).Float64()
	return error64
}
