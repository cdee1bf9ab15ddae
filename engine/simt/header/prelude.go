package header

// prelude has the words of the language that are macros, the limits, and the
// names of integers.
const prelude = `
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 700
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 8
#define CUDART_VERSION 11080
#define CUDA_VERSION 11080
#define __cplusplus 201703L
#define __STDC_HOSTED__ 0
#define __LP64__ 1
#define __x86_64__ 1
#define __linux__ 1

#define NULL 0
#define INFINITY __int_as_float(0x7f800000)
#define HUGE_VALF __int_as_float(0x7f800000)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000ll)
#define NAN __int_as_float(0x7fffffff)
#define CUDART_INF_F __int_as_float(0x7f800000)
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_MIN_DENORM_F __int_as_float(0x00000001)
#define CUDART_MAX_NORMAL_F __int_as_float(0x7f7fffff)
#define CUDART_NEG_ZERO_F __int_as_float(0x80000000)
#define CUDART_ZERO_F 0.0f
#define CUDART_ONE_F 1.0f
#define CUDART_SQRT_HALF_F 0.707106781f
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_PI_F 3.141592654f
#define CUDART_PIO2_F 1.570796327f
#define CUDART_PIO4_F 0.785398163f
#define CUDART_2_OVER_PI_F 0.636619772f
#define CUDART_LN2_F 0.693147181f
#define CUDART_L2E_F 1.442695041f
#define CUDART_L2T_F 3.321928094f
#define CUDART_LG2_F 0.301029996f
#define CUDART_INF __longlong_as_double(0x7ff0000000000000ll)
#define CUDART_NAN __longlong_as_double(0xfff8000000000000ll)
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_SQRT_TWO 1.4142135623730951e+0
#define CUDART_LN2 6.9314718055994529e-1

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MIN (-9223372036854775807ll - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN LONG_MIN
#define INT64_MAX LONG_MAX
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX

#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define FLT_TRUE_MIN 1.401298464e-45f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_TRUE_MIN 4.9406564584124654e-324

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

#define assert(...) __assert((__VA_ARGS__), #__VA_ARGS__)
#define UINT64_C(x) x##ul
#define INT64_C(x) x##l
#define UINT32_C(x) x##u
#define INT32_C(x) x
#define PRId64 "ld"
#define PRIu64 "lu"
#define PRIx64 "lx"

typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef long ssize_t;
typedef long clock_t;
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
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;

namespace std {
using ::size_t; using ::ptrdiff_t;
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t;
typedef decltype(nullptr) nullptr_t;
}
`

// vectors has float4 and its like, dim3, and where a thread is.
const vectors = `
#define V(T, N, A2, A4) \
	struct N##1 { T x; }; \
	struct __align__(A2) N##2 { T x, y; }; \
	struct N##3 { T x, y, z; }; \
	struct __align__(A4) N##4 { T x, y, z, w; }; \
	__device__ N##1 make_##N##1(T x) { return N##1{x}; } \
	__device__ N##2 make_##N##2(T x, T y) { return N##2{x, y}; } \
	__device__ N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; } \
	__device__ N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }
V(signed char, char, 2, 4)
V(unsigned char, uchar, 2, 4)
V(short, short, 4, 8)
V(unsigned short, ushort, 4, 8)
V(int, int, 8, 16)
V(unsigned int, uint, 8, 16)
V(long, long, 16, 16)
V(unsigned long, ulong, 16, 16)
V(long long, longlong, 16, 16)
V(unsigned long long, ulonglong, 16, 16)
V(float, float, 8, 16)
V(double, double, 16, 16)
#undef V

struct dim3 {
	unsigned int x, y, z;
	__device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
	__device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	__device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

extern __device__ const uint3 threadIdx __intrinsic(tid);
extern __device__ const uint3 blockIdx __intrinsic(ctaid);
extern __device__ const dim3 blockDim __intrinsic(ntid);
extern __device__ const dim3 gridDim __intrinsic(nctaid);
constexpr int warpSize = 32;
`

// device has what threads do with one another and with memory.
const device = `
__device__ void __syncthreads() __intrinsic(barrier);
__device__ int __syncthreads_count(int p) __intrinsic(barrier.count);
__device__ int __syncthreads_and(int p) __intrinsic(barrier.and);
__device__ int __syncthreads_or(int p) __intrinsic(barrier.or);
__device__ void __syncwarp(unsigned int mask = 0xffffffff) __intrinsic(syncwarp);
__device__ void __threadfence_block() __intrinsic(fence.block);
__device__ void __threadfence() __intrinsic(fence.device);
__device__ void __threadfence_system() __intrinsic(fence.system);

__device__ int __all_sync(unsigned int mask, int p) __intrinsic(vote.all);
__device__ int __any_sync(unsigned int mask, int p) __intrinsic(vote.any);
__device__ int __uni_sync(unsigned int mask, int p) __intrinsic(vote.uni);
__device__ unsigned int __ballot_sync(unsigned int mask, int p) __intrinsic(vote.ballot);
__device__ unsigned int __activemask() __intrinsic(activemask);

#define S(T) \
	__device__ T __shfl_sync(unsigned int mask, T x, int lane, int width = 32) __intrinsic(shuffle.idx); \
	__device__ T __shfl_up_sync(unsigned int mask, T x, unsigned int delta, int width = 32) __intrinsic(shuffle.up); \
	__device__ T __shfl_down_sync(unsigned int mask, T x, unsigned int delta, int width = 32) __intrinsic(shuffle.down); \
	__device__ T __shfl_xor_sync(unsigned int mask, T x, int lanes, int width = 32) __intrinsic(shuffle.xor);
S(int) S(unsigned int) S(long) S(unsigned long) S(long long) S(unsigned long long) S(float) S(double) S(__half) S(__nv_bfloat16)
#undef S

#define M(T) \
	__device__ unsigned int __match_any_sync(unsigned int mask, T x) __intrinsic(match.any); \
	__device__ unsigned int __match_all_sync(unsigned int mask, T x, int* same) __intrinsic(match.all);
M(int) M(unsigned int) M(long) M(unsigned long) M(long long) M(unsigned long long) M(float) M(double)
#undef M

__device__ int __reduce_add_sync(unsigned int mask, int x) __intrinsic(reduce.add);
__device__ int __reduce_min_sync(unsigned int mask, int x) __intrinsic(reduce.min);
__device__ int __reduce_max_sync(unsigned int mask, int x) __intrinsic(reduce.max);
__device__ unsigned int __reduce_add_sync(unsigned int mask, unsigned int x) __intrinsic(reduce.add);
__device__ unsigned int __reduce_min_sync(unsigned int mask, unsigned int x) __intrinsic(reduce.min);
__device__ unsigned int __reduce_max_sync(unsigned int mask, unsigned int x) __intrinsic(reduce.max);
__device__ unsigned int __reduce_and_sync(unsigned int mask, unsigned int x) __intrinsic(reduce.and);
__device__ unsigned int __reduce_or_sync(unsigned int mask, unsigned int x) __intrinsic(reduce.or);
__device__ unsigned int __reduce_xor_sync(unsigned int mask, unsigned int x) __intrinsic(reduce.xor);

#define A(T, F, OP) \
	__device__ T F(T* p, T x) __intrinsic(atomic.OP); \
	__device__ T F##_block(T* p, T x) __intrinsic(atomic.OP.block); \
	__device__ T F##_system(T* p, T x) __intrinsic(atomic.OP.system);
A(int, atomicAdd, add) A(unsigned int, atomicAdd, add) A(unsigned long long, atomicAdd, add) A(float, atomicAdd, add) A(double, atomicAdd, add)
A(__half, atomicAdd, add) A(__nv_bfloat16, atomicAdd, add)
A(int, atomicSub, sub) A(unsigned int, atomicSub, sub)
A(int, atomicExch, exch) A(unsigned int, atomicExch, exch) A(unsigned long long, atomicExch, exch) A(float, atomicExch, exch)
A(int, atomicMin, min) A(unsigned int, atomicMin, min) A(long long, atomicMin, min) A(unsigned long long, atomicMin, min)
A(int, atomicMax, max) A(unsigned int, atomicMax, max) A(long long, atomicMax, max) A(unsigned long long, atomicMax, max)
A(unsigned int, atomicInc, inc) A(unsigned int, atomicDec, dec)
A(int, atomicAnd, and) A(unsigned int, atomicAnd, and) A(unsigned long long, atomicAnd, and)
A(int, atomicOr, or) A(unsigned int, atomicOr, or) A(unsigned long long, atomicOr, or)
A(int, atomicXor, xor) A(unsigned int, atomicXor, xor) A(unsigned long long, atomicXor, xor)
#undef A
#define A(T) \
	__device__ T atomicCAS(T* p, T compare, T x) __intrinsic(atomic.cas); \
	__device__ T atomicCAS_block(T* p, T compare, T x) __intrinsic(atomic.cas.block); \
	__device__ T atomicCAS_system(T* p, T compare, T x) __intrinsic(atomic.cas.system);
A(int) A(unsigned int) A(unsigned long long) A(unsigned short)
#undef A

template <typename T> __device__ T __ldg(const T* p) { return *p; }
template <typename T> __device__ T __ldcg(const T* p) { return *p; }
template <typename T> __device__ T __ldca(const T* p) { return *p; }
template <typename T> __device__ T __ldcs(const T* p) { return *p; }
template <typename T> __device__ T __ldlu(const T* p) { return *p; }
template <typename T> __device__ T __ldcv(const T* p) { return *p; }
template <typename T> __device__ void __stwb(T* p, T x) { *p = x; }
template <typename T> __device__ void __stcg(T* p, T x) { *p = x; }
template <typename T> __device__ void __stcs(T* p, T x) { *p = x; }
template <typename T> __device__ void __stwt(T* p, T x) { *p = x; }
__device__ bool __isGlobal(const void* p) { return p && __is_global(p); }
__device__ bool __isShared(const void* p) { return p && __is_shared(p); }
__device__ bool __isLocal(const void* p) { return p && __is_local(p); }
__device__ bool __isConstant(const void* p) { return p && __is_constant(p); }
__device__ bool __is_global(const void* p) __intrinsic(math.is_global);
__device__ bool __is_shared(const void* p) __intrinsic(math.is_shared);
__device__ bool __is_local(const void* p) __intrinsic(math.is_local);
__device__ bool __is_constant(const void* p) __intrinsic(math.is_constant);

__device__ clock_t clock() __intrinsic(clock);
__device__ long long clock64() __intrinsic(clock64);
__device__ unsigned long long __globaltimer() __intrinsic(globaltimer);
__device__ void __nanosleep(unsigned int ns) __intrinsic(math.nanosleep);
__device__ int printf(const char* format, ...) __intrinsic(printf);
__device__ void __assert(bool holds, const char* text) __intrinsic(assert);
__device__ void __trap() __intrinsic(trap);
__device__ void __brkpt() {}
__device__ void __prof_trigger(int) {}
__device__ constexpr long __builtin_expect(long x, long) { return x; }
__device__ void __builtin_assume(bool) {}
__device__ void __builtin_unreachable() { __trap(); }
__device__ void __builtin_trap() { __trap(); }
template <typename T> __device__ T* __builtin_assume_aligned(T* p, size_t) { return p; }

__device__ void* memcpy(void* to, const void* from, size_t n) {
	for (size_t i = 0; i < n; i++) ((unsigned char*)to)[i] = ((const unsigned char*)from)[i];
	return to;
}
__device__ void* memmove(void* to, const void* from, size_t n) {
	if (to > from) for (size_t i = n; i > 0; i--) ((unsigned char*)to)[i - 1] = ((const unsigned char*)from)[i - 1];
	else for (size_t i = 0; i < n; i++) ((unsigned char*)to)[i] = ((const unsigned char*)from)[i];
	return to;
}
__device__ void* memset(void* to, int x, size_t n) {
	for (size_t i = 0; i < n; i++) ((unsigned char*)to)[i] = (unsigned char)x;
	return to;
}

// Bits, and products of integers.
__device__ int __popc(unsigned int x) __intrinsic(math.popc);
__device__ int __popcll(unsigned long long x) __intrinsic(math.popc);
__device__ int __clz(int x) { return __clz_u((unsigned int)x); }
__device__ int __clzll(long long x) { return __clz_u((unsigned long long)x); }
__device__ int __ffs(int x) { return __ffs_u((unsigned int)x); }
__device__ int __ffsll(long long x) { return __ffs_u((unsigned long long)x); }
__device__ int __clz_u(unsigned int x) __intrinsic(math.clz);
__device__ int __clz_u(unsigned long long x) __intrinsic(math.clz);
__device__ int __ffs_u(unsigned int x) __intrinsic(math.ffs);
__device__ int __ffs_u(unsigned long long x) __intrinsic(math.ffs);
__device__ unsigned int __brev(unsigned int x) __intrinsic(math.brev);
__device__ unsigned long long __brevll(unsigned long long x) __intrinsic(math.brev);
__device__ unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s) __intrinsic(math.byte_perm);
__device__ unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int n) __intrinsic(math.funnel_l);
__device__ unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int n) __intrinsic(math.funnel_r);
__device__ unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int n) __intrinsic(math.funnel_lc);
__device__ unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int n) __intrinsic(math.funnel_rc);
__device__ unsigned int __fns(unsigned int mask, unsigned int base, int offset) __intrinsic(math.fns);
__device__ int __mulhi(int x, int y) __intrinsic(binary.mulhi);
__device__ unsigned int __umulhi(unsigned int x, unsigned int y) __intrinsic(binary.mulhi);
__device__ long long __mul64hi(long long x, long long y) __intrinsic(binary.mulhi);
__device__ unsigned long long __umul64hi(unsigned long long x, unsigned long long y) __intrinsic(binary.mulhi);
__device__ int __mul24(int x, int y) __intrinsic(math.mul24);
__device__ unsigned int __umul24(unsigned int x, unsigned int y) __intrinsic(math.mul24);
__device__ unsigned int __sad(int x, int y, unsigned int z) __intrinsic(math.sad);
__device__ unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) __intrinsic(math.sad);
__device__ int __hadd(int x, int y) __intrinsic(math.hadd);
__device__ unsigned int __uhadd(unsigned int x, unsigned int y) __intrinsic(math.hadd);
__device__ int __rhadd(int x, int y) __intrinsic(math.rhadd);
__device__ unsigned int __urhadd(unsigned int x, unsigned int y) __intrinsic(math.rhadd);
__device__ int __dp4a(int x, int y, int z) __intrinsic(math.dp4a);
__device__ unsigned int __dp4a(unsigned int x, unsigned int y, unsigned int z) __intrinsic(math.dp4a);
__device__ int __dp2a_lo(int x, int y, int z) __intrinsic(math.dp2a_lo);
__device__ unsigned int __dp2a_lo(unsigned int x, unsigned int y, unsigned int z) __intrinsic(math.dp2a_lo);
__device__ int __dp2a_hi(int x, int y, int z) __intrinsic(math.dp2a_hi);
__device__ unsigned int __dp2a_hi(unsigned int x, unsigned int y, unsigned int z) __intrinsic(math.dp2a_hi);

// Two or four integers in one word.
#define V(F, W, X) \
	__device__ unsigned int F(unsigned int x, unsigned int y) { \
		const unsigned int ones = W == 8 ? 0xff : 0xffff; \
		unsigned int out = 0; \
		for (int i = 0; i < 32; i += W) { \
			const int a = (int)(x >> i & ones), b = (int)(y >> i & ones); \
			const int sa = (a ^ ((int)(ones >> 1) + 1)) - ((int)(ones >> 1) + 1), sb = (b ^ ((int)(ones >> 1) + 1)) - ((int)(ones >> 1) + 1); \
			const int high = (int)ones, top = (int)(ones >> 1), low = -top - 1; \
			out |= ((unsigned int)(X) & ones) << i; \
		} \
		return out; \
	}
#define VV(F, X) V(__v##F##2, 16, X) V(__v##F##4, 8, X)
VV(add, a + b) VV(sub, a - b) VV(addus, min(a + b, high)) VV(subus, max(a - b, 0)) VV(addss, max(low, min(sa + sb, top))) VV(subss, max(low, min(sa - sb, top)))
VV(absdiffu, abs(a - b)) VV(absdiffs, abs(sa - sb)) VV(maxu, max(a, b)) VV(minu, min(a, b)) VV(maxs, max(sa, sb)) VV(mins, min(sa, sb)) VV(avgu, (a + b + 1) >> 1) VV(haddu, (a + b) >> 1)
VV(cmpeq, a == b ? -1 : 0) VV(cmpne, a != b ? -1 : 0) VV(cmpgtu, a > b ? -1 : 0) VV(cmpgeu, a >= b ? -1 : 0) VV(cmpltu, a < b ? -1 : 0) VV(cmpleu, a <= b ? -1 : 0)
VV(cmpgts, sa > sb ? -1 : 0) VV(cmpges, sa >= sb ? -1 : 0) VV(cmplts, sa < sb ? -1 : 0) VV(cmples, sa <= sb ? -1 : 0)
VV(seteq, a == b) VV(setne, a != b) VV(setgtu, a > b) VV(setgeu, a >= b) VV(setltu, a < b) VV(setleu, a <= b) VV(setgts, sa > sb) VV(setges, sa >= sb) VV(setlts, sa < sb) VV(setles, sa <= sb)
#undef VV
#undef V
#define S(W) \
	__device__ unsigned int __vneg##W(unsigned int x) { return __vsub##W(0, x); } \
	__device__ unsigned int __vnegss##W(unsigned int x) { return __vsubss##W(0, x); } \
	__device__ unsigned int __vabs##W(unsigned int x) { return __vabsdiffs##W(x, 0); } \
	__device__ unsigned int __vabsss##W(unsigned int x) { return __vmaxs##W(x, __vsubss##W(0, x)); }
S(2) S(4)
#undef S
__device__ unsigned int __vsadu4(unsigned int x, unsigned int y) { unsigned int d = __vabsdiffu4(x, y); return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24); }
__device__ unsigned int __vsads4(unsigned int x, unsigned int y) { unsigned int d = __vabsdiffs4(x, y); return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24); }
__device__ unsigned int __vsadu2(unsigned int x, unsigned int y) { unsigned int d = __vabsdiffu2(x, y); return (d & 0xffff) + (d >> 16); }
__device__ unsigned int __vsads2(unsigned int x, unsigned int y) { unsigned int d = __vabsdiffs2(x, y); return (d & 0xffff) + (d >> 16); }

// The bits of one type as another.
__device__ constexpr int __float_as_int(float x) __intrinsic(bits);
__device__ constexpr unsigned int __float_as_uint(float x) __intrinsic(bits);
__device__ constexpr float __int_as_float(int x) __intrinsic(bits);
__device__ constexpr float __uint_as_float(unsigned int x) __intrinsic(bits);
__device__ constexpr long long __double_as_longlong(double x) __intrinsic(bits);
__device__ constexpr double __longlong_as_double(long long x) __intrinsic(bits);
__device__ constexpr int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
__device__ constexpr int __double2loint(double x) { return (int)__double_as_longlong(x); }
__device__ constexpr double __hiloint2double(int hi, int lo) { return __longlong_as_double((long long)(((unsigned long long)(unsigned int)hi << 32) | (unsigned int)lo)); }

// Conversions whose rounding is named.
#define C(F, TO, FROM) \
	__device__ TO __##F##_rn(FROM x) __intrinsic(convert.rn); \
	__device__ TO __##F##_rz(FROM x) __intrinsic(convert.rz); \
	__device__ TO __##F##_rd(FROM x) __intrinsic(convert.rd); \
	__device__ TO __##F##_ru(FROM x) __intrinsic(convert.ru);
C(float2int, int, float) C(float2uint, unsigned int, float) C(float2ll, long long, float) C(float2ull, unsigned long long, float)
C(double2int, int, double) C(double2uint, unsigned int, double) C(double2ll, long long, double) C(double2ull, unsigned long long, double)
C(double2float, float, double)
C(int2float, float, int) C(uint2float, float, unsigned int) C(ll2float, float, long long) C(ull2float, float, unsigned long long)
C(ll2double, double, long long) C(ull2double, double, unsigned long long)
#undef C
__device__ double __int2double_rn(int x) { return x; }
__device__ double __uint2double_rn(unsigned int x) { return x; }
`

// mathematics has math.h, and CUDA's own.
const mathematics = `
#define F1(N) \
	__device__ float N##f(float x) __intrinsic(math.N); \
	__device__ float N(float x) __intrinsic(math.N); \
	__device__ double N(double x) __intrinsic(math.N);
#define F2(N) \
	__device__ float N##f(float x, float y) __intrinsic(math.N); \
	__device__ float N(float x, float y) __intrinsic(math.N); \
	__device__ double N(double x, double y) __intrinsic(math.N); \
	__device__ double N(float x, double y) { return N((double)x, y); } \
	__device__ double N(double x, float y) { return N(x, (double)y); } \
	__device__ double N(int x, double y) { return N((double)x, y); } \
	__device__ double N(double x, int y) { return N(x, (double)y); } \
	__device__ double N(float x, int y) { return N((double)x, (double)y); } \
	__device__ double N(int x, float y) { return N((double)x, (double)y); } \
	__device__ double N(int x, int y) { return N((double)x, (double)y); }
F1(sqrt) F1(rsqrt) F1(cbrt) F1(rcbrt) F1(exp) F1(exp2) F1(exp10) F1(expm1) F1(log) F1(log2) F1(log10) F1(log1p) F1(logb)
F1(sin) F1(cos) F1(tan) F1(sinpi) F1(cospi) F1(asin) F1(acos) F1(atan) F1(sinh) F1(cosh) F1(tanh) F1(asinh) F1(acosh) F1(atanh)
F1(erf) F1(erfc) F1(erfinv) F1(erfcinv) F1(erfcx) F1(normcdf) F1(normcdfinv) F1(tgamma) F1(lgamma)
F1(ceil) F1(floor) F1(trunc) F1(round) F1(rint)
F2(pow) F2(atan2) F2(hypot) F2(rhypot) F2(fmod) F2(remainder) F2(fdim) F2(copysign) F2(nextafter)
#undef F1
#undef F2

__device__ float fabsf(float x) __intrinsic(unary.abs);
__device__ float fabs(float x) __intrinsic(unary.abs);
__device__ double fabs(double x) __intrinsic(unary.abs);
__device__ int abs(int x) __intrinsic(unary.abs);
__device__ long abs(long x) __intrinsic(unary.abs);
__device__ long long abs(long long x) __intrinsic(unary.abs);
__device__ float abs(float x) __intrinsic(unary.abs);
__device__ double abs(double x) __intrinsic(unary.abs);
__device__ long labs(long x) __intrinsic(unary.abs);
__device__ long long llabs(long long x) __intrinsic(unary.abs);

__device__ float fminf(float x, float y) __intrinsic(binary.min);
__device__ float fmin(float x, float y) __intrinsic(binary.min);
__device__ double fmin(double x, double y) __intrinsic(binary.min);
__device__ double fmin(float x, double y) { return fmin((double)x, y); }
__device__ double fmin(double x, float y) { return fmin(x, (double)y); }
__device__ float fmaxf(float x, float y) __intrinsic(binary.max);
__device__ float fmax(float x, float y) __intrinsic(binary.max);
__device__ double fmax(double x, double y) __intrinsic(binary.max);
__device__ double fmax(float x, double y) { return fmax((double)x, y); }
__device__ double fmax(double x, float y) { return fmax(x, (double)y); }
#define MM(F) \
	__device__ constexpr int F(int x, int y) __intrinsic(binary.F); \
	__device__ constexpr unsigned int F(unsigned int x, unsigned int y) __intrinsic(binary.F); \
	__device__ constexpr unsigned int F(int x, unsigned int y) { return F((unsigned int)x, y); } \
	__device__ constexpr unsigned int F(unsigned int x, int y) { return F(x, (unsigned int)y); } \
	__device__ constexpr long F(long x, long y) __intrinsic(binary.F); \
	__device__ constexpr unsigned long F(unsigned long x, unsigned long y) __intrinsic(binary.F); \
	__device__ constexpr unsigned long F(long x, unsigned long y) { return F((unsigned long)x, y); } \
	__device__ constexpr unsigned long F(unsigned long x, long y) { return F(x, (unsigned long)y); } \
	__device__ constexpr long long F(long long x, long long y) __intrinsic(binary.F); \
	__device__ constexpr unsigned long long F(unsigned long long x, unsigned long long y) __intrinsic(binary.F); \
	__device__ constexpr unsigned long long F(long long x, unsigned long long y) { return F((unsigned long long)x, y); } \
	__device__ constexpr unsigned long long F(unsigned long long x, long long y) { return F(x, (unsigned long long)y); } \
	__device__ float F(float x, float y) __intrinsic(binary.F); \
	__device__ double F(double x, double y) __intrinsic(binary.F); \
	__device__ double F(float x, double y) { return F((double)x, y); } \
	__device__ double F(double x, float y) { return F(x, (double)y); }
MM(min) MM(max)
#undef MM
__device__ unsigned int umin(unsigned int x, unsigned int y) __intrinsic(binary.min);
__device__ unsigned int umax(unsigned int x, unsigned int y) __intrinsic(binary.max);
__device__ long long llmin(long long x, long long y) __intrinsic(binary.min);
__device__ long long llmax(long long x, long long y) __intrinsic(binary.max);
__device__ unsigned long long ullmin(unsigned long long x, unsigned long long y) __intrinsic(binary.min);
__device__ unsigned long long ullmax(unsigned long long x, unsigned long long y) __intrinsic(binary.max);

__device__ float fmaf(float x, float y, float z) __intrinsic(fma);
__device__ float fma(float x, float y, float z) __intrinsic(fma);
__device__ double fma(double x, double y, double z) __intrinsic(fma);

__device__ float nearbyintf(float x) { return rintf(x); }
__device__ float nearbyint(float x) { return rintf(x); }
__device__ double nearbyint(double x) { return rint(x); }
__device__ int ilogbf(float x) __intrinsic(math.ilogb);
__device__ int ilogb(float x) __intrinsic(math.ilogb);
__device__ int ilogb(double x) __intrinsic(math.ilogb);
__device__ long lrintf(float x) { return (long)rintf(x); }
__device__ long lrint(float x) { return (long)rintf(x); }
__device__ long lrint(double x) { return (long)rint(x); }
__device__ long long llrintf(float x) { return (long long)rintf(x); }
__device__ long long llrint(float x) { return (long long)rintf(x); }
__device__ long long llrint(double x) { return (long long)rint(x); }
__device__ long lroundf(float x) { return (long)roundf(x); }
__device__ long lround(float x) { return (long)roundf(x); }
__device__ long lround(double x) { return (long)round(x); }
__device__ long long llroundf(float x) { return (long long)roundf(x); }
__device__ long long llround(float x) { return (long long)roundf(x); }
__device__ long long llround(double x) { return (long long)round(x); }

#define L(F) \
	__device__ float F##f(float x, int n) __intrinsic(math.ldexp); \
	__device__ float F(float x, int n) __intrinsic(math.ldexp); \
	__device__ double F(double x, int n) __intrinsic(math.ldexp);
L(ldexp) L(scalbn)
#undef L
__device__ float frexpf(float x, int* n) __intrinsic(math.frexp);
__device__ float frexp(float x, int* n) __intrinsic(math.frexp);
__device__ double frexp(double x, int* n) __intrinsic(math.frexp);
__device__ float modff(float x, float* whole) __intrinsic(math.modf);
__device__ float modf(float x, float* whole) __intrinsic(math.modf);
__device__ double modf(double x, double* whole) __intrinsic(math.modf);
__device__ float remquof(float x, float y, int* n) __intrinsic(math.remquo);
__device__ float remquo(float x, float y, int* n) __intrinsic(math.remquo);
__device__ double remquo(double x, double y, int* n) __intrinsic(math.remquo);
__device__ void sincosf(float x, float* s, float* c) __intrinsic(math.sincos);
__device__ void sincos(float x, float* s, float* c) __intrinsic(math.sincos);
__device__ void sincos(double x, double* s, double* c) __intrinsic(math.sincos);
__device__ void sincospif(float x, float* s, float* c) __intrinsic(math.sincospi);
__device__ void sincospi(float x, float* s, float* c) __intrinsic(math.sincospi);
__device__ void sincospi(double x, double* s, double* c) __intrinsic(math.sincospi);
__device__ float norm3df(float x, float y, float z) __intrinsic(math.norm3d);
__device__ double norm3d(double x, double y, double z) __intrinsic(math.norm3d);
__device__ float rnorm3df(float x, float y, float z) __intrinsic(math.rnorm3d);
__device__ double rnorm3d(double x, double y, double z) __intrinsic(math.rnorm3d);
__device__ float norm4df(float x, float y, float z, float w) __intrinsic(math.norm4d);
__device__ double norm4d(double x, double y, double z, double w) __intrinsic(math.norm4d);
__device__ float rnorm4df(float x, float y, float z, float w) __intrinsic(math.rnorm4d);
__device__ double rnorm4d(double x, double y, double z, double w) __intrinsic(math.rnorm4d);

// An integer is taken as a double, as nvcc does.
#define I(F) __device__ double F(int x) { return F((double)x); } __device__ double F(unsigned int x) { return F((double)x); } \
	__device__ double F(long x) { return F((double)x); } __device__ double F(unsigned long x) { return F((double)x); } \
	__device__ double F(long long x) { return F((double)x); } __device__ double F(unsigned long long x) { return F((double)x); }
I(sqrt) I(cbrt) I(exp) I(exp2) I(log) I(log2) I(log10) I(log1p) I(sin) I(cos) I(tan) I(atan) I(tanh) I(floor) I(ceil) I(fabs)
#undef I

__device__ float nanf(const char*) { return NAN; }
__device__ double nan(const char*) { return CUDART_NAN; }
__device__ constexpr bool isnan(float x) { return x != x; }
__device__ constexpr bool isnan(double x) { return x != x; }
__device__ constexpr bool isinf(float x) { return (__float_as_uint(x) & 0x7fffffffu) == 0x7f800000u; }
__device__ constexpr bool isinf(double x) { return (__double_as_longlong(x) & 0x7fffffffffffffffll) == 0x7ff0000000000000ll; }
__device__ constexpr bool isfinite(float x) { return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u; }
__device__ constexpr bool isfinite(double x) { return (__double_as_longlong(x) & 0x7ff0000000000000ll) != 0x7ff0000000000000ll; }
__device__ constexpr bool signbit(float x) { return __float_as_int(x) < 0; }
__device__ constexpr bool signbit(double x) { return __double_as_longlong(x) < 0; }
__device__ constexpr int __isnanf(float x) { return isnan(x); }
__device__ constexpr int __isinff(float x) { return isinf(x); }
__device__ constexpr int __finitef(float x) { return isfinite(x); }

// Approximations.
__device__ float __expf(float x) __intrinsic(math.fast_exp);
__device__ float __exp10f(float x) __intrinsic(math.fast_exp10);
__device__ float __logf(float x) __intrinsic(math.fast_log);
__device__ float __log2f(float x) __intrinsic(math.fast_log2);
__device__ float __log10f(float x) __intrinsic(math.fast_log10);
__device__ float __sinf(float x) __intrinsic(math.fast_sin);
__device__ float __cosf(float x) __intrinsic(math.fast_cos);
__device__ float __tanf(float x) __intrinsic(math.fast_tan);
__device__ float __tanhf(float x) __intrinsic(math.fast_tanh);
__device__ void __sincosf(float x, float* s, float* c) __intrinsic(math.fast_sincos);
__device__ float __powf(float x, float y) __intrinsic(math.fast_pow);
__device__ float __fdividef(float x, float y) __intrinsic(math.fast_divide);
__device__ float fdividef(float x, float y) { return x / y; }
__device__ float __saturatef(float x) __intrinsic(math.saturate);

// Arithmetic whose rounding is named; it is not contracted.
#define R(T, P) \
	__device__ T __##P##add_rn(T x, T y) __intrinsic(binary.add); \
	__device__ T __##P##sub_rn(T x, T y) __intrinsic(binary.sub); \
	__device__ T __##P##mul_rn(T x, T y) __intrinsic(binary.mul); \
	__device__ T __##P##div_rn(T x, T y) __intrinsic(binary.div); \
	__device__ T __##P##rcp_rn(T x) { return __##P##div_rn((T)1, x); } \
	__device__ T __##P##sqrt_rn(T x) __intrinsic(math.sqrt);
R(float, f) R(double, d)
#undef R
__device__ float __fmaf_rn(float x, float y, float z) __intrinsic(fma);
__device__ double __fma_rn(double x, double y, double z) __intrinsic(fma);
__device__ float __frsqrt_rn(float x) __intrinsic(math.rsqrt);
#define R(T, P, M, D) \
	__device__ T __##P##add_##D(T x, T y) __intrinsic(math.add_##D); \
	__device__ T __##P##sub_##D(T x, T y) { return __##P##add_##D(x, -y); } \
	__device__ T __##P##mul_##D(T x, T y) __intrinsic(math.mul_##D); \
	__device__ T __##P##div_##D(T x, T y) __intrinsic(math.div_##D); \
	__device__ T __##P##rcp_##D(T x) { return __##P##div_##D((T)1, x); } \
	__device__ T __##P##sqrt_##D(T x) __intrinsic(math.sqrt_##D); \
	__device__ T __##M##_##D(T x, T y, T z) __intrinsic(math.fma_##D);
R(float, f, fmaf, rz) R(float, f, fmaf, rd) R(float, f, fmaf, ru) R(double, d, fma, rz) R(double, d, fma, rd) R(double, d, fma, ru)
#undef R

namespace std {
template <typename T> __device__ constexpr const T& min(const T& x, const T& y) { return y < x ? y : x; }
template <typename T> __device__ constexpr const T& max(const T& x, const T& y) { return x < y ? y : x; }
template <typename T> __device__ constexpr const T& clamp(const T& x, const T& low, const T& high) { return x < low ? low : high < x ? high : x; }
template <typename T> __device__ constexpr void swap(T& x, T& y) { T t = x; x = y; y = t; }
template <typename T> __device__ constexpr T&& move(T& x) { return static_cast<T&&>(x); }
using ::abs; using ::fabs; using ::fmin; using ::fmax; using ::fma; using ::sqrt; using ::cbrt; using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p;
using ::pow; using ::hypot; using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh;
using ::asinh; using ::acosh; using ::atanh; using ::erf; using ::erfc; using ::tgamma; using ::lgamma; using ::ceil; using ::floor; using ::trunc; using ::round; using ::rint;
using ::nearbyint; using ::lround; using ::llround; using ::lrint; using ::llrint; using ::fmod; using ::remainder; using ::copysign; using ::fdim; using ::nextafter;
using ::isnan; using ::isinf; using ::isfinite; using ::signbit; using ::frexp; using ::modf; using ::ldexp; using ::ilogb; using ::logb; using ::memcpy; using ::memset;
}
`
