// Caught as known-mistake: every round loads the tiles of the first.
#define TILE 8 // rows, columns and terms of a tile, and threads along each side

// Computes c = a · b by tiles: a is m × k, b is k × n and c is m × n, row by row.
extern "C" __global__ void load_tiles(const float *a, const float *b, float *c, int m, int k, int n) {
	__shared__ float left[TILE][TILE];  // row, term
	__shared__ float right[TILE][TILE]; // term, column
	int x = threadIdx.x, y = threadIdx.y;
	int i = blockIdx.y * TILE + y; // the thread's cell
	int j = blockIdx.x * TILE + x;

	float sum = 0;
	for (int first = 0; first < k; first += TILE) {
		// ---- your part begins ----
		left[y][x] = i < m && first + x < k ? a[i * k + x] : 0;
		right[y][x] = first + y < k && j < n ? b[y * n + j] : 0;
		// ---- your part ends ----
		__syncthreads();
		for (int t = 0; t < TILE; t++) {
			sum += left[y][t] * right[t][x];
		}
		__syncthreads();
	}
	if (i < m && j < n) {
		c[i * n + j] = sum;
	}
}
