// One warp for each row: its 32 lanes share the row's elements, and combine what they
// have without memory.
__global__ void softmax(const float* in, float* out, int rows, int columns) {
	int row = blockIdx.x * blockDim.y + threadIdx.y;
	if (row >= rows) {
		return; // the whole warp at once
	}
	in += row * columns;
	out += row * columns;
	int lane = threadIdx.x;

	float largest = -INFINITY;
	for (int c = lane; c < columns; c += 32) {
		largest = fmaxf(largest, in[c]);
	}
	for (int away = 16; away > 0; away /= 2) {
		largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, away));
	}

	float sum = 0;
	for (int c = lane; c < columns; c += 32) {
		sum += expf(in[c] - largest);
	}
	for (int away = 16; away > 0; away /= 2) {
		sum += __shfl_xor_sync(0xffffffff, sum, away);
	}

	for (int c = lane; c < columns; c += 32) {
		out[c] = expf(in[c] - largest) / sum;
	}
}
