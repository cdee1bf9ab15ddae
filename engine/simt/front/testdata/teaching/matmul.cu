// Matrix products: naive, tiled, blocked, vectorised.
#include <stdio.h>
#include <cassert>
#define TILE_WIDTH 16
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define OFFSET(row, col, ld) ((row) * (ld) + (col))
#define FETCH_FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])
const int TILE = 32;
typedef struct { int width; int height; int stride; float* elements; } Matrix;

__device__ float GetElement(const Matrix A, int row, int col) { return A.elements[row * A.stride + col]; }
__device__ void SetElement(Matrix A, int row, int col, float value) { A.elements[row * A.stride + col] = value; }
__device__ Matrix GetSubMatrix(Matrix A, int row, int col) {
	Matrix Asub;
	Asub.width = TILE_WIDTH;
	Asub.height = TILE_WIDTH;
	Asub.stride = A.stride;
	Asub.elements = &A.elements[A.stride * TILE_WIDTH * row + TILE_WIDTH * col];
	return Asub;
}
__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) {
	int blockRow = blockIdx.y;
	int blockCol = blockIdx.x;
	Matrix Csub = GetSubMatrix(C, blockRow, blockCol);
	float Cvalue = 0;
	int row = threadIdx.y;
	int col = threadIdx.x;
	for (int m = 0; m < (A.width / TILE_WIDTH); ++m) {
		Matrix Asub = GetSubMatrix(A, blockRow, m);
		Matrix Bsub = GetSubMatrix(B, m, blockCol);
		__shared__ float As[TILE_WIDTH][TILE_WIDTH];
		__shared__ float Bs[TILE_WIDTH][TILE_WIDTH];
		As[row][col] = GetElement(Asub, row, col);
		Bs[row][col] = GetElement(Bsub, row, col);
		__syncthreads();
		for (int e = 0; e < TILE_WIDTH; ++e)
			Cvalue += As[row][e] * Bs[e][col];
		__syncthreads();
	}
	SetElement(Csub, row, col, Cvalue);
}
__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
	const uint x = blockIdx.x * blockDim.x + threadIdx.x;
	const uint y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < M && y < N) {
		float tmp = 0.0;
		for (int i = 0; i < K; ++i) { tmp += A[x * K + i] * B[i * N + y]; }
		C[x * N + y] = alpha * tmp + beta * C[x * N + y];
	}
}
template <const uint BLOCKSIZE>
__global__ void sgemm_global_mem_coalesce(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
	const int cRow = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
	const int cCol = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
	if (cRow < M && cCol < N) {
		float tmp = 0.0;
		for (int i = 0; i < K; ++i) tmp += A[cRow * K + i] * B[i * N + cCol];
		C[cRow * N + cCol] = alpha * tmp + beta * C[cRow * N + cCol];
	}
}
template <const int BLOCKSIZE>
__global__ void sgemm_shared_mem_block(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
	const uint cRow = blockIdx.x;
	const uint cCol = blockIdx.y;
	__shared__ float As[BLOCKSIZE * BLOCKSIZE];
	__shared__ float Bs[BLOCKSIZE * BLOCKSIZE];
	const uint threadCol = threadIdx.x % BLOCKSIZE;
	const uint threadRow = threadIdx.x / BLOCKSIZE;
	A += cRow * BLOCKSIZE * K;
	B += cCol * BLOCKSIZE;
	C += cRow * BLOCKSIZE * N + cCol * BLOCKSIZE;
	float tmp = 0.0;
	for (int bkIdx = 0; bkIdx < K; bkIdx += BLOCKSIZE) {
		As[threadRow * BLOCKSIZE + threadCol] = A[threadRow * K + threadCol];
		Bs[threadRow * BLOCKSIZE + threadCol] = B[threadRow * N + threadCol];
		__syncthreads();
		A += BLOCKSIZE;
		B += BLOCKSIZE * N;
		for (int dotIdx = 0; dotIdx < BLOCKSIZE; ++dotIdx) { tmp += As[threadRow * BLOCKSIZE + dotIdx] * Bs[dotIdx * BLOCKSIZE + threadCol]; }
		__syncthreads();
	}
	C[threadRow * N + threadCol] = alpha * tmp + beta * C[threadRow * N + threadCol];
}
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
	sgemm2DBlocktiling(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
	const uint cRow = blockIdx.y;
	const uint cCol = blockIdx.x;
	const uint totalResultsBlocktile = BM * BN;
	const uint numThreadsBlocktile = totalResultsBlocktile / (TM * TN);
	assert(numThreadsBlocktile == blockDim.x);
	const int threadCol = threadIdx.x % (BN / TN);
	const int threadRow = threadIdx.x / (BN / TN);
	__shared__ float As[BM * BK];
	__shared__ float Bs[BK * BN];
	A += cRow * BM * K;
	B += cCol * BN;
	C += cRow * BM * N + cCol * BN;
	const uint innerRowA = threadIdx.x / BK;
	const uint innerColA = threadIdx.x % BK;
	const uint strideA = numThreadsBlocktile / BK;
	const uint innerRowB = threadIdx.x / BN;
	const uint innerColB = threadIdx.x % BN;
	const uint strideB = numThreadsBlocktile / BN;
	float threadResults[TM * TN] = {0.0};
	float regM[TM] = {0.0};
	float regN[TN] = {0.0};
	for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
		for (uint loadOffset = 0; loadOffset < BM; loadOffset += strideA) As[(innerRowA + loadOffset) * BK + innerColA] = A[(innerRowA + loadOffset) * K + innerColA];
		for (uint loadOffset = 0; loadOffset < BK; loadOffset += strideB) Bs[(innerRowB + loadOffset) * BN + innerColB] = B[(innerRowB + loadOffset) * N + innerColB];
		__syncthreads();
		A += BK;
		B += BK * N;
		for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
			for (uint i = 0; i < TM; ++i) regM[i] = As[(threadRow * TM + i) * BK + dotIdx];
			for (uint i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
			for (uint resIdxM = 0; resIdxM < TM; ++resIdxM)
				for (uint resIdxN = 0; resIdxN < TN; ++resIdxN) threadResults[resIdxM * TN + resIdxN] += regM[resIdxM] * regN[resIdxN];
		}
		__syncthreads();
	}
	for (uint resIdxM = 0; resIdxM < TM; resIdxM += 1) {
		for (uint resIdxN = 0; resIdxN < TN; resIdxN += 4) {
			float4 tmp = reinterpret_cast<float4 *>(&C[(threadRow * TM + resIdxM) * N + threadCol * TN + resIdxN])[0];
			tmp.x = alpha * threadResults[resIdxM * TN + resIdxN] + beta * tmp.x;
			tmp.y = alpha * threadResults[resIdxM * TN + resIdxN + 1] + beta * tmp.y;
			tmp.z = alpha * threadResults[resIdxM * TN + resIdxN + 2] + beta * tmp.z;
			tmp.w = alpha * threadResults[resIdxM * TN + resIdxN + 3] + beta * tmp.w;
			reinterpret_cast<float4 *>(&C[(threadRow * TM + resIdxM) * N + threadCol * TN + resIdxN])[0] = tmp;
		}
	}
}
template __global__ void sgemm2DBlocktiling<64, 64, 8, 8, 8>(int, int, int, float, const float *, const float *, float, float *);

template <const int BLOCK_SIZE_M, const int BLOCK_SIZE_K, const int BLOCK_SIZE_N, const int THREAD_SIZE_Y, const int THREAD_SIZE_X, const bool ENABLE_DOUBLE_BUFFER>
__global__ void Sgemm(float *__restrict__ A, float *__restrict__ B, float *__restrict__ C, const int M, const int N, const int K) {
	int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	const int THREAD_X_PER_BLOCK = BLOCK_SIZE_N / THREAD_SIZE_X;
	const int THREAD_Y_PER_BLOCK = BLOCK_SIZE_M / THREAD_SIZE_Y;
	const int THREAD_NUM_PER_BLOCK = THREAD_X_PER_BLOCK * THREAD_Y_PER_BLOCK;
	const int tid = ty * THREAD_X_PER_BLOCK + tx;
	__shared__ float As[2][BLOCK_SIZE_K][BLOCK_SIZE_M];
	__shared__ float Bs[2][BLOCK_SIZE_K][BLOCK_SIZE_N];
	float accum[THREAD_SIZE_Y][THREAD_SIZE_X];
#pragma unroll
	for (int i = 0; i < THREAD_SIZE_Y; i++) {
#pragma unroll
		for (int j = 0; j < THREAD_SIZE_X; j++) { accum[i][j] = 0.0; }
	}
	float frag_a[2][THREAD_SIZE_Y];
	float frag_b[2][THREAD_SIZE_X];
	const int ldg_num_a = BLOCK_SIZE_M * BLOCK_SIZE_K / (THREAD_NUM_PER_BLOCK * 4);
	float ldg_a_reg[4 * ldg_num_a];
	const int A_TILE_THREAD_PER_ROW = BLOCK_SIZE_K / 4;
	const int A_TILE_ROW_START = tid / A_TILE_THREAD_PER_ROW;
	const int A_TILE_COL = tid % A_TILE_THREAD_PER_ROW * 4;
	A = &A[(BLOCK_SIZE_M * by) * K];
#pragma unroll
	for (int i = 0; i < BLOCK_SIZE_M; i += THREAD_NUM_PER_BLOCK / A_TILE_THREAD_PER_ROW) {
		int ldg_index = i / (THREAD_NUM_PER_BLOCK / A_TILE_THREAD_PER_ROW) * 4;
		FETCH_FLOAT4(ldg_a_reg[ldg_index]) = FETCH_FLOAT4(A[OFFSET(A_TILE_ROW_START + i, A_TILE_COL, K)]);
		As[0][A_TILE_COL][A_TILE_ROW_START + i] = ldg_a_reg[ldg_index];
		As[0][A_TILE_COL + 1][A_TILE_ROW_START + i] = ldg_a_reg[ldg_index + 1];
	}
	__syncthreads();
	int write_stage_idx = 1, tile_idx = 0;
	do {
		tile_idx += BLOCK_SIZE_K;
		int load_stage_idx = write_stage_idx ^ 1;
#pragma unroll
		for (int j = 0; j < BLOCK_SIZE_K - 1; ++j) {
#pragma unroll
			for (int y = 0; y < THREAD_SIZE_Y; y += 4) { FETCH_FLOAT4(frag_a[(j + 1) % 2][y]) = FETCH_FLOAT4(As[load_stage_idx][j + 1][THREAD_SIZE_Y * ty + y]); }
#pragma unroll
			for (int t = 0; t < THREAD_SIZE_Y; ++t)
#pragma unroll
				for (int x = 0; x < THREAD_SIZE_X; ++x) accum[t][x] += frag_a[j % 2][t] * frag_b[j % 2][x];
		}
		if (tile_idx < K) { __syncthreads(); write_stage_idx ^= 1; }
	} while (tile_idx < K);
	(void)bx; (void)Bs; (void)C;
}
template __global__ void Sgemm<32, 8, 32, 4, 4, true>(float *, float *, float *, const int, const int, const int);

__global__ void matrixMultiply(float *A, float *B, float *C, int numARows, int numAColumns, int numBRows, int numBColumns, int numCRows, int numCColumns) {
	__shared__ float ds_M[TILE_WIDTH][TILE_WIDTH], ds_N[TILE_WIDTH][TILE_WIDTH + 1];
	int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y, Row = by * TILE_WIDTH + ty, Col = bx * TILE_WIDTH + tx;
	float Pvalue = 0;
	for (int m = 0; m < (numAColumns - 1) / TILE_WIDTH + 1; ++m) {
		if (Row < numARows && m * TILE_WIDTH + tx < numAColumns) ds_M[ty][tx] = A[Row * numAColumns + m * TILE_WIDTH + tx];
		else ds_M[ty][tx] = 0;
		ds_N[ty][tx] = (Col < numBColumns && m * TILE_WIDTH + ty < numBRows) ? B[(m * TILE_WIDTH + ty) * numBColumns + Col] : 0.0f;
		__syncthreads();
#pragma unroll 4
		for (int k = 0; k < TILE_WIDTH; ++k) Pvalue = fma(ds_M[ty][k], ds_N[k][tx], Pvalue);
		__syncthreads();
	}
	if (Row < numCRows && Col < numCColumns) C[Row * numCColumns + Col] = Pvalue;
}
template <typename T, size_t BLOCK_TILE_SIZE_X, size_t BLOCK_TILE_SIZE_Y, size_t NUM_THREADS, size_t VPT = 0U>
__device__ void load_data(T const* A, size_t lda, T A_tile[BLOCK_TILE_SIZE_Y][BLOCK_TILE_SIZE_X], size_t m, size_t k) {
#pragma unroll
	for (size_t load_idx{0U}; load_idx < (BLOCK_TILE_SIZE_Y * BLOCK_TILE_SIZE_X + NUM_THREADS - 1U) / NUM_THREADS; ++load_idx) {
		size_t const row{(threadIdx.x + load_idx * NUM_THREADS) / BLOCK_TILE_SIZE_X};
		size_t const col{(threadIdx.x + load_idx * NUM_THREADS) % BLOCK_TILE_SIZE_X};
		T val{static_cast<T>(0)};
		if (row < m && col < k) { val = A[row * lda + col]; }
		static_assert(BLOCK_TILE_SIZE_X % 4U == 0U);
		A_tile[row][col] = val;
	}
}
template <typename T>
__global__ void gemm_v02(size_t m, size_t n, size_t k, T alpha, T const* A, size_t lda, T const* B, size_t ldb, T beta, T* C, size_t ldc) {
	constexpr unsigned int BX{32U};
	constexpr unsigned int BY{32U};
	constexpr unsigned int NT{BX * BY};
	__shared__ T A_tile[BY][BX];
	size_t const thread_linear_idx{threadIdx.y * blockDim.x + threadIdx.x};
	load_data<T, BX, BY, NT>(A, lda, A_tile, m, k);
	__syncthreads();
	T sum{static_cast<T>(0)};
	for (size_t i{0}; i < BX; ++i) sum += A_tile[threadIdx.y][i] * B[i * ldb + threadIdx.x];
	if (thread_linear_idx < m * n) C[thread_linear_idx] = alpha * sum + beta * C[thread_linear_idx];
}
template __global__ void gemm_v02<float>(size_t, size_t, size_t, float, float const*, size_t, float const*, size_t, float, float*, size_t);
