__global__ void scatter(const float *in, float *out) {
	int t = threadIdx.x;
	out[(6 * t + 8) % 44] = in[t];
}

__global__ void shift(const float *in, float *out) {
	__shared__ float line[16];
	int t = threadIdx.x;
	line[t] = in[t];
	if (t == 5) {
		out[0] = line[t] + line[t + 4];
	}
}
