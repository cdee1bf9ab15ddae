package check

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// The kernels of the checks compile, for old GPUs and new ones, without a word
// from the compiler.
func TestKernelsCompile(t *testing.T) {
	c, err := nvrtc.New()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) {
		t.Skip("no NVRTC is there to compile with")
	}
	if err != nil {
		t.Fatal(err)
	}
	known, err := c.Architectures()
	if err != nil {
		t.Fatal(err)
	}
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		for _, capability := range []int{known[0], 75, 90} {
			k := kernel("check_add")
			k.Contract = contract
			_, log, err := compile.Compile(c, "", k, nvidia.Device{Name: "a GPU", Major: capability / 10, Minor: capability % 10})
			if err != nil || strings.TrimSpace(log) != "" {
				t.Errorf("%s for %d: %v, %s", contract, capability, err, log)
			}
		}
	}

	k := kernel("check_add")
	k.Source = doesNot
	_, _, err = compile.Compile(c, "", k, nvidia.Device{Name: "a GPU", Major: 9})
	if err := refusedAt(err); err != nil {
		t.Error(err)
	}
}

// compiles has NVRTC, if it is there, compile a kernel for a GPU of today.
func compiles(t *testing.T, file, source, symbol string) {
	t.Helper()
	c, err := nvrtc.New()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) {
		t.Skip("no NVRTC is there to compile with")
	}
	if err != nil {
		t.Fatal(err)
	}
	_, log, err := compile.Compile(c, "", launch.Kernel{File: file, Source: source, Symbol: symbol}, nvidia.Device{Name: "a GPU", Major: 9})
	if err != nil || strings.TrimSpace(log) != "" {
		t.Errorf("%s: %v, %s", file, err, log)
	}
}

// Every kernel that a check names is in the source, and every one of the source
// is launched.
func TestKernelNames(t *testing.T) {
	declared := map[string]bool{}
	for _, found := range regexp.MustCompile(`extern "C" __global__ void (\w+)\(`).FindAllStringSubmatch(kernelSource, -1) {
		declared[found[1]] = false
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(declared) == 0 {
		t.Fatal(err, len(declared))
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`"(check_\w+)"`).FindAllStringSubmatch(string(text), -1) {
			if _, ok := declared[found[1]]; !ok {
				t.Errorf("%s names the kernel %s, which the source does not have", name, found[1])
			}
			declared[found[1]] = true
		}
	}
	for symbol, launched := range declared {
		if !launched {
			t.Errorf("nothing launches %s", symbol)
		}
	}
}
