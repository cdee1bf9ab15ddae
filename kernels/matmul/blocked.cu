// The matrix product, third version: a thread computes 4×4 cells in registers.
//
//   out[b, i, j] = α · Σ left[b, i, k] · right[b, k, j]  (+ out[b, i, j])
//
//                                                        left  [B, M, K]
//                                                        right [B, K, N]
//                                                        out   [B, M, N]
//
// Changed    A block of 16×16 threads computes 64×64 cells, 4×4 a thread. For each
//            term a thread reads 4 elements of left and 4 of right and combines them
//            in all 16 pairings, with the running sums in registers (Volkov and
//            Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008).
//            Neighbouring threads use neighbouring words: thread x of a row has the
//            columns x, x+16, x+32 and x+48, and what is copied together lies
//            together in memory, along rows or along columns, as the strides say.
// Work       2·B·M·N·K + B·M·N operations, as before.
// Traffic    A tile is fetched once for 64 rows or columns: a launch asks for
//            2·B·M·N·K/64 + B·M·N elements, and each element of left is fetched N/64
//            times, of right M/64 times. From shared memory a thread reads 8 elements for
//            16 multiply-adds, where the version before read 32.
// Limit      Arithmetic, as far as the reads from shared memory and the barriers
//            leave it free.
//
// Launch     Blocks of 16×16×1 threads, and no other. Blocks along x are tiles of 64
//            columns, along y of 64 rows, along z matrices. Any grid will do: where
//            there are too few blocks, each goes on with the tile one grid further.
//            Shared memory is static: 2·16·68 elements, 8.5 KiB in float32 and
//            17 KiB in float64. The buffers must hold every element that the strides
//            reach, and out must not overlap with the operands.
//
// A cell's sum is the same chain as before, in one thread: k ascends from tile to
// tile and within each. The bits are those of the first version.

// Strides are the distances, in elements, from one matrix to the next, from one
// row to the next, and from one column to the next. They may be anything: 1 and
// the row's length swapped reads a transposed matrix in place, 0 repeats.
struct Strides {
	long long batch, row, column;
};

// Matmul is the shape of the product and where its elements lie. 64 bits,
// because a product of two 32-bit sizes does not fit in 32.
struct Matmul {
	long long batches, rows, terms, columns; // B, M, K, N
	Strides left, right, out;
	double divisor; // of every sum: K makes it a mean, 0 leaves it as it is
	double alpha; // the factor of every sum, after it was divided
	long long accumulate; // not 0: add to what out holds
};

const int THREADS = 16; // along each side of a block
const int CELLS = 4; // along each side of what a thread computes
const int TILE = THREADS * CELLS; // rows and columns of a block's cells
const int DEPTH = 16; // terms of a tile

// WIDTH is the length of a tile's rows in shared memory. Four words more than they
// hold put the same place of 8 rows that follow each other into different banks.
const int WIDTH = TILE + 4;

// scaled returns alpha·sum, rounded. CUDA's functions for it keep the compiler from
// fusing it with the addition that may follow.
__device__ double scaled(double alpha, double sum) { return __dmul_rn(alpha, sum); }
__device__ float scaled(float alpha, float sum) { return __fmul_rn(alpha, sum); }

// finish writes a cell whose sum is complete.
template <typename Number>
__device__ void finish(Number* cell, Number sum, const Matmul& m) {
	if (m.divisor != 0) {
		sum = sum / (Number)m.divisor;
	}
	sum = scaled((Number)m.alpha, sum);
	if (m.accumulate != 0) {
		sum = sum + *cell;
	}
	*cell = sum;
}

// copy_tile copies DEPTH terms of TILE lines, which are rows of left or columns of
// right, to tile[term][line]. What lies beyond the last line or the last term is
// zero. Neighbouring threads read along the axis whose elements are closer to each
// other in memory.
template <typename Number>
__device__ void copy_tile(Number tile[DEPTH][WIDTH], const Number* from, long long line_stride, long long term_stride, int lines, int terms) {
	const int thread = threadIdx.y * THREADS + threadIdx.x;
	const bool along_terms = term_stride < line_stride;
	// A thread's first element, and how far it is to its next one.
	const int line = along_terms ? thread / DEPTH : thread % TILE;
	const int term = along_terms ? thread % DEPTH : thread / TILE;
	const int next_line = along_terms ? THREADS * THREADS / DEPTH : 0;
	const int next_term = along_terms ? 0 : THREADS * THREADS / TILE;

	const int turns = TILE * DEPTH / (THREADS * THREADS);
	Number value[turns];
	from += line * line_stride + term * term_stride;
#pragma unroll
	for (int t = 0; t < turns; t++) {
		value[t] = line + t * next_line < lines && term + t * next_term < terms ? *from : 0;
		from += next_line * line_stride + next_term * term_stride;
	}
	// All are on their way before the first is waited for.
#pragma unroll
	for (int t = 0; t < turns; t++) {
		tile[term + t * next_term][line + t * next_line] = value[t];
	}
}

// add_terms adds the products of a thread's rows and columns, term by term.
template <typename Number>
__device__ void add_terms(const Number left_tile[DEPTH][WIDTH], const Number right_tile[DEPTH][WIDTH], int terms, Number sum[CELLS][CELLS]) {
	const int x = threadIdx.x, y = threadIdx.y;
	// region:registers
#pragma unroll
	for (int k = 0; k < terms; k++) {
		Number left[CELLS], right[CELLS];
		for (int r = 0; r < CELLS; r++) {
			left[r] = left_tile[k][CELLS * y + r];
		}
		for (int c = 0; c < CELLS; c++) {
			right[c] = right_tile[k][x + THREADS * c];
		}
		for (int r = 0; r < CELLS; r++) {
			for (int c = 0; c < CELLS; c++) {
				sum[r][c] = left[r] * right[c] + sum[r][c];
			}
		}
	}
	// endregion:registers
}

template <typename Number>
__device__ void multiply(const Number* left, const Number* right, Number* out, const Matmul& m) {
	__shared__ __align__(16) Number left_tile[DEPTH][WIDTH];
	__shared__ __align__(16) Number right_tile[DEPTH][WIDTH];
	const int x = threadIdx.x, y = threadIdx.y;

	// All threads of a block go through these loops together: what they compare is
	// the block's, not the thread's.
	for (long long b = blockIdx.z; b < m.batches; b += gridDim.z) {
		for (long long i0 = (long long)blockIdx.y * TILE; i0 < m.rows; i0 += (long long)gridDim.y * TILE) {
			for (long long j0 = (long long)blockIdx.x * TILE; j0 < m.columns; j0 += (long long)gridDim.x * TILE) {
				const int rows = (int)min(m.rows - i0, (long long)TILE);
				const int columns = (int)min(m.columns - j0, (long long)TILE);
				const Number* left_tiles = left + b * m.left.batch + i0 * m.left.row;
				const Number* right_tiles = right + b * m.right.batch + j0 * m.right.column;
				Number sum[CELLS][CELLS] = {};
				for (long long k0 = 0; k0 < m.terms; k0 += DEPTH) {
					const int terms = (int)min(m.terms - k0, (long long)DEPTH);
					copy_tile(left_tile, left_tiles + k0 * m.left.column, m.left.row, m.left.column, rows, terms);
					copy_tile(right_tile, right_tiles + k0 * m.right.row, m.right.column, m.right.row, columns, terms);
					__syncthreads(); // the tiles are complete
					// The compiler writes a known number of steps out one after the
					// other. The last tile may have fewer, and zeros in their place
					// would not do: −0 + 0·0 is +0.
					if (terms == DEPTH) {
						add_terms(left_tile, right_tile, DEPTH, sum);
					} else {
						add_terms(left_tile, right_tile, terms, sum);
					}
					__syncthreads(); // nobody needs them any more
				}
				Number* cells = out + b * m.out.batch + (i0 + CELLS * y) * m.out.row + (j0 + x) * m.out.column;
				for (int r = 0; r < CELLS; r++) {
					for (int c = 0; c < CELLS; c++) {
						if (CELLS * y + r < rows && x + THREADS * c < columns) {
							finish(cells + r * m.out.row + THREADS * c * m.out.column, sum[r][c], m);
						}
					}
				}
			}
		}
	}
}

// The second number of the launch bounds has the compiler use so few registers that
// as many blocks fit on a multiprocessor: while one waits for its tiles, another
// computes.

extern "C" __global__ void __launch_bounds__(THREADS * THREADS, 2) matmul_blocked_f64(const double* left, const double* right, double* out, Matmul m) {
	multiply(left, right, out, m);
}

extern "C" __global__ void __launch_bounds__(THREADS * THREADS, 3) matmul_blocked_f32(const float* left, const float* right, float* out, Matmul m) {
	multiply(left, right, out, m);
}
