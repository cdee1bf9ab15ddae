package conform

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

func cancelCases() []Case {
	return []Case{
		{Name: "cancelled at once", Run: cancelledAtOnce},
		{Name: "cancelled on the way", Run: cancelledOnTheWay},
	}
}

// cancelledAtOnce ends small products after a few microseconds. Each one ends
// with the whole result or with the context's error and none.
func cancelledAtOnce(ctx context.Context, d device.Device) error {
	s := newSource("cancelled at once")
	p := device.Product{Left: dense(s.integer, 48, 64), Right: dense(s.integer, 64, 48)}
	want := productAnswer(p, d.Spec().Contract)
	for after := time.Duration(0); after < 300*time.Microsecond; after += 20 * time.Microsecond {
		limited, cancel := context.WithTimeout(ctx, after)
		out, stats, err := d.Multiply(limited, p)
		cancel()
		switch {
		case err == nil:
			if err := want.hold(out, d.Spec()); err != nil {
				return fmt.Errorf("a product that completed in spite of its deadline is wrong: %w", err)
			}
		case !errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("the product ended with %w, expected the context's error", err)
		default:
			if wrong := refusal(out, stats, err); wrong != nil {
				return wrong
			}
		}
	}
	return probe(ctx, d)
}

const (
	// longProduct is how long a product takes that is worth to cancel, and
	// shortestProduct from where the clock can tell that it was.
	longProduct     = 200 * time.Millisecond
	shortestProduct = 20 * time.Millisecond
	// largestSquare bounds the product where the device is too fast to be
	// kept busy: three such matrices have 384 MiB.
	largestSquare = 4096
)

// square returns the product of two n×n matrices. Their storage has 2n−1 small
// integers, which every row reads one element further on: making it costs
// nothing, and every sum is exact.
func square(n int) device.Product {
	s := newSource("square")
	matrix := func() tensor.View {
		return must(tensor.NewView(fill(2*n-1, s.integer), 0, []int{n, n}, []int{1, 1}))
	}
	return device.Product{Left: matrix(), Right: matrix()}
}

// busy finds a square product that keeps d busy for so long, or the largest one,
// and returns its result and how long it took.
func busy(ctx context.Context, d device.Device, atLeast time.Duration) (p device.Product, result *tensor.Tensor, took time.Duration, err error) {
	for n := 64; ; n = min(n+n/2, largestSquare) {
		p = square(n)
		// The first may pay for what is made once, such as compiled kernels, or be
		// held up by something else: the shorter time counts.
		for range 2 {
			start := time.Now()
			if result, _, err = d.Multiply(ctx, p); err != nil {
				return p, nil, 0, fmt.Errorf("a product of %d×%d was refused: %w", n, n, err)
			}
			if took = time.Since(start); took < atLeast {
				break
			}
		}
		if took >= atLeast || n == largestSquare {
			return p, result, took, nil
		}
	}
}

// cancelledOnTheWay cancels a long product at a tenth of its time, and expects
// its end before half of it. A machine that is busy with something else can
// stop a sound device from being in time, so the best of some tries counts.
func cancelledOnTheWay(ctx context.Context, d device.Device) error {
	p, _, whole, err := busy(ctx, d, longProduct)
	if err != nil {
		return err
	}
	if whole < shortestProduct {
		return &SkippedError{Reason: fmt.Sprintf("the largest product takes %v: too short to be cancelled", whole)}
	}
	var late error
	for range 8 {
		limited, cancel := context.WithCancel(ctx)
		timer := time.AfterFunc(whole/10, cancel)
		start := time.Now()
		out, stats, err := d.Multiply(limited, p)
		took := time.Since(start)
		timer.Stop()
		cancel()
		if err == nil {
			late = fmt.Errorf("a product of %v, cancelled after %v, was completed all the same after %v: look at the context on the way", whole, whole/10, took)
			continue
		}
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the product ended with %w, expected the context's error", err)
		}
		if wrong := refusal(out, stats, err); wrong != nil {
			return wrong
		}
		if took <= whole/2 {
			return probe(ctx, d)
		}
		late = fmt.Errorf("a product of %v, cancelled after %v, ended after %v, expected half of its time at most: look at the context more often", whole, whole/10, took)
	}
	return late
}

// closedInFlight closes a device that multiplies without a pause: the product in
// flight completes with its whole result, or ends with a *device.ClosedError and
// none.
func closedInFlight(ctx context.Context, d device.Device) error {
	p, want, whole, err := busy(ctx, d, shortestProduct)
	if err != nil {
		return err
	}
	var closed atomic.Bool
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				ended <- fmt.Errorf("the device panicked: %v", r)
			}
		}()
		close(begun)
		for !closed.Load() {
			out, stats, err := d.Multiply(ctx, p)
			if err != nil {
				ended <- closedRefusal(out, stats, err)
				return
			}
			if err := equal(out, want); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	<-begun
	time.Sleep(whole / 2)
	err = d.Close()
	closed.Store(true)
	if err != nil {
		err = fmt.Errorf("the device did not close: %w", err)
	}
	if wrong := <-ended; wrong != nil {
		err = errors.Join(err, fmt.Errorf("a product in flight while the device was closed: %w", wrong))
	}
	return err
}

// equal reports where a result differs from an earlier one of the same request.
func equal(out, want *tensor.Tensor) error {
	if out == nil || !out.SameShape(want) {
		return errors.New("it completed without its result")
	}
	for q, x := range out.Data() {
		if math.Float64bits(x) != math.Float64bits(want.Data()[q]) {
			return fmt.Errorf("value %s is %v and was %v before", tensor.FormatShape(coordinate(out.Shape(), q)), x, want.Data()[q])
		}
	}
	return nil
}

// closedRefusal is refusal with a *device.ClosedError.
func closedRefusal(out *tensor.Tensor, stats device.Stats, err error) error {
	if wrong := refusal(out, stats, err); wrong != nil {
		return wrong
	}
	var typed *device.ClosedError
	if !errors.As(err, &typed) {
		return fmt.Errorf("it ended with %T (%w), expected a *device.ClosedError", err, err)
	}
	return nil
}

// closeCases close the device, with a product in flight, and again.
func closeCases() []Case {
	return []Case{{Name: "close", Run: func(ctx context.Context, d device.Device) error {
		if err := probe(ctx, d); err != nil {
			return err
		}
		if err := closedInFlight(ctx, d); err != nil {
			return err
		}
		if err := d.Close(); err != nil {
			return fmt.Errorf("closing it again: %w, expected nothing to happen", err)
		}
		s := newSource("close")
		for _, p := range []device.Product{
			{Left: dense(s.ordinary, 2, 3), Right: dense(s.ordinary, 3, 2)},
			{Left: dense(s.ordinary, 0, 3), Right: dense(s.ordinary, 3, 2)},
		} {
			if wrong := closedRefusal(d.Multiply(ctx, p)); wrong != nil {
				return fmt.Errorf("a product on the closed device: %w", wrong)
			}
		}
		if wrong := closedRefusal(d.Reduce(ctx, device.Reduction{Input: dense(s.ordinary, 2, 3), Axis: 1})); wrong != nil {
			return fmt.Errorf("a sum on the closed device: %w", wrong)
		}
		if e, ok := d.(device.Explainer); ok {
			_, err := e.Explain(ctx, device.Float64, []float64{1}, []float64{2})
			if wrong := closedRefusal(nil, device.Stats{}, err); wrong != nil {
				return fmt.Errorf("an explanation on the closed device: %w", wrong)
			}
		}
		return nil
	}}}
}
