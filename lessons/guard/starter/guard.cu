// Adds 10 to each of the n numbers of in, and writes the sums to out. It is
// launched with at least n threads, in whole blocks.
extern "C" __global__ void guard(const float *in, float *out, int n) {
	// ---- your part begins ----
	// ---- your part ends ----
}
