package check_test

import (
	"fmt"
	"strings"
	"testing"

	"workbench/engine/simt/check"
	"workbench/engine/simt/code"
	"workbench/engine/simt/front"
	"workbench/engine/simt/header"
	"workbench/engine/simt/preprocess"
	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// read checks a source with the built-in headers.
func read(t *testing.T, text string) *check.Unit {
	t.Helper()
	files := []*source.File{header.Prelude(), source.NewFile("k.cu", text)}
	tokens, err := preprocess.Tokens(files, func(name string, angled bool) (*source.File, error) { return header.Include(name) }, preprocess.Default)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := syntax.Parse(tokens, syntax.Default)
	if err != nil {
		t.Fatal(err)
	}
	unit, err := check.Check(tree.Decls, check.Default)
	if err != nil {
		t.Fatal(err)
	}
	return unit
}

// Every function of the built-in headers can be called, and becomes code: what a
// header says that the machine does, the machine does.
func TestBuiltIn(t *testing.T) {
	includes := "#include <cooperative_groups.h>\n#include <type_traits>\n#include <limits>\n"
	names, params := read(t, includes).BuiltIn()
	if len(names) < 700 {
		t.Errorf("%d functions were found: this test no longer sees them", len(names))
	}
	calls := 0
	var b strings.Builder
	b.WriteString(includes + "using namespace cooperative_groups;\n")
	for i, name := range names {
		if name == "printf" || name == "__assert" {
			continue // they take text
		}
		var list, args []string
		for k, p := range params[i] {
			value := p.Referred().Unqualified()
			if p.Kind == types.KindPointer && p.Elem.Kind == types.KindVoid {
				list = append(list, fmt.Sprintf("char* a%d", k))
			} else {
				list = append(list, fmt.Sprintf("%s a%d", value, k))
			}
			args = append(args, fmt.Sprintf("a%d", k))
		}
		fmt.Fprintf(&b, "__global__ void k%d(%s) { %s(%s); }\n", i, strings.Join(list, ", "), name, strings.Join(args, ", "))
		calls++
	}
	unit, err := front.Read("calls.cu", b.String(), front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := unit.Program()
	if err != nil {
		t.Fatal(err)
	}
	if got := len(p.Functions); got < calls {
		t.Errorf("%d calls became %d functions", calls, got)
	}
	if err := code.Verify(p); err != nil {
		t.Error(err)
	}
}
