package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"workbench/engine/device"
	"workbench/lessons/lesson"
	"workbench/lessons/runner/harness"
)

// sums is an exercise of two functions and a method.
func sums() lesson.Lesson {
	return lesson.Lesson{
		ID: "row-sum", Title: "Add up rows", Chapter: 2, Devices: []device.Kind{device.CPU}, Limit: time.Minute, // for a machine that has much else to do
		Check: &lesson.Go{
			Functions: []lesson.Function{
				{Name: "Sum", Signature: "func(values []float64) float64"},
				{Name: "View.At", Signature: "func(v exercise.View, i int) (float64, error)"},
				{Name: "Halve", Signature: "func(values []float64)"},
			},
			Calls: func() []lesson.Call {
				view := map[string]any{"Data": []float64{5, 7}, "Name": "v"}
				return []lesson.Call{
					{Name: "three values", Function: "Sum", Args: []any{[]float64{1, 2, 4}}, Want: []any{7.0},
						Mistakes: []lesson.Mistake{{Array: "0", Values: []float64{7.0 / 3}, Text: "this is the mean, not the sum"}}},
					{Name: "nothing", Function: "Sum", Args: []any{[]float64{}}, Want: []any{0.0}},
					{Name: "the second element", Function: "View.At", Args: []any{view, 1}, Want: []any{7.0, false}},
					{Name: "an element that is not there", Function: "View.At", Args: []any{view, 2}, Want: []any{nil, true}},
					{Name: "halves", Function: "Halve", Args: []any{[]float64{1, 3}}, Want: []any{}, After: []any{[]float64{0.5, 1.5}}},
				}
			},
		},
	}
}

// sumsOf is a learner's file for it, with a body of Sum that begins on line 20.
func sumsOf(imports, body string) string {
	return `package exercise

import (
	"errors"
	` + imports + `
)

type View struct {
	Data []float64
	Name string
}

func (v View) At(i int) (float64, error) {
	if i >= len(v.Data) { return 0, errors.New("behind the end") }
	return v.Data[i], nil
}
func Halve(values []float64) { for i := range values { values[i] /= 2 } }

func Sum(values []float64) float64 {
` + body + `
}
`
}

const rightSum = "	s := 0.0\n	for _, v := range values { s += v }\n	return s"

func goCourse(t *testing.T, l *lesson.Lesson) *Course {
	t.Helper()
	return &Course{
		Lessons: []lesson.Lesson{*l}, Dir: t.TempDir(), Cache: t.TempDir(),
		Files: fstest.MapFS{l.ID + "/starter/" + l.File(): {Data: []byte("package exercise\n")}},
	}
}

func checkSource(t *testing.T, c *Course, source string) *lesson.Verdict {
	t.Helper()
	v, err := c.Check(t.Context(), &c.Lessons[0], Options{Source: []byte(source)})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestGoVerdicts(t *testing.T) {
	l := sums()
	course := goCourse(t, &l)
	short := sums()
	short.Limit = time.Second
	hasty := goCourse(t, &short)
	for _, test := range []struct {
		name    string
		imports string
		body    string
		source  string // in place of both
		kinds   string // of the findings, in order
		line    int    // of the first, which begins with the text
		text    string
		ran     int // cases that were run to their end
	}{
		{name: "right", body: rightSum, ran: 5},
		{name: "unused variable", body: "\tx := 1\n\treturn 0", kinds: "compile", line: 20, text: "x is given a value that nothing reads"},
		{name: "types", body: "\ts := 0\n\tfor _, v := range values { s += v }\n\treturn float64(s)", kinds: "compile", line: 21, text: "s += v mixes int and float64"},
		{name: "syntax", body: "\tfor {\n\treturn 0", kinds: "compile", line: 23, text: "The file ends inside"},
		{name: "import", imports: `"fmt"`, body: rightSum, kinds: "compile", line: 5, text: `"fmt" is imported, and nothing of it is used`},
		{name: "another's package", imports: `_ "example.com/tensors"`, body: rightSum, kinds: "compile", line: 5, text: "example.com/tensors is not part of"},
		{name: "no return", body: "", kinds: "compile", line: 21, text: "The function can come to its end"},
		{name: "another package clause", source: "package main\n", kinds: "compile", line: 1, text: "The package is called main"},
		{name: "empty", source: "\n", kinds: "compile", text: "The file is empty"},
		{name: "passed over", source: "//go:build ignore\n\n" + sumsOf("", rightSum), kinds: "compile", text: "The go command passes the file over"},
		{name: "passed over as C", imports: "\n\t\"C\"", body: rightSum, kinds: "compile", text: "The go command passes the file over"},
		{name: "a variable that is too large", source: sumsOf("", rightSum) + "var big [1 << 31]float64\n", kinds: "compile", text: "A variable outside of the functions is larger"},
		{name: "Windows' line ends, and letters beyond ASCII", source: strings.ReplaceAll(sumsOf("", "\tä := 1\n"+rightSum), "\n", "\r\n"), kinds: "compile", line: 20, text: "ä is given a value"},
		{name: "missing function", source: "package exercise\n\nfunc sum(values []float64) float64 { return 0 }\n", kinds: "signature signature signature", line: 3, text: "There is no Sum; there is sum"},
		{name: "signature", source: strings.Replace(sumsOf("", "return 0"), "Sum(values []float64) float64", "Sum(values []int) float64", 1),
			kinds: "signature", line: 19, text: "Sum is a func(values []int) float64"},
		{name: "pointer receiver", source: strings.Replace(sumsOf("", rightSum), "(v View)", "(v *View)", 1), kinds: "signature", line: 13, text: "The receiver of View.At is a pointer"},
		{name: "field", source: strings.ReplaceAll(sumsOf("", rightSum), "Data", "Values"), kinds: "signature", text: "The exercise cannot call View.At"},

		{name: "panic", body: "\ts := 0.0\n\tfor i := 0; i <= len(values); i++ { s += values[i] }\n\treturn s", kinds: "panic", line: 21, text: "It panics: it asks for element 3 of 3", ran: 5},
		{name: "panic of a goroutine", body: "\tgo func() {\n\t\tvar m map[int]int\n\t\tm[0] = 1\n\t}()\n\tselect {}", kinds: "panic", line: 22, text: "It panics: it puts something into a map"},
		{name: "one's own panic", body: "\tpanic(\"values are missing\")", kinds: "panic", line: 20, text: "It panics: values are missing", ran: 5},
		{name: "goexit", imports: `"runtime"`, body: "\truntime.Goexit()\n\treturn 0", kinds: "panic", text: "Sum ended its goroutine", ran: 5},
		{name: "endless recursion", body: "\treturn Sum(values) + 1", kinds: "panic", line: 20, text: "It calls itself without an end"},
		{name: "exit", imports: `"os"`, body: "\tos.Exit(0)\n\treturn 0", kinds: "panic", line: 20, text: "It ended the whole program, with status 0"},
		{name: "endless loop", body: "\ts := 0.0\n\tfor i := 0; i < len(values); {\n\t\ts += values[i]\n\t}\n\treturn s", kinds: "time-limit", text: "It had not come to its end after 1 s, and was at line 2"},
		{name: "endless loop before the first call", body: "\treturn 0", source: sumsOf("", rightSum) + "\nvar _ = forever()\n\nfunc forever() int {\n\tfor {\n\t}\n}\n",
			kinds: "time-limit", line: 25, text: "It had not come to its end after 1 s, and was at line 25, before the first call"},
		{name: "deadlock", body: "\tc := make(chan float64)\n\tc <- 1\n\treturn <-c", kinds: "time-limit", line: 21, text: "It had not come to its end after 1 s: it waits for somebody to take"},
		{name: "memory", body: "\tvar all [][]float64\n\tfor {\n\t\tall = append(all, make([]float64, 1<<20))\n\t}", kinds: "memory-limit", line: 22, text: "It "},
		{name: "a length beyond all memory", body: "\tall := make([]float64, 1<<(38+len(values)-3))\n\treturn all[len(values)]", kinds: "memory-limit", line: 20, text: "It "},
		{name: "300 million lines", imports: `"fmt"`, body: "\tfor i := range 300_000_000 {\n\t\tfmt.Println(i)\n\t}\n\treturn 0", kinds: "output-limit", line: 21, text: "It was ended after it had printed more than 1 MiB, and was at line 21"},

		{name: "a known mistake", body: "\ts := 0.0\n\tfor _, v := range values { s += v }\n\treturn s / max(1, float64(len(values)))", kinds: "known-mistake", text: "This is the mean, not the sum.", ran: 5},
		{name: "not finite", imports: `"math"`, body: "\treturn math.NaN()", kinds: "not-finite", text: "The result is NaN, where a number is expected.", ran: 5},
		{name: "changed", body: rightSum[:len(rightSum)-len("\treturn s")] + "\tif len(values) > 1 { values[1] = s }\n\treturn s", kinds: "input-changed", text: "Sum changed its argument values", ran: 5},
		{name: "append", body: "\t_ = append(values, 1)\n" + rightSum, kinds: "wrote-outside", text: "Sum wrote behind the end of values, a slice of 3 elements", ran: 5},
		{name: "not in place", source: strings.Replace(sumsOf("", rightSum), "values[i] /= 2", "_ = values[i] / 2", 1), kinds: "wrong-values", text: "All 2 elements of values are wrong: values[0] is 1, and 0.5 is expected.", ran: 5},
		{name: "no error", source: strings.Replace(sumsOf("", rightSum), `return 0, errors.New("behind the end")`, "return 0, nil", 1) + "var _ = errors.New\n", kinds: "wrong-values", text: "View.At returns no error here", ran: 5},
		{name: "an error", source: strings.Replace(sumsOf("", rightSum), `i >= len(v.Data)`, "i > 0", 1), kinds: "wrong-values", text: "View.At returns an error where none is wanted: \"behind the end\"", ran: 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			source := test.source
			if source == "" {
				source = sumsOf(test.imports, test.body)
			}
			c := course
			if test.kinds == "time-limit" {
				c = hasty
			}
			v := checkSource(t, c, source)
			kinds := []string{}
			for _, f := range v.Findings {
				kinds = append(kinds, string(f.Kind))
			}
			if got := strings.Join(kinds, " "); got != test.kinds || v.Passed != (test.kinds == "") {
				t.Fatalf("passed %v, kinds %q: %+v\n%s", v.Passed, got, v.Findings, v.Output)
			}
			if test.kinds != "" {
				f := v.Findings[0]
				if !strings.HasPrefix(f.Text, test.text) || test.line > 0 && f.Line != test.line {
					t.Errorf("line %d, %q", f.Line, f.Text)
				}
				if f.Line > 0 && f.Source != strings.TrimSuffix(strings.Split(source, "\n")[f.Line-1], "\r") {
					t.Errorf("line %d is not %q", f.Line, f.Source)
				}
			}
			ran := 0
			for _, c := range v.Cases {
				if c.Ran {
					ran++
				}
			}
			if test.ran > 0 && ran != test.ran {
				t.Errorf("%d cases ran", ran)
			}
			if len(v.Output) > outputKept || v.Cut != (test.name == "300 million lines") {
				t.Errorf("%d bytes of output, cut %v", len(v.Output), v.Cut)
			}
			if !strings.HasPrefix(v.Device, "this computer, Go 1.") {
				t.Errorf("device %q", v.Device)
			}
			t.Logf("built in %v, ran %v", v.Building.Round(time.Millisecond), v.Running.Round(time.Millisecond))
		})
	}
}

// A learner's files are checked by several at once, of the same exercise too, and
// a program is built once for what it is built of.
func TestGoChecksAtTheSameTime(t *testing.T) {
	l := sums()
	course := goCourse(t, &l)
	var wait sync.WaitGroup
	for i := range 12 {
		wait.Go(func() {
			body := rightSum
			if i%6 > 0 { // more programs than are kept
				body = fmt.Sprintf("\treturn %d", i%6)
			}
			v, err := course.Check(t.Context(), &course.Lessons[0], Options{Source: []byte(sumsOf("", body))})
			if err != nil {
				t.Error(err)
			} else if v.Passed != (i%6 == 0) {
				t.Errorf("check %d: passed %v, %+v", i, v.Passed, v.Findings)
			}
		})
	}
	wait.Wait()
	programs, err := filepath.Glob(filepath.Join(course.Cache, l.ID, "*"))
	if err != nil || len(programs) != keptPrograms {
		t.Errorf("%v, %v: %d programs are left, and nothing else", programs, err, keptPrograms)
	}
	again := checkSource(t, course, sumsOf("", rightSum))
	left, _ := filepath.Glob(filepath.Join(course.Cache, l.ID, "*"))
	if !again.Passed || len(left) != keptPrograms {
		t.Errorf("checked again: %+v, %v", again.Findings, left)
	}
}

// What a program starts ends with it, and does not keep the check waiting.
func TestGoProgramsEnd(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("there is no sleep here to be left behind:", err)
	}
	l := sums()
	course := goCourse(t, &l)
	begun := time.Now()
	v := checkSource(t, course, sumsOf(`"os"; "os/exec"`, "\tc := exec.Command(\"sleep\", \"600\")\n\tc.Stdout = os.Stdout\n\tc.Start()\n\tgo func() { select {} }()\n"+rightSum))
	if !v.Passed || time.Since(begun) > 5*time.Minute {
		t.Errorf("after %v: %+v", time.Since(begun), v.Findings)
	}
	if len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "goroutines were still there") {
		t.Errorf("notes %q", v.Notes)
	}

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := course.Check(ctx, &course.Lessons[0], Options{Source: []byte(sumsOf("", "\tfor {}"))})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a check that was called off ends with %v", err)
	}
	left, _ := filepath.Glob(filepath.Join(course.Cache, l.ID, "[^p]*"))
	if len(left) > 0 {
		t.Errorf("it leaves %v behind", left)
	}
}

func TestGoIsMissing(t *testing.T) {
	l := sums()
	course := goCourse(t, &l)
	course.Go = filepath.Join(t.TempDir(), "go")
	_, err := course.Check(t.Context(), &course.Lessons[0], Options{Source: []byte("package exercise")})
	var missing *ToolError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "https://go.dev/dl/") {
		t.Errorf("error %v", err)
	}

	if _, err := exec.LookPath("sh"); err != nil {
		return
	}
	old := "#!/bin/sh\necho go1.22.3\n"
	if err := os.WriteFile(course.Go, []byte(old), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = course.Check(t.Context(), &course.Lessons[0], Options{Source: []byte("package exercise")})
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "which is go1.22.3") {
		t.Errorf("error %v", err)
	}
}

// What is printed stands below the name of the call that printed it.
func TestGoOutputIsTitled(t *testing.T) {
	l := sums()
	course := goCourse(t, &l)
	v := checkSource(t, course, sumsOf(`"fmt"`, "\tfor _, v := range values {\n\t\tfmt.Println(v)\n\t}\n\tprint(\"no end\")\n"+rightSum)+"\nfunc init() { println(\"first\") }\n")
	if want := "first\nthree values:\n1\n2\n4\nno end\nnothing:\nno end\n"; v.Output != want || !v.Passed {
		t.Errorf("passed %v, printed\n%s", v.Passed, v.Output)
	}
	v = checkSource(t, course, sumsOf(`"fmt"`, "\tfmt.Println(\"in\")\n\treturn Sum(values)"))
	if !strings.HasPrefix(v.Output, "three values:\nin\nin\n") || strings.Contains(v.Output, "overflow") || strings.Contains(v.Output, "goroutine") {
		t.Errorf("printed %.2000s", v.Output)
	}
}

// What results are wrong, in a sentence, whatever they are built of.
func TestGoResultsAreCompared(t *testing.T) {
	type object = map[string]any
	l := sums()
	l.Within = lesson.Tolerance{Absolute: 0.5}
	g := &goCheck{job: &job{lesson: &l}}
	for _, test := range []struct {
		want, got any
		text      string // "" is that they agree
	}{
		{7, 7, ""},
		{7, 8, "The result is 8, and 7 is expected."},
		{int64(1) << 60, int64(1)<<60 + 1, "The result is 1152921504606846977, and 1152921504606846976 is expected."},
		{2.0, 2.5, ""},
		{2.0, math.NaN(), "The result is NaN, where a number is expected."},
		{math.NaN(), math.NaN(), ""},
		{[]float64{1, 2, 3}, []float64{3, 6, 9}, "Every element of the result is 3 times what is expected."},
		{[]int{}, []int(nil), ""},
		{[]int{1, 2}, []int{1}, "The result has 1 element, and 2 are expected."},
		{[][]int{{1}, {2, 3}}, [][]int{{1}, {2, 3}}, ""},
		{[][]int{{1}, {2, 3}}, [][]int{{1}, {2}}, "The result[1] has 1 element, and 2 are expected."},
		{[]string{"a", "b"}, []string{"a", "c"}, "1 element of the 2 of the result is wrong: the result[1] is \"c\", and \"b\" is expected."},
		{true, false, "The result is false, and true is expected."},
		{object{"N": 1, "Shape": []int{2, 3}}, object{"N": 1, "Shape": []int{2, 4}}, "result.Shape[1] is 4, and 3 is expected"},
		{object{"A": 1.0, "B": object{"C": 5.0}}, object{"A": 1.2, "B": object{"C": 7.0}}, "result.B.C is 7, and 5 is expected."},
		{object{"N": 1}, object{"M": 1}, "The result has no field N."},
	} {
		f := g.compareValue(&lesson.Call{}, "the result", mustValue(test.want), mustValue(test.got), result{place: -1})
		switch {
		case f == nil && test.text != "":
			t.Errorf("%v agrees with %v", test.got, test.want)
		case f != nil && (test.text == "" || !strings.HasPrefix(f.Text, test.text)):
			t.Errorf("%v beside %v: %q", test.got, test.want, f.Text)
		}
	}
}

// The course does not import the harness, which begins checks; so it has its
// names twice.
func TestHarnessNames(t *testing.T) {
	here := []string{harnessFolder, harnessCalls, harnessResults, harnessCrash, harnessStop}
	there := []string{harness.Folder, harness.CallsFile, harness.ResultsFile, harness.CrashFile, harness.StopFile}
	if !slices.Equal(here, there) {
		t.Errorf("the runner says %q, the harness %q", here, there)
	}
}

// The compiler's messages are in plain words, every one of these, and on the
// right line: they are Go's own and may change with a new Go.
func TestCompilerInPlainWords(t *testing.T) {
	l := sums()
	course := goCourse(t, &l)
	const begin = "package exercise\n\nimport \"math\"\n\ntype T struct{ A int }\n\nfunc two(a int) (int, int) { return a, int(math.Sqrt(4)) }\n\n"
	for _, test := range []struct{ source, texts string }{
		{`func f(x []float64, n int) float64 {
	s := 0
	s := 1
	y := math.sqrt(2)
	y = math.Foo(2)
	x[0] = n
	n = 1.5
	if n {
	}
	return y
}
`, `s is given a value that nothing reads. Go does not compile that.
All names on the left of := exist already.
sqrt is package math's own: it begins with a small letter.
Package math has nothing that is called Foo.
This assignment needs a value of type float64, and n is none (variable of type int).
1.5 is no whole number, and this assignment needs type int.
The condition of this if statement is no bool.`},
		{`func f(x []float64, n int) float64 {
	a, b := two(1, 2)
	n = two(1)
	n + a + b
	x.foo()
	_ = T{}.B
	_ = two()
	return x
}

func two(x int) {}
`, `The call of two has too many arguments.
There is room for 1 variable on the left, and two returns 2.
n + a + b stands there, and nothing is done with it.
There is no foo in a value of type []float64.
There is no B in a value of type T.
The call of two has too few arguments.
There is room for 1 variable on the left, and two returns 2.
This return statement needs a value of type float64, and x is none (variable of type []float64).
two is declared a second time.`},
		{`func f(x []float64) float64 {
	if len(x) > 0 {
		return
	}
	return 1, 2
}

func g(x []float64) (float64, T) {
	_ = x == x
	_ = x + 1
	_ = [3]int{}[5]
	_ = !x[0]
	fmt.Println()
	return x[0], nil
}
`, `This return gives back fewer values than the function declares.
This return gives back more values than the function declares.
x == x compares a slice, which only nil can be compared with.
x + 1 mixes []float64 and untyped int, and Go converts neither by itself.
Index 5 is behind the end: there are 3 elements.
x[0] (variable of type float64) has no operator !.
fmt is not imported.
This return statement needs a value of type T, and nil is none.`},
		{"func f() {\n\tfor i := 0; i < 3; i++\n\t{\n\t}\n}\n", "The line ends too early: { after for clause is expected."},
		{"func f() {\n\tx = := 3\n}\n", "Here is := where Go expects expression."},
		{"func f() {\n}}\n", "Here is } behind what had already ended."},
		{"func f() {\n}\nreturn 1\n", "This statement is in no function."},
		{"func f() []int {\n\treturn []int{1,\n\t\t2\n\t}\n}\n", "The line ends within this composite literal: comma or } is missing."},
		{"func f(x int) {\n\tif x = 3 {\n\t}\n}\n", "x = 3 is an assignment, and a value is needed here."},
		{"func f() {\n\tint x = 3\n}\n", "The statement is complete in front of x."},
		{"func f() {\n\tif true {\n\t}\n\telse {\n\t}\n}\n", "This else belongs to no if."},
		{"func f() string {\n\treturn \"a\n}\n", "The text is not closed on its line."},
		{"func f() {\n", "The file ends inside of something that was opened."},
	} {
		v := checkSource(t, course, begin+test.source)
		var texts []string
		for _, f := range v.Findings {
			if f.Kind != lesson.Compile || f.Line == 0 || f.Next == "" || f.Column == 0 {
				t.Errorf("%+v", f)
			}
			texts = append(texts, f.Text)
		}
		if got := strings.Join(texts, "\n"); !strings.HasPrefix(got, test.texts) {
			t.Errorf("%s\nis told\n%s", test.source, got)
		}
	}
}
