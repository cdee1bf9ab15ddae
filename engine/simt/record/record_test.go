package record_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"workbench/engine/launch"
	"workbench/engine/simt"
	"workbench/engine/simt/record"
)

func ints(n int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

// floats is a buffer of n numbers: 1, 2, 3, …, each divided by 4.
func floats(n int) *launch.Buffer {
	b := &launch.Buffer{Type: "float"}
	for i := range n {
		b.Data = binary.LittleEndian.AppendUint32(b.Data, math.Float32bits(float32(i+1)/4))
	}
	return b
}

func source(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// language is a launch of a kernel of language.cu.
func language(t testing.TB, kernel string, grid, block, n int) *launch.Launch {
	out := &launch.Buffer{Type: "float", Data: make([]byte, 4*max(block, 64)), Out: true}
	return &launch.Launch{
		Kernel: launch.Kernel{Symbol: kernel, File: "language.cu", Source: source(t, "language.cu")},
		Grid:   launch.Dim3{X: grid, Y: 1, Z: 1}, Block: launch.Dim3{X: block, Y: 1, Z: 1},
		Args: []launch.Arg{{Name: "in", Buffer: floats(max(block, 64))}, {Name: "out", Buffer: out}, {Name: "n", Value: ints(int32(n))}},
	}
}

// product is a launch of a kernel of tiled.cu, on matrices of n by n.
func product(t testing.TB, kernel string, n int) *launch.Launch {
	blocks := (n + 15) / 16
	out := &launch.Buffer{Type: "float", Data: make([]byte, 4*n*n), Out: true, Shape: []int{n, n}}
	left, right := floats(n*n), floats(n*n)
	left.Shape, right.Shape = []int{n, n}, []int{n, n}
	return &launch.Launch{
		Kernel: launch.Kernel{Symbol: kernel, File: "tiled.cu", Source: source(t, "tiled.cu")},
		Grid:   launch.Dim3{X: blocks, Y: blocks, Z: 1}, Block: launch.Dim3{X: 16, Y: 16, Z: 1},
		Args: []launch.Arg{{Name: "left", Buffer: left}, {Name: "right", Buffer: right}, {Name: "out", Buffer: out}, {Name: "n", Value: ints(int32(n))}},
	}
}

func recorded(t testing.TB, e *simt.Emulator, l *launch.Launch, block launch.Index) (*launch.Result, launch.Recording) {
	t.Helper()
	results, list, err := e.Record(context.Background(), []*launch.Launch{l}, 0, []launch.Index{block})
	if err != nil {
		t.Fatal(err)
	}
	return results[0], list[0]
}

// all is everything that there is to see at a step.
func all(r launch.Recording, step int) (*launch.Moment, error) {
	v := launch.View{Shared: true}
	for i := range r.Tape().Warps {
		v.Warps = append(v.Warps, i)
	}
	return r.At(context.Background(), step, v)
}

func text(t testing.TB, r launch.Recording, step int) string {
	t.Helper()
	m, err := all(r, step)
	if err != nil {
		t.Fatalf("step %d: %v", step, err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// cases are launches that differ in what a recording has to follow.
func cases(t testing.TB) map[string]struct {
	l     *launch.Launch
	block launch.Index
} {
	type one = struct {
		l     *launch.Launch
		block launch.Index
	}
	return map[string]one{
		"tiled":     {product(t, "tiled", 37), launch.Index{2, 1, 0}},
		"naive":     {product(t, "naive", 20), launch.Index{1, 1, 0}},
		"variables": {language(t, "variables", 1, 40, 100), launch.Index{}},
		"reduce":    {language(t, "reduce", 2, 64, 50), launch.Index{1, 0, 0}},
		"counting":  {language(t, "counting", 1, 64, 40), launch.Index{}},
		"exchanges": {language(t, "exchanges", 1, 64, 0), launch.Index{}},
		"waiting":   {language(t, "waiting", 5, 64, 0), launch.Index{2, 0, 0}},
		"long":      {language(t, "long_one", 2, 64, 800), launch.Index{1, 0, 0}},
	}
}

// TestSteps goes to steps in any order, with all of the recording in memory and
// with most of it made again: it is the same each time as on the way forwards.
func TestSteps(t *testing.T) {
	for name, c := range cases(t) {
		t.Run(name, func(t *testing.T) {
			_, r := recorded(t, &simt.Emulator{}, c.l, c.block)
			tape := r.Tape()
			if !tape.Complete || tape.Steps < 10 {
				t.Fatalf("%+v", tape)
			}
			small := &simt.Emulator{RecordingBytes: 600 << 10}
			_, again := recorded(t, small, c.l, c.block)
			cut := again.Tape()
			if cut.Steps != tape.Steps || cut.Bytes > cut.Bound {
				t.Errorf("with a bound: %+v", cut)
			}
			stride := max(tape.Steps/400, 1)
			var want []string
			for step := 0; step < tape.Steps; step += stride {
				want = append(want, text(t, r, step))
			}
			if held := r.Tape().Held; held != tape.Steps {
				t.Errorf("%d of %d steps are held, and there was room for all", held, tape.Steps)
			}
			random := rand.New(rand.NewPCG(1, 2))
			for range 300 {
				i := random.IntN(len(want))
				if got := text(t, r, i*stride); got != want[i] {
					t.Fatalf("step %d: %s\nand on the way forwards: %s", i*stride, got, want[i])
				}
			}
			for i := len(want) - 1; i >= 0; i -= 1 + len(want)/60 {
				if got := text(t, again, i*stride); got != want[i] {
					t.Fatalf("step %d, made again: %s\nand before: %s", i*stride, got, want[i])
				}
			}
			if end := again.Tape(); end.Bytes > end.Bound {
				t.Errorf("after stepping: %+v", end)
			} else if name == "long" && (end.Held*3 > end.Steps*2 || end.Held == 0) {
				t.Errorf("%d of %d steps are held: the bound does not bite", end.Held, end.Steps)
			}
			if _, err := r.At(context.Background(), tape.Steps, launch.View{}); !errors.As(err, new(*record.StepError)) {
				t.Errorf("a step beyond the end: %v", err)
			}
		})
	}
}

// value finds a variable, or a part of one, in a lane: q.value, list[2].
func value(vars []launch.Variable, name string, lane int) (string, bool) {
	for _, v := range vars {
		rest, ok := strings.CutPrefix(name, v.Name)
		if !ok {
			continue
		}
		switch {
		case rest == "" && v.Set>>lane&1 != 0 && len(v.Values) == 1:
			return v.Values[0], true
		case rest == "" && v.Set>>lane&1 != 0 && len(v.Values) == 32:
			return v.Values[lane], true
		case rest != "" && (rest[0] == '.' || rest[0] == '['):
			return value(v.Parts, strings.TrimPrefix(rest, "."), lane)
		}
	}
	return "", false
}

// TestValues holds variables against what the kernel itself prints of them in the
// same statement.
func TestValues(t *testing.T) {
	l := language(t, "variables", 1, 40, 100)
	result, r := recorded(t, &simt.Emulator{}, l, launch.Index{})
	if len(result.Reports) > 0 {
		t.Fatalf("%v", result.Reports)
	}
	checked, printed := map[string]int{}, ""
	for step := range r.Tape().Steps {
		m, err := r.At(context.Background(), step, launch.View{})
		if err != nil {
			t.Fatal(err)
		}
		printed += m.Printed
		if m.Printed == "" {
			continue
		}
		w := m.Warps[m.Warp]
		frame := w.Frames[len(w.Frames)-1]
		lane := 0
		for _, line := range strings.Split(strings.TrimSuffix(m.Printed, "\n"), "\n") {
			for w.Active>>lane&1 == 0 {
				lane++
			}
			name, want, _ := strings.Cut(strings.TrimPrefix(line, "@"), " ")
			got, ok := value(frame.Vars, name, lane)
			if !ok {
				t.Fatalf("step %d, line %d: %s has no value in lane %d: %+v", step, m.Place.Line, name, lane, frame.Vars)
			}
			if !same(got, want) {
				t.Errorf("step %d, line %d, lane %d: %s is %s, and the kernel printed %s", step, m.Place.Line, lane, name, got, want)
			}
			checked[name]++
			lane++
		}
	}
	if printed != result.Output {
		t.Error("the steps printed something else than the launch")
	}
	for _, name := range []string{"a", "b", "q.value", "p.index", "grown", "list[2]", "k", "term", "sum", "left", "odd", "small", "wide", "fine", "result", "f", "zero"} {
		if checked[name] < 8 {
			t.Errorf("%s was looked at %d times", name, checked[name])
		}
	}
}

// same compares numbers as they are printed.
func same(got, want string) bool {
	switch got {
	case "true":
		return want == "1"
	case "false":
		return want == "0"
	}
	var a, b float64
	if _, err := fmt.Sscan(got, &a); err != nil {
		return false
	}
	if _, err := fmt.Sscan(want, &b); err != nil {
		return false
	}
	return a == b || float32(a) == float32(b) && strings.ContainsAny(want, ".e")
}

// TestOwners steps the tiled product to its phases: who brought which value, and
// how often each is read.
func TestOwners(t *testing.T) {
	const n = 32
	_, r := recorded(t, &simt.Emulator{}, product(t, "tiled", n), launch.Index{1, 0, 0})
	ctx := context.Background()
	tape := r.Tape()
	if tape.Phases != 2*n/16+1 {
		t.Fatalf("%d phases", tape.Phases)
	}
	array := map[string]int{}
	for i, a := range tape.Arrays {
		array[a.Name] = i
	}
	step := 0
	for phase := range 2 {
		for range 2 * min(phase, 1) {
			step = seek(t, r, step, launch.Goal{Kind: launch.GoalBarrier})
		}
		if phase == 0 {
			step = seek(t, r, step, launch.Goal{Kind: launch.GoalBarrier})
		}
		m, err := r.At(ctx, step, launch.View{Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind != launch.StepRelease || m.Phase != 2*phase+1 {
			t.Fatalf("step %d: %v in phase %d", step, m.Kind, m.Phase)
		}
		for _, s := range m.Shared {
			name := tape.Arrays[s.Array].Name
			for e := range 256 {
				y, x := e/16, e%16
				at := y*n + 16*phase + x // of left
				if name == "bs" {
					at = (16*phase+y)*n + 16 + x // block column 1
				}
				want := fmt.Sprint(float32(at+1) / 4)
				if s.Owners[e] != e || s.Values[e] != want {
					t.Fatalf("%s[%d][%d] in phase %d: %s of thread %d, want %s of thread %d", name, y, x, phase, s.Values[e], s.Owners[e], want, e)
				}
				if owner, err := r.At(ctx, s.Steps[e], launch.View{}); err != nil || owner.Warp != e/32 {
					t.Fatalf("%s[%d] was stored in step %d, of warp %d: %v", name, e, s.Steps[e], owner.Warp, err)
				}
			}
		}
	}
	touched, err := r.Touched(ctx, 0, tape.Steps)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range touched.Uses {
		name := tape.Arrays[u.Array].Name
		for i := range u.Elements {
			loads, stores := 1, 0
			switch name {
			case "as", "bs":
				loads, stores = 2*16, 2 // both phases
			case "out":
				loads, stores = 0, 1
			}
			if u.Loads[i] != loads || u.Stores[i] != stores {
				t.Fatalf("%s[%d]: %d loads and %d stores, want %d and %d", name, u.Elements[i], u.Loads[i], u.Stores[i], loads, stores)
			}
		}
	}
	_, r = recorded(t, &simt.Emulator{}, product(t, "naive", n), launch.Index{1, 0, 0})
	touched, err = r.Touched(ctx, 0, r.Tape().Steps)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range touched.Uses {
		for i := range u.Elements {
			if name := r.Tape().Arrays[u.Array].Name; name != "out" && u.Loads[i] != 16 {
				t.Fatalf("naive, %s[%d]: %d loads, want 16", name, u.Elements[i], u.Loads[i])
			}
		}
	}
}

func seek(t testing.TB, r launch.Recording, from int, g launch.Goal) int {
	t.Helper()
	step, ok, err := r.Seek(context.Background(), from, g)
	if err != nil || !ok {
		t.Fatalf("from %d to %+v: %v %v", from, g, ok, err)
	}
	return step
}

// TestSeek holds what Seek finds against a walk through all steps, forwards and
// backwards, also where most of the recording must be made again.
func TestSeek(t *testing.T) {
	for name, c := range cases(t) {
		_, r := recorded(t, &simt.Emulator{}, c.l, c.block)
		_, cut := recorded(t, &simt.Emulator{RecordingBytes: 600 << 10}, c.l, c.block)
		tape := r.Tape()
		var moments []*launch.Moment
		for step := range tape.Steps {
			m, err := r.At(context.Background(), step, launch.View{})
			if err != nil {
				t.Fatal(err)
			}
			moments = append(moments, m)
		}
		fits := func(m *launch.Moment, g launch.Goal) bool {
			switch g.Kind {
			case launch.GoalStep:
				return true
			case launch.GoalWarp:
				return m.Kind == launch.StepStatement && m.Warp == g.Warp
			case launch.GoalBarrier:
				return m.Kind != launch.StepStatement
			case launch.GoalLine:
				return m.Kind == launch.StepStatement && m.Place.Line == g.Line
			case launch.GoalExchange:
				return len(m.Exchanges) > 0
			}
			for _, a := range m.Accesses {
				for _, e := range a.Elements {
					if a.Array == g.Array && e == g.Element {
						return true
					}
				}
			}
			return false
		}
		random := rand.New(rand.NewPCG(3, 4))
		found := 0
		for range 200 {
			g := launch.Goal{
				Kind: []launch.GoalKind{launch.GoalStep, launch.GoalWarp, launch.GoalBarrier, launch.GoalLine, launch.GoalElement, launch.GoalElement, launch.GoalExchange}[random.IntN(7)],
				Back: random.IntN(2) == 0, Warp: random.IntN(tape.Warps), Line: tape.Lines[random.IntN(len(tape.Lines))], Array: random.IntN(len(tape.Arrays)),
			}
			g.Element = int64(random.IntN(int(min(max(tape.Arrays[g.Array].Elements, 1), 300))))
			from := random.IntN(tape.Steps)
			want, by := -1, 1
			if g.Back {
				by = -1
			}
			for i := from + by; i >= 0 && i < tape.Steps && want < 0; i += by {
				if fits(moments[i], g) {
					want = i
				}
			}
			for k, from2 := range []launch.Recording{r, cut} {
				if k == 1 && name == "long" && random.IntN(8) > 0 {
					continue // each runs the launch again
				}
				got, ok, err := from2.Seek(context.Background(), from, g)
				if err != nil {
					t.Fatal(err)
				}
				if ok != (want >= 0) || ok && got != want {
					t.Fatalf("%s: from %d to %+v: %d %v, want %d", name, from, g, got, ok, want)
				}
			}
			if want >= 0 {
				found++
			}
		}
		if found < 60 {
			t.Errorf("%s: %d of 200 were found", name, found)
		}
	}
}

// TestResult holds what a recording ends with against the launch's result.
func TestResult(t *testing.T) {
	l := language(t, "counting", 1, 64, 40)
	plain, err := (&simt.Emulator{}).Launch(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	result, r := recorded(t, &simt.Emulator{}, l, launch.Index{})
	plain.Cost, result.Cost = launch.Cost{}, launch.Cost{}
	a, _ := json.Marshal(plain)
	b, _ := json.Marshal(result)
	if string(a) != string(b) {
		t.Errorf("recorded: %s\nnot recorded: %s", b, a)
	}
	// bins holds how many lanes have each number.
	want := [8]int{}
	for i := range 64 {
		want[int(float32(i+1)/4)&7]++
	}
	m, err := all(r, r.Tape().Steps-1)
	if err != nil {
		t.Fatal(err)
	}
	if m.Kind != launch.StepEnd || m.Shared[0].Values[3] != fmt.Sprint(want[3]) || m.Shared[0].Values[0] != fmt.Sprint(want[0]) {
		t.Errorf("%v: %v, want %v", m.Kind, m.Shared, want)
	}
	for _, w := range m.Warps {
		if w.Live != 0 || w.Waiting != 0 {
			t.Errorf("a warp has not ended: %+v", w)
		}
	}
}

// TestEnds are recordings that end early, and what cannot be recorded.
func TestEnds(t *testing.T) {
	ctx := context.Background()
	l := language(t, "long_one", 1, 64, 1<<16)
	_, r := recorded(t, &simt.Emulator{Instructions: 400000, RecordingBytes: 600 << 10}, l, launch.Index{})
	tape := r.Tape()
	if tape.Complete || !strings.Contains(tape.Reason, "instruction limit") || tape.Steps < 1000 {
		t.Fatalf("%+v", tape)
	}
	for _, step := range []int{0, tape.Steps / 2, tape.Steps - 1} {
		if _, err := all(r, step); err != nil {
			t.Errorf("step %d: %v", step, err)
		}
	}
	endless := language(t, "ping", 1, 32, 2) // whose turn comes once
	_, r2 := recorded(t, &simt.Emulator{Time: 50 * time.Millisecond, RecordingBytes: 600 << 10}, endless, launch.Index{})
	if late := r2.Tape(); late.Complete || !strings.Contains(late.Reason, "time") || late.Steps < 100 {
		t.Errorf("a launch without an end: %+v", late)
	} else if _, err := all(r2, late.Steps-1); err != nil {
		t.Errorf("its last step: %v", err)
	}
	if _, _, err := (&simt.Emulator{}).Record(ctx, []*launch.Launch{l}, 0, []launch.Index{{1, 0, 0}}); !errors.As(err, new(*launch.ArgumentError)) {
		t.Errorf("a block that is not there: %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := (&simt.Emulator{}).Record(stopped, []*launch.Launch{l}, 0, []launch.Index{{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
	if _, err := r.At(stopped, tape.Steps*3/4, launch.View{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done, while a part is made again: %v", err)
	}
}

// TestTogether has several who step one recording of which most must be made
// again.
func TestTogether(t *testing.T) {
	c := cases(t)["long"]
	_, r := recorded(t, &simt.Emulator{RecordingBytes: 600 << 10}, c.l, c.block)
	steps := r.Tape().Steps
	want := map[int]string{}
	for step := 7; step < steps; step += steps / 9 {
		want[step] = text(t, r, step)
	}
	var wait sync.WaitGroup
	for k := range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			random := rand.New(rand.NewPCG(uint64(k), 1))
			for range 6 {
				step := 7 + steps/9*random.IntN(9)
				m, err := all(r, step)
				if err != nil {
					t.Error(err)
					return
				}
				if b, _ := json.Marshal(m); string(b) != want[step] {
					t.Errorf("step %d is another one", step)
				}
				if _, _, err := r.Seek(context.Background(), step, launch.Goal{Kind: launch.GoalLine, Line: m.Place.Line, Back: k == 0}); err != nil {
					t.Error(err)
				}
				r.Tape()
			}
		}()
	}
	wait.Wait()
}

// TestBlocks records several blocks at once, one of them twice: each is what it is
// alone.
func TestBlocks(t *testing.T) {
	l := product(t, "tiled", 37)
	blocks := []launch.Index{{2, 1, 0}, {0, 0, 0}, {2, 1, 0}}
	_, list, err := (&simt.Emulator{}).Record(context.Background(), []*launch.Launch{l}, 0, blocks)
	if err != nil || len(list) != len(blocks) {
		t.Fatalf("%d recordings: %v", len(list), err)
	}
	for i, block := range blocks {
		_, alone := recorded(t, &simt.Emulator{}, l, block)
		tape := list[i].Tape()
		if want := alone.Tape(); tape.Block != block || tape.Steps != want.Steps || !tape.Complete {
			t.Fatalf("%+v\nand alone: %+v", tape, want)
		}
		for step := 0; step < tape.Steps; step += 97 {
			if got, want := text(t, list[i], step), text(t, alone, step); got != want {
				t.Fatalf("block %v, step %d: %s\nand alone: %s", block, step, got, want)
			}
		}
	}
}

// TestSequence records the second launch of a sequence, which finds what the first
// one left in a buffer and in a variable, also where parts are made again without
// running that.
func TestSequence(t *testing.T) {
	first, second := language(t, "counted", 2, 64, 60), language(t, "counted", 2, 64, 300)
	second.Args[0].Buffer, second.Args[1].Buffer = first.Args[0].Buffer, first.Args[1].Buffer
	second.Kernel = first.Kernel
	first.Constants = []launch.Constant{{Name: "total", Value: ints(1000)}}
	sequence := []*launch.Launch{first, second}
	steps := func(bytes int64) (launch.Tape, launch.Recording, []*launch.Result) {
		results, list, err := (&simt.Emulator{RecordingBytes: bytes}).Record(context.Background(), sequence, 1, []launch.Index{{1, 0, 0}})
		if err != nil {
			t.Fatal(err)
		}
		return list[0].Tape(), list[0], results
	}
	tape, whole, results := steps(0)
	small, cut, _ := steps(600 << 10)
	if !tape.Complete || !small.Complete {
		t.Fatalf("%+v\n%+v", tape, small)
	}
	for k := 10; k >= 1; k-- {
		step := (tape.Steps - 1) * k / 10
		if got, want := text(t, cut, step), text(t, whole, step); got != want {
			t.Fatalf("step %d, made again: %s\nand before: %s", step, got, want)
		}
	}
	if end := cut.Tape(); end.Held == 0 || end.Held*2 > end.Steps {
		t.Errorf("of %d steps %d are held", end.Steps, end.Held)
	}
	// total is 1000, and what all threads add: in the first launch twice 0 + … + 63
	// for each block, in the second six times.
	at, found, err := whole.Seek(context.Background(), tape.Steps-1, launch.Goal{Kind: launch.GoalElement, Back: true, Array: arrayOf(t, tape, "total")})
	if err != nil || !found {
		t.Fatal(found, err)
	}
	m, err := whole.At(context.Background(), at, launch.View{})
	if err != nil {
		t.Fatal(err)
	}
	sum := 64 * 63 / 2
	if got, want := m.Accesses[0].Values[0], fmt.Sprint(1000+2*2*sum+2*6*sum); m.Accesses[0].Name != "total" || got != want {
		t.Errorf("the last access is of %s and reads %s, want %s", m.Accesses[0].Name, got, want)
	}
	if len(results) != 2 {
		t.Errorf("%d results", len(results))
	}
}

func arrayOf(t *testing.T, tape launch.Tape, name string) int {
	t.Helper()
	for i, a := range tape.Arrays {
		if a.Name == name {
			return i
		}
	}
	t.Fatalf("there is no array %s: %+v", name, tape.Arrays)
	return 0
}

// TestLittleRoom records a block whose variables take far more than the bound has
// room for: what is called last has none to show, and everything else is as it was.
func TestLittleRoom(t *testing.T) {
	l := language(t, "deep", 1, 1024, 60)
	result, r := recorded(t, &simt.Emulator{RecordingBytes: 600 << 10}, l, launch.Index{})
	_, whole := recorded(t, &simt.Emulator{RecordingBytes: 256 << 20}, l, launch.Index{})
	tape := r.Tape()
	if !tape.Complete || len(result.Reports) > 0 || tape.Steps != whole.Tape().Steps {
		t.Fatalf("%+v %v", tape, result.Reports)
	}
	empty := 0
	for k := 12; k >= 0; k-- {
		step := (tape.Steps - 1) * k / 12
		got, err := all(r, step)
		if err != nil {
			t.Fatal(err)
		}
		want, err := all(whole, step)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Warps {
			g, w := got.Warps[i].Frames, want.Warps[i].Frames
			if len(g) != len(w) {
				t.Fatalf("step %d: warp %d is in %d functions, not %d", step, i, len(g), len(w))
			}
			for f := range g {
				if w[f].Omitted || !g[f].Omitted && len(g[f].Vars) != len(w[f].Vars) {
					t.Fatalf("step %d: %+v", step, g[f])
				}
				if g[f].Omitted {
					empty++
					continue
				}
				for k, v := range g[f].Vars {
					x, _ := json.Marshal(v)
					if y, _ := json.Marshal(w[f].Vars[k]); !v.Omitted && string(x) != string(y) {
						t.Fatalf("step %d: %s\nwith room: %s", step, x, y)
					}
				}
			}
			got.Warps[i].Frames, want.Warps[i].Frames = nil, nil
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Fatalf("step %d: %s\nwith room: %s", step, a, b)
		}
	}
	if empty == 0 {
		t.Error("there was room for everything")
	}
}

// TestKeepsNoMemory holds what a recording keeps against what its tape says: the
// launch's memory, in which it ran, is not part of it.
func TestKeepsNoMemory(t *testing.T) {
	l := language(t, "long_one", 1, 64, 100)
	l.Args[0].Buffer = &launch.Buffer{Type: "float", Data: make([]byte, 32<<20)}
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	e := &simt.Emulator{Unmeasured: true, Unchecked: launch.ReportKinds}
	recorded(t, e, l, launch.Index{}) // what the emulator keeps of a source
	before := heap()
	_, r := recorded(t, e, l, launch.Index{})
	text(t, r, 100)
	if kept, buffer := heap()-before, int64(len(l.Args[0].Buffer.Data)); kept > buffer/2 {
		t.Errorf("%d bytes are kept, and the tape says %d: a buffer has %d", kept, r.Tape().Bytes, buffer)
	}
	runtime.KeepAlive(l)
}
