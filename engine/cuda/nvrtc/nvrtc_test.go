package nvrtc_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
)

// installed returns NVRTC, or skips the test where there is none.
func installed(t *testing.T) nvidia.Compiler {
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

const scale = `extern "C" __global__ void scale(float* x, float by, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) x[i] *= by;
}
`

func TestVersion(t *testing.T) {
	c := installed(t)
	major, minor, err := c.Version()
	if err != nil || major < 11 || major == 11 && minor < 2 || minor < 0 {
		t.Errorf("Version() = %d, %d, %v", major, minor, err)
	}
	list, err := c.Architectures()
	if err != nil || len(list) == 0 || !slices.IsSorted(list) || !slices.Contains(list, 80) {
		t.Errorf("Architectures() = %v, %v: want an ascending list with 80", list, err)
	}
}

func TestImages(t *testing.T) {
	c := installed(t)
	ptx, log, err := c.Compile("scale.cu", scale, nil, []string{"--gpu-architecture=compute_80"})
	if err != nil || log != "" {
		t.Fatalf("log %q, error %v", log, err)
	}
	if !bytes.Contains(ptx, []byte(".visible .entry scale(")) || ptx[len(ptx)-1] != 0 || bytes.IndexByte(ptx, 0) != len(ptx)-1 {
		t.Errorf("the PTX has no kernel scale, or no single zero byte at its end:\n%s", ptx)
	}
	cubin, log, err := c.Compile("scale.cu", scale, nil, []string{"--gpu-architecture=sm_80"})
	if err != nil || log != "" {
		t.Fatalf("log %q, error %v", log, err)
	}
	if !bytes.HasPrefix(cubin, []byte("\x7fELF")) || !bytes.Contains(cubin, []byte("scale")) {
		t.Errorf("the cubin of %d bytes is no ELF file with the kernel scale", len(cubin))
	}
}

func TestWarnings(t *testing.T) {
	c := installed(t)
	image, log, err := c.Compile("warn.cu", "extern \"C\" __global__ void k() {\n\tint unused;\n}\n", nil, nil)
	if err != nil || len(image) == 0 || !strings.Contains(log, `warn.cu(2): warning #177-D: variable "unused"`) || strings.Contains(log, "\x00") {
		t.Errorf("%d bytes, log %q, error %v", len(image), log, err)
	}
}

func TestHeaders(t *testing.T) {
	c := installed(t)
	headers := map[string]string{
		"two.h": "#define TWO 2\n", "sub/three.h": "#include \"two.h\"\n#define THREE (TWO + 1)\n", "empty.h": "",
	}
	source := "#include <sub/three.h>\n#include \"empty.h\"\nextern \"C\" __global__ void k(int* x) { x[0] = THREE; }\n"
	for range 20 { // Go hands the headers over in an order that changes
		if _, log, err := c.Compile("h.cu", source, headers, []string{"--pre-include=two.h"}); err != nil || log != "" {
			t.Fatalf("log %q, error %v", log, err)
		}
	}
	_, _, err := c.Compile("h.cu", source, nil, nil)
	var refused *nvidia.CompileError
	if !errors.As(err, &refused) || !strings.Contains(refused.Log, "sub/three.h") {
		t.Errorf("without its headers: %v", err)
	}
}

func TestErrors(t *testing.T) {
	c := installed(t)
	var refused *nvidia.CompileError
	image, log, err := c.Compile("bad.cu", "extern \"C\" __global__ void k() {\n\tx = 1;\n}\n", nil, nil)
	if !errors.As(err, &refused) || refused.File != "bad.cu" || !strings.Contains(refused.Log, `bad.cu(2): error: identifier "x" is undefined`) || image != nil || log != "" {
		t.Errorf("a source with an error: %d bytes, log %q, error %v", len(image), log, err)
	}

	var call *nvidia.Error
	_, _, err = c.Compile("scale.cu", scale, nil, []string{"--gpu-architecture=compute_1"})
	if !errors.As(err, &call) || call.Library != "NVRTC" || call.Name != "NVRTC_ERROR_INVALID_OPTION" || !strings.Contains(call.Log, "gpu-architecture") || call.Sticky() {
		t.Errorf("an architecture that there is not: %v", err)
	}

	for name, compile := range map[string]func() error{
		"source": func() error { _, _, err := c.Compile("a.cu", scale+"\x00", nil, nil); return err },
		"name":   func() error { _, _, err := c.Compile("a\x00.cu", scale, nil, nil); return err },
		"option": func() error {
			_, _, err := c.Compile("a.cu", scale, nil, []string{"--fmad=false\x00"})
			return err
		},
		"header": func() error {
			_, _, err := c.Compile("a.cu", scale, map[string]string{"a.h": "\x00"}, nil)
			return err
		},
	} {
		if err := compile(); !errors.As(err, &refused) || !strings.Contains(refused.Log, "zero byte") {
			t.Errorf("a zero byte in the %s: %v", name, err)
		}
	}
}

// Strings of Go are C's for as long as a call takes, and no longer: a collector
// that runs all the time must find none of them gone.
func TestMemory(t *testing.T) {
	c := installed(t)
	want, _, err := c.Compile("scale.cu", scale, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var collector, compilers sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
				_ = bytes.Repeat([]byte{0xff}, 1<<16) // what was freed is written over
			}
		}
	})
	for g := range 4 {
		compilers.Go(func() {
			for range 5 {
				headers := map[string]string{fmt.Sprintf("h%d.h", g): strings.Repeat("// a header\n", 100)}
				got, log, err := c.Compile("scale.cu", scale, headers, []string{fmt.Sprintf("--pre-include=h%d.h", g)})
				if err != nil || log != "" || !bytes.Equal(got, want) {
					t.Errorf("goroutine %d: other PTX than at first, log %q, error %v", g, log, err)
					return
				}
			}
		})
	}
	compilers.Wait()
	close(stop)
	collector.Wait()
}
