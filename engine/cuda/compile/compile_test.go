package compile_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/prelude"
)

// compiler stands in for NVRTC. Its images name everything they were made from,
// so that one taken for another shows.
type compiler struct {
	major, minor  int
	architectures []int
	err           error
	log           string
	compiled      atomic.Int64
}

func (c *compiler) Version() (int, int, error)    { return c.major, c.minor, nil }
func (c *compiler) Architectures() ([]int, error) { return c.architectures, nil }

func (c *compiler) Compile(file, source string, headers map[string]string, options []string) ([]byte, string, error) {
	c.compiled.Add(1)
	if c.err != nil {
		return nil, "", c.err
	}
	return fmt.Appendf(nil, "%d.%d %s %q %d headers %q", c.major, c.minor, file, source, len(headers), options), c.log, nil
}

func (c *compiler) CompileNamed(file, source string, headers map[string]string, options, expressions []string) (image []byte, lowered []string, log string, err error) {
	image, log, err = c.Compile(file, source, headers, options)
	for _, e := range expressions {
		lowered = append(lowered, "_Z"+e)
	}
	return image, lowered, log, err
}

func nvrtc118() *compiler {
	return &compiler{major: 11, minor: 8, architectures: []int{35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}}
}

func gpu(major, minor int) nvidia.Device {
	return nvidia.Device{Name: fmt.Sprintf("GPU %d.%d", major, minor), Major: major, Minor: minor}
}

var scale = launch.Kernel{File: "scale.cu", Source: "extern \"C\" __global__ void scale(float* x) { x[0] *= 2; }\n", Symbol: "scale"}

func TestArchitecture(t *testing.T) {
	nvrtc13 := &compiler{major: 13, minor: 0, architectures: []int{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}}
	nvrtc12 := &compiler{major: 12, minor: 4, architectures: []int{50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}}
	for _, c := range []struct {
		nvrtc        *compiler
		major, minor int
		want         string // the option's value, or what the error says
	}{
		{nvrtc118(), 9, 0, "sm_90"},
		{nvrtc118(), 7, 0, "sm_70"},
		{nvrtc118(), 3, 5, "sm_35"},
		{nvrtc118(), 10, 0, "compute_90"}, // newer than this NVRTC
		{nvrtc118(), 12, 1, "compute_90"},
		{nvrtc118(), 8, 8, "compute_87"}, // between two that it knows: 89 would not run on it
		{nvrtc13, 12, 1, "sm_121"},
		{nvrtc13, 12, 9, "compute_121"},
		{nvrtc13, 7, 0, "GPU 7.0 has compute capability 7.0, and NVRTC 13.0 compiles for 7.5 and newer: install NVRTC 12, the last that does for this GPU; kernels that are not edited run without it"},
		{nvrtc13, 6, 1, "GPU 6.1 has compute capability 6.1, and NVRTC 13.0 compiles for 7.5 and newer: install NVRTC 12, the last that does for this GPU"},
		{nvrtc12, 3, 7, "GPU 3.7 has compute capability 3.7, and NVRTC 12.4 compiles for 5.0 and newer: install NVRTC 11.8, the last that does for this GPU"},
		{nvrtc118(), 3, 0, "GPU 3.0 has compute capability 3.0, and NVRTC 11.8 compiles for 3.5 and newer: no NVRTC that the workbench can use compiles for this GPU"},
	} {
		before := c.nvrtc.compiled.Load()
		image, _, err := compile.Compile(c.nvrtc, "", scale, gpu(c.major, c.minor))
		if err != nil {
			var unknown *compile.ArchitectureError
			if err.Error() != c.want || !errors.As(err, &unknown) || c.nvrtc.compiled.Load() != before {
				t.Errorf("%d.%d: error %q, want %q", c.major, c.minor, err, c.want)
			}
			continue
		}
		if !bytes.Contains(image, []byte(`"--gpu-architecture=`+c.want+`"`)) {
			t.Errorf("%d.%d: compiled as %s, want %s", c.major, c.minor, image, c.want)
		}
		// The driver reads PTX as text of C.
		if ends := image[len(image)-1] == 0; ends != strings.HasPrefix(c.want, "compute_") {
			t.Errorf("%d.%d: %s ends in a zero byte: %t", c.major, c.minor, c.want, ends)
		}
	}
}

func TestOptions(t *testing.T) {
	for contract, fmad := range map[device.Contract]string{device.Separate: "--fmad=false", device.Fused: "--fmad=true"} {
		k := scale
		k.Contract = contract
		image, _, err := compile.Compile(nvrtc118(), "", k, gpu(9, 0))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("11.8 scale.cu %q %d headers %q", scale.Source, len(prelude.Headers()),
			[]string{"--std=c++17", fmad, "--pre-include=prelude.h", "--gpu-architecture=sm_90", "--generate-line-info"})
		if string(image) != want {
			t.Errorf("%s: %s\nwant %s", contract, image, want)
		}
	}
	k := scale
	k.Contract = 7
	var bad *launch.ArgumentError
	if _, _, err := compile.Compile(nvrtc118(), "", k, gpu(9, 0)); !errors.As(err, &bad) || bad.Field != "contract" {
		t.Errorf("an unknown contract: %v", err)
	}
}

func TestRefused(t *testing.T) {
	c := nvrtc118()
	c.err = &nvidia.CompileError{File: "scale.cu", Log: "scale.cu(1): error: identifier \"y\" is undefined\n\n1 error detected in the compilation of \"scale.cu\".\n"}
	dir := t.TempDir()
	image, log, err := compile.Compile(c, dir, scale, gpu(9, 0))
	var refused *launch.CompileError
	if !errors.As(err, &refused) || image != nil || log != "" {
		t.Fatalf("image %q, log %q, error %v", image, log, err)
	}
	want := launch.Diagnostic{Line: 1, Severity: "error", Message: `identifier "y" is undefined`, Source: strings.TrimSuffix(scale.Source, "\n")}
	if refused.File != "scale.cu" || len(refused.Diagnostics) != 1 || refused.Diagnostics[0] != want || refused.Log != c.err.(*nvidia.CompileError).Log {
		t.Errorf("%+v", refused)
	}

	c.err = &nvidia.Error{Library: "NVRTC", Call: "nvrtcCompileProgram", Code: 7, Name: "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"}
	if _, _, err := compile.Compile(c, dir, scale, gpu(9, 0)); err != c.err {
		t.Errorf("another refusal of NVRTC: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("a failure is kept: %v, %v", files, err)
	}
}

// What was compiled once is not compiled again, with its warnings; anything that
// an image depends on makes it another.
func TestKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "on", "demand")
	first := nvrtc118()
	first.log = "scale.cu(1): warning: a word\n"
	want, _, err := compile.Compile(first, dir, scale, gpu(9, 0))
	if err != nil {
		t.Fatal(err)
	}
	again := nvrtc118()
	got, log, err := compile.Compile(again, dir, scale, gpu(9, 0))
	if err != nil || !bytes.Equal(got, want) || log != first.log || again.compiled.Load() != 0 {
		t.Errorf("the second time: compiled %d times, image %q, log %q, error %v", again.compiled.Load(), got, log, err)
	}

	changed := func(change func(k *launch.Kernel, c *compiler, d *nvidia.Device)) *compiler {
		k, c, d := scale, nvrtc118(), gpu(9, 0)
		change(&k, c, &d)
		if _, _, err := compile.Compile(c, dir, k, d); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for name, change := range map[string]func(k *launch.Kernel, c *compiler, d *nvidia.Device){
		"source":        func(k *launch.Kernel, _ *compiler, _ *nvidia.Device) { k.Source += " " },
		"name":          func(k *launch.Kernel, _ *compiler, _ *nvidia.Device) { k.File = "other.cu" },
		"contract":      func(k *launch.Kernel, _ *compiler, _ *nvidia.Device) { k.Contract = device.Fused },
		"GPU":           func(_ *launch.Kernel, _ *compiler, d *nvidia.Device) { d.Minor = 9; d.Major = 8 },
		"NVRTC's major": func(_ *launch.Kernel, c *compiler, _ *nvidia.Device) { c.major = 12 },
		"NVRTC's minor": func(_ *launch.Kernel, c *compiler, _ *nvidia.Device) { c.minor = 7 },
	} {
		if c := changed(change); c.compiled.Load() != 1 {
			t.Errorf("another %s: compiled %d times, want once", name, c.compiled.Load())
		}
		if c := changed(change); c.compiled.Load() != 0 {
			t.Errorf("another %s, the second time: compiled %d times, want none", name, c.compiled.Load())
		}
	}
	// One image holds all kernels of a source, and one architecture is another GPU's too.
	for name, change := range map[string]func(k *launch.Kernel, c *compiler, d *nvidia.Device){
		"symbol": func(k *launch.Kernel, _ *compiler, _ *nvidia.Device) { k.Symbol = "other" },
		"name":   func(_ *launch.Kernel, _ *compiler, d *nvidia.Device) { d.Name, d.Ordinal = "another card", 3 },
	} {
		if c := changed(change); c.compiled.Load() != 0 {
			t.Errorf("another %s: compiled %d times, want none", name, c.compiled.Load())
		}
	}
}

// Where nothing can be kept, everything still compiles.
func TestNothingKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file, filepath.Join(file, "below"), "/proc/none", string([]byte{'a', 0, 'b'})} {
		c := nvrtc118()
		for range 2 {
			if image, _, err := compile.Compile(c, dir, scale, gpu(9, 0)); err != nil || len(image) == 0 {
				t.Errorf("%q: %d bytes, error %v", dir, len(image), err)
			}
		}
		if c.compiled.Load() != 2 {
			t.Errorf("%q: compiled %d times, want 2", dir, c.compiled.Load())
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "in the way" {
		t.Errorf("the file in the way became %q, %v", got, err)
	}
}

func TestDir(t *testing.T) {
	t.Setenv(compile.DirVariable, "/a/b")
	if got := compile.Dir(); got != "/a/b" {
		t.Errorf("Dir() = %q", got)
	}
	t.Setenv(compile.DirVariable, "")
	base, err := os.UserCacheDir()
	want := filepath.Join(base, "workbench", "kernels")
	if err != nil {
		want = ""
	}
	if got := compile.Dir(); got != want {
		t.Errorf("Dir() = %q, want %q", got, want)
	}
}

func TestEmbed(t *testing.T) {
	c := nvrtc118()
	text, err := compile.Embed(c, "scale.cu", scale.Source, device.Fused)
	if err != nil {
		t.Fatal(err)
	}
	if err := compile.CheckEmbedded(text, "scale.cu", scale.Source, device.Fused); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"another source":   compile.CheckEmbedded(text, "scale.cu", scale.Source+" ", device.Fused),
		"another name":     compile.CheckEmbedded(text, "other.cu", scale.Source, device.Fused),
		"another contract": compile.CheckEmbedded(text, "scale.cu", scale.Source, device.Separate),
		"none":             compile.CheckEmbedded("", "scale.cu", scale.Source, device.Fused),
		"cut short":        compile.CheckEmbedded(text[:len(text)-1], "scale.cu", scale.Source, device.Fused),
	} {
		if err == nil || !strings.Contains(err.Error(), "go generate ./kernels") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for i := range text {
		changed := text[:i] + string(text[i]^1) + text[i+1:]
		if compile.CheckEmbedded(changed, "scale.cu", scale.Source, device.Fused) == nil {
			t.Fatalf("byte %d of the PTX changed, and nothing is said", i)
		}
	}

	c.minor = 7
	if _, err := compile.Embed(c, "scale.cu", scale.Source, device.Fused); err == nil || !strings.Contains(err.Error(), "NVRTC 11.7") {
		t.Errorf("with another NVRTC: %v", err)
	}
	c = nvrtc118()
	c.log = "scale.cu(1): warning: a word\n"
	if _, err := compile.Embed(c, "scale.cu", scale.Source, device.Fused); err == nil || !strings.Contains(err.Error(), "a word") {
		t.Errorf("with a warning: %v", err)
	}
	if !slices.Contains(compile.Options(device.Separate), "--fmad=false") {
		t.Error("separate is not --fmad=false")
	}
}

// What expressions are called in an image is kept with it, and other expressions
// are another image.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	c := nvrtc118()
	for i, want := range [][]string{{"a<1>", "b"}, {"a<1>", "b"}, {"a<1>b"}, {"a<1>"}, nil, {"a<1>", "b"}} {
		image, lowered, _, err := compile.Named(c, dir, scale, want, gpu(9, 0))
		if err != nil || len(image) == 0 || len(lowered) != len(want) {
			t.Fatalf("%d: %q, %v", i, lowered, err)
		}
		for j, name := range lowered {
			if name != "_Z"+want[j] {
				t.Errorf("%d: %s is %s", i, want[j], name)
			}
		}
	}
	if got := c.compiled.Load(); got != 4 {
		t.Errorf("%d compilations, want 4", got)
	}
}
