// Caught as known-mistake: it takes the first entry of each row and no other.
// Multiplies a sparse matrix, of which only the entries are kept that are not 0, by
// the vector x. Row r has the entries from starts[r] up to starts[r+1], without that
// one; entry k is values[k], and stands in column columns[k]. There are at least as
// many threads as rows, in whole blocks.
extern "C" __global__ void sparse_rows(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows) {
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	// ---- your part begins ----
	if (row < rows) {
		int k = starts[row];
		y[row] = k < starts[row + 1] ? values[k] * x[columns[k]] : 0;
	}
	// ---- your part ends ----
}
