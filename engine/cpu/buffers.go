package cpu

import "sync"

// buffers keeps what a product needs beside its operands and its output, from
// one request to the next: the packed sides, a tile that reaches past the
// output, the running sums where the output cannot hold them, and a block of an
// operand that is copied before it is packed.
type buffers[T float32 | float64] struct {
	left, right, edge, sums, operand sync.Pool // of *[]T
}

var (
	buffers64 buffers[float64]
	buffers32 buffers[float32]
)

// take returns n elements of any value.
func take[T float32 | float64](pool *sync.Pool, n int) []T {
	if kept, ok := pool.Get().(*[]T); ok && cap(*kept) >= n {
		return (*kept)[:n]
	}
	return make([]T, n)
}

// give keeps a buffer for another request.
func give[T float32 | float64](pool *sync.Pool, buffer []T) { pool.Put(&buffer) }
