package session_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/matmul"
)

func floats(values ...float32) []byte {
	var b []byte
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func int32Bytes(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(int32(n))) }

// sample is a launch of one of the fake's own kernels.
func sample(symbol string, args ...launch.Arg) *launch.Launch {
	return &launch.Launch{
		Kernel: launch.Kernel{File: "sample.cu", Source: fake.Source, Symbol: symbol},
		Grid:   launch.Dim3{X: 1, Y: 1, Z: 1},
		Block:  launch.Dim3{X: 32, Y: 1, Z: 1},
		Args:   args,
	}
}

// addOne adds 1 to n floats 0, 1, …, n−1.
func addOne(n int) *launch.Launch {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i)
	}
	return sample("add_one",
		launch.Arg{Name: "x", Buffer: &launch.Buffer{Type: "float", Data: floats(x...), Out: true}},
		launch.Arg{Name: "n", Value: int32Bytes(n)},
	)
}

func TestLaunch(t *testing.T) {
	s, m := open(t, fake.Config{})
	l := addOne(100)
	l.Grid.X = 4
	before := slices.Clone(l.Args[0].Buffer.Data)
	r, err := s.Launch(l)
	if err != nil {
		t.Fatal(err)
	}
	if r.Device != "Fake GPU 0" || len(r.Buffers) != 2 || r.Buffers[1] != nil || r.Output != "" || r.Log != "" {
		t.Errorf("the result is %+v", r)
	}
	for i := range 100 {
		if got := element(device.Float32, r.Buffers[0], i); got != float64(i+1) {
			t.Fatalf("element %d is %v", i, got)
		}
	}
	if !bytes.Equal(before, l.Args[0].Buffer.Data) {
		t.Error("the launch changed what it was given")
	}
	if got := m.Holds(0).Allocations; got != 0 {
		t.Errorf("%d allocations are left", got)
	}

	// A grid that covers 96 of them leaves the rest: the kernel ran as asked.
	l.Grid.X = 3
	if r, err = s.Launch(l); err != nil {
		t.Fatal(err)
	}
	if a, b := element(device.Float32, r.Buffers[0], 95), element(device.Float32, r.Buffers[0], 96); a != 96 || b != 96 {
		t.Errorf("elements 95 and 96 are %v and %v", a, b)
	}

	// A buffer that is not to come back does not.
	l.Args[0].Buffer.Out = false
	if r, err = s.Launch(l); err != nil || r.Buffers[0] != nil {
		t.Errorf("buffer %v, %v", r, err)
	}
}

// A kernel without arguments, and one whose buffer is empty: there is nothing to
// allocate.
func TestLaunchOfNothing(t *testing.T) {
	s, m := open(t, fake.Config{Kernels: map[string]fake.Kernel{"rests": {Thread: func(*fake.Thread) {}}}})
	l := addOne(0)
	l.Args[0].Buffer.Data = []byte{}
	r, err := s.Launch(l)
	if err != nil {
		t.Fatal(err)
	}
	if r.Buffers[0] == nil || len(r.Buffers[0]) != 0 {
		t.Errorf("the empty buffer comes back as %v", r.Buffers[0])
	}
	rests := sample("rests")
	rests.Kernel.Source = `extern "C" __global__ void rests() {}`
	if _, err := s.Launch(rests); err != nil {
		t.Error(err)
	}
	if got := named(m.Calls(), "cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemGetInfo_v2"); len(got) > 0 {
		t.Errorf("the driver was asked for memory: %v", got)
	}
}

// A kernel of the catalogue runs without a compiler; one that somebody edited
// does not.
func TestLaunchOfTheCatalogue(t *testing.T) {
	s, m := open(t, fake.Config{Compiler: fake.Library{Missing: true}})
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		buffer := func(values ...float64) launch.Buffer {
			return launch.Buffer{Type: "double", Data: device.Float64.AppendBytes(nil, values)}
		}
		// 0.1·0.1 − 0.01 is a rounding, or none: the contract shows.
		l, err := matmul.Prepare(contract, device.Float64, matmul.Packed(1, 1, 2, 1),
			buffer(-0.01, 0.1), buffer(1, 0.1), buffer(0))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Launch(l)
		if err != nil {
			t.Fatal(err)
		}
		x := 0.1
		want := float64(x*x) + -0.01
		if contract == device.Fused {
			want = math.FMA(x, x, -0.01)
		}
		if got := element(device.Float64, r.Buffers[2], 0); got != want {
			t.Errorf("%s: %v, want %v", contract, got, want)
		}
		l.Kernel.Source += "\n"
		_, err = s.Launch(l)
		unavailable(t, err, "NVRTC", "pip install")
	}
	for _, c := range m.Calls() {
		if strings.HasPrefix(c.Name, "nvrtc") {
			t.Errorf("%s was called", c.Name)
		}
	}
}

// The contract of a launch is that of its compilation.
func TestLaunchContract(t *testing.T) {
	s, _ := open(t, fake.Config{Kernels: map[string]fake.Kernel{
		"contract": {Parameters: []int{8}, Thread: func(t *fake.Thread) { t.Store(t.Pointer(0), 4, uint64(t.Contract)) }},
	}})
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		l := sample("contract", launch.Arg{Name: "out", Buffer: &launch.Buffer{Type: "int", Data: make([]byte, 4), Out: true}})
		l.Kernel.Source = `extern "C" __global__ void contract(int* out) { *out = 0; }`
		l.Kernel.Contract = contract
		r, err := s.Launch(l)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Buffers[0][0]; got != byte(contract) {
			t.Errorf("compiled as %v, want %v", device.Contract(got), contract)
		}
	}
}

func TestLaunchIsChecked(t *testing.T) {
	many := launch.Arg{Name: "many", Value: make([]byte, 4000)}
	for _, c := range []struct {
		name, field, says string
		edit              func(l *launch.Launch)
	}{
		{"no symbol", "symbol", "empty", func(l *launch.Launch) { l.Kernel.Symbol = "" }},
		{"a symbol of C strings", "symbol", "zero byte", func(l *launch.Launch) { l.Kernel.Symbol = "add\x00one" }},
		{"a symbol that is not there", "symbol", "it has add_one, write_outside, read_null, never_ends, traps, prints", func(l *launch.Launch) { l.Kernel.Symbol = "add_two" }},
		{"an instance that is not there", "symbol", "it has add_one, write_outside", func(l *launch.Launch) { l.Kernel.Symbol = "add_two<3>" }},
		{"no blocks", "grid", "x is 0", func(l *launch.Launch) { l.Grid.X = 0 }},
		{"fewer than none", "grid", "y is -1", func(l *launch.Launch) { l.Grid.Y = -1 }},
		{"too many blocks", "grid", "z is 65536: a device takes 1 to 65535", func(l *launch.Launch) { l.Grid.Z = 65536 }},
		{"more blocks than 32 bits hold", "grid", "x is 4294967297", func(l *launch.Launch) { l.Grid.X = 1<<32 + 1 }},
		{"no threads", "block", "y is 0", func(l *launch.Launch) { l.Block.Y = 0 }},
		{"a deep block", "block", "z is 65: a device takes 1 to 64", func(l *launch.Launch) { l.Block.Z = 65 }},
		{"too many threads", "block", "33×32 are 1056 threads: Fake GPU 0 takes at most 1024 a block", func(l *launch.Launch) { l.Block = launch.Dim3{X: 33, Y: 32, Z: 1} }},
		{"negative shared memory", "shared_bytes", "-1 bytes", func(l *launch.Launch) { l.SharedBytes = -1 }},
		{"too much shared memory", "shared_bytes", "49153 bytes for a block: Fake GPU 0 has 0 to 49152", func(l *launch.Launch) { l.SharedBytes = 49153 }},
		{"an argument of nothing", "args[1]", `"n" has neither`, func(l *launch.Launch) { l.Args[1].Value = nil }},
		{"an argument of both", "args[0]", `"x" has a buffer and a value`, func(l *launch.Launch) { l.Args[0].Value = []byte{1} }},
		{"half an element", "args[0]", "18 bytes, which are no whole number of float (4 bytes each)", func(l *launch.Launch) { l.Args[0].Buffer.Data = make([]byte, 18) }},
		{"too many arguments together", "args", "8012 bytes together: a launch takes at most 4096", func(l *launch.Launch) { l.Args = append(l.Args, many, many) }},
		{"an argument too few", "args", "there are 1 arguments, and the kernel has 2 parameters", func(l *launch.Launch) { l.Args = l.Args[:1] }},
		{"an argument too many", "args", "there are 3 arguments", func(l *launch.Launch) { l.Args = append(l.Args, l.Args[1]) }},
		{"a value too wide", "args[1]", "the value has 8 bytes, and parameter 1 of the kernel has 4", func(l *launch.Launch) { l.Args[1].Value = make([]byte, 8) }},
		{"a buffer for a value", "args[1]", "a pointer to a buffer has 8 bytes, and parameter 1 of the kernel has 4", func(l *launch.Launch) {
			l.Args[1] = addOne(1).Args[0]
		}},
		{"a variable", "constants", "has no variable weights", func(l *launch.Launch) {
			l.Constants = []launch.Constant{{Name: "weights", Value: []byte{1}}}
		}},
		{"an unknown contract", "contract", "", func(l *launch.Launch) { l.Kernel.Contract = 7 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := open(t, fake.Config{})
			l := addOne(4)
			c.edit(l)
			_, err := s.Launch(l)
			var e *launch.ArgumentError
			if !errors.As(err, &e) {
				t.Fatalf("the error is %v (%T)", err, err)
			}
			if e.Field != c.field || !strings.Contains(e.Reason, c.says) || e.Symbol != l.Kernel.Symbol {
				t.Errorf("the error is %+v, want %s: %s", e, c.field, c.says)
			}
			if got := named(m.Calls(), "cuMemAlloc_v2", "cuLaunchKernel"); len(got) > 0 {
				t.Errorf("before that, the driver was asked for %v", got)
			}
			if _, err := s.Launch(addOne(4)); err != nil {
				t.Errorf("the next launch: %v", err)
			}
		})
	}
}

// What a kernel prints is the launch's own: not what was there before, and not
// what the next one prints.
func TestOutput(t *testing.T) {
	locked(t)
	var out bytes.Buffer
	m := fake.New(fake.Config{Output: &out})
	l := libraries(t, m)
	l.Output = func() string {
		defer out.Reset()
		return out.String()
	}
	s, err := session.Open(l, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out.WriteString("from a library\n")
	for _, n := range []int{2, 3} {
		prints := sample("prints", launch.Arg{Name: "n", Value: int32Bytes(n)})
		prints.Block.X = n
		r, err := s.Launch(prints)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		for i := range n {
			want += fmt.Sprintf("thread %d of %d\n", i, n)
		}
		if r.Output != want {
			t.Errorf("the output is %q, want %q", r.Output, want)
		}
	}
	r, err := s.Launch(addOne(3))
	if err != nil || r.Output != "" {
		t.Errorf("the output is %q, %v", r.Output, err)
	}
}

// Warnings of the compiler come with every launch of the source, also when it is
// compiled no more.
func TestLog(t *testing.T) {
	s, m := open(t, fake.Config{})
	l := addOne(3)
	l.Kernel.Source = "#warning mind the gap\n" + l.Kernel.Source
	for range 2 {
		r, err := s.Launch(l)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Log, "sample.cu(1): warning #1105-D: #warning directive: mind the gap") {
			t.Errorf("the log is %q", r.Log)
		}
	}
	if got := named(m.Calls(), "nvrtcCompileProgram"); len(got) != 1 {
		t.Errorf("the source was compiled %d times", len(got))
	}
}

// Sources that are not used for long are unloaded, and the others stay.
func TestModulesAreBounded(t *testing.T) {
	s, m := open(t, fake.Config{})
	version := func(i int) *launch.Launch {
		l := addOne(3)
		l.Kernel.Source += fmt.Sprintf("// version %d\n", i)
		return l
	}
	handles := m.Holds(0).Handles
	for i := range 40 {
		for _, l := range []*launch.Launch{version(i), version(0)} {
			if _, err := s.Launch(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := m.Holds(0).Handles - handles; got != 2*16 { // a module and its function each
		t.Errorf("%d handles of modules and functions are held, want those of 16", got)
	}
	// Version 0 was used all the time; 39 others came.
	if got := len(named(m.Calls(), "nvrtcCompileProgram")); got != 40 {
		t.Errorf("%d compilations", got)
	}
	m.Forget()
	if _, err := s.Launch(version(1)); err != nil {
		t.Fatal(err)
	}
	if got := len(named(m.Calls(), "nvrtcCompileProgram")); got != 1 {
		t.Errorf("a source that made way was compiled %d times", got)
	}
}

// Compiled kernels are kept on disk, for another session too.
func TestCacheDir(t *testing.T) {
	locked(t)
	dir := t.TempDir()
	for i, want := range []int{1, 0} {
		m := fake.New(fake.Config{})
		l := libraries(t, m)
		l.CacheDir = dir
		s, err := session.Open(l, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Launch(addOne(3)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if got := len(named(m.Calls(), "nvrtcCompileProgram")); got != want {
			t.Errorf("session %d compiled %d times, want %d", i, got, want)
		}
	}
}

// A kernel that somebody edited, compiled by NVRTC itself for a GPU that it does
// not know yet, gives the bits of the one that comes with the workbench.
func TestEditedKernelByNVRTC(t *testing.T) {
	compiler, err := nvrtc.New()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) {
		t.Skipf("NVRTC is not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	locked(t)
	gpu := fake.GPUs(1)
	gpu[0].Major, gpu[0].Minor = 99, 0
	m := fake.New(fake.Config{Devices: gpu, Driver: fake.Library{Version: 99000}})
	l := libraries(t, m)
	l.Compiler = func() (nvidia.Compiler, error) { return compiler, nil }
	s, err := session.Open(l, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		for _, precision := range device.Precisions {
			buffer := func(v []float64) launch.Buffer {
				return launch.Buffer{Type: matmul.Element(precision), Data: precision.AppendBytes(nil, v)}
			}
			edited, err := matmul.Prepare(contract, precision, matmul.Packed(2, 3, 7, 5),
				buffer(values(1, 2, 3, 7).Storage()), buffer(values(2, 2, 7, 5).Storage()), buffer(make([]float64, 2*3*5)))
			if err != nil {
				t.Fatal(err)
			}
			own, err := s.Launch(edited)
			if err != nil {
				t.Fatal(err)
			}
			edited.Kernel.Source += "// edited\n"
			got, err := s.Launch(edited)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Buffers[2], own.Buffers[2]) {
				t.Errorf("%s %s: the edited kernel gives % x, ours % x", contract, precision, got.Buffers[2], own.Buffers[2])
			}
		}
	}
	if got := named(m.Calls(), "cuModuleLoadDataEx"); len(got) != 4 {
		t.Errorf("%d modules were loaded, want ours and the edited one under each contract", len(got))
	}
}
