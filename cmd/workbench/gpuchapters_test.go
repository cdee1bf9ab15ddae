package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
)

// played is a CPU that calls itself a GPU, and may get the last bit of one
// product's first value wrong.
type played struct {
	device.Device
	spec device.Spec
	flip bool
}

func (d played) Spec() device.Spec { return d.spec }

func (d played) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	out, _, err := d.Device.Multiply(ctx, p)
	if err == nil && d.flip && out.Len() > 0 {
		out.Data()[0] = math.Float64frombits(math.Float64bits(out.Data()[0]) ^ 1)
	}
	return out, device.Stats{Requests: 1}, err
}

func (d played) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(d.Sequence(ctx, []*launch.Launch{l}))
}

func (d played) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	results, err := engine.Emulator(launch.Watch{}).Sequence(ctx, launches)
	if err == nil && d.flip {
		for _, b := range results[len(results)-1].Buffers {
			if len(b) > 0 {
				b[0] ^= 1
			}
		}
	}
	return results, err
}

func TestChaptersOnAGPU(t *testing.T) {
	gpu := device.Spec{Kind: device.CUDA}
	with := func(flip bool) *program {
		return &program{open: func(ctx context.Context, name string) (device.Device, error) {
			spec, err := device.ParseSpec(name)
			if err != nil {
				return nil, err
			}
			d, err := engine.Open(ctx, device.Spec{Kind: device.CPU, Contract: spec.Contract}.String())
			if err != nil || spec.Kind == device.CPU {
				return d, err
			}
			return played{d, spec, flip}, nil
		}}
	}
	checks := with(false).chapterChecks(gpu)
	if len(checks) < 5 {
		t.Fatalf("%d chapters are checked", len(checks))
	}
	for _, c := range checks {
		folder := strings.TrimPrefix(c.Name, "chapters/")
		var said string
		err := with(false).checkChapter(t.Context(), gpu, folder, func(format string, args ...any) { said = fmt.Sprintf(format, args...) })
		if err != nil || !strings.Contains(said, "have the CPU's bits") {
			t.Errorf("%s: %v, %q", folder, err, said)
		}
		err = with(true).checkChapter(t.Context(), gpu, folder, func(string, ...any) {})
		if err == nil || !strings.Contains(err.Error(), "and the CPU's") {
			t.Errorf("%s with a wrong bit in every product: %v", folder, err)
		}
	}
}
