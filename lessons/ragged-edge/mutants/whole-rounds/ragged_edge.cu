// Caught as known-mistake: the last round is left out where it is not full.
#define ROWS 8     // of a block's cells, and threads down
#define COLUMNS 16 // of a block's cells, and threads across
#define DEPTH 4    // terms of a round

// Computes c = a · b by tiles: a is m × k, b is k × n and c is m × n, row by row.
extern "C" __global__ void ragged_edge(const float *a, const float *b, float *c, int m, int k, int n) {
	__shared__ float left[ROWS][DEPTH];
	__shared__ float right[DEPTH][COLUMNS];
	int x = threadIdx.x, y = threadIdx.y;
	int i = blockIdx.y * ROWS + y;
	int j = blockIdx.x * COLUMNS + x;

	// ---- your part begins ----
	float sum = 0;
	for (int first = 0; first + DEPTH <= k; first += DEPTH) {
		if (x < DEPTH) {
			left[y][x] = i < m && first + x < k ? a[i * k + first + x] : 0;
		}
		if (y < DEPTH) {
			right[y][x] = first + y < k && j < n ? b[(first + y) * n + j] : 0;
		}
		__syncthreads();
		for (int t = 0; t < DEPTH; t++) {
			sum += left[y][t] * right[t][x];
		}
		__syncthreads();
	}
	if (i < m && j < n) {
		c[i * n + j] = sum;
	}
	// ---- your part ends ----
}
