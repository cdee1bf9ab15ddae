// One thread for each element.
__global__ void add(const float* x, const float* y, float* out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		out[i] = x[i] + y[i];
	}
}
