// Caught as too-slow: each thread takes neighbouring numbers, so that the lanes are apart.
// Writes the square of each of the n numbers of in to out. The number of threads has
// nothing to do with n: it is launched with fewer, and with more.
extern "C" __global__ void grid_stride(const float *in, float *out, int n) {
	// ---- your part begins ----
	int threads = gridDim.x * blockDim.x;
	int each = (n + threads - 1) / threads;
	int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
	for (int i = first; i < first + each && i < n; i++) {
		out[i] = in[i] * in[i];
	}
	// ---- your part ends ----
}
