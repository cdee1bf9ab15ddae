// Caught as race: a warp counts before another one has set the counts to 0.
#define BINS 20

// Counts how often each of the values 0 … BINS-1 comes among the n values of in, and
// adds the counts to bins, which are 0 at first. A fixed number of blocks sweeps over
// in; a block has at least BINS threads.
extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
	__shared__ unsigned int counts[BINS]; // of the block
	int t = threadIdx.x;
	int first = blockIdx.x * blockDim.x + t;
	int threads = gridDim.x * blockDim.x;
	// ---- your part begins ----
	if (t < BINS) {
		counts[t] = 0;
	}
	for (int i = first; i < n; i += threads) {
		atomicAdd(&counts[in[i]], 1u);
	}
	__syncthreads();
	if (t < BINS) {
		atomicAdd(&bins[t], counts[t]);
	}
	// ---- your part ends ----
}
