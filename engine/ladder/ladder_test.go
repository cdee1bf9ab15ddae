package ladder_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"workbench/engine/cpu"
	"workbench/engine/device"
	"workbench/engine/ladder"
	"workbench/engine/launch"
	"workbench/engine/simt"
	"workbench/engine/tensor"
)

// played is the emulator with the times of a GPU: of the launch of a symbol, one for
// each run, the first of which is the slowest.
type played struct {
	launch.Launcher
	ns   map[string]int64
	flip string // the symbol whose result has another bit
}

func (p played) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	results, err := p.Launcher.Sequence(ctx, launches[:1])
	if err != nil {
		return nil, err
	}
	symbol := launches[0].Kernel.Symbol
	if symbol == p.flip {
		results[0].Buffers[2][7] ^= 1
	}
	var all []*launch.Result
	for i := range launches {
		r := *results[0]
		r.Cost.KernelNS = p.ns[symbol] + int64(i%3) // the median is one more
		if i == 0 {
			r.Cost.KernelNS *= 1000
		}
		all = append(all, &r)
	}
	return all, nil
}

// blas is the CPU with a time, and with a result that may be wrong.
type blas struct {
	device.Device
	wrong bool
}

func (b blas) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	out, stats, err := b.Device.Multiply(ctx, p)
	if err == nil && b.wrong {
		out.Data()[0] += 1
	}
	stats.KernelNS = 1000
	return out, stats, err
}

func machine(t *testing.T) (ladder.On, *played) {
	host, err := cpu.New(device.Spec{Kind: device.CPU, Contract: device.Fused})
	if err != nil {
		t.Fatal(err)
	}
	p := &played{
		Launcher: &simt.Emulator{Unchecked: launch.ReportKinds, Unmeasured: true},
		ns:       map[string]int64{"add_element_f32": 99, "matmul_naive_f32": 39_999, "matmul_tiled_f32": 7_999, "matmul_blocked_f32": 1_999},
	}
	return ladder.On{Kernels: p, Library: blas{Device: host}, Device: "a GPU", Added: 1000}, p
}

func TestMeasure(t *testing.T) {
	on, _ := machine(t)
	var said []string
	l, err := ladder.Measure(t.Context(), on, device.Float32, 64, func(note string, done, total int) {
		said = append(said, fmt.Sprintf("%s %d/%d", note, done, total))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(said, ", "), "an addition, for the speed of memory 0/5, the naive version 1/5, the tiled version 2/5, the blocked version 3/5, cuBLAS 4/5, done 5/5"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	// 2·64³ operations in 40, 8, 2 and 1 µs; 12000 bytes in 100 ns.
	got := fmt.Sprintf("%s %d %s %g:", l.Precision, l.Size, l.Device, l.Memory)
	for _, r := range l.Rungs {
		got += fmt.Sprintf(" %s %.5g %.3g %d %.4g,", r.Name, r.Speed, r.Ratio, r.Bytes, r.Allowed)
	}
	if want := "float32 64 a GPU 120: naive 13.107 0.025 1064960 59.08, tiled 65.536 0.125 147456 426.7, blocked 262.14 0.5 49152 1280, cuBLAS 524.29 1 0 0,"; got != want {
		t.Errorf("the ladder is\n%s, want\n%s", got, want)
	}
	if l.Runs != 5 {
		t.Errorf("%d runs", l.Runs)
	}

	// Without a library it is still a ladder.
	on.Library, on.Missing = nil, "cuBLAS was not found"
	if l, err = ladder.Measure(t.Context(), on, device.Float32, 64, func(string, int, int) {}); err != nil {
		t.Fatal(err)
	}
	if len(l.Rungs) != 3 || l.Rungs[2].Ratio != 0 || l.Rungs[2].Allowed == 0 || l.Missing == "" {
		t.Errorf("without a library it is %+v", l)
	}
}

// A speed of something else is not shown.
func TestMeasureRefuses(t *testing.T) {
	none := func(string, int, int) {}
	var wrong *ladder.WrongError

	on, p := machine(t)
	p.flip = "matmul_tiled_f32"
	if _, err := ladder.Measure(t.Context(), on, device.Float32, 64, none); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "the tiled version has other bits than the naive one") {
		t.Errorf("another bit: %v", err)
	}
	on, _ = machine(t)
	on.Library = blas{Device: on.Library.(blas).Device, wrong: true}
	if _, err := ladder.Measure(t.Context(), on, device.Float32, 64, none); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "cell [0, 0] is ") {
		t.Errorf("a wrong library: %v", err)
	}
	for _, size := range []int{0, 63, 100, 8192} {
		if _, err := ladder.Measure(t.Context(), on, device.Float32, size, none); err == nil {
			t.Errorf("size %d is measured", size)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := ladder.Measure(stopped, on, device.Float32, 64, none); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// Figures that were measured before make the same ladder; what is not there is left
// out and made up of nothing.
func TestOf(t *testing.T) {
	figures := map[string]float64{"ladder/128³/float64/naive": 30, "ladder/128³/float64/cuBLAS": 120, "ladder/bandwidth/add": 100}
	l := ladder.Of(device.Float64, 128, func(name string) (float64, float64, bool) {
		v, ok := figures[name]
		return v, v / 100, ok
	})
	if len(l.Rungs) != 2 || l.Rungs[0].Name != "naive" || l.Rungs[0].Ratio != 0.25 || l.Rungs[0].Spread != 0.3 || l.Rungs[1].Name != ladder.Library || l.Memory != 100 {
		t.Fatalf("the ladder is %+v", l)
	}
	// A third of an operation for a byte, less the stores.
	if a := l.Rungs[0].Allowed; !(a > 32.9 && a < 33.3) {
		t.Errorf("memory would allow %v", a)
	}
	delete(figures, "ladder/bandwidth/add")
	l = ladder.Of(device.Float64, 128, func(name string) (float64, float64, bool) { v, ok := figures[name]; return v, 0, ok })
	if l.Rungs[0].Allowed != 0 || l.Rungs[0].Bytes == 0 {
		t.Errorf("without the speed of memory: %+v", l.Rungs[0])
	}
}
