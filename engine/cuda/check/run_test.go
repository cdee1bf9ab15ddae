package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"workbench/assets"
)

// entry is a check of a test's own.
func entry(name string, run func(ctx context.Context, m *Machine, f *Findings) error) Entry {
	return Entry{Group: "test", Name: name, Quick: true, run: run}
}

func run(t *testing.T, o Options, entries ...Entry) *Report {
	t.Helper()
	o.Commit, o.Command = "0123456789ab", "workbench gpu-check"
	return Run(t.Context(), standinMachine(&wrong{}), entries, o)
}

func TestRun(t *testing.T) {
	var told []string
	r := run(t, Options{
		Now:   func() time.Time { return time.Date(2026, 1, 31, 13, 0, 0, 5, time.FixedZone("", 3600)) },
		Begin: func(e Entry) { told = append(told, "begin "+e.Name) },
		End: func(e Entry, o Outcome, _ time.Duration) {
			told = append(told, fmt.Sprintf("end %s %v", o.Name, o.Passed))
		},
	},
		entry("one", func(_ context.Context, _ *Machine, f *Findings) error {
			f.saw("%d values", 3)
			f.saw("all well")
			f.figure("bare", "µs", sample{3.99999999, 4.00000001}, "")
			f.figure("request", "µs", sample{5, 4, 6}, "bare")
			return nil
		}),
		entry("two", func(_ context.Context, _ *Machine, f *Findings) error {
			f.saw("the first half")
			return errors.New("value [1, 2] is wrong")
		}),
		entry("three", func(context.Context, *Machine, *Findings) error {
			return fmt.Errorf("asking: %w", &SkippedError{Reason: "there is none here"})
		}),
		entry("four", func(context.Context, *Machine, *Findings) error { panic("a fault of the check") }),
	)
	want := []Outcome{
		{Name: "one", Passed: true, Detail: "3 values; all well"},
		{Name: "two", Detail: "value [1, 2] is wrong\nbefore that: the first half"},
		{Name: "three", Skipped: "there is none here"},
	}
	if !slices.Equal(r.Checks[:3], want) {
		t.Errorf("the outcomes are %+v", r.Checks[:3])
	}
	if o := r.Checks[3]; o.Passed || !strings.HasPrefix(o.Detail, "it panicked: a fault of the check\n") {
		t.Errorf("a check that panics: %+v", o)
	}
	if !slices.Equal(r.Figures, []Figure{{Name: "bare", Value: 4, Unit: "µs", Spread: 1e-08}, {Name: "request", Value: 5, Unit: "µs", Spread: 1, Peer: "bare", Ratio: 1.25}}) {
		t.Errorf("the figures are %+v", r.Figures)
	}
	if got := r.Date.Format(time.RFC3339Nano); got != "2026-01-31T12:00:00Z" {
		t.Errorf("the date is %s", got)
	}
	if tally := r.Tally(); tally != (Tally{Passed: 1, Failed: 2, Skipped: 1}) || r.Passed() {
		t.Errorf("counted %+v, passed %v", tally, r.Passed())
	}
	if want := []string{"begin one", "end one true", "begin two", "end two false", "begin three", "end three false", "begin four", "end four false"}; !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
}

func TestPassed(t *testing.T) {
	fine := entry("fine", func(context.Context, *Machine, *Findings) error { return nil })
	skipped := entry("skipped", func(context.Context, *Machine, *Findings) error { return &SkippedError{"no"} })
	if r := run(t, Options{}, fine, skipped); !r.Passed() {
		t.Error("a check that is skipped fails a report")
	}
	if r := run(t, Options{}, skipped); r.Passed() {
		t.Error("a report without a check that passed passes")
	}
}

// A figure that is no measurement fails the check that measured it, and is not
// in the report.
func TestBadFigures(t *testing.T) {
	for name, f := range map[string]Figure{
		"it is NaN":           {Name: "a", Unit: "µs", Value: math.NaN()},
		"it is infinite":      {Name: "a", Unit: "µs", Value: math.Inf(1)},
		"its spread is NaN":   {Name: "a", Unit: "µs", Spread: math.NaN()},
		"a negative spread":   {Name: "a", Unit: "µs", Spread: -1},
		"no unit":             {Name: "a"},
		"no name":             {Unit: "µs"},
		"no such peer":        {Name: "a", Unit: "µs", Value: 1, Peer: "b"},
		"its own peer":        {Name: "a", Unit: "µs", Value: 1, Peer: "a"},
		"a peer in ms":        {Name: "a", Unit: "µs", Value: 1, Peer: "ms"},
		"a peer that is zero": {Name: "a", Unit: "µs", Value: 1, Peer: "zero"},
		"measured twice":      {Name: "zero", Unit: "µs", Value: 1},
	} {
		r := run(t, Options{}, entry("x", func(_ context.Context, _ *Machine, into *Findings) error {
			into.figure("ms", "ms", sample{1}, "")
			into.figure("zero", "µs", sample{0}, "")
			into.figures = append(into.figures, f)
			return nil
		}))
		if r.Checks[0].Passed || len(r.Figures) != 2 {
			t.Errorf("%s: %+v, figures %+v", name, r.Checks[0], r.Figures)
		}
	}
}

func TestLimits(t *testing.T) {
	waits := entry("waits", func(ctx context.Context, _ *Machine, f *Findings) error {
		<-ctx.Done()
		f.saw("half of it")
		return ctx.Err()
	})
	waits.limit = time.Millisecond
	fine := entry("fine", func(context.Context, *Machine, *Findings) error { return nil })
	r := run(t, Options{}, waits, fine)
	if o := r.Checks[0]; o.Passed || !strings.HasPrefix(o.Detail, "it may take 1ms: context deadline exceeded") || !strings.Contains(o.Detail, "half of it") {
		t.Errorf("a check past its limit: %+v", o)
	}
	if !r.Checks[1].Passed {
		t.Errorf("the check behind it: %+v", r.Checks[1])
	}

	waits.limit = time.Minute
	r = run(t, Options{Total: 20 * time.Millisecond}, fine, waits, fine)
	for i, want := range []string{"", "the whole list may take 20ms: context deadline exceeded", "it was not run: the whole list may take 20ms"} {
		if o := r.Checks[i]; o.Passed != (want == "") || !strings.HasPrefix(o.Detail, want) {
			t.Errorf("check %d of a list past its time: %+v", i, o)
		}
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	stop := entry("stop", func(context.Context, *Machine, *Findings) error { cancel(errors.New("interrupted")); return nil })
	r = Run(ctx, standinMachine(&wrong{}), []Entry{fine, stop, fine}, Options{})
	if len(r.Checks) != 3 || !r.Checks[0].Passed || r.Checks[2].Passed || r.Checks[2].Detail != "it was not run: interrupted" {
		t.Errorf("a list that was interrupted: %+v", r.Checks)
	}
}

// What the package writes, the pages read, field by field.
func TestReportIsAMeasurement(t *testing.T) {
	r := run(t, Options{},
		entry("passed", func(_ context.Context, _ *Machine, f *Findings) error {
			f.saw("values < 1 & more")
			f.figure("bare", "µs", sample{1.23456789, 3, 5.5}, "")
			f.figure("request", "µs", sample{1e-7, 7.0 / 3, 1e9}, "bare")
			return nil
		}),
		entry("failed", func(context.Context, *Machine, *Findings) error { return errors.New("no") }),
		entry("skipped", func(context.Context, *Machine, *Findings) error { return &SkippedError{"not here"} }),
	)
	path := filepath.Join(t.TempDir(), FileName(r.GPU))
	if err := r.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := assets.ParseMeasurement(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got, want := fmt.Sprintf("%+v", *m), fmt.Sprintf("%+v", *r); got != want {
		t.Errorf("read back\n%s\nwant\n%s", got, want)
	}
	if !bytes.Contains(text, []byte("values < 1 & more")) {
		t.Errorf("the file is not for people:\n%s", text)
	}
	for _, gpu := range []string{"NVIDIA H200", "Tesla V100-SXM2-16GB", "a/b\\c", "Grafik–Karte ü 1"} {
		if got, want := FileName(gpu), assets.MeasurementFile(gpu); got != want {
			t.Errorf("the file of %q is written as %q and read as %q", gpu, got, want)
		}
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "gpu.json")
	if err := os.WriteFile(path, []byte("of before"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A number that JSON cannot hold stops the writing half way.
	bad := &Report{Figures: []Figure{{Value: math.NaN()}}}
	if err := bad.WriteFile(path); err == nil {
		t.Error("a report that cannot be written was written")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "of before" {
		t.Errorf("after a failure the file holds %q, %v", text, err)
	}
	if err := (&Report{}).WriteFile(path); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(text, []byte("{\n  \"gpu\"")) {
		t.Errorf("the file holds %q, %v", text, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if err := (&Report{}).WriteFile(filepath.Join(dir, "missing", "gpu.json")); err == nil {
		t.Error("a file was written into a folder that is not there")
	}
}

func TestSelect(t *testing.T) {
	list := []Entry{{Group: "faults", Name: "no driver", Quick: true}, {Group: "faults", Name: "time limit"}, {Group: "bits", Name: "bits/a", Quick: true}, {Group: "bits", Name: "bits/b"},
		{Group: "library", Name: "library/a"}, {Group: "faults", Name: "library missing"}}
	for _, tc := range []struct {
		only, skip []string
		quick      bool
		want       string
	}{
		{want: "no driver, time limit, bits/a, bits/b, library/a, library missing"},
		{quick: true, want: "no driver, bits/a"},
		{only: []string{"faults"}, want: "no driver, time limit, library missing"},
		{only: []string{"bits/b", "no dr"}, want: "no driver, bits/b"},
		{only: []string{"bits"}, skip: []string{"bits/a"}, want: "bits/b"},
		{skip: []string{"faults"}, want: "bits/a, bits/b, library/a"},
		{only: []string{"library"}, want: "library/a"}, // the group, and no fault whose name begins so
		{only: []string{"library "}, want: "library missing"},
	} {
		chosen, err := Select(list, tc.only, tc.skip, tc.quick)
		var names []string
		for _, e := range chosen {
			names = append(names, e.Name)
		}
		if got := strings.Join(names, ", "); err != nil || got != tc.want {
			t.Errorf("only %q, skip %q, quick %v: %s, %v; want %s", tc.only, tc.skip, tc.quick, got, err, tc.want)
		}
	}
	if _, err := Select(list, []string{"bit/"}, nil, false); err == nil || !strings.Contains(err.Error(), `no check's name begins with "bit/"; the groups are faults, bits, library`) {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := Select(list, []string{"bits/b"}, nil, true); err == nil {
		t.Error("nothing to check is fine")
	}
	if _, err := Select(list, []string{""}, nil, false); err == nil {
		t.Error("an empty name chooses")
	}
}

// Every check has a name of its own, and a quick run is a part.
func TestList(t *testing.T) {
	seen := map[string]bool{}
	quick := 0
	for _, e := range List() {
		if seen[e.Name] || e.Name == "" || e.Group == "" || e.run == nil {
			t.Errorf("the entry %+v", e)
		}
		seen[e.Name] = true
		if e.Quick {
			quick++
		}
	}
	if quick == 0 || quick >= len(seen) {
		t.Errorf("%d of %d checks are quick", quick, len(seen))
	}
}

func TestWriteText(t *testing.T) {
	r := run(t, Options{},
		entry("fine", func(_ context.Context, _ *Machine, f *Findings) error {
			f.figure("bare", "µs", sample{4}, "")
			f.figure("request", "µs", sample{5}, "bare")
			return nil
		}),
		entry("bad", func(context.Context, *Machine, *Findings) error { return errors.New("one\ntwo") }),
		entry("skipped", func(context.Context, *Machine, *Findings) error { return &SkippedError{"not here"} }))
	r.Date = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `Stand-in 1, driver 580.1, CUDA 13.0
2026-01-31 12:00 UTC, commit 0123456789ab

figure   median  spread  beside
bare     4 µs    0
request  5 µs    0       1.250 of bare

skipped: skipped
  not here

failed: bad
  one
  two

1 of 3 checks passed, 1 failed, 1 skipped
`
	if b.String() != want {
		t.Errorf("the text is\n%s\nwant\n%s", b.String(), want)
	}
}

func TestSample(t *testing.T) {
	for _, tc := range []struct {
		s              sample
		median, spread float64
	}{
		{sample{3}, 3, 0}, {sample{4, 1}, 2.5, 1.5}, {sample{5, 1, 3, 2, 4}, 3, 2}, {sample{1, 1, 1, 100}, 1, 24.75},
	} {
		if tc.s.median() != tc.median || tc.s.spread() != tc.spread {
			t.Errorf("%v: median %v, spread %v; want %v, %v", tc.s, tc.s.median(), tc.s.spread(), tc.median, tc.spread)
		}
	}
	if !math.IsNaN(sample(nil).median()) {
		t.Error("nothing has a median")
	}
	calls := 0
	s, err := repeat(20, func() error { calls++; return nil })
	if err != nil || len(s) != 20 || calls != 23 || !(s.median() >= 0) {
		t.Errorf("%d values of %d calls, %v", len(s), calls, err)
	}
	fails := errors.New("no")
	if _, err := repeat(3, func() error { return fails }); err != fails {
		t.Errorf("a call that fails: %v", err)
	}
}
