package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"workbench/engine"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// outcome is all that a person sees of one command.
type outcome struct {
	status         int
	stdout, stderr string
}

func (o outcome) String() string {
	return fmt.Sprintf("-- status --\n%d\n-- stdout --\n%s-- stderr --\n%s", o.status, o.stdout, o.stderr)
}

// call runs the program as a shell would.
func call(t testing.TB, stdin string, args ...string) outcome {
	t.Helper()
	return callWith(t.Context(), nil, stdin, args...)
}

// callWith runs the program with some of its surroundings changed.
func callWith(ctx context.Context, change func(*program), stdin string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	p := &program{
		stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr,
		getenv: func(string) string { return "" },
		open:   engine.Open,
	}
	if change != nil {
		change(p)
	}
	status := p.run(ctx, args)
	return outcome{status, stdout.String(), stderr.String()}
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
	if text == string(want) {
		return
	}
	got, expected := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(expected)) {
		g, w := "(nothing)", "(nothing)"
		if i < len(got) {
			g = got[i]
		}
		if i < len(expected) {
			w = expected[i]
		}
		if g != w {
			t.Fatalf("%s, line %d:\n got %s\nwant %s\nrun this test with -update if the change is meant, and read the diff", path, i+1, excerpt(g), excerpt(w))
		}
	}
}

// ends returns the first and the last lines of a long text, and says how many
// lie between.
func ends(text string) string {
	const first, last = 150, 20
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= first+last+2 {
		return text
	}
	return strings.Join(lines[:first], "") +
		fmt.Sprintf("… %d lines …\n", len(lines)-first-last) +
		strings.Join(lines[len(lines)-last:], "")
}

func excerpt(line string) string {
	if len(line) > 300 {
		return line[:300] + " …"
	}
	return line
}

// Each case is a command line, with the file it reads if there is one.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		stdin string
		args  []string
	}{
		{"help", "", []string{}},
		{"help-demo", "", []string{"demo", "--help"}},
		{"help-compare", "", []string{"compare", "--help"}},
		{"help-trace", "", []string{"trace", "--help"}},
		{"help-emulate", "", []string{"emulate", "--help"}},
		{"help-doctor", "", []string{"doctor", "--help"}},
		{"help-gpu-check", "", []string{"gpu-check", "--help"}},
		{"help-serve", "", []string{"serve", "--help"}},
		{"help-present", "", []string{"present", "--help"}},
		{"help-replay", "", []string{"replay", "--help"}},
		{"help-run", "", []string{"run", "--help"}},
		{"help-watch", "", []string{"watch", "--help"}},
		{"help-check-all", "", []string{"check-all", "--help"}},
		{"help-list", "", []string{"list", "--help"}},
		{"help-hint", "", []string{"hint", "--help"}},
		{"help-reset", "", []string{"reset", "--help"}},
		{"help-solution", "", []string{"solution", "--help"}},
		{"help-test", "", []string{"help", "test"}},
		{"help-version", "", []string{"version", "-h"}},

		{"demo-json", "", []string{"demo", "--json"}},
		{"demo-fused-json", "", []string{"demo", "--device", "cpu,fused", "--json"}},
		{"demo-text", "", []string{"demo", "--text", "", "--width", "2", "--blocks", "1", "--feed-forward", "3", "--positions", "1"}},

		{"compare-same", "", []string{"compare", "cpu", "cpu,separate"}},
		{"compare-contracts", "", []string{"compare", "cpu", "cpu,fused"}},
		{"compare-csv", "", []string{"compare", "cpu", "cpu,fused", "--csv"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := call(t, c.stdin, c.args...)
			o.stdout = ends(o.stdout)
			golden(t, c.name+".txt", o.String())
		})
	}
}

// What runs through the emulator has the CPU's bits, in every precision.
func TestCompareWithTheEmulator(t *testing.T) {
	for _, args := range [][]string{
		{"cpu", "emulator"}, {"cpu,fused", "emulator,fused"}, {"cpu,fused", "emulator,fused", "--precision", "float32"}, {"cpu", "emulator", "--precision", "bfloat16"},
	} {
		o := call(t, "", append([]string{"compare"}, args...)...)
		if o.status != statusOK || !strings.HasSuffix(o.stdout, "\nPASS: 2155 values are equal in every bit.\n") {
			t.Errorf("%q: %s", args, o)
		}
	}
}

// The report's JSON is golden without the list of every value, which is as
// long as the CSV.
func TestGoldenReport(t *testing.T) {
	o := call(t, "", "compare", "cpu", "cpu,fused", "--json")
	var report map[string]any
	if err := json.Unmarshal([]byte(o.stdout), &report); err != nil || o.status != statusOK {
		t.Fatalf("status %d, %v, %s", o.status, err, o.stderr)
	}
	entries, _ := report["entries"].([]any)
	if want := report["count"]; float64(len(entries)) != want {
		t.Fatalf("%d entries of %v values", len(entries), want)
	}
	report["entries"] = entries[:3]
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "compare-json.txt", string(text)+"\n")
}

// What is called wrongly, and what cannot be had, in one file: the messages
// are read side by side.
func TestGoldenErrors(t *testing.T) {
	var all strings.Builder
	for _, args := range [][]string{
		{"demoo"},
		{"frobnicate"},
		{"demo", "now"},
		{"demo", "--widht", "3"},
		{"demo", "--colour", "blue"},
		{"demo", "-x"},
		{"demo", "--width"},
		{"demo", "--width", "0"},
		{"demo", "--width", "four"},
		{"demo", "--width", "99999999999999999999"},
		{"demo", "--width", "1000000000"},
		{"demo", "--width", "5"},
		{"demo", "--heads", "3"},
		{"demo", "--blocks", "-1"},
		{"demo", "--seed", "-1"},
		{"demo", "--json=perhaps"},
		{"demo", "--text", "a text of too many bytes"},
		{"demo", "--text", "\xff\xfe"},
		{"demo", "--device", "gpu"},
		{"demo", "--device", "cpu, fused"},
		{"demo", "--device", ""},
		{"demo", "--device", "cpu,library"},
		{"demo", "--device", "emulator,library"},
		{"demo", "--device", "cuda:0,library"},
		{"compare"},
		{"compare", "cpu"},
		{"compare", "cpu", "cpu,fused", "emulator"},
		{"compare", "cpu", "tpu"},
		{"compare", "cuda:0", "cpu"},
		{"compare", "cpu", "cpu,fused", "--json", "--csv"},
		{"trace"},
		{"trace", "sum"},
		{"trace", "product", "view"},
		{"trace", "product", "--input", "no-such-file.json"},
		{"emulate"},
		{"emulate", "a.json", "b.json"},
		{"emulate", "no-such-file.json"},
		{"emulate", "testdata/unknown.json"},
		{"emulate", "testdata/scale.json", "--device", "cpu,fused"},
		{"emulate", "testdata/scale.json", "--device", "cuda"},
		{"emulate", "testdata/unreadable.json"},
		{"test", "everything"},
		{"test", "--run", "("},
		{"test", "--run", "TestA/*"},
		{"test", "--run"},
		{"serve", "--chapters"},
		{"trace", "product", "--input"},
		{"--version"},
		{"help", "nosuch"},
		{"help", "trace", "nosuch"},
		{"completion"},
		{"completion", "nosuch"},
		{"version", "1"},
	} {
		o := call(t, "", args...)
		fmt.Fprintf(&all, "$ workbench %s\n", quoted(args))
		fmt.Fprintf(&all, "%sstatus %d\n\n", o.stderr, o.status)
		if o.status == statusOK || o.stderr == "" {
			t.Errorf("workbench %s ends with status %d and says %q", quoted(args), o.status, o.stderr)
		}
		if o.stdout != "" {
			t.Errorf("workbench %s prints %q besides its error", quoted(args), excerpt(o.stdout))
		}
	}
	golden(t, "errors.txt", all.String())
}

// The input that help shows is one that works.
func TestHelpShowsAnInput(t *testing.T) {
	_, input, found := strings.Cut(call(t, "", "trace", "--help").stdout, "  {\"input\"")
	input, _, _ = strings.Cut("{\"input\""+input, "\n")
	if o := call(t, input, "trace", "view", "--input", "-"); !found || o.status != statusOK {
		t.Errorf("%s: status %d, %s", input, o.status, o.stderr)
	}
}

func quoted(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a
		if a == "" || strings.Contains(a, " ") || !utf8.ValidString(a) {
			words[i] = fmt.Sprintf("%q", a)
		}
	}
	return strings.Join(words, " ")
}
