// Caught as too-slow: the tile is read by rows, and out is still written by columns.
#define TILE 32

// Transposes a row-major matrix: out[column][row] is in[row][column]. Blocks have
// TILE × TILE threads, and the grid has one for each tile of in: x counts tiles
// along its rows, y downwards.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
	__shared__ float tile[TILE][TILE + 1]; // why one more: see chapter 6, banks
	// ---- your part begins ----
	int column = blockIdx.x * TILE + threadIdx.x;
	int row = blockIdx.y * TILE + threadIdx.y;
	if (row < rows && column < columns) {
		tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
	}
	__syncthreads();
	if (row < rows && column < columns) {
		out[column * rows + row] = tile[threadIdx.y][threadIdx.x];
	}
	// ---- your part ends ----
}
