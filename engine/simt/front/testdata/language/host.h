// What makes a C++ compiler for this machine read the files of this folder: the
// words of CUDA C, and what of its library they use. See language_test.go.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#define __device__
#define __host__
#define __global__
#define __shared__ static
#define __constant__ const
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
static inline int __float_as_int(float x) { int u; std::memcpy(&u, &x, 4); return u; }
static inline float __int_as_float(int u) { float x; std::memcpy(&x, &u, 4); return x; }
static inline long long __double_as_longlong(double x) { long long u; std::memcpy(&u, &x, 8); return u; }
#define V(T, N, A2, A4) \
	struct N##2 { T x, y; } __align__(A2); struct N##3 { T x, y, z; }; struct N##4 { T x, y, z, w; } __align__(A4); \
	static inline N##2 make_##N##2(T x, T y) { return N##2{x, y}; } \
	static inline N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; } \
	static inline N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }
V(int, int, 8, 16)
V(unsigned int, uint, 8, 16)
V(float, float, 8, 16)
V(double, double, 16, 16)
V(unsigned char, uchar, 2, 4)
static inline int min(int x, int y) { return x < y ? x : y; }
static inline int max(int x, int y) { return x < y ? y : x; }
using std::ptrdiff_t;
static const uint3 threadIdx = {0, 0, 0};
