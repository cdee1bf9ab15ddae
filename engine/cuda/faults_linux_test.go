package cuda

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/staged"
	"workbench/engine/tensor"
)

// tinyProduct is the first product of the course.
func tinyProduct(t testing.TB, ctx context.Context, d device.Device) error {
	t.Helper()
	out, stats, err := d.Multiply(ctx, device.Product{
		Left:  tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)).View(),
		Right: tensor.Must(tensor.FromSlice([]float64{7, 8, 9, 10, 11, 12}, 3, 2)).View(),
	})
	if err != nil {
		if out != nil || stats != (device.Stats{}) {
			t.Errorf("a result together with %v", err)
		}
		return err
	}
	for i, want := range []float64{58, 64, 139, 154} {
		if got := out.Data()[i]; got != want {
			t.Errorf("WRONG: cell %d is %v, want %v", i, got, want)
		}
	}
	return nil
}

// kernel is a launch of one of fake.Source.
func kernel(symbol string, args ...launch.Arg) *launch.Launch {
	one := launch.Dim3{X: 1, Y: 1, Z: 1}
	return &launch.Launch{Kernel: launch.Kernel{File: "test.cu", Source: fake.Source, Symbol: symbol}, Grid: one, Block: launch.Dim3{X: 4, Y: 1, Z: 1}, Args: args}
}

func floats(values ...float64) launch.Arg {
	return launch.Arg{Name: "x", Buffer: &launch.Buffer{Type: "float", Data: device.Float32.AppendBytes(nil, values), Out: true}}
}

func integer(n byte) launch.Arg { return launch.Arg{Name: "n", Value: []byte{n, 0, 0, 0}} }

// Every fault is an error that says its cause and what to do, in the name the
// device was opened by, and the next request finds a device in order. The names
// are those of gpu-check, where real faults provoke them.
func TestFaults(t *testing.T) {
	opening := func(machine, spec string) func(t *testing.T) error {
		return func(t *testing.T) error {
			d, err := newMachine(machine).open(t.Context(), parse(t, spec))
			if err == nil {
				t.Fatalf("%s was opened", d.Spec())
			}
			return err
		}
	}
	// request opens cuda:0,fused on a machine that has its faults in the first
	// worker alone, and asks it for something.
	request := func(machine string, ask func(t *testing.T, ctx context.Context, d *Device) error, change ...func(o *worker.Options)) func(t *testing.T) error {
		return func(t *testing.T) error {
			once := " once=" + filepath.Join(t.TempDir(), "struck")
			d := newMachine(machine+once, change...).opened(t, "cuda:0,fused")
			err := ask(t, t.Context(), d)
			if next := tinyProduct(t, t.Context(), d); next != nil {
				t.Errorf("the next request failed: %v", next)
			}
			return err
		}
	}
	// A request in order takes far less, also on a busy machine.
	hasty := func(o *worker.Options) { o.ProductLimit, o.LaunchLimit = time.Second, time.Second }
	multiply := func(t *testing.T, ctx context.Context, d *Device) error { return tinyProduct(t, ctx, d) }
	run := func(l *launch.Launch) func(t *testing.T, ctx context.Context, d *Device) error {
		return func(t *testing.T, ctx context.Context, d *Device) error {
			r, err := d.Launch(ctx, l)
			if err != nil && r != nil {
				t.Errorf("a result together with %v", err)
			}
			return err
		}
	}
	for _, test := range []struct {
		name  string
		cause func(t *testing.T) error
		typed any
		fault device.Fault
		says  []string
	}{
		{name: "no driver", cause: opening("driver=missing", "cuda:0"), typed: &device.UnavailableError{}, says: []string{"device cuda:0 is not available", "driver was not found", "libcuda.so.1", "cpu"}},
		{name: "no GPU", cause: opening("devices=0", "cuda:0,fused"), typed: &device.UnavailableError{}, says: []string{"device cuda:0,fused", "GPU"}},
		{name: "driver too old for the PTX", cause: opening("driver=11.4", "cuda:0"), typed: &device.UnavailableError{}, says: []string{"too old", "11.4", "520"}},
		{name: "driver too old for the library", cause: opening("driver=12.4 cublas=130100", "cuda:0,library"), typed: &device.UnavailableError{}, says: []string{"device cuda:0,library", "580"}},
		{name: "library missing", cause: opening("cublas=missing", "cuda:0,library"), typed: &device.UnavailableError{}, says: []string{"device cuda:0,library", "cuBLAS was not found", "tried:", "libcublas.so.13"}},
		{name: "no such ordinal", cause: opening("devices=2 names=A,B", "cuda:2"), typed: &device.UnavailableError{}, says: []string{"device cuda:2", "cuda:0 (A), cuda:1 (B)"}},
		{name: "out of memory", cause: request("memory=600MiB", func(t *testing.T, ctx context.Context, d *Device) error {
			big, err := tensor.Must(tensor.FromSlice([]float64{1}, 1, 1)).View().Broadcast(4<<20, 4)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = d.Reduce(ctx, device.Reduction{Input: big, Axis: 1})
			return err
		}), typed: &device.MemoryError{}, says: []string{"cuda:0,fused is out of memory", "512.0 MiB stays free"}},
		{name: "NVRTC missing", cause: request("nvrtc=missing", run(kernel("add_one", floats(1), integer(1)))), typed: &device.UnavailableError{}, says: []string{"NVRTC was not found", "cuda:0,fused"}},
		{name: "kernel does not compile", cause: request("", run(&launch.Launch{
			Kernel: launch.Kernel{File: "test.cu", Source: "extern \"C\" __global__ void add_one(float* x, int n) {\n\tx[0] = 1\n#error \"stop here\"\n}\n", Symbol: "add_one"},
			Grid:   launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: 1, Y: 1, Z: 1},
		})), typed: &launch.CompileError{}, says: []string{"test.cu does not compile"}},
		{name: "no such launch", cause: request("", run(&launch.Launch{Kernel: kernel("add_one").Kernel, Block: launch.Dim3{X: 1, Y: 1, Z: 1}})), typed: &launch.ArgumentError{}, says: []string{"launch of add_one", "grid"}},
		{name: "illegal address", cause: request("", run(kernel("read_null", floats(1)))), fault: device.IllegalAddress, says: []string{"cuda:0,fused: illegal address"}},
		{name: "out of bounds write", cause: request("", run(kernel("write_outside", floats(1), integer(1)))), fault: device.IllegalAddress},
		{name: "illegal address of our kernel", cause: request("later=cuLaunchKernel:1:700", multiply), fault: device.IllegalAddress, says: []string{"multiply: device cuda:0,fused"}},
		{name: "launch failure", cause: request("", run(kernel("traps"))), fault: device.LaunchFailure},
		{name: "launch that does not begin", cause: request("fail=cuLaunchKernel:1:719", multiply), fault: device.LaunchFailure},
		{name: "driver failure", cause: request("fail=cuMemcpyHtoD_v2:1:1", multiply), fault: device.DriverFailure, says: []string{"CUDA_ERROR_INVALID_VALUE"}},
		{name: "time limit", cause: request("hang=cuCtxSynchronize:1", multiply, hasty), fault: device.TimeLimit, says: []string{"1s"}},
		{name: "endless kernel", cause: request("", run(kernel("never_ends")), hasty), fault: device.TimeLimit, says: []string{"does not end"}},
		{name: "crash", cause: request("exit=cuLaunchKernel:1:9", multiply), fault: device.WorkerEnded, says: []string{"exit status 9"}},
		{name: "worker killed", cause: request("hang=cuLaunchKernel:1", func(t *testing.T, ctx context.Context, d *Device) error {
			pid := d.Process()
			watched := filled{d.gpu, func() {
				time.AfterFunc(100*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			}}
			return tinyProduct(t, ctx, newDevice(d.Spec(), d.about, watched, d.process, d.Close))
		}), fault: device.WorkerEnded, says: []string{"signal: killed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.cause(t)
			var fault *device.FaultError
			switch {
			case err == nil:
				t.Fatal("nothing failed")
			case test.typed != nil:
				if !sameType(err, test.typed) {
					t.Errorf("%T: %v, want a %T", err, err, test.typed)
				}
			case !errors.As(err, &fault) || fault.Fault != test.fault || fault.Next == "":
				t.Errorf("%T: %v, want the fault %q", err, err, test.fault)
			case fault.Spec.String() != "cuda:0,fused":
				t.Errorf("it names %s", fault.Spec)
			}
			for _, words := range test.says {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q does not say %q", err, words)
				}
			}
			t.Log(err)
		})
	}
}

// filled tells when the operands of a product are written, just before it is sent.
type filled struct {
	staged.Backend
	then func()
}

func (f filled) Multiply(ctx context.Context, p session.Product, fill func(left, right []byte) error, take func(out []byte)) (device.Stats, error) {
	return f.Backend.Multiply(ctx, p, func(left, right []byte) error {
		defer f.then()
		return fill(left, right)
	}, take)
}

func sameType(err error, want any) bool {
	switch want.(type) {
	case *device.UnavailableError:
		var e *device.UnavailableError
		return errors.As(err, &e) && e.Reason != "" && e.Next != ""
	case *device.MemoryError:
		var e *device.MemoryError
		return errors.As(err, &e) && e.Asked > 0
	case *launch.CompileError:
		var e *launch.CompileError
		return errors.As(err, &e) && len(e.Diagnostics) > 0
	case *launch.ArgumentError:
		var e *launch.ArgumentError
		return errors.As(err, &e)
	}
	return false
}

// A kernel's result, its printing and its device come back through the worker.
func TestLaunch(t *testing.T) {
	for name, d := range map[string]*Device{
		"worker":     newMachine("names=NVIDIA_H200").opened(t, "cuda:0"),
		"in-process": inProcess(t, fake.New(fake.Config{Devices: fake.GPUs(1)}), "cuda:0"),
	} {
		l := kernel("add_one", floats(1, 2, 3), integer(3))
		for range 3 {
			r, err := d.Launch(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.Buffers[0], floats(2, 3, 4).Buffer.Data) || r.Buffers[1] != nil || r.Device != d.Name() || r.Cost.KernelNS <= 0 {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if name == "worker" {
			r, err := d.Launch(t.Context(), kernel("prints", integer(4)))
			if err != nil || !strings.Contains(r.Output, "thread 3 of 4\n") || strings.Count(r.Output, "\n") != 4 {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
			if r, err := d.Launch(t.Context(), l); err != nil || r.Output != "" {
				t.Errorf("what a kernel printed comes back twice: %q, %v", r.Output, err)
			}
		}
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if r, err := d.Launch(done, l); r != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Devices of one GPU share its worker, whose end is the last one's.
func TestOneWorkerPerGPU(t *testing.T) {
	p := newMachine("devices=2")
	a, b, other := p.opened(t, "cuda:0"), p.opened(t, "cuda:0,library"), p.opened(t, "cuda:1")
	first := a.Process()
	if first == 0 || b.Process() != first || other.Process() == first {
		t.Errorf("processes %d, %d and %d", first, b.Process(), other.Process())
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := tinyProduct(t, t.Context(), b); err != nil {
		t.Errorf("closing one device ended another: %v", err)
	}
	var closed *device.ClosedError
	if err := tinyProduct(t, t.Context(), a); !errors.As(err, &closed) || closed.Spec.String() != "cuda:0" {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("/proc/" + strconv.Itoa(first)); err == nil {
		t.Errorf("worker %d is still there", first)
	}
	if len(p.shared) != 1 {
		t.Errorf("%d workers are kept", len(p.shared))
	}
	if c := p.opened(t, "cuda:0"); c.Process() == first || tinyProduct(t, t.Context(), c) != nil {
		t.Error("it cannot be opened again")
	}
}

// Opening at the same time starts one worker, and who leaves stops nobody else.
func TestOpenTogether(t *testing.T) {
	p := newMachine("sleep=cuInit:1:100ms")
	type outcome struct {
		d   *Device
		err error
	}
	results := make(chan outcome)
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	for i := range 6 {
		ctx := t.Context()
		if i == 0 {
			ctx = short
		}
		go func() {
			d, err := p.open(ctx, parse(t, "cuda:0"))
			results <- outcome{d, err}
		}()
	}
	pids := map[int]bool{}
	left := 0
	for range 6 {
		switch r := <-results; {
		case errors.Is(r.err, context.DeadlineExceeded):
			left++
		case r.err != nil:
			t.Error(r.err)
		default:
			pids[r.d.Process()] = true
			t.Cleanup(func() { r.d.Close() })
		}
	}
	if left != 1 || len(pids) != 1 {
		t.Errorf("%d left, and there were %d workers", left, len(pids))
	}
	// Everybody leaves: nothing stays behind.
	p = newMachine("sleep=cuInit:1:10s")
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := p.open(ctx, parse(t, "cuda:0")); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.shared) != 0 {
		t.Error("a worker that nobody waits for is kept")
	}
}

// A device that is closed in mid-request ends that request alone.
func TestCloseInMidRequest(t *testing.T) {
	p := newMachine("slow=500ms", func(o *worker.Options) { o.Grace = 5 * time.Second })
	a, b := p.opened(t, "cuda:0"), p.opened(t, "cuda:0,fused")
	ended := make(chan error, 2)
	go func() { ended <- tinyProduct(t, t.Context(), a) }()
	time.Sleep(30 * time.Millisecond)
	other := make(chan error, 1)
	go func() { other <- tinyProduct(t, t.Context(), b) }()
	time.Sleep(10 * time.Millisecond)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	var closed *device.ClosedError
	if err := <-ended; !errors.As(err, &closed) || closed.Spec.String() != "cuda:0" {
		t.Errorf("its request ended with %v", err)
	}
	if err := <-other; err != nil {
		t.Errorf("another device's request ended with %v", err)
	}
}
