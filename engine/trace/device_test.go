package trace_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"workbench/engine/cpu"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// open opens the CPU by its name, "cpu" or "cpu,fused".
func open(t testing.TB, name string) *cpu.Device {
	t.Helper()
	spec, err := device.ParseSpec(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := cpu.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// faulty is a device with a planted fault. It counts its requests from 1.
type faulty struct {
	device.Device
	spec     *device.Spec // in place of the device's, if set
	requests int
	fail     int      // request that fails; 0 for none
	flip     int      // request whose result is changed; 0 for none
	element  int      // of the result
	bit      int      // that is flipped
	spoil    *float64 // what it becomes instead, if set
	before   func()
	shapes   []string // of the requests' results
}

var errBroken = errors.New("the device broke down")

func (d *faulty) Spec() device.Spec {
	if d.spec != nil {
		return *d.spec
	}
	return d.Device.Spec()
}

func (d *faulty) admit() error {
	d.requests++
	if d.before != nil {
		d.before()
	}
	if d.requests == d.fail {
		return errBroken
	}
	return nil
}

func (d *faulty) finish(out *tensor.Tensor, stats device.Stats, err error) (*tensor.Tensor, device.Stats, error) {
	if err == nil {
		d.shapes = append(d.shapes, tensor.FormatShape(out.Shape()))
		if d.requests == d.flip {
			x := &out.Data()[d.element]
			*x = math.Float64frombits(math.Float64bits(*x) ^ 1<<d.bit)
			if d.spoil != nil {
				*x = *d.spoil
			}
		}
	}
	return out, stats, err
}

func (d *faulty) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	if err := d.admit(); err != nil {
		return nil, device.Stats{}, err
	}
	return d.finish(d.Device.Multiply(ctx, p))
}

func (d *faulty) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	if err := d.admit(); err != nil {
		return nil, device.Stats{}, err
	}
	return d.finish(d.Device.Reduce(ctx, r))
}

// gpu is a device that says of itself what a GPU does: a name, a spec, and what
// each request cost. No two requests cost the same, and its times differ from
// those of any other gpu. Like every device it counts nothing for an empty
// request.
type gpu struct {
	*cpu.Device
	costs *[]device.Stats
}

func openGPU(t testing.TB) gpu { return gpu{open(t, "cpu"), new([]device.Stats)} }

func (gpu) Name() string      { return "NVIDIA H200" }
func (gpu) Spec() device.Spec { return device.Spec{Kind: device.CUDA} }

func (d gpu) cost(in, out int) device.Stats {
	n := int64(len(*d.costs)) + 1
	s := device.Stats{Requests: 1, Launches: n, BytesIn: int64(8 * in), BytesOut: int64(8 * out), CopyInNS: 4000 + n, KernelNS: 6_000_000 + n, CopyOutNS: 5000 + n}
	*d.costs = append(*d.costs, s)
	return s
}

func (d gpu) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	out, _, err := d.Device.Multiply(ctx, p)
	if plan, bad := p.Plan(); bad != nil || plan.Empty() {
		return out, device.Stats{}, err
	}
	return out, d.cost(p.Left.Len()+p.Right.Len(), out.Len()), err
}

func (d gpu) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	out, _, err := d.Device.Reduce(ctx, r)
	return out, d.cost(r.Input.Len()+r.Input.Dim(r.Axis), out.Len()), err
}

// counted answers with statistics as a GPU does.
type counted struct{ device.Device }

func (d counted) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	out, _, err := d.Device.Multiply(ctx, p)
	return out, device.Stats{Requests: 1, Launches: 2, BytesIn: 16, BytesOut: 8}, err
}

func (d counted) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	out, _, err := d.Device.Reduce(ctx, r)
	return out, device.Stats{Requests: 1, Launches: 3, BytesIn: 32, BytesOut: 4}, err
}

// run runs an example from its JSON.
func run(t testing.TB, d interface {
	device.Device
	device.Explainer
}, example, input string) *trace.Trace {
	t.Helper()
	out, err := trace.Run(context.Background(), d, d, example, json.RawMessage(input))
	if err != nil {
		t.Fatalf("%s of %.200s: %v", example, input, err)
	}
	return out
}

// bits compare numbers with every bit, and any NaN with any other.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}
