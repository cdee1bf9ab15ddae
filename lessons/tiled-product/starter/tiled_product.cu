#define TILE 8 // rows, columns and terms of a tile, and threads along each side

// Computes c = a · b by tiles: a is m × k, b is k × n and c is m × n, row by row.
extern "C" __global__ void tiled_product(const float *a, const float *b, float *c, int m, int k, int n) {
	// ---- your part begins ----
	// ---- your part ends ----
}
