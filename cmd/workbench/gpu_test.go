package main

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"workbench/engine"
	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/trace"
	"workbench/web/run/runtest"
)

// withGPU is a program whose CUDA devices are there, and fail if fail holds an
// error.
func withGPU(fail *atomic.Pointer[error]) func(p *program) {
	return func(p *program) {
		p.open = func(ctx context.Context, name string) (device.Device, error) {
			spec, err := device.ParseSpec(name)
			if err != nil || spec.Kind != device.CUDA {
				return engine.Open(ctx, name)
			}
			inner, err := engine.Open(ctx, device.Spec{Kind: device.CPU, Contract: spec.Contract}.String())
			return runtest.GPU{Device: inner, As: spec, Fail: fail}, err
		}
	}
}

// A GPU's results have its name, and say what they cost and how long it took;
// the CPU's say neither.
func TestResultsOfAGPU(t *testing.T) {
	// 3 tiny operations, and 57 products and 21 reductions of the decoder.
	const work = "81 products, 81 launches, 7776 bytes in, 2592 bytes out; copy in 332 µs, kernel 502 µs, copy out 405 µs"
	const one = "1 product, 1 launch, 96 bytes in, 32 bytes out; copy in 4.1 µs, kernel 6.2 µs, copy out 5.0 µs"
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"demo", "--device", "cuda:0"}, []string{"device      cuda:0, NVIDIA T39, float64\n", "device work " + work + "\n"}},
		{[]string{"demo"}, []string{"device      cpu, float64\n", "device work none: the CPU is the host\n"}},
		{[]string{"trace", "product", "--device", "cuda:0,fused"}, []string{"product on cuda:0,fused, NVIDIA T39 (fused, float64)", "device work: " + one + "\n", "       cost: " + one + "\n"}},
		{[]string{"compare", "cpu", "cuda:0"}, []string{"candidate  u of cuda:0, NVIDIA T39 (separate)\n", "criterion  u and c are equal in every bit\n", "bits       no bit may differ", "PASS: 2155 values are equal in every bit."}},
		{[]string{"compare", "cpu", "cuda:0,library", "--precision", "float32"}, []string{"candidate  u of cuda:0,library, NVIDIA T39 (fused, by a library)\n", "precision  float32\n", "behind cuda:0,library cuBLAS adds", "PASS: 2155 values lie within the allowed difference"}},
	} {
		o := callWith(t.Context(), withGPU(nil), "", c.args...)
		if o.status != statusOK {
			t.Errorf("%v: status %d, %s", c.args, o.status, o.stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("%v does not say %q:\n…%s", c.args, want, o.stdout[max(0, len(o.stdout)-600):])
			}
		}
	}

	o := callWith(t.Context(), withGPU(nil), "", "demo", "--device", "cuda:0", "--json")
	var result trace.Result
	if err := json.Unmarshal([]byte(o.stdout), &result); err != nil || result.DeviceName != "NVIDIA T39" || result.Stats.Requests != 81 || result.Stats.KernelNS != 81*6200 {
		t.Errorf("demo --json is of %q with %+v, %v", result.DeviceName, result.Stats, err)
	}
	o = callWith(t.Context(), withGPU(nil), "", "compare", "cpu", "cuda:0", "--json")
	var report compare.Report
	if err := json.Unmarshal([]byte(o.stdout), &report); err != nil || report.Made == nil || report.Made.Candidate.Name != "NVIDIA T39" {
		t.Errorf("compare --json is made by %+v, %v", report.Made, err)
	}
}

// Every fault of a GPU ends a command with what, why and what next, without half
// a result.
func TestFaultsOfAGPU(t *testing.T) {
	var fail atomic.Pointer[error]
	for _, fault := range runtest.Faults(device.Spec{Kind: device.CUDA}) {
		fail.Store(&fault.Err)
		for _, args := range [][]string{{"demo", "--device", "cuda:0"}, {"trace", "product", "--device", "cuda:0"}, {"compare", "cpu", "cuda:0"}} {
			o := callWith(t.Context(), withGPU(&fail), "", args...)
			if o.status != statusFailed || o.stdout != "" || !strings.Contains(o.stderr, fault.Err.Error()) || strings.Contains(o.stderr, "--help") {
				t.Errorf("%v after %s: status %d, %q, %q", args, fault.Name, o.status, o.stdout, o.stderr)
			}
		}
	}
}
