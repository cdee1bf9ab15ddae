// The threads of a block copy a tile of a and a tile of b, use them, and go on.
#define TILE 16

__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
	__shared__ float left[TILE][TILE];
	__shared__ float right[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int i = blockIdx.y * TILE + y;
	int j = blockIdx.x * TILE + x;

	float sum = 0;
	for (int first = 0; first < k; first += TILE) {
		left[y][x] = i < m && first + x < k ? a[i * k + first + x] : 0;
		right[y][x] = first + y < k && j < n ? b[(first + y) * n + j] : 0;
		__syncthreads();
		for (int t = 0; t < TILE && first + t < k; t++) {
			sum += left[y][t] * right[t][x];
		}
		__syncthreads();
	}
	if (i < m && j < n) {
		c[i * n + j] = sum;
	}
}
