// A fixed number of blocks that sweep over the data: the sum of the squares of an
// array, as one partial sum a block.
//
//   partials[b] = Σ x[i]²      over the elements that block b comes to
//
//   block     0      1     …  1023    0      1     …  1023    0 …
//   elements  0…255  256…  …          262144…                 524288…
//
// However long the array is, there are as many blocks and as many partial sums, and
// the CPU adds those up in their order. A grid that grew with the array would need a
// second launch to add its partial sums, or atomic additions in an order of their
// own.
//
// Work       n multiply-adds, and 255 additions of each block: 2·n + 255·1024 operations.
// Traffic    Each element is read once, and each block writes one sum: n + 1024
//            elements.
// Limit      Memory. A multiply-add for 4 bytes in float32 is far less than a GPU can
//            compute while they arrive. There must be enough threads to have enough
//            reads on their way: 1024·256 are all that a large GPU holds at once.
//
// Launch     Blocks of 256×1×1 threads, and no other; as many along x as there are
//            partial sums, which depends on nothing. Shared memory is static: 256
//            elements, 1 KiB in float32 and 2 KiB in float64.
//
// Each thread's sum, the steps that combine them and the CPU's sum have a fixed
// order, so the bits are the same on every run and every GPU. The squares are
// products before a sum: the contract says whether they are rounded.

const int THREADS = 256; // of a block

template <typename Number>
__device__ void sum_squares(const Number* x, Number* partials, long long n) {
	__shared__ Number sums[THREADS];
	const int t = threadIdx.x;

	Number sum = 0;
	for (long long i = (long long)blockIdx.x * THREADS + t; i < n; i += (long long)gridDim.x * THREADS) {
		const Number value = x[i];
		sum = value * value + sum;
	}

	// region:combine
	sums[t] = sum;
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads(); // the sums that this step reads are there
		if (t < half) {
			sums[t] = sums[t] + sums[t + half];
		}
	}
	// endregion:combine
	if (t == 0) {
		partials[blockIdx.x] = sums[0];
	}
}

extern "C" __global__ void __launch_bounds__(THREADS) sumsq_sweep_f64(const double* x, double* partials, long long n) {
	sum_squares(x, partials, n);
}

extern "C" __global__ void __launch_bounds__(THREADS) sumsq_sweep_f32(const float* x, float* partials, long long n) {
	sum_squares(x, partials, n);
}
