// Caught as race: it goes on by one block, to what the next block has.
// Writes the square of each of the n numbers of in to out. The number of threads has
// nothing to do with n: it is launched with fewer, and with more.
extern "C" __global__ void grid_stride(const float *in, float *out, int n) {
	// ---- your part begins ----
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) {
		out[i] = in[i] * in[i];
	}
	// ---- your part ends ----
}
