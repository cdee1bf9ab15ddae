// What CUDA C may take for granted here, and the compiler does not know by itself.
//
// A kernel that is compiled while the program runs finds no header files: there
// may be no CUDA toolkit on this machine. So every kernel begins with this one,
// and #include <cuda_fp16.h>, <stdint.h>, <math.h> and their like are accepted
// and add nothing. It declares:
//
//   INFINITY, NAN, M_PI …, the limits of <limits.h> and <float.h>
//   int8_t … uint64_t, intptr_t, uintptr_t
//   half (__half) and __nv_bfloat16: storage, and exact conversions from and to float
//
// The compiler itself knows threadIdx, __syncthreads, size_t, float4, fmaf, printf,
// assert, atomicAdd, __shfl_down_sync and the other built-in functions of CUDA C.
//
// Arithmetic in half is left out on purpose: convert to float, compute, and
// convert back, so that each rounding can be seen.

#ifndef WORKBENCH_PRELUDE
#define WORKBENCH_PRELUDE

// ---- integers (stdint.h, limits.h) -----------------------------------------

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;

static_assert(sizeof(int64_t) == 8 && sizeof(uintptr_t) == 8 && sizeof(size_t) == 8, "CUDA C is compiled for 64-bit hosts");

namespace std {
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::intptr_t;
using ::uintptr_t;
}

#ifndef INT_MAX
#define CHAR_BIT 8
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LLONG_MIN (-9223372036854775807ll - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#endif

// ---- floating point (math.h, float.h, math_constants.h) --------------------

#ifndef INFINITY
#define INFINITY (1.0f / 0.0f)
#define NAN (0.0f / 0.0f)
#endif

#ifndef CUDART_INF_F
#define CUDART_INF_F INFINITY
#define CUDART_NAN_F NAN
#define CUDART_INF (1.0 / 0.0)
#define CUDART_NAN (0.0 / 0.0)
#endif

#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#endif

#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

// ---- float16 (cuda_fp16.h) --------------------------------------------------

// A float16: 1 sign bit, 5 bits of exponent, 10 of fraction.
struct __half {
	unsigned short bits;

	__half() = default;
	__device__ explicit __half(float x);
	__device__ explicit operator float() const;
};
typedef __half half;

__device__ __forceinline__ __half __ushort_as_half(unsigned short bits) {
	__half h;
	h.bits = bits;
	return h;
}

__device__ __forceinline__ unsigned short __half_as_ushort(__half h) { return h.bits; }

// Every float16 is a float.
__device__ __forceinline__ float __half2float(__half h) {
	float x;
	asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h.bits));
	return x;
}

// Rounds to the nearest float16, to the even one of two that are equally near,
// and to infinity from 65520 on.
__device__ __forceinline__ __half __float2half_rn(float x) {
	__half h;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
	return h;
}

__device__ __forceinline__ __half __float2half(float x) { return __float2half_rn(x); }

__device__ __forceinline__ __half::__half(float x) : bits(__half_as_ushort(__float2half_rn(x))) {}
__device__ __forceinline__ __half::operator float() const { return __half2float(*this); }

// ---- bfloat16 (cuda_bf16.h) -------------------------------------------------

// A bfloat16: the upper 16 bits of a float.
struct __nv_bfloat16 {
	unsigned short bits;

	__nv_bfloat16() = default;
	__device__ explicit __nv_bfloat16(float x);
	__device__ explicit operator float() const;
};
typedef __nv_bfloat16 nv_bfloat16;

__device__ __forceinline__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
	__nv_bfloat16 b;
	b.bits = bits;
	return b;
}

__device__ __forceinline__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) { return b.bits; }

// Every bfloat16 is a float.
__device__ __forceinline__ float __bfloat162float(__nv_bfloat16 b) {
	return __uint_as_float((unsigned int)b.bits << 16);
}

// Rounds to the nearest bfloat16, and to the even one of two that are equally
// near. Half of the last kept bit's worth is added, or one less where the number
// is even already; a carry into the exponent is as it should be, up to infinity.
__device__ __forceinline__ __nv_bfloat16 __float2bfloat16_rn(float x) {
	unsigned int u = __float_as_uint(x);
	if ((u & 0x7fffffffu) > 0x7f800000u) {
		return __ushort_as_bfloat16(0x7fff); // not a number: adding to it could make it one
	}
	return __ushort_as_bfloat16((unsigned short)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16));
}

__device__ __forceinline__ __nv_bfloat16 __float2bfloat16(float x) { return __float2bfloat16_rn(x); }

__device__ __forceinline__ __nv_bfloat16::__nv_bfloat16(float x) : bits(__bfloat16_as_ushort(__float2bfloat16_rn(x))) {}
__device__ __forceinline__ __nv_bfloat16::operator float() const { return __bfloat162float(*this); }

#endif
