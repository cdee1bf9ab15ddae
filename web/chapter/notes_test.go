package chapter

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"workbench/engine/trace"
	"workbench/web/run/runtest"
)

var update = flag.Bool("update", false, "write the golden notes anew")

// presented is a chapter with notes of every form, between marks that withoutNotes
// cuts out.
const presented = front + `
<!-- a comment is no element -->

[there]: https://example.org

«~~~notes
- minutes: 5
- say: Begin *here*, with [this](#by-hand) and $K$.
~~~

»A paragraph.

## The product {#the-product}

- One.
«
~~~notes
- say: Of the widget below, as text.
  ask: Which of the two is it?
  choices: [the first, "no, the other"]
  answer: the first
~~~
»
~~~product by-hand
left: [[1, 2], [3, 4]]
right: [[1, 5], [2, 3]]
~~~
«
~~~notes by-hand
- say: Of the whole widget.
  minutes: 4
- step: 1
  say: >-
    What is **C[0,1]**?
    Ask before the next step.
  ask: What is C[0,1]?
  answer: 12.5
  cell: [0, 0, 1]
- step: 2-3
  ask: |
    What do
    you see?
~~~

~~~notes turned
- step: 0
  say: Its widget comes later.
  ask: What will stand in row 1, column 0?
  answer: 2
  cell: [0, 1, 0]
- step: 1
  ask: And now?
  choices: ["2", "5"]
  answer: "2"
  cell: [0, 1, 0]
~~~

~~~notes
- say: The next section begins.
~~~
»
### Below

~~~view turned
input: [[1, 2], [3, 4]]
ops: [{op: transpose}]
~~~

The last one.
«
~~~notes
- say: At the end.
~~~
»`

// withNotes and withoutNotes are presented as a file, with its fences of notes and
// without.
func withNotes() string { return strings.NewReplacer("«", "", "»", "").Replace(presented) }

func withoutNotes() string {
	parts := strings.FieldsFunc(presented, func(r rune) bool { return r == '«' || r == '»' })
	kept := ""
	for i, part := range parts {
		if i%2 == 0 {
			kept += part
		}
	}
	return kept
}

// Notes know their place, and have what an author wrote; the golden file is what the
// presenter's page gets.
func TestNotes(t *testing.T) {
	c := read(t, withNotes())
	if len(c.Problems) > 0 {
		t.Fatal(c.Problems)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(c.Notes); err != nil {
		t.Fatal(err)
	}
	got := out.Bytes()
	const file = "testdata/notes.json"
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: write it with go test ./web/chapter -run TestNotes -update, and read it", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the notes are\n%s\nIf that is meant: go test ./web/chapter -run TestNotes -update, and read the difference.", got)
	}
	if err := holdPlaces(t, c); err != nil {
		t.Error(err)
	}
}

// Readers see nothing of notes: their page is the one without them, to the byte.
func TestNotesAreOnNoPage(t *testing.T) {
	with, without := read(t, withNotes()), read(t, withoutNotes())
	if with.Version() != without.Version() {
		t.Error("a lesson with the notes is of another version of the chapter than one without")
	}
	if other := read(t, withNotes()+"\nMore.\n"); other.Version() == with.Version() {
		t.Error("a chapter with another text has the same version")
	}
	if len(without.Problems) > 0 || len(without.Notes) > 0 || len(with.Notes) == 0 {
		t.Fatal(without.Problems, without.Notes, with.Notes)
	}
	if with.HTML() != without.HTML() {
		t.Errorf("with notes the page is\n%s\nand without\n%s", with.HTML(), without.HTML())
	}
}

// elements are those of the page's text, in order. The error is package html's, which
// reads nothing that is nested more than 512 deep.
func elements(c *Chapter) ([]*html.Node, error) {
	all, err := html.ParseFragment(strings.NewReader(string(c.HTML())), &html.Node{Type: html.ElementNode, Data: "article", DataAtom: atom.Article})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(n *html.Node) bool { return n.Type != html.ElementNode })
	if len(c.Widgets) > 0 { // what the page's template begins with
		all = append([]*html.Node{{Type: html.ElementNode, Data: "noscript"}}, all...)
	}
	return all, nil
}

func nameOf(n *html.Node) string {
	for _, a := range n.Attr {
		if a.Key == "id" {
			return a.Val
		}
	}
	return ""
}

// holdPlaces holds the place of each note against the page: its element is there, has
// the widget where there is one, and its section's heading is the last one above.
func holdPlaces(t *testing.T, c *Chapter) error {
	t.Helper()
	all, err := elements(c)
	if err != nil {
		return err
	}
	for _, n := range c.Notes {
		if n.Block < 0 || n.Block >= max(len(all), 1) {
			t.Errorf("a note at element %d of %d: %+v", n.Block, len(all), n)
			continue
		}
		if len(all) == 0 {
			continue
		}
		has := false
		for d := range all[n.Block].Descendants() {
			has = has || nameOf(d) == n.Widget
		}
		if n.Widget != "" && nameOf(all[n.Block]) != n.Widget && !has {
			t.Errorf("element %d is %s, and a note of %s is there", n.Block, nameOf(all[n.Block]), n.Widget)
		}
		section := ""
		for _, e := range all[:n.Block+1] {
			if len(e.Data) == 2 && e.Data[0] == 'h' && e.Data != "hr" {
				section = nameOf(e)
			}
		}
		if section != n.Section {
			t.Errorf("a note at element %d is in section %q, and the page says %q", n.Block, n.Section, section)
		}
	}
	return nil
}

func TestNotesOfKernels(t *testing.T) {
	noted := func(word, body, notes string) *Chapter {
		c := kernelChapter(word, body+"```\n\n```notes my-kernel\n"+notes)
		c.Run(t.Context(), &runtest.Runner{})
		return c
	}
	tiles := "kernels:\n  - title: one\n    " + strings.ReplaceAll(strings.TrimSpace(addBody), "\n", "\n    ") + "\n"
	c := noted("kernel", addBody, "- {step: 2, say: a}\n- {line: 3, say: b}\n- {phase: 1, say: c}\n- {say: d}\n")
	if len(c.Problems) > 0 || len(c.Notes) != 4 {
		t.Fatal(c.Problems, c.Notes)
	}
	// The runner's recording has three steps, at lines 2, 3 and 2, and tells no end of a phase.
	for i, want := range [][2]int{{2, 2}, {1, 1}, {0, 2}} {
		if n := c.Notes[i]; n.From == nil || n.To == nil || [2]int{*n.From, *n.To} != want {
			t.Errorf("note %d is of the steps %v to %v, want %v", i, n.From, n.To, want)
		}
	}
	if c.Notes[3].From != nil || c.Notes[1].Line != 3 || *c.Notes[2].Phase != 1 {
		t.Errorf("the notes are %+v", c.Notes)
	}
	if c := noted("tiles", tiles, "- {phase: 1, say: a}\n"); len(c.Problems) > 0 || *c.Notes[0].Phase != 1 || c.Notes[0].From != nil {
		t.Error(c.Problems, c.Notes)
	}
	for _, tc := range []struct{ word, body, notes, want string }{
		{"kernel", addBody, "- {step: 3, say: a}\n", "notes[0].step: 3 is past the end of my-kernel: its steps run from 0 to 2"},
		{"kernel", addBody, "- {phase: 2, say: a}\n", "notes[0].phase: 2 is past the end of my-kernel: its phases run from 0 to 1"},
		{"kernel", addBody, "- {step: 1, line: 2, say: a}\n", "notes[0]: has step and line: one of them"},
		{"kernel", addBody, "- {ask: a, answer: 1, cell: [0, 0, 0]}\n", "notes[0].cell: the widget my-kernel has no run with cells"},
		{"tiles", tiles, "- {step: 1, say: a}\n", "notes[0].step: the widget my-kernel has phases and no steps"},
		{"tiles", tiles, "- {line: 1, say: a}\n", "notes[0].line: the widget my-kernel is not stepped by the lines"},
		{"tiles", tiles, "- {phase: 2, say: a}\n", "notes[0].phase: 2 is past the end"},
	} {
		c := noted(tc.word, tc.body, tc.notes)
		if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), tc.want) {
			t.Errorf("%s with %q: %v, want %s", tc.word, tc.notes, c.Problems, tc.want)
		}
	}
}

// Every mistake in a note is named by file, line and field.
func TestNoteMistakes(t *testing.T) {
	const product = "```product p\nleft: [[1, 2], [3, 4]]\nright: [[1, 5], [2, 3]]\n```\n\n"
	const reduction = "```reduction r\ninput: [[1, 2], [3, 4]]\naxis: 1\n```\n\n"
	const both = "```comparison both\ntext: ab\ndevices: [cpu, \"cpu,fused\"]\n```\n\n"
	for name, test := range map[string]struct{ source, want string }{
		"no such widget":    {product + "```notes q\n- say: a\n```\n", "11: notes: no widget of this chapter is named q"},
		"misspelt widget":   {"```product first\nleft: [[1]]\nright: [[1]]\n```\n\n```notes frist\n- say: a\n```\n", "11: notes: no widget of this chapter is named frist: did you mean first?"},
		"no widget at all":  {"## Here {#here}\n\n```notes here\n- say: a\n```\n", "8: notes: no widget of this chapter is named here"},
		"misspelt word":     {product + "```note p\n- say: a\n```\n", "11: note: is no kind of widget: did you mean notes?"},
		"nothing":           {"```notes\n```\n", "6: notes: must be a list of notes"},
		"an empty list":     {"```notes\n[]\n```\n", "7: notes: must be a list of notes"},
		"a mapping":         {"```notes\nsay: a\n```\n", "7: notes: must be a list of notes"},
		"no mapping":        {"```notes\n- a\n```\n", "7: notes[0]: must have the keys say, step"},
		"not YAML":          {"```notes\n- say: a: b\n```\n", "7: is not YAML"},
		"a key twice":       {"```notes\n- say: a\n  say: b\n```\n", "8: notes[0].say: is given twice"},
		"a key of no note":  {"```notes\n- say: a\n- say: a\n  steps: 3\n```\n", "9: notes[1].steps: is not a key here: did you mean step?"},
		"nothing said":      {product + "```notes p\n- step: 1\n```\n", "12: notes[0]: says nothing"},
		"empty":             {"```notes\n- say: ''\n```\n", "7: notes[0].say: is empty"},
		"two paragraphs":    {"```notes\n- say: \"a\\n\\nb\"\n```\n", "7: must be one paragraph"},
		"an address":        {"```notes\n- say: a {#b}\n```\n", "7: notes[0].say: gives an address to a note"},
		"HTML":              {"```notes\n- say: a <img>\n```\n", "7: HTML is not shown"},
		"nowhere":           {"```notes\n- say: \"[a](b)\"\n```\n", "7: the link \"b\" leads nowhere"},
		"long":              {"```notes\n- say: " + strings.Repeat("a", 2001) + "\n```\n", "7: notes[0].say: is 2001 characters long"},
		"minutes":           {"```notes\n- minutes: 0\n```\n", "7: notes[0].minutes: must be a whole number from 1 to 600"},
		"a step of text":    {"```notes\n- say: a\n  step: 3\n```\n", "8: notes[0].step: the text has no steps"},
		"a line of text":    {"```notes\n- say: a\n  line: 3\n```\n", "8: notes[0].line: the text is not stepped"},
		"a line of a trace": {product + "```notes p\n- say: a\n  line: 3\n```\n", "13: notes[0].line: the widget p is not stepped by the lines of a source"},
		"a phase of one":    {product + "```notes p\n- say: a\n  phase: 0\n```\n", "13: notes[0].phase: the widget p has no phases"},
		"a step of two":     {both + "```notes both\n- say: a\n  step: 0\n```\n", "13: notes[0].step: the widget both has no steps"},
		"no step":           {product + "```notes p\n- say: a\n  step: three\n```\n", "13: notes[0].step: must be a step from 0"},
		"past the end":      {product + "```notes p\n- say: a\n  step: 5\n```\n", "13: notes[0].step: 5 is past the end of p: its steps run from 0 to 4"},
		"a range past it":   {product + "```notes p\n- say: a\n  step: 4-5\n```\n", "13: notes[0].step: 5 is past the end of p"},
		"backwards":         {product + "```notes p\n- say: a\n  step: 4-3\n```\n", "13: notes[0].step: ends before it begins"},
		"a wrong answer":    {product + "```notes p\n- ask: a\n  answer: 64\n  cell: [0, 0, 1]\n```\n", "13: notes[0].answer: is 64, and the run of p has 12.5 in cell [0 0 1]"},
		"of a sum":          {reduction + "```notes r\n- ask: a\n  answer: 33.25\n  cell: [0, 0, 0]\n```\n", "13: notes[0].answer: is 33.25, and the run of r has 33.5"},
		"of what is given":  {product + "```notes p\n- step: 4\n  ask: a\n  answer: 1\n  cell: [0, 0, 0]\n```\n", "15: notes[0].cell: [0 0 0] lies outside of what p makes there"},
		"no such cell":      {product + "```notes p\n- ask: a\n  answer: 1\n  cell: [0, 2, 0]\n```\n", "14: notes[0].cell: [0 2 0] lies outside"},
		"a cell of text":    {"```notes\n- ask: a\n  answer: 1\n  cell: [0, 2, 0]\n```\n", "9: notes[0].cell: the text has no run with cells"},
		"another step":      {product + "```notes p\n- step: 4\n  ask: a\n  answer: 1\n  cell: [0, 0, 0]\n  of: 2\n```\n", "14: notes[0].answer: is 1, and the run of p has 1001.5"},
		"no such step":      {product + "```notes p\n- ask: a\n  answer: 1\n  cell: [0, 0, 0]\n  of: 5\n```\n", "15: notes[0].of: 5 is past the end of p"},
		"of alone":          {product + "```notes p\n- say: a\n  of: 2\n```\n", "13: notes[0].of: needs the key cell beside it"},
		"a cell of two":     {product + "```notes p\n- ask: a\n  answer: 1\n  cell: [0, 2]\n```\n", "14: notes[0].cell: must be three numbers"},
		"a cell alone":      {product + "```notes p\n- ask: a\n  cell: [0, 0, 1]\n```\n", "13: notes[0].cell: needs the key answer beside it"},
		"an answer alone":   {"```notes\n- say: a\n  answer: 1\n```\n", "8: notes[0].answer: needs the key ask beside it"},
		"choices alone":     {"```notes\n- say: a\n  choices: [a, b]\n```\n", "8: notes[0].choices: needs the key ask beside it"},
		"one choice":        {"```notes\n- ask: a\n  choices: [a]\n```\n", "8: notes[0].choices: must be a list of 2 to 8 answers"},
		"a choice twice":    {"```notes\n- ask: a\n  choices: [a, b, a]\n```\n", "8: notes[0].choices[2]: is there twice"},
		"twice in effect":   {"```notes\n- ask: a\n  choices: [a b, \"a  b\"]\n```\n", "8: notes[0].choices[1]: is there twice"},
		"another answer":    {"```notes\n- ask: a\n  choices: [a, b]\n  answer: c\n```\n", "9: notes[0].answer: is none of the choices"},
		"a long question":   {"```notes\n- ask: " + strings.Repeat("é", 201) + "\n```\n", "7: notes[0].ask: is 201 characters long: 200 is the most"},
		"a long choice":     {"```notes\n- ask: a\n  choices: [a, " + strings.Repeat("b", 81) + "]\n```\n", "8: notes[0].choices[1]: is more than 80 characters long"},
		"in a list":         {"- ```notes\n  - say: a\n  ```\n", "6: notes: must stand between paragraphs"},
		"not closed":        {"```notes\n- say: a\n", "6: notes: the fence of line 6 is not closed"},
		"a bad name":        {"```notes P\n- say: a\n```\n", "6: notes: the name \"P\""},
	} {
		t.Run(name, func(t *testing.T) {
			c := read(t, front+test.source)
			if len(c.Problems) != 1 || !strings.HasPrefix(c.Problems[0].Error(), "01-test/chapter.md:"+test.want) {
				t.Errorf("%v, want 01-test/chapter.md:%s", c.Problems, test.want)
			}
		})
	}
}

// A widget that cannot be shown, or that no device has run, is no second mistake in
// the notes about it, and they are there all the same or with it gone.
func TestNotesOfWhatIsNotThere(t *testing.T) {
	const notes = "```notes p\n- say: a\n  step: 99\n```\n"
	for name, test := range map[string]struct {
		source          string
		problems, notes int
	}{
		"broken":      {"```product p\nleft: [[1\n```\n\n", 1, 0},
		"a bad input": {"```product p\nleft: [[1]]\nright: [[1, 2], [3]]\n```\n\n", 1, 1},
		"no device":   {"```product p\ndevice: cuda:0\nleft: [[1]]\nright: [[1]]\n```\n\n", 0, 1},
	} {
		if c := read(t, front+test.source+notes); len(c.Problems) != test.problems || len(c.Notes) != test.notes {
			t.Errorf("%s: %v and notes %v", name, c.Problems, c.Notes)
		}
	}
}

// A link in a note is held like one in the text.
func TestNotesFollowLinks(t *testing.T) {
	lib := load(t, course(map[string]string{"01-one/chapter.md": front + widget + "```notes by-hand\n- say: a\n- say: See [there](#ther).\n```\n"}), nil)
	if err := lib.Err(); err == nil || !strings.HasPrefix(err.Error(), "chapters/01-one/chapter.md:13: the link \"#ther\": nothing in 01-one is named ther") {
		t.Errorf("a dead link in a note: %v", err)
	}
}

func TestAsNumber(t *testing.T) {
	for s, want := range map[string]float64{"64": 64, "−0.5": -0.5, "5.551115123125783e-17": 0x1p-54, "+3": 3} {
		if v, ok := asNumber(s); !ok || v != want {
			t.Errorf("%q is %v, %t", s, v, ok)
		}
	}
	for _, s := range []string{"", "NaN", "Infinity", "inf", "0x10", "1_0", "sixty-four", "1e", "1e999", "--1"} {
		if v, ok := asNumber(s); ok {
			t.Errorf("%q is the number %v", s, v)
		}
	}
}

func TestElement(t *testing.T) {
	x := trace.Tensor{Shape: []int{2, 3}, Values: []float64{0, 1, 2, 3, 4, 5}}
	for at, want := range map[[3]int]float64{{0, 1, 2}: 5, {0, 0, 1}: 1, {1, 0, 0}: -1, {0, 2, 0}: -1, {0, 0, 3}: -1} {
		v, ok := element(x, at)
		if ok != (want >= 0) || ok && v != want {
			t.Errorf("element %v is %v, %t", at, v, ok)
		}
	}
	if v, ok := element(trace.Tensor{Shape: []int{}, Values: []float64{7}}, [3]int{}); !ok || v != 7 {
		t.Errorf("a single number is %v, %t", v, ok)
	}
	if v, ok := element(trace.Tensor{Shape: []int{1, 1, 2, 1}, Values: []float64{7, 8}}, [3]int{0, 1, 0}); !ok || v != 8 {
		t.Errorf("a place in a tensor of four axes is %v, %t", v, ok)
	}
	if _, ok := element(trace.Tensor{Shape: []int{2, 1, 1, 1}, Values: []float64{7, 8}}, [3]int{}); ok {
		t.Error("three numbers are a place in two matrices of one")
	}
}
