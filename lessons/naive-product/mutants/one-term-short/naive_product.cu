// Caught as known-mistake: the last term is left out.
// Computes c = a · b, of which a is m × k, b is k × n and c is m × n, row by row.
// It is launched with at least n threads across and m down, in whole blocks.
extern "C" __global__ void naive_product(const float *a, const float *b, float *c, int m, int k, int n) {
	// ---- your part begins ----
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < m && j < n) {
		float sum = 0;
		for (int t = 0; t < k - 1; t++) {
			sum += a[i * k + t] * b[t * n + j];
		}
		c[i * n + j] = sum;
	}
	// ---- your part ends ----
}
