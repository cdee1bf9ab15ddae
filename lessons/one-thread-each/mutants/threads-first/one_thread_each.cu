// Caught as out-of-bounds: it multiplies the wrong one of the two.
// Writes 2·in[i] + 1 to out[i]. There are exactly as many threads as elements.
extern "C" __global__ void one_thread_each(const float *in, float *out) {
	// ---- your part begins ----
	int i = threadIdx.x * blockDim.x + blockIdx.x;
	out[i] = 2 * in[i] + 1;
	// ---- your part ends ----
}
