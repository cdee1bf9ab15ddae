package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"workbench/assets"
	"workbench/engine"
)

// withReport is a program whose GPU is checked by a function.
func withReport(check func(checks []engine.GPUCheck, o engine.GPUCheckOptions) (*engine.GPUReport, error)) func(*program) {
	return func(p *program) {
		p.checkGPU = func(_ context.Context, _ int, checks []engine.GPUCheck, _ func(context.Context, string) *exec.Cmd, o engine.GPUCheckOptions) (*engine.GPUReport, error) {
			return check(checks, o)
		}
	}
}

// passing says that every check passed, the way a run does.
func passing(checks []engine.GPUCheck, o engine.GPUCheckOptions) (*engine.GPUReport, error) {
	r := &engine.GPUReport{
		GPU: "Test GPU 1", Driver: "580.1", CUDA: "13.0", Date: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		Commit: o.Commit, Command: o.Command,
		Figures: []engine.GPUFigure{{Name: "a", Value: 1, Unit: "µs"}},
	}
	for _, c := range checks {
		o.Begin(c)
		outcome := engine.GPUOutcome{Name: c.Name, Passed: true, Detail: "seen"}
		r.Checks = append(r.Checks, outcome)
		o.End(c, outcome, 1500*time.Millisecond)
	}
	return r, nil
}

func TestGPUCheckWrites(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	read := func(path string) *assets.Measurement {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := assets.ParseMeasurement(text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return m
	}
	o := callWith(t.Context(), withReport(passing), "", "gpu-check", "--commit", "0123abc")
	if o.status != statusOK || !strings.Contains(o.stdout, "Test GPU 1, driver 580.1, CUDA 13.0\n") || !strings.HasSuffix(o.stderr, "written to "+filepath.Join(dir, "test-gpu-1.json")+"\n") {
		t.Errorf("outside the repository: %v", o)
	}
	if m := read("test-gpu-1.json"); m.Commit != "0123abc" || m.Command != "workbench gpu-check" || len(m.Checks) < 50 {
		t.Errorf("the file is %+v", m)
	}
	if !strings.Contains(o.stderr, " 1/") || !strings.Contains(o.stderr, " no driver ... passed (1.5 s)\n") {
		t.Errorf("progress is\n%s", o.stderr)
	}

	// A folder, a file, a part of the list, and words that a shell would split.
	if err := os.Mkdir("results", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args    []string
		file    string
		command string
	}{
		{[]string{"--out", "results"}, "results/test-gpu-1.json", "workbench gpu-check"},
		{[]string{"--out", "mine.json", "--only", "no driver", "--only", "bits", "--skip", "bits/decoder"}, "mine.json", `workbench gpu-check --only "no driver" --only bits --skip bits/decoder`},
		{[]string{"--out", "quick.json", "--quick", "--json", "--device", "cuda:1"}, "quick.json", "workbench gpu-check --device cuda:1 --quick"},
	} {
		o := callWith(t.Context(), withReport(passing), "", append([]string{"gpu-check"}, tc.args...)...)
		if o.status != statusOK {
			t.Errorf("%q: %v", tc.args, o)
			continue
		}
		if m := read(tc.file); m.Command != tc.command {
			t.Errorf("%q writes the command %q, want %q", tc.args, m.Command, tc.command)
		}
		if slices.Contains(tc.args, "--json") {
			if _, err := assets.ParseMeasurement([]byte(o.stdout)); err != nil {
				t.Errorf("%q prints no measurement: %v", tc.args, err)
			}
		}
	}

	// What is a part of the list is printed alone.
	if err := os.Remove("test-gpu-1.json"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--quick"}, {"--only", "bits"}, {"--skip", "bits"}} {
		if o := callWith(t.Context(), withReport(passing), "", append([]string{"gpu-check"}, args...)...); o.status != statusOK || strings.Contains(o.stderr, "written") {
			t.Errorf("%q: %v", args, o)
		}
	}
	if _, err := os.Stat("test-gpu-1.json"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a part of the list was written: %v", err)
	}

	// In the repository it goes to the measurements.
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "assets", "measurements"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module workbench\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o = callWith(t.Context(), func(p *program) {
		withReport(passing)(p)
		p.getenv = func(name string) string { return map[string]string{"COURSE_ROOT": root}[name] }
	}, "", "gpu-check")
	if o.status != statusOK {
		t.Fatal(o)
	}
	read(filepath.Join(root, "assets", "measurements", "test-gpu-1.json"))
}

// A check that failed is said, and the report written all the same.
func TestGPUCheckFails(t *testing.T) {
	t.Chdir(t.TempDir())
	failing := func(checks []engine.GPUCheck, o engine.GPUCheckOptions) (*engine.GPUReport, error) {
		r, err := passing(checks[:1], o)
		for i, outcome := range []engine.GPUOutcome{{Name: "x", Detail: "two\nlines"}, {Name: "y", Skipped: "no tool"}} {
			o.Begin(checks[i+1])
			o.End(checks[i+1], outcome, time.Second)
			r.Checks = append(r.Checks, outcome)
		}
		return r, err
	}
	o := callWith(t.Context(), withReport(failing), "", "gpu-check", "--out", "x.json")
	if o.status != statusFailed || !strings.Contains(o.stdout, "failed: x\n  two\n  lines\n") || !strings.Contains(o.stdout, "1 of 3 checks passed, 1 failed, 1 skipped") ||
		!strings.Contains(o.stderr, "failed (1.0 s)\n    two\n    lines\n") || !strings.Contains(o.stderr, "skipped (1.0 s)\n") {
		t.Errorf("a failure: %v", o)
	}
	if _, err := os.Stat("x.json"); err != nil {
		t.Error(err)
	}

	// Who interrupts gets what there is, and keeps the file of before.
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := func(checks []engine.GPUCheck, o engine.GPUCheckOptions) (*engine.GPUReport, error) {
		cancel()
		return passing(checks, o)
	}
	o = callWith(ctx, withReport(interrupted), "", "gpu-check", "--out", "y.json")
	if o.status != statusFailed || !strings.Contains(o.stderr, "interrupted, and nothing was written") {
		t.Errorf("interrupted: %v", o)
	}
	if _, err := os.Stat("y.json"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was interrupted was written: %v", err)
	}
}

// A report that could not be written is not made.
func TestGPUCheckNowhere(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, out := range []string{"missing/", "missing/x.json"} {
		o := callWith(t.Context(), withReport(func([]engine.GPUCheck, engine.GPUCheckOptions) (*engine.GPUReport, error) {
			t.Error("the GPU was checked all the same")
			return nil, errors.New("no")
		}), "", "gpu-check", "--out", out)
		if o.status != statusFailed || !strings.Contains(o.stderr, "the report cannot be written to missing: ") || !strings.Contains(o.stderr, "name another place with --out") {
			t.Errorf("--out %s: %v", out, o)
		}
	}
}

// Every machine can be asked for a GPU that it does not have.
func TestGPUCheckWithoutGPU(t *testing.T) {
	t.Chdir(t.TempDir())
	o := call(t, "", "gpu-check", "--device", "cuda:1023")
	if o.status != statusFailed || !strings.Contains(o.stderr, "device cuda:1023 is not available: ") || o.stdout != "" {
		t.Errorf("without that GPU: %v", o)
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if o := call(t, "", "gpu-check", "--part", "another"); o.status != statusFailed || !strings.Contains(o.stderr, `there is no part "another"`) {
		t.Errorf("another part: %v", o)
	}
}

func TestGPUCheckArguments(t *testing.T) {
	for _, tc := range []struct {
		args []string
		says string
	}{
		{[]string{"--device", "cpu"}, `--device "cpu": write a GPU without options, as in cuda:0`},
		{[]string{"--device", "cuda:0,fused"}, "write a GPU without options"},
		{[]string{"--device", "cuda:x"}, "--device: "},
		{[]string{"--only", "nothing"}, `no check's name begins with "nothing"; the groups are `},
		{[]string{"--skip", "nothing"}, `no check's name begins with "nothing"`},
		{[]string{"--only", "sanitizer", "--quick"}, "nothing is left to check"},
		{[]string{"--limit", "0s"}, "--limit 0s: write a time above zero, as in 9m"},
		{[]string{"--limit", "9"}, `--limit "9": `},
		{[]string{"extra"}, "gpu-check takes flags alone"},
	} {
		o := call(t, "", append([]string{"gpu-check"}, tc.args...)...)
		if o.status != statusUsage || !strings.Contains(o.stderr, tc.says) {
			t.Errorf("%q: %v, want %q", tc.args, o, tc.says)
		}
	}
}

func TestGPUCheckList(t *testing.T) {
	o := call(t, "", "gpu-check", "--list", "--only", "faults")
	want := `faults      no driver
faults      driver too old for the PTX
faults      driver too old for the library
faults      library missing
faults      no such ordinal
faults      out of memory
faults      kernel does not compile
faults      illegal address
faults      launch failure
faults      time limit
faults      out of bounds write
faults      endless kernel
faults      worker killed
`
	if o.status != statusOK || o.stdout != want || o.stderr != "" {
		t.Errorf("the faults are %v", o)
	}
	all := call(t, "", "gpu-check", "--list")
	if n := strings.Count(all.stdout, "\n"); n < 80 || !strings.Contains(all.stdout, "bits        bits/products/float64/separate\n") {
		t.Errorf("%d checks are listed: %v", n, all)
	}
}

func TestCommitOf(t *testing.T) {
	if got := commitOf("0123abc"); got != "0123abc" {
		t.Errorf("the commit that was given is %q", got)
	}
	if got := commitOf(""); got == "" {
		t.Error("there is no commit, and none is said")
	}
	before := commit
	t.Cleanup(func() { commit = before })
	commit = "fedcba987654"
	if got := commitOf(""); got != "fedcba987654" {
		t.Errorf("the commit that was linked in is %q", got)
	}
}
