// The matrix product, first version: one thread a cell.
//
//   out[b, i, j] = α · Σ left[b, i, k] · right[b, k, j]  (+ out[b, i, j])
//
//                                                        left  [B, M, K]
//                                                        right [B, K, N]
//                                                        out   [B, M, N]
//
// Work       2·B·M·N·K + B·M·N operations: a multiplication and an addition a step, and
//            α once a cell.
// Traffic    Each thread reads 2·K elements and writes one, so a launch asks for
//            2·B·M·N·K + B·M·N elements although left and right have only B·(M·K + K·N):
//            each row of left is read N times, each column of right M times.
// Limit      Memory. A step is one multiply-add for two elements read, 1 operation
//            per 8 bytes in float64. Neighbouring threads of a warp read
//            neighbouring elements of right, which is as good as reading gets, and
//            the same element of left; the caches catch part of what is read again.
//            A version that keeps tiles in shared memory reads less.
//
// Launch     Threads along x are columns, along y rows, along z matrices. Any grid
//            and block will do: threads that are left over do nothing, and where
//            there are too few, each goes on with the cell one grid further.
//            No shared memory. The buffers must hold every element that the
//            strides reach, and out must not overlap with the operands.
//
// A cell's sum starts at zero and takes its products in ascending k, in one thread:
// no order of threads can change its bits. What can is whether the compiler may
// round left·right + sum once (--fmad=true) or must round the product first
// (--fmad=false). The source is the same for both. What follows the sum, α and
// the addition to out, is rounded step by step under either.

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

// widen turns an element into the type that sums are made in. It is exact.
__device__ double widen(double x) { return x; }
__device__ float widen(float x) { return x; }
__device__ float widen(__half x) { return __half2float(x); }
__device__ float widen(__nv_bfloat16 x) { return __bfloat162float(x); }

// store rounds a sum to the element's format, once.
__device__ void store(double* cell, double sum) { *cell = sum; }
__device__ void store(float* cell, float sum) { *cell = sum; }
__device__ void store(__half* cell, float sum) { *cell = __float2half_rn(sum); }
__device__ void store(__nv_bfloat16* cell, float sum) { *cell = __float2bfloat16_rn(sum); }

// scaled returns alpha·sum, rounded. CUDA's functions for it keep the compiler from
// fusing it with the addition that may follow.
__device__ double scaled(double alpha, double sum) { return __dmul_rn(alpha, sum); }
__device__ float scaled(float alpha, float sum) { return __fmul_rn(alpha, sum); }

// multiply_cell computes one cell. left and right point at the first elements of
// its row and of its column.
template <typename Sum, typename Element>
__device__ void multiply_cell(const Element* left, const Element* right, Element* cell, const Matmul& m) {
	// region:contraction
	Sum sum = 0;
	for (long long k = 0; k < m.terms; k++) {
		sum = widen(*left) * widen(*right) + sum;
		left += m.left.column;
		right += m.right.row;
	}
	// endregion:contraction
	if (m.divisor != 0) {
		sum = sum / (Sum)m.divisor;
	}
	sum = scaled((Sum)m.alpha, sum);
	if (m.accumulate != 0) {
		sum = sum + widen(*cell);
	}
	store(cell, sum);
}

// multiply walks over the cells that are this thread's.
template <typename Sum, typename Element>
__device__ void multiply(const Element* left, const Element* right, Element* out, const Matmul& m) {
	const long long x = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	const long long y = (long long)blockIdx.y * blockDim.y + threadIdx.y;
	const long long z = (long long)blockIdx.z * blockDim.z + threadIdx.z;
	const long long across = (long long)gridDim.x * blockDim.x;
	const long long down = (long long)gridDim.y * blockDim.y;
	const long long deep = (long long)gridDim.z * blockDim.z;

	for (long long b = z; b < m.batches; b += deep) {
		for (long long i = y; i < m.rows; i += down) {
			for (long long j = x; j < m.columns; j += across) {
				multiply_cell<Sum>(
					left + b * m.left.batch + i * m.left.row,
					right + b * m.right.batch + j * m.right.column,
					out + b * m.out.batch + i * m.out.row + j * m.out.column,
					m);
			}
		}
	}
}

extern "C" __global__ void matmul_naive_f64(const double* left, const double* right, double* out, Matmul m) {
	multiply<double>(left, right, out, m);
}

extern "C" __global__ void matmul_naive_f32(const float* left, const float* right, float* out, Matmul m) {
	multiply<float>(left, right, out, m);
}

// The half formats are summed in float32 and rounded when the sum is complete.
// float32 has 24 bits of significand, and a product of two float16 needs 11 + 11,
// of two bfloat16 8 + 8: it is exact, so there is nothing to round before the sum
// and both contracts give the same bits, unless a product of bfloat16 leaves
// float32's range.

extern "C" __global__ void matmul_naive_f16(const __half* left, const __half* right, __half* out, Matmul m) {
	multiply<float>(left, right, out, m);
}

extern "C" __global__ void matmul_naive_bf16(const __nv_bfloat16* left, const __nv_bfloat16* right, __nv_bfloat16* out, Matmul m) {
	multiply<float>(left, right, out, m);
}
