package check

import (
	"context"
	"fmt"
	"sync"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// statisticsEntries hold what a run says it cost against what it must have.
func statisticsEntries() []Entry {
	return []Entry{
		{Group: "statistics", Name: "statistics/three tiny operations", Quick: true, run: countTiny},
		{Group: "statistics", Name: "statistics/decoder", Quick: true, run: countDecoder},
		{Group: "statistics", Name: "statistics/empty requests cost nothing", Quick: true, run: countEmpty},
		{Group: "statistics", Name: "statistics/times", Quick: true, run: countTimes},
	}
}

// specs are the ways in which the GPU multiplies here.
func (m *Machine) specs(ctx context.Context, f *Findings) []device.Spec {
	specs := []device.Spec{m.spec(device.Separate), m.spec(device.Fused)}
	if err := m.blas(ctx); err != nil {
		f.saw("without the library: %v", err)
		return specs
	}
	return append(specs, m.library())
}

// counted is the part of statistics that does not depend on a clock.
func counted(s device.Stats) device.Stats {
	s.CopyInNS, s.KernelNS, s.CopyOutNS = 0, 0, 0
	return s
}

// tiny are the product, the sums and the means of the first two chapters.
func tiny(p device.Precision) []request {
	a := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)).View()
	w := tensor.Must(tensor.FromSlice([]float64{7, 8, 9, 10, 11, 12}, 3, 2)).View()
	return []request{
		{name: "the product 2×3·3×2", product: &device.Product{Left: a, Right: w, Precision: p}},
		{name: "the sums of 2×3", reduction: &device.Reduction{Input: a, Axis: 1, Precision: p}},
		{name: "the means of 2×3", reduction: &device.Reduction{Input: a, Axis: 1, Op: device.Mean, Precision: p}},
	}
}

func countTiny(ctx context.Context, m *Machine, f *Findings) error {
	for _, spec := range m.specs(ctx, f) {
		gpu, err := m.Worker(ctx, spec)
		if err != nil {
			return err
		}
		defer gpu.Close()
		for _, p := range device.Precisions {
			size := int64(p.Size())
			// 12 operands of the product; 6 of each reduction, and 3 ones.
			want := device.Stats{Requests: 3, Launches: 3, BytesIn: size * (12 + 9 + 9), BytesOut: size * (4 + 2 + 2)}
			var total device.Stats
			for _, r := range tiny(p) {
				_, stats, err := r.run(ctx, gpu)
				if err != nil {
					return err
				}
				total = total.Add(stats)
			}
			if counted(total) != want {
				return fmt.Errorf("%s in %s: the three operations cost %+v, expected %+v", spec, p, counted(total), want)
			}
		}
	}
	f.saw("in float64 3 requests, 240 bytes in and 64 bytes out, and in proportion in the other precisions")
	return nil
}

// spy counts what its device is asked for, from the checked shapes of the
// requests alone.
type spy struct {
	device.Device

	mu       sync.Mutex
	products int
	sums     int
	want     device.Stats // guarded by mu, as are the counts
}

func (s *spy) count(p device.Precision, left, right, out int, product bool) {
	size := int64(p.Size())
	s.mu.Lock()
	defer s.mu.Unlock()
	if product {
		s.products++
	} else {
		s.sums++
	}
	s.want = s.want.Add(device.Stats{Requests: 1, Launches: 1, BytesIn: size * int64(left+right), BytesOut: size * int64(out)})
}

func (s *spy) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	if plan, err := p.Plan(); err == nil && !plan.Empty() {
		s.count(p.Precision, plan.B*plan.M*plan.K, plan.B*plan.K*plan.N, plan.B*plan.M*plan.N, true)
	}
	return s.Device.Multiply(ctx, p)
}

func (s *spy) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	if plan, err := r.Plan(); err == nil && !plan.Empty() {
		s.count(r.Precision, plan.G*plan.K, plan.K, plan.G, false)
	}
	return s.Device.Reduce(ctx, r)
}

// countDecoder holds the fixture's statistics against the requests that its
// graph makes of the CPU, and their number against the model's shape.
func countDecoder(ctx context.Context, m *Machine, f *Findings) error {
	for _, model := range decoders() {
		for _, p := range []device.Precision{device.Float64, device.Float32} {
			in := model.input
			in.Precision = p.String()
			cpu, gpu, close, err := m.pair(ctx, m.spec(device.Separate))
			if err != nil {
				return err
			}
			defer close()
			asked := &spy{Device: cpu}
			if _, err := trace.Results(ctx, asked, in); err != nil {
				return err
			}
			r, err := trace.Results(ctx, gpu, in)
			if err != nil {
				return err
			}
			if counted(r.Stats) != asked.want {
				return fmt.Errorf("%s in %s: the run cost %+v, expected %+v from the requests of its graph", model.name, p, counted(r.Stats), asked.want)
			}
			// Forward 9 products a block and the logits', backward two for each
			// of them. Forward 3 reductions a block, one of the last norm and two
			// of the loss; backward two of each norm and one of each softmax. And
			// the three tiny operations.
			blocks := in.Config().Blocks
			products, sums := 3*(9*blocks+1)+1, 3*blocks+1+2+2*(2*blocks+1)+blocks+2
			if asked.products != products || asked.sums != sums {
				return fmt.Errorf("%s: %d products and %d reductions were asked for, expected %d and %d from the model's shape", model.name, asked.products, asked.sums, products, sums)
			}
			if model.name == "fixture" && p == device.Float64 {
				f.saw("the fixture: %d products and %d reductions, %d bytes in, %d out, as its graph asks for", products, sums, r.Stats.BytesIn, r.Stats.BytesOut)
			}
		}
	}
	return nil
}

func countEmpty(ctx context.Context, m *Machine, f *Findings) error {
	n := 0
	for _, spec := range m.specs(ctx, f) {
		gpu, err := m.Worker(ctx, spec)
		if err != nil {
			return err
		}
		defer gpu.Close()
		s := newSource("empty")
		for _, shape := range [][3]int{{0, 3, 2}, {2, 0, 2}, {2, 3, 0}, {0, 0, 0}} {
			r := request{name: fmt.Sprintf("the product %d×%d×%d", shape[0], shape[1], shape[2]), product: &device.Product{Left: s.matrix(shape[0], shape[1]), Right: s.matrix(shape[1], shape[2])}}
			out, stats, err := r.run(ctx, gpu)
			if err != nil {
				return err
			}
			if stats != (device.Stats{}) {
				return fmt.Errorf("%s cost %+v, and has nothing to compute", r.name, stats)
			}
			for _, x := range out.Data() {
				if x != 0 {
					return fmt.Errorf("%s contains %v, expected zeros", r.name, x)
				}
			}
			n++
		}
		r := request{name: "the sum of an empty axis", reduction: &device.Reduction{Input: s.matrix(3, 0), Axis: 1}}
		out, stats, err := r.run(ctx, gpu)
		if err != nil {
			return err
		}
		if stats != (device.Stats{}) || out.Len() != 3 || out.At(0) != 0 || out.At(1) != 0 || out.At(2) != 0 {
			return fmt.Errorf("%s is %v and cost %+v, expected three zeros at no cost", r.name, out.Data(), stats)
		}
		n++
		r = request{name: "the mean of an empty axis", reduction: &device.Reduction{Input: s.matrix(3, 0), Axis: 1, Op: device.Mean}}
		if _, stats, err := r.run(ctx, gpu); err == nil || stats != (device.Stats{}) {
			return fmt.Errorf("%s ended with %v and cost %+v, expected an error at no cost", r.name, err, stats)
		}
		n++
	}
	f.saw("%d empty requests, no work", n)
	return nil
}

// countTimes checks that a run's time is split, and that the parts are no more
// than the whole.
func countTimes(ctx context.Context, m *Machine, f *Findings) error {
	gpu, err := m.Worker(ctx, m.spec(device.Separate))
	if err != nil {
		return err
	}
	defer gpu.Close()
	s := newSource("times")
	n := 512
	if m.small {
		n = 32
	}
	r := request{name: fmt.Sprintf("the product %d³", n), product: &device.Product{Left: s.matrix(n, n), Right: s.matrix(n, n)}}
	took, err := repeat(3, func() error {
		_, stats, err := r.run(ctx, gpu)
		if err != nil {
			return err
		}
		if stats.CopyInNS <= 0 || stats.KernelNS <= 0 || stats.CopyOutNS <= 0 {
			return fmt.Errorf("%s says of its time %+v: a part is missing", r.name, stats)
		}
		f.details = []string{fmt.Sprintf("%s in float64: copy in %s, GPU %s, copy out %s", r.name, device.Duration(stats.CopyInNS), device.Duration(stats.KernelNS), device.Duration(stats.CopyOutNS))}
		return nil
	})
	if err != nil {
		return err
	}
	f.saw("%s in all, seen from outside", device.Duration(int64(took.median()*1e3)))
	return nil
}
