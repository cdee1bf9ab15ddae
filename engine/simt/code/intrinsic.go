package code

import (
	"slices"

	"workbench/engine/simt/types"
)

// Signature is what an intrinsic takes and gives. A Void stands for the type
// of the overload.
type Signature struct {
	Types   []types.Scalar // of the overloads
	Args    []types.Scalar
	Results []types.Scalar
}

const self = types.Void

var (
	floats   = []types.Scalar{types.F32, types.F64}
	single   = []types.Scalar{types.F32}
	halves   = []types.Scalar{types.F16, types.BF16}
	words    = []types.Scalar{types.U32, types.U64}
	word     = []types.Scalar{types.U32}
	one      = []types.Scalar{self}
	two      = []types.Scalar{self, self}
	three    = []types.Scalar{self, self, self}
	toInt    = []types.Scalar{types.I32}
	toU32    = []types.Scalar{types.U32}
	withInt  = []types.Scalar{self, types.I32}
	fourOf   = []types.Scalar{self, self, self, self}
	anyFloat = []types.Scalar{types.F16, types.BF16, types.F32, types.F64}
)

// Intrinsics are the functions that an Intrinsic may name.
//
// The elementary functions are those of C's math.h and of CUDA's, without the f
// at the end that C puts there for float: the overload says it. A fast_ before
// one stands for CUDA's two underscores: fast_exp is __expf. An intrinsic is not
// a MulAdd or one of the operations of Unary, Binary, FMA, whose C names are
// those: fmaf, fminf, fabsf, __fdiv_rn.
var Intrinsics = map[string]Signature{
	// Elementary functions.
	"sqrt": {anyFloat, one, one}, "rsqrt": {anyFloat, one, one}, "cbrt": {floats, one, one}, "rcbrt": {floats, one, one},
	"exp": {floats, one, one}, "exp2": {floats, one, one}, "exp10": {floats, one, one}, "expm1": {floats, one, one},
	"log": {floats, one, one}, "log2": {floats, one, one}, "log10": {floats, one, one}, "log1p": {floats, one, one},
	"logb": {floats, one, one}, "ilogb": {floats, one, toInt},
	"sin": {floats, one, one}, "cos": {floats, one, one}, "tan": {floats, one, one}, "sincos": {floats, one, two},
	"sinpi": {floats, one, one}, "cospi": {floats, one, one}, "sincospi": {floats, one, two},
	"asin": {floats, one, one}, "acos": {floats, one, one}, "atan": {floats, one, one}, "atan2": {floats, two, one},
	"sinh": {floats, one, one}, "cosh": {floats, one, one}, "tanh": {floats, one, one},
	"asinh": {floats, one, one}, "acosh": {floats, one, one}, "atanh": {floats, one, one},
	"pow": {floats, two, one}, "hypot": {floats, two, one}, "rhypot": {floats, two, one},
	"norm3d": {floats, three, one}, "rnorm3d": {floats, three, one}, "norm4d": {floats, fourOf, one}, "rnorm4d": {floats, fourOf, one},
	"erf": {floats, one, one}, "erfc": {floats, one, one}, "erfinv": {floats, one, one}, "erfcinv": {floats, one, one}, "erfcx": {floats, one, one},
	"normcdf": {floats, one, one}, "normcdfinv": {floats, one, one},
	"tgamma": {floats, one, one}, "lgamma": {floats, one, one},

	// To integers, and the parts of a number.
	"ceil": {anyFloat, one, one}, "floor": {anyFloat, one, one}, "trunc": {anyFloat, one, one}, "round": {floats, one, one}, "rint": {anyFloat, one, one},
	"fmod": {floats, two, one}, "remainder": {floats, two, one}, "fdim": {floats, two, one}, "copysign": {floats, two, one}, "nextafter": {floats, two, one},
	"frexp": {floats, one, []types.Scalar{self, types.I32}}, "modf": {floats, one, two}, "remquo": {floats, two, []types.Scalar{self, types.I32}},
	"ldexp": {floats, withInt, one}, "saturate": {anyFloat, one, one},

	// With a rounding that is not to nearest.
	"add_rz": {floats, two, one}, "add_rd": {floats, two, one}, "add_ru": {floats, two, one},
	"mul_rz": {floats, two, one}, "mul_rd": {floats, two, one}, "mul_ru": {floats, two, one},
	"div_rz": {floats, two, one}, "div_rd": {floats, two, one}, "div_ru": {floats, two, one},
	"fma_rz": {floats, three, one}, "fma_rd": {floats, three, one}, "fma_ru": {floats, three, one},
	"sqrt_rz": {floats, one, one}, "sqrt_rd": {floats, one, one}, "sqrt_ru": {floats, one, one},

	// Approximations: a GPU's bits are its own.
	"fast_exp": {single, one, one}, "fast_exp10": {single, one, one}, "fast_log": {single, one, one}, "fast_log2": {single, one, one}, "fast_log10": {single, one, one},
	"fast_sin": {single, one, one}, "fast_cos": {single, one, one}, "fast_tan": {single, one, one}, "fast_sincos": {single, one, two}, "fast_tanh": {single, one, one},
	"fast_pow": {single, two, one}, "fast_divide": {single, two, one}, "fast_rcp": {single, one, one},
	"half_exp": {halves, one, one}, "half_log": {halves, one, one}, "half_sin": {halves, one, one}, "half_cos": {halves, one, one}, "half_tanh": {halves, one, one}, "half_exp2": {halves, one, one}, "half_log2": {halves, one, one}, "half_exp10": {halves, one, one}, "half_log10": {halves, one, one}, "half_rcp": {halves, one, one},

	// Bits of integers. ffs counts from 1, 0 for none; clz of 0 is the width.
	"popc": {words, one, toInt}, "clz": {words, one, toInt}, "ffs": {words, one, toInt}, "brev": {words, one, one},
	"byte_perm": {word, three, one}, "funnel_l": {word, three, one}, "funnel_r": {word, three, one}, "funnel_lc": {word, three, one}, "funnel_rc": {word, three, one},
	"fns": {word, []types.Scalar{types.U32, types.U32, types.I32}, toU32}, "nanosleep": {word, one, nil},

	// Products and sums of integers.
	"mul24": {[]types.Scalar{types.I32, types.U32}, two, one}, "sad": {[]types.Scalar{types.I32, types.U32}, []types.Scalar{self, self, types.U32}, toU32},
	"hadd": {[]types.Scalar{types.I32, types.U32}, two, one}, "rhadd": {[]types.Scalar{types.I32, types.U32}, two, one},
	"dp4a": {[]types.Scalar{types.I32, types.U32}, three, one}, "dp2a_lo": {[]types.Scalar{types.I32, types.U32}, three, one}, "dp2a_hi": {[]types.Scalar{types.I32, types.U32}, three, one},

	// What memory a pointer points into: cvta and isspacep.
	"is_global": {[]types.Scalar{types.Ptr}, one, []types.Scalar{types.Pred}}, "is_shared": {[]types.Scalar{types.Ptr}, one, []types.Scalar{types.Pred}},
	"is_local": {[]types.Scalar{types.Ptr}, one, []types.Scalar{types.Pred}}, "is_constant": {[]types.Scalar{types.Ptr}, one, []types.Scalar{types.Pred}},
}

// of returns the types of a list with the overload's in place of Void.
func of(list []types.Scalar, overload types.Scalar) []types.Scalar {
	out := slices.Clone(list)
	for i := range out {
		if out[i] == self {
			out[i] = overload
		}
	}
	return out
}
