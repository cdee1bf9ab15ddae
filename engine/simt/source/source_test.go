package source_test

import (
	"strings"
	"testing"

	"workbench/engine/simt/source"
)

func TestPlace(t *testing.T) {
	f := source.NewFile("a.cu", "one\r\nüñ\tx\n\nlast")
	for _, c := range []struct{ offset, line, column int }{
		{0, 1, 1}, {3, 1, 4}, {5, 2, 1}, {7, 2, 2}, {10, 2, 4}, {12, 3, 1}, {13, 4, 1}, {17, 4, 5}, {99, 4, 5}, {-1, 1, 1},
	} {
		if line, column := f.Place(c.offset); line != c.line || column != c.column {
			t.Errorf("offset %d is at %d:%d, want %d:%d", c.offset, line, column, c.line, c.column)
		}
	}
	for n, want := range []string{"", "one", "üñ\tx", "", "last", ""} {
		if got := f.Line(n); got != want {
			t.Errorf("line %d is %q, want %q", n, got, want)
		}
	}
	if line, column := source.NewFile("empty.cu", "").Place(0); line != 1 || column != 1 {
		t.Errorf("the start of an empty file is at %d:%d", line, column)
	}
	var none source.Pos
	if none.IsValid() || none.String() != "?" || none.Line() != 0 || source.Quote(none) != "" {
		t.Errorf("no place is %s", none)
	}
}

func TestError(t *testing.T) {
	f := source.NewFile("k.cu", "#define TWICE(x) ((x) + \x01y)\n\tint a = TWICE(1);\n")
	use := source.Pos{File: f, Offset: int32(strings.Index(f.Text, "TWICE(1)"))}
	use.Macro = &source.Expansion{Name: "TWICE", Token: source.Pos{File: f, Offset: int32(strings.Index(f.Text, "y)"))}}
	err := source.Errorf(use, "y", "there is no %s", "y").With("declare it").Note(source.Pos{File: f}, "the macro")
	want := "k.cu:2:10: there is no y\n" +
		"    2 | \tint a = TWICE(1);\n" +
		"      | \t        ^\n" +
		"k.cu:1:26: in the expansion of macro TWICE\n" +
		"    1 | #define TWICE(x) ((x) + \uFFFDy)\n" +
		"      |                          ^\n" +
		"k.cu:1:1: the macro\n" +
		"    1 | #define TWICE(x) ((x) + \uFFFDy)\n" +
		"      | ^\n" +
		"    declare it"
	if got := err.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLongLine(t *testing.T) {
	f := source.NewFile("k.cu", strings.Repeat("a", 5000)+"X"+strings.Repeat("b", 5000))
	lines := strings.Split(source.Quote(source.Pos{File: f, Offset: 5000}), "\n")
	if len(lines) != 2 || len(lines[0]) > 200 {
		t.Fatalf("a line of 10001 characters is quoted as %q", lines)
	}
	if caret := strings.IndexByte(lines[1], '^'); lines[0][caret] != 'X' {
		t.Errorf("the caret is not under the X:\n%s\n%s", lines[0], lines[1])
	}
}
