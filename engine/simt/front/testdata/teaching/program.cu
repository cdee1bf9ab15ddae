// Kernels inside of a whole program: what the host has around them is passed over.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda_fp8.h>
#include <mma.h>
#include <cuda_runtime.h>
#include "settings.h"
#include "support/timer.cuh"

namespace cg = cooperative_groups;
using std::vector;
using Clock = std::chrono::steady_clock;
template <typename T> using Pointer = std::unique_ptr<T, void (*)(T *)>;

#define CHECK(call)                                                                               \
	do {                                                                                          \
		const cudaError_t status = (call);                                                        \
		if (status != cudaSuccess) {                                                              \
			std::cerr << __FILE__ << ':' << __LINE__ << ' ' << cudaGetErrorString(status) << '\n'; \
			std::exit(EXIT_FAILURE);                                                              \
		}                                                                                         \
	} while (0)

static std::mt19937 engine(42);
std::ostream &operator<<(std::ostream &out, const vector<float> &v) { return out << v.size() << " numbers"; }
const std::string title = R"(a "raw" title)";
std::mutex guard;
cudaStream_t streams[2];
const char *const names[] = {"first", "second"};

struct Options {
	std::string device = "gpu";
	vector<int> sizes{256, 1024};
	std::function<void(int)> report;
	unsigned verbose : 1;
};

class Buffer {
public:
	explicit Buffer(size_t n) : n_(n) { CHECK(cudaMalloc(&data_, n * sizeof(float))); }
	virtual ~Buffer() { cudaFree(data_); }
	Buffer(const Buffer &) = delete;
	Buffer &operator=(Buffer &&other) noexcept;
	float *get() const { return data_; }
	template <typename F> void each(F &&f) const { for (auto &&x : host()) std::forward<F>(f)(x); }

private:
	vector<float> host() const;
	float *data_ = nullptr;
	size_t n_{0};
};

template <typename... Args> void log(const char *format, Args &&...args) { std::printf(format, std::forward<Args>(args)...); }
template <typename T> void check(T result, const char *what, const char *file, int line) {
	if (result) throw std::runtime_error(std::string(what) + file + std::to_string(line));
}
template void check<cudaError_t>(cudaError_t, const char *, const char *, int);

// What a kernel may call is beside what only the host can.
constexpr int THREADS = 128;
const int ITEMS = 4 * THREADS;
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__managed__ int finished = 0;
int ceil_div(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ inline float blend(float a, float b, float t = 0.5f) { return a + t * (b - a); }

using step_t = float (*)(float, float);
__device__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ float sum_of(float a, float b) { return a + b; }

template <step_t STEP>
__device__ float across(cg::thread_block_tile<32> tile, float x) {
	for (int lanes = tile.size() / 2; lanes > 0; lanes /= 2) x = STEP(x, tile.shfl_xor(x, lanes));
	return x;
}

template <step_t STEP>
__global__ void __launch_bounds__(THREADS) fold(const float *__restrict__ in, float *out, int n, float empty) {
	__shared__ float partial[THREADS / 32];
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
	float x = empty;
	for (int i = blockIdx.x * ITEMS + threadIdx.x; i < min(n, (int)(blockIdx.x + 1) * ITEMS); i += THREADS) x = STEP(x, in[i]);
	x = across<STEP>(tile, x);
	if (tile.thread_rank() == 0) partial[tile.meta_group_rank()] = x;
	block.sync();
	if (block.thread_rank() == 0) {
		for (int i = 1; i < THREADS / 32; i++) x = STEP(x, partial[i]);
		out[blockIdx.x] = x;
		atomicAdd(&finished, 1);
	}
}
template __global__ void fold<sum_of>(const float *, float *, int, float);
template __global__ void fold<larger>(const float *, float *, int, float);

__global__ void smooth(const float *in, float *out, int n) {
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	float s = 0;
	for (int k = -1; k <= 1; k++) s += weights[k + 1] * in[min(max(i + k, 0), n - 1)];
	out[i] = blend(in[i], s);
}

// What is not supported is an error of the kernels that have it, and of no other.
__global__ void elsewhere(int *p) {
	asm volatile("cp.async.commit_group;");
	p[0] = 1;
}

__global__ void elsewhere_copies(float *p) {
	__shared__ float s[32];
	auto block = cg::this_thread_block();
	cg::memcpy_async(block, s, p, sizeof(s));
	cg::wait(block);
	p[threadIdx.x] = s[threadIdx.x] + 1;
}

__global__ void elsewhere_barrier(float *p) {
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	if (threadIdx.x == 0) init(&barrier, blockDim.x);
	__syncthreads();
	barrier.arrive_and_wait();
}

using namespace nvcuda::wmma;
__global__ void elsewhere_fragments(const half *p, float *out) {
	fragment<matrix_a, 16, 16, 16, half, row_major> a;
	load_matrix_sync(a, p, 16);
}

__global__ void elsewhere_settings(float *p) { p[threadIdx.x] = SETTING(p, 1) TRAILING; }
__global__ void elsewhere_fp8(__nv_fp8_e4m3 *p) { p[0] = __nv_fp8_e4m3(1.f); }
__global__ void __cluster_dims__(2, 1, 1) elsewhere_cluster(float *p) { cg::this_cluster().sync(); }
template <int N> __global__ void elsewhere_tiles(float *p) {
	__shared__ cg::block_tile_memory<N> memory;
	auto block = cg::this_thread_block(memory);
	cg::tiled_partition<64>(block).sync();
}

// Packs are passed over in all their places.
template <typename T> __device__ T total(T x) { return x; }
template <typename T, typename... More> __device__ T total(T x, More... more) { return x + total(more...); }
template <typename F, typename... In> __device__ float each(const F &f, const In *...in, int i) { return f((in[i] + 1)...); }
__global__ void elsewhere_packs(float *p) { p[0] = total(1.f, 2.f, 3.f); }

int main(int argc, char **argv) try {
	const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
	Buffer a(n), b(n);
	std::uniform_real_distribution<float> numbers(-1.f, 1.f);
	vector<float> h(n);
	std::generate(h.begin(), h.end(), [&] { return numbers(engine); });
	const auto start = Clock::now();
	fold<sum_of><<<ceil_div(n, ITEMS), THREADS, 0, streams[0]>>>(a.get(), b.get(), n, 0.f);
	smooth<<<dim3(ceil_div(n, 256)), dim3(256)>>>(a.get(), b.get(), n);
	CHECK(cudaDeviceSynchronize());
	std::cout << title << ' ' << h << std::chrono::duration<double, std::milli>(Clock::now() - start).count() << std::endl;
	if (auto e = cudaGetLastError(); e != cudaSuccess) goto failed;
	return 0;
failed:
	return 1;
} catch (const std::exception &e) {
	std::cerr << e.what() << '\n';
	return 2;
}
