package watch_test

import (
	"context"
	"strings"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch"
)

func measure(t testing.TB, kernel string, n int) *launch.Measurement {
	t.Helper()
	b := load(t, "matmul.code", matmulText(t))
	left, right, out := b.floats("left", n*n), b.floats("right", n*n), b.floats("out", n*n)
	m := watch.NewMeasures()
	_, err := b.Launch(context.Background(), &run.Launch{
		Kernel: kernel, Grid: dim((n+15)/16, (n+15)/16, 1), Block: dim(16, 16, 1), Args: args(left, right, out, n, n, n),
		Observer: watch.Join(m, b.checks),
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := b.checks.Reports(); len(r) > 0 {
		t.Errorf("%d reports, first\n%s", len(r), r[0].Text())
	}
	return m.Measurement()
}

// TestMeasuresOfProducts has the figures of both products from their loops: that
// a value is fetched once per block and not once per thread is what tiles are
// for.
func TestMeasuresOfProducts(t *testing.T) {
	const n, blocks, warps = 48, 9, 72
	naive, tiled := measure(t, "naive", n), measure(t, "tiled", n)
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"naive: blocks", naive.Blocks, int64(blocks)},
		{"naive: threads", naive.Threads, int64(n * n)},
		{"naive: warps", naive.Warps, int64(warps)},
		{"naive: operations", naive.Flops, int64(2 * n * n * n)},
		{"naive: special", naive.Special, int64(0)},
		{"naive: lanes", naive.LaneEfficiency, 1.0},
		{"naive: diverged", naive.Diverged, int64(0)},
		{"naive: branches", naive.Branches, int64(warps * (1 + n + 1))},
		{"naive: barriers", naive.Barriers, int64(0)},
		{"naive: requests", naive.Loads.Requests, int64(warps * n * 2)},
		// A request for left has two values in two rows, one for right 16 in a row.
		{"naive: sectors", naive.Loads.Sectors, int64(warps * n * (2 + 2))},
		{"naive: lanes that load", naive.Loads.Lanes, int64(2 * n * n * n)},
		{"naive: stores", naive.Stores, launch.Traffic{Requests: warps, Lanes: n * n, Bytes: 4 * n * n, Distinct: 4 * n * n, Sectors: warps * 4, Transactions: naive.Stores.Transactions}},
		{"naive: left by lanes", naive.Buffers[0].LoadsPerElement, float64(n)},
		{"naive: left in a block", naive.Buffers[0].LoadsPerBlock, 16.0},
		{"naive: left by requests", naive.Buffers[0].FetchesPerElement, 3.0},
		{"naive: right by lanes", naive.Buffers[1].LoadsPerElement, float64(n)},
		{"naive: right by requests", naive.Buffers[1].FetchesPerElement, 24.0},
		{"naive: out", naive.Buffers[2], launch.ArrayCounts{Name: "out", Element: "float", Elements: n * n, Stored: n * n, Stores: n * n}},

		{"tiled: operations", tiled.Flops, int64(2 * n * n * n)},
		{"tiled: barriers", tiled.Barriers, int64(warps * 2 * n / 16)},
		{"tiled: requests", tiled.Loads.Requests, int64(warps * n / 16 * 2)},
		{"tiled: left by lanes", tiled.Buffers[0].LoadsPerElement, 3.0},
		{"tiled: left in a block", tiled.Buffers[0].LoadsPerBlock, 1.0},
		{"tiled: right in a block", tiled.Buffers[1].LoadsPerBlock, 1.0},
		{"tiled: most", tiled.Buffers[1].Most, int64(3)},
		{"tiled: shared loads", tiled.SharedLoads, launch.Banked{Requests: warps * n * 2, Lanes: 2 * n * n * n, Bytes: 8 * n * n * n, Turns: warps * n * 2}},
		{"tiled: shared stores", tiled.SharedStores.Conflicts, int64(0)},
		{"tiled: As", tiled.Shared[0].LoadsPerElement, float64(n / 16 * 16)},
		{"tiled: As stores", tiled.Shared[0].Stores, int64(blocks * n / 16 * 256)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if want := float64(naive.Flops) / float64(32*(naive.Loads.Sectors+naive.Stores.Sectors)); naive.ArithmeticIntensity != want {
		t.Errorf("intensity %v, want %v", naive.ArithmeticIntensity, want)
	}
	if naive.InstructionsPerWarp*warps != float64(naive.Instructions) || naive.Instructions < warps*n*9 {
		t.Errorf("%d instructions, %v per warp", naive.Instructions, naive.InstructionsPerWarp)
	}
	for _, c := range []struct {
		of   *launch.Measurement
		want string
	}{
		{naive, "left: 2304 elements; each value is loaded 16 times per block that uses it, 48 times in all, by 3 requests"},
		{tiled, "left: 2304 elements; each value is loaded once per block that uses it, 3 times in all, by 3 requests"},
		{tiled, "As: 256 elements in shared memory; each value that is stored is loaded 16 times, by 1 request; 6912 stores"},
	} {
		if !strings.Contains(c.of.Text(), c.want) {
			t.Errorf("no %q in\n%s", c.want, c.of.Text())
		}
	}
	var sum launch.Counts
	for _, l := range tiled.Lines {
		sum.Add(l.Counts)
	}
	if sum != tiled.Counts {
		t.Errorf("the lines sum up to %+v, the whole is %+v", sum, tiled.Counts)
	}
}

// TestMeasuresOfAnEdge has blocks that stick out: lanes that are there and do
// nothing, and branches where they part.
func TestMeasuresOfAnEdge(t *testing.T) {
	const n = 17
	m := measure(t, "naive", n)
	// To the right all 8 warps have one column within, below and in the corner the
	// first warp has a row.
	if m.Diverged != 8+1+1 {
		t.Errorf("%d branches diverged, want one for each warp that has lanes on both sides of an edge: 8, 1 and 1", m.Diverged)
	}
	if m.LaneEfficiency >= 1 || m.LaneEfficiency <= 0 {
		t.Errorf("lanes %v", m.LaneEfficiency)
	}
	if m.Flops != 2*n*n*n || m.Buffers[0].Loaded != n*n || m.Buffers[0].Most != n {
		t.Errorf("%d operations, left %+v", m.Flops, m.Buffers[0])
	}
}
