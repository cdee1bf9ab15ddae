package watch_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/front"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch"
)

// An idiom is a kernel of testdata with the reports that it deserves. In the
// files
//
//	==== name
//	run: kernel<<<grid, block, shared>>>(arguments)
//	says: what the table says of it
//	source, with //! on the lines of reports: the kind, and words of the report
//
// A buffer is its name, type, [elements], and how it is filled: with 0, 1, 2 …,
// with that mod n, down from n-1, with zeros, or unwritten. An empty line parts
// what must report from what must not.
type idiom struct {
	kind   string // of the file
	name   string
	run    string
	says   string
	source string
	want   []expected
}

type expected struct {
	line  int
	kind  launch.ReportKind
	words string
}

const allIdioms = "testdata/idioms/*.txt"

func idioms(t testing.TB, pattern string) []idiom {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("there are no idioms", err)
	}
	var out []idiom
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		kind := strings.TrimSuffix(filepath.Base(name), ".txt")
		for _, part := range strings.Split("\n"+string(data), "\n==== ")[1:] {
			lines := strings.SplitN(part, "\n", 4)
			if len(lines) < 4 || !strings.HasPrefix(lines[1], "run: ") || !strings.HasPrefix(lines[2], "says: ") {
				t.Fatalf("%s: %q lacks its run or says", name, lines[0])
			}
			c := idiom{kind: kind, name: lines[0], run: lines[1][5:], says: lines[2][6:], source: strings.TrimRight(lines[3], "\n") + "\n"}
			for n, line := range strings.Split(c.source, "\n") {
				for _, mark := range strings.Split(line, "//! ")[1:] {
					kind, words, _ := strings.Cut(strings.TrimSpace(mark), " ")
					c.want = append(c.want, expected{n + 1, launch.ReportKind(kind), words})
				}
			}
			out = append(out, c)
		}
	}
	return out
}

var (
	runLine  = regexp.MustCompile(`^(.+?)<<<(\([\d,]+\)|\d+),(\([\d,]+\)|\d+)(?:,(\d+))?>>>\((.*)\)$`)
	bufferOf = regexp.MustCompile(`^(\w+) ([\w ]+)\[(\d+)\](?: (mod \d+|down|zeros|unwritten))?$`)
)

func dimOf(t testing.TB, s string) launch.Dim3 {
	d := [3]int{1, 1, 1}
	for i, f := range strings.Split(strings.Trim(s, "()"), ",") {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		d[i] = n
	}
	return launch.Dim3{X: d[0], Y: d[1], Z: d[2]}
}

// readKernel reads CUDA C.
func readKernel(t testing.TB, source string, kernels ...string) *code.Program {
	t.Helper()
	unit, err := front.Read("kernel.cu", source, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := unit.Program(kernels...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reports runs an idiom in an order of its warps.
func (c idiom) reports(t testing.TB, p *code.Program, seed uint64) []launch.Report {
	t.Helper()
	m := runLine.FindStringSubmatch(c.run)
	if m == nil {
		t.Fatalf("%s: cannot read %q", c.name, c.run)
	}
	image, err := run.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := run.New(image, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(c.source, "\n")
	checks := watch.NewChecks(watch.Options{Source: func(_ string, n int) string { return lines[n-1] }})
	l := &run.Launch{Kernel: m[1], Grid: dimOf(t, m[2]), Block: dimOf(t, m[3]), Seed: seed, Observer: checks, Limits: run.Limits{Instructions: 300_000}}
	if seed > 0 {
		l.Quantum = 1 + int(seed*7%50)
	}
	if m[4] != "" {
		if l.SharedBytes, err = strconv.Atoi(m[4]); err != nil {
			t.Fatal(err)
		}
	}
	params := p.Functions[p.Function(m[1])].Params
	for i, a := range strings.Split(m[5], ", ") {
		if i >= len(params) {
			t.Fatalf("%s: too many arguments", c.name)
		}
		b := make([]byte, params[i].Size)
		l.Args = append(l.Args, b)
		if a == "null" {
			continue
		}
		if n, err := strconv.Atoi(a); err == nil {
			binary.LittleEndian.PutUint32(b, uint32(n))
			continue
		}
		f := bufferOf.FindStringSubmatch(a)
		if f == nil {
			t.Fatalf("%s: cannot read argument %q", c.name, a)
		}
		x := allocate(t, machine, f[1], f[2], f[3], f[4])
		if f[4] == "unwritten" {
			checks.Unwritten(x)
		}
		binary.LittleEndian.PutUint64(b, uint64(x.Pointer()))
	}
	_, err = machine.Launch(context.Background(), l)
	if err != nil && !checks.Ended(err) && !checks.Refused(p, err) {
		t.Errorf("%s, seed %d: %v", c.name, seed, err)
	}
	return checks.Reports()
}

func allocate(t testing.TB, m *run.Machine, name, elem, elements, how string) *run.Memory {
	t.Helper()
	size := map[string]int{"char": 1, "int": 4, "unsigned": 4, "float": 4, "double": 8, "long long": 8}[elem]
	n, err := strconv.Atoi(elements)
	if err != nil || size == 0 {
		t.Fatalf("%s %s[%s]: %v", name, elem, elements, err)
	}
	x, err := m.Allocate(name, int64(n*size), elem, size)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		v := i
		switch {
		case how == "zeros" || how == "unwritten":
			v = 0
		case how == "down":
			v = n - 1 - i
		case strings.HasPrefix(how, "mod "):
			mod, _ := strconv.Atoi(how[4:])
			v = i % mod
		}
		at := x.Data[i*size:]
		switch {
		case elem == "float":
			binary.LittleEndian.PutUint32(at, math.Float32bits(float32(v)))
		case elem == "double":
			binary.LittleEndian.PutUint64(at, math.Float64bits(float64(v)))
		case size == 8:
			binary.LittleEndian.PutUint64(at, uint64(v))
		case size == 4:
			binary.LittleEndian.PutUint32(at, uint32(v))
		default:
			at[0] = byte(v)
		}
	}
	return x
}

// answers reports whether a report is what is expected.
func (e expected) answers(r launch.Report) bool {
	words := e.words
	if rest, ok := strings.CutPrefix(words, "warning"); ok {
		words = strings.TrimSpace(rest)
		if r.Severity != launch.Doubt {
			return false
		}
	} else if r.Severity == launch.Doubt {
		return false
	}
	if address, cause, both := strings.Cut(words, ": "); both && r.Address != "" {
		return r.Kind == e.kind && r.Line == e.line && r.Address == address && strings.Contains(r.Message+"\n"+r.Cause, cause)
	}
	return r.Kind == e.kind && r.Line == e.line && (r.Address == words || strings.Contains(r.Message+"\n"+r.Cause, words))
}

func TestIdioms(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	if s := os.Getenv("WATCH_SEEDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		seeds = uint64(n)
	}
	for _, c := range append(idioms(t, allIdioms), idioms(t, "testdata/teaching.txt")...) {
		t.Run(c.kind+"/"+c.name, func(t *testing.T) {
			m := runLine.FindStringSubmatch(c.run)
			if m == nil {
				t.Fatalf("cannot read %q", c.run)
			}
			p := readKernel(t, c.source, m[1])
			var first []launch.Report
			for seed := range seeds {
				got := c.reports(t, p, seed)
				problems := compareReports(c.want, got)
				if len(problems) > 0 {
					t.Errorf("seed %d:\n%s", seed, strings.Join(problems, "\n"))
					if testing.Verbose() {
						for _, r := range got {
							t.Log("\n" + r.Text())
						}
					}
					break
				}
				for i := range got {
					if got[i].Count < 1 || got[i].Message == "" || got[i].Line > 0 && got[i].Source == "" {
						t.Errorf("report lacks something: %+v", got[i])
					}
					got[i].Count = 0
				}
				if seed == 0 {
					first = got
				} else if !sameReports(got, first) {
					t.Errorf("seed %d: %s\nand with seed 0: %s", seed, texts(got), texts(first))
					break
				}
			}
		})
	}
}

func texts(list []launch.Report) string {
	var b strings.Builder
	for _, r := range list {
		b.WriteString(r.Text())
	}
	return b.String()
}

// sameReports reports whether two orders of the warps gave the same reports.
// Who is caught in a loop when the instructions are spent is up to the order.
func sameReports(a, b []launch.Report) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x.Kind == launch.EndlessLoop {
			x.Block, x.Thread, x.Warp, x.Lane = y.Block, y.Thread, y.Warp, y.Lane
		}
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}

// compareReports says what is missing and what is too much.
func compareReports(want []expected, got []launch.Report) []string {
	var problems []string
	for _, w := range want {
		found := false
		for _, r := range got {
			found = found || w.answers(r)
		}
		if !found {
			problems = append(problems, fmt.Sprintf("missing in line %d: %s %s", w.line, w.kind, w.words))
		}
	}
	for _, r := range got {
		expected := false
		for _, w := range want {
			expected = expected || r.Line == w.line && r.Kind == w.kind
		}
		if !expected {
			problems = append(problems, "too much: "+r.Text())
		}
	}
	return problems
}

var update = flag.Bool("update", false, "write IDIOMS.md anew")

// TestTable holds IDIOMS.md to the idioms that are tested, and each kind to five
// that report and five that do not.
func TestTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What is reported, and what is not\n\n" +
		"Each row is a kernel in `testdata/idioms`, which a test runs in several orders of its warps:\n" +
		"the reports must be these, on these lines, and the same each time. What a race is, says the\n" +
		"documentation of package `race`.\n")
	count := map[string][2]int{}
	var kinds []string
	list := idioms(t, allIdioms)
	for _, c := range list {
		n, ok := count[c.kind]
		if !ok {
			kinds = append(kinds, c.kind)
		}
		if len(c.want) > 0 {
			n[0]++
		} else {
			n[1]++
		}
		count[c.kind] = n
	}
	slices.SortFunc(kinds, func(a, b string) int { return cmp.Or(-cmp.Compare(count[a][0], count[b][0]), cmp.Compare(a, b)) })
	for _, kind := range kinds {
		if n := count[kind]; n[0] < 5 || n[1] < 5 {
			t.Errorf("%s: %d idioms that report and %d that do not", kind, n[0], n[1])
		}
		fmt.Fprintf(&b, "\n## %s\n\n| idiom | reported | why |\n|---|---|---|\n", kind)
		for _, c := range list {
			if c.kind != kind {
				continue
			}
			var said []string
			for _, w := range c.want {
				s := string(w.kind)
				if strings.HasPrefix(w.words, "warning") {
					s += " (warning)"
				}
				if !slices.Contains(said, s) {
					said = append(said, s)
				}
			}
			what := "nothing"
			if len(said) > 0 {
				what = strings.Join(said, ", ")
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.ReplaceAll(c.name, "|", "\\|"), what, strings.ReplaceAll(c.says, "|", "\\|"))
		}
	}
	if *update {
		if err := os.WriteFile("IDIOMS.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("IDIOMS.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Error("IDIOMS.md is not what the tests say: go test -run Table -update, and read the difference")
	}
}
