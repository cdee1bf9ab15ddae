extern "C" __global__ void k(float* out) {
	int	x	= one;
  /* é */ int y = two;
	out[0] = x + y;
}
