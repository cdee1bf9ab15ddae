package native

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvidia/conform"
)

// gpu returns the driver of a machine with a GPU. Without one the test is skipped,
// or with COURSE_REQUIRE_GPU=1 failed.
func gpu(t *testing.T) nvidia.Driver {
	t.Helper()
	d, err := Driver()
	if err == nil {
		_, err = d.Devices()
	}
	if err == nil {
		return d
	}
	if os.Getenv("COURSE_REQUIRE_GPU") == "1" {
		t.Fatal(err)
	}
	t.Skipf("no GPU: %v", err)
	return nil
}

func TestConformGPU(t *testing.T) {
	d := gpu(t)
	version, err := d.Version()
	if err != nil {
		t.Fatal(err)
	}
	devices, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, driver for CUDA %d.%d, through %s", devices[0].Name, version/1000, version%1000/10, Implementation)
	tally := conform.Run(d, 0, func(name string, err error) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			t.Logf("%s: passed", name)
		}
	})
	if tally.Passed == 0 {
		t.Error("no case passed")
	}
}

// child is set in a process that runs one case and ends.
const child = "COURSE_TEST_CASE"

// inChild runs a case of a sticky error in this test's own binary.
func inChild(t *testing.T, name string) string {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
	command.Env = append(os.Environ(), child+"="+name, "GORACE=atexit_sleep_ms=0")
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, &out)
	}
	return out.String()
}

func TestChild(t *testing.T) {
	name := os.Getenv(child)
	if name == "" {
		t.Skip("this is what the tests of sticky errors run in a process of its own")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := gpu(t)
	if name == "print" {
		if err := conform.Print(d, 0, 42); err != nil {
			t.Error(err)
		}
		// Nothing of libc's may be left to its own end.
		return
	}
	for _, c := range conform.Sticky() {
		if c.Name == name {
			if err := conform.Attempt(c, d, 0); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("no case %q", name)
}

func TestStickyGPU(t *testing.T) {
	gpu(t)
	for _, c := range conform.Sticky() {
		if out := inChild(t, c.Name); !strings.Contains(out, "--- PASS: TestChild") {
			t.Errorf("%s did not run:\n%s", c.Name, out)
		}
	}
}

func TestPrintGPU(t *testing.T) {
	gpu(t)
	if out := inChild(t, "print"); !strings.Contains(out, "conform_print 42\n") {
		t.Errorf("the kernel's line is not in the process's output:\n%s", out)
	}
}

func TestNoDriver(t *testing.T) {
	if runtime.GOOS == "linux" {
		t.Skip("of systems without CUDA")
	}
	_, err := Driver()
	var missing *nvidia.MissingError
	if !errors.As(err, &missing) {
		t.Errorf("got %v, want a *nvidia.MissingError", err)
	}
}
