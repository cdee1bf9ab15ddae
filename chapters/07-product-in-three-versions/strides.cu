// A batch of products, one for each z of the grid. What a row and a column of an
// operand are, its strides say.
struct Strides {
	int batch, row, column; // distances in elements
};

__global__ void product(const float* a, const float* b, float* c, Strides as, Strides bs, int m, int k, int n) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	int batch = blockIdx.z;
	if (i >= m || j >= n) {
		return;
	}
	a += batch * as.batch + i * as.row;
	b += batch * bs.batch + j * bs.column;
	float sum = 0;
	for (int t = 0; t < k; t++) {
		sum += a[t * as.column] * b[t * bs.row];
	}
	c[(batch * m + i) * n + j] = sum;
}
