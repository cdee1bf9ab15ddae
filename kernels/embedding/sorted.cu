// The gradient of an embedding table, second version: the same bits on every run.
//
//   gradient[t, c] += Σ upstream[p, c]           over the positions p of token t
//
//                                                starts     [T+1]  T tokens
//                                                positions  [P]
//                                                upstream   [P, C]
//                                                gradient   [T, C]
//
//   text       7 3 7 9 3 7                       the token at each position
//   positions  1 4 | 0 2 5 | 3                   of token 3, of 7, of 9
//   starts     … 0 for 3, 2 for 7, 5 for 9, 6 at the end
//
// Changed    The CPU first lists the positions of each token, in ascending order, all
//            lists one behind the other and where each starts: compressed sparse
//            rows, made by a counting sort. Then one thread for each token and column
//            adds up what lies at its token's positions. No two threads write the same
//            element, so nothing is atomic, and each sum has one order: what the
//            gradient held, then the positions as the text has them.
// Work       P·C additions, as before.
// Traffic    P·C elements of upstream are read, and for each token that occurs C of
//            gradient are read and written: P·C + 2·D·C elements for D different
//            tokens, and each thread reads two starts and its token's positions.
// Limit      Memory. A frequent token has one thread for each column, whose additions
//            follow each other: the longest list decides when the launch ends.
//
// Launch     A thread along x for each element of gradient; blocks of any size. The
//            grid must have a thread for each. No shared memory. starts ascends from 0
//            to P, and positions are those of upstream's rows.

// Embedding is the shape of the table and of the text.
struct Embedding {
	long long positions, tokens, columns; // P, T, C
};

template <typename Number>
__device__ void add_positions(const int* starts, const int* positions, const Number* upstream, Number* gradient, const Embedding& e) {
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= e.tokens * e.columns) {
		return;
	}
	const long long t = i / e.columns, c = i % e.columns;
	const int begin = starts[t], end = starts[t + 1];
	if (begin == end) {
		return; // most tokens of a table do not occur in a text
	}
	// region:sum
	Number sum = gradient[i];
	for (int n = begin; n < end; n++) {
		sum = sum + upstream[positions[n] * e.columns + c];
	}
	gradient[i] = sum;
	// endregion:sum
}

extern "C" __global__ void embedding_sorted_f64(const int* starts, const int* positions, const double* upstream, double* gradient, Embedding e) {
	add_positions(starts, positions, upstream, gradient, e);
}

extern "C" __global__ void embedding_sorted_f32(const int* starts, const int* positions, const float* upstream, float* gradient, Embedding e) {
	add_positions(starts, positions, upstream, gradient, e);
}
