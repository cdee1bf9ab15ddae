package run

import (
	"math"
	"math/bits"

	"workbench/engine/scalar"
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// native is an intrinsic for one lane: the bits of its arguments, and of its
// results.
type native func(a *[4]uint64, r *[2]uint64)

// real1 … are functions of float64, of which those of the narrower types are
// rounded once.
var real1 = map[string]func(x float64) float64{
	"sqrt": math.Sqrt, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
	"cbrt": cbrt, "rcbrt": func(x float64) float64 { return 1 / cbrt(x) },
	"exp": scalar.Exp, "exp2": scalar.Exp2, "exp10": exp10, "expm1": expm1,
	"log": scalar.Log, "log2": scalar.Log2, "log10": log10, "log1p": log1p, "logb": math.Logb,
	"sin": scalar.Sin, "cos": scalar.Cos, "tan": tan,
	"sinpi": func(x float64) float64 { s, _ := turns(x); return s },
	"cospi": func(x float64) float64 { _, c := turns(x); return c },
	"asin":  asin, "acos": acos, "atan": atan,
	"sinh": sinh, "cosh": cosh, "tanh": scalar.Tanh, "asinh": asinh, "acosh": acosh, "atanh": atanh,
	"erf": erf, "erfc": erfc, "erfcx": erfcx, "erfinv": erfinv, "erfcinv": erfcinv, "normcdf": normcdf, "normcdfinv": normcdfinv,
	"tgamma": tgamma, "lgamma": lgamma,
	"ceil": math.Ceil, "floor": math.Floor, "trunc": math.Trunc, "round": math.Round, "rint": math.RoundToEven,
	"saturate": func(x float64) float64 { return least(most(x, 0), 1) },
}

var real2 = map[string]func(x, y float64) float64{
	"atan2": atan2, "pow": scalar.Pow,
	"hypot":  func(x, y float64) float64 { return norm(x, y) },
	"rhypot": func(x, y float64) float64 { return 1 / norm(x, y) },
	"fmod":   math.Mod, "remainder": math.Remainder, "copysign": math.Copysign,
	"fdim": func(x, y float64) float64 {
		if x <= y {
			return 0
		}
		return x - y
	},
}

var real3 = map[string]func(x, y, z float64) float64{
	"norm3d":  func(x, y, z float64) float64 { return norm(x, y, z) },
	"rnorm3d": func(x, y, z float64) float64 { return 1 / norm(x, y, z) },
}

// approximate names, for CUDA's functions that are fast and inexact, those that
// stand for them: they are computed as well as any.
var approximate = map[string]string{
	"fast_exp": "exp", "fast_exp10": "exp10", "fast_log": "log", "fast_log2": "log2", "fast_log10": "log10",
	"fast_sin": "sin", "fast_cos": "cos", "fast_tan": "tan", "fast_sincos": "sincos", "fast_tanh": "tanh", "fast_pow": "pow",
	"half_exp": "exp", "half_log": "log", "half_sin": "sin", "half_cos": "cos", "half_tanh": "tanh", "half_exp2": "exp2",
	"half_log2": "log2", "half_exp10": "exp10", "half_log10": "log10",
}

// nativeOf returns an intrinsic.
func nativeOf(name string, t types.Scalar) native {
	if exact, ok := approximate[name]; ok {
		name = exact
	}
	if t.Integer() {
		return integerIntrinsic(name, t)
	}
	if t == types.Ptr {
		space := map[string]code.Space{"is_global": code.Global, "is_shared": code.Shared, "is_local": code.Local, "is_constant": code.Constant}[name]
		return func(a *[4]uint64, r *[2]uint64) {
			r[0] = 0
			if Pointer(a[0]).Space() == space {
				r[0] = 1
			}
		}
	}
	value, pattern := floatOf(t), patternOf(t)
	if f, ok := real1[name]; ok {
		return func(a *[4]uint64, r *[2]uint64) { r[0] = pattern(f(value(a[0]))) }
	}
	if f, ok := real2[name]; ok {
		return func(a *[4]uint64, r *[2]uint64) { r[0] = pattern(f(value(a[0]), value(a[1]))) }
	}
	if f, ok := real3[name]; ok {
		return func(a *[4]uint64, r *[2]uint64) { r[0] = pattern(f(value(a[0]), value(a[1]), value(a[2]))) }
	}
	if f := directedOf(name, t); f != nil {
		return f
	}
	switch name {
	case "norm4d":
		return func(a *[4]uint64, r *[2]uint64) {
			r[0] = pattern(norm(value(a[0]), value(a[1]), value(a[2]), value(a[3])))
		}
	case "rnorm4d":
		return func(a *[4]uint64, r *[2]uint64) {
			r[0] = pattern(1 / norm(value(a[0]), value(a[1]), value(a[2]), value(a[3])))
		}
	case "sincos":
		return func(a *[4]uint64, r *[2]uint64) {
			x := value(a[0])
			r[0], r[1] = pattern(scalar.Sin(x)), pattern(scalar.Cos(x))
		}
	case "sincospi":
		return func(a *[4]uint64, r *[2]uint64) {
			s, c := turns(value(a[0]))
			r[0], r[1] = pattern(s), pattern(c)
		}
	case "ilogb":
		return func(a *[4]uint64, r *[2]uint64) {
			x := value(a[0])
			switch {
			case x == 0 || x != x:
				r[0] = 0x80000000
			case math.IsInf(x, 0):
				r[0] = math.MaxInt32
			default:
				r[0] = uint64(uint32(int32(math.Ilogb(x))))
			}
		}
	case "nextafter":
		if t == types.F32 {
			return func(a *[4]uint64, r *[2]uint64) { r[0] = bits32(math.Nextafter32(f32(a[0]), f32(a[1]))) }
		}
		return func(a *[4]uint64, r *[2]uint64) { r[0] = bits64(math.Nextafter(f64(a[0]), f64(a[1]))) }
	case "frexp":
		return func(a *[4]uint64, r *[2]uint64) {
			f, e := math.Frexp(value(a[0]))
			r[0], r[1] = pattern(f), uint64(uint32(int32(e)))
		}
	case "modf":
		return func(a *[4]uint64, r *[2]uint64) {
			x := value(a[0])
			whole := math.Trunc(x)
			part := x - whole
			if math.IsInf(x, 0) {
				part = 0
			}
			r[0], r[1] = pattern(math.Copysign(part, x)), pattern(whole)
			if x != x {
				r[0] = pattern(x)
			}
		}
	case "remquo":
		return func(a *[4]uint64, r *[2]uint64) {
			x, y := value(a[0]), value(a[1])
			rest := math.Remainder(x, y)
			r[0], r[1] = pattern(rest), 0
			if rest == rest && !math.IsInf(y, 0) {
				// The last bits of the quotient, from what is left modulo eight times y.
				m := math.Mod(math.Abs(x), 8*math.Abs(y))
				q := int32(math.RoundToEven(m/math.Abs(y))) & 7
				if math.Signbit(x) != math.Signbit(y) {
					q = -q
				}
				r[1] = uint64(uint32(q))
			}
		}
	case "ldexp":
		return func(a *[4]uint64, r *[2]uint64) {
			n := int(max(min(int32(a[1]), 5000), -5000))
			r[0] = pattern(math.Ldexp(value(a[0]), n))
		}
	case "fast_divide":
		return func(a *[4]uint64, r *[2]uint64) {
			x, y := f32(a[0]), f32(a[1])
			switch b := math.Abs(float64(y)); {
			case b > 0x1p126 && b < 0x1p128 && x-x != 0:
				r[0] = nan32
			case b > 0x1p126 && b < 0x1p128:
				r[0] = bits32(float32(math.Copysign(0, float64(x)) * math.Copysign(1, float64(y))))
			default:
				r[0] = bits32(x / y)
			}
		}
	case "fast_rcp", "half_rcp":
		return func(a *[4]uint64, r *[2]uint64) { r[0] = pattern(1 / value(a[0])) }
	}
	panic("BUG: no intrinsic " + name + " of " + t.String())
}

// patternOf returns what rounds a float64 to the bits of t.
func patternOf(t types.Scalar) func(x float64) uint64 {
	switch t {
	case types.F32:
		return func(x float64) uint64 { return bits32(float32(x)) }
	case types.F64:
		return bits64
	}
	return halfOf(t).bits
}

func integerIntrinsic(name string, t types.Scalar) native {
	one := func(f func(x uint64) uint64) native {
		return func(a *[4]uint64, r *[2]uint64) { r[0] = f(a[0]) }
	}
	if t == types.U64 {
		switch name {
		case "popc":
			return one(func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) })
		case "clz":
			return one(func(x uint64) uint64 { return uint64(bits.LeadingZeros64(x)) })
		case "ffs":
			return one(func(x uint64) uint64 { return uint64(bits.TrailingZeros64(x)+1) % 65 })
		case "brev":
			return one(bits.Reverse64)
		}
	}
	signed := t.Signed()
	switch name {
	case "popc":
		return one(func(x uint64) uint64 { return uint64(bits.OnesCount32(uint32(x))) })
	case "clz":
		return one(func(x uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(x))) })
	case "ffs":
		return one(func(x uint64) uint64 { return uint64(bits.TrailingZeros32(uint32(x))+1) % 33 })
	case "brev":
		return one(func(x uint64) uint64 { return uint64(bits.Reverse32(uint32(x))) })
	case "nanosleep":
		return func(*[4]uint64, *[2]uint64) {}
	case "byte_perm":
		return func(a *[4]uint64, r *[2]uint64) {
			both, out := a[1]<<32|uint64(uint32(a[0])), uint64(0)
			for k := range 4 {
				pick := a[2] >> (4 * k) & 7
				out |= both >> (8 * pick) & 0xff << (8 * k)
			}
			r[0] = out
		}
	case "funnel_l", "funnel_lc", "funnel_r", "funnel_rc":
		left, clamp := name[7] == 'l', name[len(name)-1] == 'c'
		return func(a *[4]uint64, r *[2]uint64) {
			n := uint32(a[2]) & 31
			if clamp {
				n = min(uint32(a[2]), 32)
			}
			both := a[1]<<32 | uint64(uint32(a[0]))
			if left {
				r[0] = both << n >> 32
			} else {
				r[0] = uint64(uint32(both >> n))
			}
		}
	case "fns":
		return func(a *[4]uint64, r *[2]uint64) { r[0] = uint64(nthSet(uint32(a[0]), int(a[1]&31), int(int32(a[2])))) }
	case "mul24":
		return func(a *[4]uint64, r *[2]uint64) {
			if signed {
				x, y := int32(uint32(a[0])<<8)>>8, int32(uint32(a[1])<<8)>>8
				r[0] = uint64(uint32(x * y))
			} else {
				r[0] = uint64(uint32(a[0]&0xffffff) * uint32(a[1]&0xffffff))
			}
		}
	case "sad":
		return func(a *[4]uint64, r *[2]uint64) {
			d := widen(t, a[0]) - widen(t, a[1])
			if int64(d) < 0 {
				d = -d
			}
			r[0] = uint64(uint32(d) + uint32(a[2]))
		}
	case "hadd", "rhadd":
		up := uint64(0)
		if name == "rhadd" {
			up = 1
		}
		return func(a *[4]uint64, r *[2]uint64) {
			r[0] = uint64(uint32(int64(widen(t, a[0])+widen(t, a[1])+up) >> 1))
		}
	case "dp4a":
		return func(a *[4]uint64, r *[2]uint64) {
			sum := uint32(a[2])
			for k := range 4 {
				sum += part(a[0], 8, k, signed) * part(a[1], 8, k, signed)
			}
			r[0] = uint64(sum)
		}
	case "dp2a_lo", "dp2a_hi":
		from := 0
		if name == "dp2a_hi" {
			from = 2
		}
		return func(a *[4]uint64, r *[2]uint64) {
			sum := uint32(a[2])
			for k := range 2 {
				sum += part(a[0], 16, k, signed) * part(a[1], 8, from+k, signed)
			}
			r[0] = uint64(sum)
		}
	}
	panic("BUG: no intrinsic " + name + " of " + t.String())
}

// part returns the k-th field of n bits.
func part(x uint64, n, k int, signed bool) uint32 {
	v := uint32(x) >> (n * k) << (32 - n)
	if signed {
		return uint32(int32(v) >> (32 - n))
	}
	return v >> (32 - n)
}

// nthSet is PTX's fns: from bit base, the offset-th bit that is set, upwards or,
// negative, downwards; with 0 base itself. Without one all bits are set.
func nthSet(mask uint32, base, offset int) uint32 {
	step := 1
	switch {
	case offset == 0:
		if mask>>base&1 != 0 {
			return uint32(base)
		}
		return every
	case offset < 0:
		step, offset = -1, -offset
	}
	for at := base; at >= 0 && at < 32; at += step {
		if mask>>at&1 != 0 {
			if offset--; offset == 0 {
				return uint32(at)
			}
		}
	}
	return every
}

// intrinsic emits the call of one.
func (e *emitter) intrinsic(i *code.Intrinsic) {
	if i.Name == "nanosleep" {
		e.form.polls = true
		e.emit(func(w *Warp) { w.polls = true })
		return
	}
	f := nativeOf(i.Name, i.Type)
	s := code.Intrinsics[i.Name]
	typesOf := func(list []types.Scalar) []types.Scalar {
		out := append([]types.Scalar(nil), list...)
		for k := range out {
			if out[k] == types.Void {
				out[k] = i.Type
			}
		}
		return out
	}
	takes, gives := typesOf(s.Args), typesOf(s.Results)
	if len(takes) == 1 && len(gives) == 1 && gives[0] != types.Pred {
		e.map1(i, i.Dst[0], gives[0], i.Args[0], takes[0], func(x uint64) uint64 {
			a, r := [4]uint64{x}, [2]uint64{}
			f(&a, &r)
			return r[0]
		})
		return
	}
	args, widths, even := make([]arg, len(takes)), make([]int, len(takes)), true
	for k, x := range i.Args {
		args[k], widths[k] = e.arg(x, takes[k]), widthOf(takes[k])
		even = even && args[k].uniform
	}
	compute := func(w *Warp, lane int) [2]uint64 {
		var a [4]uint64
		var r [2]uint64
		for k := range args {
			a[k] = w.one(args[k], widths[k], lane)
		}
		f(&a, &r)
		return r
	}
	// All lanes are computed first: a result may take an argument's register.
	if !even {
		e.emit(func(w *Warp) {
			for lane := range 32 {
				r := compute(w, lane)
				w.e64[0][lane], w.e64[1][lane] = r[0], r[1]
			}
		})
	} else {
		e.emit(func(w *Warp) {
			r := compute(w, 0)
			w.e64[0][0], w.e64[1][0] = r[0], r[1]
		})
	}
	for k, r := range i.Dst {
		if r == 0 {
			continue
		}
		switch {
		case even:
			e.giveOne(i, r, func(w *Warp) uint64 { return w.e64[k][0] })
		case gives[k] == types.Pred:
			e.givePred(i, r, func(w *Warp) uint32 {
				m := uint32(0)
				for lane, x := range &w.e64[k] {
					m |= uint32(x&1) << lane
				}
				return m
			})
		case widthOf(gives[k]) == 64:
			e.give64(i, r, func(w *Warp, d *v64) { *d = w.e64[k] })
		default:
			e.give32(i, r, func(w *Warp, d *v32) {
				for lane, x := range &w.e64[k] {
					d[lane] = uint32(x)
				}
			})
		}
	}
}
