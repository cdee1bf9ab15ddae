// Caught as inactive-shuffle: in the last round of a row some lanes have left the loop.
// Sums each row of a row-major matrix. A block is 32 × 4 threads, four warps: warp
// threadIdx.y of the block has row blockIdx.x · 4 + threadIdx.y, and threadIdx.x is
// the lane.
extern "C" __global__ void row_sum(const float *in, float *sums, int rows, int columns) {
	int row = blockIdx.x * 4 + threadIdx.y;
	int lane = threadIdx.x;
	// ---- your part begins ----
	if (row >= rows) {
		return;
	}
	float total = 0;
	for (int column = lane; column < columns; column += 32) {
		float sum = in[row * columns + column];
		for (int away = 16; away > 0; away /= 2) {
			sum += __shfl_down_sync(0xffffffff, sum, away);
		}
		total += sum;
	}
	if (lane == 0) {
		sums[row] = total;
	}
	// ---- your part ends ----
}
