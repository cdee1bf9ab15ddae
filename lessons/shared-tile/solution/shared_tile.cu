#define THREADS 64

// Adds each of the n numbers of in to its two neighbours: out[i] is in[i-1] + in[i]
// + in[i+1], where what lies outside counts as 0. Blocks have THREADS threads.
extern "C" __global__ void shared_tile(const float *in, float *out, int n) {
	__shared__ float tile[THREADS + 2]; // the block's numbers, and one more on each side
	int t = threadIdx.x;
	int i = blockIdx.x * THREADS + t;
	// ---- your part begins ----
	tile[1 + t] = i < n ? in[i] : 0;
	if (t == 0) {
		tile[0] = i > 0 ? in[i - 1] : 0;
	}
	if (t == THREADS - 1) {
		tile[THREADS + 1] = i + 1 < n ? in[i + 1] : 0;
	}
	__syncthreads();
	if (i < n) {
		out[i] = tile[t] + tile[t + 1] + tile[t + 2];
	}
	// ---- your part ends ----
}
