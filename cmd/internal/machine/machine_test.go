package machine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"workbench/engine/device"
)

// fake is a machine whose programs are those of the map, each with what it
// prints as its version; "!" in front makes it fail.
func fake(programs map[string]string) Surroundings {
	return Surroundings{
		OS: "linux", Arch: "amd64", CPUs: 2,
		LookPath: func(name string) (string, error) {
			if _, ok := programs[filepath.Base(name)]; !ok || filepath.IsAbs(name) {
				return "", errors.New("not found")
			}
			return "/bin/" + name, nil
		},
		Output: func(_ context.Context, path string, _ ...string) (string, error) {
			printed := programs[filepath.Base(path)]
			if reason, failed := strings.CutPrefix(printed, "!"); failed {
				return "", errors.New(reason)
			}
			return printed, nil
		},
	}
}

func finding(t *testing.T, findings []Finding, name string) Finding {
	t.Helper()
	for _, f := range findings {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("nothing is said of %s", name)
	return Finding{}
}

func TestExamineTools(t *testing.T) {
	for _, c := range []struct {
		name     string
		programs map[string]string
		finding  string
		status   Status
		detail   string
	}{
		{"go", map[string]string{"go": "go version go1.26.8 linux/amd64\n"}, "go", Present, "1.26.8 (/bin/go)"},
		{"a newer go", map[string]string{"go": "go version go2.0 linux/amd64\n"}, "go", Present, "2.0 (/bin/go)"},
		{"an old go", map[string]string{"go": "go version go1.19.8 linux/amd64\n"}, "go", Missing, "1.19.8 (/bin/go) is too old"},
		{"no go", nil, "go", Missing, "cannot be built or tested"},
		{"node", map[string]string{"node": "v20.20.2\n"}, "node", Present, "v20.20.2 (/bin/node)"},
		{"an old node", map[string]string{"node": "v12.22.12\n"}, "node", Missing, "too old"},
		{"npm", map[string]string{"npm": "11.19.1\n"}, "npm", Present, "11.19.1"},
		{"chromium by its other name", map[string]string{"google-chrome": "Google Chrome 126.0.6478.61\n"}, "chromium", Present, "126.0.6478.61 (/bin/google-chrome)"},
		{"a chromium that does not start", map[string]string{"chromium": "!exit status 1\nmore"}, "chromium", Missing, "/bin/chromium does not start (exit status 1): the pages"},
		{"a broken one before a good one", map[string]string{"chromium": "!exit status 1", "chrome": "Chromium 130.1"}, "chromium", Present, "130.1 (/bin/chrome)"},
		{"gcc", map[string]string{"gcc": "12.2.0\n"}, "gcc", Present, "12.2.0"},
		{"qemu", map[string]string{"qemu-aarch64": "qemu-aarch64 version 7.2.15 (Debian)\n"}, "qemu", Present, "7.2.15"},
		{"a program that says nothing", map[string]string{"gcc": ""}, "gcc", Present, "/bin/gcc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := finding(t, Examine(t.Context(), fake(c.programs)), c.finding)
			if f.Status != c.status || !strings.Contains(f.Detail, c.detail) {
				t.Errorf("%s: %s, want %s: %s", f.Status, f.Detail, c.status, c.detail)
			}
			if (f.Status == Missing) != (f.Next != "") {
				t.Errorf("%s with the next step %q", f.Status, f.Next)
			}
		})
	}
}

func TestExamineRest(t *testing.T) {
	s := fake(nil)
	s.CPUs = 1
	s.Devices = []device.Info{
		{Spec: "cpu", Name: "CPU", Available: true},
		{Spec: "cuda:0", Name: "CUDA GPU 0", Reason: "no driver", Next: "install one"},
	}
	findings := Examine(t.Context(), s)
	for _, want := range []Finding{
		{Topic: "machine", Name: "system", Status: Present, Detail: "linux/amd64, 1 processor"},
		{Topic: "devices", Name: "cpu", Status: Present, Detail: "CPU"},
		{Topic: "devices", Name: "cuda:0", Status: Missing, Detail: "no driver; the rest of the course runs without it", Next: "install one"},
	} {
		if got := finding(t, findings, want.Name); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if f := finding(t, findings, "vectors"); f.Status != Note {
		t.Errorf("a processor without vectors: %+v", f)
	}
	if f := finding(t, findings, "bundle"); f.Status != Missing || f.Next == "" {
		t.Errorf("no bundle: %+v", f)
	}
	s.Bundle, s.Features = true, []string{"AVX2", "FMA"}
	findings = Examine(t.Context(), s)
	if f := finding(t, findings, "vectors"); f.Detail != "AVX2, FMA" {
		t.Errorf("vectors: %+v", f)
	}
	if f := finding(t, findings, "bundle"); f.Status != Present {
		t.Errorf("bundle: %+v", f)
	}
}

// Real has to find the Go that runs this test.
func TestReal(t *testing.T) {
	s := Real()
	if s.CPUs < 1 || s.OS == "" || s.Arch == "" {
		t.Errorf("the machine is unknown: %+v", s)
	}
	if _, err := s.LookPath("go"); err != nil {
		t.Skip("no go in PATH: the test program runs by itself")
	}
	if f := finding(t, Examine(t.Context(), s), "go"); f.Status != Present {
		t.Errorf("go: %+v", f)
	}
}

func TestRoot(t *testing.T) {
	top := t.TempDir()
	repository := filepath.Join(top, "course of mine")
	below := filepath.Join(repository, "engine", "cpu")
	other := filepath.Join(top, "other")
	for _, dir := range []string{below, other} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write := func(dir, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(repository, "module workbench\n\ngo 1.26\n")
	write(other, "module workbenches\n")
	for _, c := range []struct {
		courseRoot, dir, want string
	}{
		{"", below, repository},
		{"", repository, repository},
		{repository, other, repository},
		{other, below, repository}, // COURSE_ROOT of something else is no answer
		{"", other, ""},
	} {
		got, ok := Root(c.courseRoot, c.dir)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Root(%q, %q) = %q, %v, want %q", c.courseRoot, c.dir, got, ok, c.want)
		}
	}
}
