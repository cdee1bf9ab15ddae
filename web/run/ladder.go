package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"workbench/engine/device"
	"workbench/engine/ladder"
	"workbench/engine/launch"
)

// Ladder measures the product on a GPU; see Runner. One is measured at a time, on all
// GPUs together: two at once would time each other.
func (e *Engine) Ladder(ctx context.Context, name, precision string, size int, progress func(note string, done, total int)) (*ladder.Ladder, error) {
	spec, p, err := ladderQuery(name, precision, size)
	if err != nil {
		return nil, err
	}
	select {
	case e.measuring <- struct{}{}:
		defer func() { <-e.measuring }()
	default:
		progress("waiting for another measurement to end", 0, 0)
		select {
		case e.measuring <- struct{}{}:
			defer func() { <-e.measuring }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	own := device.Spec{Kind: device.CUDA, Ordinal: spec.Ordinal, Contract: device.Fused}
	d, err := e.device(ctx, own.String())
	if err != nil {
		return nil, err
	}
	kernels, ok := d.(launch.Launcher)
	if !ok {
		return nil, noLadder(spec)
	}
	on := ladder.On{Kernels: kernels, Device: device.NameOf(d)}
	own.Library = true
	on.Library, err = e.device(ctx, own.String())
	if missing := (*device.UnavailableError)(nil); errors.As(err, &missing) {
		on.Library, on.Missing = nil, missing.Reason
	} else if err != nil {
		return nil, err
	}
	l, err := ladder.Measure(ctx, on, p, size, progress)
	if err != nil {
		return nil, Ended(ctx, err)
	}
	return l, nil
}

// ladderQuery checks what is asked for.
func ladderQuery(name, precision string, size int) (device.Spec, device.Precision, error) {
	spec, err := device.ParseSpec(name)
	if err != nil {
		return spec, 0, err
	}
	if spec.Kind != device.CUDA {
		return spec, 0, noLadder(spec)
	}
	i := slices.IndexFunc(ladder.Precisions, func(p device.Precision) bool { return p.String() == precision })
	if i < 0 {
		return spec, 0, &Failure{Code: CodeInput, Field: "precision", Message: fmt.Sprintf("The versions multiply in %v.", ladder.Precisions)}
	}
	if !ladder.Fits(size) {
		return spec, 0, &Failure{Code: CodeInput, Field: "size", Message: fmt.Sprintf("The size must be a multiple of 64, and at most %d.", ladder.Largest)}
	}
	return spec, ladder.Precisions[i], nil
}

func noLadder(spec device.Spec) *Failure {
	return &Failure{Code: CodeDevice, Field: "device", Message: fmt.Sprintf("%s has no speed to measure here: what is measured is that of a GPU.", spec), Next: "Choose a GPU."}
}
