// A fixed number of blocks that sweep over the data, each with one partial sum.
#define THREADS 64

__global__ void squares(const float* x, float* partials, int n) {
	__shared__ float sums[THREADS];
	int t = threadIdx.x;

	float sum = 0;
	for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
		float value = x[i];
		sum += value * value;
	}
	sums[t] = sum;

	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half) {
			sums[t] += sums[t + half];
		}
	}
	if (t == 0) {
		partials[blockIdx.x] = sums[0];
	}
}
