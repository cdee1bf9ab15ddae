// Caught as too-slow: every thread loads its rows for itself.
#define TILE 16 // rows, columns and terms of a tile, and threads along each side

// Computes c = a · bᵀ by tiles: a is m × k, b is n × k and c is m × n, row by row.
extern "C" __global__ void along_memory(const float *a, const float *b, float *c, int m, int k, int n) {
	int x = threadIdx.x, y = threadIdx.y;
	int i = blockIdx.y * TILE + y;
	int j = blockIdx.x * TILE + x;

	// ---- your part begins ----
	float sum = 0;
	if (i < m && j < n) {
		for (int t = 0; t < k; t++) {
			sum += a[i * k + t] * b[j * k + t];
		}
	}
	// ---- your part ends ----
	if (i < m && j < n) {
		c[i * n + j] = sum;
	}
}
