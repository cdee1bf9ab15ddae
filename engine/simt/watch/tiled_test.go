package watch_test

import (
	"reflect"
	"strings"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt/run"
)

// TestTiled deletes the barriers of the tiled product: which lines race, what the
// cause is, and that it is the same in every order of the warps.
func TestTiled(t *testing.T) {
	const n = 37
	type race struct {
		line, other int
		address     string
		cause       string
	}
	for _, c := range []struct {
		name    string
		deleted []int // barriers, the last first
		want    []race
	}{
		{"whole", nil, nil},
		{"no barrier behind the filling", []int{1}, []race{
			{113, 91, "As[0][0]", "no __syncthreads() between line 91, which writes As, and line 113"},
			{116, 105, "Bs[0][0]", "no __syncthreads() between line 105, which writes Bs, and line 116"},
		}},
		{"no barrier behind the use", []int{2}, []race{
			{91, 113, "As[0][0]", "no __syncthreads() between line 113, which reads As, and the next time that the loop comes to line 91"},
			{105, 116, "Bs[0][0]", "no __syncthreads() between line 116, which reads Bs, and the next time that the loop comes to line 105"},
		}},
		{"no barrier", []int{2, 1}, []race{
			{113, 91, "As[0][0]", "no __syncthreads() between line 91, which writes As, and line 113"},
			{116, 105, "Bs[0][0]", "no __syncthreads() between line 105, which writes Bs, and line 116"},
		}},
	} {
		text := matmulText(t)
		for _, nth := range c.deleted {
			text = without(t, text, "barrier sync", nth)
		}
		var first []launch.Report
		for seed := range uint64(12) {
			b := load(t, "matmul.code", text)
			left, right, out := b.floats("left", n*n), b.floats("right", n*n), b.floats("out", n*n)
			b.checks.Unwritten(out)
			got := b.run(&run.Launch{
				Kernel: "tiled", Grid: dim(3, 3, 1), Block: dim(16, 16, 1), Args: args(left, right, out, n, n, n),
				Seed: seed, Quantum: 20 + 50*int(seed),
			})
			for i := range got {
				if got[i].Count < 100 {
					t.Errorf("%s: seen %d times: %s", c.name, got[i].Count, got[i].Text())
				}
				got[i].Count = 0 // how often is up to the order
			}
			if seed > 0 {
				if !reflect.DeepEqual(got, first) {
					t.Errorf("%s, seed %d: %+v\nand with seed 0: %+v", c.name, seed, got, first)
				}
				continue
			}
			first = got
			if len(got) != len(c.want) {
				t.Errorf("%s: %d reports: %+v", c.name, len(got), got)
				continue
			}
			for i, w := range c.want {
				r := got[i]
				if r.Kind != launch.Race || r.Severity != launch.Fault || r.Line != w.line || r.Other.Line != w.other || r.Address != w.address || !strings.Contains(r.Cause, w.cause) {
					t.Errorf("%s: got\n%swant %+v", c.name, r.Text(), w)
				}
				if r.Source == "" || r.Block != r.Other.Block || r.Thread == r.Other.Thread {
					t.Errorf("%s: %+v and %+v", c.name, r.Place, *r.Other)
				}
			}
		}
	}
}
