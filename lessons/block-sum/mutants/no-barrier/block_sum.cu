// Caught as race: a step reads what other threads add up in the step before.
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
	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (t < half) {
			partial[t] += partial[t + half];
		}
	}
	if (t == 0) {
		sums[blockIdx.x] = partial[0];
	}
	// ---- your part ends ----
}
