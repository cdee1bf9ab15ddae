package front_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/launch"
	"workbench/engine/simt"
)

// quantised launches kernels of testdata/teaching/quantised.cu.
type quantised struct {
	t        *testing.T
	source   string
	contract device.Contract
	random   *rand.Rand
}

// launch runs a kernel and returns its one output, which nobody has written before.
// The kernels are right: whatever is reported is wrong.
func (q *quantised) launch(kernel string, blocks, threads, shared int, args ...launch.Arg) []float32 {
	q.t.Helper()
	result, err := new(simt.Emulator).Launch(q.t.Context(), &launch.Launch{
		Kernel: launch.Kernel{File: "quantised.cu", Source: q.source, Symbol: kernel, Contract: q.contract},
		Grid:   launch.Dim3{X: blocks, Y: 1, Z: 1}, Block: launch.Dim3{X: threads, Y: 1, Z: 1}, SharedBytes: shared, Args: args,
	})
	if err != nil {
		q.t.Fatalf("%s: %v", kernel, err)
	}
	for _, r := range result.Reports {
		q.t.Errorf("%s: %s", kernel, r.Message)
	}
	for i, a := range args {
		if a.Buffer != nil && a.Buffer.Out {
			data := result.Buffers[i]
			out := make([]float32, len(data)/4)
			for j := range out {
				out[j] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*j:]))
			}
			return out
		}
	}
	return nil
}

func (q *quantised) numbers(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(2*q.random.Float64() - 1)
	}
	return out
}

// hold compares results with what they should be, to a bound for each.
func (q *quantised) hold(kernel string, got []float32, want func(i int) (value, bound float64)) {
	q.t.Helper()
	if len(got) == 0 {
		q.t.Errorf("%s (%s) gives nothing", kernel, q.contract)
	}
	for i, x := range got {
		if value, bound := want(i); !(math.Abs(float64(x)-value) <= bound) {
			q.t.Errorf("%s (%s): number %d is %v, want %v within %v", kernel, q.contract, i, x, value, bound)
			return
		}
	}
}

func buffer[T any](ctype string, values []T) launch.Arg {
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	return launch.Arg{Name: ctype, Buffer: &launch.Buffer{Type: ctype, Data: data}}
}

func output(n int) launch.Arg {
	return launch.Arg{Name: "out", Buffer: &launch.Buffer{Type: "float", Data: make([]byte, 4*n), Out: true, Uninitialised: true}}
}

func scalar(x any) launch.Arg {
	data, err := binary.Append(nil, binary.LittleEndian, x)
	if err != nil {
		panic(err)
	}
	return launch.Arg{Name: "value", Value: data}
}

const unit = 1.0 / (1 << 24) // of float32: half a step at one

// TestQuantised holds the kernels of a decoder's step against sums in float64 over
// the values that package dtype decodes. A bound is that of a sum in any order,
// gamma(k)·Σ|…|, with a few more roundings for what comes before and after it.
func TestQuantised(t *testing.T) {
	text, err := os.ReadFile("testdata/teaching/quantised.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		q := &quantised{t, string(text), contract, rand.New(rand.NewPCG(7, 11))}
		q.products()
		q.rotation()
		q.norm()
		q.attention()
	}
}

func (q *quantised) products() {
	const rows, columns, group = 19, 160, 5
	weights, x := q.numbers(rows*columns), q.numbers(columns)
	four, err := dtype.EncodeQ4(rows, columns, weights)
	if err != nil {
		q.t.Fatal(err)
	}
	offset, err := dtype.EncodeAffineQ4(rows, columns, group, weights)
	if err != nil {
		q.t.Fatal(err)
	}
	eight, err := dtype.EncodeQ8(rows, columns, weights)
	if err != nil {
		q.t.Fatal(err)
	}
	words, brain := make([]uint16, len(weights)), make([]float32, len(weights))
	for i, w := range weights {
		words[i] = uint16(math.Float32bits(w) >> 16)
		brain[i] = math.Float32frombits(uint32(words[i]) << 16)
	}
	for _, c := range []struct {
		kernel  string
		decoded []float32
		args    []launch.Arg
	}{
		{"matvec_four", four.Decode(), []launch.Arg{buffer("unsigned char", four.Codes), buffer("unsigned short", four.Scales)}},
		{"matvec_offset", offset.Decode(), []launch.Arg{buffer("unsigned char", offset.Codes), buffer("unsigned short", offset.Scales), buffer("unsigned short", offset.Offsets), scalar(int32(group))}},
		{"matvec_eight", eight.Decode(), []launch.Arg{buffer("signed char", eight.Codes), buffer("float", eight.Scales)}},
		{"matvec_brain", brain, []launch.Arg{buffer("unsigned short", words)}},
		{"matvec_single", weights, []launch.Arg{buffer("float", weights)}},
	} {
		// Three warps a block: the last block has rows that are not there.
		got := q.launch(c.kernel, (rows+2)/3, 96, 0, append(c.args, buffer("float", x), output(rows), scalar(int32(rows)), scalar(int32(columns)))...)
		q.hold(c.kernel, got, func(row int) (value, bound float64) {
			size := 0.0
			for i, v := range x {
				p := float64(c.decoded[row*columns+i]) * float64(v)
				value += p
				size += math.Abs(p)
			}
			// Each weight may be rounded once more where it is not multiplied exactly.
			return value, compare.Gamma(columns+1, unit) * size
		})
	}
}

func (q *quantised) rotation() {
	const half, positions, first = 24, 5, 100
	pairs, frequencies := q.numbers(2*half*positions), make([]float32, half)
	for i := range frequencies {
		frequencies[i] = float32(math.Pow(10000, -float64(i)/half))
	}
	arg := buffer("float2", pairs)
	arg.Buffer.Out = true
	got := q.launch("rotate", positions, 32, 0, arg, buffer("float", frequencies), scalar(int32(half)), scalar(int32(first)))
	q.hold("rotate", got, func(i int) (value, bound float64) {
		at := i / 2
		angle := float64(first+at/half) * float64(frequencies[at%half])
		x, y := float64(pairs[2*at]), float64(pairs[2*at+1])
		s, c := math.Sincos(angle)
		if value = x*c - y*s; i%2 == 1 {
			value = x*s + y*c
		}
		// The angle is rounded once, sine and cosine to two units, and then a product and a sum.
		return value, (math.Abs(x) + math.Abs(y)) * (angle + 4 + 2) * unit
	})
}

func (q *quantised) norm() {
	const rows, columns = 3, 77
	const epsilon = float32(1e-5)
	x, gain := q.numbers(rows*columns), q.numbers(columns)
	got := q.launch("rms_norm", rows, 64, 0, buffer("float", x), buffer("float", gain), output(rows*columns), scalar(int32(columns)), scalar(epsilon))
	q.hold("rms_norm", got, func(i int) (value, bound float64) {
		squares := 0.0
		for _, v := range x[i/columns*columns:][:columns] {
			squares += float64(v) * float64(v)
		}
		value = float64(x[i]) * float64(gain[i%columns]) / math.Sqrt(squares/columns+float64(epsilon))
		// Half the error of the sum under the root, two units of rsqrtf, two products.
		return value, math.Abs(value) * compare.Gamma(columns/2+8, unit)
	})
}

func (q *quantised) attention() {
	const queries, width = 37, 20
	const scale = float32(0.25)
	query, key, v := q.numbers(queries*width), q.numbers(queries*width), q.numbers(queries*width)
	got := q.launch("attention", queries, 32, 4*queries, buffer("float", query), buffer("float", key), buffer("float", v), output(queries*width), scalar(int32(width)), scalar(scale))
	q.hold("attention", got, func(i int) (value, bound float64) {
		at, column := i/width, i%width
		var sum, weighted, size, worst float64
		for k := range at + 1 {
			dot, dots := 0.0, 0.0
			for j := range width {
				p := float64(query[at*width+j]) * float64(key[k*width+j])
				dot += p
				dots += math.Abs(p)
			}
			// The greatest score is subtracted from every one: neither is larger than dots.
			worst = math.Max(worst, 2*float64(scale)*dots)
			w := math.Exp(float64(scale) * dot)
			sum += w
			weighted += w * float64(v[k*width+column])
			size += w * math.Abs(float64(v[k*width+column]))
		}
		// The error of a score is that of a weight; then the exponential, two sums and a division.
		return weighted / sum, size / sum * (2*worst*compare.Gamma(width+4, unit) + compare.Gamma(2*(at+1)+10, unit))
	})
}
