__global__ void part(int *out) {
	int t = threadIdx.x;
	if (t < 48) {
		__syncthreads();
	}
	out[t] = t;
}

__global__ void whole(int *out) {
	int t = threadIdx.x;
	if (t < 64) {
		__syncthreads();
	}
	out[t] = t;
}

__global__ void turns(int *out) {
	int t = threadIdx.x;
	for (int i = 0; i < t / 32; i++) {
		__syncthreads();
	}
	out[t] = t;
}

__global__ void early(int *out, int n) {
	int t = threadIdx.x;
	if (t >= n) {
		return;
	}
	__syncthreads();
	out[t] = t;
}
