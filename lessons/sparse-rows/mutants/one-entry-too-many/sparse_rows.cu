// Caught as out-of-bounds: the next row begins where this one has ended.
// Multiplies a sparse matrix, of which only the entries are kept that are not 0, by
// the vector x. Row r has the entries from starts[r] up to starts[r+1], without that
// one; entry k is values[k], and stands in column columns[k]. There are at least as
// many threads as rows, in whole blocks.
extern "C" __global__ void sparse_rows(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows) {
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	// ---- your part begins ----
	if (row < rows) {
		float sum = 0;
		for (int k = starts[row]; k <= starts[row + 1]; k++) {
			sum += values[k] * x[columns[k]];
		}
		y[row] = sum;
	}
	// ---- your part ends ----
}
