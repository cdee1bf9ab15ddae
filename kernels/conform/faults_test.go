package conform_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"workbench/engine/launch"
	"workbench/kernels/conform"
)

// A kernel with a planted fault fails a case that is about it: by its result, or
// where the order of the threads decides what that is, by a race.
func TestPlantedFaults(t *testing.T) {
	for _, f := range []struct {
		name     string
		old, new string
		fails    string // a case
		race     string // what a report of it says of an element: a shared array's name
	}{
		{"tiles are used before they are complete", "__syncthreads(); // the tiles are complete", "", "matmul_tiled_f32/separate/17×33×9", "_tile["},
		{"tiles are overwritten while others use them", "__syncthreads(); // nobody needs them any more", "", "matmul_tiled_f32/separate/17×33×9", "_tile["},
		{"the last tile is filled up with zeros", "if (k0 + TILE <= m.terms)", "if (true)", "matmul_tiled_f32/fused/edges", ""},
		{"the last tile is filled up with zeros", "if (terms == DEPTH)", "if (true)", "matmul_blocked_f64/fused/edges", ""},
		{"a block writes beyond its last row", "CELLS * y + r < rows", "true", "matmul_blocked_f32/separate/67×23×71", ""},
		{"registers are used for other columns than they are stored to", "right_tile[k][x + THREADS * c]", "right_tile[k][CELLS * x + c]", "matmul_blocked_f32/separate/67×23×71", ""},
		{"a column stride is forgotten", "left += m.left.column", "left += 1", "matmul_naive_f32/separate/17×33×9", ""},
		{"a batch stride is forgotten", "right + b * m.right.batch", "right", "matmul_naive_f32/separate/5×129×31", ""},
		{"what out held is not added", "sum = sum + *cell;", "", "matmul_tiled_f64/separate/1×1×1", ""},
		{"the terms descend", "sum = widen(*left) * widen(*right) + sum;", "sum = widen(left[(m.terms - 1 - 2 * k) * m.left.column]) * widen(right[(m.terms - 1 - 2 * k) * m.right.row]) + sum;", "matmul_naive_f64/separate/17×33×9", ""},
		{"a grid is not walked", "j += across", "j += m.columns", "matmul_naive_f32/separate/grids", ""},
		{"the last element is left out", "i < n", "i < n - 1", "add_element_f32/separate/257", ""},
		{"the maximum is not subtracted", "sum = sum + exponential(from[c] - largest);", "sum = sum + exponential(from[c]);", "softmax_warp_f32/separate/5×129", ""},
		{"half of the lanes are left out", "int away = 16; away > 0", "int away = 8; away > 0", "softmax_warp_f64/separate/5×129", ""},
		{"epsilon is not added", "mean + (Number)n.epsilon", "mean", "rmsnorm_warp_f32/separate/edges", ""},
		{"the mean of a warp's columns", "/ (Number)n.columns", "/ 32", "rmsnorm_warp_f64/separate/17×33", ""},
		{"an element comes twice", "i += (long long)gridDim.x * THREADS)", "i += (long long)gridDim.x * THREADS - 1)", "sumsq_sweep_f32/separate/262151", ""},
		{"a step reads what is not there yet", "__syncthreads(); // the sums that this step reads are there", "", "sumsq_sweep_f64/separate/5049", "sums["},
		{"positions are added backwards", "int n = begin; n < end; n++", "int n = end - 1; n >= begin; n--", "embedding_sorted_f32/separate/129 positions of 5 tokens", ""},
		{"a row is written over", "atomicAdd(&gradient[t * e.columns + c], upstream[i])", "gradient[t * e.columns + c] = upstream[i]", "embedding_atomic_f32/separate/17 positions of 7 tokens", ""},
	} {
		found := false
		for _, c := range conform.Cases() {
			if c.Name != f.fails {
				continue
			}
			found = true
			e := &edited{Launcher: unwatched, old: f.old, new: f.new}
			if f.race != "" {
				e.Launcher = checked{emulator}
			}
			err := c.Run(t.Context(), e)
			var r *reported
			switch {
			case err == nil:
				t.Errorf("%s: %s passes", f.name, c.Name)
			case f.race == "":
			case !errors.As(err, &r) || r.reports[0].Kind != launch.Race || !strings.Contains(r.reports[0].Address, f.race):
				t.Errorf("%s: %s gives %v, expected a race for %s…", f.name, c.Name, err, f.race)
			}
			if !e.done {
				t.Errorf("%s: the source does not say %q", f.name, f.old)
			}
		}
		if !found {
			t.Errorf("there is no case %s", f.fails)
		}
	}
}

// doctored changes what comes back from a launch.
type doctored struct {
	launch.Launcher
	change func(l *launch.Launch, r *launch.Result)
}

func (d doctored) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	r, err := d.Launcher.Launch(ctx, l)
	if err == nil {
		d.change(l, r)
	}
	return r, err
}

// A result that is wrong in any way fails every case that looks at it.
func TestDoctored(t *testing.T) {
	out := func(l *launch.Launch) int { // the argument that a launch writes
		last := 0
		for i, a := range l.Args {
			if a.Buffer != nil {
				last = i
			}
		}
		return last
	}
	calls := 0
	for _, d := range []struct {
		name   string
		change func(l *launch.Launch, r *launch.Result)
		says   string
	}{
		{"the lowest bit of the last cell", func(l *launch.Launch, r *launch.Result) {
			b, size := r.Buffers[out(l)], 4
			if strings.HasSuffix(l.Kernel.Symbol, "f64") {
				size = 8
			}
			b[len(b)-4*size] ^= 1 // there are three behind it
		}, "elements are wrong"},
		{"a fence", func(l *launch.Launch, r *launch.Result) {
			b := r.Buffers[out(l)]
			b[len(b)-1] ^= 1
		}, "elements are wrong"},
		{"all of the result is NaN", func(l *launch.Launch, r *launch.Result) {
			for i := range r.Buffers[out(l)] {
				r.Buffers[out(l)][i] = 0xff
			}
		}, "elements are wrong"},
		{"an input", func(l *launch.Launch, r *launch.Result) { r.Buffers[0][0] ^= 1 }, "may only read"},
		{"a buffer is missing", func(l *launch.Launch, r *launch.Result) { r.Buffers = r.Buffers[:len(r.Buffers)-1] }, "buffers of"},
		{"a buffer is short", func(l *launch.Launch, r *launch.Result) { r.Buffers[0] = r.Buffers[0][1:] }, "bytes after the launch"},
		{"the second time is different", func(l *launch.Launch, r *launch.Result) {
			calls++
			r.Buffers[out(l)][0] ^= byte(calls)
		}, ""},
	} {
		for _, name := range []string{
			"add_element_f32/separate/257", "matmul_tiled_f64/separate/17×33×9", "matmul_blocked_f32/separate/views",
			"softmax_warp_f64/separate/17×33", "rmsnorm_warp_f32/separate/9×32", "sumsq_sweep_f32/separate/5049",
			"embedding_sorted_f64/separate/17 positions of 7 tokens", "embedding_atomic_f32/separate/33 positions of 258 tokens",
		} {
			if d.name == "the lowest bit of the last cell" && (strings.HasPrefix(name, "softmax") || strings.HasPrefix(name, "rmsnorm") || strings.HasPrefix(name, "sumsq")) {
				continue // within their bounds
			}
			for _, c := range conform.Cases() {
				if c.Name != name {
					continue
				}
				if err := c.Run(t.Context(), doctored{emulator, d.change}); err == nil || !strings.Contains(err.Error(), d.says) {
					t.Errorf("%s: %s gives %v", d.name, name, err)
				}
			}
		}
	}
}

// The bounds are not so wide that nothing could be outside: a result that is off by
// one in ten thousand is.
func TestBoundsAreNarrow(t *testing.T) {
	for _, c := range conform.Cases() {
		switch c.Name {
		case "softmax_warp_f32/separate/31×257", "rmsnorm_warp_f32/separate/31×257", "sumsq_sweep_f32/separate/19995":
		default:
			continue
		}
		err := c.Run(t.Context(), doctored{emulator, func(l *launch.Launch, r *launch.Result) {
			for i, a := range l.Args {
				if a.Buffer == nil || !strings.Contains("out partials", a.Name) {
					continue
				}
				for at := 0; at+4 <= len(r.Buffers[i])-12; at += 4 { // but for the fence
					x := math.Float32frombits(le.Uint32(r.Buffers[i][at:])) * 1.0001
					le.PutUint32(r.Buffers[i][at:], math.Float32bits(x))
				}
			}
		}})
		if err == nil {
			t.Errorf("%s: a result that is off by one in ten thousand passes", c.Name)
		}
	}
}
