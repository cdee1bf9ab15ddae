package run_test

import (
	"context"
	"strings"
	"testing"

	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/ladder"
	"workbench/engine/launch"
	"workbench/engine/tensor"
	"workbench/web/run"
	"workbench/web/run/runtest"
)

// player is a GPU that is the emulator, with times.
type player struct {
	device.Device
	launch.Launcher
	flip bool // a bit of the tiled version's result
}

func (p player) Name() string { return runtest.GPUName }

func (p player) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	var all []*launch.Result
	symbol := launches[0].Kernel.Symbol
	out := make([]byte, len(launches[0].Args[2].Buffer.Data)) // of the addition, which nobody checks
	if strings.HasPrefix(symbol, "matmul_") {
		r, err := p.Launcher.Launch(ctx, launches[0])
		if err != nil {
			return nil, err
		}
		out = r.Buffers[2]
	}
	if p.flip && symbol == "matmul_tiled_f64" {
		out[0] ^= 1
	}
	for range launches {
		all = append(all, &launch.Result{Buffers: [][]byte{nil, nil, out, nil}, Cost: launch.Cost{KernelNS: 4096}})
	}
	return all, nil
}

func (p player) Multiply(ctx context.Context, q device.Product) (*tensor.Tensor, device.Stats, error) {
	out, stats, err := p.Device.Multiply(ctx, q)
	stats.KernelNS = 2048
	return out, stats, err
}

// A ladder is measured on a GPU alone, with its library or without, and not where a
// result is wrong.
func TestLadder(t *testing.T) {
	var opened []string
	measure := func(spec, precision string, size int, flip, without bool) (*ladder.Ladder, error) {
		opened = nil
		r := run.NewEngine(func(ctx context.Context, name string) (device.Device, error) {
			opened = append(opened, name)
			spec, err := device.ParseSpec(name)
			if err == nil && spec.Library && without {
				err = runtest.Unavailable(spec)
			}
			if err != nil {
				return nil, err
			}
			inner, err := engine.Open(ctx, "cpu,fused")
			return player{inner, engine.Emulator(launch.Watch{Unchecked: launch.ReportKinds, Unmeasured: true}), flip}, err
		}, nil, nil)
		defer func() { _ = r.Close() }()
		return r.Ladder(t.Context(), spec, precision, size, func(string, int, int) {})
	}

	l, err := measure("cuda:0", "float64", 64, false, false)
	if err != nil {
		t.Fatal(err)
	}
	if l.Device != runtest.GPUName || len(l.Rungs) != 4 || l.Rungs[0].Speed != 128 || l.Rungs[0].Ratio != 0.5 || l.Rungs[3].Speed != 256 {
		t.Errorf("the ladder is %+v", l)
	}
	if got := strings.Join(opened, " "); got != "cuda:0,fused cuda:0,library" {
		t.Errorf("opened were %s", got)
	}

	for _, c := range []struct {
		spec, precision string
		size            int
		flip, without   bool
		code            run.Code
		field           string
	}{
		{spec: "emulator", precision: "float64", size: 64, code: run.CodeDevice, field: "device"},
		{spec: "cpu", precision: "float64", size: 64, code: run.CodeDevice, field: "device"},
		{spec: "gpu", precision: "float64", size: 64, code: run.CodeDevice, field: "device"},
		{spec: "cuda:0", precision: "float16", size: 64, code: run.CodeInput, field: "precision"},
		{spec: "cuda:0", precision: "float64", size: 65, code: run.CodeInput, field: "size"},
		{spec: "cuda:0", precision: "float64", size: 8192, code: run.CodeInput, field: "size"},
		{spec: "cuda:0", precision: "float64", size: 64, flip: true, code: run.CodeFault},
		{spec: "cuda:0", precision: "float64", size: 64, without: true},
	} {
		l, err := measure(c.spec, c.precision, c.size, c.flip, c.without)
		switch {
		case c.code == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.code == "" && (len(l.Rungs) != 3 || l.Missing != "no driver was found"):
			t.Errorf("%+v: %+v", c, l)
		case c.code != "" && err == nil:
			t.Errorf("%+v is measured", c)
		case c.code != "":
			if f := run.Describe(err); f.Code != c.code || f.Field != c.field {
				t.Errorf("%+v: %+v", c, f)
			}
		}
	}
}
