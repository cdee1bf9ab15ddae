package cuda

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
)

// Calls are done once each, in order, whether the sides find each other at once or
// lie down first, and one that its caller left is still done.
func TestHandoff(t *testing.T) {
	for _, spins := range []bool{true, false} {
		h := newHandoff()
		h.spins = spins && runtime.GOMAXPROCS(0) > 1
		served := make(chan struct{})
		go func() {
			h.serve()
			close(served)
		}()
		count := 0 // written by the serving goroutine, read when a call is over
		for i := range 3000 {
			pause := time.Duration(0)
			if i%100 == 0 {
				pause = 2 * moment // longer than a side looks
			}
			ctx, cancel := context.WithCancel(t.Context())
			if i%100 == 50 {
				cancel()
			}
			if i%200 == 0 {
				time.Sleep(pause) // the other side lies down
			}
			c := h.give(func() {
				time.Sleep(pause)
				count++
			})
			if err := h.wait(ctx, c); err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if err := h.wait(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			cancel()
			if count != i+1 {
				t.Fatalf("after %d calls %d were done", i+1, count)
			}
		}
		// A caller leaves a call that takes long.
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		begin := time.Now()
		c := h.give(func() {
			time.Sleep(100 * time.Millisecond)
			count++
		})
		if err := h.wait(ctx, c); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 50*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		if err := h.wait(t.Context(), c); err != nil || count != 3001 {
			t.Errorf("%v, %d calls", err, count)
		}
		h.give(nil)
		<-served
	}
}

func BenchmarkHandoff(b *testing.B) {
	for name, spins := range map[string]bool{"looking": true, "lying down": false} {
		b.Run(name, func(b *testing.B) {
			h := newHandoff()
			h.spins = spins
			go func() {
				runtime.LockOSThread()
				h.serve()
			}()
			defer h.give(nil)
			nothing := func() {}
			for b.Loop() {
				if err := h.wait(b.Context(), h.give(nothing)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
