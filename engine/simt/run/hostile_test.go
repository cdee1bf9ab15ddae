package run_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// TestHostile compiles and runs programs that are as large as a source can make
// them: what is done to a program must not take more than about its size.
func TestHostile(t *testing.T) {
	const n = 4000
	registers := "reg u32 %t\nreg pred %p\n"
	for i := range n {
		registers += fmt.Sprintf("reg u32 %%a%d\n", i)
	}
	each := func(count int, line func(b *strings.Builder, i int)) string {
		var b strings.Builder
		for i := range count {
			line(&b, i)
		}
		return b.String()
	}
	for _, c := range []struct{ name, body, functions string }{
		{"a long chain that nobody reads", each(n, func(b *strings.Builder, i int) {
			fmt.Fprintf(b, "add u32 %%a%d %%t %d\nmul u32 %%a%d %%a%d %%t\n", i, i, i, max(0, i-1))
		}), ""},
		{"many branches", each(n, func(b *strings.Builder, i int) {
			fmt.Fprintf(b, "add u32 %%a%d %%t %d\nlt u32 %%p %%a%d 5\nif %%p {\nadd u32 %%a%d %%a%d 1\n}\n", i, i, i, i, max(0, i-1))
		}), ""},
		{"deep branches", each(400, func(b *strings.Builder, i int) {
			fmt.Fprintf(b, "lt u32 %%p %%t %d\nif %%p {\nadd u32 %%a%d %%t %d\n", i, i, i)
		}) + strings.Repeat("}\n", 400), ""},
		{"deep loops", each(200, func(b *strings.Builder, i int) {
			fmt.Fprintf(b, "loop {\nlt u32 %%p %%a%d 1\n} while %%p {\nadd u32 %%a%d %%a%d %d\n", i, i, max(0, i-1), i)
		}) + strings.Repeat("break\n}\n", 200), ""},
		{"calls that double", "call f0 [] []\n", each(40, func(b *strings.Builder, i int) {
			fmt.Fprintf(b, "func f%d() {\ncall f%d [] []\ncall f%d [] []\n}\n", i, i+1, i+1)
		}) + "func f40() {\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := code.Read("k.code", "kernel k() {\n"+registers+"special tid.x %t\n"+c.body+"}\n"+c.functions)
			if err != nil {
				t.Fatal(err)
			}
			image, err := run.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			m, err := run.New(image, 0)
			if err != nil {
				t.Fatal(err)
			}
			// It may come to an end or to its limit, and to nothing else.
			_, err = m.Launch(context.Background(), &run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(32, 1, 1), Limits: run.Limits{Instructions: 1 << 20}})
			if f, ok := err.(*run.Fault); err != nil && (!ok || f.Kind != run.InstructionsOut) {
				t.Error(err)
			}
		})
	}
}

// TestBarriersForEver is a loop in which every turn of a warp ends at a barrier, and
// many blocks of which every warp ends in its first turn: the instructions of a
// launch, and its context, end both.
func TestBarriersForEver(t *testing.T) {
	text := `kernel loop() {
	loop {
	} while true {
		barrier sync
	}
}
kernel short() {
	reg u32 %i
	special tid.x %i
	add u32 %i %i 1
}
`
	for _, kernel := range []string{"loop", "short"} {
		p, err := code.Read("for_ever.code", text)
		if err != nil {
			t.Fatal(err)
		}
		image, err := run.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := run.New(image, 0)
		if err != nil {
			t.Fatal(err)
		}
		l := &run.Launch{Kernel: kernel, Grid: dim(1<<30, 1, 1), Block: dim(64, 1, 1), Limits: run.Limits{Instructions: 10000}}
		var f *run.Fault
		if kernel == "loop" {
			_, err = m.Launch(context.Background(), l)
		}
		if kernel == "loop" && (!errors.As(err, &f) || f.Kind != run.InstructionsOut) {
			t.Errorf("%s: %v", kernel, err)
		}
		l.Limits.Instructions = 0
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		if _, err := m.Launch(ctx, l); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", kernel, err)
		}
		cancel()
	}
}
