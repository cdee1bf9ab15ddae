// The gradient of an embedding table, first version: atomic additions.
//
//   gradient[token[p], c] += upstream[p, c]      for every position p and column c
//
//                                                token     [P]
//                                                upstream  [P, C]
//                                                gradient  [T, C]   T tokens
//
// Each position adds its row of upstream to the row of the token that stands there.
// A text has the same token at many positions, so many threads add to the same
// element, and each addition must be one step that no other thread comes between.
//
// Work       P·C additions.
// Traffic    P·C elements of upstream are read, and as many of gradient are read and
//            written: 3·P·C elements, and P tokens.
// Limit      Memory, as long as the tokens differ. Additions to one element take
//            turns: where few tokens are frequent, they wait for each other.
//
// Launch     A thread along x for each element of upstream; blocks of any size. The
//            grid must have a thread for each. No shared memory. A token that the
//            table does not have is left out.
//
// Floating-point addition rounds, so its result depends on the order, and the order
// of the threads is nobody's: the bits differ from run to run where a token comes
// three times or more. The next version has an order.

// Embedding is the shape of the table and of the text.
struct Embedding {
	long long positions, tokens, columns; // P, T, C
};

template <typename Number>
__device__ void add_rows(const int* token, const Number* upstream, Number* gradient, const Embedding& e) {
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < e.positions * e.columns) {
		const long long t = token[i / e.columns], c = i % e.columns;
		if (t >= 0 && t < e.tokens) {
			atomicAdd(&gradient[t * e.columns + c], upstream[i]);
		}
	}
}

extern "C" __global__ void embedding_atomic_f64(const int* token, const double* upstream, double* gradient, Embedding e) {
	add_rows(token, upstream, gradient, e);
}

extern "C" __global__ void embedding_atomic_f32(const int* token, const float* upstream, float* gradient, Embedding e) {
	add_rows(token, upstream, gradient, e);
}
