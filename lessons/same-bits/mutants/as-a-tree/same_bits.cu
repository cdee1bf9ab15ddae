// Caught as known-mistake: it is the same in every run, but in another order than was asked for.
#define THREADS 64

// Sums up a value of each thread of the block, as a tree: always the same pairs, so
// always the same bits. Thread 0 has the sum.
__device__ float sum_of_block(float value) {
	__shared__ float partial[THREADS];
	int t = threadIdx.x;
	partial[t] = value;
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half) {
			partial[t] += partial[t + half];
		}
	}
	return t == 0 ? partial[0] : 0; // the others would have to wait for it
}

// The first launch: a fixed number of blocks, each of which leaves the sum of its
// numbers in partials[blockIdx.x].
extern "C" __global__ void partial_sums(const float *in, float *partials, int n) {
	float sum = 0;
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
		sum += in[i];
	}
	sum = sum_of_block(sum);
	if (threadIdx.x == 0) {
		partials[blockIdx.x] = sum;
	}
}

// The second launch: one block of THREADS threads adds up the partial sums, and
// writes total[0]. There are at most THREADS of them.
extern "C" __global__ void same_bits(const float *partials, float *total, int blocks) {
	int t = threadIdx.x;
	// ---- your part begins ----
	float sum = sum_of_block(t < blocks ? partials[t] : 0);
	if (t == 0) {
		total[0] = sum;
	}
	// ---- your part ends ----
}
