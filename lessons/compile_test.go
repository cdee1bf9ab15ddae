package lessons_test

import (
	"errors"
	"io/fs"
	"path"
	"testing"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
	"workbench/engine/launch"
	"workbench/lessons"
	"workbench/lessons/lesson"
)

// What the emulator reads, NVIDIA's compiler reads too: every kernel that an exercise
// hands out compiles for a GPU, and so does its solution, without a warning. It needs
// no GPU.
func TestKernelsCompileForAGPU(t *testing.T) {
	c, err := nvrtc.New()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) {
		t.Skipf("no NVRTC: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	files := lessons.Files()
	for i := range lessons.All {
		l := &lessons.All[i]
		check, ok := l.Check.(*lesson.CUDA)
		if !ok {
			continue
		}
		for _, variant := range []string{"starter", "solution"} {
			name := path.Join(l.ID, variant, l.File())
			source, err := fs.ReadFile(files, name)
			if err != nil {
				t.Fatal(err)
			}
			k := launch.Kernel{File: l.File(), Source: string(source), Symbol: check.Cases()[0].Launches[0].Kernel}
			_, log, err := compile.Compile(c, "", k, nvidia.Device{Major: 9, Minor: 0})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if log != "" && variant == "solution" {
				t.Errorf("%s: %s", name, log)
			}
		}
	}
}
