// Caught as wrong-values: it takes columns for neighbours.
// Computes c = a · b, one thread for each cell. Both operands lie in memory as
// their distances say, from row to row and from column to column; c, which is
// m × n, lies row by row.
extern "C" __global__ void strided_operand(
		const float *a, int a_row, int a_column,
		const float *b, int b_row, int b_column,
		float *c, int m, int k, int n) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < m && j < n) {
		// ---- your part begins ----
		float sum = 0;
		for (int t = 0; t < k; t++) {
			sum += a[i * a_row + t] * b[t * b_row + j];
		}
		c[i * n + j] = sum;
		// ---- your part ends ----
	}
}
