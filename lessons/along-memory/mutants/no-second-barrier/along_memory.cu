// Caught as race: a thread that is ahead stores the next tile.
#define TILE 16 // rows, columns and terms of a tile, and threads along each side

// Computes c = a · bᵀ by tiles: a is m × k, b is n × k and c is m × n, row by row.
extern "C" __global__ void along_memory(const float *a, const float *b, float *c, int m, int k, int n) {
	int x = threadIdx.x, y = threadIdx.y;
	int i = blockIdx.y * TILE + y;
	int j = blockIdx.x * TILE + x;

	// ---- your part begins ----
	__shared__ float left[TILE][TILE];      // row of a, term
	__shared__ float right[TILE][TILE + 1]; // row of b, term

	float sum = 0;
	int row = blockIdx.x * TILE + y; // of b, for loading
	for (int first = 0; first < k; first += TILE) {
		left[y][x] = i < m && first + x < k ? a[i * k + first + x] : 0;
		right[y][x] = row < n && first + x < k ? b[row * k + first + x] : 0;
		__syncthreads();
		for (int t = 0; t < TILE; t++) {
			sum += left[y][t] * right[x][t];
		}
	}
	// ---- your part ends ----
	if (i < m && j < n) {
		c[i * n + j] = sum;
	}
}
