package front_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"workbench/engine/device"
)

var update = flag.Bool("update", false, "write the golden files: those of testdata/language with the C++ compiler of this machine")

// outputs is how many numbers a kernel of testdata/language may write.
const outputs = 512

// TestLanguage runs a kernel for each part of the language, on one thread. What
// they are to give was computed by a C++ compiler from the same files: the
// language is C++, and no compiler of this repository can be wrong in both.
func TestLanguage(t *testing.T) {
	files, err := filepath.Glob("testdata/language/*.cu")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cu"), func(t *testing.T) {
			golden := strings.TrimSuffix(file, ".cu") + ".golden"
			if *update {
				compile(t, file, golden)
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out, _ := execute(t, string(text), "k", 4*outputs, 1, device.Separate)
			hold(t, string(text), ints(out), strings.Fields(string(want)))
		})
	}
}

// hold compares numbers with those of a golden, and says which expression of
// the source is wrong.
func hold(t *testing.T, text string, got []int32, want []string) {
	t.Helper()
	_, body, _ := strings.Cut(text, "void k(int* out)")
	writes := strings.Split(body, "out[n++] = ")
	bad := 0
	for i, w := range want {
		x, err := strconv.ParseInt(w, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		if got[i] != int32(x) {
			if bad++; bad > 10 {
				continue
			}
			near := ""
			if i+1 < len(writes) {
				near, _, _ = strings.Cut(writes[i+1], ";")
			}
			t.Errorf("number %d is %d, want %d: about %s", i, got[i], x, near)
		}
	}
}

// compile makes a golden with the C++ compiler of this machine.
func compile(t *testing.T, file, golden string) {
	t.Helper()
	dir := t.TempDir()
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("#include %q\n#include %q\nint main() { static int out[%d]; k(out); for (int i = 0; i < %d; i++) std::printf(\"%%d\\n\", out[i]); }\n",
		filepath.Join(filepath.Dir(abs), "host.h"), abs, outputs, outputs)
	main := filepath.Join(dir, "main.cc")
	if err := os.WriteFile(main, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "main")
	if out, err := exec.Command("c++", "-std=c++17", "-O0", "-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv", "-fpermissive", "-w", "-o", bin, main).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	numbers := strings.Fields(string(out))
	last := len(numbers)
	for last > 0 && numbers[last-1] == "0" {
		last--
	}
	if err := os.WriteFile(golden, []byte(strings.Join(slices.Clip(numbers[:last]), "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
