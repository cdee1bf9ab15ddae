package code_test

import (
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"workbench/engine/simt/code"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const every = "testdata/every.code"

// TestText reads a program with every instruction and writes it again.
func TestText(t *testing.T) {
	want, err := os.ReadFile(every)
	if err != nil {
		t.Fatal(err)
	}
	p, err := code.Read(every, string(want))
	if err != nil {
		t.Fatal(err)
	}
	first := code.Text(p)
	again, err := code.Read(every, first)
	if err != nil {
		t.Fatalf("what Text wrote is not read: %v\n%s", err, first)
	}
	second := code.Text(again)
	// Positions have other numbers; that they are the same places, the text says.
	for _, f := range append(slices.Clone(p.Functions), again.Functions...) {
		f.Pos = 0
		for _, x := range f.Locals {
			x.Pos = 0
		}
		each(f.Body, func(in code.Instr) { reflect.ValueOf(in).Elem().FieldByName("Pos").SetInt(0) })
	}
	for _, x := range slices.Concat(p.Globals, p.Constants, p.Shared, again.Globals, again.Constants, again.Shared) {
		x.Pos = 0
	}
	if !reflect.DeepEqual(p.Functions, again.Functions) || !reflect.DeepEqual(p.Globals, again.Globals) ||
		!reflect.DeepEqual(p.Constants, again.Constants) || !reflect.DeepEqual(p.Shared, again.Shared) {
		t.Error("the program that is written and read again is another")
	}
	if second != first {
		t.Error("the text that is read and written again is another")
	}
	golden := strings.TrimSuffix(every, ".code") + ".golden"
	if *update {
		if err := os.WriteFile(golden, []byte(first), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) != first {
		t.Errorf("the text differs from %s:\n%s", golden, first)
	}
}

// each calls see for every instruction of b and of what lies within.
func each(b code.Block, see func(code.Instr)) {
	for _, in := range b {
		see(in)
		for _, inner := range code.Blocks(in) {
			each(inner, see)
		}
	}
}

// TestEvery holds the file against the list of instructions: one that is not
// in it is not tested.
func TestEvery(t *testing.T) {
	text, err := os.ReadFile(every)
	if err != nil {
		t.Fatal(err)
	}
	p, err := code.Read(every, string(text))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range p.Functions {
		each(f.Body, func(in code.Instr) { seen[reflect.TypeOf(in).Elem().Name()] = true })
	}
	source, err := os.ReadFile("instr.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, part := range strings.Split(string(source), "\ntype ")[1:] {
		name, rest, _ := strings.Cut(part, " struct {")
		if !strings.HasPrefix(strings.TrimSpace(rest), "At\n") {
			continue
		}
		n++
		if !seen[name] {
			t.Errorf("%s has no %s", every, name)
		}
	}
	if n < 30 {
		t.Errorf("%d instructions were found in instr.go: this test no longer sees them", n)
	}
}

// TestVerify gives Read programs that each break one rule.
func TestVerify(t *testing.T) {
	for _, c := range []struct{ name, body, reason string }{
		{"type of a result", "add i32 %f %i %i", "%f is f32 where i32 is needed"},
		{"type of an operand", "add i32 %i %i %f", "%f is f32 where i32 is needed"},
		{"narrow arithmetic", "add i8 %b %b %b", "no form for i8"},
		{"remainder of floats", "rem f32 %f %f %f", "no form for f32"},
		{"shift amount", "shl i32 %i %i %i", "%i is i32 where u32 is needed"},
		{"constant too wide", "add u32 %u %u 4294967296", "not as wide"},
		{"negative unsigned constant", "add u32 %u %u 18446744073709551615", "not as wide"},
		{"pointer from int", "convert ptr i32 %p %i", "a pointer is not converted"},
		{"rounding of an integer", "convert.rz i32 u32 %i %u", "nothing to round"},
		{"bits of another width", "bits u64 f32 %w %f", "not as wide"},
		{"write to constant memory", "store f32 constant %p %f", "read only"},
		{"wide access", "load f64 global [_ _ _ _] %p", "wider than an access"},
		{"three elements", "load f32 global [_ _ _] %p", "power of two"},
		{"pred in memory", "load pred global %q %p", "no pred in memory"},
		{"atomic inc", "atomic inc i32 global device %i %p %i", "no form for i32"},
		{"atomic in local memory", "atomic add i32 local device %i %p %i", "no atomics"},
		{"break out of nothing", "break", "nothing to leave"},
		{"break too far", "loop {\n} while true {\nbreak 1\n}", "nothing to leave"},
		{"continue in a region", "region {\ncontinue\n}", "no loop's body"},
		{"continue in a step", "loop {\n} while true {\n} step {\ncontinue\n}", "no loop's body"},
		{"unknown function", "math flub f32 %f %f", "no such function"},
		{"overload", "math popc f32 %i %f", "no form for f32"},
		{"number of arguments", "math pow f32 %f %f", "takes 2 values"},
		{"call of a kernel", "call k [] []", "launched, not called"},
		{"result of a kernel", "return 1", "1 values are returned"},
		{"ballot", "vote ballot %q %q 1", "%q is pred where u32 is needed"},
		{"ordered preds", "lt pred %q %q %q", "no form for pred"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "kernel k() {\nreg i32 %i\nreg u32 %u\nreg u64 %w\nreg f32 %f\nreg i8 %b\nreg ptr %p\nreg pred %q\n" + c.body + "\n}\n"
			_, err := code.Read("k.code", text)
			if err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("the error is %v, without %q", err, c.reason)
			}
		})
	}
	_, err := code.Read("f.code", "func f() f32 {\nreg pred %p\nif %p {\nreturn 1.0\n}\n}\n")
	if err == nil || !strings.Contains(err.Error(), "without a Return") {
		t.Errorf("a function that may end without a result: %v", err)
	}
	if _, err := code.Read("f.code", "func f() f32 {\nloop {\n} while true {\n}\n}\n"); err != nil {
		t.Errorf("a function that never ends needs no Return: %v", err)
	}
}
