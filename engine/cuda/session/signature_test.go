package session

import (
	"errors"
	"slices"
	"testing"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels"
	"workbench/kernels/matmul"
)

// declared has parameters of every size, in an order that leaves gaps between
// them.
const declared = `struct Fourteen { long long x[14]; };
extern "C" __global__ void none() {}
extern "C" __global__ void all(bool a, double b, short c, int d, float e, double* f, Fourteen g, char h) {
	f[0] = a + b + c + d + e + g.x[13] + h;
}
extern "C" __global__ void al(float* x, int n) { x[0] = n; }
`

func TestParametersOfEmbeddedPTX(t *testing.T) {
	for _, topic := range kernels.Catalogue() {
		for _, contract := range []device.Contract{device.Separate, device.Fused} {
			for _, symbol := range topic.Symbols {
				got := parametersOf(topic.PTX(contract), symbol)
				want := []int{8, 8, 8, len(matmul.Params{}.Bytes())}
				if topic.Name == "matmul" && !slices.Equal(got, want) {
					t.Errorf("%s: the parameters have %v bytes, want %v", symbol, got, want)
				}
				if got == nil {
					t.Errorf("%s: the parameters are not found", symbol)
				}
			}
		}
	}
	if got := parametersOf(matmul.PTX(device.Separate), "matmul_naive"); got != nil {
		t.Errorf("a kernel that is not there has parameters of %v bytes", got)
	}
}

// NVRTC makes both kinds of images without a GPU.
func TestParametersOfNVRTC(t *testing.T) {
	c, err := nvrtc.New()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) {
		t.Skipf("NVRTC is not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	known, err := c.Architectures()
	if err != nil {
		t.Fatal(err)
	}
	newer := known[len(known)-1] + 1 // gets PTX
	for _, architecture := range append(known, newer) {
		if architecture < 50 {
			continue // such GPUs are older than all that the workbench runs on
		}
		image, _, err := compile.Compile(c, "", launch.Kernel{File: "declared.cu", Source: declared}, nvidia.Device{Major: architecture / 10, Minor: architecture % 10})
		if err != nil {
			t.Fatal(err)
		}
		for symbol, want := range map[string][]int{"all": {1, 8, 2, 4, 4, 8, 112, 1}, "al": {8, 4}} {
			if got := parametersOf(image, symbol); !slices.Equal(got, want) {
				t.Errorf("sm_%d: the parameters of %s have %v bytes, want %v", architecture, symbol, got, want)
			}
		}
		if got := parametersOf(image, "none"); len(got) != 0 {
			t.Errorf("sm_%d: a kernel without parameters has some of %v bytes", architecture, got)
		}
	}
}

// An image that cannot be read says nothing, and harms nothing.
func FuzzParameters(f *testing.F) {
	c, err := fake.New(fake.Config{}).Compiler()
	if err != nil {
		f.Fatal(err)
	}
	cubin, _, err := c.Compile("sample.cu", fake.Source, nil, []string{"--gpu-architecture=sm_90"})
	if err != nil {
		f.Fatal(err)
	}
	if got := parametersOf(cubin, "add_one"); !slices.Equal(got, []int{8, 4}) {
		f.Errorf("the parameters have %v bytes", got)
	}
	f.Add(cubin)
	f.Add([]byte(".visible .entry add_one(\n\t.param .u64 a,\n\t.param .align 8 .b8 b[112]\n)\n"))
	f.Add([]byte(".entry add_one()"))
	f.Add([]byte(".entry add_one(.param .b8 x[99999999999999999999])"))
	f.Add([]byte(".entry add_one(.param .b64 x[1152921504606846977])"))
	f.Add([]byte("\x7fELF"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, image []byte) {
		for _, size := range parametersOf(image, "add_one") {
			if size < 0 {
				t.Errorf("a parameter has %d bytes", size)
			}
		}
	})
}
