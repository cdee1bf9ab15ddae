// A warp per row: every row of a matrix divided by the root of the mean of its
// squares (Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019).
//
//   out[r, c] = in[r, c] · 1/√(Σ in[r, c']² / C + ε) · gain[c]
//
//   lane      0   1   2  …  31   0   1   2  …  31   0   1 …
//   column    0   1   2  …  31  32  33  34  …  63  64  65 …
//
// A row's mean needs all of the row. Each of the 32 lanes of a warp goes through
// every 32nd column, and then the lanes combine their sums in five steps, each with
// the lane 16, 8, 4, 2 and 1 away, without memory.
//
// Work       A multiply-add and two multiplications for each element, and of each lane
//            five additions and what makes the scale: 4·R·C + 256·R operations, 32·R
//            square roots.
// Traffic    2·R·C elements are read and R·C are written, and for each row the C
//            gains: 4·R·C elements. The second time a row comes from a cache unless
//            it is very long, and the gains always do.
// Limit      Memory.
//
// Launch     Blocks of 32×8×1 threads: a warp along x is a row, 8 rows a block. Any
//            number of blocks along x will do: where there are too few, each goes on
//            with the rows one grid further. No shared memory. in and out hold R·C
//            elements, row after row, gain holds C, and out overlaps with neither.
//
// Each lane's sum and the steps that combine them have a fixed order, and square
// root and division are rounded correctly, so the bits are the same on every run
// and every GPU. The squares are products before a sum: the contract says whether
// they are rounded.

// RMSNorm is the shape of the matrix, and what keeps a row of zeros from being
// divided by zero.
struct RMSNorm {
	long long rows, columns; // R, C
	double epsilon; // added to the mean
};

__device__ double square_root(double x) { return sqrt(x); }
__device__ float square_root(float x) { return sqrtf(x); }

const unsigned int ALL = 0xffffffff; // lanes of a warp

template <typename Number>
__device__ Number sum_of_warp(Number x) {
	for (int away = 16; away > 0; away /= 2) {
		x = x + __shfl_xor_sync(ALL, x, away);
	}
	return x;
}

template <typename Number>
__device__ void rmsnorm(const Number* in, const Number* gain, Number* out, const RMSNorm& n) {
	const int lane = threadIdx.x;
	const long long warp = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	const long long warps = (long long)gridDim.x * blockDim.y;
	// The lanes of a warp have the same rows: they leave this loop together, and
	// nobody is missing when they combine.
	for (long long r = warp; r < n.rows; r += warps) {
		const Number* from = in + r * n.columns;
		Number* to = out + r * n.columns;

		Number sum = 0;
		for (long long c = lane; c < n.columns; c += 32) {
			const Number x = from[c];
			sum = x * x + sum;
		}
		const Number mean = sum_of_warp(sum) / (Number)n.columns;
		const Number scale = 1 / square_root(mean + (Number)n.epsilon);

		for (long long c = lane; c < n.columns; c += 32) {
			to[c] = from[c] * scale * gain[c];
		}
	}
}

extern "C" __global__ void rmsnorm_warp_f64(const double* in, const double* gain, double* out, RMSNorm n) {
	rmsnorm(in, gain, out, n);
}

extern "C" __global__ void rmsnorm_warp_f32(const float* in, const float* gain, float* out, RMSNorm n) {
	rmsnorm(in, gain, out, n);
}
