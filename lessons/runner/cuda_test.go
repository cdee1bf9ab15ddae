package runner

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"workbench/engine"
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
		if f.Line != x.line || !strings.Contains(f.Text+f.Next, x.text) || f.Next == "" || f.Case == "" {
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

// standIn is a GPU: a kernel is a Go function on memory without bounds.
type standIn struct {
	device.Device
	kernel func(in, out []byte, n int)
	err    error
}

func (s *standIn) Close() error { return nil }

func (s *standIn) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(s.Sequence(ctx, []*launch.Launch{l}))
}

func (s *standIn) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	if s.err != nil {
		return nil, s.err
	}
	if err := launch.CheckSequence(launches); err != nil {
		return nil, err
	}
	a := launches[0].Args
	contents := map[*launch.Buffer][]byte{}
	for _, b := range launch.Memories(launches) {
		contents[b] = append([]byte{}, b.Data...)
	}
	s.kernel(contents[a[0].Buffer][a[0].Offset-64:], contents[a[1].Buffer][a[1].Offset-64:], int(binary.LittleEndian.Uint32(a[2].Value)))
	results := []*launch.Result{{Device: "NVIDIA H200"}}
	launch.Collect(launches, results, contents)
	return results, nil
}

// On a GPU, which checks no bounds, what is written beside an array is found by the
// fence around it, and its errors are in plain words.
func TestOnAGPU(t *testing.T) {
	at := func(b []byte, i int) []byte { return b[64+4*i:][:4] } // b begins 16 elements in front of the array
	get := func(b []byte, i int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(at(b, i))) }
	put := func(b []byte, i int, x float32) { binary.LittleEndian.PutUint32(at(b, i), math.Float32bits(x)) }
	good := func(in, out []byte, n int) {
		for i := range n {
			put(out, i, 3*get(in, i))
		}
	}
	spec := device.Spec{Kind: device.CUDA}
	for name, x := range map[string]struct {
		on   standIn
		kind lesson.FindingKind
		text string
	}{
		"right":        {on: standIn{kernel: good}},
		"behind":       {standIn{kernel: func(in, out []byte, n int) { good(in, out, n); put(out, n+2, 0) }}, lesson.WroteOutside, "out[3], behind"},
		"in front":     {standIn{kernel: func(in, out []byte, n int) { good(in, out, n); put(out, -1, 7) }}, lesson.WroteOutside, "out[-1], in front"},
		"input":        {standIn{kernel: func(in, out []byte, n int) { good(in, out, n); put(in, 0, 7) }}, lesson.InputChanged, "1 element"},
		"not written":  {standIn{kernel: func(in, out []byte, n int) {}}, lesson.NothingWritten, "No element"},
		"fault":        {standIn{err: &device.FaultError{Spec: spec, Fault: device.IllegalAddress}}, lesson.DeviceFault, "not its own"},
		"too long":     {standIn{err: &device.FaultError{Spec: spec, Fault: device.TimeLimit}}, lesson.TimeLimit, "20 s"},
		"does not fit": {standIn{err: &device.MemoryError{Spec: spec, Asked: 1 << 40}}, lesson.MemoryLimit, "out of memory"},
		"compiler": {standIn{err: &launch.CompileError{File: "triple.cu", Diagnostics: []launch.Diagnostic{
			{Severity: "warning", Message: "unused"}, {Line: 4, Column: 2, Severity: "error", Message: "expected a ;"}, {Line: 2, Severity: "note", Message: "of this"},
		}}}, lesson.Compile, "expected a ;"},
	} {
		c, l := triple()
		c.Open = func(context.Context, string) (device.Device, error) { return &x.on, nil }
		v := checked(t, c, l, Options{Device: "cuda:0", Source: []byte(body(right))})
		if x.kind == "" {
			if !v.Passed || v.Device != "cuda:0: NVIDIA H200" || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "not looked for on a GPU") {
				t.Errorf("%s: %+v", name, v)
			}
			continue
		}
		if len(v.Findings) != 1 || v.Findings[0].Kind != x.kind || !strings.Contains(v.Findings[0].Text, x.text) {
			t.Errorf("%s: %+v", name, v.Findings)
		}
	}
	c, l := triple()
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
