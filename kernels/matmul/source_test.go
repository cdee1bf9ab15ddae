package matmul_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/launch"
	"workbench/kernels/matmul"
	"workbench/kernels/prelude"
)

// host runs the kernels' source on this machine, one thread after the other: a C++
// compiler is told what CUDA's words mean. It shows nothing of a GPU's arithmetic;
// it shows which cells the source computes, from which elements, in which order.
//
// It reads launches, one after the other: the kernel's number, grid and block, the
// argument of 128 bytes, and each buffer after its length; and it writes out.
const host = `
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>
#define __device__
#define __global__
#define __forceinline__ inline
struct Index { unsigned int x, y, z; };
static Index gridDim, blockDim, blockIdx, threadIdx;
// Not inlined, or the host's compiler might contract what CUDA's does not.
__attribute__((noinline)) static float __fmul_rn(float a, float b) { return a * b; }
__attribute__((noinline)) static double __dmul_rn(double a, double b) { return a * b; }
static inline unsigned int __float_as_uint(float x) { unsigned int u; std::memcpy(&u, &x, 4); return u; }
static inline float __uint_as_float(unsigned int u) { float x; std::memcpy(&x, &u, 4); return x; }
static inline float from_half(unsigned short h) {
	int exponent = h >> 10 & 31, fraction = h & 1023;
	float x = exponent == 31 ? (fraction ? NAN : INFINITY) : exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
	return h >> 15 ? -x : x;
}
// The nearest of all: there are few enough to ask each.
static inline unsigned short to_half(float x) {
	unsigned short best = 0;
	for (unsigned short h = 0; h < 0x7c00; h++) {
		double now = std::fabs(std::fabs((double)x) - from_half(h)), was = std::fabs(std::fabs((double)x) - from_half(best));
		if (now < was || (now == was && h % 2 == 0)) best = h;
	}
	if (std::fabs(x) >= 65520) best = 0x7c00;
	return best | (std::signbit(x) ? 0x8000 : 0);
}
#include "prelude.h"
#include "matmul.cu"

static void get(void* at, size_t n) { if (n && std::fread(at, 1, n, stdin) != n) std::exit(std::feof(stdin) ? 0 : 3); }
static std::vector<char> buffer() { long long n; get(&n, 8); std::vector<char> b(n); get(b.data(), n); return b; }

template <typename T> void run(void (*kernel)(const T*, const T*, T*, Matmul), const Matmul& m) {
	std::vector<char> left = buffer(), right = buffer(), out = buffer();
	for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++) for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++) for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
	for (threadIdx.z = 0; threadIdx.z < blockDim.z; threadIdx.z++) for (threadIdx.y = 0; threadIdx.y < blockDim.y; threadIdx.y++) for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
		kernel((const T*)left.data(), (const T*)right.data(), (T*)out.data(), m);
	std::fwrite(out.data(), 1, out.size(), stdout);
	std::fflush(stdout);
}

int main() {
	for (;;) {
		long long kernel; Matmul m;
		get(&kernel, 8); get(&gridDim, 12); get(&blockDim, 12); get(&m, sizeof m);
		switch (kernel) {
		case 0: run<double>(matmul_naive_f64, m); break;
		case 1: run<float>(matmul_naive_f32, m); break;
		case 2: run<__half>(matmul_naive_f16, m); break;
		case 3: run<__nv_bfloat16>(matmul_naive_bf16, m); break;
		}
	}
}
`

// onHost builds the program and returns a function that runs launches in it.
func onHost(t *testing.T) func(launches []*launch.Launch) [][]byte {
	t.Helper()
	compiler, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("needs a C++ compiler to run the kernels' source here: there is no c++ in PATH")
	}
	header := prelude.Source
	for instruction, instead := range map[string]string{
		`asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h.bits));`:    "x = from_half(h.bits);",
		`asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));`: "h.bits = to_half(x);",
	} {
		if strings.Count(header, instruction) != 1 {
			t.Fatalf("the prelude has no %s", instruction)
		}
		header = strings.Replace(header, instruction, instead, 1)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"prelude.h": header, "matmul.cu": matmul.Source, "main.cc": host} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A product is rounded before it is added, as with --fmad=false.
	build := exec.Command(compiler, "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-o", "main", "main.cc")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(launches []*launch.Launch) (results [][]byte) {
		var in bytes.Buffer
		for _, l := range launches {
			kernel := uint64(0)
			for i, s := range matmul.Symbols {
				if s == l.Kernel.Symbol {
					kernel = uint64(i)
				}
			}
			for _, v := range []any{
				kernel, [6]uint32{uint32(l.Grid.X), uint32(l.Grid.Y), uint32(l.Grid.Z), uint32(l.Block.X), uint32(l.Block.Y), uint32(l.Block.Z)}, l.Args[3].Value,
			} {
				if err := binary.Write(&in, binary.LittleEndian, v); err != nil {
					t.Fatal(err)
				}
			}
			for _, a := range l.Args[:3] {
				in.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(a.Buffer.Data))))
				in.Write(a.Buffer.Data)
			}
		}
		run := exec.Command(filepath.Join(dir, "main"))
		run.Stdin = &in
		out, err := run.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range launches {
			n := len(l.Args[2].Buffer.Data)
			if n > len(out) {
				t.Fatal("the program ended early")
			}
			results, out = append(results, out[:n]), out[n:]
		}
		if len(out) != 0 {
			t.Fatalf("%d bytes too many", len(out))
		}
		return results
	}
}

// product is what the launch's out buffer must hold, by the loops of the package
// comment on numbers.
func product(p device.Precision, m matmul.Params, left, right, out []float64) []float64 {
	want := append([]float64(nil), out...)
	for b := range m.Batches {
		for i := range m.Rows {
			for j := range m.Columns {
				sum, sum32 := 0.0, float32(0)
				for k := range m.Terms {
					x := left[b*m.Left.Batch+i*m.Left.Row+k*m.Left.Column]
					y := right[b*m.Right.Batch+k*m.Right.Row+j*m.Right.Column]
					sum = float64(x*y) + sum
					sum32 = float32(float32(x)*float32(y)) + sum32
				}
				cell := b*m.Out.Batch + i*m.Out.Row + j*m.Out.Column
				if m.Divisor != 0 {
					sum /= m.Divisor
					sum32 /= float32(m.Divisor)
				}
				sum, sum32 = float64(m.Alpha*sum), float32(float32(m.Alpha)*sum32)
				if m.Accumulate {
					sum, sum32 = sum+out[cell], sum32+float32(out[cell])
				}
				if p != device.Float64 {
					sum = p.Round(float64(sum32))
				}
				want[cell] = sum
			}
		}
	}
	return want
}

func TestSource(t *testing.T) {
	run := onHost(t)
	random := rand.New(rand.NewPCG(3, 4))
	numbers := func(p device.Precision, n int64) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = p.Round(random.NormFloat64())
		}
		return list
	}
	type check struct {
		name string
		p    device.Precision
		want []float64
	}
	var launches []*launch.Launch
	var checks []check
	for _, c := range []struct {
		name   string
		change func(m *matmul.Params)
		grid   launch.Dim3 // other than Geometry's
	}{
		{name: "packed", change: func(m *matmul.Params) {}},
		{name: "mean", change: func(m *matmul.Params) { m.Divisor = float64(m.Terms) }},
		{name: "divided by less than one", change: func(m *matmul.Params) { m.Divisor = -0.75 }},
		{name: "scaled", change: func(m *matmul.Params) { m.Alpha = -1.3 }},
		{name: "added", change: func(m *matmul.Params) { m.Accumulate = true }},
		{name: "a mean, scaled and added", change: func(m *matmul.Params) { m.Divisor, m.Alpha, m.Accumulate = 3, 0.1, true }},
		{name: "left transposed", change: func(m *matmul.Params) { m.Left.Row, m.Left.Column = 1, m.Rows }},
		{name: "right transposed", change: func(m *matmul.Params) { m.Right.Row, m.Right.Column = 1, m.Terms }},
		{name: "out transposed", change: func(m *matmul.Params) { m.Out.Row, m.Out.Column = 1, m.Rows }},
		{name: "left broadcast over the batch", change: func(m *matmul.Params) { m.Left.Batch = 0 }},
		{name: "right one column again and again", change: func(m *matmul.Params) { m.Right.Column = 0 }},
		{name: "gaps everywhere", change: func(m *matmul.Params) {
			m.Left = matmul.Strides{Batch: 3 * m.Rows * (m.Terms + 2), Row: 2 * (m.Terms + 2), Column: 2}
			m.Right = matmul.Strides{Batch: m.Terms*(m.Columns+5) + 7, Row: m.Columns + 5, Column: 1}
			m.Out = matmul.Strides{Batch: m.Rows * (3*m.Columns + 1), Row: 3*m.Columns + 1, Column: 3}
		}},
		{name: "batches within rows", change: func(m *matmul.Params) {
			m.Left = matmul.Strides{Batch: m.Terms, Row: m.Batches * m.Terms, Column: 1}
			m.Out = matmul.Strides{Batch: m.Columns, Row: m.Batches * m.Columns, Column: 1}
		}},
		{name: "a grid cut along every axis", change: func(m *matmul.Params) {}, grid: launch.Dim3{X: 1, Y: 1, Z: 1}},
		{name: "a grid too large", change: func(m *matmul.Params) {}, grid: launch.Dim3{X: 5, Y: 4, Z: 7}},
	} {
		for _, s := range [][4]int{{1, 1, 1, 1}, {1, 2, 3, 2}, {3, 17, 33, 9}, {2, 5, 129, 31}, {4, 1, 7, 40}, {2, 37, 5, 1}} {
			for _, p := range device.Precisions {
				m := matmul.Packed(s[0], s[1], s[2], s[3])
				c.change(&m)
				size := func(b, r, q int64, s matmul.Strides) int64 { return 1 + (b-1)*s.Batch + (r-1)*s.Row + (q-1)*s.Column }
				left := numbers(p, size(m.Batches, m.Rows, m.Terms, m.Left))
				right := numbers(p, size(m.Batches, m.Terms, m.Columns, m.Right))
				// What lies between the cells, and after them, stays.
				out := numbers(p, size(m.Batches, m.Rows, m.Columns, m.Out)+3)
				as := func(list []float64) launch.Buffer {
					return launch.Buffer{Type: matmul.Element(p), Data: p.AppendBytes(nil, list)}
				}
				l, err := matmul.Prepare(device.Separate, p, m, as(left), as(right), as(out))
				if err != nil {
					t.Fatalf("%s %v %s: %v", c.name, s, p, err)
				}
				if c.grid.X != 0 {
					l.Grid = c.grid
				}
				launches = append(launches, l)
				checks = append(checks, check{fmt.Sprintf("%s %v %s", c.name, s, p), p, product(p, m, left, right, out)})
			}
		}
	}
	for i, got := range run(launches) {
		want := checks[i].p.AppendBytes(nil, checks[i].want)
		if size := checks[i].p.Size(); !bytes.Equal(got, want) {
			for e := 0; e < len(want); e += size {
				if !bytes.Equal(got[e:e+size], want[e:e+size]) {
					t.Errorf("%s: element %d is %x, want %x", checks[i].name, e/size, got[e:e+size], want[e:e+size])
					break
				}
			}
		}
	}
}

// Sums at the edges of a half format: ties, subnormal numbers, and what is too large.
func TestSourceRoundsOnce(t *testing.T) {
	run := onHost(t)
	for _, c := range []struct {
		p        device.Precision
		terms    []float64 // times one each
		divisor  float64
		wantBits uint16
	}{
		{device.Float16, []float64{2048, 1}, 0, dtype.Float16Bits(2048)},           // half way, the even one is below
		{device.Float16, []float64{2048, 1, 2}, 0, dtype.Float16Bits(2052)},        // 2051 in float32: half way, the even one is above
		{device.Float16, []float64{2048, 0.5, 0.5, 2}, 0, dtype.Float16Bits(2052)}, // rounded on the way it would be 2050
		{device.Float16, []float64{65504, 8}, 0, dtype.Float16Bits(65504)},         // 65512
		{device.Float16, []float64{65504, 16}, 0, 0x7c00},                          // 65520
		{device.Float16, []float64{-65504, -65504}, 0, 0xfc00},
		{device.Float16, []float64{0x1p-24}, 2, 0},                   // half of the least
		{device.Float16, []float64{0x1p-24, 0x1p-24, 0x1p-24}, 2, 2}, // 1.5 of it
		{device.Float16, []float64{1, 1, 1}, 9, dtype.Float16Bits(float64(float32(3) / 9))},
		{device.BFloat16, []float64{256, 1}, 0, dtype.BFloat16Bits(256)},
		{device.BFloat16, []float64{256, 1, 2}, 0, dtype.BFloat16Bits(260)},
		{device.BFloat16, []float64{0x1.fep127, 0x1p119}, 0, 0x7f80},
		{device.BFloat16, []float64{0x1p-133}, 2, 0},
	} {
		ones := make([]float64, len(c.terms))
		for i := range ones {
			ones[i] = 1
		}
		m := matmul.Packed(1, 1, len(c.terms), 1)
		m.Divisor = c.divisor
		as := func(list []float64) launch.Buffer {
			return launch.Buffer{Type: matmul.Element(c.p), Data: c.p.AppendBytes(nil, list)}
		}
		l, err := matmul.Prepare(device.Separate, c.p, m, as(c.terms), as(ones), as([]float64{math.NaN()}))
		if err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint16(run([]*launch.Launch{l})[0]); got != c.wantBits {
			t.Errorf("%s %v / %v is %#04x, want %#04x", c.p, c.terms, c.divisor, got, c.wantBits)
		}
	}
}
