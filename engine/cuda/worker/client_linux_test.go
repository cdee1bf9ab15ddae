package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
)

// multiply asks for a product of small integers, and holds its cells to the sums
// that it computes itself.
func multiply(ctx context.Context, c *Client, m, k, n int) (device.Stats, error) {
	return multiplyWith(ctx, c, m, k, n, nil)
}

func multiplyWith(ctx context.Context, c *Client, m, k, n int, begun func()) (device.Stats, error) {
	random := rand.New(rand.NewPCG(uint64(m), uint64(k*n)))
	integers := func(count int) []float64 {
		x := make([]float64, count)
		for i := range x {
			x[i] = float64(random.IntN(17) - 8)
		}
		return x
	}
	left, right := integers(m*k), integers(k*n)
	var wrong error
	taken := false
	stats, err := c.Multiply(ctx, session.Product{B: 1, M: m, K: k, N: n}, func(l, r []byte) error {
		for i, x := range left {
			put(l, i, x)
		}
		for i, x := range right {
			put(r, i, x)
		}
		if begun != nil {
			begun()
		}
		return nil
	}, func(out []byte) {
		taken = true
		if len(out) != 8*m*n {
			wrong = fmt.Errorf("the result has %d bytes", len(out))
			return
		}
		// All cells of a small product, and some of a large one.
		step := max(1, m*n/500)
		for q := 0; q < m*n; q += step {
			sum := 0.0
			for i := range k {
				sum += left[q/n*k+i] * right[i*n+q%n]
			}
			if got := at(out, q); math.Float64bits(got) != math.Float64bits(sum) {
				wrong = fmt.Errorf("WRONG: cell %d of %d×%d×%d is %v, want %v", q, m, k, n, got, sum)
				return
			}
		}
	})
	if wrong != nil {
		return stats, wrong
	}
	if err == nil && !taken {
		return stats, errors.New("WRONG: no error and no result")
	}
	if err != nil && (taken || stats != (device.Stats{})) {
		return stats, fmt.Errorf("WRONG: a result together with %w", err)
	}
	return stats, err
}

// sound asks for a product that must come out right.
func sound(t testing.TB, c *Client) device.Stats {
	t.Helper()
	stats, err := multiply(t.Context(), c, 5, 9, 6)
	if err != nil {
		t.Fatalf("a sound product failed: %v", err)
	}
	return stats
}

func TestProducts(t *testing.T) {
	c := open(t, testOptions())
	if h := c.Hello(); h.Driver != 13000 || h.Device.Name != "test GPU" || h.Device.Memory != 1<<30 {
		t.Errorf("it said %+v", h)
	}
	// Operands and results below, at and above what a frame takes, in every
	// combination, and smaller ones after larger ones.
	for _, s := range [][3]int{
		{2, 3, 2}, {1, 1, 1}, {17, 33, 9}, {90, 90, 1}, {91, 1, 91}, {1, 4096, 1}, {1, 8191, 1}, {1, 8192, 1}, {2, 8192, 1},
		{91, 90, 1}, {100, 100, 100}, {90, 1, 91}, {90, 91, 1}, {3, 5, 2}, {8192, 1, 1}, {8191, 1, 1}, {500, 2, 600}, {1, 1, 1},
	} {
		stats, err := multiply(t.Context(), c, s[0], s[1], s[2])
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		want := device.Stats{Requests: 1, Launches: 1, BytesIn: int64(8 * (s[0]*s[1] + s[1]*s[2])), BytesOut: int64(8 * s[0] * s[2])}
		if stats != want {
			t.Errorf("%v: %+v, want %+v", s, stats, want)
		}
	}
	mean := math.NaN()
	if _, err := c.Multiply(t.Context(), session.Product{B: 1, M: 1, K: 4, N: 1, Mean: true}, func(l, r []byte) error {
		for i := range 4 {
			put(l, i, float64(i))
			put(r, i, 1)
		}
		return nil
	}, func(out []byte) { mean = at(out, 0) }); err != nil || mean != 1.5 {
		t.Errorf("mean %v, %v", mean, err)
	}
}

func TestLaunches(t *testing.T) {
	c := open(t, testOptions())
	data := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i * 7)
		}
		return b
	}
	for _, sizes := range [][]int{{}, {0}, {5}, {5, 70, 1}, {70000}, {0, 70000, 3}, {40000, 40000}, {3}} {
		l := &launch.Launch{
			Kernel: launch.Kernel{File: "a.cu", Source: "said\n", Symbol: "print"},
			Grid:   launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: 1, Y: 1, Z: 1},
			Args: []launch.Arg{{Name: "n", Value: []byte{1, 2, 3, 4}}},
		}
		for i, n := range sizes {
			l.Args = append(l.Args, launch.Arg{Name: "b", Buffer: &launch.Buffer{Type: "char", Data: data(n), Out: i%3 != 2}})
		}
		r, err := c.Launch(t.Context(), l)
		if err != nil {
			t.Fatalf("%v: %v", sizes, err)
		}
		if r.Device != "test GPU" || r.Log != "a warning" || r.Output != "said\n" || r.Cost != (launch.Cost{CopyInNS: 1, KernelNS: 2, CopyOutNS: 3}) || len(r.Buffers) != len(l.Args) {
			t.Errorf("%v: %+v", sizes, r)
		}
		for i, a := range l.Args {
			switch {
			case a.Buffer == nil || !a.Buffer.Out:
				if r.Buffers[i] != nil {
					t.Errorf("%v: argument %d came back", sizes, i)
				}
			case r.Buffers[i] == nil || len(r.Buffers[i]) != len(a.Buffer.Data):
				t.Errorf("%v: argument %d came back as %d bytes", sizes, i, len(r.Buffers[i]))
			default:
				for j, b := range r.Buffers[i] {
					if b != a.Buffer.Data[j]^0xff {
						t.Fatalf("%v: byte %d of argument %d is %#x", sizes, j, i, b)
					}
				}
			}
		}
	}
	r, err := c.Launch(t.Context(), &launch.Launch{Kernel: launch.Kernel{Source: strings.Repeat("long ", 40000), Symbol: "print"}})
	if err != nil || !strings.HasPrefix(r.Output, "long long") || len(r.Output) > mostOutput+100 || !strings.HasSuffix(r.Output, "(cut: 200000 bytes were printed)") {
		t.Errorf("%d bytes of output, %v", len(r.Output), err)
	}
	for symbol, want := range map[string]any{"broken": &launch.CompileError{}, "long": &launch.CompileError{}, "unfit": &launch.ArgumentError{}} {
		_, err := c.Launch(t.Context(), &launch.Launch{Kernel: launch.Kernel{File: "a.cu", Symbol: symbol}})
		if fmt.Sprintf("%T", err) != fmt.Sprintf("%T", want) {
			t.Errorf("%s: %T: %v", symbol, err, err)
		}
		var compile *launch.CompileError
		if errors.As(err, &compile) && (compile.File != "a.cu" || len(compile.Log) > mostText+100 || compile.Log == "") {
			t.Errorf("%s: %+v", symbol, compile)
		}
		sound(t, c)
	}

	// Of several, one fails: which one, why, and what was printed before.
	one := func(symbol string) *launch.Launch {
		return &launch.Launch{Kernel: launch.Kernel{File: "a.cu", Source: "said\n", Symbol: symbol}}
	}
	results, err := c.Sequence(t.Context(), []*launch.Launch{one("print"), one("print"), one("unfit"), one("print")})
	var at *launch.SequenceError
	var unfit *launch.ArgumentError
	if len(results) != 2 || results[1].Output != "said\n" || results[1].Log != "a warning" || !errors.As(err, &at) || at.Index != 2 || !errors.As(err, &unfit) {
		t.Errorf("%+v, %v", results, err)
	}
	if results, err = c.Sequence(t.Context(), slices.Repeat([]*launch.Launch{one("print")}, launch.MaxSequence)); err != nil || len(results) != launch.MaxSequence {
		t.Errorf("%d results, %v", len(results), err)
	}
}

// Whatever happens to a worker in a request costs that request, is said in its
// error, and leaves a device in order.
func TestMisbehaviour(t *testing.T) {
	o := testOptions()
	o.ProductLimit = time.Second // which the others keep far below, also on a busy machine
	c := open(t, o)
	fault := func(f device.Fault, words ...string) func(error) error {
		return func(err error) error {
			var e *device.FaultError
			if !errors.As(err, &e) || e.Fault != f || e.Next == "" {
				return fmt.Errorf("%T: %w, want a fault %q", err, err, f)
			}
			for _, w := range words {
				if !strings.Contains(err.Error(), w) {
					return fmt.Errorf("%q does not say %q", err, w)
				}
			}
			return nil
		}
	}
	typed := func(target any) func(error) error {
		return func(err error) error {
			if !errors.As(err, target) {
				return fmt.Errorf("%T: %w", err, err)
			}
			return nil
		}
	}
	for _, test := range []struct {
		name     string
		k        int
		replaced bool
		want     func(error) error
	}{
		{"hang", misbehaveHang, true, fault(device.TimeLimit, "1s")},
		{"spin", misbehaveSpin, true, fault(device.TimeLimit)},
		{"exit", misbehaveExit, true, fault(device.WorkerEnded, "exit status 3", "out of ideas")},
		{"kill", misbehaveKill, true, fault(device.WorkerEnded, "signal: killed", "memory")},
		{"memory fault", misbehaveSegv, true, fault(device.WorkerEnded, "SIGSEGV")},
		{"panic", misbehavePanic, true, fault(device.WorkerEnded, "panic: BUG: a panic in the worker")},
		{"sticky", misbehaveSticky, true, fault(device.DriverFailure, "CUDA_ERROR_ILLEGAL_ADDRESS")},
		{"out of memory", misbehaveMemory, false, typed(new(*device.MemoryError))},
		{"fault", misbehaveFault, false, fault(device.LaunchFailure, "it does not start")},
		{"text", misbehaveText, false, fault(device.DriverFailure, "something is odd")},
		{"not in order after it", misbehaveWeak, true, fault(device.DriverFailure, "something broke")},
		{"noise", misbehaveNoise, true, fault(device.WorkerEnded, "malformed frame")},
		{"another request", misbehaveOther, true, fault(device.WorkerEnded, "answers request")},
		{"shape", misbehaveShape, false, typed(new(*tensor.ShapeError))},
		{"cut off", misbehaveCutOff, true, fault(device.WorkerEnded, "exit status 4")},
		{"nothing", misbehaveNothing, false, func(err error) error { return err }},
	} {
		t.Run(test.name, func(t *testing.T) {
			sound(t, c)
			before := c.Process()
			_, err := multiply(t.Context(), c, 1, test.k, 1)
			if wrong := test.want(err); wrong != nil {
				t.Error(wrong)
			}
			sound(t, c)
			if replaced := c.Process() != before; replaced != test.replaced {
				t.Errorf("the worker was replaced: %v", replaced)
			}
			if test.replaced && !gone(before, 2*time.Second) {
				t.Errorf("process %d is still there", before)
			}
		})
	}
}

// under makes a worker that a shell starts, which does something before and after
// it, as a tool does that watches it.
func under(o Options, before, after string) Options {
	o.Command.Args = append([]string{"-c", before + "\n\"$0\" \"$@\"\n" + after, os.Args[0]}, o.Command.Args...)
	o.Command.Path = "/bin/sh"
	return o
}

// What watches a worker hears its end, also of one whose device has failed, and
// no other worker starts before it has said what it saw.
func TestWatched(t *testing.T) {
	for name, end := range map[string]func(*Client) error{
		"closed": func(*Client) error { return nil },
		"sticky": func(c *Client) error { _, err := multiply(t.Context(), c, 1, misbehaveSticky, 1); return err },
		"the next one waits": func(c *Client) error {
			_, err := multiply(t.Context(), c, 1, misbehaveSticky, 1)
			sound(t, c)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "said")
			o := under(testOptions(), "", "sleep 0.3; echo ended >>"+file)
			o.Grace = 10 * time.Second
			c := open(t, o)
			sound(t, c)
			before := c.Process()
			err := end(c)
			if sticky := name != "closed"; sticky != (err != nil) {
				t.Errorf("the request ended with %v", err)
			}
			want := "ended\n"
			if text, _ := os.ReadFile(file); name == "the next one waits" {
				if string(text) != want || c.Process() == before {
					t.Errorf("the next worker is process %d, the one before was %d and said %q", c.Process(), before, text)
				}
				want += want
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(file); err != nil || string(text) != want {
				t.Errorf("it said %q, %v", text, err)
			}
		})
	}
}

// What a worker was started under ends with it when it is killed.
func TestKilledWithItsGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "child")
	o := under(testOptions(), "sleep 60 & echo $! >"+file, "wait")
	o.ProductLimit = 300 * time.Millisecond
	c := open(t, o)
	_, err := multiply(t.Context(), c, 1, misbehaveHang, 1)
	var fault *device.FaultError
	if !errors.As(err, &fault) || fault.Fault != device.TimeLimit {
		t.Errorf("a request without an end: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if !gone(child, 2*time.Second) {
		t.Errorf("process %d goes on", child)
	}
}

// After a failure, and after a while without requests, the worker is asked first
// whether its device is in order; otherwise that costs nothing.
func TestHealthChecks(t *testing.T) {
	o := testOptions()
	o.Idle = 500 * time.Millisecond
	c := open(t, o)
	checks := func() int64 { t.Helper(); return sound(t, c).KernelNS }
	for range 2 {
		if checks() != 0 {
			t.Error("a device in use was checked")
		}
	}
	if _, err := multiply(t.Context(), c, 1, misbehaveMemory, 1); err == nil {
		t.Fatal("no error")
	}
	if n := checks(); n != 1 {
		t.Errorf("after a failure: %d checks", n)
	}
	if n := checks(); n != 1 {
		t.Errorf("after a success: %d checks", n)
	}
	time.Sleep(o.Idle)
	if n := checks(); n != 2 {
		t.Errorf("after a while: %d checks", n)
	}
}

// A worker that ends while nobody asks anything of it costs no request.
func TestEndWhileIdle(t *testing.T) {
	c := open(t, testOptions())
	for range 20 {
		pid := c.Process()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if !reaped(pid, time.Second) {
			t.Fatal("it was not killed")
		}
		sound(t, c)
	}
}

func TestStart(t *testing.T) {
	for _, test := range []struct {
		name, start string
		limit       time.Duration
		words       []string
	}{
		{"no GPU", startMissing, 0, []string{"there is no GPU in a test", "do without", "libcuda.so.1: not here"}},
		{"crash", startCrash, 0, []string{"exit status 3", "the test ends here"}},
		{"slow", startSlow, 200 * time.Millisecond, []string{"200ms", "nvidia-smi"}},
		{"another build", startOther, 0, []string{"the program was replaced while it ran", "start it again"}},
		{"another protocol", startProtocol, 0, []string{"the program was replaced while it ran", "start it again"}},
		{"noise", startNoise, 0, []string{"malformed", "it begins with"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := testOptions("WORKER_TEST_START=" + test.start)
			o.StartLimit = test.limit
			c, err := Start(t.Context(), o)
			var missing *device.UnavailableError
			if c != nil || !errors.As(err, &missing) || missing.Next == "" {
				t.Fatalf("%T: %v", err, err)
			}
			for _, w := range test.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
	o := testOptions()
	o.Command.Path = "/nowhere/at/all"
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "could not be started") {
		t.Error(err)
	}
}

// A worker that cannot be started again fails each request with the cause, and
// is not tried for every one of them.
func TestFailingRestarts(t *testing.T) {
	file, how := folder(t)
	c := open(t, testOptions(how))
	sound(t, c)
	if _, err := multiply(t.Context(), c, 1, misbehaveExit, 1); err == nil {
		t.Fatal("no error")
	}
	begin := time.Now()
	for range 200 {
		_, err := multiply(t.Context(), c, 1, 1, 1)
		if err == nil || !strings.Contains(err.Error(), "it has started before") {
			t.Fatal(err)
		}
	}
	// 200 starts would take a second at least.
	if took := time.Since(begin); took > 500*time.Millisecond {
		t.Errorf("200 requests without a worker took %v", took)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := multiply(t.Context(), c, 1, 1, 1); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the worker was never started again")
		}
	}
}

func TestCancel(t *testing.T) {
	o := testOptions()
	o.Grace = time.Second
	c := open(t, o)
	sound(t, c)
	within := func(what string, most time.Duration, f func()) {
		t.Helper()
		begin := time.Now()
		f()
		if took := time.Since(begin); took > most {
			t.Errorf("%s took %v", what, took)
		}
	}
	limited := func(d time.Duration, k int) error {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		_, err := multiply(ctx, c, 1, k, 1)
		return err
	}
	// In mid-request: back at once; a request that ends soon costs no worker.
	before := c.Process()
	within("leaving a slow request", 150*time.Millisecond, func() {
		if err := limited(2*time.Millisecond, misbehaveSlow); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	sound(t, c)
	if c.Process() != before {
		t.Error("a request that was abandoned and ended cost the worker")
	}
	// One that does not end is ended with its worker, after a grace.
	within("leaving a request without an end", 500*time.Millisecond, func() {
		if err := limited(20*time.Millisecond, misbehaveHang); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	within("the next request", 5*time.Second, func() { sound(t, c) })
	if c.Process() == before || !gone(before, time.Second) {
		t.Error("a request without an end was not ended")
	}
	// In the queue.
	begun, ended := make(chan struct{}), make(chan error)
	go func() {
		_, err := multiplyWith(t.Context(), c, 1, misbehaveHang, 1, func() { close(begun) })
		ended <- err
	}()
	<-begun
	within("leaving the queue", 500*time.Millisecond, func() {
		if err := limited(10*time.Millisecond, 3); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	// Before it begins.
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := multiply(done, c, 1, 1, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// By an operand that cannot be written.
	pid := c.Process()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("no error")
	}
	want := errors.New("no such operand")
	if _, err := c.Multiply(t.Context(), session.Product{B: 1, M: 1, K: 1, N: 1}, func(_, _ []byte) error { return want }, nil); !errors.Is(err, want) {
		t.Error(err)
	}
	sound(t, c)
}

// While a worker starts, who asked may leave; the start goes on for the next.
func TestCancelledStart(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := Start(ctx, testOptions("WORKER_TEST_START="+startSlow)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("leaving a start took %v", took)
	}

	c := open(t, testOptions())
	if _, err := multiply(t.Context(), c, 1, misbehaveExit, 1); err == nil {
		t.Fatal("no error")
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Microsecond)
	defer cancel()
	if _, err := multiply(short, c, 1, 1, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	sound(t, c)
}

func TestQueueIsFair(t *testing.T) {
	c := open(t, testOptions())
	var (
		mu    sync.Mutex
		order []int
		group sync.WaitGroup
	)
	c.turn <- struct{}{} // nobody begins yet
	for i := range 12 {
		group.Go(func() {
			_, err := multiplyWith(t.Context(), c, 1, 2, 3, func() {
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
			})
			if err != nil {
				t.Error(err)
			}
		})
		time.Sleep(20 * time.Millisecond) // it queues
	}
	c.leave()
	group.Wait()
	if !slices.IsSorted(order) || len(order) != 12 {
		t.Errorf("served in the order %v", order)
	}
}

func TestClose(t *testing.T) {
	before := goroutines()
	for _, k := range []int{0, misbehaveSlow, misbehaveHang} {
		c, err := Start(t.Context(), testOptions())
		if err != nil {
			t.Fatal(err)
		}
		pid := c.Process()
		ended := make(chan error, 3)
		if k > 0 {
			begun := make(chan struct{})
			go func() {
				_, err := multiplyWith(t.Context(), c, 1, k, 1, func() { close(begun) })
				ended <- err
			}()
			<-begun
			for range 2 {
				go func() {
					_, err := multiply(t.Context(), c, 1, 1, 1)
					ended <- err
				}()
			}
			time.Sleep(5 * time.Millisecond)
		}
		begin := time.Now()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("closing took %v", took)
		}
		var closed *device.ClosedError
		if k > 0 {
			for range 3 {
				select {
				case err := <-ended:
					if !errors.As(err, &closed) {
						t.Errorf("a request of a client that was closed ended with %v", err)
					}
				case <-time.After(5 * time.Second):
					t.Fatal("a request hangs")
				}
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if _, err := multiply(t.Context(), c, 1, 1, 1); !errors.As(err, &closed) {
			t.Errorf("a request of a closed client: %v", err)
		}
		if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err == nil {
			t.Errorf("process %d is still there, or a zombie", pid)
		}
	}
	for end := time.Now().Add(2 * time.Second); goroutines() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines before, %d after", before, goroutines())
		}
	}
}

func goroutines() int { return runtime.NumGoroutine() }

// A worker ends with its program, even in a request without an end and when the
// program is killed and can do nothing about it.
func TestNeverOrphaned(t *testing.T) {
	program := exec.Command(ownFile())
	program.Env = append(os.Environ(), role+"=program")
	said, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 32)
	n, _ := said.Read(line)
	pid, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil || syscall.Kill(pid, 0) != nil {
		t.Fatalf("it said %q", line[:n])
	}
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait()
	if !gone(pid, 2*time.Second) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Errorf("worker %d outlives its program", pid)
	}
}

// A worker that is killed in mid-request costs that request alone, a hundred
// times.
func TestKilledInMidRequest(t *testing.T) {
	c := open(t, testOptions())
	errs := 0
	for i := range 100 {
		// A stopped process does not answer; killed, it never will. Odd rounds
		// have their operands and result in shared memory.
		size := []int{8, 120}[i%2]
		_, err := multiplyWith(t.Context(), c, size, size, size, func() {
			pid := c.Process()
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Error(err)
			}
			stopped(t, pid)
			time.AfterFunc(time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		})
		var fault *device.FaultError
		if !errors.As(err, &fault) || fault.Fault != device.WorkerEnded || !strings.Contains(fault.Detail, "killed") {
			t.Fatalf("round %d: %v", i, err)
		}
		errs++
		sound(t, c)
	}
	if errs != 100 {
		t.Errorf("%d errors", errs)
	}
}

// Eight clients ask at once while workers die under them: every request ends,
// with its result or with the one error that fits.
func TestManyWhileWorkersDie(t *testing.T) {
	c := open(t, testOptions())
	stop := make(chan struct{})
	var killer, clients sync.WaitGroup
	var good, bad atomic.Int64
	killer.Go(func() {
		for served := int64(0); ; {
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Millisecond):
			}
			// Each worker serves a few, so that its successor is not killed while
			// it starts.
			if pid := c.Process(); pid != 0 && good.Load() > served+3 {
				served = good.Load()
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	for g := range 8 {
		clients.Go(func() {
			for i := range 40 {
				size := 3 + (g*40+i)%90
				_, err := multiply(t.Context(), c, size, size, size)
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
	close(stop)
	killer.Wait()
	if good.Load()+bad.Load() != 320 || good.Load() < 100 || bad.Load() == 0 {
		t.Errorf("%d good and %d failed", good.Load(), bad.Load())
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if _, err := multiply(t.Context(), c, 2, 3, 2); err == nil {
			return
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func BenchmarkTinyProduct(b *testing.B) {
	c := open(b, testOptions())
	sound(b, c)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Multiply(b.Context(), session.Product{B: 1, M: 2, K: 3, N: 2}, func(_, _ []byte) error { return nil }, func([]byte) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// Shared memory that a large request took is given back later, and works again.
func TestTrim(t *testing.T) {
	c := open(t, testOptions())
	pages := func() int64 {
		t.Helper()
		info, err := c.process.memory.file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return info.Sys().(*syscall.Stat_t).Blocks * 512
	}
	const k = mostKept/16 + 1
	for range 2 {
		if _, err := multiply(t.Context(), c, 1, k, 1); err != nil {
			t.Fatal(err)
		}
		if n := pages(); n < mostKept {
			t.Errorf("a request of %d bytes left %d", 16*k, n)
		}
		c.turn <- struct{}{}
		c.trimNow() // while a request runs
		c.leave()
		if n := pages(); n < mostKept {
			t.Errorf("shared memory was given back while a request ran: %d bytes are left", n)
		}
		c.trimNow()
		if n := pages(); n != 0 {
			t.Errorf("%d bytes were not given back", n)
		}
	}
	if c.trim == nil {
		t.Error("nobody gives it back")
	}
	sound(t, c)
}

// What is too large for a launch is refused before anything is sent.
func TestLaunchIsBounded(t *testing.T) {
	c := open(t, testOptions())
	var refused *launch.ArgumentError
	for field, l := range map[string]*launch.Launch{
		"kernel.source": {Kernel: launch.Kernel{Source: strings.Repeat(" ", mostSource+1), Symbol: "f"}},
		"args":          {Kernel: launch.Kernel{Symbol: "f"}, Args: slices.Repeat([]launch.Arg{{Value: []byte{1}}}, mostArgs+1)},
	} {
		if _, err := c.Launch(t.Context(), l); !errors.As(err, &refused) || refused.Field != field || refused.Symbol != "f" {
			t.Errorf("%s: %v", field, err)
		}
	}
	r, err := c.Launch(t.Context(), &launch.Launch{Kernel: launch.Kernel{Source: strings.Repeat("\x01", mostSource), Symbol: "print"}})
	if err != nil || !strings.HasPrefix(r.Output, "\x01\x01") {
		t.Errorf("the longest source: %v", err)
	}
}

// What the system refuses a worker is said with what to do.
func TestRefusedByTheSystem(t *testing.T) {
	for code, words := range map[syscall.Errno]string{
		syscall.EMFILE: "ulimit -n", syscall.EAGAIN: "end other programs", syscall.EPERM: "sandbox", syscall.EFBIG: "ulimit -f", syscall.EIO: "fault of the workbench",
	} {
		if next := afterRefusal(fmt.Errorf("pipe2: %w", os.NewSyscallError("pipe2", code))); !strings.Contains(next, words) {
			t.Errorf("after %v: %q", code, next)
		}
	}
	c := open(t, testOptions())
	sound(t, c)
	before := c.Process()
	c.process.memory.file.Close() // nothing can make it longer
	_, err := multiply(t.Context(), c, 200, 1, 200)
	var missing *device.UnavailableError
	if !errors.As(err, &missing) || !strings.Contains(missing.Reason, "memory to share") || missing.Next == "" {
		t.Errorf("%T: %v", err, err)
	}
	sound(t, c)
	if c.Process() != before {
		t.Error("a request that was not begun cost the worker")
	}
}
