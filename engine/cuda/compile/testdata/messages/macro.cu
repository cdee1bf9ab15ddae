#define ADD(x) x + y
extern "C" __global__ void k(float* out) {
	out[0] = ADD(1);
	#error "no"
}
