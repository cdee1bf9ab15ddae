__global__ void square(const float *in, float *out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		out[i] = in[i] * in[i];
	}
}

// Counts the threads without an element, and finds the first of them.
__global__ void surplus(int *threads, int *first, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) {
		atomicAdd(threads, 1);
		atomicMin(first, threadIdx.x);
	}
}

// Counts the warps in which no thread has an element.
__global__ void idle(int *warps, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (!__any_sync(0xffffffff, i < n) && threadIdx.x % 32 == 0) {
		atomicAdd(warps, 1);
	}
}
