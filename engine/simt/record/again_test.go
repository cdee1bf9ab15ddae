package record

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt/front"
	"workbench/engine/simt/run"
)

// taped records block n of a launch of language.cu.
func taped(t *testing.T, kernel string, grid, block, n int, count int32, bound int64, runs *int) *tape {
	t.Helper()
	text, err := os.ReadFile("testdata/language.cu")
	if err != nil {
		t.Fatal(err)
	}
	unit, err := front.Read("language.cu", string(text), front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	program, err := unit.Named(kernel)
	if err != nil {
		t.Fatal(err)
	}
	image, err := run.Compile(program)
	if err != nil {
		t.Fatal(err)
	}
	again := func(ctx context.Context, r *Recorder) error {
		*runs++
		m, err := run.New(image, 0)
		if err != nil {
			return err
		}
		var args [][]byte
		for _, name := range []string{"in", "out"} {
			x, err := m.Allocate(name, 8<<10, "float", 4)
			if err != nil {
				return err
			}
			for i := range 2 << 10 {
				binary.LittleEndian.PutUint32(x.Data[4*i:], math.Float32bits(float32(i)))
			}
			args = append(args, binary.LittleEndian.AppendUint64(nil, uint64(x.Pointer())))
		}
		l := &run.Launch{
			Kernel: kernel, Grid: launch.Dim3{X: grid, Y: 1, Z: 1}, Block: launch.Dim3{X: block, Y: 1, Z: 1},
			Args: append(args, binary.LittleEndian.AppendUint32(nil, uint32(count))),
		}
		r.Prepare(m, l)
		_, err = m.Launch(ctx, l)
		return err
	}
	list, err := Launch(context.Background(), []int{n}, Options{Bound: bound}, again)
	if err != nil {
		t.Fatal(err)
	}
	return list[0].t
}

// TestAgain makes every segment of a recording by itself, and again where it was
// dropped: byte by byte it is the one of a recording that had room for all and wrote
// them in one run, whether the launch goes on from a checkpoint, from the block's
// beginning, or from its own.
func TestAgain(t *testing.T) {
	for _, c := range []struct {
		name, kernel          string
		grid, block, n, count int
		checkpoints, alone    bool
		segments              int // at least so many are made again
	}{
		{"barriers", "long_one", 3, 64, 1, 3000, true, true, 8},
		{"rounds", "counted", 2, 96, 1, 700, true, true, 6},
		{"spinning", "ping", 2, 32, 1, 250, false, false, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := 0
			whole := taped(t, c.kernel, c.grid, c.block, c.n, int32(c.count), 1<<30, &runs)
			cut := taped(t, c.kernel, c.grid, c.block, c.n, int32(c.count), 1<<20, &runs)
			if !whole.complete || !cut.complete || len(cut.segments) != len(whole.segments) {
				t.Fatalf("%v %q, %v %q: %d segments and %d", whole.complete, whole.reason, cut.complete, cut.reason, len(whole.segments), len(cut.segments))
			}
			if got := cut.checks.begin != nil; got != c.alone {
				t.Errorf("the block can go on by itself: %v", got)
			}
			if got := len(cut.checks.list) > 1; got != c.checkpoints {
				t.Errorf("%d checkpoints", len(cut.checks.list))
			}
			if cut.bytes() > cut.bound {
				t.Errorf("%d bytes, of %d", cut.bytes(), cut.bound)
			}
			fetch(t, whole, len(whole.segments)-1)
			if runs != 3 {
				t.Errorf("%d runs", runs)
			}
			dropped := 0
			// Backwards, so that each is asked for alone, the first time in one go up to
			// there and then from the checkpoints that were on the way.
			for n := len(cut.segments) - 1; n >= 0; n-- {
				g := cut.segments[n]
				if g.key == nil {
					dropped++
				}
				fetch(t, cut, n)
				want := whole.segments[n]
				if !bytes.Equal(g.log, want.log) || g.first != want.first || g.steps != want.steps {
					t.Fatalf("segment %d was made again as another: %d bytes and %d, steps %d+%d and %d+%d", n, len(g.log), len(want.log), g.first, g.steps, want.first, want.steps)
				}
				if cut.bytes() > cut.bound {
					t.Fatalf("%d bytes, of %d", cut.bytes(), cut.bound)
				}
			}
			if dropped < c.segments || runs < 4 {
				t.Errorf("%d segments were dropped, and the launch ran %d times", dropped, runs)
			}
		})
	}
}

// fetch has a segment in memory.
func fetch(t *testing.T, x *tape, n int) {
	t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, err := x.fetch(context.Background(), n); err != nil {
		t.Fatalf("segment %d: %v", n, err)
	}
}
