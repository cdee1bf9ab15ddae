// One block for each tile: it reads 32×32 elements by rows, and writes them by rows
// of the transposed matrix.
#define TILE 32

__global__ void transpose(const float* in, float* out, int rows, int columns) {
	__shared__ float tile[TILE][TILE + 1]; // the last column is never used

	int column = blockIdx.x * TILE + threadIdx.x;
	for (int y = threadIdx.y; y < TILE; y += blockDim.y) {
		int row = blockIdx.y * TILE + y;
		if (row < rows && column < columns) {
			tile[y][threadIdx.x] = in[row * columns + column];
		}
	}
	__syncthreads();

	column = blockIdx.y * TILE + threadIdx.x; // of out, which has as many as in has rows
	for (int y = threadIdx.y; y < TILE; y += blockDim.y) {
		int row = blockIdx.x * TILE + y;
		if (row < columns && column < rows) {
			out[row * rows + column] = tile[threadIdx.x][y];
		}
	}
}
