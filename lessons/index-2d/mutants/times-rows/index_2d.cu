// Caught as part-unwritten: it takes the number of rows for the length of a row.
// Adds two matrices of rows × columns numbers, row-major. Along x there are at
// least as many threads as columns, along y as rows, in whole blocks.
extern "C" __global__ void index_2d(const float *a, const float *b, float *out, int rows, int columns) {
	// ---- your part begins ----
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	int i = row * rows + column;
	if (row < rows && column < columns && i < rows * columns) {
		out[i] = a[i] + b[i];
	}
	// ---- your part ends ----
}
