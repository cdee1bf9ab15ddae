// Caught as known-mistake: there is one round, whatever k is.
#define TILE 8 // rows, columns and terms of a tile, and threads along each side

// Computes c = a · b by tiles: a is m × k, b is k × n and c is m × n, row by row.
extern "C" __global__ void tiled_product(const float *a, const float *b, float *c, int m, int k, int n) {
	// ---- your part begins ----
	__shared__ float left[TILE][TILE];
	__shared__ float right[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int i = blockIdx.y * TILE + y;
	int j = blockIdx.x * TILE + x;

	float sum = 0;
	for (int first = 0; first < k && first < TILE; first += TILE) {
		left[y][x] = i < m && first + x < k ? a[i * k + first + x] : 0;
		right[y][x] = first + y < k && j < n ? b[(first + y) * n + j] : 0;
		__syncthreads(); // the tiles are complete
		for (int t = 0; t < TILE; t++) {
			sum += left[y][t] * right[t][x];
		}
		__syncthreads(); // nobody needs them any more
	}
	if (i < m && j < n) {
		c[i * n + j] = sum;
	}
	// ---- your part ends ----
}
