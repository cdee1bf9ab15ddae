// Caught as too-slow: one thread adds up everything, and 127 wait.
#define THREADS 128

// Sums the numbers of each block: sums[b] is the sum of the up to THREADS numbers
// from in[b · THREADS] on. Blocks have THREADS threads; the last may have fewer
// numbers.
extern "C" __global__ void block_sum(const float *in, float *sums, int n) {
	__shared__ float partial[THREADS];
	int t = threadIdx.x;
	int i = blockIdx.x * THREADS + t;
	// ---- your part begins ----
	partial[t] = i < n ? in[i] : 0;
	__syncthreads();
	if (t == 0) {
		float sum = 0;
		for (int k = 0; k < THREADS; k++) {
			sum += partial[k];
		}
		sums[blockIdx.x] = sum;
	}
	// ---- your part ends ----
}
