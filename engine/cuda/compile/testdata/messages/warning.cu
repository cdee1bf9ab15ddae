extern "C" __global__ void k(unsigned int* out) {
	int unused;
	out[0] = -1 < 0u;
}
