// Overloads, defaults, recursion, references, lambdas.
__device__ int over(int) { return 1; } __device__ int over(unsigned) { return 2; } __device__ int over(long long) { return 3; } __device__ int over(float) { return 4; } __device__ int over(double) { return 5; } __device__ int over(const char*) { return 6; } __device__ int over(void*) { return 7; } __device__ int over(bool) { return 8; } __device__ int over(int, int) { return 9; }
__device__ int ref(int&) { return 1; } __device__ int ref(const int&) { return 2; } __device__ int ref(int&&) { return 3; }
__device__ int ptr(int*) { return 1; } __device__ int ptr(const int*) { return 2; }
__device__ int later(int x);
__device__ int def(int a, int b = 10, int c = 100) { return a + b + c; }
__device__ int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
__device__ int odd(int n);
__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__device__ int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); }
__device__ int later(int x) { return x * 7; }
struct Tree { int v; int l, r; };
__device__ int walk(const Tree* t, int i) { if (i < 0) return 0; return t[i].v + walk(t, t[i].l) * 2 + walk(t, t[i].r) * 3; }
__device__ void hanoi(int n, int from, int to, int via, int& moves) { if (n == 0) return; hanoi(n - 1, from, via, to, moves); moves = moves * 3 + from + to; hanoi(n - 1, via, to, from, moves); }
__device__ float4 scale(float4 v, float s) { v.x *= s; v.y *= s; return v; }
__device__ int count() { static int n = 100; return ++n; }
__device__ inline int& larger(int& a, int& b) { return a > b ? a : b; }
__device__ int modifies(int x) { x += 5; x *= 2; return x; }
__device__ int alias(int a, int& b) { b = 50; return a; }
__device__ void fill(int (&a)[4], int v) { for (int i = 0; i < 4; i++) a[i] = v + i; }
template <typename F> __device__ int call(F f, int x) { return f(x) + f(x + 1); }
template <typename F> __device__ void each(int n, F f) { for (int i = 0; i < n; i++) f(i); }
struct Adder { int base; __device__ int operator()(int x) const { return base + x; } };
__device__ auto deduced(int x) { if (x > 0) return 1.5f; return 2.5f; }
__device__ void nothing() {}
__device__ void nested_void() { return nothing(); }
__device__ int unnamed(int, int b, float) { return b; }
constexpr int square(int x) { return x * x; }
extern "C" __global__ void k(int* out) {
	int n = 0; short s = 1; char c = 2; float f = 1; int x = 4, y = 9; const int cx = 5;
	out[n++] = over(1); out[n++] = over(1u); out[n++] = over(1LL); out[n++] = over(f); out[n++] = over(1.0); out[n++] = over(s); out[n++] = over(c); out[n++] = over("a"); out[n++] = over(&x); out[n++] = over(true); out[n++] = over(1, 2); out[n++] = over('a' + 1);
	out[n++] = ref(x); out[n++] = ref(cx); out[n++] = ref(5); out[n++] = ref(x + 1); out[n++] = ptr(&x); out[n++] = ptr(&cx); out[n++] = later(3); out[n++] = def(1) + def(1, 2) + def(1, 2, 3);
	out[n++] = fact(6); out[n++] = even(10) * 10 + odd(7); out[n++] = fib(12); Tree t[4] = {{1, 1, 2}, {2, 3, -1}, {3, -1, -1}, {4, -1, -1}}; out[n++] = walk(t, 0); int moves = 0; hanoi(4, 1, 3, 2, moves); out[n++] = moves;
	float4 v = make_float4(1, 2, 3, 4); float4 w = scale(v, 3); out[n++] = (int)(w.x + w.y + w.z + v.x); count(); out[n++] = count(); larger(x, y) = 1; out[n++] = x * 10 + y; out[n++] = modifies(x); out[n++] = x; int z = 3; out[n++] = alias(z, z); out[n++] = z;
	int a[4]; fill(a, 5); out[n++] = a[3]; Adder add = {10}; out[n++] = call(add, 1); out[n++] = call([](int q) { return q * q; }, 3); int k2 = 7; out[n++] = call([=](int q) { return q + k2; }, 1); int total = 0; each(5, [&](int i) { total += i * k2; }); out[n++] = total;
	auto twice = [](auto v) { return v + v; }; out[n++] = twice(4) + (int)twice(1.5f); int cnt = 0; auto inc = [&cnt]() mutable -> int { return ++cnt; }; inc(); inc(); out[n++] = cnt; auto keep = [v = x * 3, &y](int b) { y += b; return v; }; out[n++] = keep(5) + y; int arr[3] = {1, 2, 3}; auto sum = [&] { int s = 0; for (int i = 0; i < 3; i++) s += arr[i]; return s; }; arr[0] = 10; out[n++] = sum();
	auto outer = [&](int a) { auto inner = [&](int b) { return a * b + x; }; return inner(a + 1); }; out[n++] = outer(3); auto copy = [x]() mutable { x += 1; return x; }; out[n++] = copy() * 10 + copy(); out[n++] = x;
	out[n++] = (int)(deduced(1) * 2); nested_void(); out[n++] = unnamed(1, 2, 3); int sq[square(3)]; out[n++] = sizeof(sq) / sizeof(sq[0]); int i = 2; i = i++ + 1; out[n++] = i; out[n++] = square(i) + square(2); nothing(), out[n++] = 77; (void)x; out[n++] = [] { return 5; }();
}
