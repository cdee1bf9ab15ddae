package fake_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/dtype"
)

// code returns the result that a library refused with, or 0.
func code(err error) int {
	var e *nvidia.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// context opens the first device.
func context(t *testing.T, c fake.Config) (*fake.Machine, nvidia.Context) {
	t.Helper()
	m, d := open(t, c)
	opened, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return m, opened
}

// load compiles source for the device, and returns one of its kernels.
func load(t *testing.T, m *fake.Machine, c nvidia.Context, source, symbol string, options ...string) nvidia.Function {
	t.Helper()
	compiler, err := m.Compiler()
	if err != nil {
		t.Fatal(err)
	}
	image, _, err := compiler.Compile("sample.cu", source, nil, append(options, "--gpu-architecture=sm_90"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := c.Load(image)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Function(module, symbol)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var one = nvidia.Dim3{X: 1, Y: 1, Z: 1}

func u64(x uint64) []byte { return binary.LittleEndian.AppendUint64(nil, x) }
func u32(x uint32) []byte { return binary.LittleEndian.AppendUint32(nil, x) }

// Memory that nobody wrote is NaN, whatever it is read as.
func TestFreshMemoryIsNaN(t *testing.T) {
	_, c := context(t, fake.Config{})
	p, err := c.Alloc(100_000)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 8)
	for _, at := range []nvidia.Pointer{0, 65_536 - 8, 65_536, 100_000 - 8} {
		if err := c.CopyOut(b, p+at); err != nil {
			t.Fatal(err)
		}
		half := binary.LittleEndian.Uint16(b)
		for name, x := range map[string]float64{
			"float64":  math.Float64frombits(binary.LittleEndian.Uint64(b)),
			"float32":  float64(math.Float32frombits(binary.LittleEndian.Uint32(b))),
			"float16":  dtype.Float16FromBits(half),
			"bfloat16": dtype.BFloat16FromBits(half),
		} {
			if x == x {
				t.Errorf("offset %d is %v as %s", at, x, name)
			}
		}
	}
}

// A kernel that leaves its buffer is found out one byte beyond it, before it, and
// in a buffer that was freed; so is one that reads at an odd address.
func TestKernelAddresses(t *testing.T) {
	for _, c := range []struct {
		name   string
		offset int
		want   int
	}{
		{"inside", 96, 0},
		{"beyond", 100, nvidia.IllegalAddress},
		{"across the end", 98, nvidia.MisalignedAddress},
		{"before", -4, nvidia.IllegalAddress},
		{"odd", 1, nvidia.MisalignedAddress},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, gpu := context(t, fake.Config{})
			f := load(t, m, gpu, `extern "C" __global__ void conform_store(unsigned* p) { *p = 1; }`, "conform_store")
			before, err := gpu.Alloc(64)
			if err != nil {
				t.Fatal(err)
			}
			p, err := gpu.Alloc(100)
			if err != nil {
				t.Fatal(err)
			}
			if err := gpu.Launch(f, one, one, 0, [][]byte{u64(uint64(int64(p) + int64(c.offset)))}); err != nil {
				t.Errorf("the launch itself: %v", err)
			}
			// What does not wait does not know yet.
			if _, _, err := gpu.Memory(); err != nil {
				t.Errorf("the free memory: %v", err)
			}
			err = gpu.Synchronize()
			if code(err) != c.want {
				t.Errorf("the kernel's end: %v, want result %d", err, c.want)
			}
			if again := gpu.CopyOut(make([]byte, 1), before); code(again) != c.want {
				t.Errorf("from then on: %v, want result %d", again, c.want)
			}
		})
	}

	m, gpu := context(t, fake.Config{})
	f := load(t, m, gpu, `extern "C" __global__ void conform_store(unsigned* p) { *p = 1; }`, "conform_store")
	p, err := gpu.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first time it is there
		if err := gpu.Launch(f, one, one, 0, [][]byte{u64(uint64(p))}); err != nil {
			t.Fatal(err)
		}
		if err := gpu.Free(p); err != nil {
			break
		}
	}
	if err := gpu.Synchronize(); code(err) != nvidia.IllegalAddress {
		t.Errorf("memory that was freed was written to: %v", err)
	}
}

// The driver looks the addresses of copies up, and refuses those that are none
// without harm.
func TestCopyAddresses(t *testing.T) {
	_, c := context(t, fake.Config{})
	p, err := c.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"in, beyond":   c.CopyIn(p+1, make([]byte, 100)),
		"out, beyond":  c.CopyOut(make([]byte, 101), p),
		"fill, beyond": c.Fill(p, 0, 101),
		"in, nowhere":  c.CopyIn(0x1000, make([]byte, 1)),
	} {
		if code(err) != nvidia.InvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Synchronize(); err != nil {
		t.Errorf("after that: %v", err)
	}
}

func TestLaunchChecksParameters(t *testing.T) {
	m, c := context(t, fake.Config{})
	f := load(t, m, c, fake.Source, "add_one")
	p, err := c.Alloc(4)
	if err != nil {
		t.Fatal(err)
	}
	for name, parameters := range map[string][][]byte{
		"none": nil, "too few": {u64(uint64(p))}, "too many": {u64(uint64(p)), u32(1), u32(1)}, "too wide": {u64(uint64(p)), u64(1)},
	} {
		if err := c.Launch(f, one, one, 0, parameters); code(err) != nvidia.InvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
	unknown := load(t, m, c, `extern "C" __global__ void mine(int n) {}`, "mine")
	if err := c.Launch(unknown, one, one, 0, [][]byte{u32(1)}); err == nil || !strings.Contains(err.Error(), "Config.Kernels") {
		t.Errorf("a kernel that the fake cannot run: %v", err)
	}
	if got := slices.IndexFunc(m.Calls(), func(c fake.Call) bool { return c.Name == "cuLaunchKernel" && c.What == "mine" }); got < 0 {
		t.Error("the log of calls does not name the kernel")
	}
}

// A grid that does not cover the data leaves some of it.
func TestGridIsRun(t *testing.T) {
	m, c := context(t, fake.Config{})
	f := load(t, m, c, fake.Source, "add_one")
	p, err := c.Alloc(4 * 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Fill(p, 0, 4*100); err != nil {
		t.Fatal(err)
	}
	if err := c.Launch(f, nvidia.Dim3{X: 3, Y: 1, Z: 1}, nvidia.Dim3{X: 30, Y: 1, Z: 1}, 0, [][]byte{u64(uint64(p)), u32(100)}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 400)
	if err := c.CopyOut(got, p); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		want := float32(0)
		if i < 90 {
			want = 1
		}
		if x := math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])); x != want {
			t.Fatalf("element %d is %v, want %v", i, x, want)
		}
	}
}

func TestThreads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("threads are told apart on Linux alone")
	}
	m, c := context(t, fake.Config{})
	elsewhere := make(chan error)
	go func() {
		// The test's goroutine keeps its thread, so this is another one.
		_, _, err := c.Memory()
		elsewhere <- err
		_, err = m.BLAS()
		elsewhere <- err
	}()
	if err := <-elsewhere; code(err) != nvidia.InvalidContext {
		t.Errorf("a call on another thread: %v", err)
	}
	if err := <-elsewhere; code(err) != 1 {
		t.Errorf("cuBLAS on a thread without a context: %v", err)
	}
	if _, _, err := c.Memory(); err != nil {
		t.Errorf("on its own thread: %v", err)
	}
	go func() {
		err := c.Bind()
		if err == nil {
			_, _, err = c.Memory()
		}
		elsewhere <- err
	}()
	if err := <-elsewhere; err != nil {
		t.Errorf("on the thread that it was bound to: %v", err)
	}
	if _, _, err := c.Memory(); code(err) != nvidia.InvalidContext {
		t.Errorf("on the thread that it left: %v", err)
	}
	if err := c.Bind(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Alloc(1); code(err) != nvidia.InvalidContext {
		t.Errorf("a call after Close: %v", err)
	}
}

// Closing the last user of a device frees all of it.
func TestCloseFrees(t *testing.T) {
	m, d := open(t, fake.Config{Memory: 1 << 20})
	first, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Alloc(1<<20 + 1); code(err) != nvidia.OutOfMemory {
		t.Errorf("a byte more than there is: %v", err)
	}
	if _, err := first.Alloc(1 << 20); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Alloc(1); code(err) != nvidia.OutOfMemory {
		t.Errorf("a byte where all is taken: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if free, total, err := second.Memory(); err != nil || free != 0 || total != 1<<20 {
		t.Errorf("%d of %d bytes are free, %v", free, total, err)
	}
	if got := m.Holds(0); got.Allocations != 1 || got.Bytes != 1<<20 {
		t.Errorf("the device holds %+v", got)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if got := m.Holds(0); got != (fake.Holdings{}) {
		t.Errorf("the device holds %+v", got)
	}
}

// A device of more memory than this computer has is no trouble.
func TestLargeMemory(t *testing.T) {
	_, c := context(t, fake.Config{Memory: 1 << 40})
	p, err := c.Alloc(1 << 39)
	if err != nil {
		t.Fatal(err)
	}
	b := []byte("end")
	if err := c.CopyIn(p+1<<39-3, b); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 3)
	if err := c.CopyOut(got, p+1<<39-3); err != nil || !bytes.Equal(got, b) {
		t.Errorf("got %q, %v", got, err)
	}
}

// A kernel that never ends holds up whatever waits for it, until it is released.
func TestEndless(t *testing.T) {
	m, c := context(t, fake.Config{})
	start, end := event(t, c), event(t, c)
	if err := c.Record(start); err != nil {
		t.Fatal(err)
	}
	if err := c.Launch(load(t, m, c, fake.Source, "never_ends"), one, one, 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Record(end); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Elapsed(start, end); code(err) != nvidia.NotReady {
		t.Errorf("the time between the events: %v", err)
	}
	released := make(chan bool)
	go func() {
		time.Sleep(20 * time.Millisecond)
		close(released)
		m.Release()
	}()
	if err := c.Synchronize(); err != nil {
		t.Error(err)
	}
	select {
	case <-released:
	default:
		t.Error("Synchronize returned while the kernel ran")
	}
	if _, err := c.Elapsed(start, end); err != nil {
		t.Errorf("the time between the events, after the kernel: %v", err)
	}
	m.Release() // again does nothing
}

func event(t *testing.T, c nvidia.Context) nvidia.Event {
	t.Helper()
	e, err := c.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// stopped is a clock that only sleeping moves.
type stopped struct{ now time.Duration }

func (s *stopped) Now() time.Duration    { return s.now }
func (s *stopped) Sleep(d time.Duration) { s.now += d }

// Kernels take the time that they are said to, one after the other, and the host
// goes on until it waits.
func TestTime(t *testing.T) {
	clock := &stopped{now: time.Hour}
	m, c := context(t, fake.Config{Slow: 3 * time.Millisecond, Clock: clock, Output: io.Discard})
	f := load(t, m, c, fake.Source, "prints")
	events := []nvidia.Event{event(t, c), event(t, c), event(t, c)}
	if err := c.Record(events[0]); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := c.Launch(f, one, one, 0, [][]byte{u32(1)}); err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			if err := c.Record(events[i+1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if clock.now != time.Hour {
		t.Errorf("launching took %v", clock.now-time.Hour)
	}
	if err := c.Synchronize(); err != nil {
		t.Fatal(err)
	}
	if took := clock.now - time.Hour; took != 9*time.Millisecond {
		t.Errorf("three kernels took %v", took)
	}
	for _, x := range []struct {
		from, to int
		ms       float64
	}{{0, 1, 3}, {1, 2, 3}, {0, 2, 6}, {2, 0, -6}} {
		if got, err := c.Elapsed(events[x.from], events[x.to]); err != nil || got != x.ms {
			t.Errorf("from event %d to %d: %v ms, %v; want %v", x.from, x.to, got, err, x.ms)
		}
	}
}

// The contract is that of the compilation.
func TestContract(t *testing.T) {
	var got []device.Contract
	kernels := map[string]fake.Kernel{"which": {Thread: func(t *fake.Thread) { got = append(got, t.Contract) }}}
	m, c := context(t, fake.Config{Kernels: kernels})
	for _, options := range [][]string{nil, {"--fmad=false"}, {"--fmad=true"}, {"-fmad=false"}} {
		f := load(t, m, c, `extern "C" __global__ void which() {}`, "which", options...)
		if err := c.Launch(f, one, one, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	if want := []device.Contract{device.Fused, device.Separate, device.Fused, device.Separate}; !slices.Equal(got, want) {
		t.Errorf("the contracts are %v, want %v", got, want)
	}
}

func TestImagesOfOtherDevices(t *testing.T) {
	m, c := context(t, fake.Config{}) // 9.0
	compiler, err := m.Compiler()
	if err != nil {
		t.Fatal(err)
	}
	for architecture, want := range map[string]int{
		"sm_90": 0, "compute_90": 0, "compute_75": 0,
		"sm_80": nvidia.NoBinaryForGPU, "sm_120": nvidia.NoBinaryForGPU, "compute_120": nvidia.NoBinaryForGPU,
	} {
		image, _, err := compiler.Compile("sample.cu", fake.Source, nil, []string{"--gpu-architecture=" + architecture})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Load(image); code(err) != want {
			t.Errorf("%s: %v, want result %d", architecture, err, want)
		}
	}
	// A driver that is older than the compiler reads its cubins and not its PTX.
	m, c = context(t, fake.Config{Driver: fake.Library{Version: 12040}, Compiler: fake.Library{Version: 12080}})
	compiler, _ = m.Compiler()
	for architecture, want := range map[string]int{"sm_90": 0, "compute_90": nvidia.UnsupportedPTXVersion} {
		image, _, err := compiler.Compile("sample.cu", fake.Source, nil, []string{"--gpu-architecture=" + architecture})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Load(image); code(err) != want {
			t.Errorf("an older driver, %s: %v, want result %d", architecture, err, want)
		}
	}
}

func TestCalls(t *testing.T) {
	m, c := context(t, fake.Config{})
	m.Forget()
	p, err := c.Alloc(10)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CopyIn(p, make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	if err := c.Free(p); err != nil {
		t.Fatal(err)
	}
	want := []fake.Call{{Name: "cuMemAlloc_v2", Bytes: 10}, {Name: "cuMemcpyHtoD_v2", Bytes: 7}, {Name: "cuMemFree_v2"}}
	if got := m.Calls(); !slices.Equal(got, want) {
		t.Errorf("the calls are %v, want %v", got, want)
	}
	m.Forget()
	if got := m.Calls(); len(got) != 0 {
		t.Errorf("after Forget the calls are %v", got)
	}
}
