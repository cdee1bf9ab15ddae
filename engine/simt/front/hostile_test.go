package front_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"workbench/engine/simt/front"
	"workbench/engine/simt/source"
)

// repeat joins what each of n numbers gives.
func repeat(n int, each func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(each(i))
	}
	return b.String()
}

// TestHostile reads sources that ask for more than there is of something. Each is an
// error of the source at a place of it, and takes no longer than a source of its size.
func TestHostile(t *testing.T) {
	const use = "__global__ void k(int* p) { p[0] = x; }"
	for name, text := range map[string]string{
		"parentheses": "__global__ void k(int* p) { p[0] = " + strings.Repeat("(", 100000),
		"braces":      "__global__ void k(int* p) " + strings.Repeat("{", 100000),
		"angles":      "template <int N> struct S {}; S" + strings.Repeat("<", 100000),
		"namespaces":  strings.Repeat("namespace a { ", 50000),
		"structs":     strings.Repeat("struct a { ", 50000),
		"pointers":    "__global__ void k(int " + strings.Repeat("*", 100000) + "p) {}",
		"conditions":  strings.Repeat("#if 1\n", 10000),
		"macros":      "#define A0 x x\n" + repeat(40, func(i int) string { return fmt.Sprintf("#define A%d A%d A%d\n", i+1, i, i) }) + "__device__ int A40;",
		"own header":  strings.Repeat("#include \"missing.h\"\n", 2000),
		"instances":   "template <int A, int B> struct S { static const int v = S<A - 1, 2 * B>::v + S<A - 1, 2 * B + 1>::v; }; template <int B> struct S<0, B> { static const int v = B; }; __device__ const int x = S<25, 0>::v; " + use,
		"constexpr":   "constexpr int f() { int s = 0; for (int i = 0;; i++) s += i; return s; } constexpr int x = f(); " + use,
		"operators":   "__global__ void k(int* p) { p[0] = " + strings.Repeat("p[0] + ", 20000) + "1; }",
		"array":       "__device__ int x[1 << 30][1 << 30]; __global__ void k(int* p) { p[0] = x[0][0]; }",
		"pointers to functions": repeat(1200, func(i int) string { return fmt.Sprintf("__device__ int f%d(int x) { return x; }\n", i) }) +
			"__device__ int (*t[])(int) = {" + repeat(1200, func(i int) string { return fmt.Sprintf("f%d, ", i) }) + "}; __global__ void k(int* p) { p[0] = t[p[1]](2); }",
	} {
		t.Run(name, func(t *testing.T) {
			unit, err := front.Read("k.cu", text, front.Options{})
			if err == nil {
				_, err = unit.Program()
			}
			var e *source.Error
			if !errors.As(err, &e) || e.Construct == front.Internal || !e.Pos.IsValid() || len(e.Error()) > 4000 {
				t.Errorf("%.300v", err)
			}
		})
	}
}
