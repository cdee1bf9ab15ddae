//go:build amd64 || arm64

package library

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"workbench/engine/cuda/nvidia"
)

// forget makes the next Open search again.
func forget(t *testing.T) {
	t.Helper()
	reset := func() { opened.libraries = [CUBLAS + 1]*Library{} }
	reset()
	t.Cleanup(reset)
}

// shared compiles C to a shared object.
func shared(t *testing.T, path, source string, options ...string) {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc makes the shared objects of this test, and is not installed")
	}
	file := filepath.Join(t.TempDir(), "source.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := slices.Concat([]string{"-shared", "-fPIC", "-o", path, file}, options)
	if out, err := exec.Command(cc, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
}

// alone makes dir the only folder of libraries, and the next Open search it.
func alone(t *testing.T, dir string) {
	t.Helper()
	t.Setenv(DirVariable, dir)
	t.Setenv(OnlyVariable, "1")
	forget(t)
}

func missing(t *testing.T, err error) *nvidia.MissingError {
	t.Helper()
	var m *nvidia.MissingError
	if !errors.As(err, &m) {
		t.Fatalf("got %v, want a *nvidia.MissingError", err)
	}
	return m
}

func TestGivenFolderWins(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "libnvrtc.so.12")
	shared(t, path, "int nvrtcVersion(void) { return 12; }")
	t.Setenv(DirVariable, dir)
	forget(t)

	l, err := Open(NVRTC)
	if err != nil {
		t.Fatal(err)
	}
	if l.Path() != path {
		t.Errorf("opened %s, want %s", l.Path(), path)
	}
	if address, err := l.Symbol("nvrtcVersion"); err != nil || address == 0 {
		t.Errorf("nvrtcVersion is at %#x: %v", address, err)
	}
	if l.Has("nvrtcNothing") || !l.Has("nvrtcVersion") {
		t.Error("Has does not tell which functions are there")
	}
	_, err = l.Symbol("nvrtcNothing")
	if m := missing(t, err); m.Library != "NVRTC" || !strings.Contains(m.Reason, "nvrtcNothing") || !strings.Contains(m.Reason, path) {
		t.Errorf("the error of a function that is not there is %q", err)
	}

	// Once in a process: what the environment says later changes nothing.
	t.Setenv(DirVariable, t.TempDir())
	if again, err := Open(NVRTC); again != l || err != nil {
		t.Errorf("the second time it is %v (%v), want the first one", again, err)
	}
}

func TestSearchGoesOn(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "libnvrtc.so.13"), []byte("<html>not found</html>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Of another processor: byte 18 of an ELF file says which.
	foreign := filepath.Join(dir, "libnvrtc.so.12")
	shared(t, foreign, "int nvrtcVersion(void) { return 12; }")
	elf, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	elf[18], elf[19] = 2, 0 // SPARC
	if err := os.WriteFile(foreign, elf, 0o600); err != nil {
		t.Fatal(err)
	}
	alone(t, dir)

	_, err = Open(NVRTC)
	m := missing(t, err)
	why := map[string]string{}
	for _, tried := range m.Tried {
		why[filepath.Base(tried.Path)] = tried.Why
		if strings.Contains(tried.Why, dir) {
			t.Errorf("the loader's message repeats the path: %q", tried.Why)
		}
	}
	if len(why) != 4 {
		t.Errorf("tried %v, want 4 names", m.Tried)
	}
	if w := why["libnvrtc.so.13"]; !strings.Contains(w, "file too short") && !strings.Contains(w, "invalid ELF header") {
		t.Errorf("of a file that is no library: %q", w)
	}
	for _, name := range []string{"libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"} {
		if !strings.Contains(why[name], "cannot open shared object file") {
			t.Errorf("of %s: %q", name, why[name])
		}
	}

	// A failure is not kept: when a good file comes, it is found behind the bad ones.
	good := filepath.Join(dir, "libnvrtc.so.11.2")
	shared(t, good, "int nvrtcVersion(void) { return 11; }")
	if l, err := Open(NVRTC); err != nil || l.Path() != good {
		t.Errorf("got %v, %v", l, err)
	}
}

func TestEverythingTriedIsListed(t *testing.T) {
	if _, err := exec.LookPath("nvidia-smi"); err == nil {
		t.Skip("this machine may have the libraries, and the test is of one without")
	}
	folder := t.TempDir()
	t.Setenv(DirVariable, filepath.Join(folder, "not-there"))
	t.Setenv("CONDA_PREFIX", folder)
	t.Setenv("CUDA_PATH", filepath.Join(folder, "toolkit"))
	forget(t)
	_, err := Open(CUBLAS)
	if err == nil {
		t.Skip("this machine has cuBLAS, and the test is of one without")
	}
	m := missing(t, err)
	if m.Library != "cuBLAS" {
		t.Errorf("the error is of %s", m.Library)
	}
	text := err.Error()
	for _, line := range []string{
		"cuBLAS was not found; tried",
		"  " + filepath.Join(folder, "not-there") + ": no such folder",
		"  libcublas.so.13: not loaded by this process yet",
		"  " + filepath.Join(folder, "toolkit") + ": no such folder",
		"  libcublas.so.12: cannot open shared object file: No such file or directory",
		"  libcublas.so: cannot open shared object file: No such file or directory",
	} {
		if strings.Count(text+"\n", line+"\n") != 1 {
			t.Errorf("the message has %d lines %q:\n%s", strings.Count(text, line), line, text)
		}
	}
}

func TestNoFolderAlone(t *testing.T) {
	alone(t, "")
	_, err := Open(NVRTC)
	if m := missing(t, err); !strings.Contains(m.Reason, DirVariable) {
		t.Errorf("the reason is %q", m.Reason)
	}
}

func TestAlreadyLoaded(t *testing.T) {
	name := "libcublas.so.11"
	if _, err := dlopen(name, 1|noLoad); err == nil {
		t.Skip("this process has loaded cuBLAS")
	}
	path := filepath.Join(t.TempDir(), "other.so")
	shared(t, path, "int cublasHere(void) { return 1; }", "-Wl,-soname,"+name)
	if _, err := dlopen(path, 1); err != nil {
		t.Fatal(err)
	}
	t.Setenv(DirVariable, "")
	forget(t)
	l, err := Open(CUBLAS)
	if err != nil {
		t.Fatal(err)
	}
	if l.Path() != name || !l.Has("cublasHere") {
		t.Errorf("opened %s, want what was loaded", l.Path())
	}
}

// TestCompanion has a library that needs a function of its companion and does
// not say so itself, as in an installation without a run path.
func TestCompanion(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "libcublas.so.13")
	// A name of its own: what one run of the test loads, the next one finds.
	companion := fmt.Sprintf("cublasLtHere%d", time.Now().UnixNano())
	shared(t, path, fmt.Sprintf("int %[1]s(void); int cublasHere(void) { return %[1]s(); }", companion))
	alone(t, dir)
	_, err := Open(CUBLAS)
	if m := missing(t, err); len(m.Tried) == 0 || !strings.Contains(m.Tried[0].Why, companion) {
		t.Fatalf("without its companion: %v", err)
	}
	shared(t, filepath.Join(dir, "libcublasLt.so.13"), fmt.Sprintf("int %s(void) { return 1; }", companion))
	if l, err := Open(CUBLAS); err != nil || l.Path() != path {
		t.Errorf("with its companion: %v, %v", l, err)
	}
}

func TestNamedDriver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.so")
	t.Setenv(DriverVariable, path)
	forget(t)
	_, err := Open(Driver)
	if m := missing(t, err); m.Library != "driver" || len(m.Tried) != 1 || m.Tried[0].Path != path {
		t.Fatalf("without the file: %v", err)
	}
	shared(t, path, "int cuInit(void) { return 0; }")
	if l, err := Open(Driver); err != nil || l.Path() != path || !l.Has("cuInit") {
		t.Errorf("with the file: %v, %v", l, err)
	}
}

func TestConcurrentOpen(t *testing.T) {
	dir := t.TempDir()
	shared(t, filepath.Join(dir, "libnvrtc.so.13"), "int nvrtcVersion(void) { return 13; }")
	alone(t, dir)
	got := make(chan *Library)
	for range 8 {
		go func() {
			l, _ := Open(NVRTC)
			got <- l
		}()
	}
	first := <-got
	for range 7 {
		if l := <-got; l == nil || l != first {
			t.Errorf("got %v and %v", first, l)
		}
	}
}
