package cpu

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestParallelRunsEachTaskOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for _, tasks := range []int{0, 1, 3, 100} {
			ran := make([]atomic.Int32, tasks)
			if err := parallel(context.Background(), workers, tasks, func(task int) { ran[task].Add(1) }); err != nil {
				t.Errorf("%d workers, %d tasks: %v", workers, tasks, err)
			}
			for task := range ran {
				if n := ran[task].Load(); n != 1 {
					t.Errorf("%d workers: task %d of %d ran %d times", workers, task, tasks, n)
				}
			}
		}
	}
}

// A context that is done lets each worker end the task it is at, and no more.
func TestParallelStops(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		var begun atomic.Int64
		err := parallel(ctx, workers, 1000, func(task int) {
			begun.Add(1)
			if task == 3 {
				cancel()
			}
			if task > 3 {
				<-ctx.Done()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: got error %v", workers, err)
		}
		if n := begun.Load(); n < 4 || n > int64(4+workers-1) {
			t.Errorf("%d workers: %d tasks were begun, of which the fourth cancelled", workers, n)
		}
	}
}

func TestParallelSpansCover(t *testing.T) {
	for _, n := range []int{0, 1, 1<<14 - 1, 1 << 14, 1<<14 + 1, 100000} {
		seen := make([]atomic.Int32, n)
		if err := parallelSpans(context.Background(), 3, n, func(first, last int) {
			for i := first; i < last; i++ {
				seen[i].Add(1)
			}
		}); err != nil {
			t.Fatal(err)
		}
		for i := range seen {
			if seen[i].Load() != 1 {
				t.Fatalf("element %d of %d was covered %d times", i, n, seen[i].Load())
			}
		}
	}
}
