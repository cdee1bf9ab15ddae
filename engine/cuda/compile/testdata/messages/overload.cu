__device__ float f(float* p) { return *p; }
__device__ float f(double* p) { return *p; }
template <typename T> __device__ T twice(T x) {
	return f(x) + undefined;
}
template <typename T> __device__ T four(T x) { return twice(x) + twice(x); }
extern "C" __global__ void k(float* out, int n) {
	int unused = 3;
	out[0] = four(n);
	out[1] = f(n);
}
