package conform

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// model is a device made of the oracle's chains, and the faults that can be
// planted in it. It reads operands through the plans of package tensor, which
// the oracle does not.
type model struct {
	spec   device.Spec
	fault  fault
	closed atomic.Bool
	failed atomic.Bool

	mu      sync.Mutex
	cached  *tensor.Tensor // of fault.cache
	scratch atomic.Uint64  // of fault.racy
}

// fault is what a model does wrong.
type fault struct {
	bits func(q int, x float64) float64 // changes cell q of a result

	contract                              func(device.Contract) device.Contract
	reverse, split, skipZero, fromFirst   bool // the chain
	wide, narrow, twice                   bool // the formats
	reciprocal, roundFirst, forgetDivisor bool // the mean
	forgetRight, packed, firstBatch       bool // the operands
	scribble, cache, racy                 bool // memory
	noContext, partial, noClose, sticky   bool // requests
	deaf, torn, closeOnce                 bool
	meanOfNothing, anyPrecision, untyped  bool
	count, noCount, countEmpty, panics    bool
}

func opposite(c device.Contract) device.Contract { return 1 - c }

func newModel(spec device.Spec) *model { return &model{spec: spec} }

func (m *model) Spec() device.Spec { return m.spec }

func (m *model) Close() error {
	if m.closed.Swap(!m.fault.noClose) && m.fault.closeOnce {
		return errors.New("it is closed already")
	}
	return nil
}

func (m *model) contract() device.Contract {
	if m.fault.contract != nil {
		return m.fault.contract(m.spec.Contract)
	}
	return m.spec.Contract
}

// refuse returns the error of a request, dressed as the fault asks.
func (m *model) refuse(err error) (*tensor.Tensor, device.Stats, error) {
	m.failed.Store(true)
	if m.fault.untyped {
		err = errors.New(err.Error())
	}
	if m.fault.partial {
		return tensor.Must(tensor.New(2, 2)), device.Stats{}, err
	}
	return nil, device.Stats{}, err
}

func (m *model) admit(ctx context.Context, p device.Precision) error {
	switch {
	case m.closed.Load():
		return &device.ClosedError{Spec: m.spec}
	case m.fault.sticky && m.failed.Load():
		return errors.New("an earlier request failed")
	case !m.fault.anyPrecision && !slices.Contains(device.Precisions, p):
		return errors.New("unknown precision")
	case !m.fault.noContext:
		return ctx.Err()
	}
	return nil
}

func (m *model) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	if err := m.admit(ctx, p.Precision); err != nil {
		return m.refuse(err)
	}
	if m.fault.packed {
		p.Left, p.Right = pretendPacked(p.Left), pretendPacked(p.Right)
	}
	plan, err := p.Plan()
	if err != nil {
		return m.refuse(err)
	}
	if m.fault.forgetRight && plan.K == plan.N {
		p.TransposeRight = false
		if plan, err = p.Plan(); err != nil {
			return m.refuse(err)
		}
	}
	out := tensor.Must(tensor.New(plan.OutputShape()...))
	for q := range out.Data() {
		b, i, j := q/(plan.M*plan.N), q/plan.N%plan.M, q%plan.N
		if m.fault.firstBatch {
			b = 0
		}
		if err := ctx.Err(); j == 0 && err != nil && !m.fault.noContext && !m.fault.deaf {
			return m.refuse(err)
		}
		if m.fault.torn && m.closed.Load() {
			break
		}
		left, right, err := plan.Operands(b, i, j)
		if err != nil {
			return m.refuse(err)
		}
		out.Data()[q] = m.value(q, left, right, p.Precision, 0)
	}
	return m.finish(out, !plan.Empty(), p.Left)
}

func (m *model) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	if err := m.admit(ctx, r.Precision); err != nil {
		return m.refuse(err)
	}
	if r.Op > device.Mean {
		return m.refuse(errors.New("unknown reduction"))
	}
	plan, err := r.Plan()
	if err != nil && m.fault.meanOfNothing {
		plan, err = tensor.PlanAxis(r.Input, r.Axis, r.KeepDim)
	}
	if err != nil {
		return m.refuse(err)
	}
	out := tensor.Must(tensor.New(plan.OutputShape()...))
	for g := range out.Data() {
		group, err := plan.Group(g)
		if err != nil {
			return m.refuse(err)
		}
		divisor := 0
		if r.Op == device.Mean {
			divisor = plan.K
		}
		out.Data()[g] = m.value(g, group, fill(plan.K, func() float64 { return 1 }), r.Precision, divisor)
	}
	return m.finish(out, !plan.Empty(), r.Input)
}

// finish plants the faults of memory and of statistics.
func (m *model) finish(out *tensor.Tensor, work bool, operand tensor.View) (*tensor.Tensor, device.Stats, error) {
	if m.fault.panics {
		panic("out of order")
	}
	if m.fault.scribble {
		operand.Storage()[0] = 1
	}
	var stats device.Stats
	gpu := m.spec.Kind != device.CPU && !m.fault.noCount
	if gpu && (work || m.fault.countEmpty) || m.fault.count {
		stats = device.Stats{Requests: 1, Launches: 1, BytesIn: 8, BytesOut: 8}
	}
	if m.fault.cache {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.cached != nil && m.cached.SameShape(out) && firstDifference(out.Data(), m.cached.Data()) < 0 {
			return m.cached, stats, nil
		}
		m.cached = out
	}
	return out, stats, nil
}

// value is one cell, with its chain as the fault has it.
func (m *model) value(q int, a, b []float64, p device.Precision, divisor int) float64 {
	f := m.fault
	if f.racy {
		// One cell's operand passes through a place all goroutines share.
		if len(a) == 33 {
			m.scratch.Store(math.Float64bits(a[0]))
			time.Sleep(time.Microsecond)
			a = slices.Clone(a)
			a[0] = math.Float64frombits(m.scratch.Load())
		}
	}
	if f.twice && p != device.Float64 {
		a, b = slices.Clone(a), slices.Clone(b)
		for k := range a {
			a[k], b[k] = float64(float32(a[k])), float64(float32(b[k]))
		}
	}
	if f.reverse {
		a, b = slices.Clone(a), slices.Clone(b)
		slices.Reverse(a)
		slices.Reverse(b)
	}
	last := m.last(a, b, p)
	if f.split && len(a) > 1 {
		half := len(a) / 2
		last = m.last(a[:half], b[:half], p) + m.last(a[half:], b[half:], p)
		if p != device.Float64 {
			last = float64(float32(last))
		}
	}
	if divisor != 0 {
		if f.roundFirst {
			last = nearest(last, p)
		}
		switch {
		case f.reciprocal && p == device.Float64:
			last *= 1 / float64(divisor)
		case f.reciprocal:
			last = float64(float32(last) * (1 / float32(divisor)))
		case p == device.Float64:
			last /= float64(divisor)
		default:
			last = float64(float32(last) / float32(divisor))
		}
	}
	x := nearest(last, p)
	if f.bits != nil {
		x = f.bits(q, x)
	}
	return x
}

// last is the last running sum of a chain.
func (m *model) last(a, b []float64, p device.Precision) float64 {
	f := m.fault
	if f.skipZero {
		var kept, other []float64
		for k := range a {
			if a[k] != 0 {
				kept, other = append(kept, a[k]), append(other, b[k])
			}
		}
		a, b = kept, other
	}
	if len(a) == 0 {
		return 0
	}
	if f.fromFirst && len(a) == 1 {
		return nearest(float64(a[0]*b[0]), p)
	}
	if f.fromFirst && a[0]*b[0] == 0 && allZero(a, b) {
		return math.Copysign(0, -1)
	}
	if f.wide && p != device.Float64 {
		sum := 0.0
		for k := range a {
			sum = float64(nearest(a[k], p)*nearest(b[k], p)) + sum
		}
		return float64(float32(sum))
	}
	if f.narrow && (p == device.Float16 || p == device.BFloat16) {
		sum := 0.0
		for k := range a {
			sum = nearest(nearest(float64(nearest(a[k], p)*nearest(b[k], p)), p)+sum, p)
		}
		return sum
	}
	sums := chain(a, b, p, m.contract())
	return sums[len(sums)-1]
}

// allZero reports that every product is −0.
func allZero(a, b []float64) bool {
	for k := range a {
		if x := float64(a[k] * b[k]); x != 0 || !math.Signbit(x) {
			return false
		}
	}
	return true
}

// pretendPacked reads a view's storage as if it were contiguous, from its offset
// or from as near to it as the storage allows.
func pretendPacked(v tensor.View) tensor.View {
	offset := min(v.Offset(), len(v.Storage())-v.Len())
	packed, err := tensor.NewView(v.Storage(), max(offset, 0), v.Shape(), rowMajor(v.Shape()))
	if err != nil {
		return v
	}
	return packed
}

func (m *model) Explain(ctx context.Context, p device.Precision, left, right []float64) (device.Chain, error) {
	return m.explain(ctx, p, left, right, 0)
}

func (m *model) ExplainMean(ctx context.Context, p device.Precision, values []float64) (device.Chain, error) {
	if len(values) == 0 {
		return device.Chain{}, &tensor.ShapeError{Op: "explain mean", Left: []int{0}, Reason: "is empty"}
	}
	divisor := len(values)
	if m.fault.forgetDivisor {
		divisor = 0
	}
	return m.explain(ctx, p, values, fill(len(values), func() float64 { return 1 }), divisor)
}

func (m *model) explain(ctx context.Context, p device.Precision, left, right []float64, divisor int) (device.Chain, error) {
	if err := m.admit(ctx, p); err != nil {
		_, _, err = m.refuse(err)
		return device.Chain{}, err
	}
	if len(left) != len(right) {
		return device.Chain{}, &tensor.ShapeError{Op: "explain", Left: []int{len(left)}, Right: []int{len(right)}, Reason: "differ"}
	}
	out := device.Chain{Device: m.spec, Precision: p, Sums: chain(left, right, p, m.contract())}
	for k := range left {
		a, b := nearest(left[k], p), nearest(right[k], p)
		out.Left, out.Right = append(out.Left, a), append(out.Right, b)
		product := float64(a * b)
		if p != device.Float64 {
			product = float64(float32(product))
		}
		out.Products = append(out.Products, product)
	}
	out.Result, _ = cell(left, right, p, m.contract(), divisor)
	return out, nil
}
