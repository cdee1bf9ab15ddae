package device

import (
	"context"
	"errors"
	"math"
	"sync"

	"workbench/engine/tensor"
)

// Stats counts the completed device work of a run. The counters say nothing of
// bus traffic, occupancy or overlap, and saturate instead of wrapping. The CPU
// reports zeros: it is the host. The times are nanoseconds of the host's clock,
// around the copies and, on the emulator, around the launch; a GPU times its kernels
// itself, by events.
type Stats struct {
	Requests  int64 `json:"requests"`   // completed matrix-product requests
	Launches  int64 `json:"launches"`   // kernels launched for them; a library's own are not seen and count one a request
	BytesIn   int64 `json:"bytes_in"`   // logical bytes copied to the device
	BytesOut  int64 `json:"bytes_out"`  // logical bytes copied back
	CopyInNS  int64 `json:"copy_in_ns"` // spent copying in
	KernelNS  int64 `json:"kernel_ns"`  // spent by kernels
	CopyOutNS int64 `json:"copy_out_ns"`
}

// Add returns the sum of both, each counter at most math.MaxInt64.
func (s Stats) Add(t Stats) Stats {
	return Stats{
		Requests:  saturate(s.Requests, t.Requests),
		Launches:  saturate(s.Launches, t.Launches),
		BytesIn:   saturate(s.BytesIn, t.BytesIn),
		BytesOut:  saturate(s.BytesOut, t.BytesOut),
		CopyInNS:  saturate(s.CopyInNS, t.CopyInNS),
		KernelNS:  saturate(s.KernelNS, t.KernelNS),
		CopyOutNS: saturate(s.CopyOutNS, t.CopyOutNS),
	}
}

func saturate(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Run is one run on one device: it passes requests on and adds up what they
// cost. A failed request adds nothing; the error of one that a cancelled context
// stopped is the context's cause. A Run may be used by several goroutines.
type Run struct {
	device Device

	mu    sync.Mutex
	stats Stats // guarded by mu
}

// NewRun starts a run on an opened device.
func NewRun(d Device) *Run { return &Run{device: d} }

// Spec returns the name of the run's device.
func (r *Run) Spec() Spec { return r.device.Spec() }

// Stats returns what the run has completed until now.
func (r *Run) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// Multiply runs p on the run's device.
func (r *Run) Multiply(ctx context.Context, p Product) (*tensor.Tensor, error) {
	out, stats, err := r.device.Multiply(ctx, p)
	if err != nil {
		return nil, CauseOf(ctx, err)
	}
	r.count(stats)
	return out, nil
}

// Reduce runs q on the run's device.
func (r *Run) Reduce(ctx context.Context, q Reduction) (*tensor.Tensor, error) {
	out, stats, err := r.device.Reduce(ctx, q)
	if err != nil {
		return nil, CauseOf(ctx, err)
	}
	r.count(stats)
	return out, nil
}

// CauseOf returns err, or the cause of a cancellation that stopped the request:
// who cancelled can say why, and the device knows only that someone did.
func CauseOf(ctx context.Context, err error) error {
	if done := ctx.Err(); done != nil && errors.Is(err, done) {
		return context.Cause(ctx)
	}
	return err
}

// Matmul is Multiply in float64 with nothing transposed.
func (r *Run) Matmul(ctx context.Context, left, right tensor.View) (*tensor.Tensor, error) {
	return r.Multiply(ctx, Product{Left: left, Right: right})
}

// SumAxis is the float64 sum along one axis.
func (r *Run) SumAxis(ctx context.Context, v tensor.View, axis int, keepDim bool) (*tensor.Tensor, error) {
	return r.Reduce(ctx, Reduction{Input: v, Axis: axis, KeepDim: keepDim, Op: Sum})
}

// MeanAxis is the float64 mean along one axis.
func (r *Run) MeanAxis(ctx context.Context, v tensor.View, axis int, keepDim bool) (*tensor.Tensor, error) {
	return r.Reduce(ctx, Reduction{Input: v, Axis: axis, KeepDim: keepDim, Op: Mean})
}

func (r *Run) count(s Stats) {
	r.mu.Lock()
	r.stats = r.stats.Add(s)
	r.mu.Unlock()
}
