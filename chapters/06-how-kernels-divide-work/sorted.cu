// One thread for each token and column: it adds up the positions of its token, in
// the order of the list.
__global__ void gradient(const float* upstream, const int* starts, const int* order, float* table, int tokens, int columns) {
	int e = blockIdx.x * blockDim.x + threadIdx.x;
	if (e < tokens * columns) {
		int token = e / columns, column = e % columns;
		float sum = 0;
		for (int q = starts[token]; q < starts[token + 1]; q++) {
			sum += upstream[order[q] * columns + column];
		}
		table[e] = sum;
	}
}
