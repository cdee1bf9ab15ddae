package e2e

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/web/run/runtest"
)

const ladderPage = "/chapters/07-product-in-three-versions"

// versions is a GPU whose kernels are loops of ours, each with a time of its own.
type versions struct {
	device.Device
	fail    *atomic.Pointer[error]
	waiting chan struct{} // the tiled version waits for its end
	made    *sync.Map     // products that were made before, by their size
}

func (v versions) Name() string { return runtest.GPUName }

func (v versions) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(v.Sequence(ctx, []*launch.Launch{l}))
}

func (v versions) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	if err := v.fail.Load(); err != nil {
		return nil, *err
	}
	l := launches[0]
	left, right, out := l.Args[0].Buffer.Data, l.Args[1].Buffer.Data, make([]byte, len(l.Args[2].Buffer.Data))
	ns := map[string]int64{"matmul_naive_f32": 8000, "matmul_tiled_f32": 4000, "matmul_blocked_f32": 2000, "add_element_f32": 1 << 20}[l.Kernel.Symbol]
	if l.Kernel.Symbol == "matmul_tiled_f32" {
		select {
		case <-v.waiting:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if before, ok := v.made.Load(len(out)); ok && strings.HasPrefix(l.Kernel.Symbol, "matmul_") {
		out = before.([]byte)
	} else if strings.HasPrefix(l.Kernel.Symbol, "matmul_") {
		n := int(math.Sqrt(float64(len(out) / 4)))
		read := func(data []byte, i int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])) }
		for i := range n * n {
			sum := float32(0)
			for k := range n {
				sum = float32(math.FMA(float64(read(left, i/n*n+k)), float64(read(right, k*n+i%n)), float64(sum)))
			}
			binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(sum))
		}
		v.made.Store(len(out), out)
	}
	var all []*launch.Result
	for range launches {
		all = append(all, &launch.Result{Buffers: [][]byte{nil, nil, out, nil}, Cost: launch.Cost{KernelNS: ns}})
	}
	return all, nil
}

// TestLadderMeasuredHere measures the versions on a GPU: with progress, to be
// stopped, its faults in place, and what it shows is marked as live and is what the
// workbench sent.
func TestLadderMeasuredHere(t *testing.T) {
	t.Parallel()
	var fail atomic.Pointer[error]
	waiting, made := make(chan struct{}), new(sync.Map)
	o := withGPU(options(false), nil, nil)
	open := o.Open
	o.Open = func(ctx context.Context, name string) (device.Device, error) {
		d, err := open(ctx, name)
		if err != nil || !strings.HasPrefix(name, "cuda:0") || strings.Contains(name, "library") {
			return d, err
		}
		return versions{d, &fail, waiting, made}, nil
	}
	tab := newTab(t, serve(t, o))
	tab.load(ladderPage)
	const id = "ladder"
	at := func(css string) string { return script("e2e.find(%s, %s)", id, css) }
	tab.until("the ladder", "e2e.find(%s, '.run') && e2e.shown(e2e.find(%s, '.run'))", id, id)
	get[bool](tab, "(e2e.widget(%s).querySelectorAll('select')[1].value = '256') && true", id)

	// Stopped while a version runs: it says so, and the focus is where it was.
	tab.click(at(".run"))
	tab.until("the second version", "e2e.words(e2e.find(%s, '.notice')) === 'Measuring: the tiled version …' && e2e.find(%s, 'progress').value === 2", id, id)
	tab.click(at(".stop"))
	tab.until("the stop", "e2e.words(e2e.find(%s, '.notice')) === 'Stopped.' && e2e.shown(e2e.find(%s, '.run'))", id, id)
	if n := get[int](tab, "e2e.widget(%s).querySelectorAll('.ladder-result').length", id); n != 0 {
		t.Errorf("%d tables of nothing", n)
	}

	// A fault is told in place, and the next measurement works.
	close(waiting)
	fault := runtest.Faults(device.Spec{Kind: device.CUDA})[7].Err
	fail.Store(&fault)
	tab.click(at(".run"))
	tab.until("the fault", "e2e.words(e2e.find(%s, '.notice-error')).includes('illegal address')", id)
	fail.Store(nil)
	tab.click(at(".run"))
	tab.until("the figures", "e2e.widget(%s).querySelectorAll('.ladder-result').length === 1 && e2e.words(e2e.find(%s, '.notice')) === ''", id, id)
	got := get[[][]string](tab, "e2e.cells(e2e.find(%s, '.ladder'))", id)
	// 2·256³ operations in 8, 4 and 2 µs, and the library in runtest's 6.2.
	want := [][]string{
		{"4194", "77.5 %", "0.0674 GB", "95.6"}, {"8389", "155.0 %", "0.00865 GB", "745"}, {"16777", "310.0 %", "0.00236 GB", "2731"}, {"5412", "100.0 %", "–", "–"},
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the table has %q, want %q", got, want)
	}
	said := get[string](tab, "e2e.words(e2e.find(%s, '.ladder-made'))", id)
	if !strings.HasPrefix(said, "Live. Measured here, on NVIDIA T39 (cuda:0), ") || !strings.HasSuffix(said, ": two 256 × 256 matrices in float32, medians of 5 runs") {
		t.Errorf("the table is called %q", said)
	}
	// Measured again it takes its own place, and another product one beside.
	tab.click(at(".run"))
	tab.until("the next figures", "!e2e.shown(e2e.find(%s, '.stop'))", id)
	if n := get[int](tab, "e2e.widget(%s).querySelectorAll('.ladder-result').length", id); n != 1 {
		t.Errorf("%d tables of one product", n)
	}
	checkFits(t, tab, "the page with a ladder")
}

// TestLadderWithoutAGPU keeps what was measured elsewhere, and says why there is
// nothing more; without scripts too.
func TestLadderWithoutAGPU(t *testing.T) {
	t.Parallel()
	site := course(t, false)
	tab := newTab(t, site)
	tab.load(ladderPage)
	tab.until("the ladder", "e2e.find('ladder', '.ladder-none') && e2e.shown(e2e.find('ladder', '.ladder-none'))")
	if get[bool](tab, "e2e.shown(e2e.find('ladder', '.run'))") {
		t.Error("there is something to measure without a GPU")
	}
	if !get[bool](tab, "e2e.words(e2e.find('ladder', '.missing-devices')).includes('cuda:0')") {
		t.Error("nothing says why there is no GPU")
	}
	for _, tab := range []*Tab{tab, bare(t, site, ladderPage)} {
		rungs := get[[]string](tab, "[...document.querySelectorAll('#ladder .measurements .ladder')].map((table) => [...table.tBodies[0].rows].map((row) => row.dataset.rung).join(' '))")
		if want := "naive tiled blocked cuBLAS"; !slices.Equal(rungs, []string{want, want}) {
			t.Errorf("the measurements are %q", rungs)
		}
		// The bars are as long as the numbers say.
		long := get[[]float64](tab, "[...document.querySelectorAll('#ladder .ladder-speed')].slice(0, 4).map((bar) => bar.getBoundingClientRect().width)")
		if len(long) != 4 || !(long[0] > 0 && long[0] < long[1] && long[1] < long[2] && long[2] < long[3]) {
			t.Errorf("the bars are %v wide", long)
		}
	}
}
