// Scans, histograms, transposes, stencils, sorts, images, particles and others.
#include <stdio.h>
#include <stdint.h>
#define TILE_DIM 32
#define BLOCK_ROWS 8
#define RADIUS 3
#define BLOCK_SIZE 16
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
#define SOFTENING 1e-9f
#define INDX(row, col, ld) (((row) * (ld)) + (col))
#define max(a, b) (a > b ? a : b)
#define SWAP(T, a, b) { T t_ = a; a = b; b = t_; }
#define WARPS (BLOCK_SIZE * BLOCK_SIZE / 32)
struct Body { float x, y, z, vx, vy, vz; };
struct Pixel { unsigned char r, g, b; };
struct cuComplex {
	float r; float i;
	__device__ cuComplex(float a, float b) : r(a), i(b) {}
	__device__ float magnitude2(void) { return r * r + i * i; }
	__device__ cuComplex operator*(const cuComplex& a) { return cuComplex(r * a.r - i * a.i, i * a.r + r * a.i); }
	__device__ cuComplex operator+(const cuComplex& a) { return cuComplex(r + a.r, i + a.i); }
};
struct Sphere { float r, b, g; float radius; float x, y, z; __device__ float hit(float ox, float oy, float* n) const { float dx = ox - x; float dy = oy - y; if (dx * dx + dy * dy < radius * radius) { float dz = sqrtf(radius * radius - dx * dx - dy * dy); *n = dz / sqrtf(radius * radius); return dz + z; } return -2e10f; } };
__constant__ float c_coeff[2 * RADIUS + 1];
__constant__ Sphere spheres[20];
__constant__ float Gauss[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
__device__ int d_counter;
__device__ float d_table[256];

__global__ void vecAdd(const float *A, const float *B, float *C, int numElements) { int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < numElements) { C[i] = A[i] + B[i] + 0.0f; } }
__global__ void add(int a, int b, int *c) { *c = a + b; }
__global__ void saxpy(int n, float a, float *x, float *y) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i] + y[i]; }
__global__ void hello() { printf("Hello from block %d, thread %d of %d (%s %f %c %5.2f%%)\n", blockIdx.x, threadIdx.x, blockDim.x, "text", 1.5f, 'x', 2.5); }
__global__ void transposeNaive(float *odata, const float *idata) { int x = blockIdx.x * TILE_DIM + threadIdx.x; int y = blockIdx.y * TILE_DIM + threadIdx.y; int width = gridDim.x * TILE_DIM; for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) odata[x * width + (y + j)] = idata[(y + j) * width + x]; }
__global__ void transposeNoBankConflicts(float *odata, const float *idata) {
	__shared__ float tile[TILE_DIM][TILE_DIM + 1];
	int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y, width = gridDim.x * TILE_DIM;
	for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
	__syncthreads();
	x = blockIdx.y * TILE_DIM + threadIdx.x;
	y = blockIdx.x * TILE_DIM + threadIdx.y;
	for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void stencil_1d(int *in, int *out) {
	__shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
	int gindex = threadIdx.x + blockIdx.x * blockDim.x;
	int lindex = threadIdx.x + RADIUS;
	temp[lindex] = in[gindex];
	if (threadIdx.x < RADIUS) { temp[lindex - RADIUS] = in[gindex - RADIUS]; temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE]; }
	__syncthreads();
	int result = 0;
	for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset];
	out[gindex] = result;
}
__global__ void prescan(float *g_odata, float *g_idata, int n) {
	extern __shared__ float temp[];
	int thid = threadIdx.x, offset = 1, ai = thid, bi = thid + (n / 2);
	int bankOffsetA = CONFLICT_FREE_OFFSET(ai), bankOffsetB = CONFLICT_FREE_OFFSET(bi);
	temp[ai + bankOffsetA] = g_idata[ai];
	temp[bi + bankOffsetB] = g_idata[bi];
	for (int d = n >> 1; d > 0; d >>= 1) {
		__syncthreads();
		if (thid < d) { int ai = offset * (2 * thid + 1) - 1; int bi = offset * (2 * thid + 2) - 1; ai += CONFLICT_FREE_OFFSET(ai); bi += CONFLICT_FREE_OFFSET(bi); temp[bi] += temp[ai]; }
		offset *= 2;
	}
	if (thid == 0) { temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0; }
	for (int d = 1; d < n; d *= 2) {
		offset >>= 1;
		__syncthreads();
		if (thid < d) { int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1; ai += CONFLICT_FREE_OFFSET(ai); bi += CONFLICT_FREE_OFFSET(bi); float t = temp[ai]; temp[ai] = temp[bi]; temp[bi] += t; }
	}
	__syncthreads();
	g_odata[ai] = temp[ai + bankOffsetA];
	g_odata[bi] = temp[bi + bankOffsetB];
}
__global__ void scan_hillis(float *g_odata, float *g_idata, int n) {
	extern __shared__ float temp2[];
	int thid = threadIdx.x; int pout = 0, pin = 1;
	temp2[pout * n + thid] = (thid > 0) ? g_idata[thid - 1] : 0;
	__syncthreads();
	for (int offset = 1; offset < n; offset *= 2) { pout = 1 - pout; pin = 1 - pout; if (thid >= offset) temp2[pout * n + thid] = temp2[pin * n + thid] + temp2[pin * n + thid - offset]; else temp2[pout * n + thid] = temp2[pin * n + thid]; __syncthreads(); }
	g_odata[thid] = temp2[pout * n + thid];
}
__device__ __forceinline__ unsigned warp_scan(unsigned x) { const int lane = threadIdx.x & 31; _Pragma("unroll") for (int i = 1; i <= 32; i *= 2) { unsigned n = __shfl_up_sync(0xffffffffu, x, i, 32); if (lane >= i) x += n; } return x; }
__global__ void compact(const int* in, int* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; bool keep = i < n && in[i] > 0; unsigned ballot = __ballot_sync(0xffffffff, keep); int lane = threadIdx.x % 32; int base; if (lane == 0) base = atomicAdd(&d_counter, __popc(ballot)); base = __shfl_sync(0xffffffff, base, 0); if (keep) out[base + __popc(ballot & ((1u << lane) - 1))] = in[i]; (void)warp_scan(i); }
__global__ void histo_kernel(unsigned char *buffer, long size, unsigned int *histo) {
	__shared__ unsigned int temp[256];
	temp[threadIdx.x] = 0;
	__syncthreads();
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	int stride = blockDim.x * gridDim.x;
	while (i < size) { atomicAdd(&temp[buffer[i]], 1); i += stride; }
	__syncthreads();
	atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}
__global__ void bitonic_sort_step(float *dev_values, int j, int k) { unsigned int i, ixj; i = threadIdx.x + blockDim.x * blockIdx.x; ixj = i ^ j; if ((ixj) > i) { if ((i & k) == 0) { if (dev_values[i] > dev_values[ixj]) { float temp = dev_values[i]; dev_values[i] = dev_values[ixj]; dev_values[ixj] = temp; } } if ((i & k) != 0) { if (dev_values[i] < dev_values[ixj]) SWAP(float, dev_values[i], dev_values[ixj]); } } }
__device__ inline void Comparator(uint32_t &keyA, uint32_t &valA, uint32_t &keyB, uint32_t &valB, uint32_t dir) { uint32_t t; if ((keyA > keyB) == dir) { t = keyA; keyA = keyB; keyB = t; t = valA; valA = valB; valB = t; } }
__global__ void bitonicSortShared(uint32_t *d_Key, uint32_t *d_Val, uint32_t arrayLength, uint32_t dir) { __shared__ uint32_t s_key[1024]; __shared__ uint32_t s_val[1024]; s_key[threadIdx.x] = d_Key[threadIdx.x]; for (uint32_t size = 2; size < arrayLength; size <<= 1) { uint32_t ddd = dir ^ ((threadIdx.x & (size / 2)) != 0); for (uint32_t stride = size / 2; stride > 0; stride >>= 1) { __syncthreads(); uint32_t pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1)); Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], ddd); } } d_Val[threadIdx.x] = s_val[threadIdx.x]; }
__global__ void bodyForce(Body *p, float dt, int n) { int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) { float Fx = 0.0f; float Fy = 0.0f; float Fz = 0.0f; for (int tile = 0; tile < gridDim.x; tile++) { __shared__ float3 spos[BLOCK_SIZE]; Body tpos = p[tile * blockDim.x + threadIdx.x]; spos[threadIdx.x] = make_float3(tpos.x, tpos.y, tpos.z); __syncthreads(); for (int j = 0; j < BLOCK_SIZE; j++) { float dx = spos[j].x - p[i].x; float dy = spos[j].y - p[i].y; float dz = spos[j].z - p[i].z; float distSqr = dx * dx + dy * dy + dz * dz + SOFTENING; float invDist = rsqrtf(distSqr); float invDist3 = invDist * invDist * invDist; Fx += dx * invDist3; Fy += dy * invDist3; Fz += dz * invDist3; } __syncthreads(); } p[i].vx += dt * Fx; p[i].vy += dt * Fy; p[i].vz += dt * Fz; } }
__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai) { float3 r; r.x = bj.x - bi.x; r.y = bj.y - bi.y; r.z = bj.z - bi.z; float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + 1.0f; float distSixth = distSqr * distSqr * distSqr; float invDistCube = 1.0f / sqrtf(distSixth); float s = bj.w * invDistCube; ai.x += r.x * s; ai.y += r.y * s; ai.z += r.z * s; return ai; }
__global__ void forces(void *devX, void *devA, int N) { extern __shared__ float4 shPosition[]; float4 *globalX = (float4 *)devX; float4 *globalA = (float4 *)devA; float4 myPosition; int i, tile; float3 acc = {0.0f, 0.0f, 0.0f}; int gtid = blockIdx.x * blockDim.x + threadIdx.x; myPosition = globalX[gtid]; for (i = 0, tile = 0; i < N; i += blockDim.x, tile++) { int idx = tile * blockDim.x + threadIdx.x; shPosition[threadIdx.x] = globalX[idx]; __syncthreads(); for (int j = 0; j < blockDim.x; j++) acc = bodyBodyInteraction(myPosition, shPosition[j], acc); __syncthreads(); } float4 acc4 = {acc.x, acc.y, acc.z, 0.0f}; globalA[gtid] = acc4; }
__device__ int julia(int x, int y) { const float scale = 1.5; float jx = scale * (float)(512 - x) / (512); float jy = scale * (float)(512 - y) / (512); cuComplex c(-0.8, 0.156); cuComplex a(jx, jy); int i = 0; for (i = 0; i < 200; i++) { a = a * a + c; if (a.magnitude2() > 1000) return 0; } return 1; }
__global__ void julia_kernel(unsigned char *ptr) { int x = blockIdx.x; int y = blockIdx.y; int offset = x + y * gridDim.x; int juliaValue = julia(x, y); ptr[offset * 4 + 0] = 255 * juliaValue; ptr[offset * 4 + 3] = 255; }
__global__ void ray(unsigned char *ptr) { int x = threadIdx.x + blockIdx.x * blockDim.x; float ox = (x - 16), oy = 3; float r = 0, maxz = -2e10f; for (int i = 0; i < 20; i++) { float n; float t = spheres[i].hit(ox, oy, &n); if (t > maxz) { float fscale = n; r = spheres[i].r * fscale; maxz = t; } } ptr[x] = (int)(r * 255); }
__global__ void rgb2gray(const Pixel *in, unsigned char *out, int w, int h) { int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y; if (c >= w || r >= h) return; Pixel p = in[r * w + c]; out[r * w + c] = 0.21f * p.r + 0.71f * p.g + 0.07f * p.b; }
__global__ void blur(const unsigned char *in, unsigned char *out, int w, int h) { int Col = blockIdx.x * blockDim.x + threadIdx.x; int Row = blockIdx.y * blockDim.y + threadIdx.y; if (Col < w && Row < h) { int pixVal = 0; int pixels = 0; for (int blurRow = -1; blurRow < 1 + 1; ++blurRow) { for (int blurCol = -1; blurCol < 1 + 1; ++blurCol) { int curRow = Row + blurRow; int curCol = Col + blurCol; if (curRow > -1 && curRow < h && curCol > -1 && curCol < w) { pixVal += in[curRow * w + curCol] * (int)Gauss[blurRow + 1][blurCol + 1]; pixels++; } } } out[Row * w + Col] = (unsigned char)(pixVal / pixels); } }
__global__ void conv2d(const float *N, float *P, int width, int height) { __shared__ float N_s[BLOCK_SIZE + 2 * RADIUS][BLOCK_SIZE + 2 * RADIUS]; int tx = threadIdx.x, ty = threadIdx.y; for (int y = ty; y < BLOCK_SIZE + 2 * RADIUS; y += blockDim.y) for (int x = tx; x < BLOCK_SIZE + 2 * RADIUS; x += blockDim.x) { int gy = blockIdx.y * BLOCK_SIZE + y - RADIUS, gx = blockIdx.x * BLOCK_SIZE + x - RADIUS; N_s[y][x] = (gy >= 0 && gy < height && gx >= 0 && gx < width) ? N[INDX(gy, gx, width)] : 0.f; } __syncthreads(); float v = 0.f; for (int i = -RADIUS; i <= RADIUS; i++) v += c_coeff[i + RADIUS] * N_s[ty + RADIUS][tx + RADIUS + i]; P[INDX(blockIdx.y * BLOCK_SIZE + ty, blockIdx.x * BLOCK_SIZE + tx, width)] = max(v, 0.f); }
__global__ void spmv_csr(int num_rows, const int *row_ptr, const int *col_index, const float *data, const float *x, float *y) { int row = blockIdx.x * blockDim.x + threadIdx.x; if (row < num_rows) { float dot = 0; int row_start = row_ptr[row], row_end = row_ptr[row + 1]; for (int elem = row_start; elem < row_end; elem++) dot += data[elem] * x[col_index[elem]]; y[row] += dot; } }
__global__ void bfs(int level, int num_vertices, int *nodes, int *edges, int *levels, bool *done) { int tid = blockIdx.x * blockDim.x + threadIdx.x; if (tid < num_vertices && levels[tid] == level) for (int i = nodes[tid]; i < nodes[tid + 1]; i++) { int n = edges[i]; if (levels[n] == -1) { levels[n] = level + 1; *done = false; } } }
__global__ void monte_carlo(unsigned long long seed, int n, unsigned long long *hits) { unsigned long long s = seed + blockIdx.x * blockDim.x + threadIdx.x; auto next = [&s]() -> float { s ^= s << 13; s ^= s >> 7; s ^= s << 17; return (s >> 40) * (1.0f / (1 << 24)); }; int in = 0; for (int i = 0; i < n; i++) { float x = next(), y = next(); in += x * x + y * y <= 1.0f; } atomicAdd(hits, (unsigned long long)in); }
__global__ void life(const bool* in, bool* out, int n) { int x = threadIdx.x, y = threadIdx.y, alive = 0; for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) if (dx || dy) alive += in[((y + dy + n) % n) * n + (x + dx + n) % n]; out[y * n + x] = alive == 3 || (alive == 2 && in[y * n + x]); }
__device__ double atomicAddDouble(double *address, double val) { unsigned long long int *address_as_ull = (unsigned long long int *)address; unsigned long long int old = *address_as_ull, assumed; do { assumed = old; old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed))); } while (assumed != old); return __longlong_as_double(old); }
__device__ static float atomicMaxFloat(float *address, float val) { int *address_as_i = (int *)address; int old = *address_as_i, assumed; do { assumed = old; old = ::atomicCAS(address_as_i, assumed, __float_as_int(::fmaxf(val, __int_as_float(assumed)))); } while (assumed != old); return __int_as_float(old); }
__device__ volatile int lock_word = 0;
struct Lock { int *mutex; __device__ void lock(void) { while (atomicCAS(mutex, 0, 1) != 0); __threadfence(); } __device__ void unlock(void) { __threadfence(); atomicExch(mutex, 0); } };
__global__ void locked(Lock lock, double *sum, float *peak) { if (threadIdx.x == 0) { lock.lock(); *sum += 1; lock.unlock(); } atomicAddDouble(sum, 0.5); atomicMaxFloat(peak, 1.f); while (lock_word != 0) {} }
__global__ void heat(double (*u)[64], double *unew, const double alpha) { int i = blockIdx.y * blockDim.y + threadIdx.y + 1, j = blockIdx.x * blockDim.x + threadIdx.x + 1; if (i < 63 && j < 63) unew[i * 64 + j] = u[i][j] + alpha * (u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4.0 * u[i][j]); }
__global__ void clock_block(clock_t *d_o, clock_t clock_count) { clock_t start_clock = clock(); clock_t clock_offset = 0; while (clock_offset < clock_count) { clock_t end_clock = clock(); clock_offset = end_clock - start_clock; } long long t = clock64(); d_o[0] = clock_offset + (t & 0); }
__global__ void divergence(float *c) { int tid = blockIdx.x * blockDim.x + threadIdx.x; float a, b; a = b = 0.0f; if ((tid / warpSize) % 2 == 0) { a = 100.0f; } else { b = 200.0f; } c[tid] = a + b; unsigned mask = __activemask(); if (__any_sync(mask, a > 0) && __all_sync(mask, b < 1)) c[tid]++; int n = __syncthreads_count(tid & 1); c[tid] += n; if (__syncthreads_or(n) && __syncthreads_and(n)) c[tid] -= 1; unsigned lane; asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); c[lane] += __brev(lane) + __clz(lane) + __ffs(lane) + __popcll(lane); }
template <typename T, int N> struct Array { T d[N]; __device__ T& operator[](int i) { return d[i]; } __device__ const T& operator[](int i) const { return d[i]; } __device__ static constexpr int size() { return N; } };
__global__ void arrays(Array<float, 4> a, float *out) { Array<float, 4> b = a; b[1] += 2; float s = 0; for (int i = 0; i < b.size(); ++i) s += b[i]; out[threadIdx.x] = s; }
extern "C" __global__ void __launch_bounds__(128, 4) linear_kernel(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int in, int outn) { int o = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); if (o >= outn) return; float acc{}; for (int i = threadIdx.x & 31; i < in; i += 32) acc = __fmaf_rn(__ldg(&w[o * in + i]), __ldg(x + i), acc); for (int s = 16; s; s >>= 1) acc += __shfl_down_sync(-1, acc, s); if (!(threadIdx.x & 31)) y[o] = acc; }
int compare(const void *a, const void *b) { return (*(int *)a - *(int *)b); }
void host_reference(float *x, int n) { for (int i = 0; i < n; i++) x[i] = i; }
int main() { dim3 grid(2, 2), block(16, 16); float *d; cudaMalloc((void **)&d, 100); conv2d<<<grid, block, 0>>>(d, d, 3, 3); cudaMemcpyToSymbol(c_coeff, d, sizeof(float) * 7); cudaEvent_t e; cudaEventCreate(&e); return 0; }
