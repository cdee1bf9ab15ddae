package conform

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestKernels(t *testing.T) {
	var entries []string
	for _, m := range regexp.MustCompile(`\.visible \.entry (\w+)`).FindAllStringSubmatch(string(PTX()), -1) {
		entries = append(entries, m[1])
	}
	if !slices.Equal(entries, symbols) {
		t.Errorf("the kernels are %v, and the list of symbols has %v", entries, symbols)
	}
	var format []string
	for _, b := range []byte("conform_print %u\n\x00") {
		format = append(format, fmt.Sprint(b))
	}
	if want := "{" + strings.Join(format, ", ") + "}"; !strings.Contains(kernels, want) {
		t.Errorf("the format of conform_print is not %s", want)
	}
	for _, image := range [][]byte{PTX(), Broken(), Later()} {
		if i := slices.Index(image, 0); i != len(image)-1 {
			t.Errorf("the first zero byte of an image is at %d of %d", i, len(image))
		}
		// The driver's compiler reads ASCII alone, comments included.
		if i := slices.IndexFunc(image, func(b byte) bool { return b > 127 }); i >= 0 {
			t.Errorf("byte %d of an image is not ASCII", i)
		}
	}
}

// TestAssemble needs no GPU, and a toolkit.
func TestAssemble(t *testing.T) {
	ptxas, err := exec.LookPath("ptxas")
	if err != nil {
		t.Skip("ptxas assembles the kernels of this test, and is not in PATH")
	}
	assemble := func(image []byte, options ...string) (string, error) {
		file := filepath.Join(t.TempDir(), "image.ptx")
		if err := os.WriteFile(file, image[:len(image)-1], 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(ptxas, append(options, "-o", file+".cubin", file)...).CombinedOutput()
		return string(out), err
	}
	for _, architecture := range []string{"sm_75", "sm_80", "sm_90"} {
		if out, err := assemble(PTX(), "-arch="+architecture); err != nil {
			t.Errorf("%s: %v\n%s", architecture, err, out)
		}
	}
	if out, err := assemble(Broken(), "-arch=sm_75"); err == nil || !strings.Contains(out, "syntax error") {
		t.Errorf("broken PTX: %v\n%s", err, out)
	}
	if out, err := assemble(Later(), "-arch=sm_75"); err == nil || !strings.Contains(out, "Unsupported .version") {
		t.Errorf("PTX of a later version: %v\n%s", err, out)
	}
}

func TestPlace(t *testing.T) {
	for _, g := range geometries {
		seen := map[uint64]bool{}
		for i := range uint32(g.n) {
			seen[place(i, g.grid, g.block)] = true
		}
		if len(seen) != g.n {
			t.Errorf("a grid of %v of blocks of %v has %d places, want %d", g.grid, g.block, len(seen), g.n)
		}
	}
}
