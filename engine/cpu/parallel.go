package cpu

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// workerTerms is how many multiplications make it worth to start one more
// goroutine: some 20 µs of one core's work.
const workerTerms = 1 << 19

// workersFor returns how many goroutines a request of so many multiplications
// is given.
func workersFor(terms int) int {
	return max(1, min(runtime.GOMAXPROCS(0), terms/workerTerms))
}

// parallel calls do for every task from 0 on, on at most so many goroutines,
// and returns when all are done. Tasks are begun in order and go to whoever is
// free, since other programs take their share of the cores. Once ctx is done no
// further task is begun and the context's error is returned.
func parallel(ctx context.Context, workers, tasks int, do func(task int)) error {
	var next atomic.Int64
	work := func() {
		for ctx.Err() == nil {
			task := int(next.Add(1)) - 1
			if task >= tasks {
				return
			}
			do(task)
		}
	}
	var group sync.WaitGroup
	if workers = min(workers, tasks); workers > 1 {
		for range workers - 1 {
			group.Go(work)
		}
		// The goroutine started last is kept for the thread that started it, and
		// an idle one steals it only after a sleep: the second core of a
		// product of 256 rows then began 90 µs late, and begins 20 µs late with
		// this one in its place.
		go func() {}()
	}
	work()
	group.Wait()
	return ctx.Err()
}

// parallelSpans is parallel over the n elements of a slice, some at a time.
func parallelSpans(ctx context.Context, workers, n int, do func(first, last int)) error {
	const span = 1 << 14
	return parallel(ctx, workers, (n+span-1)/span, func(task int) {
		do(task*span, min(n, (task+1)*span))
	})
}
