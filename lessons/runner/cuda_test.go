package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"workbench/engine"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// tripled is an exercise as a learner gets it: out = 3·in.
const tripled = `// Writes three times in to out.
extern "C" __global__ void triple(const float *in, float *out, int n) {
	// ---- your part begins ----
	// ---- your part ends ----
}
`

// body puts a learner's part into it; its first line is line 4 of the file.
func body(text string) string {
	return strings.Replace(tripled, "begins ----\n", "begins ----\n\t"+text+"\n", 1)
}

const right = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = 3 * in[i];"

func triple() (*Course, *lesson.Lesson) {
	check := &lesson.CUDA{Cases: func() []lesson.Case {
		var cases []lesson.Case
		for _, n := range []int{40, 5, 1} { // the runner's order is another one
			in := &lesson.Array{Name: "in", Type: "float", Shape: []int{n}}
			out := &lesson.Array{Name: "out", Type: "float", Shape: []int{n}}
			for i := range n {
				in.Values = append(in.Values, float64(i*i+2))
				out.Want = append(out.Want, float64(3*(i*i+2)))
			}
			cases = append(cases, lesson.Case{Name: fmt.Sprintf("n = %d", n), Launches: []lesson.Launch{{
				Kernel: "triple", Grid: launch.Dim3{X: (n + 31) / 32, Y: 1, Z: 1}, Block: launch.Dim3{X: 32, Y: 1, Z: 1},
				Args: []any{in, out, int32(n)},
			}}})
		}
		return cases
	}}
	c := &Course{
		Lessons: []lesson.Lesson{{
			ID: "triple", Title: "Triple", Chapter: 6, Devices: []device.Kind{device.Emulator, device.CUDA}, Limit: 20 * time.Second, Check: check,
		}},
		Files:    fstest.MapFS{"triple/starter/triple.cu": {Data: []byte(tripled)}},
		Emulator: engine.Emulator,
	}
	return c, &c.Lessons[0]
}

func checked(t *testing.T, c *Course, l *lesson.Lesson, o Options) *lesson.Verdict {
	t.Helper()
	v, err := c.Check(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What a learner may write, and what it is found as.
func TestKernelsAreJudged(t *testing.T) {
	for name, x := range map[string]struct {
		source string
		kinds  []lesson.FindingKind
		line   int    // of the first finding
		text   string // in it, or in what to do next
		cases  int    // that passed
	}{
		"solution":           {source: body(right), cases: 3},
		"does not compile":   {body("int i = threadIdx.y + j;"), []lesson.FindingKind{"compile"}, 4, "j", 0},
		"missing kernel":     {strings.Replace(body(right), "triple(", "double_it(", 1), []lesson.FindingKind{"signature"}, 0, "__global__ void triple(const float *in, float *out, int n)", 0},
		"parameter's type":   {strings.Replace(body(right), "int n", "double n", 1), []lesson.FindingKind{"signature"}, 2, "int n", 0},
		"parameter missing":  {strings.Replace(body("out[0] = in[0];"), ", int n", "", 1), []lesson.FindingKind{"signature"}, 2, "number of parameters", 0},
		"no guard":           {body("int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = 3 * in[i];"), []lesson.FindingKind{"out-of-bounds"}, 4, "guard", 0},
		"race":               {body("if (threadIdx.x < n) out[0] = 3 * in[threadIdx.x];"), []lesson.FindingKind{"race", "part-unwritten"}, 4, "out[0]", 1},
		"endless":            {body("for (int i = 0; ; i++) out[0] = i;"), []lesson.FindingKind{"endless-loop", "race"}, 4, "condition never becomes false", 0},
		"NaN":                {body("int i = blockIdx.x * 32 + threadIdx.x; if (i < n) out[i] = sqrtf(-in[i]);"), []lesson.FindingKind{"not-finite"}, 0, "root", 0},
		"written to input":   {body(strings.Replace(right, "out[i] = 3 * in[i]", "{ out[i] = 3 * in[i]; ((float *)in)[i] = 0; }", 1)), []lesson.FindingKind{"input-changed"}, 0, "in[", 0},
		"reads what is none": {body(strings.Replace(right, "= 3", "+= 3", 1)), []lesson.FindingKind{"uninitialised"}, 4, "", 0},
		"sum too small":      {body(strings.Replace(right, "3 * in[i]", "3 * in[i] - 6", 1)), []lesson.FindingKind{"offset"}, 0, "6 too small", 0},
		"an assert":          {body("assert(n > 1); " + right), []lesson.FindingKind{"assert"}, 4, "assert(n > 1) does not hold", 0},
		"too much memory":    {strings.Replace(body("big[0] = 1; "+right), "extern", "__device__ float big[1 << 27]; extern", 1), []lesson.FindingKind{"memory-limit"}, 0, "out of memory", 0},
		"last one missing":   {body(strings.Replace(right, "i < n", "i < n && i < 32", 1)), []lesson.FindingKind{"part-unwritten"}, 0, "from element 32 on", 2},
		"one is wrong":       {body(strings.Replace(right, "3 * in[i]", "i == 3 ? 1 : 3 * in[i]", 1)), []lesson.FindingKind{"wrong-values"}, 0, "out[3] is 1, and 33 is expected", 1},
	} {
		c, l := triple()
		v := checked(t, c, l, Options{Source: []byte(x.source)})
		var kinds []lesson.FindingKind
		for _, f := range v.Findings {
			kinds = append(kinds, f.Kind)
		}
		passed := 0
		for _, c := range v.Cases {
			if c.Passed {
				passed++
			}
		}
		if fmt.Sprint(kinds) != fmt.Sprint(x.kinds) || passed != x.cases || v.Passed != (len(x.kinds) == 0) || v.Device != "emulator" || len(v.Cases) != 3 {
			t.Errorf("%s: %d cases passed, %+v", name, passed, v)
			continue
		}
		if v.Passed {
			continue
		}
		f := v.Findings[0]
		if f.Line != x.line || !strings.Contains(f.Text+f.Next, x.text) || f.Next == "" || (f.Case == "") != unbuilt(f) || v.Cases[0].Ran == unbuilt(f) {
			t.Errorf("%s: line %d: %s\n%s\n%s", name, f.Line, f.Text, f.Next, f.Case)
		}
		if f.Line > 0 && f.Source != strings.Split(x.source, "\n")[f.Line-1] {
			t.Errorf("%s: the line is said to be %q", name, f.Source)
		}
	}
}

// One wrong element is no shape: a larger case says more, and is the one that is
// told.
func TestLargerCasesSayMore(t *testing.T) {
	c, l := triple()
	v := checked(t, c, l, Options{Source: []byte(body(strings.Replace(right, "3 * in", "6 * in", 1)))})
	if f := v.Findings; len(f) != 1 || f[0].Kind != lesson.Scaled || f[0].Case != "n = 5" || v.Cases[0].Passed || !v.Cases[1].Ran || v.Cases[2].Ran {
		t.Errorf("%+v", v)
	}

	// What was not written is a row's beginning where there are more of them.
	v = checked(t, c, l, Options{Source: []byte(body("int i = blockIdx.x * 32 + threadIdx.x; if (i + 1 < n) out[i + 1] = 3 * in[i];"))})
	if f := v.Findings; len(f) != 1 || f[0].Kind != lesson.Shifted || f[0].Case != "n = 5" {
		t.Errorf("%+v", v)
	}

	// Between 5 threads it is a matter of a warp, between 40 one of the block.
	v = checked(t, c, l, Options{Source: []byte(body(`__shared__ float s[64]; int i = threadIdx.x;
	if (blockIdx.x == 0) for (int k = i; k < n; k += blockDim.x) s[k] = in[k];
	if (blockIdx.x == 0) for (int k = i; k < n; k += blockDim.x) out[k] = 3 * s[n - 1 - k];`))})
	if f := v.Findings; len(f) == 0 || f[0].Kind != "race" || f[0].Line != 6 {
		t.Errorf("%+v", v)
	}
}

// What a kernel prints is shown, of the last case that ran above all, and bounded.
func TestPrintedIsKept(t *testing.T) {
	c, l := triple()
	v := checked(t, c, l, Options{Source: []byte(body(`if (threadIdx.x == 0) printf("n is %d\n", n); ` + right))})
	if !v.Passed || v.Cut || v.Output != "n = 1:\nn is 1\nn = 5:\nn is 5\nn = 40:\nn is 40\nn is 40\n" {
		t.Errorf("%q", v.Output)
	}
	v = checked(t, c, l, Options{Source: []byte(body(`for (int k = 0; k < 3000; k++) printf("%d: a line of the thread\n", k); ` + right))})
	if !v.Passed || !v.Cut || len(v.Output) > mostOutput || !strings.HasPrefix(v.Output, "n = 40:\n0: a line") {
		t.Errorf("%v, %d bytes, %.40q", v.Findings, len(v.Output), v.Output)
	}
}

// onGPU is a GPU without one: a session of NVIDIA's driver, as it is pretended, that
// runs a Go function for each thread, or a device that fails.
type onGPU struct {
	device.Device
	session *session.Session
	err     error
}

func (d *onGPU) Close() error { return nil } // it is the test's

func (d *onGPU) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(d.Sequence(ctx, []*launch.Launch{l}))
}

func (d *onGPU) Sequence(_ context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	if d.err != nil {
		return nil, d.err
	}
	return d.session.Sequence(launches)
}

// pretended opens a session in which a kernel's threads do what thread says.
func pretended(t *testing.T, symbol string, parameters []int, thread func(t *fake.Thread, in, out nvidia.Pointer, i, n int)) *session.Session {
	t.Helper()
	m := fake.New(fake.Config{Kernels: map[string]fake.Kernel{symbol: {Parameters: parameters, Thread: func(t *fake.Thread) {
		thread(t, t.Pointer(0), t.Pointer(1), int(t.BlockIdx.X*t.BlockDim.X+t.ThreadIdx.X), t.Int(2))
	}}}})
	driver, err := m.Driver()
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(session.Libraries{Driver: driver, Compiler: m.Compiler, BLAS: m.BLAS}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// On a GPU, which checks no bounds, what is written beside an array is found by the
// fence around it, and its errors are in plain words.
func TestOnAGPU(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	at := func(p nvidia.Pointer, i int) nvidia.Pointer { return p + nvidia.Pointer(4*i) }
	good := func(t *fake.Thread, in, out nvidia.Pointer, i, n int) {
		if i < n {
			x := math.Float32frombits(uint32(t.Load(at(in, i), 4)))
			t.Store(at(out, i), 4, uint64(math.Float32bits(3*x)))
		}
	}
	// and lets the first thread do one thing more.
	and := func(more func(t *fake.Thread, in, out nvidia.Pointer, n int)) func(t *fake.Thread, in, out nvidia.Pointer, i, n int) {
		return func(t *fake.Thread, in, out nvidia.Pointer, i, n int) {
			good(t, in, out, i, n)
			if i == 0 {
				more(t, in, out, n)
			}
		}
	}
	spec := device.Spec{Kind: device.CUDA}
	for name, x := range map[string]struct {
		thread func(t *fake.Thread, in, out nvidia.Pointer, i, n int)
		source string // "" is body(right)
		err    error
		kind   lesson.FindingKind
		text   string
	}{
		"right":           {thread: good},
		"behind":          {thread: and(func(t *fake.Thread, _, out nvidia.Pointer, n int) { t.Store(at(out, n+2), 4, 0) }), kind: lesson.WroteOutside, text: "out[3], behind"},
		"in front":        {thread: and(func(t *fake.Thread, _, out nvidia.Pointer, n int) { t.Store(at(out, -1), 1, 7) }), kind: lesson.WroteOutside, text: "out[-1], in front"},
		"input":           {thread: and(func(t *fake.Thread, in, _ nvidia.Pointer, n int) { t.Store(in, 4, 7) }), kind: lesson.InputChanged, text: "1 element"},
		"not written":     {thread: func(*fake.Thread, nvidia.Pointer, nvidia.Pointer, int, int) {}, kind: lesson.NothingWritten, text: "No element"},
		"fault":           {thread: and(func(t *fake.Thread, _, _ nvidia.Pointer, _ int) { t.Fail(nvidia.IllegalAddress) }), kind: lesson.DeviceFault, text: "not its own"},
		"missing kernel":  {thread: good, source: strings.Replace(body(right), "triple(", "other(", 1), kind: lesson.Signature, text: "no kernel triple"},
		"another type":    {thread: good, source: strings.Replace(body(right), "int n", "double n", 1), kind: lesson.Signature, text: "another type"},
		"no compile":      {thread: good, source: body("syntax error here"), kind: lesson.Compile},
		"too long":        {err: &device.FaultError{Spec: spec, Fault: device.TimeLimit}, kind: lesson.TimeLimit, text: "20 s"},
		"does not fit":    {err: &device.MemoryError{Spec: spec, Asked: 1 << 40}, kind: lesson.MemoryLimit, text: "out of memory"},
		"worker is gone":  {err: &device.FaultError{Spec: spec, Fault: device.WorkerEnded}, kind: lesson.DeviceFault, text: "process"},
		"driver gives up": {err: &device.FaultError{Spec: spec, Fault: device.DriverFailure, Detail: "no more"}, kind: lesson.DeviceFault, text: "no more"},
	} {
		c, l := triple()
		d := &onGPU{err: x.err}
		if x.err == nil {
			parameters := []int{8, 8, 4}
			if name == "another type" {
				parameters[2] = 8
			}
			d.session = pretended(t, "triple", parameters, x.thread)
		}
		c.Open = func(context.Context, string) (device.Device, error) { return d, nil }
		source := x.source
		if source == "" {
			source = body(right)
		}
		v := checked(t, c, l, Options{Device: "cuda:0", Source: []byte(source)})
		if x.kind == "" {
			if !v.Passed || v.Device != "cuda:0: "+d.session.Device().Name || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "not looked for on a GPU") {
				t.Errorf("%s: %+v", name, v)
			}
			continue
		}
		if len(v.Findings) != 1 || v.Findings[0].Kind != x.kind || !strings.Contains(v.Findings[0].Text, x.text) || v.Findings[0].Next == "" {
			t.Errorf("%s: %+v", name, v.Findings)
		}
	}
	c, l := triple()
	c.Open = func(context.Context, string) (device.Device, error) {
		return &onGPU{session: pretended(t, "triple", []int{8, 8, 4}, good)}, nil
	}
	v := checked(t, c, l, Options{Device: "cuda:0", Source: []byte(body("#warning careful\n" + right))})
	if !v.Passed || !strings.Contains(strings.Join(v.Notes, "\n"), "the compiler says: ") || !strings.Contains(v.Notes[0], "careful") {
		t.Errorf("%+v", v)
	}
	missing := &device.UnavailableError{Spec: spec, Reason: "there is none", Next: "buy one"}
	c.Open = func(context.Context, string) (device.Device, error) { return nil, missing }
	if _, err := c.Check(t.Context(), l, Options{Device: "cuda:0", Source: []byte(body(right))}); !errors.Is(err, missing) {
		t.Errorf("a missing GPU is %v", err)
	}
}

// A kernel that does not end is ended by its instructions, and where those are many
// by the time that all cases have.
func TestTimeLimit(t *testing.T) {
	c, l := triple()
	l.Limit = time.Nanosecond
	v := checked(t, c, l, Options{Source: []byte(body("while (n > 0) { }"))})
	if len(v.Findings) == 0 || v.Findings[0].Kind != lesson.TimeLimit {
		t.Errorf("%+v", v)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if _, err := c.Check(ctx, l, Options{Source: []byte(body(right))}); !errors.Is(err, context.Canceled) {
		t.Errorf("who ends a check is told %v", err)
	}
}
