extern "C" __global__ void scale(float* x, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < m) {
		x[i] = 2 * x[i]
	}
}
