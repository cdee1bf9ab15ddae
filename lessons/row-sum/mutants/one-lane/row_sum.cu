// Caught as too-slow: one lane adds the row up, and 31 wait.
// Sums each row of a row-major matrix. A block is 32 × 4 threads, four warps: warp
// threadIdx.y of the block has row blockIdx.x · 4 + threadIdx.y, and threadIdx.x is
// the lane.
extern "C" __global__ void row_sum(const float *in, float *sums, int rows, int columns) {
	int row = blockIdx.x * 4 + threadIdx.y;
	int lane = threadIdx.x;
	// ---- your part begins ----
	if (row < rows && lane == 0) {
		float sum = 0;
		for (int column = 0; column < columns; column++) {
			sum += in[row * columns + column];
		}
		sums[row] = sum;
	}
	// ---- your part ends ----
}
