package cuda

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"workbench/engine/conform"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Every device passes every case that any device must pass, through a worker and
// without one.
func TestConformance(t *testing.T) {
	for _, spec := range []string{"cuda:0", "cuda:0,fused", "cuda:0,library"} {
		for name, open := range map[string]func(t *testing.T) device.Device{
			"worker":     func(t *testing.T) device.Device { return newMachine("").opened(t, spec) },
			"in-process": func(t *testing.T) device.Device { return inProcess(t, fake.New(fake.Config{}), spec) },
		} {
			t.Run(spec+"/"+name, func(t *testing.T) {
				t.Parallel()
				d := open(t)
				if raceEnabled {
					for _, c := range conform.Cases() {
						if slices.Contains([]string{"cancelled at once", "eight goroutines", "close"}, c.Name) {
							if err := c.Run(context.Background(), d); err != nil {
								t.Errorf("%s: %v", c.Name, err)
							}
						}
					}
					return
				}
				passed := conform.Run(context.Background(), d, func(name string, err error) {
					var skipped *conform.SkippedError
					if err != nil && !errors.As(err, &skipped) {
						t.Errorf("%s: %v", name, err)
					}
				}).Passed
				if passed < 500 {
					t.Errorf("only %d cases passed", passed)
				}
			})
		}
	}
}

// The three tiny operations of the course, and what they cost.
func TestTinyOperations(t *testing.T) {
	left := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)).View()
	right := tensor.Must(tensor.FromSlice([]float64{7, 8, 9, 10, 11, 12}, 3, 2)).View()
	for _, spec := range []string{"cuda:0", "cuda:0,fused", "cuda:0,library"} {
		run := device.NewRun(newMachine("").opened(t, spec))
		check := func(got *tensor.Tensor, err error, want ...float64) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range got.Data() {
				if x != want[i] {
					t.Errorf("%s: value %d is %v, want %v", spec, i, x, want[i])
				}
			}
		}
		out, err := run.Matmul(t.Context(), left, right)
		check(out, err, 58, 64, 139, 154)
		out, err = run.SumAxis(t.Context(), left, 1, false)
		check(out, err, 6, 15)
		out, err = run.MeanAxis(t.Context(), left, 1, false)
		check(out, err, 2, 5)
		s := run.Stats()
		if s.Requests != 3 || s.Launches != 3 || s.BytesIn != 240 || s.BytesOut != 64 || s.KernelNS <= 0 || s.CopyInNS <= 0 || s.CopyOutNS <= 0 {
			t.Errorf("%s: %+v", spec, s)
		}
	}
}

// What needs no arithmetic is answered without the GPU.
func TestEmptyRequestsStayAtHome(t *testing.T) {
	m := fake.New(fake.Config{})
	d := inProcess(t, m, "cuda:0")
	empty := func(shape ...int) tensor.View {
		t.Helper()
		out, err := tensor.New(shape...)
		if err != nil {
			t.Fatal(err)
		}
		return out.View()
	}
	m.Forget()
	for _, p := range []device.Product{
		{Left: empty(0, 3), Right: empty(3, 2)}, {Left: empty(2, 0), Right: empty(0, 2)}, {Left: empty(2, 3), Right: empty(3, 0)},
		{Left: empty(0, 2, 3), Right: empty(3, 2)},
	} {
		out, stats, err := d.Multiply(t.Context(), p)
		if err != nil || stats != (device.Stats{}) {
			t.Errorf("%v, %+v", err, stats)
			continue
		}
		for _, x := range out.Data() {
			if math.Float64bits(x) != 0 {
				t.Errorf("a cell without terms is %v", x)
			}
		}
	}
	if _, stats, err := d.Reduce(t.Context(), device.Reduction{Input: empty(3, 0), Axis: 1}); err != nil || stats != (device.Stats{}) {
		t.Errorf("%v, %+v", err, stats)
	}
	if calls := m.Calls(); len(calls) != 0 {
		t.Errorf("the driver was called: %v", calls)
	}
}

func TestNames(t *testing.T) {
	d := newMachine("devices=2 names=NVIDIA_H200,Other capability=8.6").opened(t, "cuda:1,fused")
	if d.Spec().String() != "cuda:1,fused" || d.Name() != "Other" || device.NameOf(d) != "Other" || d.About().Major != 8 || d.Process() == 0 {
		t.Errorf("%s, %q, %+v", d.Spec(), d.Name(), d.About())
	}
	for _, spec := range []device.Spec{
		{Kind: device.CPU}, {Kind: device.CUDA, Contract: 9}, {Kind: device.CUDA, Library: true}, {Kind: device.CUDA, Ordinal: -1},
	} {
		var refused *device.SpecError
		if _, err := Open(t.Context(), spec); !errors.As(err, &refused) {
			t.Errorf("%v: %v", spec, err)
		}
	}
}

// Eight clients ask through four devices of one GPU while its worker is killed
// again and again: every request ends, with its values or with the one error
// that says so, and the next one works.
func TestClientsWhileWorkersDie(t *testing.T) {
	p := newMachine("")
	var devices []*Device
	for _, spec := range []string{"cuda:0", "cuda:0,fused", "cuda:0,library", "cuda:0"} {
		devices = append(devices, p.opened(t, spec))
	}
	var good, bad atomic.Int64
	over := make(chan struct{})
	var killer, clients sync.WaitGroup
	killer.Go(func() {
		for served := int64(0); ; {
			select {
			case <-over:
				return
			case <-time.After(2 * time.Millisecond):
			}
			if pid := devices[0].Process(); pid != 0 && good.Load() > served+5 {
				served = good.Load()
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	for g := range 8 {
		clients.Go(func() {
			for range 30 {
				err := tinyProduct(t, t.Context(), devices[g%len(devices)])
				var fault *device.FaultError
				var missing *device.UnavailableError
				switch {
				case err == nil:
					good.Add(1)
				case errors.As(err, &fault) && fault.Fault == device.WorkerEnded, errors.As(err, &missing): // killed while it started
					bad.Add(1)
				default:
					t.Errorf("%T: %v", err, err)
				}
			}
		})
	}
	clients.Wait()
	close(over)
	killer.Wait()
	if good.Load()+bad.Load() != 240 || good.Load() < 100 || bad.Load() == 0 {
		t.Errorf("%d good and %d failed", good.Load(), bad.Load())
	}
	for end := time.Now().Add(10 * time.Second); tinyProduct(t, t.Context(), devices[1]) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no worker comes back")
		}
	}
}

// What a request costs beside the driver's calls, through a worker and without
// one.
func BenchmarkTinyProduct(b *testing.B) {
	for name, d := range map[string]*Device{
		"worker":     newMachine("").opened(b, "cuda:0"),
		"in-process": inProcess(b, fake.New(fake.Config{}), "cuda:0"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := tinyProduct(b, b.Context(), d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	// The same calls without anything between.
	b.Run("session", func(b *testing.B) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		l, err := played(fake.New(fake.Config{}))
		if err != nil {
			b.Fatal(err)
		}
		s, err := session.Open(l, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		left, right, out := make([]byte, 48), make([]byte, 48), make([]byte, 32)
		for b.Loop() {
			if _, err := s.Multiply(session.Product{B: 1, M: 2, K: 3, N: 2}, left, right, out); err != nil {
				b.Fatal(err)
			}
		}
	})
}
