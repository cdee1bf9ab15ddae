// Caught as nothing-written: it leaves out the last round, which is not full.
// Writes the square of each of the n numbers of in to out. The number of threads has
// nothing to do with n: it is launched with fewer, and with more.
extern "C" __global__ void grid_stride(const float *in, float *out, int n) {
	// ---- your part begins ----
	int threads = gridDim.x * blockDim.x;
	for (int round = 0; round < n / threads; round++) {
		int i = round * threads + blockIdx.x * blockDim.x + threadIdx.x;
		out[i] = in[i] * in[i];
	}
	// ---- your part ends ----
}
