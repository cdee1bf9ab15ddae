package terminal

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"workbench/engine/device"
	"workbench/lessons/lesson"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// plainly is a look without colours, of a width.
func plainly(width int) Look {
	return Look{Width: width, Command: "./course", Profile: colorprofile.NoTTY}
}

// colourfully is a look with all there is.
func colourfully(width int) Look {
	return Look{Width: width, Command: "./course", Profile: colorprofile.TrueColor, Live: true, Links: true}
}

// printed is what arrives at the terminal.
func printed(t *testing.T, l Look, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := l.Print(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden holds text against testdata/name, or writes it with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run this test with -update to write it", err)
	}
	if text != string(want) {
		t.Errorf("%s is not what is drawn now; run this test with -update if that is meant, and read the diff:\n%s", name, text)
	}
}

var (
	kernel  = &lesson.Lesson{ID: "guard", Title: "Let the surplus threads do nothing", Chapter: 6, Devices: []device.Kind{device.Emulator}, Check: &lesson.CUDA{}}
	program = &lesson.Lesson{ID: "flat-index", Title: "Find the place of an element in memory", Chapter: 1, Devices: []device.Kind{device.CPU}, Check: &lesson.Go{}}
)

func standing(l *lesson.Lesson) Standing {
	return Standing{Lesson: l, Number: 2, Of: 31, Left: 29, Next: program}
}

// verdicts are one of each kind that a screen has to bear.
func verdicts() map[string]*lesson.Verdict {
	emulated := func(v lesson.Verdict) *lesson.Verdict {
		v.Lesson, v.File, v.Device = "guard", "exercises/guard/guard.cu", "emulator"
		v.Limits = "5 s, 2^25 instructions, 64 KiB of output"
		v.Building, v.Running = 3*time.Millisecond, 41*time.Millisecond
		return &v
	}
	cases := []lesson.CaseRun{{Name: "n = 1", Ran: true, Passed: true}, {Name: "n = 33", Ran: true}, {Name: "n = 97"}}
	return map[string]*lesson.Verdict{
		"passed": emulated(lesson.Verdict{Passed: true, Cases: []lesson.CaseRun{{Name: "n = 1", Ran: true, Passed: true}}, Notes: []string{"It took 12 memory transactions; 12 are the fewest."}}),
		"report": emulated(lesson.Verdict{Cases: cases, Findings: []lesson.Finding{{
			Kind: "out-of-bounds", Case: "n = 33, 2 blocks of 32 threads", Line: 5, Column: 2, Source: "\tout[i] = in[i] + 10;",
			Text:   "A thread reads behind the end of in.",
			Next:   "give every thread its own element, and let those that have none do nothing",
			Detail: "guard.cu:5:11: error: out-of-bounds: in[33] of 33 elements is read\n    5 | \tout[i] = in[i] + 10;\n      | \t         ^\n    read by block (1,0,0), thread (1,0,0): warp 0, lane 1\n    seen 31 times\n",
		}}}),
		"wrong-values": emulated(lesson.Verdict{Cases: cases, Findings: []lesson.Finding{{
			Kind: lesson.Transposed, Case: "a 3×4 matrix", Text: "Your values are the right ones with rows and columns exchanged.",
			Next: "look at which index goes along the rows",
			Values: &lesson.Values{Array: "out", Shape: []int{3, 4}, Count: 12, Wrong: 9, Within: "|Δ| ≤ 1e-6",
				First: []lesson.Wrong{{At: []int{0, 1}, Expected: "2", Actual: "5"}, {At: []int{0, 2}, Expected: "3", Actual: "-9.25"}, {At: []int{1, 0}, Expected: "5", Actual: "NaN"}},
				Worst: &lesson.Wrong{At: []int{2, 3}, Expected: "12", Actual: "1.5e+30"}},
		}}}),
		"compile": emulated(lesson.Verdict{Output: "i = 0\ni = 1\n\x1b[2Jgone\r\n", Cut: true, Findings: []lesson.Finding{
			{Kind: lesson.Compile, Line: 123, Column: 95, Text: "There is no variable of this name.",
				Source: "	if (blockIdx.x * blockDim.x + threadIdx.x < n) { out[blockIdx.x * blockDim.x + threadIdx.x] = inn[i] + 10; }"},
			{Kind: lesson.Compile, Line: 125, Text: ""},
			{Kind: lesson.TimeLimit, Text: "After 5 s it was stopped.", Next: "look for a loop that does not end"},
			{Kind: "race", Line: 7}, {Kind: lesson.NotFinite},
		}}),
		"untouched": emulated(lesson.Verdict{Findings: []lesson.Finding{
			{Kind: lesson.Untouched, Text: "The file is as it was handed out.", Next: "open exercises/guard/guard.cu and write your part between the two marks"},
			{Kind: lesson.NothingWritten, Text: "No element of out was written."},
		}}),
		"silent": emulated(lesson.Verdict{}),
	}
}

// What a person reads, at three widths. It is the same with colours, and no line
// is wider than the terminal in either.
func TestVerdicts(t *testing.T) {
	for name, v := range verdicts() {
		for _, width := range []int{40, 80, 200} {
			s := standing(kernel)
			s.Passed = name == "untouched"
			draw := func(l Look) string {
				return printed(t, l, l.Head(s, "", v.File)+l.Verdict(v, s))
			}
			text, colourful := draw(plainly(width)), draw(colourfully(width))
			if strings.ContainsRune(text, '\x1b') {
				t.Errorf("%s at %d columns has escapes where there are to be none: %q", name, width, text)
			}
			if stripped := ansi.Strip(colourful); stripped != text {
				t.Errorf("%s at %d columns reads otherwise in colour:\n%s\nand without:\n%s", name, width, stripped, text)
			}
			if !strings.Contains(colourful, "\x1b]8;") || !strings.Contains(colourful, "\x1b[1;38;5;") {
				t.Errorf("%s at %d columns has neither links nor colours: %q", name, width, colourful)
			}
			for line := range strings.Lines(text) {
				if got := ansi.StringWidth(strings.TrimRight(line, "\n")); got > width {
					t.Errorf("%s at %d columns has a line of %d: %s", name, width, got, line)
				}
			}
			if width != 200 {
				golden(t, name+map[int]string{40: "-narrow", 80: ""}[width]+".txt", text)
			}
		}
	}
}

// Without colours bold is left, and links still work.
func TestNoColour(t *testing.T) {
	env := map[string]string{"NO_COLOR": "yes", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
	l := colourfully(80)
	l.Profile = colorprofile.Env(environment(func(name string) string { return env[name] }))
	text := printed(t, l, l.Verdict(verdicts()["report"], standing(kernel)))
	for _, colour := range []string{"38;", "[31m", "[32m", "48;"} {
		if strings.Contains(text, colour) {
			t.Errorf("there are colours in %q", text)
		}
	}
}

// Every colour is read on black, on white, and on the greys and creams that
// people have instead: 3:1 is what WCAG asks of large or bold text, and nearly
// 4:1 is held on the plain ones.
func TestColoursOnBothThemes(t *testing.T) {
	luminance := func(r, g, b uint32) float64 {
		linear := func(v uint32) float64 {
			c := float64(v) / 65535
			if c <= 0.04045 {
				return c / 12.92
			}
			return math.Pow((c+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
	}
	themes := map[string]float64{"#000000": 3.9, "#ffffff": 3.9, "#1e1e1e": 3.4, "#fdf6e3": 3.4}
	for name, style := range map[string]lipgloss.Style{"good": good, "bad": bad, "next": next, "place": place, "aside": aside} {
		r, g, b, _ := style.GetForeground().RGBA()
		for theme, least := range themes {
			tr, tg, tb, _ := lipgloss.Color(theme).RGBA()
			one, other := luminance(r, g, b), luminance(tr, tg, tb)
			contrast := (max(one, other) + 0.05) / (min(one, other) + 0.05)
			if contrast < least {
				t.Errorf("%s has a contrast of %.2f on %s, less than %.1f", name, contrast, theme, least)
			}
		}
	}
}

func TestStatement(t *testing.T) {
	text := "# A heading of the statement\n\nOne paragraph of two lines that are\nnot too long for eighty columns.\n\n    1  2  3\n    4  5  6\n\n- an item that is long enough to be broken in a narrow terminal\n- another\n"
	want := "A heading of the statement\n\nOne paragraph of two lines that are\nnot too long for eighty columns.\n\n    1  2  3\n    4  5  6\n\n- an item that is long enough to be broken in a narrow terminal\n- another\n"
	if got := printed(t, plainly(80), plainly(80).Statement(text)); got != want {
		t.Errorf("drawn as\n%s", got)
	}
	want = "A heading of the statement\n\nOne paragraph of two lines\nthat are not too long for\neighty columns.\n\n    1  2  3\n    4  5  6\n\n- an item that is long enough\nto be broken in a narrow\nterminal\n- another\n"
	if got := printed(t, plainly(30), plainly(30).Statement(text)); got != want {
		t.Errorf("at 30 columns drawn as\n%s", got)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		cut   bool
		want  []string
	}{
		{"", 10, true, []string{""}},
		{"one two three", 7, true, []string{"one two", "three"}},
		{"write --no-notices now", 8, true, []string{"write", "--no-not", "ices now"}},
		{"write --no-notices now", 8, false, []string{"write", "--no-notices", "now"}},
		{"ééé ééé", 3, true, []string{"ééé", "ééé"}},
		{"x", 0, true, []string{"x"}},
	} {
		if got := wrap(c.text, c.width, c.cut); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q at %d is %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb": "a    b", "end\r\n": "end\n", "\x1b[2J": `\x1b[2J`, "a\rb": `a\x0db`, "µ → ∞": "µ → ∞", "\u202e": `\u202e`, "\xff": "�",
	} {
		if got := visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func entries() []Entry {
	return []Entry{{program, 1, Passed}, {kernel, 2, Next}, {&lesson.Lesson{ID: "shared-tile-of-both-inputs", Title: "Keep a tile of both inputs in shared memory, and wait for it", Chapter: 7, Check: &lesson.Questions{}}, 3, Pending}}
}

func TestList(t *testing.T) {
	all := entries()
	for _, width := range []int{40, 80, 200} {
		for _, draw := range []func(l Look) string{
			func(l Look) string { return l.List(all, all) },
			func(l Look) string { return l.List(all[1:2], all) },
			func(l Look) string { return l.List(nil, all) },
			func(l Look) string { return l.AllPassed(all) },
		} {
			text := printed(t, plainly(width), draw(plainly(width)))
			if stripped := ansi.Strip(printed(t, colourfully(width), draw(colourfully(width)))); stripped != text {
				t.Errorf("at %d columns it reads otherwise in colour:\n%s\nand without:\n%s", width, stripped, text)
			}
			for line := range strings.Lines(text) {
				if got := ansi.StringWidth(strings.TrimRight(line, "\n")); got > width {
					t.Errorf("at %d columns there is a line of %d: %s", width, got, line)
				}
			}
		}
	}
	golden(t, "list.txt", printed(t, plainly(80), plainly(120).List(all, all)+"\n"+plainly(80).List(all, all)+"\n"+plainly(80).Chooser(all, all, 1, 20, "that have not passed")+"\n"+plainly(40).List(all[1:], all)+"\n"+plainly(40).List(nil, all)))

	piped := plainly(80)
	piped.Piped = true
	if text := piped.List(all, all); !strings.Contains(text, all[2].Lesson.Title) {
		t.Errorf("a title is cut off where nobody has a screen:\n%s", text)
	}
}

func TestMatches(t *testing.T) {
	for search, want := range map[string]string{"": "123", "GUARD": "2", "cuda": "2", "chapter 1": "1", "the element": "1", "question tile": "3", "tile guard": ""} {
		got := ""
		for i, e := range entries() {
			if e.Matches(search) {
				got += string(rune('1' + i))
			}
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", search, got, want)
		}
	}
}

// What was written by a person or the course is shown whole, broken where the
// terminal ends, and is handed on byte for byte where there is none.
func TestSourceAndDiff(t *testing.T) {
	source := "\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n\x1b[2J\n"
	diff := "--- a\n+++ b\n@@ -1 +1 @@\n-\tx\n+\ty\n"
	l := plainly(40)
	if got, want := printed(t, l, l.Source(source)), "    int i = blockIdx.x * blockDim.x + th\nreadIdx.x;\n\\x1b[2J\n"; got != want {
		t.Errorf("drawn as %q, want %q", got, want)
	}
	if got, want := printed(t, l, l.Diff(diff)), "--- a\n+++ b\n@@ -1 +1 @@\n-    x\n+    y\n"; got != want {
		t.Errorf("drawn as %q, want %q", got, want)
	}
	l.Piped = true
	if l.Source(source) != source || l.Diff(diff) != diff {
		t.Error("what is piped is changed")
	}
}

// Where a line of source is too long, the caret and what it points at are shown.
func TestLongSource(t *testing.T) {
	line := strings.Repeat("a + ", 30) + "oops" + strings.Repeat(" + b", 30)
	below := strings.Repeat(" ", 120) + "^"
	v := &lesson.Verdict{File: "x.cu", Findings: []lesson.Finding{{Kind: "race", Detail: "    5 | " + line + "\n      | " + below + "\n    read by block 1\n"}}}
	for _, width := range []int{40, 80, 300} {
		l := plainly(width)
		text := strings.Split(printed(t, l, l.Verdict(v, standing(kernel))), "\n")
		for i, row := range text {
			if at := strings.Index(row, "^"); at >= 0 {
				over := []rune(text[i-1])
				if got := string(over[at : at+4]); got != "oops" {
					t.Errorf("at %d columns the caret is below %q:\n%s\n%s", width, got, text[i-1], row)
				}
			}
		}
		if !strings.Contains(strings.Join(text, "\n"), "^") {
			t.Errorf("at %d columns the caret is lost:\n%s", width, strings.Join(text, "\n"))
		}
	}
}

func TestOnceEach(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a\na\nb": "a\na\nb", "a\n\n\n": "a\n\n\n",
		strings.Repeat("hello\n", 900) + "hell": "hello\n… and 899 times more\nhell",
	} {
		if got := onceEach(text); got != want {
			t.Errorf("%.20q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestGrid(t *testing.T) {
	var cells []Cell
	for i := range 17 {
		cells = append(cells, Cell{Lesson: kernel, Number: i + 1, State: Waiting})
	}
	failed := verdicts()["report"]
	cells[0].State, cells[0].Verdict = Passing, verdicts()["passed"]
	cells[1].State, cells[1].Verdict, cells[1].Before = Failing, failed, true
	cells[2].State, cells[2].Trouble = Broken, os.ErrPermission
	cells[3].State = Running
	cells[4].State, cells[4].Before = Unbegun, true
	for _, width := range []int{40, 80} {
		draw := func(l Look) string {
			return printed(t, l, l.Grid(cells)+"\n"+l.CellLine(cells[0])+l.CellLine(cells[1])+l.CellLine(cells[2])+l.CellLine(cells[4])+l.Summary(cells))
		}
		text := draw(plainly(width))
		if stripped := ansi.Strip(draw(colourfully(width))); stripped != text {
			t.Errorf("at %d columns it reads otherwise in colour:\n%s\nand without:\n%s", width, stripped, text)
		}
		for line := range strings.Lines(text) {
			if got := ansi.StringWidth(strings.TrimRight(line, "\n")); got > width {
				t.Errorf("at %d columns there is a line of %d: %s", width, got, line)
			}
		}
		golden(t, map[int]string{40: "grid-narrow.txt", 80: "grid.txt"}[width], text)
	}
}
