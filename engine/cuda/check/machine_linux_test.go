package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"workbench/assets"
	"workbench/engine/cuda"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt"
	"workbench/engine/simt/emulator"
	"workbench/kernels/matmul"
)

// The worker processes and the parts of these tests are the test binary itself,
// over a machine that fake.Variable describes.
func TestMain(m *testing.M) {
	var err error
	switch {
	case len(os.Args) > 1 && os.Args[1] == "worker":
		err = serveFake()
	case len(os.Args) > 2 && os.Args[1] == "part":
		err = partOverFake(os.Args[2])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// brokenVariable names kernels that do not do what they should.
const brokenVariable = "CHECK_TEST_BROKEN"

// fakeMachine makes the machine that a text describes, with the kernels of the
// checks.
func fakeMachine(text, broken string) (*fake.Machine, error) {
	config, err := fake.Parse(text)
	if err != nil {
		return nil, err
	}
	is := func(word string) bool { return strings.Contains(broken, word) }
	config.Kernels = map[string]fake.Kernel{
		"check_add": {Parameters: []int{8, 4}, Thread: func(t *fake.Thread) {
			i := int(t.BlockIdx.X*t.BlockDim.X + t.ThreadIdx.X)
			if i < t.Int(1) && !is("add") {
				p := t.Pointer(0) + nvidia.Pointer(4*i)
				t.Store(p, 4, uint64(plusOne(uint32(t.Load(p, 4)))))
			}
		}},
		"check_read_outside": {Parameters: []int{8}, Thread: func(t *fake.Thread) {
			if !is("outside") {
				t.Load(t.Pointer(0)-1<<42, 4)
			}
		}},
		"check_write_outside": {Parameters: []int{8}, Thread: func(t *fake.Thread) {
			if !is("outside") {
				t.Store(t.Pointer(0)+1<<42, 4, 0)
			}
		}},
		"check_endless": {Parameters: []int{8}, Thread: func(t *fake.Thread) {
			if !is("endless") {
				t.Forever()
			}
		}},
		"check_trap": {Parameters: []int{8}, Thread: func(t *fake.Thread) {
			if !is("trap") {
				t.Fail(nvidia.LaunchFailed)
			}
		}},
		"check_print": {Parameters: []int{4}, Thread: func(t *fake.Thread) {
			if !is("print") {
				t.Printf("thread %d of %d\n", t.BlockIdx.X*t.BlockDim.X+t.ThreadIdx.X, t.Int(0))
			}
		}},
		"check_copy": {Parameters: []int{8, 8, 8}, Thread: func(t *fake.Thread) {
			n := int(leUint64(t.Argument(2)))
			for i := int(t.ThreadIdx.X); i < n; i += int(t.BlockDim.X) {
				for word := range nvidia.Pointer(2) {
					at := nvidia.Pointer(16*i) + 8*word
					if !is("copy") {
						t.Store(t.Pointer(1)+at, 8, t.Load(t.Pointer(0)+at, 8))
					}
				}
			}
		}},
	}
	plantedKernels(config.Kernels)
	playedLadder(config.Kernels, is)
	if is("sticky") {
		config.Kernels["conform_store"] = fake.Kernel{Parameters: []int{8}, Thread: func(*fake.Thread) {}}
	}
	if is("product") { // one thread writes nothing but zeros
		config.Kernels["matmul_naive_f64"] = fake.Kernel{Parameters: []int{8, 8, 8, len(matmul.Params{}.Bytes())}, Thread: func(t *fake.Thread) {
			if t.BlockIdx == (nvidia.Dim3{}) && t.ThreadIdx == (nvidia.Dim3{}) {
				t.Store(t.Pointer(2), 8, 0)
			}
		}}
	}
	return fake.New(config), nil
}

// librariesOf are a fake machine's. Where the environment asks for a library
// that is not there, the real search says what it tried.
func librariesOf(m *fake.Machine) (session.Libraries, error) {
	search := !strings.Contains(os.Getenv(brokenVariable), "search")
	if os.Getenv(library.DriverVariable) != "" && search {
		if _, err := library.Open(library.Driver); err != nil {
			return session.Libraries{}, err
		}
		return session.Libraries{}, errors.New("there is a driver on the machine of this test")
	}
	d, err := m.Driver()
	l := session.Libraries{Driver: d, Compiler: m.Compiler, BLAS: m.BLAS, CacheDir: os.Getenv(cacheVariable)}
	if os.Getenv(library.OnlyVariable) == "1" && search {
		l.Compiler = func() (nvidia.Compiler, error) { _, err := library.Open(library.NVRTC); return nil, err }
		l.BLAS = func() (nvidia.BLAS, error) { _, err := library.Open(library.CUBLAS); return nil, err }
	}
	return l, err
}

func serveFake() error {
	return cuda.ServeWith(os.Args[2:], func() (session.Libraries, error) {
		m, err := fakeMachine(os.Getenv(fake.Variable), os.Getenv(brokenVariable))
		if err != nil {
			return session.Libraries{}, err
		}
		return librariesOf(m)
	})
}

func partOverFake(name string) error {
	m, err := playedMachine(os.Getenv(fake.Variable), os.Getenv(brokenVariable))
	if err != nil {
		return err
	}
	return RunPart(context.Background(), m, name, os.Stdout)
}

// playedMachine is a machine whose GPU, driver and libraries are those of
// package fake, here and in its worker processes.
func playedMachine(text, broken string) (*Machine, error) {
	f, err := fakeMachine(text, broken)
	if err != nil {
		return nil, err
	}
	env := []string{fake.Variable + "=" + text, brokenVariable + "=" + broken}
	cuda.SetProgram(worker.Command{Args: []string{"worker"}, Env: env})
	m := New(0, openCPU, emulated, func(ctx context.Context, name string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, os.Args[0], "part", name)
		cmd.Env = append(os.Environ(), env...)
		return cmd
	})
	m.Sanitizer, m.small, m.slack = "", true, 1000
	m.Kernels = func(context.Context) (launch.Launcher, func(), error) {
		return &simt.Emulator{Unchecked: launch.ReportKinds}, func() {}, nil // there is no other that reads CUDA C
	}
	m.Open = func() (session.Libraries, error) { return librariesOf(f) }
	return m, nil
}

// emulated is the emulator, as the program has it.
var emulated = Emulator{
	Open: func(c device.Contract) (device.Device, error) {
		return emulator.Open(device.Spec{Kind: device.Emulator, Contract: c})
	},
	Kernels: &simt.Emulator{},
}

func played(t *testing.T, text, broken string) *Machine {
	t.Helper()
	m, err := playedMachine(text, broken)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Examine(); err != nil {
		t.Fatal(err)
	}
	return m
}

// memory is what the GPU of these tests has: less than the reserve and a product
// of several MiB, so that a large one does not fit.
const memory = "memory=700MiB"

// The whole list passes over the machine that is played: what fails below fails
// for what was planted.
func TestWholeList(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole list takes a quarter of a minute")
	}
	for name, o := range outcomes(t, played(t, memory, ""), false) {
		if tool := strings.HasPrefix(name, "sanitizer/"); !o.Passed && !tool || tool && o.Skipped == "" {
			t.Errorf("%s: %s%s", name, o.Detail, o.Skipped)
		}
	}
}

// Each check fails on a machine that does wrong what it is for.
func TestChecksFail(t *testing.T) {
	for _, tc := range []struct {
		machine, broken string
		check           string
		says            string
	}{
		{"", "search", "no driver", "expected a *device.UnavailableError, got <nil>"},
		{"", "search", "library missing", "expected a *device.UnavailableError, got <nil>"},
		{"driver=104.0", "", "driver too old for the PTX", "expected a *device.UnavailableError, got <nil>"},
		{"cublas=110000", "", "driver too old for the library", "expected a *device.UnavailableError, got <nil>"},
		{"devices=1024", "", "no such ordinal", "expected a *device.UnavailableError, got <nil>"},
		{"fail=cuMemGetInfo_v2:0:1", "", "out of memory", "CUDA_ERROR_INVALID_VALUE"},
		{"fail=nvrtcCompileProgram:0:5", "", "kernel does not compile", "expected a *launch.CompileError, got *device.FaultError"},
		{"", "outside", "illegal address", `expected a *device.FaultError with "illegal address", got <nil>`},
		{"", "trap", "launch failure", `expected a *device.FaultError with "launch failure", got <nil>`},
		{"", "endless", "time limit", `expected a *device.FaultError with "time limit", got <nil>`},
		{"", "outside", "out of bounds write", `expected a *device.FaultError with "illegal address", got <nil>`},
		{"", "endless", "endless kernel", `expected a *device.FaultError with "time limit", got <nil>`},
		{"", "product", "illegal address", "after it, a value is wrong: a sound product is"},
		{"", "product", "worker killed", "a value is wrong in the product 48×48×48"},
		{"", "product", "endless kernel", "it took other requests with it"},
		{"", "add", "kernels/an edited kernel runs", "the kernel that adds 1"},
		{"", "product", "kernels/an edited product has the CPU's bits", "in float64 has other bytes than the CPU's"},
		{"", "print", "kernels/printf is captured", `the output lacks "thread 0 of 4`},
		{"fail=nvrtcCompileProgram:7:5", "", "kernels/compiled once", "nvrtcCompileProgram"},
		{"", "copy", "cost/bandwidth", "nothing was measured"},
		{"fail=cuInit:0:999", "", "cost/start", "cuInit"},
		{"fail=cuEventRecord:3:1", "", "conform/driver", "cases failed:"},
		{"", "sticky", "conform/driver/sticky/illegal address", "the part driver/sticky/illegal address: exit status 1"},
		{"", "product", "conform/in-process/separate", "cases failed:"},
		{"", "product", "conform/worker/separate", "cases failed:"},
		{"", "product", "bits/products/float64/separate", "values differ"},
		{"", "product", "bits/loss of the fixture", "expected 4016ac70bf03b620"},
		{"", "product", "bits/decoder/fixture/float64/separate", "values fail"},
	} {
		t.Run(tc.check+"/"+tc.machine+tc.broken, func(t *testing.T) {
			m, err := playedMachine(tc.machine+" "+memory, tc.broken)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Examine(); err != nil && !strings.Contains(tc.machine, "cuInit") {
				t.Fatal(err)
			}
			o := outcomes(t, m, false, tc.check)[tc.check]
			if o.Passed || !strings.Contains(o.Detail, tc.says) {
				t.Errorf("passed: %v, %q, want a failure that says %q", o.Passed, o.Detail, tc.says)
			}
		})
	}
}

// What takes longer than it may fails.
func TestCostLimits(t *testing.T) {
	m := played(t, memory, "")
	m.slack = -1e9 // nothing is as quick as that
	for name, says := range map[string][]string{
		"cost/a request beside bare calls":  {"a request in-process, beyond the calls, in µs: ", "a request through the worker, beyond the calls, in µs: ", "expected at most -1.5e+11"},
		"cost/cuBLAS beside a bare program": {"as a share of a bare program's: "},
	} {
		o := outcomes(t, m, true, name)[name]
		for _, s := range says {
			if o.Passed || !strings.Contains(o.Detail, s) {
				t.Errorf("%s with no time to spare: %v, %q, want %q", name, o.Passed, o.Detail, s)
			}
		}
	}
}

// A machine without the libraries is asked for what it has, and says what is
// missing.
func TestWithoutLibraries(t *testing.T) {
	m := played(t, memory+" nvrtc=missing cublas=missing", "")
	for name, o := range outcomes(t, m, true, "illegal address", "worker killed", "library/float64", "kernels/printf", "cost/cuBLAS", "statistics/three", "driver too old for the library") {
		if name == "worker killed" || name == "statistics/three tiny operations" {
			if !o.Passed {
				t.Errorf("%s needs no library: %s%s", name, o.Detail, o.Skipped)
			}
			continue
		}
		if o.Passed || o.Skipped == "" || !strings.Contains(o.Skipped, "was not found") {
			t.Errorf("%s without libraries: %+v", name, o)
		}
	}
}

// What the bare program calls is what a session calls: were it less, the
// workbench would seem to cost more, and were it more, less.
func TestBareCalls(t *testing.T) {
	f, err := fakeMachine(memory, "")
	if err != nil {
		t.Fatal(err)
	}
	m := &Machine{}
	if m.Libraries, err = librariesOf(f); err != nil {
		t.Fatal(err)
	}
	for _, p := range []session.Product{tinyProduct, {B: 1, M: 2, K: 3, N: 2, Contract: device.Fused, Library: true}} {
		err := beside(m, func(b *bare, s *session.Session) error {
			left, right, out, err := operands(p)
			if err != nil {
				return err
			}
			var bp *bareProduct
			if p.Library {
				blas, err := m.Libraries.BLAS()
				if err != nil {
					return err
				}
				defer blas.Close()
				bp, err = b.gemm(blas, p)
				if err != nil {
					return err
				}
			} else if bp, err = b.kernel(p); err != nil {
				return err
			}
			var calls [2][]fake.Call
			var results [2]string
			for i, request := range []func() error{
				func() error { _, err := bp.multiply(left, right, out); return err },
				func() error { _, err := s.Multiply(p, left, right, out); return err },
			} {
				for range 2 { // the first one makes room
					f.Forget()
					clear(out)
					if err := request(); err != nil {
						return err
					}
				}
				calls[i], results[i] = f.Calls(), string(out)
			}
			if results[0] != results[1] {
				t.Errorf("the bare program gives % x, the session % x", results[0], results[1])
			}
			if len(calls[0]) < 8 || !slices.Equal(calls[0], calls[1]) {
				t.Errorf("the bare program calls\n%v\nand the session\n%v", calls[0], calls[1])
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// The figures of every size that is measured, each beside its peer.
func TestFigures(t *testing.T) {
	entries, err := Select(List(), []string{"cost", "worker killed", "kernels/compiled", "ladder/products", "ladder/bandwidth"}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	r := Run(t.Context(), played(t, memory, ""), entries, Options{Quick: true})
	found := map[string]Figure{}
	for _, f := range r.Figures {
		found[f.Name] = f
	}
	for name, want := range map[string]Figure{
		"request/2×3×2/bare calls":                      {Unit: "µs"},
		"request/2×3×2/in-process":                      {Unit: "µs", Peer: "request/2×3×2/bare calls"},
		"request/2×3×2/worker":                          {Unit: "µs", Peer: "request/2×3×2/bare calls"},
		"request/2×3×2/worker, beyond the calls":        {Unit: "µs"},
		"cublasDgemm/24/workbench":                      {Unit: "µs", Peer: "cublasDgemm/24/bare program"},
		"cublasDgemm/24/no workspace":                   {Unit: "µs", Peer: "cublasDgemm/24/default workspace"},
		"time/8³/float32/library/copy in":               {Unit: "µs"},
		"time/8³/float64/kernel":                        {Unit: "µs", Peer: "time/8³/float64/cpu"},
		"speed/24³/bfloat16/library":                    {Unit: "GFLOP/s", Peer: "speed/24³/bfloat16/kernel"},
		"bandwidth/host to device":                      {Unit: "GB/s"},
		"bandwidth/within the device, read and written": {Unit: "GB/s"},
		"start/initialise the driver":                   {Unit: "ms"},
		"start/worker, until its GPU is open":           {Unit: "ms"},
		"compile/kept on disk":                          {Unit: "ms", Peer: "compile/NVRTC"},
		"ladder/24³/float32/cuBLAS":                     {Unit: "GFLOP/s"},
		"ladder/24³/float32/blocked":                    {Unit: "GFLOP/s", Peer: "ladder/24³/float32/cuBLAS"},
		"ladder/bandwidth/softmax":                      {Unit: "GB/s", Peer: "ladder/bandwidth/what the memory's clock and bus allow"},
		"recovery after the worker was killed":          {Unit: "ms"},
	} {
		f, ok := found[name]
		if !ok || f.Unit != want.Unit || f.Peer != want.Peer || (f.Peer != "") != (f.Ratio != 0) {
			t.Errorf("the figure %s is %+v, want %+v", name, f, want)
		}
	}

	// What the chapters ask for is measured, on this machine in smaller sizes.
	smaller := strings.NewReplacer("/256³/", "/8³/", "/1024³/", "/24³/", "/4096³/", "/24³/", "/4096/", "/24/")
	asked := regexp.MustCompile("(?m)^  .*: \"((?:request|time|speed|cublasDgemm|bandwidth|start|compile|recovery)[^\"*]*)\"$")
	chapters, err := filepath.Glob(filepath.Join("..", "..", "..", "chapters", "*", "chapter.md"))
	if err != nil || len(chapters) == 0 {
		t.Fatal(err, "no chapters")
	}
	wanted := 0
	for _, chapter := range chapters {
		text, err := os.ReadFile(chapter)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range asked.FindAllStringSubmatch(string(text), -1) {
			wanted++
			if _, ok := found[smaller.Replace(name[1])]; !ok {
				t.Errorf("%s shows the figure %s, which nothing measures", chapter, name[1])
			}
		}
	}
	if wanted < 10 {
		t.Errorf("the chapters show %d figures: are they still read?", wanted)
	}

	// And the pages can read all of it.
	r.Commit, r.Command = "0123abc", "workbench gpu-check"
	var text bytes.Buffer
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	if _, err := assets.ParseMeasurement(text.Bytes()); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.Log(r.Checks)
		for name := range found {
			t.Log(name)
		}
	}
}
