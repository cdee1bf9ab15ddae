package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
)

// Limits of what the workbench may cost beyond NVIDIA's calls.
const (
	inProcessLimit = 20.0  // µs a request
	workerLimit    = 150.0 // µs a request through the worker
	gemmLimit      = 1.05  // of a bare program's GPU time
)

// costEntries measure. Those whose figures have a limit fail beyond it.
func costEntries() []Entry {
	entries := []Entry{
		{Name: "cost/a request beside bare calls", Quick: true, limit: 2 * time.Minute, run: costOfRequest},
		{Name: "cost/cuBLAS beside a bare program", Quick: true, limit: 2 * time.Minute, run: costOfGemm},
		{Name: "cost/where the time goes", limit: 4 * time.Minute, run: timeSplit},
		{Name: "cost/bandwidth", run: bandwidth},
		{Name: "cost/start", Quick: true, limit: 2 * time.Minute, run: costOfStart},
	}
	for i := range entries {
		entries[i].Group = "cost"
	}
	return entries
}

// operands makes the packed operands of a product, in [-1, 1], and room for its
// result.
func operands(p session.Product) (left, right, out []byte, err error) {
	_, _, o, err := p.Sizes()
	if err != nil {
		return nil, nil, nil, err
	}
	s := newSource(fmt.Sprintf("operands %d %d %d", p.M, p.K, p.N))
	return p.Precision.AppendBytes(nil, s.values(p.B*p.M*p.K)), p.Precision.AppendBytes(nil, s.values(p.B*p.K*p.N)), make([]byte, o), nil
}

// costOfRequest makes the smallest product by bare calls, by a session in this
// process and through the worker, taking turns, so that what else the machine
// does meets all three.
func costOfRequest(ctx context.Context, m *Machine, f *Findings) error {
	turns, each := 40, 100
	if f.quick {
		turns, each = 10, 50
	}
	c, err := m.start(ctx, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	gpu, err := m.Worker(ctx, m.spec(device.Separate))
	if err != nil {
		return err
	}
	defer gpu.Close()
	direct, err := m.Direct(ctx, m.spec(device.Separate))
	if err != nil {
		return err
	}
	defer direct.Close()
	product := tiny(device.Float64)[0]

	left, right, out, err := operands(tinyProduct)
	if err != nil {
		return err
	}
	local, stop, err := m.pinnedPair()
	if err != nil {
		return err
	}
	defer stop()
	var bp *bareProduct
	if err := local(func(b *bare, _ *session.Session) (err error) {
		bp, err = b.kernel(tinyProduct)
		return err
	}); err != nil {
		return err
	}

	// Each way makes a turn of requests, over and over. What is this process's own
	// runs on the GPU's thread, the rest on a goroutine as any other.
	ways := []struct {
		name    string
		local   bool // to the thread that owns the session
		tensors bool // are what it takes and gives, and not packed bytes
		once    func(s *session.Session) error
		times   sample // of all requests
		cost    sample // of each turn, its median beyond that of the bare calls
	}{
		{name: "bare calls", local: true, once: func(*session.Session) error { _, err := bp.multiply(left, right, out); return err }},
		{name: "session", local: true, once: func(s *session.Session) error { _, err := s.Multiply(tinyProduct, left, right, out); return err }},
		{name: "in-process", tensors: true, once: func(*session.Session) error { _, _, err := product.run(ctx, direct); return err }},
		{name: "worker, packed bytes", once: func(*session.Session) error {
			_, err := c.Multiply(ctx, tinyProduct, func(l, r []byte) error {
				copy(l, left)
				copy(r, right)
				return nil
			}, func(o []byte) { copy(out, o) })
			return err
		}},
		{name: "worker", tensors: true, once: func(*session.Session) error { _, _, err := product.run(ctx, gpu); return err }},
	}
	var first []byte
	for range turns {
		base := 0.0
		for i := range ways {
			w := &ways[i]
			var turn sample
			clear(out)
			do := func(_ *bare, s *session.Session) (err error) {
				turn, err = repeat(each, func() error { return w.once(s) })
				return err
			}
			if w.local {
				err = local(do)
			} else {
				err = do(nil, nil)
			}
			if err != nil {
				return err
			}
			if i == 0 {
				base, first = turn.median(), bytes.Clone(out)
			} else if !w.tensors && !bytes.Equal(first, out) {
				return fmt.Errorf("%s gives % x, and bare calls % x: nothing was measured", w.name, out, first)
			}
			w.times, w.cost = append(w.times, turn...), append(w.cost, turn.median()-base)
		}
	}
	const at = "request/2×3×2/"
	for i, w := range ways {
		if i == 0 {
			f.figure(at+w.name, "µs", w.times, "")
			continue
		}
		f.figure(at+w.name, "µs", w.times, at+ways[0].name)
		f.figure(at+w.name+", beyond the calls", "µs", w.cost, "")
	}
	inProcess, throughWorker := ways[2], ways[4]
	f.saw("a request takes %.1f µs by bare calls, %.1f in-process and %.1f through the worker, tensors and all", ways[0].times.median(), inProcess.times.median(), throughWorker.times.median())
	return errors.Join(
		below("a request in-process, beyond the calls, in µs", inProcess.cost.median(), m.limit(inProcessLimit)),
		below("a request through the worker, beyond the calls, in µs", throughWorker.cost.median(), m.limit(workerLimit)))
}

// limit returns a limit as this machine is held to it: one whose GPU is played
// has other things to do.
func (m *Machine) limit(x float64) float64 {
	if m.slack == 0 {
		return x
	}
	return x * m.slack
}

// below holds a figure to its limit. A NaN is not below.
func below(what string, value, limit float64) error {
	if value <= limit {
		return nil
	}
	return fmt.Errorf("%s: %.4g, expected at most %.4g", what, value, limit)
}

// workspaceBytes is what cuBLAS allocates for itself on a GPU of compute
// capability 9.0 unless it is given something else (cuBLAS documentation,
// cublasSetWorkspace); 4 MiB are what it takes on older ones.
func workspaceBytes(d nvidia.Device) uint64 {
	if d.Major >= 9 {
		return 32 << 20
	}
	return 4 << 20
}

// costOfGemm holds a large product through a session against cublasDgemm in a
// bare program, both by the GPU's own events, and measures what a workspace would
// change.
func costOfGemm(ctx context.Context, m *Machine, f *Findings) error {
	if err := m.blas(ctx); err != nil {
		return err
	}
	n, turns := m.largest(), 15
	if f.quick {
		turns = 5
	}
	p := session.Product{B: 1, M: n, K: n, N: n, Contract: device.Fused, Library: true}
	var bareTimes, sessionTimes, workspaceTimes sample
	err := beside(m, func(b *bare, s *session.Session) (err error) {
		blas, err := m.Libraries.BLAS()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, blas.Close()) }()
		workspace, err := b.alloc(int(workspaceBytes(s.Device())))
		if err != nil {
			return err
		}
		bp, err := b.gemm(blas, p)
		if err != nil {
			return err
		}
		left, right, out, err := operands(p)
		if err != nil {
			return err
		}
		for turn := range turns + 1 {
			if err := blas.SetWorkspace(0, 0); err != nil {
				return err
			}
			plain, err := bp.multiply(left, right, out)
			if err != nil {
				return err
			}
			stats, err := s.Multiply(p, left, right, out)
			if err != nil {
				return err
			}
			if err := blas.SetWorkspace(workspace, workspaceBytes(s.Device())); err != nil {
				return err
			}
			with, err := bp.multiply(left, right, out)
			if err != nil {
				return err
			}
			if turn > 0 { // the first wakes everything up
				bareTimes, sessionTimes, workspaceTimes = append(bareTimes, plain*1e3), append(sessionTimes, float64(stats.KernelNS)/1e3), append(workspaceTimes, with*1e3)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("cublasDgemm/%d/", n)
	f.figure(name+"bare program", "µs", bareTimes, "")
	f.figure(name+"workbench", "µs", sessionTimes, name+"bare program")
	f.figure(name+"default workspace", "µs", workspaceTimes, "")
	f.figure(name+"no workspace", "µs", bareTimes, name+"default workspace")
	tflops := func(us float64) float64 { return 2 * float64(n) * float64(n) * float64(n) / us / 1e6 }
	f.saw("%d² in float64: %.1f TFLOP/s in a bare program, %.1f through the workbench, %.1f with a workspace", n, tflops(bareTimes.median()), tflops(sessionTimes.median()), tflops(workspaceTimes.median()))
	return below("the GPU time of cuBLAS through the workbench, as a share of a bare program's", sessionTimes.median()/bareTimes.median(), m.limit(gemmLimit))
}

// largest is the side of the largest product that is measured.
func (m *Machine) largest() int {
	if m.small {
		return 24
	}
	return 4096
}

// sides of the products whose time is split.
func (m *Machine) sides() []int {
	if m.small {
		return []int{8, 24}
	}
	return []int{256, 1024, 4096}
}

// timeSplit measures copy in, GPU and copy out of products of several sizes, and
// the CPU beside them.
func timeSplit(ctx context.Context, m *Machine, f *Findings) error {
	library := m.blas(ctx)
	var skipped *SkippedError
	if library != nil && !errors.As(library, &skipped) {
		return library
	}
	type size struct {
		name    string
		m, k, n int
	}
	sizes := []size{{"2×3×2", 2, 3, 2}}
	for _, n := range m.sides() {
		sizes = append(sizes, size{fmt.Sprintf("%d³", n), n, n, n})
	}
	for _, z := range sizes {
		for _, p := range []device.Precision{device.Float64, device.Float32} {
			if z.n > 1024 {
				break // a second and more
			}
			took, err := onCPU(ctx, m, z.m, z.k, z.n, p)
			if err != nil {
				return err
			}
			f.figure(fmt.Sprintf("time/%s/%s/cpu", z.name, p), "µs", took, "")
		}
	}
	return onThread(m.Libraries, m.Ordinal, func(s *session.Session) error {
		for _, z := range sizes {
			for _, p := range device.Precisions {
				largest := z.n == m.largest()
				if p.Size() == 2 && !largest {
					continue // for the speed alone
				}
				for _, who := range []string{"kernel", "library"} {
					q := session.Product{B: 1, M: z.m, K: z.k, N: z.n, Precision: p}
					if who == "library" {
						if library != nil {
							continue
						}
						q.Library, q.Contract = true, device.Fused
					}
					if err := splitOne(ctx, m, s, f, z.name, who, q); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// splitOne measures one product and adds its figures.
func splitOne(ctx context.Context, m *Machine, s *session.Session, f *Findings, name, who string, q session.Product) error {
	left, right, out, err := operands(q)
	if err != nil {
		return err
	}
	repeats := map[bool]int{true: 200, false: 9}[q.N < 1024]
	var in, gpu, back, total sample
	for i := range repeats + repeats/10 + 1 {
		start := time.Now()
		stats, err := s.Multiply(q, left, right, out)
		took := time.Since(start)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if i <= repeats/10 {
			continue
		}
		in, gpu, back, total = append(in, float64(stats.CopyInNS)/1e3), append(gpu, float64(stats.KernelNS)/1e3), append(back, float64(stats.CopyOutNS)/1e3), append(total, microseconds(took))
	}
	at := fmt.Sprintf("time/%s/%s/%s", name, q.Precision, who)
	cpu := fmt.Sprintf("time/%s/%s/cpu", name, q.Precision)
	if !slices.ContainsFunc(f.figures, func(f Figure) bool { return f.Name == cpu }) {
		cpu = ""
	}
	f.figure(at, "µs", total, cpu)
	f.figure(at+"/copy in", "µs", in, "")
	f.figure(at+"/GPU", "µs", gpu, "")
	f.figure(at+"/copy out", "µs", back, "")
	if q.N == m.largest() {
		operations := float64(2 * float64(q.M) * float64(q.K) * float64(q.N))
		speed := fmt.Sprintf("speed/%s/%s/", name, q.Precision)
		peer := ""
		if who == "library" {
			peer = speed + "kernel"
		}
		f.figure(speed+who, "GFLOP/s", gpu.each(func(us float64) float64 { return operations / us / 1e3 }), peer)
	}
	return nil
}

// onCPU measures a product on the CPU, packing and all.
func onCPU(ctx context.Context, m *Machine, rows, terms, columns int, p device.Precision) (sample, error) {
	cpu, err := m.CPU(device.Separate)
	if err != nil {
		return nil, err
	}
	defer cpu.Close()
	s := newSource("cpu")
	r := request{name: "a product", product: &device.Product{Left: s.matrix(rows, terms), Right: s.matrix(terms, columns), Precision: p}}
	repeats := map[bool]int{true: 200, false: 5}[columns < 256]
	return repeat(repeats, func() error { _, _, err := r.run(ctx, cpu); return err })
}

// bandwidth measures what the copies between host and device carry, and what the
// device's own memory does.
func bandwidth(_ context.Context, m *Machine, f *Findings) error {
	bytes := 256 << 20
	if m.small {
		bytes = 1 << 10
	}
	return pinned(func() (err error) {
		b, err := openBare(m.Libraries, m.Ordinal)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.close()) }()
		from, err := b.alloc(bytes)
		if err != nil {
			return err
		}
		to, err := b.alloc(bytes)
		if err != nil {
			return err
		}
		host := make([]byte, bytes)
		for i := range host {
			host[i] = byte(i)
		}
		rate := func(us float64) float64 { return float64(bytes) / us / 1e3 }
		in, err := repeat(9, func() error { return b.CopyIn(from, host) })
		if err != nil {
			return err
		}
		out, err := repeat(9, func() error { return b.CopyOut(host, from) })
		if err != nil {
			return err
		}
		f.figure("bandwidth/host to device", "GB/s", in.each(rate), "")
		f.figure("bandwidth/device to host", "GB/s", out.each(rate), "")
		f.saw("%d MiB at a time, host memory that is not pinned", bytes>>20)
		if err := m.compiler(); err != nil {
			f.saw("within the device it was not measured: no kernel can be compiled here")
			return nil
		}
		copier, err := b.compiled(m.Libraries, m.Ordinal, kernel("check_copy"))
		if err != nil {
			return err
		}
		grid, block := nvidia.Dim3{X: 2048, Y: 1, Z: 1}, nvidia.Dim3{X: 256, Y: 1, Z: 1}
		if m.small {
			grid.X, block.X = 1, 4
		}
		arguments := [][]byte{address(from), address(to), number64(bytes / 16)}
		var device sample
		for i := range 21 {
			if err := b.Record(b.start); err != nil {
				return err
			}
			if err := b.Launch(copier, grid, block, 0, arguments); err != nil {
				return err
			}
			if err := b.Record(b.end); err != nil {
				return err
			}
			if err := b.Synchronize(); err != nil {
				return err
			}
			ms, err := b.Elapsed(b.start, b.end)
			if err != nil {
				return err
			}
			if i > 0 {
				device = append(device, 2*rate(ms*1e3)) // read and written
			}
		}
		back := make([]byte, bytes)
		if err := b.CopyOut(back, to); err != nil {
			return err
		}
		if string(back) != string(host) {
			return errors.New("what was copied within the device is not what was copied to it: nothing was measured")
		}
		f.figure("bandwidth/within the device, read and written", "GB/s", device, "")
		return nil
	})
}

// costOfStart measures what happens before the first result: in new processes.
func costOfStart(ctx context.Context, m *Machine, f *Findings) error {
	times := 5
	if f.quick {
		times = 2
	}
	steps := []struct {
		name string
		of   func(s startTimes) float64
		ms   sample
	}{
		{name: "start/open the driver's library", of: func(s startTimes) float64 { return s.Library }},
		{name: "start/initialise the driver", of: func(s startTimes) float64 { return s.Init }},
		{name: "start/retain the context", of: func(s startTimes) float64 { return s.Context }},
		{name: "start/first product", of: func(s startTimes) float64 { return s.First }},
		{name: "start/second product", of: func(s startTimes) float64 { return s.Next }},
	}
	for range times {
		out, err := m.runPart(ctx, partStart)
		if err != nil {
			return err
		}
		var s startTimes
		decoder := json.NewDecoder(strings.NewReader(string(out)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&s); err != nil {
			return fmt.Errorf("the part %s wrote %q: %w", partStart, out, err)
		}
		for i := range steps {
			steps[i].ms = append(steps[i].ms, steps[i].of(s))
		}
	}
	for _, s := range steps {
		f.figure(s.name, "ms", s.ms, "")
	}
	var worker, first sample
	for range times {
		start := time.Now()
		c, err := m.start(ctx, nil)
		if err != nil {
			return err
		}
		worker = append(worker, microseconds(time.Since(start))/1e3)
		start = time.Now()
		err = sound(ctx, c)
		first = append(first, microseconds(time.Since(start))/1e3)
		if err := errors.Join(err, c.Close()); err != nil {
			return err
		}
	}
	f.figure("start/worker, until its GPU is open", "ms", worker, "")
	f.figure("start/worker, first product", "ms", first, "")
	f.saw("a worker is there after %.0f ms, and its first product after %.1f more", worker.median(), first.median())
	return nil
}
