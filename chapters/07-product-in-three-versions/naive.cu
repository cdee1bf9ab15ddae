// One thread for each cell of c = a · b: it reads a row of a and a column of b.
__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= m || j >= n) {
		return;
	}
	float sum = 0;
	for (int t = 0; t < k; t++) {
		sum += a[i * k + t] * b[t * n + j];
	}
	c[i * n + j] = sum;
}
