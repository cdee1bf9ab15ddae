//go:build amd64 || arm64

package driver

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvidia/conform"
)

// The tests call testdata/libcuda.c, which does on the host what NVIDIA documents,
// where the driver is. What needs another library runs in a process of its own,
// since a process has one driver.

var builds = struct {
	sync.Mutex
	dir   string
	files map[string]string
}{files: map[string]string{}}

func TestMain(m *testing.M) {
	code := m.Run()
	if builds.dir != "" {
		_ = os.RemoveAll(builds.dir)
	}
	os.Exit(code)
}

// build compiles the library, once for each set of options.
func build(t *testing.T, options ...string) string {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc makes the driver of this test, and is not installed")
	}
	builds.Lock()
	defer builds.Unlock()
	key := strings.Join(options, " ")
	if file := builds.files[key]; file != "" {
		return file
	}
	if builds.dir == "" {
		if builds.dir, err = os.MkdirTemp("", "libcuda"); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(builds.dir, fmt.Sprintf("libcuda-%d.so.1", len(builds.files)))
	arguments := append([]string{"-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", file, "testdata/libcuda.c", "-lm"}, options...)
	if out, err := exec.Command(cc, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	builds.files[key] = file
	return file
}

// fake is the library in this process.
type fake struct {
	t       *testing.T
	library *library.Library
}

// open opens the library, or in a process of its own the one it was given.
func open(t *testing.T) (nvidia.Driver, fake) {
	t.Helper()
	if os.Getenv(child) == "" {
		t.Setenv(library.DriverVariable, build(t))
	}
	d, err := New()
	if err != nil {
		t.Fatal(err)
	}
	l, err := library.Open(library.Driver)
	if err != nil {
		t.Fatal(err)
	}
	f := fake{t, l}
	f.clear()
	t.Cleanup(f.clear)
	return d, f
}

func (f fake) symbol(name string) uintptr {
	f.t.Helper()
	address, err := f.library.Symbol(name)
	if err != nil {
		f.t.Fatalf("the driver of this process is not that of the tests: %v", err)
	}
	return address
}

func (f fake) clear() { _, _, _ = purego.SyscallN(f.symbol("fake_clear")) }

func (f fake) answer(call string, result int) {
	name := cString(call)
	_, _, _ = purego.SyscallN(f.symbol("fake_answer"), uintptr(unsafe.Pointer(name)), uintptr(result))
}

// journal returns the calls since the last time.
func (f fake) journal() []string {
	var journal func() string
	purego.RegisterFunc(&journal, f.symbol("fake_journal"))
	lines := strings.FieldsFunc(strings.ReplaceAll(journal(), " \n", "\n"), func(r rune) bool { return r == '\n' })
	f.clear()
	return lines
}

// context opens the GPU on this test's own thread.
func openContext(t *testing.T) (nvidia.Context, fake) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	d, f := open(t)
	c, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	f.journal()
	return c, f
}

func TestConform(t *testing.T) {
	d, _ := open(t)
	tally := conform.Run(d, 1, func(name string, err error) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	if tally.Failed > 0 || tally.Passed != len(conform.Cases()) {
		t.Errorf("%+v of %d cases", tally, len(conform.Cases()))
	}
}

func TestDevices(t *testing.T) {
	d, _ := open(t)
	got, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	device := func(i int) nvidia.Device {
		return nvidia.Device{
			Ordinal: i, Name: fmt.Sprintf("Fake GPU %d", i), UUID: fmt.Sprintf("GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfe%02x", i),
			Major: 9, Minor: i, Memory: 5 << 30, Multiprocessors: 132, MaxThreadsPerBlock: 1024, MaxSharedPerBlock: 49152,
			ClockKHz: 1980000, MemoryClockKHz: 3201000, MemoryBusWidth: 6144, L2Bytes: 62914560, MaxRegistersPerBlock: 65536,
		}
	}
	if want := []nvidia.Device{device(0), device(1)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestCalls holds the arguments of calls to what they are in C.
func TestCalls(t *testing.T) {
	c, f := openContext(t)
	p, err := c.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Load(conform.PTX())
	if err != nil {
		t.Fatal(err)
	}
	add, err := c.Function(m, "conform_add")
	if err != nil {
		t.Fatal(err)
	}
	trap, err := c.Function(m, "conform_trap")
	if err != nil {
		t.Fatal(err)
	}
	f.journal()
	at := fmt.Sprintf("%#x", uint64(p))
	if len(at) < 12 {
		t.Fatalf("the address %s fits into 32 bits, which proves nothing", at)
	}
	big := uint64(1)<<32 + 3
	u32 := func(x uint32) []byte { return binary.LittleEndian.AppendUint32(nil, x) }
	u64 := func(x uint64) []byte { return binary.LittleEndian.AppendUint64(nil, x) }

	for _, x := range []struct {
		name    string
		call    func() error
		refused int
		want    []string
	}{
		{"memory", func() error { _, _, err := c.Memory(); return err }, 0, []string{"cuMemGetInfo_v2"}},
		{"alloc", func() error {
			big, err := c.Alloc(big)
			return errors.Join(err, c.Free(big))
		}, 0, []string{"cuMemAlloc_v2 size=4294967299", fmt.Sprintf("cuMemFree_v2 at=%#x", uint64(p)+0x2000)}},
		{"alloc of everything", func() error { _, err := c.Alloc(1 << 63); return err }, nvidia.OutOfMemory, []string{"cuMemAlloc_v2 size=9223372036854775808"}},
		{"free", func() error { return c.Free(p + 1) }, nvidia.InvalidValue, []string{fmt.Sprintf("cuMemFree_v2 at=%#x", uint64(p)+1)}},
		{"copy in", func() error { return c.CopyIn(p, make([]byte, 99)) }, 0, []string{"cuMemcpyHtoD_v2 to=" + at + " n=99"}},
		{"copy out", func() error { return c.CopyOut(make([]byte, 98), p) }, 0, []string{"cuMemcpyDtoH_v2 from=" + at + " n=98"}},
		{"copies of nothing", func() error { return errors.Join(c.CopyIn(0, nil), c.CopyOut(nil, 0), c.Fill(0, 1, 0)) }, 0, nil},
		{"fill", func() error { return c.Fill(p, 0xFE, 100) }, 0, []string{"cuMemsetD8_v2 at=" + at + " value=254 n=100"}},
		{"fill of too much", func() error { return c.Fill(p, 0xFE, big) }, nvidia.InvalidValue, []string{"cuMemsetD8_v2 at=" + at + " value=254 n=4294967299"}},
		{"launch", func() error {
			return c.Launch(add, nvidia.Dim3{X: 2, Y: 3, Z: 4}, nvidia.Dim3{X: 5, Y: 6, Z: 7}, 40000, [][]byte{u64(uint64(p)), u32(1), u32(1)})
		}, 0, []string{"cuLaunchKernel grid=2,3,4 block=5,6,7 shared=40000 stream=(nil) parameters=1 extra=(nil)"}},
		{"launch of a large grid", func() error {
			return c.Launch(add, nvidia.Dim3{X: 1 << 31, Y: 1, Z: 1}, nvidia.Dim3{X: 1, Y: 1, Z: 1}, 1<<32-1, [][]byte{u64(uint64(p)), u32(1), u32(1)})
		}, nvidia.InvalidValue, []string{"cuLaunchKernel grid=2147483648,1,1 block=1,1,1 shared=4294967295 stream=(nil) parameters=1 extra=(nil)"}},
		{"launch without arguments", func() error {
			return c.Launch(trap, nvidia.Dim3{X: 0, Y: 1, Z: 1}, nvidia.Dim3{X: 1, Y: 1, Z: 1}, 0, nil)
		}, nvidia.InvalidValue, []string{"cuLaunchKernel grid=0,1,1 block=1,1,1 shared=0 stream=(nil) parameters=0 extra=(nil)"}},
		{"function", func() error { _, err := c.Function(m, "nothing"); return err }, nvidia.NotFound, []string{"cuModuleGetFunction name=nothing"}},
		{"variable", func() error { _, _, err := c.Global(m, "nothing"); return err }, nvidia.NotFound, []string{"cuModuleGetGlobal_v2 name=nothing"}},
		{"events", func() error {
			a, err := c.NewEvent()
			return errors.Join(err, c.Record(a), c.DestroyEvent(a))
		}, 0, []string{"cuEventCreate flags=0", "cuEventRecord stream=(nil)", "cuEventDestroy_v2"}},
		{"elapsed", func() error {
			a, err := c.NewEvent()
			_, failed := c.Elapsed(a, a)
			return errors.Join(err, failed)
		}, 400, []string{"cuEventCreate flags=0", "cuEventElapsedTime_v2"}},
		{"synchronize", c.Synchronize, 0, []string{"cuCtxSynchronize"}},
		{"load", func() error { _, err := c.Load([]byte("no image")); return err }, nvidia.InvalidImage, []string{
			"cuModuleLoadDataEx options=4", "  option 3", "  option 4 (a size)", "  option 5", "  option 6 (a size)",
		}},
		{"unload", func() error { return c.Unload(m) }, 0, []string{"cuModuleUnload"}},
	} {
		err := x.call()
		var refused *nvidia.Error
		if x.refused == 0 && err != nil {
			t.Errorf("%s: %v", x.name, err)
		} else if x.refused != 0 && (!errors.As(err, &refused) || refused.Code != x.refused || refused.Call != strings.Fields(x.want[len(x.want)-1])[0] && x.name != "load") {
			t.Errorf("%s: got the error %v, want the result %d", x.name, err, x.refused)
		}
		if got := f.journal(); !reflect.DeepEqual(got, x.want) && len(got)+len(x.want) > 0 {
			t.Errorf("%s:\n got %q\nwant %q", x.name, got, x.want)
		}
	}
	if err := c.Free(p); err != nil {
		t.Error(err)
	}
}

// TestOpen holds what opening and closing call.
func TestOpen(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d, f := open(t)
	if _, err := d.Version(); err != nil {
		t.Fatal(err)
	}
	f.journal()
	c, err := d.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	// The second Close is no call: another's retain would be given back.
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	want := []string{"cuDeviceGet ordinal=1", "cuDevicePrimaryCtxRetain device=1", "cuCtxSetCurrent primary=1", "cuDevicePrimaryCtxRelease_v2 device=1"}
	if got := f.journal(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	// What was retained is given back when it cannot be made current.
	f.answer("cuCtxSetCurrent", nvidia.InvalidContext)
	if _, err := d.Open(1); err == nil {
		t.Error("a context that is not current was opened")
	}
	if got := f.journal(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	if _, err := d.Open(1 << 40); err == nil {
		t.Error("a device of an ordinal beyond 32 bits was opened")
	}
	if got, want := f.journal(), []string{"cuDeviceGet ordinal=-1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrors(t *testing.T) {
	c, f := openContext(t)
	for _, x := range []struct {
		call   string
		result int
		do     func() error
		want   nvidia.Error
	}{
		{"cuMemAlloc_v2", 2, func() error { _, err := c.Alloc(1); return err }, nvidia.Error{Name: "CUDA_ERROR_OUT_OF_MEMORY", Text: "out of memory"}},
		{"cuCtxSynchronize", 700, c.Synchronize, nvidia.Error{Name: "CUDA_ERROR_ILLEGAL_ADDRESS", Text: "as its name says"}},
		{"cuMemGetInfo_v2", 12345, func() error { _, _, err := c.Memory(); return err }, nvidia.Error{Name: "a result without a name"}},
		{"cuEventCreate", 201, func() error { _, err := c.NewEvent(); return err }, nvidia.Error{Name: "CUDA_ERROR_INVALID_CONTEXT", Text: "as its name says"}},
	} {
		f.answer(x.call, x.result)
		err := x.do()
		f.clear()
		x.want.Library, x.want.Call, x.want.Code = "driver", x.call, x.result
		var got *nvidia.Error
		if !errors.As(err, &got) || *got != x.want {
			t.Errorf("%s: got %+v, want %+v", x.call, got, x.want)
		}
	}
}

func TestLog(t *testing.T) {
	c, _ := openContext(t)
	for _, x := range []struct {
		image []byte
		code  int
		log   string
	}{
		{conform.Broken(), nvidia.InvalidPTX, "ptxas fatal   : Parsing error near '{': syntax error"},
		{conform.Later(), nvidia.UnsupportedPTXVersion, "ptxas fatal   : Unsupported .version 99.9"},
		{nil, nvidia.InvalidImage, ""},
	} {
		_, err := c.Load(x.image)
		var got *nvidia.Error
		if !errors.As(err, &got) || got.Code != x.code || got.Log != x.log {
			t.Errorf("got %v, want the result %d with the log %q", err, x.code, x.log)
		}
	}
	if got := logOf([]byte("first line\nsecond\x00of an older text")); got != "first line\nsecond" {
		t.Errorf("the log is %q", got)
	}
}

// TestAllocations: a request's calls leave no garbage.
func TestAllocations(t *testing.T) {
	c, f := openContext(t)
	p, err := c.Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Load(conform.PTX())
	if err != nil {
		t.Fatal(err)
	}
	add, err := c.Function(m, "conform_add")
	if err != nil {
		t.Fatal(err)
	}
	start, err := c.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	host := make([]byte, 4096)
	arguments := [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(p)), {1, 0, 0, 0}, {1, 0, 0, 0}}
	one := nvidia.Dim3{X: 1, Y: 1, Z: 1}
	var failed error
	allocations := testing.AllocsPerRun(200, func() {
		_, _, err := c.Memory()
		failed = errors.Join(failed, err,
			c.CopyIn(p, host), c.Record(start), c.Launch(add, one, one, 0, arguments), c.Record(start),
			c.CopyOut(host, p), c.Fill(p, 0, 10), c.Synchronize())
		_, err = c.Elapsed(start, start)
		failed = errors.Join(failed, err)
	})
	if failed != nil {
		t.Error(failed)
	}
	// purego keeps its own blocks in a pool, which a collection empties.
	if allocations > 0.5 && !raceEnabled {
		t.Errorf("a request allocates %v times, want never", allocations)
	}
	f.clear()
}

// TestMovingMemory launches and copies while stacks grow and the collector runs:
// what C is given must be neither moved nor freed.
func TestMovingMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	c, f := openContext(t)
	m, err := c.Load(conform.PTX())
	if err != nil {
		t.Fatal(err)
	}
	parameters, err := c.Function(m, "conform_parameters")
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Alloc(8 * 20)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
				runtime.Gosched()
			}
		}
	})
	defer func() { close(stop); busy.Wait() }()

	var deeper func(depth int)
	deeper = func(depth int) {
		var pad [512]byte
		pad[depth%512] = byte(depth)
		// The arguments may lie on the stack here.
		var a, z [1]byte
		var b, out [8]byte
		var cc [2]byte
		var d, e [4]byte
		var s [112]byte
		a[0], z[0] = byte(depth), byte(depth+1)
		binary.LittleEndian.PutUint64(b[:], uint64(depth)*3)
		binary.LittleEndian.PutUint64(out[:], uint64(p))
		for i := range s {
			s[i] = byte(depth + i)
		}
		one := nvidia.Dim3{X: 1, Y: 1, Z: 1}
		if err := c.Launch(parameters, one, one, 0, [][]byte{a[:], b[:], cc[:], d[:], e[:], out[:], s[:], z[:]}); err != nil {
			t.Error(err)
		}
		got := make([]byte, 8*20)
		if err := c.CopyOut(got, p); err != nil {
			t.Error(err)
		}
		if got[0] != a[0] || !bytes.Equal(got[8:16], b[:]) || !bytes.Equal(got[40:152], s[:]) || got[152] != z[0] {
			t.Errorf("at depth %d the kernel read other arguments", depth)
		}
		if depth > 0 && !t.Failed() {
			deeper(depth - 1)
		}
		_ = pad
	}
	for range 2 {
		done := make(chan struct{})
		// A thread of its own for each, whose stack starts small.
		go func() {
			defer close(done)
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			own, err := New()
			if err != nil {
				t.Error(err)
				return
			}
			again, err := own.Open(0)
			if err != nil {
				t.Error(err)
				return
			}
			deeper(60)
			if err := again.Close(); err != nil {
				t.Error(err)
			}
		}()
		<-done
	}
	f.clear()
}

func TestComplete(t *testing.T) {
	cubin := func(size int, change func(b []byte)) []byte {
		b := make([]byte, size)
		copy(b, "\x7fELF")
		put := func(offset, value, entrySize, entrySizeAt, entries, entriesAt int) {
			binary.LittleEndian.PutUint64(b[offset:], uint64(value))
			binary.LittleEndian.PutUint16(b[entrySizeAt:], uint16(entrySize))
			binary.LittleEndian.PutUint16(b[entriesAt:], uint16(entries))
		}
		put(0x20, 64, 56, 0x36, 2, 0x38)
		put(0x28, 200, 64, 0x3A, 3, 0x3C)
		b[size-1] = 7
		if change != nil {
			change(b)
		}
		return b
	}
	whole := cubin(392, nil)
	for _, x := range []struct {
		name        string
		image, want []byte // want nil: refused
	}{
		{"nothing", nil, []byte{0}},
		{"a text", []byte("text"), []byte("text\x00")},
		{"a text with its zero byte", []byte("text\x00"), []byte("text\x00")},
		{"a short text", []byte("\x7fEL"), []byte("\x7fEL\x00")},
		{"a cubin", whole, whole},
		{"a cubin that is cut", whole[:391], nil},
		{"the header of a cubin", whole[:64], nil},
		{"half a header", whole[:40], nil},
		{"the first bytes of one", whole[:4], nil},
		{"tables beyond everything", cubin(392, func(b []byte) { binary.LittleEndian.PutUint64(b[0x28:], 1<<64-10) }), nil},
		{"segments beyond the end", cubin(392, func(b []byte) { binary.LittleEndian.PutUint64(b[0x20:], 300) }), nil},
	} {
		kept := bytes.Clone(x.image)
		got, err := complete(x.image)
		if !bytes.Equal(kept, x.image) {
			t.Errorf("%s: the caller's image was changed", x.name)
		}
		var refused *nvidia.Error
		switch {
		case x.want == nil && (!errors.As(err, &refused) || refused.Code != nvidia.InvalidImage):
			t.Errorf("%s: got the error %v, want one of the result %d", x.name, err, nvidia.InvalidImage)
		case x.want != nil && (err != nil || !bytes.Equal(got, x.want)):
			t.Errorf("%s: got %q, %v, want %q", x.name, got, err, x.want)
		}
	}
	// What lies behind the caller's slice is the caller's.
	array := []byte("text and more")
	if _, err := complete(array[:4]); err != nil || string(array) != "text and more" {
		t.Errorf("the memory behind a text is %q: %v", array, err)
	}
}

// FuzzComplete: an image that is passed on ends in a zero byte, or has its tables
// within.
func FuzzComplete(f *testing.F) {
	f.Add([]byte("text"))
	f.Add(append([]byte("\x7fELF"), make([]byte, 80)...))
	f.Fuzz(func(t *testing.T, image []byte) {
		got, err := complete(image)
		if err != nil {
			return
		}
		if !bytes.HasPrefix(got, image) {
			t.Fatal("the image was changed")
		}
		if !bytes.HasPrefix(got, []byte("\x7fELF")) {
			if got[len(got)-1] != 0 {
				t.Error("the text has no end")
			}
			return
		}
		// Of 16 bits each, so that their product fits.
		for _, at := range [][3]int{{0x20, 0x36, 0x38}, {0x28, 0x3A, 0x3C}} {
			offset := binary.LittleEndian.Uint64(got[at[0]:])
			size := uint64(binary.LittleEndian.Uint16(got[at[1]:])) * uint64(binary.LittleEndian.Uint16(got[at[2]:]))
			if offset > uint64(len(got)) || size > uint64(len(got))-offset {
				t.Errorf("a table of %d bytes at %d, of %d", size, offset, len(got))
			}
		}
	})
}

// child names what a process of its own does.
const child = "COURSE_TEST_CHILD"

// inChild runs TestChild with another driver, and returns its output.
func inChild(t *testing.T, what, driver string) string {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
	command.Env = append(os.Environ(), child+"="+what, library.DriverVariable+"="+driver,
		"GORACE=atexit_sleep_ms=0") // the race detector would have each process wait for a second
	out, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestChild") {
		t.Fatalf("%s: %v\n%s", what, err, out)
	}
	return string(out)
}

func TestChild(t *testing.T) {
	what := os.Getenv(child)
	switch what {
	case "":
		t.Skip("this is what other tests run in a process of its own")
	case "new":
		_, err := New()
		fmt.Printf("error: %v (%T)\n", err, err)
	case "start":
		d, f := open(t)
		for _, result := range []int{nvidia.NoDevice, nvidia.SystemDriverMismatch, nvidia.Unknown} {
			f.answer("cuInit", result)
			_, version := d.Version()
			_, devices := d.Devices()
			_, opened := d.Open(0)
			for _, err := range []error{version, devices, opened} {
				var e *nvidia.Error
				if !errors.As(err, &e) || e.Code != result || e.Call != "cuInit" {
					t.Errorf("got %v, want the result %d of cuInit", err, result)
				}
			}
		}
		// It is tried again, and then not any more.
		f.clear()
		for range 2 {
			if v, err := d.Version(); err != nil || v != 13000 {
				t.Errorf("the version is %d, %v", v, err)
			}
		}
		if got, want := f.journal(), []string{"cuInit flags=0", "cuDriverGetVersion", "cuDriverGetVersion"}; !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	case "conform":
		d, f := open(t)
		conform.Run(d, 0, func(name string, err error) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if name == "device/list" {
				fmt.Println(strings.Join(f.journal(), "\n"))
			}
			f.clear()
		})
	case "print":
		d, _ := open(t)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := conform.Print(d, 0, 42); err != nil {
			t.Error(err)
		}
	default:
		d, _ := open(t)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for _, c := range conform.Sticky() {
			if c.Name == what {
				if err := conform.Attempt(c, d, 0); err != nil {
					t.Error(err)
				}
				return
			}
		}
		t.Errorf("no case %q", what)
	}
}

func TestNoDriver(t *testing.T) {
	out := inChild(t, "new", "/nowhere/libcuda.so.1")
	if !strings.Contains(out, "error: driver was not found; tried\n  /nowhere/libcuda.so.1: cannot open shared object file") ||
		!strings.Contains(out, "(*nvidia.MissingError)") {
		t.Errorf("the error is:\n%s", out)
	}
}

func TestDriverWithoutAFunction(t *testing.T) {
	file := build(t, "-DcuMemAlloc_v2=cuMemAlloc_v1")
	out := inChild(t, "new", file)
	if !strings.Contains(out, "error: driver: "+file+" has no function cuMemAlloc_v2") || !strings.Contains(out, "(*nvidia.MissingError)") {
		t.Errorf("the error is:\n%s", out)
	}
}

func TestStart(t *testing.T) { inChild(t, "start", build(t)) }

// TestOldDriver has none of the functions for which there is another.
func TestOldDriver(t *testing.T) {
	out := inChild(t, "conform", build(t, "-DOLD"))
	if !strings.Contains(out, "cuDeviceGetUuid device=0\n") {
		t.Errorf("the UUID was not asked for:\n%s", out)
	}
}

func TestSticky(t *testing.T) {
	for _, c := range conform.Sticky() {
		inChild(t, c.Name, build(t))
	}
}

func TestPrint(t *testing.T) {
	if out := inChild(t, "print", build(t)); strings.Count(out, "conform_print 42\n") != 1 {
		t.Errorf("the kernel's line is not in the output:\n%s", out)
	}
}

// BenchmarkCall is what Go adds to a call, with a library that does next to nothing.
func BenchmarkCall(b *testing.B) {
	file := os.Getenv(library.DriverVariable)
	if file == "" {
		b.Skip(library.DriverVariable + " names no driver")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d, err := New()
	if err != nil {
		b.Fatal(err)
	}
	c, err := d.Open(0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := c.Memory(); err != nil {
			b.Fatal(err)
		}
	}
}
