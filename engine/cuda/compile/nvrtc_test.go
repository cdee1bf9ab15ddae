package compile_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels"
	"workbench/kernels/matmul"
	"workbench/kernels/prelude"
)

// These tests need NVRTC and no GPU.

var contracts = []device.Contract{device.Separate, device.Fused}

// architectures are those of NVRTC that the kernels are for: from 7.0 on.
func architectures(t *testing.T, c nvidia.Compiler) []int {
	t.Helper()
	list, err := c.Architectures()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(a int) bool { return a < 70 })
}

// Every kernel compiles without a word, to a cubin for each GPU that NVRTC knows
// and to PTX for those that it does not know yet.
func TestKernelsCompile(t *testing.T) {
	c := compile.Installed(t)
	list := architectures(t, c)
	for _, topic := range kernels.Catalogue() {
		for _, contract := range contracts {
			for _, a := range append(list, 999) {
				k := launch.Kernel{File: topic.File, Source: topic.Source, Symbol: topic.Symbols[0], Contract: contract}
				image, log, err := compile.Compile(c, "", k, gpu(a/10, a%10))
				if err != nil || log != "" {
					t.Fatalf("%s under %s for %d: log %q, error %v", topic.File, contract, a, log, err)
				}
				if elf := bytes.HasPrefix(image, []byte("\x7fELF")); elf != (a != 999) {
					t.Errorf("%s for %d: a cubin: %t", topic.File, a, elf)
				}
				for _, s := range topic.Symbols {
					if !bytes.Contains(image, []byte(s)) {
						t.Errorf("%s for %d: no kernel %s", topic.File, a, s)
					}
				}
			}
		}
	}
}

// kernel compiles the body of one kernel to PTX.
func kernel(t *testing.T, c nvidia.Compiler, source string, contract device.Contract) (ptx, log string, err error) {
	t.Helper()
	image, log, err := compile.Compile(c, "", launch.Kernel{File: "test.cu", Source: source, Symbol: "k", Contract: contract}, gpu(99, 9))
	return string(image), log, err
}

// The arguments that Go writes are those that the kernel reads: for each field
// there is a kernel that reads it, and its PTX says from which byte.
func TestParamsLayout(t *testing.T) {
	c := compile.Installed(t)
	params := matmul.Params{
		Batches: 1, Rows: 2, Terms: 3, Columns: 4,
		Left: matmul.Strides{Batch: 5, Row: 6, Column: 7}, Right: matmul.Strides{Batch: 8, Row: 9, Column: 10}, Out: matmul.Strides{Batch: 11, Row: 12, Column: 13},
		Divisor: 14, Alpha: 14, Accumulate: true,
	}
	fields := []string{
		"batches", "rows", "terms", "columns",
		"left.batch", "left.row", "left.column", "right.batch", "right.row", "right.column", "out.batch", "out.row", "out.column",
		"divisor", "alpha", "accumulate",
	}
	source := matmul.Source + fmt.Sprintf("static_assert(sizeof(Matmul) == %d, \"the size of struct Matmul\");\n", len(params.Bytes()))
	for i, field := range fields {
		source += fmt.Sprintf("extern \"C\" __global__ void field_%d(double* out, Matmul m) { out[0] = m.%s; }\n", i, field)
	}
	ptx, log, err := kernel(t, c, source, device.Separate)
	if err != nil || log != "" {
		t.Fatalf("log %q, error %v", log, err)
	}
	for i, field := range fields {
		want := []byte{byte(i + 1), 0, 0, 0, 0, 0, 0, 0} // the field's number in params, as its type has it
		switch field {
		case "divisor", "alpha":
			want = []byte{0, 0, 0, 0, 0, 0, 0x2c, 0x40}
		case "accumulate":
			want[0] = 1
		}
		read := regexp.MustCompile(fmt.Sprintf(`ld\.param\.\w+\s+%%\w+, \[field_%d_param_1(?:\+(\d+))?\];`, i)).FindStringSubmatch(ptx)
		if read == nil {
			t.Errorf("%s: no kernel reads it:\n%s", field, ptx)
			continue
		}
		at, _ := strconv.Atoi(read[1]) // "" is byte 0
		if got := params.Bytes()[at:][:8]; !bytes.Equal(got, want) {
			t.Errorf("the kernel reads %s from byte %d, where Go writes %x, want %x", field, at, got, want)
		}
	}
}

// A contract is one option: the same line is two roundings or one.
func TestContract(t *testing.T) {
	c := compile.Installed(t)
	for _, kind := range []struct{ c, ptx string }{{"float", "f32"}, {"double", "f64"}} {
		source := fmt.Sprintf("extern \"C\" __global__ void k(%[1]s* x) { x[0] = x[1] * x[2] + x[3]; x[4] = x[5] / x[6] + sqrt(x[7]); }\n", kind.c)
		for _, contract := range contracts {
			ptx, _, err := kernel(t, c, source, contract)
			if err != nil {
				t.Fatal(err)
			}
			fma := strings.Contains(ptx, "fma.rn."+kind.ptx)
			apart := strings.Contains(ptx, "mul.rn."+kind.ptx) && strings.Contains(ptx, "add.rn."+kind.ptx)
			if fma != (contract == device.Fused) || apart != (contract == device.Separate) {
				t.Errorf("%s under %s: fused %t, apart %t\n%s", kind.c, contract, fma, apart, ptx)
			}
			if !strings.Contains(ptx, "div.rn."+kind.ptx) || !strings.Contains(ptx, "sqrt.rn."+kind.ptx) || strings.Contains(ptx, "ftz") || strings.Contains(ptx, "approx") {
				t.Errorf("%s under %s: a division or a root is not IEEE's, or subnormals are flushed\n%s", kind.c, contract, ptx)
			}
		}
	}
}

// What ordinary CUDA C takes from headers.
const ordinary = `
constexpr float least = -INFINITY;
constexpr double greatest = CUDART_INF;
__constant__ half weights[3];
static_assert(sizeof(half) == 2 && alignof(half) == 2 && sizeof(__nv_bfloat16) == 2, "a half format has 16 bits");
static_assert(sizeof(int8_t) == 1 && sizeof(std::int16_t) == 2 && sizeof(int32_t) == 4 && sizeof(int64_t) == 8, "");
static_assert(sizeof(uint8_t) == 1 && sizeof(uint16_t) == 2 && sizeof(std::uint32_t) == 4 && sizeof(uint64_t) == 8, "");
static_assert(sizeof(intptr_t) == sizeof(void*) && sizeof(uintptr_t) == sizeof(ptrdiff_t), "");
static_assert(INT_MAX + 1u == 0x80000000u && INT_MIN < 0 && UINT_MAX == ~0u && LLONG_MIN < 0 && CHAR_BIT == 8, "");
static_assert(FLT_MAX < DBL_MAX && FLT_MIN > DBL_MIN && 1 + FLT_EPSILON > 1 && 1 + DBL_EPSILON > 1 && M_PI > 3 && M_E < 3, "");
union Bits { half h; __nv_bfloat16 b; unsigned short u; };
template <typename T> struct Four { T at[4]; };

extern "C" __global__ void k(float* out, const half* h, __nv_bfloat16* b, Four<half> four, uint64_t* count) {
	__shared__ half tile[32][33];
	extern __shared__ __nv_bfloat16 more[];
	const int lane = threadIdx.x % warpSize;
	tile[0][lane] = __float2half(out[lane]);
	more[lane] = __float2bfloat16_rn(out[lane + 1]);
	__syncthreads();
	Bits bits;
	bits.u = 0x3c00;
	float sum = float(bits.h) + __half2float(tile[0][31 - lane]) + (float)more[31 - lane] + __half2float(four.at[lane % 4]);
	for (int offset = 16; offset > 0; offset /= 2) {
		sum += __shfl_down_sync(0xffffffffu, sum, offset);
	}
	sum = fmaxf(sum, least) + __half2float(weights[1]) + __half2float(__ushort_as_half(7)) + __bfloat162float(__ushort_as_bfloat16(7));
	b[lane] = __nv_bfloat16(sum);
	out[lane] = isnan(sum) ? NAN : sum + half(2.5f).operator float();
	out[lane + 1] = __half_as_ushort(h[0]) + __bfloat16_as_ushort(b[0]) + __half2float(__float2half_rn(1)) + (float)greatest;
	atomicAdd((unsigned long long*)count, 1ull);
	assert(lane < 32);
	printf("%d\n", lane);
}
`

func TestPrelude(t *testing.T) {
	c := compile.Installed(t)
	if _, log, err := kernel(t, c, ordinary, device.Separate); err != nil || log != "" {
		t.Errorf("without includes: log %q, error %v", log, err)
	}
	includes := ""
	for name := range prelude.Headers() {
		includes += "#include <" + name + ">\n#include \"" + name + "\"\n"
	}
	if _, log, err := kernel(t, c, includes+ordinary, device.Separate); err != nil || log != "" {
		t.Errorf("with every include: log %q, error %v", log, err)
	}
	// The oldest architecture that has float16.
	if _, log, err := c.Compile("test.cu", ordinary, prelude.Headers(), append(compile.Options(device.Separate), fmt.Sprintf("--gpu-architecture=compute_%d", slices.Max([]int{53, oldest(t, c)})))); err != nil || log != "" {
		t.Errorf("for the oldest architecture: log %q, error %v", log, err)
	}
}

func oldest(t *testing.T, c nvidia.Compiler) int {
	t.Helper()
	list, err := c.Architectures()
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// Conversions round in one instruction, to nearest and with subnormals, or in
// integer arithmetic.
func TestConversions(t *testing.T) {
	c := compile.Installed(t)
	ptx, _, err := kernel(t, c, "extern \"C\" __global__ void k(float* x, half* h, __nv_bfloat16* b) { h[0] = __float2half(x[0]); x[1] = __half2float(h[1]); b[0] = __float2bfloat16(x[2]); x[3] = __bfloat162float(b[1]); }", device.Fused)
	if err != nil {
		t.Fatal(err)
	}
	conversions := regexp.MustCompile(`cvt[.\w]*\.(?:f16|f32|bf16)[.\w]*`).FindAllString(ptx, -1)
	if slices.Sort(conversions); !slices.Equal(conversions, []string{"cvt.f32.f16", "cvt.rn.f16.f32"}) {
		t.Errorf("%v", conversions)
	}
}

// A message about a user's source names its own lines: the prelude adds none.
func TestLinesAreTheSources(t *testing.T) {
	c := compile.Installed(t)
	_, _, err := kernel(t, c, "extern \"C\" __global__ void k() {\n\tx = 1;\n}\n", device.Separate)
	var refused *launch.CompileError
	if !errors.As(err, &refused) || len(refused.Diagnostics) != 1 || refused.Diagnostics[0].Line != 2 || refused.Diagnostics[0].Source != "\tx = 1;" {
		t.Errorf("an error in line 2: %v", err)
	}
	_, _, err = kernel(t, c, "#include <cooperative_groups.h>\n", device.Separate)
	if !errors.As(err, &refused) || len(refused.Diagnostics) != 1 || refused.Diagnostics[0].Line != 1 || !strings.Contains(refused.Diagnostics[0].Message, "cooperative_groups.h") {
		t.Errorf("a header that there is not: %v", err)
	}
}

// The whole way through a folder of kept images: the second time is not NVRTC's.
func TestKeptImages(t *testing.T) {
	c := compile.Installed(t)
	dir := t.TempDir()
	list := architectures(t, c)
	d := gpu(list[0]/10, list[0]%10)
	k := launch.Kernel{File: "warn.cu", Source: "extern \"C\" __global__ void k() {\n\tint unused;\n}\n", Symbol: "k"}
	first, log, err := compile.Compile(c, dir, k, d)
	if err != nil || !strings.Contains(log, "unused") {
		t.Fatalf("log %q, error %v", log, err)
	}
	once := &counted{Compiler: c}
	second, again, err := compile.Compile(once, dir, k, d)
	if err != nil || !bytes.Equal(first, second) || again != log || once.compiled != 0 {
		t.Errorf("compiled %d times, the same image %t, log %q, error %v", once.compiled, bytes.Equal(first, second), again, err)
	}
}

type counted struct {
	nvidia.Compiler
	compiled int
}

func (c *counted) CompileNamed(file, source string, headers map[string]string, options, expressions []string) ([]byte, []string, string, error) {
	c.compiled++
	return c.Compiler.CompileNamed(file, source, headers, options, expressions)
}
