package chapters_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"workbench/assets"
	"workbench/chapters"
	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/experiment"
	"workbench/engine/ladder"
	"workbench/engine/launch"
	"workbench/kernels/matmul"
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

	// opens says what the step that a figure opens at shows: the line, the lanes at
	// work, and the first element of each access.
	opens := func(w *chapter.Widget, want string) {
		t.Helper()
		k := w.Kernels[0]
		m, err := k.Outcome.Recording(0).At(t.Context(), w.Step, launch.View{})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s in line %d, %d lanes", m.Kind, m.Place.Line, bits.OnesCount32(m.Warps[m.Warp].Active))
		for _, a := range m.Accesses {
			got += fmt.Sprintf(", %s %s[%d]", a.Kind, a.Name, a.Elements[0])
		}
		is(w.ID+" opens at", got, want)
	}

	add := find(six, "add")
	opens(add, "statement in line 5, 32 lanes, load x[768], load y[768], store out[768]")
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
	opens(softmax, "statement in line 14, 18 lanes, load in[32]")
	m = softmax.Kernels[0].Outcome.Measurements[0]
	is("branches", m.Branches, 62)
	is("of which parted", m.Diverged, 18)
	is("lanes at work", fmt.Sprintf("%.0f", 100*m.LaneEfficiency), 89)
	is("loads of a value", buffer(softmax.Kernels[0].Outcome, "in").LoadsPerElement, 3)
	even := tried(t, runner, softmax, `"shape":[6,50]`, `"shape":[6,64]`, `"shape":[6,50]`, `"shape":[6,64]`, `"value":50`, `"value":64`)
	is("lanes at work with 64 columns", even.Measurements[0].LaneEfficiency, 1)

	transpose := find(six, "transpose")
	opens(transpose, "statement in line 21, 32 lanes, load tile[0], store out[0]")
	m = transpose.Kernels[0].Outcome.Measurements[0]
	is("requests to read the tile", m.SharedLoads.Requests, 100)
	is("their turns", m.SharedLoads.Turns, 100)
	narrow := tried(t, runner, transpose, "TILE + 1", "TILE").Measurements[0].SharedLoads
	is("turns without the column", narrow.Turns, 2000)
	is("conflicts without the column", narrow.Conflicts, 1900)
	says("no barrier", report(tried(t, runner, transpose, "\t__syncthreads();\n", "")), "race at line", "reads tile[")

	squares := find(six, "squares")
	opens(squares, "statement in line 18, 16 lanes, load sums[16], load sums[0], store sums[0]")
	says("no barrier", report(tried(t, runner, squares, "\t\t__syncthreads();\n", "")), "thread (0,0,0) reads sums[32], which thread (32,0,0) writes")
	says("a barrier for some", report(tried(t, runner, squares, "\t\t__syncthreads();\n", "", "if (t < half) {", "if (t < half) { __syncthreads();")), "divergent-barrier")

	atomic, sorted := find(six, "atomic"), find(six, "sorted")
	opens(atomic, "statement in line 7, 32 lanes, load tokens[0], load upstream[0], atomic table[16]")
	opens(sorted, "statement in line 9, 8 lanes, load order[9], load upstream[56]")
	sums := func(o *experiment.Outcome) []float64 {
		var out []float64
		if err := json.Unmarshal(o.Outputs[0].Values, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := sums(atomic.Kernels[0].Outcome)
	m = atomic.Kernels[0].Outcome.Measurements[0]
	is("atomic requests", m.Atomics.Requests, 3)
	is("atomic additions", m.Atomics.Lanes, 96)
	is("reports of atomics", len(atomic.Kernels[0].Outcome.Reports), 0)
	is("the list's sums", sums(sorted.Kernels[0].Outcome), first)
	is("lanes at work of the list", fmt.Sprintf("%.0f", 100*sorted.Kernels[0].Outcome.Measurements[0].LaneEfficiency), 70)
	others := 0
	for i, v := range sums(tried(t, runner, atomic, "e / columns,", "positions - 1 - e / columns,")) {
		if v != first[i] {
			others++
			if math.Abs(v-first[i]) > 1e-6 {
				t.Errorf("sum %d is %v in another order, and was %v", i, v, first[i])
			}
		}
	}
	is("sums of another order that differ", others, 9)
	plain := tried(t, runner, atomic, "atomicAdd(&table[tokens[position] * columns + column], upstream[position * columns + column]);", "table[tokens[position] * columns + column] += upstream[position * columns + column];")
	says("no atomic addition", report(plain), "race at line 7")
	is("and sums are lost", slices.Equal(sums(plain), first), false)

	naive := find(seven, "naive")
	opens(naive, "statement in line 10, 32 lanes, load a[1], load b[32]")
	is("bits", naive.Kernels[0].Outcome.Comparison.Differing, 0)
	m = naive.Kernels[0].Outcome.Measurements[0]
	is("loads", m.Loads.Lanes, 65536)
	is("loads of a value", buffer(naive.Kernels[0].Outcome, "a").LoadsPerElement, 32)
	is("operations for a byte", fmt.Sprintf("%.3f", m.ArithmeticIntensity), "0.485")
	is("part of the sectors that is used", 100*m.Loads.Distinct/(32*m.Loads.Sectors), 56)

	tiled := find(seven, "tiled")
	opens(tiled, "statement in line 17, 32 lanes, load left[0], load right[0]")
	full, err := tiled.Kernels[0].Outcome.Recording(0).At(t.Context(), tiled.Step, launch.View{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, tile := range full.Shared {
		for i, owner := range tile.Owners {
			if owner != i || tile.Values[i] == "" {
				t.Fatalf("element %d of tile %d has the owner %d and the value %q", i, tile.Array, owner, tile.Values[i])
			}
		}
		is("elements of a tile", len(tile.Owners), 256)
	}
	is("sectors, naive", m.Loads.Sectors, 4096)
	is("bits", tiled.Kernels[0].Outcome.Comparison.Differing, 0)
	m = tiled.Kernels[0].Outcome.Measurements[0]
	is("requests", m.Loads.Requests, 128)
	is("sectors", m.Loads.Sectors, 512)
	is("part of the sectors that is used", m.Loads.Distinct, 32*m.Loads.Sectors)
	is("operations", m.Flops, 65536)
	is("operations for a byte", fmt.Sprintf("%.1f", m.ArithmeticIntensity), "3.2")
	is("loads of a value", buffer(tiled.Kernels[0].Outcome, "a").LoadsPerElement, 2)
	is("reads of a value in the tile", m.Shared[0].Loads/m.Shared[0].Stores, 16)
	source := tiled.Kernels[0].Input.Source
	barrier := "\t\t__syncthreads();\n"
	without := tried(t, runner, tiled, barrier, "")
	says("no first barrier", report(without), "thread (1,0,0) reads left[0][0], which thread (0,0,0) writes", "line 16")
	is("and the result", without.Comparison.Passed, false)
	says("the result", string(without.Outputs[0].Values), "NaN")
	end := source[strings.LastIndex(source, barrier)-4:]
	says("no second barrier", report(tried(t, runner, tiled, end, strings.Replace(end, barrier, "", 1))), "line 13: thread (0,0,0) writes left[0][0], which thread (1,0,0) reads")
	ragged := tried(t, runner, tiled, `"grid":[2,2]`, `"grid":[1,3]`, `"name":"a","type":"f32","shape":[32,32]`, `"name":"a","type":"f32","shape":[33,17]`,
		`"name":"b","type":"f32","shape":[32,32]`, `"name":"b","type":"f32","shape":[17,9]`, `"name":"c","type":"f32","shape":[32,32]`, `"name":"c","type":"f32","shape":[33,9]`,
		`"name":"m","type":"i32","value":32`, `"name":"m","type":"i32","value":33`, `"name":"k","type":"i32","value":32`, `"name":"k","type":"i32","value":17`, `"name":"n","type":"i32","value":32`, `"name":"n","type":"i32","value":9`)
	is("ragged bits", ragged.Comparison.Differing, 0)
	is("ragged reports", len(ragged.Reports), 0)

	blocked := find(seven, "blocked")
	opens(blocked, "statement in line 34, 32 lanes")
	is("bits", blocked.Kernels[0].Outcome.Comparison.Differing, 0)
	stores := blocked.Kernels[0].Outcome.Measurements[0].SharedStores
	is("conflicts of storing", stores.Conflicts, 1920)
	is("turns of storing", stores.Turns, 2176)
	is("conflicts with a column more", tried(t, runner, blocked, "left[DEPTH][TILE]", "left[DEPTH][TILE + 1]").Measurements[0].SharedStores.Conflicts, 128)

	// Strides in the place of copies.
	strides := find(seven, "by-strides")
	opens(strides, "statement in line 18, 32 lanes, load q[320], load k[320]")
	is("bits", strides.Kernels[0].Outcome.Comparison.Differing, 0)
	is("values of one head", tried(t, runner, strides, `"grid":[2,2,2]`, `"grid":[2,2,1]`).Comparison.Failures, 400)
	one, err := strides.Kernels[0].Outcome.Recording(0).At(t.Context(), strides.Step, launch.View{})
	if err != nil {
		t.Fatal(err)
	}
	touched := map[int64]bool{}
	for _, e := range one.Accesses[1].Elements {
		touched[e*4/matmul.Sector] = true
	}
	is("sectors of k in the step", len(touched), 16)
	for _, v := range matmul.Versions {
		got := ""
		for _, right := range []matmul.Strides{{Batch: 4096, Row: 64, Column: 1}, {Batch: 4096, Row: 1, Column: 64}} {
			buffer := func() launch.Buffer { return launch.Buffer{Type: "float", Data: make([]byte, 4*64*64)} }
			p := matmul.Packed(1, 64, 64, 64)
			p.Right = right
			l, err := v.Prepare(device.Separate, device.Float32, p, buffer(), buffer(), buffer())
			if err != nil {
				t.Fatal(err)
			}
			r, err := engine.Emulator(launch.Watch{Unchecked: launch.ReportKinds}).Launch(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprintf("%d ", r.Measurement.Loads.Sectors)
		}
		is("sectors of the "+v.String()+" version, and transposed", got, map[matmul.Version]string{matmul.Naive: "32768 147456 ", matmul.Tiled: "4096 10240 ", matmul.Blocked: "1024 1024 "}[v])
	}

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

// What the chapters say of a GPU's speed is what was measured, to a twentieth: a
// measurement that is made again may be as far off, and no further.
func TestMeasuredClaims(t *testing.T) {
	all, err := assets.Measurements()
	if err != nil || len(all) == 0 {
		t.Fatal("no measurement", err)
	}
	m := all[slices.IndexFunc(all, func(m assets.Measurement) bool { return m.GPU == "NVIDIA H200" })]
	find := func(name string) (float64, float64, bool) {
		f, ok := m.Figure(name)
		if !ok {
			t.Fatalf("%s was not measured", name)
		}
		return f.Value, f.Spread, ok
	}
	says := func(slug, text string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= want/20) {
			t.Errorf("%s says %q, and it was measured as %.4g", slug, text, got)
		}
		source, err := fs.ReadFile(chapters.FS, slug+"/chapter.md")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), text) {
			t.Errorf("%s does not say %q any more", slug, text)
		}
	}
	const six, seven = "06-how-kernels-divide-work", "07-product-in-three-versions"
	atomic, _, _ := find("ladder/bandwidth/embedding, atomic")
	sorted, _, _ := find("ladder/bandwidth/embedding, sorted")
	says(six, "costs 8 %", atomic/sorted, 1.08)
	copied, _, _ := find("bandwidth/within the device, read and written")
	says(six, "about 4000 bytes", copied, 4000*0.95)

	l := ladder.Of(device.Float32, 4096, find)
	naive, tiled, blocked, cublas := l.Rungs[0], l.Rungs[1], l.Rungs[2], l.Rungs[3]
	says(seven, "it has 1846", naive.Speed, 1846)
	says(seven, "It has 7339", tiled.Speed, 7339)
	says(seven, "7339 and 27009", blocked.Speed, 27009)
	says(seven, "4 times as fast", tiled.Speed/naive.Speed, 4)
	says(seven, "another 3.7 times", blocked.Speed/tiled.Speed, 3.7)
	says(seven, "1.8 times more", cublas.Speed/blocked.Speed, 1.8)
	says(seven, "1693 would be possible", naive.Allowed, 1693)
	says(seven, "would allow 13522", tiled.Allowed, 13522)
	says(seven, "asks memory for 275 GB", float64(naive.Bytes)/1e9, 275)
	says(seven, "an eighth of that", float64(naive.Bytes)/float64(tiled.Bytes), 8)
	if !(blocked.Allowed > cublas.Speed) {
		t.Errorf("memory allows the third version %.4g, and cuBLAS has %.4g", blocked.Allowed, cublas.Speed)
	}
}
