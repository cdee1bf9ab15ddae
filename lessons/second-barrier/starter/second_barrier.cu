#define THREADS 64 // of a block, and values of x that it copies at a time

// Computes y = a · x, one thread for each row: a is m × k, row by row.
extern "C" __global__ void second_barrier(const float *a, const float *x, float *y, int m, int k) {
	__shared__ float piece[THREADS];
	int t = threadIdx.x;
	int row = blockIdx.x * THREADS + t;

	float sum = 0;
	// ---- your part begins ----
	for (int first = 0; first < k; first += THREADS) {
		if (first + t < k) {
			piece[t] = x[first + t];
		}
		__syncthreads();
		if (row < m) {
			for (int p = 0; p < THREADS && first + p < k; p++) {
				sum += a[row * k + first + p] * piece[p];
			}
		}
	}
	// ---- your part ends ----
	if (row < m) {
		y[row] = sum;
	}
}
