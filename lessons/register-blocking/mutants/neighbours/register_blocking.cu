// Caught as misplaced: it computes the rows 2y and 2y + 1, and stores them as y and y + 8.
#define THREADS 8 // along each side of a block
#define CELLS 2   // along each side of what a thread computes
#define TILE 16   // rows and columns of a block's cells: THREADS · CELLS
#define DEPTH 8   // terms of a round

// Copies the elements of TILE rows of a and TILE columns of b that belong to DEPTH
// terms, from the term first on; 0 for those that do not exist.
__device__ void copy(float left[TILE][DEPTH], float right[DEPTH][TILE],
		const float *a, const float *b, int m, int k, int n, int top, int start, int first) {
	for (int e = threadIdx.y * THREADS + threadIdx.x; e < TILE * DEPTH; e += THREADS * THREADS) {
		int row = e / DEPTH, term = e % DEPTH;
		left[row][term] = top + row < m && first + term < k ? a[(top + row) * k + first + term] : 0;
		term = e / TILE;
		int column = e % TILE;
		right[term][column] = first + term < k && start + column < n ? b[(first + term) * n + start + column] : 0;
	}
}

// Computes c = a · b by tiles: a is m × k, b is k × n and c is m × n, row by row.
extern "C" __global__ void register_blocking(const float *a, const float *b, float *c, int m, int k, int n) {
	__shared__ float left[TILE][DEPTH];
	__shared__ float right[DEPTH][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int top = blockIdx.y * TILE, start = blockIdx.x * TILE;

	// ---- your part begins ----
	float sum[CELLS][CELLS] = {};
	for (int first = 0; first < k; first += DEPTH) {
		copy(left, right, a, b, m, k, n, top, start, first);
		__syncthreads();
		for (int t = 0; t < DEPTH; t++) {
			float l[CELLS], r[CELLS];
			for (int p = 0; p < CELLS; p++) {
				l[p] = left[CELLS * y + p][t];
				r[p] = right[t][x + THREADS * p];
			}
			for (int p = 0; p < CELLS; p++) {
				for (int q = 0; q < CELLS; q++) {
					sum[p][q] += l[p] * r[q];
				}
			}
		}
		__syncthreads();
	}
	for (int p = 0; p < CELLS; p++) {
		for (int q = 0; q < CELLS; q++) {
			int i = top + y + THREADS * p, j = start + x + THREADS * q;
			if (i < m && j < n) {
				c[i * n + j] = sum[p][q];
			}
		}
	}
	// ---- your part ends ----
}
