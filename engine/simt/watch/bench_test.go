package watch_test

import (
	"context"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch"
)

// bench is a machine with checks, for a program's text.
type bench struct {
	*run.Machine
	t      testing.TB
	lines  []string
	checks *watch.Checks
}

func load(t testing.TB, name, text string) *bench {
	t.Helper()
	p, err := code.Read(name, text)
	if err != nil {
		t.Fatal(err)
	}
	image, err := run.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.New(image, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Machine: m, t: t, lines: strings.Split(text, "\n")}
	b.checks = watch.NewChecks(watch.Options{Source: b.line})
	return b
}

func (b *bench) line(_ string, n int) string {
	if n < 1 || n > len(b.lines) {
		return ""
	}
	return b.lines[n-1]
}

func (b *bench) floats(label string, n int) *run.Memory {
	b.t.Helper()
	m, err := b.Allocate(label, int64(4*n), "float", 4)
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

// args returns the bytes of arguments.
func args(values ...any) [][]byte {
	var out [][]byte
	for _, v := range values {
		switch x := v.(type) {
		case *run.Memory:
			v = uint64(x.Pointer())
		case int:
			v = int32(x)
		}
		b, err := binary.Append(nil, binary.LittleEndian, v)
		if err != nil {
			panic(err)
		}
		out = append(out, b)
	}
	return out
}

func dim(x, y, z int) launch.Dim3 { return launch.Dim3{X: x, Y: y, Z: z} }

func (b *bench) run(l *run.Launch) []launch.Report {
	b.t.Helper()
	l.Observer = b.checks
	_, err := b.Launch(context.Background(), l)
	if err != nil && !b.checks.Ended(err) {
		b.t.Fatal(err)
	}
	return b.checks.Reports()
}

func matmulText(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../run/testdata/matmul.code")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// without removes the nth line that is in.
func without(t testing.TB, text, in string, nth int) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) != in {
			continue
		}
		if nth--; nth == 0 {
			lines[i] = "// a line is missing"
			return strings.Join(lines, "\n")
		}
	}
	t.Fatalf("there is no such line: %s", in)
	return ""
}

// recorder is told of everything.
type recorder struct {
	*watch.Measures
	statements int
}

func (r *recorder) Wants() run.Events                 { return r.Measures.Wants() | run.Statements | run.Values }
func (r *recorder) Statement(_ *run.Warp, _ code.Pos) { r.statements++ }

// BenchmarkTiled is the product of 256, bare and observed; one is bare but for one
// block, of which all is told, and checked with one the same beside the checks
// of all blocks.
func BenchmarkTiled(b *testing.B) {
	const n = 256
	chosen := func(others, one run.Observer) func(block int) run.Observer {
		return func(block int) run.Observer {
			if block == 100 {
				return one
			}
			return others
		}
	}
	for _, c := range []struct {
		name    string
		observe func(l *run.Launch)
	}{
		{"bare", func(*run.Launch) {}},
		{"one", func(l *run.Launch) { l.ObserverOf = chosen(nil, &recorder{Measures: watch.NewMeasures()}) }},
		{"checks", func(l *run.Launch) { l.Observer = watch.NewChecks(watch.Options{}) }},
		{"measures", func(l *run.Launch) { l.Observer = watch.NewMeasures() }},
		{"both", func(l *run.Launch) { l.Observer = watch.Join(watch.NewChecks(watch.Options{}), watch.NewMeasures()) }},
		{"checked with one", func(l *run.Launch) {
			checks, measures := watch.NewChecks(watch.Options{}), watch.NewMeasures()
			l.ObserverOf = chosen(watch.Join(checks, measures), watch.Join(checks, measures, &recorder{Measures: watch.NewMeasures()}))
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := load(b, "matmul.code", matmulText(b))
			left, right, out := m.floats("left", n*n), m.floats("right", n*n), m.floats("out", n*n)
			for b.Loop() {
				l := &run.Launch{Kernel: "tiled", Grid: dim(16, 16, 1), Block: dim(16, 16, 1), Args: args(left, right, out, n, n, n)}
				c.observe(l)
				if _, err := m.Launch(context.Background(), l); err != nil {
					b.Fatal(err)
				}
				if k, ok := l.Observer.(*watch.Checks); ok && len(k.Reports()) > 0 {
					b.Fatal("reports")
				}
			}
		})
	}
}

func BenchmarkNaive(b *testing.B) {
	const n = 128
	m := load(b, "matmul.code", matmulText(b))
	left, right, out := m.floats("left", n*n), m.floats("right", n*n), m.floats("out", n*n)
	for b.Loop() {
		l := &run.Launch{Kernel: "naive", Grid: dim(8, 8, 1), Block: dim(16, 16, 1), Args: args(left, right, out, n, n, n), Observer: watch.NewChecks(watch.Options{})}
		if _, err := m.Launch(context.Background(), l); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRacing is a product in which everything races.
func BenchmarkRacing(b *testing.B) {
	const n = 128
	text := without(b, without(b, matmulText(b), "barrier sync", 2), "barrier sync", 1)
	m := load(b, "matmul.code", text)
	left, right, out := m.floats("left", n*n), m.floats("right", n*n), m.floats("out", n*n)
	races := int64(0)
	for b.Loop() {
		checks := watch.NewChecks(watch.Options{})
		l := &run.Launch{Kernel: "tiled", Grid: dim(n/16, n/16, 1), Block: dim(16, 16, 1), Args: args(left, right, out, n, n, n), Observer: checks}
		if _, err := m.Launch(context.Background(), l); err != nil {
			b.Fatal(err)
		}
		for _, r := range checks.Reports() {
			races += r.Count
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(races), "ns/race")
}
