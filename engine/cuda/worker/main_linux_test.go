package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
)

// The worker process of these tests is the test binary itself, with a GPU that
// multiplies for real and misbehaves when it is asked to.
const role = "WORKER_TEST_ROLE"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "worker":
		err = serveTest()
	case "program":
		err = programTest()
	case "asks":
		_, err = Ask(context.Background(), Command{Env: []string{role + "=answers"}}, time.Minute)
	case "answers":
		if _, err = Answer(); err == nil {
			_ = os.WriteFile(os.Getenv("WORKER_TEST_FILE"), []byte(strconv.Itoa(os.Getpid())), 0o600)
			time.Sleep(time.Minute)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// How a test worker begins: WORKER_TEST_START.
const (
	startMissing  = "missing"  // there is no GPU
	startCrash    = "crash"    // it ends before it says anything
	startSlow     = "slow"     // it takes ten seconds
	startOther    = "other"    // it is of another build
	startProtocol = "protocol" // it speaks another protocol
	startNoise    = "noise"    // it says what is no frame
	startOnce     = "once"     // it starts if a file is there, and takes it away
)

func serveTest() error {
	files, err := Inherited()
	if err != nil {
		return err
	}
	how, argument, _ := strings.Cut(os.Getenv("WORKER_TEST_START"), "=")
	return Serve(files, func() (Opened, error) {
		switch how {
		case startMissing:
			return Opened{}, &device.UnavailableError{Spec: device.Spec{Kind: device.CUDA}, Reason: "there is no GPU in a test", Next: "do without", Tried: []string{"libcuda.so.1: not here"}}
		case startCrash:
			fmt.Fprintln(os.Stderr, "the test ends here")
			os.Exit(3)
		case startSlow:
			time.Sleep(10 * time.Second)
		case startOther:
			Build = func() (string, error) { return "another build", nil }
		case startProtocol, startNoise:
			bytes := []byte("WBF\xffabcdefghijklmnopqrstuvwxyz")
			if how == startNoise {
				bytes = []byte("libcuda says: hello, world; and more.")
			}
			_, _ = files.replies.Write(bytes)
			time.Sleep(10 * time.Second)
		case startOnce:
			if err := os.Remove(argument); err != nil {
				return Opened{}, errors.New("it has started before")
			}
		}
		return Opened{GPU: &testGPU{files: files}, Driver: 13000}, nil
	})
}

// programTest is a program that asks for a request without an end, and says
// which process serves it.
func programTest() error {
	c, err := Start(context.Background(), testOptions())
	if err != nil {
		return err
	}
	go func() {
		for c.Process() == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond) // the request has begun
		fmt.Println(c.Process())
	}()
	_, err = multiply(context.Background(), c, 1, misbehaveHang, 1)
	return fmt.Errorf("a request without an end ended: %w", err)
}

// The length of a contraction that makes the test GPU misbehave.
const (
	misbehaveHang    = 7001 + iota // it waits in the kernel for ever
	misbehaveSpin                  // it computes for ever
	misbehaveExit                  // the process ends with status 3
	misbehaveKill                  // the process is killed
	misbehaveSegv                  // the process dies of a memory fault
	misbehavePanic                 // the process panics
	misbehaveSticky                // nothing works from then on
	misbehaveMemory                // out of memory
	misbehaveFault                 // a launch failure that leaves the device as it is
	misbehaveText                  // an error without a type
	misbehaveWeak                  // an error, and the device is not in order any more
	misbehaveSlow                  // 200 ms
	misbehaveNoise                 // it answers what is no frame
	misbehaveOther                 // it answers another request
	misbehaveShape                 // a shape error
	misbehaveCutOff                // half a reply, and the end
	misbehaveNothing               // the last one: it behaves
)

// testGPU multiplies float64 matrices.
type testGPU struct {
	files  *Files
	weak   bool
	checks int
}

func (g *testGPU) Device() nvidia.Device {
	return nvidia.Device{Name: "test GPU", Major: 9, Memory: 1 << 30}
}

func (g *testGPU) Close() error { return nil }

func (g *testGPU) Healthy() error {
	g.checks++
	if g.weak {
		return errors.New("the device is gone")
	}
	return nil
}

func at(bytes []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*i:]))
}

func put(bytes []byte, i int, x float64) {
	binary.LittleEndian.PutUint64(bytes[8*i:], math.Float64bits(x))
}

var spun atomic.Int64

func (g *testGPU) Multiply(p session.Product, left, right, out []byte) (device.Stats, error) {
	if p.Precision != device.Float64 {
		return device.Stats{}, fmt.Errorf("no %s here", p.Precision)
	}
	spec := device.Spec{Kind: device.CUDA}
	switch p.K {
	case misbehaveHang:
		for {
			_, _ = syscall.Read(aliveFD, make([]byte, 1)) // nothing is ever there to read
		}
	case misbehaveSpin:
		for {
			spun.Add(1)
		}
	case misbehaveExit:
		fmt.Fprintln(os.Stderr, "out of ideas")
		os.Exit(3)
	case misbehaveKill:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case misbehaveSegv:
		_ = syscall.Kill(os.Getpid(), syscall.SIGSEGV)
		time.Sleep(time.Minute)
	case misbehavePanic:
		panic("BUG: a panic in the worker")
	case misbehaveSticky:
		return device.Stats{}, fmt.Errorf("a kernel went wrong: %w", &nvidia.Error{Library: "driver", Call: "cuCtxSynchronize", Code: nvidia.IllegalAddress, Name: "CUDA_ERROR_ILLEGAL_ADDRESS"})
	case misbehaveMemory:
		return device.Stats{}, &device.MemoryError{Spec: spec, Asked: 1 << 40, Free: 1 << 30, Reserve: 1 << 29}
	case misbehaveFault:
		return device.Stats{}, &device.FaultError{Spec: spec, Fault: device.LaunchFailure, Detail: "it does not start", Next: "start it"}
	case misbehaveText:
		return device.Stats{}, errors.New("something is odd")
	case misbehaveWeak:
		g.weak = true
		return device.Stats{}, errors.New("something broke")
	case misbehaveSlow:
		time.Sleep(200 * time.Millisecond)
	case misbehaveNoise:
		_, _ = g.files.replies.Write([]byte("all your frames are belong to someone else"))
	case misbehaveOther:
		var b frameBuilder
		b.result(1 << 60)
		bytes, _ := b.finish()
		_, _ = g.files.replies.Write(bytes)
	case misbehaveShape:
		return device.Stats{}, &tensor.ShapeError{Op: "matmul", Left: []int{1, 2}, Right: []int{3, 4}, Reason: "does not fit"}
	case misbehaveCutOff:
		var b frameBuilder
		b.result(1)
		bytes, _ := b.finish()
		_, _ = g.files.replies.Write(bytes[:30])
		os.Exit(4)
	}
	for b := range p.B {
		for i := range p.M {
			for j := range p.N {
				sum := 0.0
				for k := range p.K {
					sum += float64(at(left, (b*p.M+i)*p.K+k) * at(right, (b*p.K+k)*p.N+j))
				}
				if p.Mean {
					sum /= float64(p.K)
				}
				put(out, (b*p.M+i)*p.N+j, sum)
			}
		}
	}
	return device.Stats{Requests: 1, Launches: 1, BytesIn: int64(len(left) + len(right)), BytesOut: int64(len(out)), KernelNS: int64(g.checks)}, nil
}

// Sequence runs the kernels of these tests by their symbols.
func (g *testGPU) Sequence(launches []*launch.Launch) ([]*launch.Result, error) {
	var results []*launch.Result
	for i, l := range launches {
		r, err := g.launch(l)
		if err != nil {
			return results, launch.At(launches, i, err)
		}
		results = append(results, r)
	}
	return results, nil
}

func (g *testGPU) launch(l *launch.Launch) (*launch.Result, error) {
	r := &launch.Result{Device: "test GPU", Log: "a warning", Cost: launch.Cost{CopyInNS: 1, KernelNS: 2, CopyOutNS: 3}}
	switch l.Kernel.Symbol {
	case "broken":
		return nil, &launch.CompileError{File: l.Kernel.File, Log: "line 3: no", Diagnostics: []launch.Diagnostic{{Line: 3, Severity: "error", Message: "no", Source: "x ="}}}
	case "long":
		return nil, &launch.CompileError{File: l.Kernel.File, Log: strings.Repeat("no \"way\"\n", 1<<20)}
	case "unfit":
		return nil, &launch.ArgumentError{Symbol: l.Kernel.Symbol, Field: "grid", Reason: "too large"}
	case "endless":
		_, _ = syscall.Read(aliveFD, make([]byte, 1))
	case "print":
		fmt.Print(l.Kernel.Source)
	}
	r.Output = g.files.Output()
	for _, a := range l.Args {
		var out []byte
		if a.Buffer != nil && a.Buffer.Out {
			out = append([]byte{}, a.Buffer.Data...)
			for i := range out {
				out[i] ^= 0xff
			}
		}
		r.Buffers = append(r.Buffers, out)
	}
	return r, nil
}

// testOptions start the test binary as a worker.
func testOptions(env ...string) Options {
	return Options{
		Spec:    device.Spec{Kind: device.CUDA},
		Command: Command{Env: append([]string{role + "=worker", "GORACE=atexit_sleep_ms=0"}, env...)}, // no second of waiting under the race detector
	}
}

func open(t testing.TB, o Options) *Client {
	t.Helper()
	c, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// folder is where a file can be that startOnce wants.
func folder(t *testing.T) (file, start string) {
	file = filepath.Join(t.TempDir(), "once")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, "WORKER_TEST_START=" + startOnce + "=" + file
}

// reaped reports whether a process has ended, and its parent waited for it,
// within a while.
func reaped(pid int, within time.Duration) bool {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err != nil {
			return true
		}
	}
	return false
}

// stopped waits until every thread of a process has stopped: the signal reaches one
// of them, which tells the others when it runs next.
func stopped(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(100 * time.Microsecond) {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil || len(threads) == 0 {
			t.Fatalf("process %d is gone: %v", pid, err)
		}
		if !slices.ContainsFunc(threads, func(file string) bool {
			status, err := os.ReadFile(file)
			_, rest, ok := strings.Cut(string(status), ") ")
			return err == nil && (!ok || !strings.HasPrefix(rest, "T"))
		}) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d does not stop", pid)
		}
	}
}

// gone reports whether a process has ended within a while; that of another
// program may not have been waited for.
func gone(pid int, within time.Duration) bool {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return true
		}
		// A process that ended and was not waited for is a zombie.
		if _, rest, ok := strings.Cut(string(status), ") "); ok && strings.HasPrefix(rest, "Z") {
			return true
		}
	}
	return false
}
