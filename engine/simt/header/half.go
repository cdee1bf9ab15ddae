package header

// halves has cuda_fp16.h and cuda_bf16.h. The compiler itself knows __half and
// __nv_bfloat16 as numbers: their conversions, and + - * / and comparisons.
const halves = `
typedef __half half;
typedef __nv_bfloat16 nv_bfloat16;

struct __half_raw { unsigned short x; };
struct __nv_bfloat16_raw { unsigned short x; };

#define H(T, T2, ONE, FROM, HALVES) \
	struct __align__(4) T2 { \
		T x, y; \
		T2() = default; \
		__device__ constexpr T2(const T& x, const T& y) : x(x), y(y) {} \
	}; \
	__device__ T __##FROM(float x) __intrinsic(convert); \
	__device__ T __##FROM##_rn(float x) __intrinsic(convert.rn); \
	__device__ T __##FROM##_rz(float x) __intrinsic(convert.rz); \
	__device__ T __##FROM##_rd(float x) __intrinsic(convert.rd); \
	__device__ T __##FROM##_ru(float x) __intrinsic(convert.ru); \
	__device__ T __hadd(T x, T y) { return x + y; } \
	__device__ T __hsub(T x, T y) { return x - y; } \
	__device__ T __hmul(T x, T y) { return x * y; } \
	__device__ T __hadd_rn(T x, T y) __intrinsic(binary.add); \
	__device__ T __hsub_rn(T x, T y) __intrinsic(binary.sub); \
	__device__ T __hmul_rn(T x, T y) __intrinsic(binary.mul); \
	__device__ T __hdiv(T x, T y) { return x / y; } \
	__device__ T __hneg(T x) { return -x; } \
	__device__ T __habs(T x) __intrinsic(unary.abs); \
	__device__ T __hfma(T x, T y, T z) __intrinsic(fma); \
	__device__ T __hmin(T x, T y) __intrinsic(binary.min); \
	__device__ T __hmax(T x, T y) __intrinsic(binary.max); \
	__device__ T __hsat(T x) __intrinsic(math.saturate); \
	__device__ T __hmax_nan(T x, T y) { return x != x ? x : y != y ? y : __hmax(x, y); } \
	__device__ T __hmin_nan(T x, T y) { return x != x ? x : y != y ? y : __hmin(x, y); } \
	__device__ T __hadd_sat(T x, T y) { return __hsat(x + y); } \
	__device__ T __hsub_sat(T x, T y) { return __hsat(x - y); } \
	__device__ T __hmul_sat(T x, T y) { return __hsat(x * y); } \
	__device__ T __hfma_sat(T x, T y, T z) { return __hsat(__hfma(x, y, z)); } \
	__device__ T __hfma_relu(T x, T y, T z) { return __hmax(__hfma(x, y, z), (T)0.0f); } \
	__device__ bool __heq(T x, T y) { return x == y; } \
	__device__ bool __hne(T x, T y) { return x < y || x > y; } \
	__device__ bool __hlt(T x, T y) { return x < y; } \
	__device__ bool __hle(T x, T y) { return x <= y; } \
	__device__ bool __hgt(T x, T y) { return x > y; } \
	__device__ bool __hge(T x, T y) { return x >= y; } \
	__device__ bool __hequ(T x, T y) { return !(x != y) || __hisnan(x) || __hisnan(y); } \
	__device__ bool __hneu(T x, T y) { return x != y; } \
	__device__ bool __hltu(T x, T y) { return !(x >= y); } \
	__device__ bool __hleu(T x, T y) { return !(x > y); } \
	__device__ bool __hgtu(T x, T y) { return !(x <= y); } \
	__device__ bool __hgeu(T x, T y) { return !(x < y); } \
	__device__ bool __hisnan(T x) { return x != x; } \
	__device__ int __hisinf(T x) { float f = (float)x; return f == INFINITY ? 1 : f == -INFINITY ? -1 : 0; } \
	__device__ T hsqrt(T x) __intrinsic(math.sqrt); \
	__device__ T hrsqrt(T x) __intrinsic(math.rsqrt); \
	__device__ T hrcp(T x) __intrinsic(math.half_rcp); \
	__device__ T hexp(T x) __intrinsic(math.half_exp); \
	__device__ T hexp2(T x) __intrinsic(math.half_exp2); \
	__device__ T hexp10(T x) __intrinsic(math.half_exp10); \
	__device__ T hlog(T x) __intrinsic(math.half_log); \
	__device__ T hlog2(T x) __intrinsic(math.half_log2); \
	__device__ T hlog10(T x) __intrinsic(math.half_log10); \
	__device__ T hsin(T x) __intrinsic(math.half_sin); \
	__device__ T hcos(T x) __intrinsic(math.half_cos); \
	__device__ T htanh(T x) __intrinsic(math.half_tanh); \
	__device__ T hceil(T x) __intrinsic(math.ceil); \
	__device__ T hfloor(T x) __intrinsic(math.floor); \
	__device__ T htrunc(T x) __intrinsic(math.trunc); \
	__device__ T hrint(T x) __intrinsic(math.rint); \
	__device__ T2 make_##HALVES(T x, T y) { return T2(x, y); } \
	__device__ T2 __halves2##HALVES(T x, T y) { return T2(x, y); } \
	__device__ T2 __##ONE##2##HALVES(T x) { return T2(x, x); } \
	__device__ T2 __float2##HALVES##_rn(float x) { return T2(__##FROM##_rn(x), __##FROM##_rn(x)); } \
	__device__ T2 __floats2##HALVES##_rn(float x, float y) { return T2(__##FROM##_rn(x), __##FROM##_rn(y)); } \
	__device__ T2 __float22##HALVES##_rn(float2 v) { return T2(__##FROM##_rn(v.x), __##FROM##_rn(v.y)); } \
	__device__ float2 __##HALVES##2float2(T2 v) { return float2{(float)v.x, (float)v.y}; } \
	__device__ float __low2float(T2 v) { return (float)v.x; } \
	__device__ float __high2float(T2 v) { return (float)v.y; } \
	__device__ T __low2##ONE(T2 v) { return v.x; } \
	__device__ T __high2##ONE(T2 v) { return v.y; } \
	__device__ T2 __low2##HALVES(T2 v) { return T2(v.x, v.x); } \
	__device__ T2 __high2##HALVES(T2 v) { return T2(v.y, v.y); } \
	__device__ T2 __lows2##HALVES(T2 v, T2 w) { return T2(v.x, w.x); } \
	__device__ T2 __highs2##HALVES(T2 v, T2 w) { return T2(v.y, w.y); } \
	__device__ T2 __lowhigh2highlow(T2 v) { return T2(v.y, v.x); } \
	__device__ T2 __hadd2(T2 v, T2 w) { return T2(v.x + w.x, v.y + w.y); } \
	__device__ T2 __hsub2(T2 v, T2 w) { return T2(v.x - w.x, v.y - w.y); } \
	__device__ T2 __hmul2(T2 v, T2 w) { return T2(v.x * w.x, v.y * w.y); } \
	__device__ T2 __hadd2_rn(T2 v, T2 w) { return T2(__hadd_rn(v.x, w.x), __hadd_rn(v.y, w.y)); } \
	__device__ T2 __hsub2_rn(T2 v, T2 w) { return T2(__hsub_rn(v.x, w.x), __hsub_rn(v.y, w.y)); } \
	__device__ T2 __hmul2_rn(T2 v, T2 w) { return T2(__hmul_rn(v.x, w.x), __hmul_rn(v.y, w.y)); } \
	__device__ T2 __h2div(T2 v, T2 w) { return T2(v.x / w.x, v.y / w.y); } \
	__device__ T2 __hfma2(T2 u, T2 v, T2 w) { return T2(__hfma(u.x, v.x, w.x), __hfma(u.y, v.y, w.y)); } \
	__device__ T2 __hneg2(T2 v) { return T2(-v.x, -v.y); } \
	__device__ T2 __habs2(T2 v) { return T2(__habs(v.x), __habs(v.y)); } \
	__device__ T2 __hmin2(T2 v, T2 w) { return T2(__hmin(v.x, w.x), __hmin(v.y, w.y)); } \
	__device__ T2 __hmax2(T2 v, T2 w) { return T2(__hmax(v.x, w.x), __hmax(v.y, w.y)); } \
	__device__ bool __hbeq2(T2 v, T2 w) { return v.x == w.x && v.y == w.y; } \
	__device__ bool __hblt2(T2 v, T2 w) { return v.x < w.x && v.y < w.y; } \
	__device__ bool __hble2(T2 v, T2 w) { return v.x <= w.x && v.y <= w.y; } \
	__device__ bool __hbgt2(T2 v, T2 w) { return v.x > w.x && v.y > w.y; } \
	__device__ bool __hbge2(T2 v, T2 w) { return v.x >= w.x && v.y >= w.y; } \
	__device__ T2 h2exp10(T2 v) { return T2(hexp10(v.x), hexp10(v.y)); } \
	__device__ T2 h2log2(T2 v) { return T2(hlog2(v.x), hlog2(v.y)); } \
	__device__ T2 h2log10(T2 v) { return T2(hlog10(v.x), hlog10(v.y)); } \
	__device__ T2 h2sin(T2 v) { return T2(hsin(v.x), hsin(v.y)); } \
	__device__ T2 h2cos(T2 v) { return T2(hcos(v.x), hcos(v.y)); } \
	__device__ T2 h2floor(T2 v) { return T2(hfloor(v.x), hfloor(v.y)); } \
	__device__ T2 h2ceil(T2 v) { return T2(hceil(v.x), hceil(v.y)); } \
	__device__ T2 h2rint(T2 v) { return T2(hrint(v.x), hrint(v.y)); } \
	__device__ T2 h2trunc(T2 v) { return T2(htrunc(v.x), htrunc(v.y)); } \
	__device__ T2 __hfma2_relu(T2 v, T2 w, T2 z) { return T2(__hfma_relu(v.x, w.x, z.x), __hfma_relu(v.y, w.y, z.y)); } \
	__device__ T2 __hadd2_sat(T2 v, T2 w) { return T2(__hadd_sat(v.x, w.x), __hadd_sat(v.y, w.y)); } \
	__device__ T2 __hsub2_sat(T2 v, T2 w) { return T2(__hsub_sat(v.x, w.x), __hsub_sat(v.y, w.y)); } \
	__device__ T2 __hmul2_sat(T2 v, T2 w) { return T2(__hmul_sat(v.x, w.x), __hmul_sat(v.y, w.y)); } \
	__device__ T2 __hmax2_nan(T2 v, T2 w) { return T2(__hmax_nan(v.x, w.x), __hmax_nan(v.y, w.y)); } \
	__device__ T2 __hmin2_nan(T2 v, T2 w) { return T2(__hmin_nan(v.x, w.x), __hmin_nan(v.y, w.y)); } \
	__device__ T2 __hfma2_sat(T2 v, T2 w, T2 z) { return T2(__hfma_sat(v.x, w.x, z.x), __hfma_sat(v.y, w.y, z.y)); } \
	__device__ T2 __heq2(T2 v, T2 w) { return T2((T)(v.x == w.x ? 1.0f : 0.0f), (T)(v.y == w.y ? 1.0f : 0.0f)); } \
	__device__ T2 __hne2(T2 v, T2 w) { return T2((T)(v.x < w.x || v.x > w.x ? 1.0f : 0.0f), (T)(v.y < w.y || v.y > w.y ? 1.0f : 0.0f)); } \
	__device__ T2 __hlt2(T2 v, T2 w) { return T2((T)(v.x < w.x ? 1.0f : 0.0f), (T)(v.y < w.y ? 1.0f : 0.0f)); } \
	__device__ T2 __hle2(T2 v, T2 w) { return T2((T)(v.x <= w.x ? 1.0f : 0.0f), (T)(v.y <= w.y ? 1.0f : 0.0f)); } \
	__device__ T2 __hgt2(T2 v, T2 w) { return T2((T)(v.x > w.x ? 1.0f : 0.0f), (T)(v.y > w.y ? 1.0f : 0.0f)); } \
	__device__ T2 __hge2(T2 v, T2 w) { return T2((T)(v.x >= w.x ? 1.0f : 0.0f), (T)(v.y >= w.y ? 1.0f : 0.0f)); } \
	__device__ bool __hbne2(T2 v, T2 w) { return (v.x < w.x || v.x > w.x) && (v.y < w.y || v.y > w.y); } \
	__device__ T2 h2sqrt(T2 v) { return T2(hsqrt(v.x), hsqrt(v.y)); } \
	__device__ T2 h2rsqrt(T2 v) { return T2(hrsqrt(v.x), hrsqrt(v.y)); } \
	__device__ T2 h2rcp(T2 v) { return T2(hrcp(v.x), hrcp(v.y)); } \
	__device__ T2 h2exp(T2 v) { return T2(hexp(v.x), hexp(v.y)); } \
	__device__ T2 h2exp2(T2 v) { return T2(hexp2(v.x), hexp2(v.y)); } \
	__device__ T2 h2log(T2 v) { return T2(hlog(v.x), hlog(v.y)); } \
	__device__ T2 operator+(const T2& v, const T2& w) { return __hadd2(v, w); } \
	__device__ T2 operator-(const T2& v, const T2& w) { return __hsub2(v, w); } \
	__device__ T2 operator*(const T2& v, const T2& w) { return __hmul2(v, w); } \
	__device__ T2 operator/(const T2& v, const T2& w) { return __h2div(v, w); } \
	__device__ T2 operator-(const T2& v) { return __hneg2(v); } \
	__device__ T2& operator+=(T2& v, const T2& w) { v = __hadd2(v, w); return v; } \
	__device__ T2& operator-=(T2& v, const T2& w) { v = __hsub2(v, w); return v; } \
	__device__ T2& operator*=(T2& v, const T2& w) { v = __hmul2(v, w); return v; } \
	__device__ bool operator==(const T2& v, const T2& w) { return v.x == w.x && v.y == w.y; } \
	__device__ bool __hbneu2(T2 v, T2 w) { return v.x != w.x && v.y != w.y; } \
	__device__ bool operator!=(const T2& v, const T2& w) { return __hbneu2(v, w); } \
	__device__ bool operator<(const T2& v, const T2& w) { return __hblt2(v, w); } \
	__device__ bool operator>(const T2& v, const T2& w) { return __hbgt2(v, w); } \
	__device__ bool operator<=(const T2& v, const T2& w) { return __hble2(v, w); } \
	__device__ bool operator>=(const T2& v, const T2& w) { return __hbge2(v, w); } \
	__device__ T2 __shfl_sync(unsigned int mask, T2 v, int lane, int width = 32) { return T2(__shfl_sync(mask, v.x, lane, width), __shfl_sync(mask, v.y, lane, width)); } \
	__device__ T2 __shfl_up_sync(unsigned int mask, T2 v, unsigned int delta, int width = 32) { return T2(__shfl_up_sync(mask, v.x, delta, width), __shfl_up_sync(mask, v.y, delta, width)); } \
	__device__ T2 __shfl_down_sync(unsigned int mask, T2 v, unsigned int delta, int width = 32) { return T2(__shfl_down_sync(mask, v.x, delta, width), __shfl_down_sync(mask, v.y, delta, width)); } \
	__device__ T2 __shfl_xor_sync(unsigned int mask, T2 v, int lanes, int width = 32) { return T2(__shfl_xor_sync(mask, v.x, lanes, width), __shfl_xor_sync(mask, v.y, lanes, width)); } \
	__device__ T2 atomicAdd(T2* p, T2 v) { T x = atomicAdd(&p->x, v.x); T y = atomicAdd(&p->y, v.y); return T2(x, y); }
H(__half, __half2, half, float2half, half2)
H(__nv_bfloat16, __nv_bfloat162, bfloat16, float2bfloat16, bfloat162)
#undef H
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
typedef __half2 half2;
typedef __nv_bfloat162 nv_bfloat162;

__device__ float __half2float(__half x) { return (float)x; }
__device__ float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
__device__ __half __double2half(double x) { return (__half)x; }
__device__ __nv_bfloat16 __double2bfloat16(double x) { return (__nv_bfloat16)x; }
__device__ unsigned short __half_as_ushort(__half x) __intrinsic(bits);
__device__ short __half_as_short(__half x) __intrinsic(bits);
__device__ __half __ushort_as_half(unsigned short x) __intrinsic(bits);
__device__ __half __short_as_half(short x) __intrinsic(bits);
__device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) __intrinsic(bits);
__device__ short __bfloat16_as_short(__nv_bfloat16 x) __intrinsic(bits);
__device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) __intrinsic(bits);
__device__ __nv_bfloat16 __short_as_bfloat16(short x) __intrinsic(bits);

#define C(H, T, N, TO) \
	__device__ TO __##H##2##N##_rn(T x) __intrinsic(convert.rn); \
	__device__ TO __##H##2##N##_rz(T x) __intrinsic(convert.rz); \
	__device__ TO __##H##2##N##_rd(T x) __intrinsic(convert.rd); \
	__device__ TO __##H##2##N##_ru(T x) __intrinsic(convert.ru); \
	__device__ T __##N##2##H##_rn(TO x) __intrinsic(convert.rn); \
	__device__ T __##N##2##H##_rz(TO x) __intrinsic(convert.rz); \
	__device__ T __##N##2##H##_rd(TO x) __intrinsic(convert.rd); \
	__device__ T __##N##2##H##_ru(TO x) __intrinsic(convert.ru);
C(half, __half, int, int) C(half, __half, uint, unsigned int) C(half, __half, short, short) C(half, __half, ushort, unsigned short) C(half, __half, ll, long long) C(half, __half, ull, unsigned long long)
C(bfloat16, __nv_bfloat16, int, int) C(bfloat16, __nv_bfloat16, uint, unsigned int) C(bfloat16, __nv_bfloat16, short, short) C(bfloat16, __nv_bfloat16, ushort, unsigned short)
C(bfloat16, __nv_bfloat16, ll, long long) C(bfloat16, __nv_bfloat16, ull, unsigned long long)
#undef C
`
