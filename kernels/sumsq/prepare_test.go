package sumsq_test

import (
	"errors"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/sumsq"
)

func floats(n int) launch.Buffer { return launch.Buffer{Type: "float", Data: make([]byte, 4*n)} }

// The grid is fixed: it depends on no size.
func TestPrepare(t *testing.T) {
	for _, n := range []int{0, 1, 5049, 300_000} {
		l, err := sumsq.Prepare(device.Separate, device.Float32, int64(n), floats(n), floats(sumsq.Blocks))
		if err != nil {
			t.Fatal(err)
		}
		if l.Grid != (launch.Dim3{X: sumsq.Blocks, Y: 1, Z: 1}) || l.Block != (launch.Dim3{X: sumsq.Threads, Y: 1, Z: 1}) || l.Args[0].Buffer.Out || !l.Args[1].Buffer.Out {
			t.Errorf("%d elements: %+v", n, l)
		}
	}
	if !strings.Contains(sumsq.Source.Text, "const int THREADS = 256;") {
		t.Error("the source has other blocks")
	}
}

func TestPrepareRefuses(t *testing.T) {
	for _, c := range []struct {
		field, says string
		precision   device.Precision
		n           int64
		x, partials launch.Buffer
	}{
		{"precision", "float16", device.Float16, 3, floats(3), floats(sumsq.Blocks)},
		{"n", "at least 0", device.Float32, -1, floats(3), floats(sumsq.Blocks)},
		{"x", "holds 3 elements", device.Float32, 4, floats(3), floats(sumsq.Blocks)},
		{"partials", "holds 1023 elements", device.Float32, 3, floats(3), floats(sumsq.Blocks - 1)},
	} {
		_, err := sumsq.Prepare(device.Separate, c.precision, c.n, c.x, c.partials)
		var bad *launch.ArgumentError
		if !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(bad.Reason, c.says) {
			t.Errorf("error %v, want one of %s with %q", err, c.field, c.says)
		}
	}
}

// The CPU adds in float64, where a float32 would lose what is small.
func TestTotal(t *testing.T) {
	partials := make([]float64, sumsq.Blocks+1)
	partials[0], partials[1], partials[sumsq.Blocks-1], partials[sumsq.Blocks] = 1<<24, 1, 1, 7 // the last is no partial sum
	for _, p := range sumsq.Source.Precisions {
		if got, err := sumsq.Total(p, p.AppendBytes(nil, partials)); err != nil || got != 1<<24+2 {
			t.Errorf("%s: %v, %v", p, got, err)
		}
		if _, err := sumsq.Total(p, p.AppendBytes(nil, partials[:sumsq.Blocks-1])); err == nil {
			t.Errorf("%s: too few partial sums are added up", p)
		}
	}
	if _, err := sumsq.Total(device.Float16, make([]byte, 1<<16)); err == nil {
		t.Error("partial sums in float16 are added up")
	}
}
