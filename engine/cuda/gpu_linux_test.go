package cuda

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"workbench/engine/conform"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// realGPU is a pool of workers on this machine's own GPU. Where there is none the
// test is skipped, or with COURSE_REQUIRE_GPU=1 failed.
func realGPU(t *testing.T, spec string) (*pool, *Device) {
	t.Helper()
	p := &pool{options: func(ordinal int) (worker.Options, error) {
		spec := device.Spec{Kind: device.CUDA, Ordinal: ordinal}
		return worker.Options{Spec: spec, Command: worker.Command{Args: []string{"worker", spec.String()}}, LaunchLimit: 2 * time.Second}, nil
	}}
	d, err := p.open(t.Context(), parse(t, spec))
	var missing *device.UnavailableError
	switch {
	case errors.As(err, &missing) && os.Getenv("COURSE_REQUIRE_GPU") != "1":
		t.Skipf("no GPU: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, d
}

func TestGPUConformance(t *testing.T) {
	for _, spec := range []string{"cuda:0", "cuda:0,fused", "cuda:0,library"} {
		t.Run(spec, func(t *testing.T) {
			_, d := realGPU(t, spec)
			conform.Run(context.Background(), d, func(name string, err error) {
				var skipped *conform.SkippedError
				if err != nil && !errors.As(err, &skipped) {
					t.Errorf("%s: %v", name, err)
				}
			})
		})
	}
}

// A kernel of a learner's that goes wrong costs its request.
func TestGPUFaults(t *testing.T) {
	_, d := realGPU(t, "cuda:0")
	for _, test := range []struct {
		symbol string
		args   []launch.Arg
		fault  device.Fault
	}{
		{"read_null", []launch.Arg{floats(1)}, device.IllegalAddress},
		{"write_outside", []launch.Arg{floats(1), integer(1)}, device.IllegalAddress},
		{"traps", nil, device.LaunchFailure},
		{"never_ends", nil, device.TimeLimit},
	} {
		_, err := d.Launch(t.Context(), kernel(test.symbol, test.args...))
		var fault *device.FaultError
		var missing *device.UnavailableError
		if errors.As(err, &missing) {
			t.Skipf("no kernel can be compiled: %v", err)
		}
		if !errors.As(err, &fault) || fault.Fault != test.fault {
			t.Errorf("%s: %v, want the fault %q", test.symbol, err, test.fault)
		}
		t.Log(err)
		if err := tinyProduct(t, t.Context(), d); err != nil {
			t.Errorf("after %s: %v", test.symbol, err)
		}
	}
	r, err := d.Launch(t.Context(), kernel("prints", integer(4)))
	if err != nil || r.Output == "" {
		t.Errorf("%+v, %v", r, err)
	}
}
