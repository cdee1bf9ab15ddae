// Caught as part-unwritten: it multiplies by the number of blocks.
// Writes 2·in[i] + 1 to out[i]. There are exactly as many threads as elements.
extern "C" __global__ void one_thread_each(const float *in, float *out) {
	// ---- your part begins ----
	int i = blockIdx.x * gridDim.x + threadIdx.x;
	out[i] = 2 * in[i] + 1;
	// ---- your part ends ----
}
