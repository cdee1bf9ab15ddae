__global__ void naive(const float *a, const float *b, float *c,
		int m, int k, int n) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < m && j < n) {
		float sum = 0;
		for (int t = 0; t < k; t++) {
			sum += a[i * k + t] * b[t * n + j];
		}
		c[i * n + j] = sum;
	}
}

#define TILE 8
__global__ void tiled(const float *a, const float *b, float *c,
		int m, int k, int n) {
	__shared__ float left[TILE][TILE], right[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x;
	float sum = 0;
	for (int first = 0; first < k; first += TILE) {
		left[y][x] = i < m && first + x < k ? a[i * k + first + x] : 0;
		right[y][x] = first + y < k && j < n ? b[(first + y) * n + j] : 0;
		__syncthreads();
		for (int t = 0; t < TILE; t++) {
			sum += left[y][t] * right[t][x];
		}
		__syncthreads();
	}
	if (i < m && j < n) {
		c[i * n + j] = sum;
	}
}
