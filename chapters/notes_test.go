package chapters_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"regexp"
	"slices"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/trace"
	"workbench/lessons"
	"workbench/lessons/lesson"
	"workbench/web/chapter"
)

// exerciseOf is how notes name an exercise of the chapter.
var exerciseOf = regexp.MustCompile(`exercise <code>([a-z0-9-]+)</code>`)

// TestNotes holds the presenter's notes to their form, and each answer that names no
// cell of a run to what is computed here. Those with a cell are held where chapters are
// read.
func TestNotes(t *testing.T) {
	library, runner := course(t)
	widget := func(slug, id string) *chapter.Widget {
		t.Helper()
		w := library.Chapter(slug).Widget(id)
		if w == nil {
			t.Fatalf("%s has no widget %s", slug, id)
		}
		return w
	}
	tensor := func(w *chapter.Widget, name string) trace.Tensor {
		t.Helper()
		i := slices.IndexFunc(w.Trace.Tensors, func(x trace.Tensor) bool { return x.Name == name })
		if i < 0 {
			t.Fatalf("%s has no tensor %s", w.ID, name)
		}
		return w.Trace.Tensors[i]
	}
	either := func(is bool, yes, no string) string {
		if is {
			return yes
		}
		return no
	}
	const (
		one, two, three, four = "01-one-product", "02-rows-sums-means", "03-views-and-packing", "04-tiny-decoder"
		five, six, seven      = "05-memory-boundary", "06-how-kernels-divide-work", "07-product-in-three-versions"
	)

	ones := 0
	for _, v := range tensor(widget(one, "six-orders"), "C").Values {
		if v == 1 {
			ones++
		}
	}
	furthest, distance := 0, new(big.Rat)
	for row, v := range tensor(widget(two, "chain"), "sums").Values {
		d := new(big.Rat).Sub(exact(v), new(big.Rat).Add(exact(1e16), exact(7)))
		if d.Abs(d).Cmp(distance) > 0 {
			furthest, distance = row, d
		}
	}
	third := tensor(widget(two, "times-a-third"), "C").Values[0]
	groups := slices.IndexFunc(widget(two, "column-sums").Trace.Steps, func(s trace.Step) bool { return s.Reduction != nil })
	head := tensor(widget(four, "tiny-decoder"), "the head’s share of ∂loss/∂(token_embedding.weight)")
	pushed := 0
	for row := range slices.Chunk(head.Values, 4) {
		if slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) {
			pushed++
		}
	}
	loss := float64(widget(four, "tiny-decoder").Trace.Document.Loss)
	sent := func(id string, requests int) (n int64) {
		for _, s := range widget(five, id).Trace.Steps {
			if c := s.Crossing; c != nil && c.Stage == trace.StagePack && c.Request < requests {
				n += c.Packed
			}
		}
		return n
	}
	boundary := widget(five, "tiny-requests")
	emulated, err := runner.Run(t.Context(), "emulator", boundary.Example, boundary.Input)
	if err != nil {
		t.Fatal(err)
	}
	complete := emulated.Steps[5]
	if complete.Crossing == nil || complete.Crossing.Stage != trace.StageComplete {
		t.Fatalf("step 5 is %q, and its note says that the device has finished", complete.Title)
	}
	result := complete.Outputs[0]
	sevens := tensor(widget(five, "sevens-third"), "C").Values
	kernel := func(slug, id string) *chapter.Kernel { return &widget(slug, id).Kernels[0] }
	loads := func(k *chapter.Kernel) float64 {
		for _, b := range k.Outcome.Measurements[0].Buffers {
			if b.Name == "a" {
				return b.LoadsPerElement
			}
		}
		t.Fatal("no buffer a")
		return 0
	}
	second, err := kernel(six, "softmax").Outcome.Recording(0).At(t.Context(), 10, launch.View{})
	if err != nil {
		t.Fatal(err)
	}

	answers := map[string]any{
		one + ": How many of the six sums will be 1?": ones,

		two + ": A is 2×3. Into how many groups does a sum along axis 0 divide it?": widget(two, "column-sums").Trace.Steps[groups].Reduction.G,
		two + ": Which row is furthest from the exact sum?":                         []string{"the large value first", "the large value last", "pair sums"}[furthest],
		two + ": Is 5·(1/3) the same float64 as 5/3?":                               either(third == 5.0/3, "the same", either(third < 5.0/3, "a little less", "a little more")),
		two + ": What is the mean of 60000 and 60000 in float16?":                   decimal(tensor(widget(two, "large-halves"), "means").Values[0]),

		three + ": A is 2×3 in one line of memory. How many places is it from a row to the next?":                       tensor(widget(three, "transpose"), "A").Layout.Strides[0],
		three + ": Product, sums and means of chapters 1 and 2 are sent to a device. How many bytes go in?":             sent("tiny-requests", 3),
		four + ": The loss is 5.668, and guessing blindly costs 5.553. What has the model learned?":                     either(loss > math.Log(258), "nothing yet", "a little"),
		four + ": The text has two letters. How many of the 258 rows of the table get a gradient from the head?":        pushed,
		four + ": How many of the 2155 values have other bits on cpu,fused than on cpu?":                                either(widget(four, "cpu-and-fused").Report.Differing > 1700, "more than 1700", "about 600"),
		five + ": How many bytes do the three requests copy in, all together?":                                          sent("tiny-requests", 3),
		five + ": The device has finished. Where is the result now?":                                                    either(slices.Contains(complete.Crossing.Device, result) && !slices.Contains(complete.Crossing.Host, result), "in device memory", "in both"),
		five + ": How many bytes does the product pack for both operands in float32?":                                   sent("packed-transposed", 1),
		five + ": The numbers of chapter 1 divided by ten, on cpu and on cpu,fused. How many of the four cells differ?": widget(five, "tenths").Columns[1].Report.Differing,
		five + ": Which sum, times the float64 nearest to a third, is another float64 than divided by three?":           either(sevens[0] != 7.0/3 && sevens[1] == 5, "7", "15"),

		six + ": 1000 elements, 4 blocks of 256 threads. How many threads have no element?":                           kernel(six, "add").Outcome.Measurements[0].Threads - int64(kernel(six, "add").Outcome.Comparison.Count),
		six + ": A row of 50 columns and 32 lanes. How many lanes work in the second round?":                          bits.OnesCount32(second.Warps[second.Warp].Active),
		six + ": 100 requests read the tile. How many turns do they take when the tile has 32 columns instead of 33?": tried(t, runner, widget(six, "transpose"), "TILE + 1", "TILE").Measurements[0].SharedLoads.Turns,

		seven + ": Two 32 × 32 matrices, one thread for each cell. How often is each value of a loaded?":          loads(kernel(seven, "naive")),
		seven + ": And in the tiled version, how often is each value of a loaded from global memory?":             loads(kernel(seven, "tiled")),
		seven + ": The naive version made 2048 requests to read global memory. How many does the tiled one make?": kernel(seven, "tiled").Outcome.Measurements[0].Loads.Requests,
	}
	if n := kernel(seven, "naive").Outcome.Measurements[0].Loads.Requests; n != 2048 {
		t.Errorf("the naive version makes %d requests, and a question says 2048", n)
	}

	for _, c := range library.Chapters {
		minutes, questions, exercises, about := 0, 0, 0, map[string]bool{}
		timed := map[string]bool{}
		for _, n := range c.Notes {
			minutes += n.Minutes
			about[n.Widget] = true
			timed[n.Section] = timed[n.Section] || n.Minutes > 0
			for _, named := range exerciseOf.FindAllStringSubmatch(string(n.HTML), -1) {
				exercises++
				if !slices.ContainsFunc(lessons.All, func(l lesson.Lesson) bool { return l.ID == named[1] && l.Chapter == c.Number }) {
					t.Errorf("%s: a note gives out the exercise %s, which the chapter does not have", c.Slug, named[1])
				}
			}
			if n.Ask == "" || n.Answer == "" {
				continue
			}
			questions++
			key := c.Slug + ": " + n.Ask
			want, computed := answers[key]
			delete(answers, key)
			if computed == (n.Cell != nil) {
				t.Errorf("%q has a cell: %t; and an answer that is computed here: %t", key, n.Cell != nil, computed)
			}
			if computed && fmt.Sprint(want) != n.Answer {
				t.Errorf("%q has the answer %s, and it is %v", key, n.Answer, want)
			}
		}
		if minutes < 45 || minutes > 100 {
			t.Errorf("%s takes %d minutes in class", c.Slug, minutes)
		}
		if questions < 2 {
			t.Errorf("%s has %d questions for a class", c.Slug, questions)
		}
		if exercises == 0 {
			t.Errorf("%s: no note gives out an exercise", c.Slug)
		}
		for _, h := range c.Headings {
			if !timed[h.ID] && h.Title != "Where this leads" {
				t.Errorf("%s: nothing says how long %q takes", c.Slug, h.Title)
			}
		}
		for _, w := range c.Widgets {
			if !about[w.ID] {
				t.Errorf("%s: no note is about %s", c.Slug, w.ID)
			}
		}
	}
	for key := range answers {
		t.Errorf("no chapter asks %q", key)
	}
}
