package differential_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
)

// TestCompiles: what the generator writes is CUDA C to NVIDIA's compiler too, so
// that what the front end is tried with is the language and not the generator's
// idea of it.
func TestCompiles(t *testing.T) {
	c, err := nvrtc.New()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) {
		t.Skipf("needs NVRTC (name its folder in COURSE_CUDA_LIBRARY_DIR): %d places tried; %s", len(missing.Tried), missing.Reason)
	}
	if err != nil {
		t.Fatal(err)
	}
	for seed := *first; seed < *first+*kernels/5; seed++ {
		k := generate(seeded(seed))
		if k.half {
			continue // NVRTC has no cuda_fp16.h by itself
		}
		text := k.text
		if k.kernel.template != "" {
			var types []string
			for _, p := range k.kernel.params {
				types = append(types, p.t.declare(""))
			}
			text += fmt.Sprintf("template __global__ void k<%d>(%s);\n", k.kernel.n, strings.Join(types, ", "))
		}
		_, log, err := c.Compile("k.cu", text, nil, []string{"--gpu-architecture=compute_70", "--std=c++17", "--disable-warnings"})
		if err != nil {
			t.Errorf("seed %d: %v\n%s\n%s", seed, err, log, numbered(text))
		}
	}
}
