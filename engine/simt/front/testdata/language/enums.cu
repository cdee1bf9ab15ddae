// Enums, typedefs, namespaces, scopes, constants.
enum Color { Red, Green = 5, Blue, Alias = Green };
enum class Mode : unsigned char { Off, On = 3, Auto };
enum { Anonymous = 42, Next };
enum Small : short { Tiny = -1 };
typedef unsigned int word; typedef int row[3]; typedef int (*grid)[3]; using real = float; using pair = struct { int a, b; };
namespace math { __device__ int twice(int x) { return 2 * x; } namespace deep { constexpr int depth = 3; struct S { int v; }; __device__ int get(S s) { return s.v; } } inline namespace v1 { __device__ int versioned() { return 1; } } }
namespace m = math; namespace { __device__ int hidden() { return 11; } } using math::deep::depth; namespace other { using namespace math; __device__ int four(int x) { return twice(twice(x)); } }
const int global_const = 12; constexpr float global_pi = 3.14f; static const unsigned table_size = global_const * 2; __constant__ int table[4] = {10, 20, 30}; __device__ const float weights[2] = {0.5f, 1.5f}; constexpr int squares[5] = {0, 1, 4, 9, 16};
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int sum_to(int n) { int s = 0; for (int i = 1; i <= n; i++) { if (i == 4) continue; s += i; } return s; }
struct Config { int a, b; constexpr Config(int x) : a(x), b(x * 2) {} constexpr int sum() const { return a + b; } static constexpr int limit = 8; };
constexpr Config config(5); static_assert(config.sum() == 15, "sum"); static_assert(fib(10) == 55 && sizeof(Mode) == 1); __device__ int shadowed = 1;
extern "C" __global__ void k(int* out) {
	int n = 0; Color c = Blue; out[n++] = c; out[n++] = Red + Alias; out[n++] = Color::Green; out[n++] = c == Blue ? 1 : 2; Mode mode = Mode::Auto; out[n++] = (int)mode; out[n++] = mode == Mode::On; out[n++] = static_cast<int>(Mode::On) | 8; out[n++] = mode > Mode::Off; out[n++] = Anonymous + Next; out[n++] = Tiny; out[n++] = sizeof(Small); c = (Color)1; out[n++] = c; c = static_cast<Color>(c + 1); out[n++] = c;
	switch (mode) { case Mode::Off: out[n++] = 1; break; case Mode::Auto: out[n++] = 2; break; default: out[n++] = 3; } switch (c) { case Red: out[n++] = 4; break; default: out[n++] = 5; }
	word w = -1; out[n++] = w > 5; row r = {1, 2, 3}; row g[2] = {{1, 2, 3}, {4, 5, 6}}; grid gr = g; out[n++] = gr[1][2] + r[1]; real f = 2.5f; out[n++] = (int)(f * 2); pair pr = {3, 4}; out[n++] = pr.a + pr.b;
	out[n++] = math::twice(4); out[n++] = m::deep::depth; out[n++] = depth; out[n++] = other::four(3); out[n++] = math::versioned(); out[n++] = hidden(); math::deep::S s = {6}; out[n++] = get(s); { using namespace math; out[n++] = twice(5); } using math::twice; out[n++] = twice(6); out[n++] = ::math::twice(7);
	out[n++] = global_const; out[n++] = (int)(global_pi * 100); int a[table_size]; out[n++] = sizeof(a); int i = 2; i += threadIdx.x; out[n++] = table[i] + table[3]; out[n++] = (int)(weights[i - 1] * 10); out[n++] = squares[i] + squares[4]; out[n++] = fib(15); out[n++] = sum_to(10); constexpr int local = fib(7); int b[local]; out[n++] = sizeof(b) / 4; out[n++] = config.sum(); out[n++] = Config::limit; constexpr Config lc = 7; out[n++] = lc.b; constexpr int primes[] = {2, 3, 5, 7}; out[n++] = primes[i] + primes[3] + sizeof(primes);
	int shadowed = 5; out[n++] = shadowed; out[n++] = ::shadowed; ::shadowed = 9; out[n++] = ::shadowed; const int& cr = global_const; out[n++] = cr; enum Inner { P = 7 }; out[n++] = P; typedef short tiny; tiny t = (tiny)40000; out[n++] = t; out[n++] = sizeof(tiny[5]); const auto q = i * 2; out[n++] = q; auto* p = &i; *p = 8; out[n++] = i; auto& rr = i; rr++; out[n++] = i; decltype(i) dd = 4; out[n++] = dd;
}
