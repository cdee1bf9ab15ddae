// Caught as race: every thread does the work of all.
// Writes 2·in[i] + 1 to out[i]. There are exactly as many threads as elements.
extern "C" __global__ void one_thread_each(const float *in, float *out) {
	// ---- your part begins ----
	for (int i = 0; i < gridDim.x * blockDim.x; i++) {
		out[i] = 2 * in[i] + 1;
	}
	// ---- your part ends ----
}
