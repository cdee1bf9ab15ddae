// Caught as out-of-bounds: it counts the elements from 1.
// Writes 2·in[i] + 1 to out[i]. There are exactly as many threads as elements.
extern "C" __global__ void one_thread_each(const float *in, float *out) {
	// ---- your part begins ----
	int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
	out[i] = 2 * in[i] + 1;
	// ---- your part ends ----
}
