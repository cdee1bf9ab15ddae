// Each thread has 4×4 cells: it reads four values of each tile and makes sixteen
// products of them.
#define TILE 64  // rows and columns of c that a block computes
#define DEPTH 16 // terms of a step
#define CELLS 4  // rows and columns of a thread

__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
	__shared__ float left[DEPTH][TILE];
	__shared__ float right[DEPTH][TILE];
	int x = threadIdx.x, y = threadIdx.y; // 16 × 16
	int t = y * 16 + x;
	int top = blockIdx.y * TILE, start = blockIdx.x * TILE;

	float sums[CELLS][CELLS] = {};
	for (int first = 0; first < k; first += DEPTH) {
		// 256 threads copy 64·16 elements of each: four each.
		for (int e = t; e < TILE * DEPTH; e += 256) {
			int row = e / DEPTH, term = e % DEPTH;
			left[term][row] = top + row < m && first + term < k ? a[(top + row) * k + first + term] : 0;
		}
		for (int e = t; e < TILE * DEPTH; e += 256) {
			int term = e / TILE, column = e % TILE;
			right[term][column] = first + term < k && start + column < n ? b[(first + term) * n + start + column] : 0;
		}
		__syncthreads();
		for (int term = 0; term < DEPTH && first + term < k; term++) {
			float l[CELLS], r[CELLS];
			for (int p = 0; p < CELLS; p++) {
				l[p] = left[term][y + 16 * p];
				r[p] = right[term][x + 16 * p];
			}
			for (int p = 0; p < CELLS; p++) {
				for (int q = 0; q < CELLS; q++) {
					sums[p][q] += l[p] * r[q];
				}
			}
		}
		__syncthreads();
	}
	for (int p = 0; p < CELLS; p++) {
		for (int q = 0; q < CELLS; q++) {
			int i = top + y + 16 * p, j = start + x + 16 * q;
			if (i < m && j < n) {
				c[i * n + j] = sums[p][q];
			}
		}
	}
}
