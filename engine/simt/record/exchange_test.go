package record_test

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

// TestExchanges holds what lanes get against what CUDA's manual says that they get of
// what the others give, and what they give against the variables that hold it.
func TestExchanges(t *testing.T) {
	_, r := recorded(t, &simt.Emulator{}, language(t, "exchanges", 1, 64, 0), launch.Index{})
	tape := r.Tape()
	if !tape.Exchanges {
		t.Error("the tape has no exchanges")
	}
	seen := map[string]int{}
	distance := []int{16, 16}
	for step := 0; ; {
		next, found, err := r.Seek(context.Background(), step, launch.Goal{Kind: launch.GoalExchange})
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			break
		}
		step = next
		m, err := r.At(context.Background(), step, launch.View{})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Exchanges) == 0 {
			t.Fatalf("step %d has no exchange", step)
		}
		vars := m.Warps[m.Warp].Frames[0].Vars
		for _, x := range m.Exchanges {
			seen[x.Kind]++
			n := bits.OnesCount32(x.Lanes)
			if len(x.Gives) != n || len(x.Gets) != n || x.Place.Line != m.Place.Line || x.From != nil && len(x.From) != n {
				t.Fatalf("step %d: %+v", step, x)
			}
			at := func(lane int) int { return bits.OnesCount32(x.Lanes & (1<<lane - 1)) }
			in := func(lane int) bool { return x.Lanes>>lane&1 != 0 }
			for lane := range 32 {
				if !in(lane) {
					continue
				}
				from, want := -1, ""
				switch {
				case x.Kind == "shuffle down":
					d := distance[m.Warp]
					if v, _ := value(vars, "d", lane); v != strconv.Itoa(d) {
						t.Fatalf("step %d: d is %s", step, v)
					}
					if from = lane + d; from > 31 {
						from = lane
					}
					if v, _ := value(vars, "v", lane); v != x.Gives[at(lane)] {
						t.Fatalf("step %d, lane %d: v is %s, and it gives %s", step, lane, v, x.Gives[at(lane)])
					}
				case x.Kind == "shuffle up":
					if from = lane - 1; lane%8 == 0 {
						from = lane
					}
					if x.Gives[at(lane)] != fmt.Sprint((32*m.Warp+lane)*(32*m.Warp+lane)) {
						t.Errorf("lane %d gives %s", lane, x.Gives[at(lane)])
					}
				case x.Kind == "shuffle xor":
					from = lane ^ 5
					if x.Gives[at(lane)] != fmt.Sprint(float64(32*m.Warp+lane+1)/4*3) {
						t.Errorf("lane %d gives %s", lane, x.Gives[at(lane)])
					}
				case x.Kind == "shuffle" && n == 32:
					from = lane / 2
				case x.Kind == "shuffle":
					from = 19
				case x.Kind == "ballot":
					mask := uint32(0)
					for l := range 32 {
						if in(l) && x.Gives[at(l)] == "true" {
							mask |= 1 << l
						}
					}
					if want = fmt.Sprintf("%#x", mask); n != 20 || mask == 0 {
						t.Errorf("%d lanes say %#x", n, mask)
					}
				case x.Kind == "vote any":
					want = fmt.Sprint(slices.Contains(x.Gives, "true"))
				case x.Kind == "vote all":
					want = fmt.Sprint(!slices.Contains(x.Gives, "false"))
				case x.Kind == "match any":
					mask := uint32(0)
					for l := range 32 {
						if l%5 == lane%5 {
							mask |= 1 << l
						}
					}
					want = fmt.Sprintf("%#x", mask)
				case x.Kind == "reduce add":
					want = fmt.Sprint(31 * 32 / 2)
				case x.Kind == "reduce max":
					want = "15"
				}
				if from >= 0 {
					if x.From[at(lane)] != from {
						t.Fatalf("step %d, %s: lane %d reads lane %d, want %d", step, x.Kind, lane, x.From[at(lane)], from)
					}
					want = x.Gives[at(from)]
				}
				if got := x.Gets[at(lane)]; got != want || strings.HasPrefix(x.Kind, "shuffle") != (x.From != nil) {
					t.Fatalf("step %d, %s: lane %d gets %s, want %s", step, x.Kind, lane, got, want)
				}
			}
			if x.Kind == "shuffle down" {
				distance[m.Warp] /= 2
			}
		}
	}
	for kind, n := range map[string]int{
		"shuffle down": 10, "shuffle up": 2, "shuffle xor": 2, "shuffle": 4, "ballot": 2, "vote any": 2, "vote all": 2, "match any": 2, "reduce add": 2, "reduce max": 2,
	} {
		if seen[kind] != n {
			t.Errorf("%d of %s, want %d", seen[kind], kind, n)
		}
	}
}
