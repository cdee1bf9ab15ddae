// Caught as out-of-bounds: it stores the results as far apart as the matrices of a.
// Computes a product for each z of the grid. From one matrix to the next it is
// a_batch and b_batch elements; the results lie one behind the other.
extern "C" __global__ void batched_product(
		const float *a, int a_batch, const float *b, int b_batch,
		float *c, int m, int k, int n) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	// ---- your part begins ----
	if (i < m && j < n) {
		const float *left = a + blockIdx.z * a_batch;
		const float *right = b + blockIdx.z * b_batch;
		float sum = 0;
		for (int t = 0; t < k; t++) {
			sum += left[i * k + t] * right[t * n + j];
		}
		c[blockIdx.z * a_batch + i * n + j] = sum;
	}
	// ---- your part ends ----
}
