package check

import (
	"context"
	"fmt"
	"math"
	"strings"

	"workbench/engine/device"
	"workbench/engine/launch"
)

// A function is one of CUDA's mathematical functions, whose bits no standard fixes.
type function struct {
	name     string // of the double version; float's has an f behind it
	operands int

	// most is its largest error, in units of the last place, of float and of double:
	// CUDA C++ Programming Guide, mathematical functions. Where its editions differ it
	// is the largest that one of them says, for a driver may be of any age. 0 is
	// correctly rounded.
	most [2]uint64

	// own is the largest error of the emulator's double, which its tests hold it to.
	// It computes float's in double and rounds, which leaves the nearest value or,
	// rarely, its neighbour.
	own uint64

	// low and high bound the arguments. Where low is above 0, they are spread over
	// the exponents between the two; otherwise evenly.
	low, high float64
}

// functions are those that the emulator computes, in their groups.
var functions = []function{
	{"sqrt", 1, [2]uint64{0, 0}, 0, 1e-30, 1e30},
	{"ceil", 1, [2]uint64{0, 0}, 0, -1e3, 1e3}, {"floor", 1, [2]uint64{0, 0}, 0, -1e3, 1e3}, {"trunc", 1, [2]uint64{0, 0}, 0, -1e3, 1e3},
	{"round", 1, [2]uint64{0, 0}, 0, -1e3, 1e3}, {"rint", 1, [2]uint64{0, 0}, 0, -1e3, 1e3},
	{"fmod", 2, [2]uint64{0, 0}, 0, 1e-3, 1e3}, {"remainder", 2, [2]uint64{0, 0}, 0, 1e-3, 1e3}, {"fdim", 2, [2]uint64{0, 0}, 0, -1e3, 1e3},

	{"rsqrt", 1, [2]uint64{2, 1}, 1, 1e-30, 1e30}, {"cbrt", 1, [2]uint64{1, 1}, 1, -1e6, 1e6}, {"rcbrt", 1, [2]uint64{2, 1}, 2, 1e-30, 1e30},
	{"hypot", 2, [2]uint64{3, 2}, 2, -1e6, 1e6}, {"rhypot", 2, [2]uint64{2, 1}, 3, 1e-6, 1e6},

	{"exp", 1, [2]uint64{2, 1}, 1, -80, 80}, {"exp2", 1, [2]uint64{2, 1}, 1, -120, 120}, {"exp10", 1, [2]uint64{2, 1}, 1, -35, 35}, {"expm1", 1, [2]uint64{1, 1}, 3, -10, 80},
	{"log", 1, [2]uint64{1, 1}, 1, 1e-30, 1e30}, {"log2", 1, [2]uint64{1, 1}, 1, 1e-30, 1e30}, {"log10", 1, [2]uint64{2, 1}, 2, 1e-30, 1e30}, {"log1p", 1, [2]uint64{1, 1}, 3, -0.99, 10},
	{"pow", 2, [2]uint64{9, 2}, 1, 0.1, 20},

	{"sin", 1, [2]uint64{2, 2}, 1, -100, 100}, {"cos", 1, [2]uint64{2, 2}, 1, -100, 100}, {"tan", 1, [2]uint64{4, 2}, 2, -100, 100},
	{"sinpi", 1, [2]uint64{2, 2}, 2, -20, 20}, {"cospi", 1, [2]uint64{2, 2}, 2, -20, 20},
	{"asin", 1, [2]uint64{4, 2}, 3, -1, 1}, {"acos", 1, [2]uint64{3, 2}, 3, -1, 1}, {"atan", 1, [2]uint64{2, 2}, 2, -100, 100}, {"atan2", 2, [2]uint64{3, 2}, 2, -100, 100},
	{"sinh", 1, [2]uint64{3, 2}, 4, -80, 80}, {"cosh", 1, [2]uint64{2, 1}, 2, -80, 80}, {"tanh", 1, [2]uint64{2, 2}, 1, -10, 10},
	{"asinh", 1, [2]uint64{3, 3}, 4, -1e3, 1e3}, {"acosh", 1, [2]uint64{4, 3}, 4, 1, 1e6}, {"atanh", 1, [2]uint64{3, 2}, 4, -1, 1},

	{"erf", 1, [2]uint64{2, 2}, 3, -5, 5}, {"erfc", 1, [2]uint64{4, 5}, 4, -5, 9}, {"erfcx", 1, [2]uint64{4, 4}, 3, -5, 50},
	{"erfinv", 1, [2]uint64{4, 5}, 3, -1, 1}, {"erfcinv", 1, [2]uint64{4, 6}, 4, 1e-30, 2},
	{"normcdf", 1, [2]uint64{5, 5}, 4, -12, 6}, {"normcdfinv", 1, [2]uint64{5, 8}, 8, 1e-30, 1},
	{"tgamma", 1, [2]uint64{11, 10}, 10, 0.1, 30}, {"lgamma", 1, [2]uint64{6, 4}, 4, 3, 1e6},
}

// word is a function's name in a precision, as C has it.
func (f function) word(p device.Precision) string {
	if p == device.Float32 {
		return f.name + "f"
	}
	return f.name
}

// bound is how many units of the last place a GPU's value and the emulator's may lie
// apart.
func (f function) bound(p device.Precision) uint64 {
	if p == device.Float32 {
		return f.most[0] + min(f.own, 1)
	}
	return f.most[1] + f.own
}

// functionsFile names the source in messages.
const functionsFile = "functions.cu"

// functionsSource is a kernel for each function of a precision: an element per
// thread.
func functionsSource(p device.Precision) string {
	var b strings.Builder
	for _, f := range functions {
		operands := []string{"x[i]", "y[i]"}[:f.operands]
		fmt.Fprintf(&b, "extern \"C\" __global__ void of_%s(const %[2]s* x, const %[2]s* y, %[2]s* out, int n) {\n"+
			"\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n\tif (i < n) out[i] = %s(%s);\n}\n",
			f.name, launch.Element(p), f.word(p), strings.Join(operands, ", "))
	}
	return b.String()
}

// arguments are n values for each operand, between the function's bounds, and then
// what is special: zeros, infinities, NaN, one, and the least number.
func (f function) arguments(p device.Precision, n int) [2][]float64 {
	s := newSource(f.name)
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), leastOf(p), -leastOf(p)}
	var out [2][]float64
	for k := range out {
		for range n {
			x := f.low + float64(s.Float64()*(f.high-f.low))
			if f.low > 0 {
				least, most := math.Ilogb(f.low), math.Ilogb(f.high)
				x = math.Ldexp(1+s.Float64(), least+s.IntN(most-least+1))
				x = min(max(x, f.low), f.high)
			}
			out[k] = append(out[k], p.Round(x))
		}
		// Every pair of them comes up.
		for i := range len(special) * len(special) {
			if f.operands == 1 && i >= len(special) {
				break
			}
			out[k] = append(out[k], special[[2]int{i % len(special), i / len(special)}[k]])
		}
	}
	return out
}

// leastOf returns the least number above zero.
func leastOf(p device.Precision) float64 {
	if p == device.Float32 {
		return 0x1p-149
	}
	return 0x1p-1074
}

// launch prepares a function's kernel.
func (f function) launch(p device.Precision, source string, arguments [2][]float64) *launch.Launch {
	n := len(arguments[0])
	buffer := func(name string, values []float64, out bool) launch.Arg {
		return launch.Arg{Name: name, Buffer: &launch.Buffer{Type: launch.Element(p), Data: p.AppendBytes(nil, values), Out: out}}
	}
	return &launch.Launch{
		Kernel: launch.Kernel{File: functionsFile, Source: source, Symbol: "of_" + f.name},
		Grid:   launch.Dim3{X: (n + 127) / 128, Y: 1, Z: 1}, Block: launch.Dim3{X: 128, Y: 1, Z: 1},
		Args: []launch.Arg{
			buffer("x", arguments[0], false), buffer("y", arguments[1], false), buffer("out", make([]float64, n), true),
			{Name: "n", Value: number32(n)},
		},
	}
}

// spread is how many arguments a function gets between its bounds.
const spread = 4000

// emulatedFunctions computes every function on both. The largest distance is a
// figure; one that is beyond what the two errors allow fails, and so does a special
// value that only one of them has.
func (m *Machine) emulatedFunctions(ctx context.Context, p device.Precision, gpu launch.Launcher, f *Findings) error {
	n := spread
	if m.small {
		n = 100
	}
	source := functionsSource(p)
	var failures []string
	exact := 0
	for _, fn := range functions {
		arguments := fn.arguments(p, n)
		l := fn.launch(p, source, arguments)
		pair := &paired{gpu: gpu, emulated: m.Emulator.Kernels, most: fn.bound(p)}
		if _, err := pair.Launch(ctx, l); err != nil {
			return fmt.Errorf("%s: %w", fn.word(p), err)
		}
		if pair.wrong > 0 {
			failures = append(failures, fmt.Sprintf("%s, of %s; %d of %d, where %d ulp are allowed", pair.first, fn.at(arguments, pair.at), pair.wrong, pair.values, pair.most))
			continue
		}
		if pair.worst == 0 {
			exact++
		}
		f.figure("functions/"+p.String()+"/"+fn.word(p), "ulp", sample{float64(pair.worst)}, "")
	}
	f.saw("%d functions, %d of them equal in every bit", len(functions)-len(failures), exact)
	if len(failures) > 0 {
		return fmt.Errorf("%d of %d functions differ:\n%s", len(failures), len(functions), strings.Join(failures, "\n"))
	}
	return nil
}

// at writes the operands of one element.
func (f function) at(arguments [2][]float64, i int) string {
	s := fmt.Sprintf("%s(%v", f.name, arguments[0][i])
	if f.operands == 2 {
		s += fmt.Sprintf(", %v", arguments[1][i])
	}
	return s + ")"
}
