// What a decoder's step is made of, with weights of four and eight bits: products
// of a matrix and a vector, rotations, norms and attention.
#include <cuda_fp16.h>
#include <math.h>

#define LANES 32
#define ALL 0xffffffffu

// Where the weights of a matrix are: one struct for each way to keep them. values()
// unpacks the part of a block of 32 that a lane multiplies.
struct Four {
	const unsigned char *codes;
	const unsigned short *scales;
};
struct FourWithOffset {
	Four plain;
	const unsigned short *offsets;
	int group; // blocks with one offset
};
struct Eight {
	const signed char *codes;
	const float *scales;
};
struct Brain { const unsigned short *words; };
struct Single { const float *numbers; };

constexpr int BLOCK_VALUES = 32;
constexpr int PER_LANE = 4;

__device__ __forceinline__ float from_bf16(unsigned short bits) { return __uint_as_float((unsigned int)bits << 16); }
__device__ __forceinline__ float from_f16(unsigned short bits) { return __half2float(__ushort_as_half(bits)); }

// The codes of values 0 to 15 are the lower halves of a block's 16 bytes, and those
// of 16 to 31 the upper ones.
__device__ inline void values(const Four &w, int blocks, int row, int block, int first, float (&out)[PER_LANE]) {
	const size_t at = (size_t)row * blocks + block;
	const float scale = from_f16(w.scales[at]);
	const unsigned char *bytes = w.codes + at * (BLOCK_VALUES / 2) + (first & 15);
#pragma unroll
	for (int i = 0; i < PER_LANE; ++i) {
		const int code = first < 16 ? bytes[i] & 0xf : bytes[i] >> 4;
		out[i] = static_cast<float>(code - 8) * scale;
	}
}

__device__ inline void values(const FourWithOffset &w, int blocks, int row, int block, int first, float (&out)[PER_LANE]) {
	values(w.plain, blocks, row, block, first, out);
	const float offset = from_bf16(w.offsets[row * (blocks / w.group) + block / w.group]);
	for (float &x : out) x += offset;
}

__device__ inline void values(const Eight &w, int blocks, int row, int block, int first, float (&out)[PER_LANE]) {
	const size_t at = (size_t)row * blocks + block;
	const char4 four = *reinterpret_cast<const char4 *>(w.codes + at * BLOCK_VALUES + first);
	const float scale = w.scales[at];
	out[0] = four.x * scale, out[1] = four.y * scale, out[2] = four.z * scale, out[3] = four.w * scale;
}

__device__ inline void values(const Brain &w, int blocks, int row, int block, int first, float (&out)[PER_LANE]) {
	const ushort4 four = *(const ushort4 *)&w.words[((size_t)row * blocks + block) * BLOCK_VALUES + first];
	out[0] = from_bf16(four.x);
	out[1] = from_bf16(four.y);
	out[2] = from_bf16(four.z);
	out[3] = from_bf16(four.w);
}

__device__ inline void values(const Single &w, int blocks, int row, int block, int first, float (&out)[PER_LANE]) {
	*reinterpret_cast<float4 *>(out) = reinterpret_cast<const float4 *>(w.numbers)[(((size_t)row * blocks + block) * BLOCK_VALUES + first) / 4];
}

template <typename T, int WIDTH = LANES>
__device__ __forceinline__ T warp_sum(T x) {
	for (int lanes = WIDTH / 2; lanes > 0; lanes >>= 1) x += __shfl_xor_sync(ALL, x, lanes);
	return x;
}

// One warp a row: eight lanes have a block, and a warp four of them at a time.
template <class Weights>
__device__ void matvec(const Weights w, const float *__restrict__ x, float *__restrict__ y, const int rows, const int columns) {
	const int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
	if (row >= rows) return;
	const int blocks = columns / BLOCK_VALUES;
	const int lanes = BLOCK_VALUES / PER_LANE;
	float sum = 0.f;
	for (int block = lane / lanes; block < blocks; block += LANES / lanes) {
		const int first = lane % lanes * PER_LANE;
		float __align__(16) weight[PER_LANE];
		values(w, blocks, row, block, first, weight);
		const float4 v = *reinterpret_cast<const float4 *>(&x[block * BLOCK_VALUES + first]);
		const float part[PER_LANE] = {v.x, v.y, v.z, v.w};
		for (int i = 0; i < PER_LANE; i++) sum += weight[i] * part[i];
	}
	sum = warp_sum(sum);
	if (lane == 0) y[row] = sum;
}

extern "C" __global__ void matvec_four(const unsigned char *codes, const unsigned short *scales, const float *x, float *y, int rows, int columns) {
	const Four w = {codes, scales};
	matvec(w, x, y, rows, columns);
}
extern "C" __global__ void matvec_offset(const unsigned char *codes, const unsigned short *scales, const unsigned short *offsets, int group, const float *x, float *y, int rows, int columns) {
	matvec(FourWithOffset{{codes, scales}, offsets, group}, x, y, rows, columns);
}
extern "C" __global__ void matvec_eight(const signed char *codes, const float *scales, const float *x, float *y, int rows, int columns) {
	matvec<Eight>({codes, scales}, x, y, rows, columns);
}
extern "C" __global__ void matvec_brain(const unsigned short *words, const float *x, float *y, int rows, int columns) {
	Brain w;
	w.words = words;
	matvec(w, x, y, rows, columns);
}
extern "C" __global__ void matvec_single(const float *numbers, const float *x, float *y, int rows, int columns) { matvec(Single{numbers}, x, y, rows, columns); }

// Each pair of a head's values is turned by an angle that grows with the position.
extern "C" __global__ void rotate(float2 *pairs, const float *frequencies, int half, int first) {
	const int i = threadIdx.x, position = first + blockIdx.x;
	if (i >= half) return;
	float s, c;
	sincosf((float)position * frequencies[i], &s, &c);
	float2 &p = pairs[blockIdx.x * half + i];
	p = make_float2(p.x * c - p.y * s, p.x * s + p.y * c);
}

struct Total {
	float *partial;
	__device__ explicit Total(float *shared) : partial(shared) {}
	// The sum over a block, for all of its threads.
	__device__ float operator()(float x) const {
		x = warp_sum(x);
		if (threadIdx.x % LANES == 0) partial[threadIdx.x / LANES] = x;
		__syncthreads();
		x = threadIdx.x < blockDim.x / LANES ? partial[threadIdx.x] : 0.f;
		if (threadIdx.x < LANES) {
			x = warp_sum(x);
			if (threadIdx.x == 0) partial[0] = x;
		}
		__syncthreads();
		x = partial[0];
		__syncthreads();
		return x;
	}
};

extern "C" __global__ void rms_norm(const float *x, const float *gain, float *y, int columns, float epsilon) {
	__shared__ float partial[LANES];
	const Total total(partial);
	const float *row = x + (size_t)blockIdx.x * columns;
	float squares = 0;
	for (int i = threadIdx.x; i < columns; i += blockDim.x) squares += row[i] * row[i];
	const float scale = rsqrtf(total(squares) / columns + epsilon);
	for (int i = threadIdx.x; i < columns; i += blockDim.x) y[(size_t)blockIdx.x * columns + i] = row[i] * scale * gain[i];
}

// One block a query, which sees the keys up to its own place; the scores are in
// dynamic shared memory.
extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out, int width, float scale) {
	extern __shared__ float scores[];
	__shared__ float partial[LANES], most;
	const Total total(partial);
	const int query = blockIdx.x, seen = query + 1;
	for (int key = threadIdx.x; key < seen; key += blockDim.x) {
		float dot = 0.f;
		for (int i = 0; i < width; i++) dot = fmaf(q[query * width + i], k[key * width + i], dot);
		scores[key] = dot * scale;
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		float m = -INFINITY;
		for (int key = 0; key < seen; key++) m = fmaxf(m, scores[key]);
		most = m;
	}
	__syncthreads();
	float sum = 0.f;
	for (int key = threadIdx.x; key < seen; key += blockDim.x) sum += scores[key] = expf(scores[key] - most);
	sum = total(sum);
	for (int i = threadIdx.x; i < width; i += blockDim.x) {
		float o = 0.f;
		for (int key = 0; key < seen; key++) o += scores[key] * v[key * width + i];
		out[query * width + i] = o / sum;
	}
}
