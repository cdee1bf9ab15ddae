// Caught as race: a thread adds while its left neighbour may still have to read.
#define THREADS 64

// Goes round a ring of THREADS numbers: in each step every thread adds to its number
// the one that its right neighbour had before the step. The neighbour of the last
// thread is the first one. There is one block of THREADS threads.
extern "C" __global__ void missing_barriers(int *numbers, int steps) {
	__shared__ int ring[THREADS];
	int t = threadIdx.x;
	ring[t] = numbers[t];
	// ---- your part begins ----
	for (int step = 0; step < steps; step++) {
		__syncthreads();
		int right = ring[(t + 1) % THREADS];
		ring[t] += right;
	}
	// ---- your part ends ----
	numbers[t] = ring[t];
}
