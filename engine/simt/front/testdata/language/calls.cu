// Functions as values: pointers, tables, arguments of templates.
typedef int (*unary_t)(int);
using binary_t = int (*)(int, int);
__device__ int square(int x) { return x * x; }
__device__ int cube(int x) { return x * x * x; }
__device__ int add(int x, int y) { return x + y; }
__device__ int sub(int x, int y) { return x - y; }
__device__ float half_of(float x) { return x / 2; }
__device__ void bump(int& x) { x += 10; }
struct Pair { int a, b; };
__device__ Pair swapped(Pair p) { Pair q = {p.b, p.a}; return q; }
__device__ int depth(int (*f)(int), int n) { return n == 0 ? 0 : f(n) + depth(f, n - 1); }
template <typename T> __device__ T twice(T x) { return x + x; }
template <unary_t F> __device__ int at_compile_time(int x) { return F(x) + F(x + 1); }
template <int (*F)(int, int)> struct Fold { __device__ static int over(const int* a, int n) { int s = a[0]; for (int i = 1; i < n; i++) s = F(s, a[i]); return s; } };
template <typename F> __device__ int apply(F f, int x) { return f(x); }
__device__ int through(unary_t f, int x) { return f(x) + (*f)(x + 1); }
__device__ unary_t table[3] = {square, cube, twice<int>};
__device__ binary_t chosen = sub;
__device__ unary_t pick(int i) { return i ? cube : square; }
struct Step { unary_t f; int with; };
__device__ int run(const Step* s, int n, int x) { for (int i = 0; i < n; i++) if (s[i].f) x = s[i].f(x) + s[i].with; return x; }
extern "C" __global__ void k(int* out) {
	int n = 0; volatile int one = 1; int i1 = one;
	unary_t f = square; out[n++] = f(5); f = cube; out[n++] = f(3); f = i1 ? square : cube; out[n++] = f(4); binary_t g = &add; out[n++] = g(3, 4); out[n++] = (*g)(5, 6); out[n++] = chosen(9, 4); chosen = add; out[n++] = chosen(9, 4);
	out[n++] = at_compile_time<square>(3); out[n++] = at_compile_time<cube>(2); int a[4] = {9, 2, 3, 4}; out[n++] = Fold<add>::over(a, 4); out[n++] = Fold<sub>::over(a, 4);
	out[n++] = apply(square, 6); out[n++] = apply(&cube, 2); out[n++] = apply(twice<int>, 21); out[n++] = apply(f, 3); out[n++] = through(square, 2); out[n++] = through(f, 2); out[n++] = depth(square, 4); out[n++] = depth(f, 3);
	for (int i = 0; i < 3; i++) out[n++] = table[i](i + 2); out[n++] = pick(0)(7); out[n++] = pick(i1)(2); out[n++] = (i1 > 5 ? square : twice<int>)(8);
	int (*local[2])(int) = {cube, square}; out[n++] = local[i1](9) + local[1 - i1](1); unary_t none = nullptr; out[n++] = none == nullptr; out[n++] = f == square; out[n++] = f != cube; out[n++] = !none; if (f) out[n++] = 1;
	Step steps[3] = {{square, 1}, {nullptr, 100}, {cube, -1}}; out[n++] = run(steps, 3, 2); float (*h)(float) = half_of; out[n++] = (int)(h(9) * 2); void (*b)(int&) = bump; int x = 5; b(x); out[n++] = x; Pair (*s)(Pair) = swapped; Pair p = {1, 2}; out[n++] = s(p).a * 10 + s(p).b; auto q = square; out[n++] = q(11);
}
