package run_test

import (
	"fmt"
	"strings"
	"testing"

	"workbench/engine/simt/run"
)

// chosenText: every block hands a number on from the block before it, or, of those
// that wait, behind it.
const chosenText = `kernel k(out ptr %out, n i32 %n) {
	reg i32 %b %from %last %x %y
	reg u32 %u
	reg pred %p
	reg ptr %at
	stmt
	special ctaid.x %u
	convert i32 u32 %b %u
	sub i32 %last %n 1
	add i32 %from %b 1
	eq i32 %p %b %last
	if %p {
		stmt
		move %x 100
	} else {
		index i32 %at %out %from 4
		loop {
			load i32 global %x %at volatile
			eq i32 %p %x 0
		} while %p {
		}
	}
	stmt
	add i32 %x %x 1
	index i32 %at %out %b 4
	store i32 global %at %x volatile
}
`

func TestObserverOf(t *testing.T) {
	const blocks = 7
	wants := run.Statements | run.Segments | run.Branches | run.Accesses | run.Syncs
	text := func(of func(d *diary) *run.Launch) (events, result string) {
		b := programFile(t, "matmul.code")
		d := &diary{wants: wants, p: b.Image().Program}
		left, right := b.buffer("left", "float", ramp(blocks*16*16)), b.buffer("right", "float", ramp(16*16))
		out := b.buffer("out", "float", make([]float32, blocks*16*16))
		l := of(d)
		l.Kernel, l.Grid, l.Block, l.Args = "tiled", dim(1, blocks, 1), dim(16, 16, 1), args(left, right, out, blocks*16, 16, 16)
		b.launch(l)
		return d.b.String(), fmt.Sprint(get[float32](t, out))
	}
	all, want := text(func(d *diary) *run.Launch { return &run.Launch{Observer: d} })
	begin, end := strings.Index(all, "begin 3\n"), strings.Index(all, "end 3\n")
	if begin < 0 || end < begin {
		t.Fatal("there is no block 3")
	}
	asked := 0
	one, got := text(func(d *diary) *run.Launch {
		return &run.Launch{Workers: 3, ObserverOf: func(n int) run.Observer {
			asked++
			if n == 3 {
				return d
			}
			return nil
		}}
	})
	if got != want {
		t.Error("the result depends on who observes")
	}
	if one != all[begin:end+len("end 3\n")] {
		t.Errorf("of block 3 alone:\n%.2000s\nof all:\n%.2000s", one, all[begin:])
	}
	if asked != blocks {
		t.Errorf("asked of %d blocks", asked)
	}

	// Two observers, which want other things.
	var rest *diary
	one, got = text(func(d *diary) *run.Launch {
		rest = &diary{wants: run.Segments, p: d.p}
		return &run.Launch{Workers: 3, ObserverOf: func(n int) run.Observer {
			if n == 3 {
				return d
			}
			return rest
		}}
	})
	if got != want || one != all[begin:end+len("end 3\n")] || strings.Count(rest.b.String(), "begin") != blocks-1 {
		t.Errorf("%d blocks in\n%.1000s", blocks, rest.b.String())
	}
	for line := range strings.Lines(rest.b.String()) {
		// A segment has the same number whatever is observed.
		if strings.HasPrefix(line, "segment") && !strings.Contains(all, line) {
			t.Fatalf("nobody else is told: %s", line)
		}
	}
}

// TestObserverOfWaiting: a block that is observed waits for one that is not, and
// the other way round.
func TestObserverOfWaiting(t *testing.T) {
	const blocks = 9
	for _, workers := range []int{1, 2, 4} {
		for chosen := range blocks {
			b := program(t, "k.code", chosenText)
			d := &diary{wants: run.Statements, p: b.Image().Program}
			out := b.buffer("out", "int", make([]int32, blocks))
			b.launch(&run.Launch{
				Kernel: "k", Grid: dim(blocks, 1, 1), Block: dim(1, 1, 1), Args: args(out, blocks), Workers: workers,
				ObserverOf: func(n int) run.Observer {
					if n == chosen {
						return d
					}
					return nil
				},
			})
			for i, x := range get[int32](t, out) {
				if int(x) != 100+blocks-i {
					t.Fatalf("%d workers, block %d observed: block %d has %d", workers, chosen, i, x)
				}
			}
			if want := fmt.Sprintf("begin %d\n", chosen); !strings.HasPrefix(d.b.String(), want) || strings.Count(d.b.String(), "begin") != 1 {
				t.Fatalf("%s", d.b.String())
			}
		}
	}
}

func ramp(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%97) / 8
	}
	return x
}
