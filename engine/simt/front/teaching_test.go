package front_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"workbench/engine/simt/front"
)

// TestTeaching reads kernels as they are taught and published, in their usual
// styles and with the host's program around them. That they compute what they
// should is shown where they run.
func TestTeaching(t *testing.T) {
	files, err := filepath.Glob("testdata/teaching/*.cu")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	kernels, err := filepath.Glob("../../../kernels/*/*.cu")
	if err != nil || len(kernels) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	for _, file := range append(files, kernels...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			unit, err := front.Read(filepath.Base(file), string(text), front.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(unit.Kernels()) == 0 {
				t.Error("no kernel was found")
			}
			for _, kernel := range unit.Kernels() {
				if _, err := unit.Program(kernel); (err != nil) != strings.HasPrefix(kernel, "elsewhere") {
					t.Errorf("%s: %v", kernel, err)
				}
			}
		})
	}
}

// Instances of templates are asked for by name.
func TestInstances(t *testing.T) {
	text, err := os.ReadFile("testdata/teaching/reduction.cu")
	if err != nil {
		t.Fatal(err)
	}
	unit, err := front.Read("reduction.cu", string(text), front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"reduce6<256, true>", "reduce6< 128 , false >", "reduce3<float>", "sum_kernel_tile_shfl<16>", "reduce0"}
	p, err := unit.Program(names...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if n := p.Function(name); n < 0 || !p.Functions[n].Kernel {
			t.Errorf("there is no kernel %s in the program", name)
		}
	}
	for _, name := range []string{"reduce6", "nothing", "reduce6<256>", "reduce6<256, true", "warpReduce<64>", "blockReduceSum", "reduce6<256, true> x", ""} {
		if _, err := unit.Program(name); err == nil {
			t.Errorf("%q is taken for a kernel", name)
		}
	}
}
