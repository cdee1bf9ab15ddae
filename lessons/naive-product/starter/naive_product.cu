// Computes c = a · b, of which a is m × k, b is k × n and c is m × n, row by row.
// It is launched with at least n threads across and m down, in whole blocks.
extern "C" __global__ void naive_product(const float *a, const float *b, float *c, int m, int k, int n) {
	// ---- your part begins ----
	// ---- your part ends ----
}
