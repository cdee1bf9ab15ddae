__global__ void read(const float *x, float *out, int start, int step) {
	int t = threadIdx.x;
	out[t] = x[start + t * step];
}

__global__ void read8(const double *x, double *out, int start, int step) {
	int t = threadIdx.x;
	out[t] = x[start + t * step];
}
