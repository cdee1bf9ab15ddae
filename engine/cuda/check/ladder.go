package check

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels"
	"workbench/kernels/add"
	"workbench/kernels/conform"
	"workbench/kernels/embedding"
	"workbench/kernels/matmul"
	"workbench/kernels/rmsnorm"
	"workbench/kernels/softmax"
	"workbench/kernels/sumsq"
)

// blockedShare is how much of cuBLAS's speed the last rung of the product must
// have, on a GPU of compute capability 9.0, for which its tiles were chosen.
const blockedShare = 0.45

// ladderEntries hold every kernel of the catalogue to its cases, as it comes with
// the workbench and compiled on the machine, and measure what each reaches.
func ladderEntries() []Entry {
	var out []Entry
	for _, topic := range kernels.Catalogue() {
		name := topic.Name + "/" + strings.TrimSuffix(topic.File, ".cu")
		out = append(out, Entry{Name: "ladder/" + name, Quick: true, limit: 2 * time.Minute, run: func(ctx context.Context, m *Machine, f *Findings) error {
			c, err := m.start(ctx, nil)
			if err != nil {
				return err
			}
			defer c.Close()
			return m.rung(ctx, topic, c, f)
		}})
		out = append(out, Entry{Name: "ladder/" + name + ", compiled here", limit: 2 * time.Minute, run: func(ctx context.Context, m *Machine, f *Findings) error {
			c, close, err := m.launcher(ctx)
			if err != nil {
				return err
			}
			defer close()
			return m.rung(ctx, topic, commented{c}, f)
		}})
	}
	out = append(out,
		Entry{Name: "ladder/products beside cuBLAS", Quick: true, limit: 4 * time.Minute, run: speedOfLadder},
		Entry{Name: "ladder/bandwidth", limit: 4 * time.Minute, run: bandwidthOfLadder})
	for i := range out {
		out[i].Group = "ladder"
	}
	return out
}

// commented launches a source with one comment more: it is not the embedded one,
// and is compiled here.
type commented struct{ on launch.Launcher }

func (c commented) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(c.Sequence(ctx, []*launch.Launch{l}))
}

func (c commented) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	changed := make([]*launch.Launch, len(launches))
	for i, l := range launches {
		one := *l
		one.Kernel.Source += "\n// compiled here\n"
		changed[i] = &one
	}
	return c.on.Sequence(ctx, changed)
}

// passesOver reports that a case of the kernels takes longer than a played GPU is
// given: sizes that a smaller one stands for.
func (m *Machine) passesOver(c conform.Case) bool {
	return m.small && slices.ContainsFunc([]string{"/67×23×71", "/5×129×31", "/1×1×1", "/2×0×3", "/grids", "/19995", "/262151"}, func(size string) bool {
		return strings.HasSuffix(c.Name, size)
	})
}

// rung runs the cases of a source's kernels.
func (m *Machine) rung(ctx context.Context, topic kernels.Topic, on launch.Launcher, f *Findings) error {
	var failures []string
	passed := 0
	for _, c := range conform.Cases() {
		symbol, _, _ := strings.Cut(c.Name, "/")
		if !slices.Contains(topic.Symbols, symbol) || m.passesOver(c) {
			continue
		}
		if err := c.Run(ctx, on); err != nil {
			failures = append(failures, c.Name+": "+err.Error())
			if ctx.Err() != nil {
				break
			}
			continue
		}
		passed++
	}
	return suite(f, passed, 0, failures)
}

// prepared is a launch in a bare program.
type prepared struct {
	*bare
	function    nvidia.Function
	grid, block nvidia.Dim3
	arguments   [][]byte
	out         nvidia.Pointer // the buffer that is copied back
	bytes       int            // of it
}

// prepare takes the device memory of a launch, copies its buffers in and loads its
// kernel, which must be embedded.
func (n *bare) prepare(l *launch.Launch) (*prepared, error) {
	p := &prepared{
		bare:  n,
		grid:  nvidia.Dim3{X: uint32(l.Grid.X), Y: uint32(l.Grid.Y), Z: uint32(l.Grid.Z)},
		block: nvidia.Dim3{X: uint32(l.Block.X), Y: uint32(l.Block.Y), Z: uint32(l.Block.Z)},
	}
	ptx, ok := kernels.Embedded(l.Kernel)
	if !ok {
		return nil, fmt.Errorf("%s is not embedded", l.Kernel.Symbol)
	}
	module, err := n.Load(ptx)
	if err != nil {
		return nil, err
	}
	if p.function, err = n.Function(module, l.Kernel.Symbol); err != nil {
		return nil, err
	}
	for _, a := range l.Args {
		if a.Buffer == nil {
			p.arguments = append(p.arguments, a.Value)
			continue
		}
		at, err := n.alloc(len(a.Buffer.Data))
		if err != nil {
			return nil, err
		}
		if err := n.CopyIn(at, a.Buffer.Data); err != nil {
			return nil, err
		}
		if a.Buffer.Out {
			p.out, p.bytes = at, len(a.Buffer.Data)
		}
		p.arguments = append(p.arguments, address(at))
	}
	return p, nil
}

// result copies the output back.
func (p *prepared) result() ([]byte, error) {
	data := make([]byte, p.bytes)
	return data, p.CopyOut(data, p.out)
}

// once runs what begins something on the GPU, and returns the microseconds between
// the events around it.
func (n *bare) once(begin func() error) (float64, error) {
	if err := n.Record(n.start); err != nil {
		return 0, err
	}
	if err := begin(); err != nil {
		return 0, err
	}
	if err := n.Record(n.end); err != nil {
		return 0, err
	}
	if err := n.Synchronize(); err != nil {
		return 0, err
	}
	ms, err := n.Elapsed(n.start, n.end)
	return ms * 1e3, err
}

func (p *prepared) begin() error { return p.Launch(p.function, p.grid, p.block, 0, p.arguments) }

// speedOfLadder measures every rung of the product on large squares, taking turns
// with cuBLAS, whose order they share as far as it keeps one: under the fused
// contract.
func speedOfLadder(ctx context.Context, m *Machine, f *Findings) error {
	if err := m.blas(ctx); err != nil {
		return err
	}
	devices, err := m.Libraries.Driver.Devices()
	if err != nil {
		return err
	}
	n, turns := m.largest(), 9
	precisions := []device.Precision{device.Float32, device.Float64}
	if f.quick {
		turns, precisions = 5, precisions[:1]
	}
	for _, precision := range precisions {
		share, err := m.speedIn(ctx, f, precision, n, turns)
		if err != nil {
			return err
		}
		if precision == device.Float32 && m.Ordinal < len(devices) && devices[m.Ordinal].Major == 9 && !m.small && !(share >= blockedShare) {
			return fmt.Errorf("the 4×4 rung has %.3f of cuBLAS's speed at %d³ in float32, expected at least %v", share, n, blockedShare)
		}
	}
	return nil
}

// speedIn measures one precision, and returns the last rung's share of cuBLAS's
// speed.
func (m *Machine) speedIn(ctx context.Context, f *Findings, p device.Precision, n, turns int) (share float64, err error) {
	product := session.Product{B: 1, M: n, K: n, N: n, Precision: p, Contract: device.Fused}
	left, right, _, err := operands(product)
	if err != nil {
		return 0, err
	}
	type way struct {
		name  string
		begin func() error
		out   func() ([]byte, error)
		us    sample
	}
	var ways []way
	err = pinned(func() (err error) {
		b, err := openBare(m.Libraries, m.Ordinal)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.close()) }()
		blas, err := m.Libraries.BLAS()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, blas.Close()) }()
		devices, err := m.Libraries.Driver.Devices()
		if err != nil {
			return err
		}
		// As it works where nobody takes its workspace away.
		room := workspaceBytes(devices[m.Ordinal])
		workspace, err := b.alloc(int(room))
		if err != nil {
			return err
		}
		if err := blas.SetWorkspace(workspace, room); err != nil {
			return err
		}
		g, err := b.gemm(blas, product)
		if err != nil {
			return err
		}
		if err := errors.Join(b.CopyIn(g.left, left), b.CopyIn(g.right, right)); err != nil {
			return err
		}
		ways = append(ways, way{name: "cuBLAS", begin: g.begin, out: func() ([]byte, error) {
			data := make([]byte, n*n*p.Size())
			return data, b.CopyOut(data, g.out)
		}})
		for _, v := range matmul.Versions {
			l, err := v.Prepare(device.Fused, p, matmul.Packed(1, n, n, n),
				launch.Buffer{Type: launch.Element(p), Data: left}, launch.Buffer{Type: launch.Element(p), Data: right},
				launch.Buffer{Type: launch.Element(p), Data: make([]byte, n*n*p.Size())})
			if err != nil {
				return err
			}
			on, err := b.prepare(l)
			if err != nil {
				return err
			}
			ways = append(ways, way{name: v.String(), begin: on.begin, out: on.result})
		}
		for turn := range turns + 1 {
			for i := range ways {
				us, err := b.once(ways[i].begin)
				if err != nil {
					return err
				}
				if turn > 0 { // the first wakes everything up
					ways[i].us = append(ways[i].us, us)
				}
				if err := ctx.Err(); err != nil {
					return err
				}
			}
		}
		// All rungs have the same bits, and cuBLAS the same numbers.
		var results [][]byte
		for _, w := range ways {
			data, err := w.out()
			if err != nil {
				return err
			}
			results = append(results, data)
		}
		for i, w := range ways[2:] {
			if !bytes.Equal(results[1], results[2+i]) {
				return fmt.Errorf("at %d³ in %s the %s rung has other bits than the %s one", n, p, w.name, ways[1].name)
			}
		}
		return closeTo(p, n, left, right, results[0], results[1])
	})
	if err != nil {
		return 0, err
	}
	operations := float64(2 * n * n * n)
	at := fmt.Sprintf("ladder/%d³/%s/", n, p)
	var said []string
	for i, w := range ways {
		peer := ""
		if i > 0 {
			peer = at + ways[0].name
		}
		speed := w.us.each(func(us float64) float64 { return operations / us / 1e3 })
		f.figure(at+w.name, "GFLOP/s", speed, peer)
		said = append(said, fmt.Sprintf("%s %.0f", w.name, speed.median()))
	}
	f.saw("%d³ in %s, in GFLOP/s: %s; the rungs have the same bits", n, p, strings.Join(said, ", "))
	return ways[0].us.median() / ways[len(ways)-1].us.median(), nil
}

// closeTo holds some cells of two results to each other, within the bound of a sum
// in any order.
func closeTo(p device.Precision, n int, left, right, one, other []byte) error {
	at := func(data []byte, i int) float64 {
		if p == device.Float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	}
	unit := map[device.Precision]float64{device.Float64: 0x1p-53, device.Float32: 0x1p-24}[p]
	for i := range 97 {
		row, column := i*31%n, i*57%n
		bound := 0.0
		for k := range n {
			bound += math.Abs(float64(at(left, row*n+k) * at(right, k*n+column)))
		}
		bound *= 2 * float64(n) * unit
		if x, y := at(one, row*n+column), at(other, row*n+column); !(math.Abs(x-y) <= bound) {
			return fmt.Errorf("cell [%d, %d] of %d³ in %s is %v by cuBLAS and %v by the kernels, which is more than %v apart", row, column, n, p, x, y, bound)
		}
	}
	return nil
}

// bandwidthOfLadder measures the kernels whose limit is memory: the bytes that must
// cross it, by the time that the GPU's events say.
func bandwidthOfLadder(ctx context.Context, m *Machine, f *Findings) error {
	devices, err := m.Libraries.Driver.Devices()
	if err != nil {
		return err
	}
	if m.Ordinal >= len(devices) {
		return fmt.Errorf("there is no device %d of %d", m.Ordinal, len(devices))
	}
	const by = "ladder/bandwidth/"
	peer := ""
	if d := devices[m.Ordinal]; d.MemoryClockKHz > 0 && d.MemoryBusWidth > 0 {
		// Two transfers a clock, over all the wires of the bus.
		peer = by + "what the memory's clock and bus allow"
		f.figure(peer, "GB/s", sample{2 * float64(d.MemoryClockKHz) * float64(d.MemoryBusWidth) / 8 / 1e6}, "")
	}
	all := sweeps(m.small)
	for _, s := range all {
		var us sample
		err := pinned(func() (err error) {
			b, err := openBare(m.Libraries, m.Ordinal)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, b.close()) }()
			l, err := s.prepare()
			if err != nil {
				return err
			}
			on, err := b.prepare(l)
			if err != nil {
				return err
			}
			if _, err := b.once(on.begin); err != nil {
				return err
			}
			got, err := on.result()
			if err != nil {
				return err
			}
			if err := s.check(got); err != nil {
				return fmt.Errorf("%s: %w: nothing was measured", l.Kernel.Symbol, err)
			}
			for range 15 {
				took, err := b.once(on.begin)
				if err != nil {
					return err
				}
				us = append(us, took)
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		f.figure(by+s.name, "GB/s", us.each(func(us float64) float64 { return s.bytes / us / 1e3 }), peer)
	}
	f.saw("%d kernels, after their results were checked", len(all))
	return nil
}

// sweep is a launch that is limited by memory, in float32.
type sweep struct {
	name    string
	bytes   float64 // that must cross the memory, if caches keep what comes again
	prepare func() (*launch.Launch, error)
	check   func(out []byte) error
}

// sweeps are larger than any cache, unless small.
func sweeps(small bool) []sweep {
	elements, rows, columns, positions, tokens := 1<<26, 1<<15, 1<<10, 1<<16, 50257
	if small {
		elements, rows, columns, positions, tokens = 300, 5, 33, 20, 7
	}
	const p = device.Float32
	x, y := ramp(elements, 7), ramp(elements, 3)
	in := x[:rows*columns]
	text := make([]int32, positions)
	different := map[int32]bool{}
	for i := range text {
		text[i] = int32(uint32(i) * 2654435761 >> 8 % uint32(tokens))
		different[text[i]] = true
	}
	upstream, gradient := ramp(positions*columns, 5), make([]float32, tokens*columns)
	buffer := func(list []float32) launch.Buffer {
		return launch.Buffer{Type: "float", Data: floats(list...)}
	}
	result := func(n int) launch.Buffer { return launch.Buffer{Type: "float", Data: make([]byte, 4*n)} }
	at := func(out []byte, i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])))
	}
	near := func(got, want, within float64) error {
		if !(math.Abs(got-want) <= within) {
			return fmt.Errorf("a value is %v, expected %v", got, want)
		}
		return nil
	}
	// Of some rows, every value: the sum of a softmax is 1, and the mean of the
	// squares of a normalised row is too.
	ofRows := func(out []byte, each func(x float64) float64, want float64) error {
		for r := 0; r < rows; r += max(rows/11, 1) {
			sum := 0.0
			for c := range columns {
				sum += each(at(out, r*columns+c))
			}
			if err := near(sum, want, 1e-3*want); err != nil {
				return err
			}
		}
		return nil
	}
	// Some elements of the gradient, by a loop over the text.
	ofGradient := func(out []byte) error {
		for token := 0; token < tokens; token += max(tokens/7, 1) {
			for c := 0; c < columns; c += max(columns/5, 1) {
				var want float32
				for i, t := range text {
					if int(t) == token {
						want += upstream[i*columns+c]
					}
				}
				if err := near(at(out, token*columns+c), float64(want), 1e-3); err != nil {
					return err
				}
			}
		}
		return nil
	}
	size := func(elements int) float64 { return 4 * float64(elements) }
	return []sweep{
		{"add", size(3 * elements), func() (*launch.Launch, error) {
			return add.Prepare(device.Fused, p, int64(elements), buffer(x), buffer(y), result(elements))
		}, func(out []byte) error {
			for i := range elements {
				if err := near(at(out, i), float64(x[i]+y[i]), 0); err != nil {
					return err
				}
			}
			return nil
		}},
		{"sumsq", size(elements), func() (*launch.Launch, error) {
			return sumsq.Prepare(device.Fused, p, int64(elements), buffer(x), result(sumsq.Blocks))
		}, func(out []byte) error {
			want := 0.0
			for _, v := range x {
				want += float64(float64(v) * float64(v))
			}
			got, err := sumsq.Total(p, out)
			if err != nil {
				return err
			}
			return near(got, want, 1e-4*want)
		}},
		{"softmax", size(2 * rows * columns), func() (*launch.Launch, error) {
			return softmax.Prepare(device.Fused, p, int64(rows), int64(columns), buffer(in), result(rows*columns))
		}, func(out []byte) error {
			return ofRows(out, func(x float64) float64 { return x }, 1)
		}},
		{"rmsnorm", size(2 * rows * columns), func() (*launch.Launch, error) {
			return rmsnorm.Prepare(device.Fused, p, rmsnorm.Params{Rows: int64(rows), Columns: int64(columns)},
				buffer(in), buffer(slices.Repeat([]float32{1}, columns)), result(rows*columns))
		}, func(out []byte) error {
			return ofRows(out, func(x float64) float64 { return float64(x * x) }, float64(columns))
		}},
		{"embedding, atomic", size((positions + 2*len(different)) * columns), func() (*launch.Launch, error) {
			return embedding.Atomic(device.Fused, p, text, tokens, columns, buffer(upstream), buffer(gradient))
		}, ofGradient},
		{"embedding, sorted", size((positions + 2*len(different)) * columns), func() (*launch.Launch, error) {
			return embedding.Sorted(device.Fused, p, text, tokens, columns, buffer(upstream), buffer(gradient))
		}, ofGradient},
	}
}

// ramp returns n numbers between −1 and 1, with a step of their own.
func ramp(n, step int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(i*step%2048-1024) / 1024
	}
	return out
}
