// Layers of networks: softmax, norms, attention, activations, losses, optimisers.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <math.h>
#include <float.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
#define WARP_SIZE 32U
#define GELU_SCALING_FACTOR sqrtf(2.0f / M_PI)
enum class DType : uint8_t { FP32, FP16, BF16 };
#if defined(ENABLE_BF16)
typedef __nv_bfloat16 floatX;
#else
typedef float floatX;
#endif
template <class ElementType>
struct alignas(16) Packed128 {
	Packed128() = default;
	__device__ explicit Packed128(int4 bits) {
		static_assert(sizeof(bits) == sizeof(payload), "Size mismatch.");
		memcpy(&payload, &bits, sizeof(bits));
	}
	__device__ static Packed128 constant(ElementType value) {
		Packed128 result;
		for (int k = 0; k < size; ++k) { result.payload[k] = value; }
		return result;
	}
	__device__ static Packed128 zeros() { return constant(0.f); }
	__device__ ElementType& operator[](int index) { return payload[index]; }
	__device__ const ElementType& operator[](int index) const { return payload[index]; }
	__device__ int4 get_bits() const { int4 bits; memcpy(&bits, &payload, sizeof(bits)); return bits; }
	static constexpr const size_t size = sizeof(int4) / sizeof(ElementType);
	ElementType payload[size];
};
template <class ElementType> __device__ Packed128<ElementType> load128(const ElementType* address) { return Packed128<ElementType>{*reinterpret_cast<const int4*>(address)}; }
template <class ElementType> __device__ void store128(ElementType* target, Packed128<ElementType> value) { *reinterpret_cast<int4*>(target) = value.get_bits(); }
typedef Packed128<float> f128;
typedef Packed128<floatX> x128;

__global__ void gelu_forward(floatX* out, const floatX* inp) {
	int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
	x128 packed_out;
	x128 packed_inp = load128(inp + idx);
	for (int k = 0; k < packed_inp.size; ++k) {
		float xi = (float)packed_inp[k];
		float cube = 0.044715f * xi * xi * xi;
		packed_out[k] = (floatX)(0.5f * xi * (1.0f + tanhf(GELU_SCALING_FACTOR * (xi + cube))));
	}
	store128(out + idx, packed_out);
}
__global__ void softmax_forward_kernel5(floatX* out, float inv_temperature, const floatX* inp, int N, int T) {
	assert(T % 4 == 0);
	int lane_id = threadIdx.x % WARP_SIZE;
	int warp_id = threadIdx.x / WARP_SIZE;
	int num_warps = blockDim.x / WARP_SIZE;
	int idx = (gridDim.x - blockIdx.x - 1) * num_warps + warp_id;
	if (idx >= N * T) { return; }
	int own_pos = idx % T;
	int pos_by_4 = own_pos / 4;
	const floatX* x = inp + idx * T;
	const float flt_max = 340282346638528859811704183484516925440.0f;
	float maxval = -flt_max;
	float sumval = 0.0f;
	const floatX* x_aligned = reinterpret_cast<const floatX*>(__builtin_assume_aligned(x, 16));
	for (int i = lane_id; i < pos_by_4; i += WARP_SIZE) {
		float regarray[4];
		for (int k = 0; k < 4; ++k) { regarray[k] = (float)x_aligned[4 * i + k]; }
		float old_maxval = maxval;
		for (int k = 0; k < 4; ++k) { maxval = fmaxf(maxval, regarray[k]); }
		sumval *= expf(inv_temperature * (old_maxval - maxval));
		for (int k = 0; k < 4; ++k) { sumval += expf(inv_temperature * (regarray[k] - maxval)); }
	}
	if (4 * pos_by_4 + lane_id <= own_pos) {
		float old_maxval = maxval;
		maxval = fmaxf(maxval, (float)x[4 * pos_by_4 + lane_id]);
		sumval *= expf(inv_temperature * (old_maxval - maxval));
		sumval += expf(inv_temperature * ((float)x[4 * pos_by_4 + lane_id] - maxval));
	}
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
	float global_maxval = cg::reduce(warp, maxval, cg::greater<float>{});
	sumval *= expf(inv_temperature * (maxval - global_maxval));
	float sum = cg::reduce(warp, sumval, cg::plus<float>{});
	float norm = 1.f / sum;
	for (int i = lane_id; i <= own_pos; i += WARP_SIZE) {
		float ev = expf(inv_temperature * ((float)__ldcs(x + i) - global_maxval));
		__stcs(out + idx * T + i, (floatX)(ev * norm));
	}
}
__global__ void layernorm(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd, const float* __restrict__ inp, const float* __restrict__ weight, const float* __restrict__ bias, int N, int C) {
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
	int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
	if (idx >= N) return;
	const float* x = inp + idx * C;
	float sum = 0.0f;
	for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
	sum = cg::reduce(warp, sum, cg::plus<float>{});
	float m = sum / C;
	if (warp.thread_rank() == 0 && mean != nullptr) __stcs(mean + idx, m);
	sum = 0.0f;
	for (int i = warp.thread_rank(); i < C; i += warp.size()) { float diff = x[i] - m; sum += diff * diff; }
	sum = cg::reduce(warp, sum, cg::plus<float>{});
	float s = rsqrtf(sum / C + 1e-5f);
	if (warp.thread_rank() == 0 && rstd != nullptr) { __stcs(rstd + idx, s); }
	float* o = out + idx * C;
	for (int c = warp.thread_rank(); c < C; c += warp.size()) {
		float n = s * (__ldcs(x + c) - m);
		__stcs(o + c, n * weight[c] + bias[c]);
	}
}
template <typename T, int kPack>
struct alignas(sizeof(T) * kPack) VecType { T val[kPack]; };
template <typename T> struct SumOp { __device__ __forceinline__ T operator()(const T& a, const T& b) const { return a + b; } };
template <typename T> struct MaxOp { __device__ __forceinline__ T operator()(const T& a, const T& b) const { return max(a, b); } };
template <typename Op, typename T, int thread_group_width = 32>
__inline__ __device__ T WarpAllReduce(T val) {
	for (int mask = thread_group_width / 2; mask > 0; mask /= 2) { val = Op()(val, __shfl_xor_sync(0xffffffff, val, mask)); }
	return val;
}
template <typename T> __inline__ __device__ T Inf();
template <> __inline__ __device__ float Inf<float>() { return 1e10f; }
template <> __inline__ __device__ double Inf<double>() { return 1e20; }
template <typename SRC, typename DST> struct DirectLoad {
	DirectLoad(const SRC* src, int64_t row_size) : src(src), row_size(row_size) {}
	template <int N> __device__ void load(DST* dst, int64_t row, int64_t col) const {
		VecType<SRC, N> pack;
		const int64_t offset = (row * row_size + col) / N;
		pack = *(reinterpret_cast<const VecType<SRC, N>*>(src) + offset);
#pragma unroll
		for (int i = 0; i < N; ++i) { dst[i] = static_cast<DST>(pack.val[i]); }
	}
	const SRC* src;
	int64_t row_size;
};
template <typename LOAD, typename ComputeType, int pack_size, int cols_per_thread>
__global__ void SoftmaxWarpImpl(LOAD load, float* out, const int64_t rows, const int64_t cols) {
	constexpr int num_packs = cols_per_thread / pack_size;
	ComputeType buf[num_packs * pack_size];
	const int lane_id = threadIdx.x;
	for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
		ComputeType thread_max = -Inf<ComputeType>();
#pragma unroll
		for (int pack_id = 0; pack_id < num_packs; ++pack_id) {
			const int pack_offset = pack_id * pack_size;
			const int col = (pack_id * 32 + lane_id) * pack_size;
			if (col < cols) {
				load.template load<pack_size>(buf + pack_offset, row, col);
#pragma unroll
				for (int i = 0; i < pack_size; ++i) { thread_max = max(thread_max, buf[pack_offset + i]); }
			} else {
#pragma unroll
				for (int i = 0; i < pack_size; ++i) { buf[pack_offset + i] = -Inf<ComputeType>(); }
			}
		}
		const ComputeType warp_max = WarpAllReduce<MaxOp<ComputeType>, ComputeType>(thread_max);
		ComputeType thread_sum = 0;
		for (int i = 0; i < num_packs * pack_size; ++i) { buf[i] = exp(buf[i] - warp_max); thread_sum += buf[i]; }
		const ComputeType warp_sum = WarpAllReduce<SumOp<ComputeType>, ComputeType>(thread_sum);
		for (int i = 0; i < num_packs * pack_size; ++i) out[row * cols + lane_id + i * 32] = buf[i] / warp_sum;
	}
}
template __global__ void SoftmaxWarpImpl<DirectLoad<float, float>, float, 2, 4>(DirectLoad<float, float>, float*, const int64_t, const int64_t);

__global__ void flash_attention(const float* Q, const float* K, const float* V, const int N, const int d, const int Tc, const int Tr, const int Bc, const int Br, const float softmax_scale, float* l, float* m, float* O) {
	int tx = threadIdx.x;
	int bx = blockIdx.x; int by = blockIdx.y;
	int qkv_offset = (bx * gridDim.y * N * d) + (by * N * d);
	int lm_offset = (bx * gridDim.y * N) + (by * N);
	extern __shared__ float sram[];
	int tile_size = Bc * d;
	float* Qi = sram;
	float* Kj = &sram[tile_size];
	float* Vj = &sram[tile_size * 2];
	float* S = &sram[tile_size * 3];
	for (int j = 0; j < Tc; j++) {
		for (int x = 0; x < d; x++) {
			Kj[(tx * d) + x] = K[qkv_offset + (tile_size * j) + (tx * d) + x];
			Vj[(tx * d) + x] = V[qkv_offset + (tile_size * j) + (tx * d) + x];
		}
		__syncthreads();
		for (int i = 0; i < Tr; i++) {
			for (int x = 0; x < d; x++) { Qi[(tx * d) + x] = Q[qkv_offset + (tile_size * i) + (tx * d) + x]; }
			float row_m_prev = m[lm_offset + (Br * i) + tx];
			float row_l_prev = l[lm_offset + (Br * i) + tx];
			float row_m = -INFINITY;
			for (int y = 0; y < Bc; y++) {
				float sum = 0;
				for (int x = 0; x < d; x++) { sum += Qi[(tx * d) + x] * Kj[(y * d) + x]; }
				sum *= softmax_scale;
				S[(Bc * tx) + y] = sum;
				if (sum > row_m) row_m = sum;
			}
			float row_l = 0;
			for (int y = 0; y < Bc; y++) { S[(Bc * tx) + y] = __expf(S[(Bc * tx) + y] - row_m); row_l += S[(Bc * tx) + y]; }
			float row_m_new = max(row_m_prev, row_m);
			float row_l_new = (__expf(row_m_prev - row_m_new) * row_l_prev) + (__expf(row_m - row_m_new) * row_l);
			for (int x = 0; x < d; x++) {
				float pv = 0;
				for (int y = 0; y < Bc; y++) { pv += S[(Bc * tx) + y] * Vj[(y * d) + x]; }
				O[qkv_offset + (tile_size * i) + (tx * d) + x] = (1 / row_l_new) * ((row_l_prev * __expf(row_m_prev - row_m_new) * O[qkv_offset + (tile_size * i) + (tx * d) + x]) + (__expf(row_m - row_m_new) * pv));
			}
			m[lm_offset + (Br * i) + tx] = row_m_new;
			l[lm_offset + (Br * i) + tx] = row_l_new;
		}
		__syncthreads();
	}
}
__global__ void half_axpy(int n, half a, const half* x, half* y) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i < n) y[i] = __hadd(__hmul(a, x[i]), y[i]); }
__global__ void half2_axpy(int n, half a, const half2* x, half2* y) { half2 a2 = __half2half2(a); for (int i = threadIdx.x; i < n / 2; i += blockDim.x) y[i] = __hfma2(a2, x[i], y[i]); }
__global__ void half_ops(half* p, __nv_bfloat16* q) { half a = p[0], b = __float2half(2.5f); half c = a * b + p[1]; c += a; if (c > b) c = -c; p[2] = c; float f = __half2float(c) * 2.f; p[3] = __float2half_rn(f); q[0] = __float2bfloat16(f); q[1] = q[0] + q[2]; p[4] = hsqrt(a); p[5] = half(1.5f); p[6] = (half)3; float g = p[6]; p[7] = g; half2 h2 = __floats2half2_rn(f, g); float2 f2 = __half22float2(h2); p[8] = __low2half(h2); q[3] = __float2bfloat16(f2.y); p[9] = __hlt(a, b) ? a : b; p[10] = __int2half_rn(3); int n = __half2int_rn(a); p[n & 7] = __hmax(a, b); }
__global__ void adamw(float* params, float* grads, float* m, float* v, long n, float lr, float beta1, float beta2, float b1c, float b2c, float eps, float wd) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	float grad = grads[i];
	float mm = m[i], vv = v[i];
	mm = fma(beta1, mm, fma(-beta1, grad, grad)); m[i] = mm;
	vv = beta2 * vv + (1.0f - beta2) * grad * grad; v[i] = vv;
	mm /= b1c; vv /= b2c;
	params[i] -= lr * (mm / (sqrtf(vv) + eps) + wd * params[i]);
}
__global__ void crossentropy(float* losses, const float* probs, const int* targets, int B, int T, int V) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < B * T) { int b = i / T; int t = i % T; const float* probs_bt = probs + b * T * V + t * V; int ix = targets[b * T + t]; losses[b * T + t] = -logf(probs_bt[ix]); } }
__global__ void sigmoid_relu(float *x, int n, int which) { const int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) switch (which) { case 0: x[i] = 1.0f / (1.0f + expf(-x[i])); break; case 1: x[i] = x[i] > 0 ? x[i] : 0; break; case 2: { float a = x[i]; x[i] = a / (1 + __expf(-a)); break; } default: x[i] = fmaxf(0.01f * x[i], x[i]); } }
__global__ void rope(float* q, const float* freqs, int T, int HD) { int i = threadIdx.x * 2; float2* p = (float2*)(q + i); float2 v = *p; float c, s; sincosf(freqs[i / 2] * blockIdx.x, &s, &c); *p = make_float2(v.x * c - v.y * s, v.x * s + v.y * c); (void)T; (void)HD; }
__global__ void embedding(float* out, const int* tok, const float* wte, const float* wpe, int B, int T, int C) { int idx = blockIdx.x * blockDim.x + threadIdx.x; int N = B * T * C; if (idx < N) { int bt = idx / C, b = bt / T, t = bt % T, c = idx % C; int ix = tok[b * T + t]; float* o = out + b * T * C + t * C + c; *o = wte[ix * C + c] + wpe[t * C + c]; } }
template <typename F> __global__ void map_kernel(F f, float* x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = f(x[i]); }
struct Square { __device__ float operator()(float x) const { return x * x; } };
template __global__ void map_kernel<Square>(Square, float*, int);
