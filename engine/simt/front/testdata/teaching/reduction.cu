// Reductions in the styles that they are taught in, from interleaved to shuffles.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

#define BLOCK 256
#define FULL_MASK 0xffffffff
#define CUDA_CHECK(call)                                                                   \
	do {                                                                                   \
		cudaError_t err = (call);                                                          \
		if (err != cudaSuccess) {                                                          \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err));   \
			exit(EXIT_FAILURE);                                                            \
		}                                                                                  \
	} while (0)

typedef unsigned int uint;

__global__ void reduce0(int *g_idata, int *g_odata, unsigned int n)
{
	extern __shared__ int sdata[];

	unsigned int tid = threadIdx.x;
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	sdata[tid] = (i < n) ? g_idata[i] : 0;
	__syncthreads();

	for (unsigned int s = 1; s < blockDim.x; s *= 2) {
		if ((tid % (2 * s)) == 0) {
			sdata[tid] += sdata[tid + s];
		}
		__syncthreads();
	}

	if (tid == 0)
		g_odata[blockIdx.x] = sdata[0];
}

__global__ void reduce1(const float* __restrict__ in, float* __restrict__ out, int n) {
	__shared__ float sdata[BLOCK];
	const int tid = threadIdx.x;
	int i = blockIdx.x * (BLOCK * 2) + tid;
	float mySum = (i < n) ? in[i] : 0;
	if (i + BLOCK < n) mySum += in[i + BLOCK];
	sdata[tid] = mySum;
	__syncthreads();
	for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
		if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
		__syncthreads();
	}
	if (tid == 0) out[blockIdx.x] = mySum;
}

template <unsigned int blockSize>
__device__ void warpReduce(volatile int *sdata, unsigned int tid) {
	if (blockSize >= 64) sdata[tid] += sdata[tid + 32];
	if (blockSize >= 32) sdata[tid] += sdata[tid + 16];
	if (blockSize >= 16) sdata[tid] += sdata[tid + 8];
	if (blockSize >= 8) sdata[tid] += sdata[tid + 4];
	if (blockSize >= 4) sdata[tid] += sdata[tid + 2];
	if (blockSize >= 2) sdata[tid] += sdata[tid + 1];
}

template <unsigned int blockSize, bool nIsPow2>
__global__ void reduce6(int *g_idata, int *g_odata, unsigned int n) {
	extern __shared__ int sdata[];
	unsigned int tid = threadIdx.x;
	unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
	unsigned int gridSize = blockSize * 2 * gridDim.x;
	sdata[tid] = 0;
	while (i < n) {
		sdata[tid] += g_idata[i];
		if (nIsPow2 || i + blockSize < n) sdata[tid] += g_idata[i + blockSize];
		i += gridSize;
	}
	__syncthreads();
	if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
	if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }
	if (blockSize >= 128) { if (tid < 64) { sdata[tid] += sdata[tid + 64]; } __syncthreads(); }
	if (tid < 32) warpReduce<blockSize>(sdata, tid);
	if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

// The shared memory of a template of any type.
template <class T>
struct SharedMemory {
	__device__ inline operator T *() {
		extern __shared__ int __smem[];
		return (T *)__smem;
	}
	__device__ inline operator const T *() const {
		extern __shared__ int __smem[];
		return (T *)__smem;
	}
};

template <>
struct SharedMemory<double> {
	__device__ inline operator double *() {
		extern __shared__ double __smem_d[];
		return (double *)__smem_d;
	}
};

template <class T>
__global__ void reduce3(T *g_idata, T *g_odata, unsigned int n) {
	cg::thread_block cta = cg::this_thread_block();
	T *sdata = SharedMemory<T>();
	unsigned int tid = threadIdx.x;
	unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
	T mySum = (i < n) ? g_idata[i] : 0;
	if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
	sdata[tid] = mySum;
	cg::sync(cta);
	for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
		if (tid < s) { sdata[tid] = mySum = mySum + sdata[tid + s]; }
		cg::sync(cta);
	}
	if (tid == 0) g_odata[blockIdx.x] = mySum;
}
template __global__ void reduce3<int>(int *, int *, unsigned int);
template __global__ void reduce3<double>(double *, double *, unsigned int);

__inline__ __device__ float warpReduceSum(float val) {
	for (int offset = warpSize / 2; offset > 0; offset /= 2)
		val += __shfl_down_sync(FULL_MASK, val, offset);
	return val;
}

__inline__ __device__ float blockReduceSum(float val) {
	static __shared__ float shared[32];
	int lane = threadIdx.x % warpSize;
	int wid = threadIdx.x / warpSize;
	val = warpReduceSum(val);
	if (lane == 0) shared[wid] = val;
	__syncthreads();
	val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
	if (wid == 0) val = warpReduceSum(val);
	return val;
}

__global__ void deviceReduceKernel(const float *in, float *out, int N) {
	float sum = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) { sum += in[i]; }
	sum = blockReduceSum(sum);
	if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void reduce_vec4(const float4 *in, float *out, int n4) {
	float acc = 0.f;
	for (int idx = threadIdx.x + blockIdx.x * blockDim.x; idx < n4; idx += gridDim.x * blockDim.x) {
		float4 v = in[idx];
		acc += v.x + v.y + v.z + v.w;
	}
#pragma unroll
	for (int m = 16; m; m >>= 1) acc += __shfl_xor_sync(~0u, acc, m);
	if ((threadIdx.x & 31) == 0) atomicAdd(out, acc);
}

__device__ int reduce_sum(cg::thread_group g, int *temp, int val) {
	int lane = g.thread_rank();
	for (int i = g.size() / 2; i > 0; i /= 2) {
		temp[lane] = val;
		g.sync();
		if (lane < i) val += temp[lane + i];
		g.sync();
	}
	return val;
}

__device__ int thread_sum(int *input, int n) {
	int sum = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
		int4 in = ((int4 *)input)[i];
		sum += in.x + in.y + in.z + in.w;
	}
	return sum;
}

__global__ void sum_kernel_block(int *sum, int *input, int n) {
	int my_sum = thread_sum(input, n);
	extern __shared__ int temp[];
	auto g = cg::this_thread_block();
	int block_sum = reduce_sum(g, temp, my_sum);
	if (g.thread_rank() == 0) atomicAdd(sum, block_sum);
}

template <int tile_sz>
__device__ int reduce_sum_tile_shfl(cg::thread_block_tile<tile_sz> g, int val) {
	for (int i = g.size() / 2; i > 0; i /= 2) { val += g.shfl_down(val, i); }
	return val;
}

template <int tile_sz>
__global__ void sum_kernel_tile_shfl(int *sum, int *input, int n) {
	int my_sum = thread_sum(input, n);
	auto tile = cg::tiled_partition<tile_sz>(cg::this_thread_block());
	int tile_sum = reduce_sum_tile_shfl<tile_sz>(tile, my_sum);
	if (tile.thread_rank() == 0) atomicAdd(sum, tile_sum);
}

__device__ unsigned int retirementCount = 0;

__global__ void reduceSinglePass(const float *g_idata, float *g_odata, unsigned int n) {
	__shared__ float sdata[BLOCK];
	__shared__ bool amLast;
	const int tid = threadIdx.x;
	float v = 0;
	for (unsigned i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x) v += g_idata[i];
	sdata[tid] = v;
	__syncthreads();
	for (int s = BLOCK / 2; s > 0; s >>= 1) { if (tid < s) sdata[tid] += sdata[tid + s]; __syncthreads(); }
	if (gridDim.x > 1) {
		if (tid == 0) {
			g_odata[blockIdx.x] = sdata[0];
			__threadfence();
			unsigned int ticket = atomicInc(&retirementCount, gridDim.x);
			amLast = (ticket == gridDim.x - 1);
		}
		__syncthreads();
		if (amLast) {
			float sum = 0;
			for (unsigned i = tid; i < gridDim.x; i += blockDim.x) sum += ((volatile float *)g_odata)[i];
			sum = blockReduceSum(sum);
			if (tid == 0) { g_odata[0] = sum; retirementCount = 0; }
		}
	}
}

__global__ void dot_product(float *a, float *b, float *c, const int N) {
	__shared__ float cache[BLOCK];
	int tid = threadIdx.x + blockIdx.x * blockDim.x, cacheIndex = threadIdx.x;
	float temp = 0;
	while (tid < N) { temp += a[tid] * b[tid]; tid += blockDim.x * gridDim.x; }
	cache[cacheIndex] = temp;
	__syncthreads();
	int i = blockDim.x / 2;
	while (i != 0) {
		if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
		__syncthreads();
		i /= 2;
	}
	if (cacheIndex == 0) c[blockIdx.x] = cache[0];
}

__global__ void argmax(const float* x, int n, int* index, float* value) {
	float best = -INFINITY; int at = -1;
	for (int i = threadIdx.x; i < n; i += blockDim.x) if (x[i] > best) { best = x[i]; at = i; }
	for (int d = 16; d >= 1; d /= 2) {
		float other = __shfl_down_sync(FULL_MASK, best, d); int where = __shfl_down_sync(FULL_MASK, at, d);
		if (other > best || (other == best && where < at)) best = other, at = where;
	}
	if (threadIdx.x == 0) *index = at, *value = best;
}

static void run(const std::vector<float> &host, float *result) {
	float *d_in = nullptr, *d_out;
	CUDA_CHECK(cudaMalloc(&d_in, host.size() * sizeof(float)));
	CUDA_CHECK(cudaMemcpy(d_in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
	deviceReduceKernel<<<(host.size() + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_out, host.size());
	reduce6<256, true><<<dim3(1), BLOCK, BLOCK * sizeof(int)>>>(nullptr, nullptr, 0);
	CUDA_CHECK(cudaGetLastError());
	CUDA_CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
	std::vector<float> h(1 << 20, 1.0f);
	float out;
	run(h, &out);
	printf("%f\n", out);
	return 0;
}
