template <int WIDTH>
__global__ void column(float *out) {
	__shared__ float tile[32][WIDTH];
	int t = threadIdx.x;
	tile[t][5] = t;
	__syncthreads();
	out[t] = tile[t][5]; // a column: every thread another row
}

template <int WIDTH>
__global__ void row(float *out) {
	__shared__ float tile[32][WIDTH];
	int t = threadIdx.x;
	tile[5][t] = t;
	__syncthreads();
	out[t] = tile[5][t / 2]; // a row: two threads each value
}
