package front

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"workbench/engine/simt/code"
	"workbench/engine/simt/source"
)

// seeds are sources that the fuzzer begins with.
func seeds(f *testing.F) []string {
	f.Helper()
	var out []string
	for _, pattern := range []string{"testdata/language/*.cu", "testdata/teaching/*.cu", "../../../kernels/*/*.cu"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			out = append(out, string(text))
		}
	}
	return append(out,
		"__global__ void k(int* p) { p[threadIdx.x] = 1; }",
		"template <int N> struct S { S<N - 1> s; }; __device__ S<5> s;",
		"template <typename T> __device__ T f(T x) { return f(&x); } __global__ void k() { f(1); }",
		"constexpr int f(int n) { return n ? f(n - 1) + f(n - 1) : 1; } __device__ int a[f(40)];",
		"struct A { A* a; A& operator->() { return *this; } }; __device__ void f(A a) { a->a->a; }",
		"__global__ void k(float* x) { float a[4] = {1, 2}; for (int i = 0; i < 4; i++) x[i] += a[i] * x[i]; switch (*x > 0) { case 1: *x = 2; default:; } }",
		"#include <cooperative_groups.h>\nnamespace cg = cooperative_groups; __global__ void k(int* p) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); p[0] = cg::reduce(t, 1, cg::plus<int>()); }",
		"#include <type_traits>\ntemplate <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0> __device__ int f(T) { return 1; } __global__ void k(int* p) { *p = f(2); }",
		"struct V { float x; __device__ V operator+(V o) const { return V{x + o.x}; } }; __global__ void k(V* v) { v[0] = v[1] + v[2]; auto f = [=](int i) { return v[i].x; }; f(1); }",
		"enum E { A = 1 << 30, B = A * 2 }; union U { int i; float f; }; __global__ void k() { U u = {1}; u.f += B; static int s; s++; __shared__ U t[3]; t[threadIdx.x] = u; }",
		"int main() { k<<<1, 2>>>(); return 0; }\n__global__ void k() { printf(\"%d %s\", 1, \"x\"); assert(1 < 2); asm(\"mov.u32 %0, %laneid;\" : \"=r\"(*(int*)0)); }",
	)
}

// slow is longer than reading any source may take.
const slow = 20 * time.Second

// FuzzRead: any text is a unit or a *source.Error, soon, and a unit's code keeps
// the rules of package code.
func FuzzRead(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// A panic ends the fuzzer's process with the input that it has: a test that
		// waits for ever says nothing.
		watchdog := time.AfterFunc(slow, func() { panic(fmt.Sprintf("%q is read for more than %v", text, slow)) })
		defer watchdog.Stop()
		unit, err := read("fuzz.cu", text, Options{})
		if err != nil {
			known(t, text, err)
			return
		}
		p, err := unit.program(false)
		if err != nil {
			known(t, text, err)
			return
		}
		if err := code.Verify(p); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		code.Text(p)
	})
}

// known holds an error to be what readers of sources are shown.
func known(t *testing.T, text string, err error) {
	t.Helper()
	var e *source.Error
	if !errors.As(err, &e) {
		t.Fatalf("%q gives the error %#v", text, err)
	}
	if e.Pos.File == nil || e.Message == "" || e.Construct == "" || len(e.Error()) > 20000 {
		t.Fatalf("%q gives %q: %s", text, e.Construct, e.Error())
	}
}
