package compile

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/prelude"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// testdata/messages holds sources, what versions of NVRTC wrote of each
// (scale.nvrtc-11.8.log), and how that is read (scale.nvrtc-11.8.golden).
const messages = "testdata/messages"

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func golden(list []launch.Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "line %d, column %d: %s: %s\n", d.Line, d.Column, d.Severity, d.Message)
		if d.Source != "" {
			fmt.Fprintf(&b, "\t%q\n", d.Source)
		}
	}
	return b.String()
}

// logs returns the recorded logs.
func logs(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(messages, "*.log"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no logs in %s: %v", messages, err)
	}
	return names
}

// sourceOf returns the source that a recorded log is of.
func sourceOf(log string) string {
	topic, _, _ := strings.Cut(filepath.Base(log), ".")
	return filepath.Join(messages, topic+".cu")
}

func TestMessages(t *testing.T) {
	for _, name := range logs(t) {
		file := sourceOf(name)
		got := golden(diagnostics(filepath.Base(file), readFile(t, file), readFile(t, name)))
		want := strings.TrimSuffix(name, ".log") + ".golden"
		if *update {
			if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if text := readFile(t, want); got != text {
			t.Errorf("%s is read as\n%s\nwant\n%s", filepath.Base(name), got, text)
		}
	}
}

// record compiles a source of testdata/messages with the NVRTC that is here.
func record(t *testing.T, c nvidia.Compiler, file string) (log string) {
	t.Helper()
	_, log, err := c.Compile(filepath.Base(file), readFile(t, file), prelude.Headers(),
		append(Options(device.Separate), "--gpu-architecture=sm_80"))
	var refused *nvidia.CompileError
	switch {
	case errors.As(err, &refused):
		return refused.Log
	case err != nil:
		t.Fatal(err)
	}
	return log
}

// The NVRTC that is here writes messages that are read too, whichever it is.
func TestMessagesOfNVRTC(t *testing.T) {
	c := Installed(t)
	major, minor, err := c.Version()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(messages, "*.cu"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources in %s: %v", messages, err)
	}
	for _, file := range files {
		log := record(t, c, file)
		recorded := fmt.Sprintf("%s.nvrtc-%d.%d.log", strings.TrimSuffix(file, ".cu"), major, minor)
		if *update {
			if err := os.WriteFile(recorded, []byte(log), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := os.Stat(recorded); err == nil {
			if want := readFile(t, recorded); log != want {
				t.Errorf("NVRTC %d.%d writes of %s\n%s\nand wrote\n%s", major, minor, filepath.Base(file), log, want)
			}
			continue
		}
		// A version that was not seen before: its words may differ, what it
		// finds and where must be what another found. It may be silent where
		// others warn, as 13.0 is of recursion.
		got := findings(t, file, log)
		others, err := filepath.Glob(strings.TrimSuffix(file, ".cu") + ".*.log")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(others, func(name string) bool {
			found := findings(t, file, readFile(t, name))
			warnings := !slices.ContainsFunc(found, func(f string) bool { return !strings.HasSuffix(f, ": warning") })
			return slices.Equal(found, got) || len(got) == 0 && warnings
		}) {
			t.Errorf("NVRTC %d.%d: in %s %v, which no version recorded found; its log:\n%s", major, minor, filepath.Base(file), got, log)
		}
	}
}

// findings are the lines and severities of a log's messages.
func findings(t *testing.T, file, log string) (out []string) {
	for _, d := range diagnostics(filepath.Base(file), readFile(t, file), log) {
		out = append(out, fmt.Sprintf("line %d: %s", d.Line, d.Severity))
	}
	return out
}

// Installed returns NVRTC, or skips the test where there is none.
func Installed(t *testing.T) nvidia.Compiler {
	t.Helper()
	c, err := nvrtc.New()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) {
		t.Skipf("needs NVRTC (name its folder in COURSE_CUDA_LIBRARY_DIR): %d places tried; %s", len(missing.Tried), missing.Reason)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Forms of which no record was made.
func TestForms(t *testing.T) {
	source := "one\ntwo\r\nthree"
	for _, c := range []struct{ log, want string }{
		{"", ""},
		{"\n\n  \n", ""},
		{"k.cu(2): error #20: identifier \"two\" is undefined\r\n", "line 2, column 0: error: identifier \"two\" is undefined\n\t\"two\"\n"},
		{"k.cu(3): internal error: assertion failed\n", "line 3, column 0: error: internal error: assertion failed\n\t\"three\"\n"},
		{"k.cu(3): remark #1-D: a remark\n", "line 3, column 0: warning: a remark\n\t\"three\"\n"},
		{"k.cu(4): error: beyond the end\n", "line 4, column 0: error: beyond the end\n"},
		{"k.cu(99999999999999999999): error: no number\n", "line 0, column 0: error: no number\n"},
		{"prelude.h(12): error: in a header\n", "line 0, column 0: error: line 12 of prelude.h: in a header\n"},
		{"nvrtc: error: invalid value for --gpu-architecture (-arch)\n", "line 0, column 0: error: nvrtc: invalid value for --gpu-architecture (-arch)\n"},
		{"ptxas fatal   : Unresolved extern function 'f'\n", "line 0, column 0: error: ptxas: Unresolved extern function 'f'\n"},
		{"At end of source: warning #12: a word\n", "line 3, column 0: warning: at the end of the source: a word\n\t\"three\"\n"},
		{"k.cu(1): error: a\n\nError limit reached.\n1 error detected in the compilation of \"k.cu\".\nCompilation terminated.\n", "line 1, column 0: error: a\n\t\"one\"\n"},
		{"k.cu(1): note #1-D: of nothing\n(2): here\n  goes on\n", ""},
		{"k.cu(1): error: a\n\n  not its own\n", "line 1, column 0: error: a\n\t\"one\"\n"},
		{"k.cu(1): error: a\n  one\n   ^\n   ^\n", "line 1, column 2: error: a\n\t\"one\"\n"},
		{"k.cu(1): error: a\n  one\n ^\n", "line 1, column 0: error: a\n\t\"one\"\n"},
	} {
		if got := golden(diagnostics("k.cu", source, c.log)); got != c.want {
			t.Errorf("%q is read as\n%swant\n%s", c.log, got, c.want)
		}
	}
}

// Whatever a compiler writes, what is read of it can be shown.
func FuzzDiagnostics(f *testing.F) {
	for _, name := range logs(f) {
		f.Add(filepath.Base(sourceOf(name)), readFile(f, sourceOf(name)), readFile(f, name))
	}
	f.Fuzz(func(t *testing.T, file, source, log string) {
		lines := strings.Split(source, "\n")
		for _, d := range diagnostics(file, source, log) {
			if d.Severity != "error" && d.Severity != "warning" || d.Message == "" || d.Line < 0 || d.Column < 0 || d.Column > 0 && d.Line == 0 {
				t.Errorf("%+v", d)
			}
			if d.Source != "" && (d.Line < 1 || d.Line > len(lines) || d.Source != strings.TrimRight(lines[d.Line-1], "\r")) {
				t.Errorf("line %d is not %q", d.Line, d.Source)
			}
			if len(d.Message) > 2*len(log)+100*maxContinuations {
				t.Errorf("a message of %d bytes from a log of %d", len(d.Message), len(log))
			}
		}
	})
}
