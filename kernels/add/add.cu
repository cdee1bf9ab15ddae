// An element per thread: the sum of two arrays.
//
//   out[i] = x[i] + y[i]
//
//   thread   0  1  2  3 …  255 | 0  1  2 …         blocks of 256 threads
//   element  0  1  2  3 …  255 | 256 257 258 …     n elements
//
// Work       n additions.
// Traffic    Two elements are read and one is written for each addition: 3·n
//            elements, 12·n bytes in float32. None is used twice, so no cache and no
//            shared memory could save one.
// Limit      Memory. One operation for 12 bytes is far less than any GPU can
//            compute while they arrive. Neighbouring threads read neighbouring
//            elements, so that a warp's 32 reads are one stretch of memory.
//
// Launch     Threads along x are elements; blocks of any size. The grid must have a
//            thread for each element. The last block has more threads than elements
//            are left, as a rule: they do nothing. No shared memory. out may be x or
//            y: each element is written by the thread that read it.

template <typename Number>
__device__ void add(const Number* x, const Number* y, Number* out, long long n) {
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		out[i] = x[i] + y[i];
	}
}

extern "C" __global__ void add_element_f64(const double* x, const double* y, double* out, long long n) {
	add(x, y, out, n);
}

extern "C" __global__ void add_element_f32(const float* x, const float* y, float* out, long long n) {
	add(x, y, out, n);
}
