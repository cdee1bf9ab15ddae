package conform

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// probe is a product that a device in order gets right: it follows every
// request that was refused.
func probe(ctx context.Context, d device.Device) error {
	s := newSource("probe")
	if err := multiply(ctx, d, device.Product{Left: dense(s.ordinary, 5, 9), Right: dense(s.ordinary, 9, 6)}); err != nil {
		return fmt.Errorf("after it, a sound product failed: %w", err)
	}
	return nil
}

// refusal checks what a device returns with an error: nothing else.
func refusal(out *tensor.Tensor, stats device.Stats, err error) error {
	switch {
	case err == nil:
		return errors.New("the device took a request that it must refuse")
	case out != nil:
		return errors.New("the device returned a result together with an error")
	case stats != (device.Stats{}):
		return fmt.Errorf("statistics are %+v, expected zeros: a refused request costs nothing", stats)
	}
	return nil
}

// shapeRefusal is refusal with a *tensor.ShapeError.
func shapeRefusal(out *tensor.Tensor, stats device.Stats, err error) error {
	if wrong := refusal(out, stats, err); wrong != nil {
		return wrong
	}
	var typed *tensor.ShapeError
	if !errors.As(err, &typed) {
		return fmt.Errorf("the device refused with %T (%w), expected a *tensor.ShapeError", err, err)
	}
	return nil
}

func requestCases() []Case {
	s := newSource("refused")
	matrix := func(shape ...int) tensor.View { return dense(s.ordinary, shape...) }
	var cases []Case
	refused := func(name string, run func(ctx context.Context, d device.Device) error) {
		cases = append(cases, Case{Name: "refused/" + name, Run: func(ctx context.Context, d device.Device) error {
			if err := run(ctx, d); err != nil {
				return err
			}
			return probe(ctx, d)
		}})
	}

	for _, c := range []struct {
		name    string
		product device.Product
	}{
		{"inner dimensions", device.Product{Left: matrix(2, 3), Right: matrix(2, 3)}},
		{"inner dimensions, transposed", device.Product{Left: matrix(2, 3), Right: matrix(3, 2), TransposeLeft: true}},
		{"empty against one", device.Product{Left: matrix(2, 0), Right: matrix(1, 2)}},
		{"a vector", device.Product{Left: matrix(3), Right: matrix(3, 2)}},
		{"a scalar", device.Product{Left: matrix(2, 2), Right: matrix()}},
		{"batches", device.Product{Left: matrix(2, 3, 4), Right: matrix(3, 4, 5)}},
		{"an output of 10^10 cells", device.Product{
			Left:  must(matrix(1, 1).Broadcast(100000, 1)),
			Right: must(matrix(1, 1).Broadcast(1, 100000)),
		}},
	} {
		refused(c.name, func(ctx context.Context, d device.Device) error {
			return shapeRefusal(d.Multiply(ctx, c.product))
		})
	}
	for _, c := range []struct {
		name      string
		reduction device.Reduction
	}{
		{"axis below zero", device.Reduction{Input: matrix(2, 3), Axis: -1}},
		{"axis past the last", device.Reduction{Input: matrix(2, 3), Axis: 2}},
		{"axis of a scalar", device.Reduction{Input: matrix()}},
		{"mean of nothing", device.Reduction{Input: matrix(3, 0), Axis: 1, Op: device.Mean}},
		{"mean of an empty vector", device.Reduction{Input: matrix(0), Op: device.Mean, KeepDim: true}},
		{"mean of nothing, no groups", device.Reduction{Input: matrix(0, 0), Axis: 0, Op: device.Mean}},
	} {
		refused(c.name, func(ctx context.Context, d device.Device) error {
			return shapeRefusal(d.Reduce(ctx, c.reduction))
		})
	}
	sound := device.Product{Left: matrix(2, 3), Right: matrix(3, 2)}
	refused("unknown precision", func(ctx context.Context, d device.Device) error {
		p := sound
		p.Precision = 200
		if err := refusal(d.Multiply(ctx, p)); err != nil {
			return err
		}
		return refusal(d.Reduce(ctx, device.Reduction{Input: p.Left, Precision: 200}))
	})
	refused("unknown reduction", func(ctx context.Context, d device.Device) error {
		return refusal(d.Reduce(ctx, device.Reduction{Input: sound.Left, Op: 200}))
	})

	// Whatever the operands: even an empty product of a context that is done
	// is refused.
	for _, c := range []struct {
		name string
		want error
		done func(context.Context) (context.Context, context.CancelFunc)
	}{
		{"cancelled", context.Canceled, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}},
		{"past its deadline", context.DeadlineExceeded, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, time.Unix(1, 0))
		}},
	} {
		refused(c.name, func(ctx context.Context, d device.Device) error {
			done, cancel := c.done(ctx)
			defer cancel()
			for _, p := range []device.Product{sound, {Left: matrix(0, 3), Right: matrix(3, 0)}} {
				out, stats, err := d.Multiply(done, p)
				if wrong := refusal(out, stats, err); wrong != nil {
					return wrong
				}
				if !errors.Is(err, c.want) {
					return fmt.Errorf("the product ended with %w, expected %w", err, c.want)
				}
			}
			out, stats, err := d.Reduce(done, device.Reduction{Input: sound.Left, Axis: 1})
			if wrong := refusal(out, stats, err); wrong != nil {
				return wrong
			}
			if !errors.Is(err, c.want) {
				return fmt.Errorf("the sum ended with %w, expected %w", err, c.want)
			}
			return nil
		})
	}
	return cases
}

// concurrencyCases run eight goroutines, each with requests of its own, some of
// them the same.
func concurrencyCases() []Case {
	const goroutines, rounds = 8, 6
	return []Case{{Name: "eight goroutines", Run: func(ctx context.Context, d device.Device) error {
		shared := newSource("eight goroutines")
		left, right := dense(shared.ordinary, 17, 33), dense(shared.ordinary, 33, 9)
		failures := make([]error, goroutines)
		var group sync.WaitGroup
		for g := range goroutines {
			group.Go(func() {
				defer func() {
					if r := recover(); r != nil {
						failures[g] = fmt.Errorf("goroutine %d: the device panicked: %v", g, r)
					}
				}()
				s := newSource(fmt.Sprintf("goroutine %d", g))
				precision := device.Precisions[g%len(device.Precisions)]
				own := device.Product{Left: dense(s.ordinary, 5+g, 40), Right: dense(s.ordinary, 40, 31-g), Precision: precision}
				for range rounds {
					for _, run := range []func() error{
						func() error { return multiply(ctx, d, device.Product{Left: left, Right: right}) },
						func() error { return multiply(ctx, d, own) },
						func() error {
							return reduce(ctx, d, device.Reduction{Input: own.Left, Axis: 1, Op: device.Mean, Precision: precision})
						},
					} {
						if err := run(); err != nil {
							failures[g] = fmt.Errorf("goroutine %d: %w", g, err)
							return
						}
					}
				}
			})
		}
		group.Wait()
		return errors.Join(failures...)
	}}}
}
