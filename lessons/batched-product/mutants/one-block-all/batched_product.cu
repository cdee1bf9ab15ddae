// Caught as unused: the blocks of the first product compute all of them.
// Computes a product for each z of the grid. From one matrix to the next it is
// a_batch and b_batch elements; the results lie one behind the other.
extern "C" __global__ void batched_product(
		const float *a, int a_batch, const float *b, int b_batch,
		float *c, int m, int k, int n) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	// ---- your part begins ----
	if (i < m && j < n && blockIdx.z == 0) {
		for (int z = 0; z < gridDim.z; z++) {
			float sum = 0;
			for (int t = 0; t < k; t++) {
				sum += a[z * a_batch + i * k + t] * b[z * b_batch + t * n + j];
			}
			c[(z * m + i) * n + j] = sum;
		}
	}
	// ---- your part ends ----
}
