package front_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"workbench/engine/simt/front"
	"workbench/engine/simt/source"
)

// TestErrors holds what is said of sources that are wrong, or that are not
// supported, against testdata/errors.golden: read the difference.
func TestErrors(t *testing.T) {
	text, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/errors.golden")
	if err != nil && !*update {
		t.Fatal(err)
	}
	expected := map[string]string{}
	for _, part := range strings.Split(string(want), "=== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		expected[name] = body
	}
	var golden strings.Builder
	for _, part := range strings.Split(string(text), "=== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		t.Run(name, func(t *testing.T) {
			got := "read without an error\n"
			unit, err := front.Read("k.cu", body, front.Options{})
			if err == nil {
				_, err = unit.Program()
			}
			if err != nil {
				got = err.Error() + "\n"
				var e *source.Error
				if !errors.As(err, &e) || e.Construct == "" || e.Construct == front.Internal {
					t.Errorf("%#v", err)
				}
			}
			fmt.Fprintf(&golden, "=== %s\n%s", name, got)
			if !*update && got != expected[name] {
				t.Errorf("got\n%swant\n%s", got, expected[name])
			}
			if err == nil {
				t.Error("there is no error")
			}
		})
	}
	if *update {
		if err := os.WriteFile("testdata/errors.golden", []byte(golden.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
