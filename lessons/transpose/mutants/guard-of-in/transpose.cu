// Caught as race: the second guard asks for what is inside of in, and not of out.
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
	row = blockIdx.x * TILE + threadIdx.y;
	column = blockIdx.y * TILE + threadIdx.x;
	if (row < rows && column < columns) {
		out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
	}
	// ---- your part ends ----
}
