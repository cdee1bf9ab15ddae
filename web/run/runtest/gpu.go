package runtest

import (
	"context"
	"errors"
	"sync/atomic"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// GPUName is what the GPU of a test is called.
const GPUName = "NVIDIA T39"

// Unavailable is the error of a device that is not there, with the places where
// its driver was looked for.
func Unavailable(spec device.Spec) *device.UnavailableError {
	return &device.UnavailableError{
		Spec: spec, Reason: "no driver was found", Next: "install one",
		Tried: []string{"libcuda.so.1: no such file", "/usr/lib/wsl/lib/libcuda.so.1: no such file"},
	}
}

// cost is what each request of a GPU says that it cost.
var cost = device.Stats{Requests: 1, Launches: 1, BytesIn: 96, BytesOut: 32, CopyInNS: 4100, KernelNS: 6200, CopyOutNS: 5000}

// onDevice gives a trace that was asked of a GPU the GPU's name, and its
// requests what they cost.
func onDevice(t *trace.Trace) *trace.Trace {
	if spec, err := device.ParseSpec(t.Device); err != nil || spec.Kind != device.CUDA {
		return t
	}
	t.DeviceName = GPUName
	for i := range t.Steps {
		if s := &t.Steps[i]; s.Op == "matmul" || s.Reduction != nil {
			stats := cost
			s.Stats = &stats
			t.Stats = t.Stats.Add(stats)
		}
	}
	return t
}

// A GPU is a device that says of itself what a GPU does: a name, a spec, and what
// each request cost. Its numbers are those of the device that it is made of.
type GPU struct {
	device.Device
	As device.Spec

	// Fail, if it has an error, is what requests end with.
	Fail *atomic.Pointer[error]
}

func (g GPU) Name() string      { return GPUName }
func (g GPU) Spec() device.Spec { return g.As }

func (g GPU) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	if err := g.fails(); err != nil {
		return nil, device.Stats{}, err
	}
	out, _, err := g.Device.Multiply(ctx, p)
	if plan, bad := p.Plan(); err != nil || bad != nil || plan.Empty() {
		return out, device.Stats{}, err
	}
	return out, cost, nil
}

func (g GPU) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	if err := g.fails(); err != nil {
		return nil, device.Stats{}, err
	}
	out, _, err := g.Device.Reduce(ctx, r)
	if plan, bad := r.Plan(); err != nil || bad != nil || plan.Empty() {
		return out, device.Stats{}, err
	}
	return out, cost, nil
}

func (g GPU) fails() error {
	if g.Fail == nil {
		return nil
	}
	if err := g.Fail.Load(); err != nil {
		return *err
	}
	return nil
}

// A Fault is a way in which a GPU fails, by the name that the course has for it.
type Fault struct {
	Name string
	Err  error
	Says []string // of what went wrong, why and what to do: each on the page
}

// Faults are a fault of each kind, of one device.
func Faults(spec device.Spec) []Fault {
	missing := func(reason, next string, tried ...string) error {
		return &device.UnavailableError{Spec: spec, Reason: reason, Next: next, Tried: tried}
	}
	failed := func(fault device.Fault, detail, next string) error {
		return &device.FaultError{Spec: spec, Fault: fault, Detail: detail, Next: next}
	}
	const again = "run it again: the next request starts anew"
	name := spec.String()
	return []Fault{
		{"no driver", missing("no NVIDIA driver is installed", "install the driver", "libcuda.so.1: cannot open shared object file"),
			[]string{name + " is not available: no NVIDIA driver is installed", "Install the driver", "libcuda.so.1: cannot open shared object file"}},
		{"driver too old for the PTX", missing("the driver knows CUDA 11.4, and the course's kernels need 11.8", "install a driver of version 520 or newer"),
			[]string{"the driver knows CUDA 11.4", "Install a driver of version 520 or newer"}},
		{"driver too old for the library", missing("the driver knows CUDA 12.2, and the cuBLAS that was found is of CUDA 13", "install a newer driver, or cuBLAS 12"),
			[]string{"the cuBLAS that was found is of CUDA 13", "Install a newer driver, or cuBLAS 12"}},
		{"library missing", missing("cuBLAS was not found", "install it, or choose cuda:0,fused", "libcublas.so.13: not there", "/usr/local/cuda/lib64/libcublas.so.13: not there"),
			[]string{"cuBLAS was not found", "Install it", "/usr/local/cuda/lib64/libcublas.so.13: not there"}},
		{"no such ordinal", missing("there is no GPU 7: there are 0 (NVIDIA T39)", "choose cuda:0"),
			[]string{"there is no GPU 7", "Choose cuda:0"}},
		{"out of memory", &device.MemoryError{Spec: spec, Asked: 3 << 30, Free: 1 << 30, Reserve: 512 << 20},
			[]string{name + " is out of memory: the request needs 3.0 GiB more, 1.0 GiB is free", "Make the shapes smaller"}},
		{"kernel does not compile", &launch.CompileError{File: "matmul.cu", Diagnostics: []launch.Diagnostic{
			{Line: 12, Severity: "error", Message: `identifier "flaot" is undefined`, Source: "flaot sum = 0;"}}},
			[]string{`matmul.cu does not compile: line 12: identifier "flaot" is undefined`, "Mend the source", "flaot sum = 0;"}},
		{"illegal address", failed(device.IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", again),
			[]string{name + " failed in this request: illegal address: CUDA_ERROR_ILLEGAL_ADDRESS", "Run it again"}},
		{"launch failure", failed(device.LaunchFailure, "CUDA_ERROR_LAUNCH_FAILED", again),
			[]string{"launch failure: CUDA_ERROR_LAUNCH_FAILED", "Run it again"}},
		{"time limit", failed(device.TimeLimit, "the kernel ran for more than 10 s", "make it end sooner"),
			[]string{"time limit: the kernel ran for more than 10 s", "Make it end sooner"}},
		{"worker killed", failed(device.WorkerEnded, "the process that owned the GPU was killed", again),
			[]string{"worker ended: the process that owned the GPU was killed", "Run it again"}},
		{"driver failure", errors.Join(failed(device.DriverFailure, "cuMemcpyHtoD_v2: CUDA_ERROR_UNKNOWN (999)", again)),
			[]string{"driver failure: cuMemcpyHtoD_v2: CUDA_ERROR_UNKNOWN (999)", "Run it again"}},
		{"launch that does not fit", &launch.ArgumentError{Symbol: "matmul_naive_f64", Field: "block", Reason: "has 2048 threads, and 1024 are the most"},
			[]string{"the launch of matmul_naive_f64 does not fit: has 2048 threads"}},
	}
}
