package fake_test

import (
	"bytes"
	"runtime"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvidia/conform"
)

// open opens a machine's driver on a thread of the test's own.
func open(t *testing.T, c fake.Config) (*fake.Machine, nvidia.Driver) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	m := fake.New(c)
	d, err := m.Driver()
	if err != nil {
		t.Fatal(err)
	}
	return m, d
}

func TestConformance(t *testing.T) {
	m, d := open(t, fake.Config{Devices: fake.GPUs(2)})
	tally := conform.Run(d, 1, func(name string, err error) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	if tally.Passed == 0 {
		t.Errorf("no case was passed: %+v", tally)
	}
	if got := m.Holds(1); got != (fake.Holdings{}) {
		t.Errorf("the device still holds %+v", got)
	}
}

func TestConformanceSticky(t *testing.T) {
	for _, c := range conform.Sticky() {
		t.Run(c.Name, func(t *testing.T) {
			_, d := open(t, fake.Config{})
			if err := conform.Attempt(c, d, 0); err != nil {
				t.Error(err)
			}
			// Nothing works any more in the process, and a new context does not
			// help.
			if _, err := d.Open(0); err == nil {
				t.Error("after an error that stays the device was opened again")
			}
		})
	}
}

func TestConformancePrint(t *testing.T) {
	var out bytes.Buffer
	_, d := open(t, fake.Config{Output: &out})
	if err := conform.Print(d, 0, 42); err != nil {
		t.Fatal(err)
	}
	if out.String() != "conform_print 42\n" {
		t.Errorf("the kernel printed %q", out.String())
	}
}
