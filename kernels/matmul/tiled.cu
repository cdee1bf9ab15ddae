// The matrix product, second version: a block shares tiles.
//
//   out[b, i, j] = α · Σ left[b, i, k] · right[b, k, j]  (+ out[b, i, j])
//
//                                                        left  [B, M, K]
//                                                        right [B, K, N]
//                                                        out   [B, M, N]
//
//                  right   ▒▒▒▒ k0 …
//                          ▒▒▒▒
//           left   k0 …
//                  ░░░░    ████ a block's 16×16 cells
//                  ░░░░    ████
//
// Changed    The 256 threads of a block need the same 16 rows of left and 16
//            columns of right. They copy a 16×16 tile of each into shared memory,
//            one element a thread, wait for each other, use the tiles, wait again,
//            and go on with the next 16 terms.
// Work       2·B·M·N·K + B·M·N operations, as before.
// Traffic    Each thread still uses 2·K elements, and the block fetches them once
//            for 16 threads: a launch asks for 2·B·M·N·K/16 + B·M·N elements,
//            and each element of left is fetched N/16 times, of right M/16 times.
// Limit      Shared memory. A step reads two elements from there for one
//            multiply-add, and the processor's own units could do four in that
//            time. A version whose threads keep more in registers reads less.
//
// Launch     Blocks of 16×16×1 threads, and no other: they are the tile. Blocks
//            along x are tiles of columns, along y of rows, along z matrices. Any
//            grid will do: where there are too few blocks, each goes on with the
//            tile one grid further. Shared memory is static: 2·16·16 elements, 2 KiB
//            in float32 and 4 KiB in float64. The buffers must hold every element
//            that the strides reach, and out must not overlap with the operands.
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

const int TILE = 16; // rows, columns and terms of a tile, and threads along each side of a block

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

// add_terms adds the products of one row of the left tile and one column of the
// right one. left and right point at their first elements.
template <typename Number>
__device__ Number add_terms(const Number* left, const Number* right, int terms, Number sum) {
	for (int k = 0; k < terms; k++) {
		sum = left[k] * right[k * TILE] + sum;
	}
	return sum;
}

template <typename Number>
__device__ void multiply(const Number* left, const Number* right, Number* out, const Matmul& m) {
	__shared__ Number left_tile[TILE][TILE]; // row, term
	__shared__ Number right_tile[TILE][TILE]; // term, column
	const int x = threadIdx.x, y = threadIdx.y;

	// All threads of a block go through these loops together: what they compare is
	// the block's, not the thread's.
	for (long long b = blockIdx.z; b < m.batches; b += gridDim.z) {
		for (long long i0 = (long long)blockIdx.y * TILE; i0 < m.rows; i0 += (long long)gridDim.y * TILE) {
			for (long long j0 = (long long)blockIdx.x * TILE; j0 < m.columns; j0 += (long long)gridDim.x * TILE) {
				const long long i = i0 + y, j = j0 + x;
				Number sum = 0;
				// region:tiles
				for (long long k0 = 0; k0 < m.terms; k0 += TILE) {
					left_tile[y][x] = i < m.rows && k0 + x < m.terms
						? left[b * m.left.batch + i * m.left.row + (k0 + x) * m.left.column]
						: 0;
					right_tile[y][x] = k0 + y < m.terms && j < m.columns
						? right[b * m.right.batch + (k0 + y) * m.right.row + j * m.right.column]
						: 0;
					__syncthreads(); // the tiles are complete
					// The compiler writes a known number of steps out one after the
					// other. The last tile may have fewer, and zeros in their place
					// would not do: −0 + 0·0 is +0.
					if (k0 + TILE <= m.terms) {
						sum = add_terms(left_tile[y], &right_tile[0][x], TILE, sum);
					} else {
						sum = add_terms(left_tile[y], &right_tile[0][x], (int)(m.terms - k0), sum);
					}
					__syncthreads(); // nobody needs them any more
				}
				// endregion:tiles
				if (i < m.rows && j < m.columns) {
					finish(out + b * m.out.batch + i * m.out.row + j * m.out.column, sum, m);
				}
			}
		}
	}
}

extern "C" __global__ void __launch_bounds__(TILE * TILE) matmul_tiled_f64(const double* left, const double* right, double* out, Matmul m) {
	multiply(left, right, out, m);
}

extern "C" __global__ void __launch_bounds__(TILE * TILE) matmul_tiled_f32(const float* left, const float* right, float* out, Matmul m) {
	multiply(left, right, out, m);
}
