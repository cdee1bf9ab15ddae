// Computes a product for each z of the grid. From one matrix to the next it is
// a_batch and b_batch elements; the results lie one behind the other.
extern "C" __global__ void batched_product(
		const float *a, int a_batch, const float *b, int b_batch,
		float *c, int m, int k, int n) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	// ---- your part begins ----
	// ---- your part ends ----
}
