package front_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/simt/front"
)

// TestNamed runs the kernels of the language with what is said of their
// variables: they compute the same bits, under the contract where that takes more.
func TestNamed(t *testing.T) {
	files, err := filepath.Glob("testdata/language/*.cu")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := execute(t, string(text), "k", 4*outputs, 1, device.Fused)
		unit, err := front.Read("t.cu", string(text), front.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := unit.Named("k")
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := executeProgram(p, "k", 4*outputs, 1, device.Fused)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: another result where variables are named", file)
		}
	}
}

// TestNamedTeaching reads what is taught with the names of its variables.
func TestNamedTeaching(t *testing.T) {
	for _, pattern := range []string{"testdata/teaching/*.cu", "../../../kernels/*/*.cu"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files: %v", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			unit, err := front.Read(filepath.Base(file), string(text), front.Options{})
			if err != nil {
				t.Fatal(err)
			}
			vars := 0
			for _, kernel := range unit.Kernels() {
				p, err := unit.Named(kernel)
				if (err != nil) != (strings.HasPrefix(kernel, "elsewhere")) {
					t.Errorf("%s, %s: %v", file, kernel, err)
				}
				if err != nil {
					continue
				}
				for _, f := range p.Names.Frames {
					vars += len(f.Vars)
				}
			}
			if vars == 0 {
				t.Errorf("%s: no variable has a name", file)
			}
		}
	}
}
