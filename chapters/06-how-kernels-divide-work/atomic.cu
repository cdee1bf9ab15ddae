// One thread for each position and column: it adds what it has to the row of the
// position's token, wherever other threads do the same.
__global__ void gradient(const float* upstream, const int* tokens, float* table, int positions, int columns) {
	int e = blockIdx.x * blockDim.x + threadIdx.x;
	if (e < positions * columns) {
		int position = e / columns, column = e % columns;
		atomicAdd(&table[tokens[position] * columns + column], upstream[position * columns + column]);
	}
}
