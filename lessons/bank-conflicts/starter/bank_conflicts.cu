#define ROWS 32
#define COLUMNS 48

// Sums each row of a row-major matrix of COLUMNS columns. A block is one warp, and
// has ROWS of the rows: it copies them into shared memory, where a thread adds up
// one row.
extern "C" __global__ void bank_conflicts(const float *in, float *sums, int rows) {
	int t = threadIdx.x;
	int first = blockIdx.x * ROWS; // the block's first row
	// ---- your part begins ----
	__shared__ float tile[ROWS][COLUMNS];
	for (int r = 0; r < ROWS && first + r < rows; r++) {
		for (int c = t; c < COLUMNS; c += 32) {
			tile[r][c] = in[(first + r) * COLUMNS + c];
		}
	}
	__syncthreads();
	if (first + t < rows) {
		float sum = 0;
		for (int c = 0; c < COLUMNS; c++) {
			sum += tile[t][c];
		}
		sums[first + t] = sum;
	}
	// ---- your part ends ----
}
