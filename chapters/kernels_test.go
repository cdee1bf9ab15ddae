package chapters_test

import (
	"fmt"
	"strings"
	"testing"

	"workbench/engine/experiment"
	"workbench/engine/launch"
	"workbench/web/chapter"
	"workbench/web/run"
)

// tried runs a kernel of a chapter, its source and its launch changed: each change is
// a text and what is in its place.
func tried(t *testing.T, runner run.Runner, w *chapter.Widget, changes ...string) *experiment.Outcome {
	t.Helper()
	in := w.Kernels[0].Input
	form := string(in.Launch)
	for i := 0; i < len(changes); i += 2 {
		from, to := changes[i], changes[i+1]
		switch {
		case strings.Contains(in.Source, from):
			in.Source = strings.Replace(in.Source, from, to, 1)
		case strings.Contains(form, from):
			form = strings.Replace(form, from, to, 1)
		default:
			t.Fatalf("%s has no %q", w.ID, from)
		}
	}
	in.Launch = []byte(form)
	o, err := runner.Launch(t.Context(), "emulator", in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// What the chapters on kernels say in numbers is what the emulator counts, of the
// kernels as they stand and as a reader is told to change them.
func TestKernelsClaims(t *testing.T) {
	library, runner := course(t)
	find := func(slug, id string) *chapter.Widget {
		w := library.Chapter(slug).Widget(id)
		if w == nil || len(w.Kernels) == 0 {
			t.Fatalf("%s has no kernel %s", slug, id)
		}
		return w
	}
	const six, seven = "06-how-kernels-divide-work", "07-product-in-three-versions"
	buffer := func(o *experiment.Outcome, name string) launch.ArrayCounts {
		for _, b := range o.Measurements[0].Buffers {
			if b.Name == name {
				return b
			}
		}
		t.Fatalf("no buffer %s", name)
		return launch.ArrayCounts{}
	}
	report := func(o *experiment.Outcome) string {
		var list []string
		for _, r := range o.Reports {
			text := fmt.Sprintf("%s at line %d: %s: block %v, thread %v, warp %d, lane %d, %d times", r.Kind, r.Line, r.Message, r.Block, r.Thread, r.Warp, r.Lane, r.Count)
			list = append(list, text)
		}
		return strings.Join(list, "\n")
	}
	is := func(what string, got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, and the chapter says %v", what, got, want)
		}
	}
	says := func(what, got string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: the chapter says %q, and the reports are\n%s", what, w, got)
			}
		}
	}

	add := find(six, "add")
	m := add.Kernels[0].Outcome.Measurements[0]
	is("operations", m.Flops, 1000)
	is("requests", m.Loads.Requests, 64)
	is("sectors", m.Loads.Sectors, 250)
	is("operations for a byte", fmt.Sprintf("%.3f", m.ArithmeticIntensity), "0.083")
	says("no guard", report(tried(t, runner, add, "if (i < n) {", "{")),
		"out[1000]", "block (3,0,0), thread (232,0,0), warp 7, lane 8, 24 times")
	apart := tried(t, runner, add, "\t\tout[i] = x[i] + y[i];", "\t\ti = i * 7 % n; out[i] = x[i] + y[i];")
	is("sectors of a request, apart", apart.Measurements[0].Loads.Sectors/apart.Measurements[0].Loads.Requests, 27) // 28 of a full warp
	is("still right", apart.Comparison.Passed, true)

	softmax := find(six, "softmax")
	m = softmax.Kernels[0].Outcome.Measurements[0]
	is("branches", m.Branches, 62)
	is("of which parted", m.Diverged, 18)
	is("lanes at work", fmt.Sprintf("%.0f", 100*m.LaneEfficiency), 89)
	is("loads of a value", buffer(softmax.Kernels[0].Outcome, "in").LoadsPerElement, 3)
	even := tried(t, runner, softmax, `"shape":[6,50]`, `"shape":[6,64]`, `"shape":[6,50]`, `"shape":[6,64]`, `"value":50`, `"value":64`)
	is("lanes at work with 64 columns", even.Measurements[0].LaneEfficiency, 1)

	transpose := find(six, "transpose")
	m = transpose.Kernels[0].Outcome.Measurements[0]
	is("requests to read the tile", m.SharedLoads.Requests, 100)
	is("their turns", m.SharedLoads.Turns, 100)
	narrow := tried(t, runner, transpose, "TILE + 1", "TILE").Measurements[0].SharedLoads
	is("turns without the column", narrow.Turns, 2000)
	is("conflicts without the column", narrow.Conflicts, 1900)
	says("no barrier", report(tried(t, runner, transpose, "\t__syncthreads();\n", "")), "race at line", "reads tile[")

	squares := find(six, "squares")
	says("no barrier", report(tried(t, runner, squares, "\t\t__syncthreads();\n", "")), "thread (0,0,0) reads sums[32], which thread (32,0,0) writes")
	says("a barrier for some", report(tried(t, runner, squares, "\t\t__syncthreads();\n", "", "if (t < half) {", "if (t < half) { __syncthreads();")), "divergent-barrier")

	naive := find(seven, "naive")
	is("bits", naive.Kernels[0].Outcome.Comparison.Differing, 0)
	m = naive.Kernels[0].Outcome.Measurements[0]
	is("loads", m.Loads.Lanes, 65536)
	is("loads of a value", buffer(naive.Kernels[0].Outcome, "a").LoadsPerElement, 32)
	is("operations for a byte", fmt.Sprintf("%.3f", m.ArithmeticIntensity), "0.485")
	is("part of the sectors that is used", 100*m.Loads.Distinct/(32*m.Loads.Sectors), 56)

	tiled := find(seven, "tiled")
	is("bits", tiled.Kernels[0].Outcome.Comparison.Differing, 0)
	m = tiled.Kernels[0].Outcome.Measurements[0]
	is("requests", m.Loads.Requests, 128)
	is("operations", m.Flops, 65536)
	is("operations for a byte", fmt.Sprintf("%.1f", m.ArithmeticIntensity), "3.2")
	is("loads of a value", buffer(tiled.Kernels[0].Outcome, "a").LoadsPerElement, 2)
	is("reads of a value in the tile", m.Shared[0].Loads/m.Shared[0].Stores, 16)
	source := tiled.Kernels[0].Input.Source
	barrier := "\t\t__syncthreads();\n"
	first := tried(t, runner, tiled, barrier, "")
	says("no first barrier", report(first), "thread (1,0,0) reads left[0][0], which thread (0,0,0) writes", "line 16")
	is("and the result", first.Comparison.Passed, false)
	end := source[strings.LastIndex(source, barrier)-4:]
	says("no second barrier", report(tried(t, runner, tiled, end, strings.Replace(end, barrier, "", 1))), "line 13: thread (0,0,0) writes left[0][0], which thread (1,0,0) reads")
	ragged := tried(t, runner, tiled, `"grid":[2,2]`, `"grid":[1,3]`, `"name":"a","type":"f32","shape":[32,32]`, `"name":"a","type":"f32","shape":[33,17]`,
		`"name":"b","type":"f32","shape":[32,32]`, `"name":"b","type":"f32","shape":[17,9]`, `"name":"c","type":"f32","shape":[32,32]`, `"name":"c","type":"f32","shape":[33,9]`,
		`"name":"m","type":"i32","value":32`, `"name":"m","type":"i32","value":33`, `"name":"k","type":"i32","value":32`, `"name":"k","type":"i32","value":17`, `"name":"n","type":"i32","value":32`, `"name":"n","type":"i32","value":9`)
	is("ragged bits", ragged.Comparison.Differing, 0)
	is("ragged reports", len(ragged.Reports), 0)

	blocked := find(seven, "blocked")
	is("bits", blocked.Kernels[0].Outcome.Comparison.Differing, 0)
	stores := blocked.Kernels[0].Outcome.Measurements[0].SharedStores
	is("conflicts of storing", stores.Conflicts, 1920)
	is("turns of storing", stores.Turns, 2176)
	is("conflicts with a column more", tried(t, runner, blocked, "left[DEPTH][TILE]", "left[DEPTH][TILE + 1]").Measurements[0].SharedStores.Conflicts, 128)

	// The table of the three versions, for one product of 64 × 64.
	large := []string{`"shape":[32,32]`, `"shape":[64,64]`, `"shape":[32,32]`, `"shape":[64,64]`, `"shape":[32,32]`, `"shape":[64,64]`,
		`"value":32`, `"value":64`, `"value":32`, `"value":64`, `"value":32`, `"value":64`, `"grid":[2,2]`, `"grid":[4,4]`}
	for name, o := range map[string]*experiment.Outcome{"naive": tried(t, runner, naive, large...), "tiled": tried(t, runner, tiled, large...), "blocked": blocked.Kernels[0].Outcome} {
		m := o.Measurements[0]
		got := fmt.Sprintf("%d %g %d %.3g %d", m.Loads.Requests, buffer(o, "b").LoadsPerElement, m.SharedLoads.Requests, m.ArithmeticIntensity, m.Instructions)
		is(name, got, map[string]string{
			"naive": "16384 64 0 0.492 101376", "tiled": "1024 4 16384 3.56 118784", "blocked": "256 1 4096 10.7 27096",
		}[name])
	}
}
