// Caught as too-slow: every thread loads its row and its column for itself.
#define TILE 8 // rows, columns and terms of a tile, and threads along each side

// Computes c = a · b by tiles: a is m × k, b is k × n and c is m × n, row by row.
extern "C" __global__ void tiled_product(const float *a, const float *b, float *c, int m, int k, int n) {
	// ---- your part begins ----
	int i = blockIdx.y * TILE + threadIdx.y;
	int j = blockIdx.x * TILE + threadIdx.x;
	if (i < m && j < n) {
		float sum = 0;
		for (int t = 0; t < k; t++) {
			sum += a[i * k + t] * b[t * n + j];
		}
		c[i * n + j] = sum;
	}
	// ---- your part ends ----
}
