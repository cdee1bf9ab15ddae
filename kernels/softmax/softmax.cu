// A warp per row: the softmax of every row of a matrix.
//
//   out[r, c] = exp(in[r, c] − max) / Σ exp(in[r, c'] − max)      max of row r
//
//   lane      0   1   2  …  31   0   1   2  …  31   0   1 …
//   column    0   1   2  …  31  32  33  34  …  63  64  65 …
//
// A row's maximum and its sum need all of the row. Each of the 32 lanes of a warp
// goes through every 32nd column, and then the lanes combine what they have in
// five steps, each with the lane 16, 8, 4, 2 and 1 away, without memory.
//
// Work       Two subtractions, an addition and a division for each element, and five
//            additions of each lane: 4·R·C + 160·R operations, 2·R·C exponentials. There
//            are as many comparisons as additions.
// Traffic    3·R·C elements are read and R·C are written: 4·R·C elements. The second
//            and the third time a row comes from a cache unless it is very long.
// Limit      Memory, for rows that the caches hold. Exponentials cost more than other
//            operations, and two for each element are still hidden behind it.
//
// Launch     Blocks of 32×8×1 threads: a warp along x is a row, 8 rows a block. Any
//            number of blocks along x will do: where there are too few, each goes on
//            with the rows one grid further. No shared memory. in and out hold R·C
//            elements, row after row, and do not overlap.
//
// Each lane's sum and the steps that combine them have a fixed order, so the bits
// are the same on every run. A row that holds NaN, +∞, or −∞ alone becomes NaN.

__device__ double larger(double a, double b) { return fmax(a, b); }
__device__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ double exponential(double x) { return exp(x); }
__device__ float exponential(float x) { return expf(x); }

const unsigned int ALL = 0xffffffff; // lanes of a warp

// region:combine
template <typename Number>
__device__ Number max_of_warp(Number x) {
	for (int away = 16; away > 0; away /= 2) {
		x = larger(x, __shfl_xor_sync(ALL, x, away));
	}
	return x;
}

template <typename Number>
__device__ Number sum_of_warp(Number x) {
	for (int away = 16; away > 0; away /= 2) {
		x = x + __shfl_xor_sync(ALL, x, away);
	}
	return x;
}
// endregion:combine

template <typename Number>
__device__ void softmax(const Number* in, Number* out, long long rows, long long columns) {
	const int lane = threadIdx.x;
	const long long warp = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	const long long warps = (long long)gridDim.x * blockDim.y;
	// The lanes of a warp have the same rows: they leave this loop together, and
	// nobody is missing when they combine.
	for (long long r = warp; r < rows; r += warps) {
		const Number* from = in + r * columns;
		Number* to = out + r * columns;

		Number largest = -INFINITY;
		for (long long c = lane; c < columns; c += 32) {
			largest = larger(largest, from[c]);
		}
		largest = max_of_warp(largest);

		Number sum = 0;
		for (long long c = lane; c < columns; c += 32) {
			sum = sum + exponential(from[c] - largest);
		}
		sum = sum_of_warp(sum);

		for (long long c = lane; c < columns; c += 32) {
			to[c] = exponential(from[c] - largest) / sum;
		}
	}
}

extern "C" __global__ void softmax_warp_f64(const double* in, double* out, long long rows, long long columns) {
	softmax(in, out, rows, columns);
}

extern "C" __global__ void softmax_warp_f32(const float* in, float* out, long long rows, long long columns) {
	softmax(in, out, rows, columns);
}
