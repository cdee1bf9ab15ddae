package softmax_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/softmax"
)

func floats(n int) launch.Buffer { return launch.Buffer{Type: "float", Data: make([]byte, 4*n)} }

func TestPrepare(t *testing.T) {
	for _, c := range []struct{ rows, blocks int }{{1, 1}, {8, 1}, {9, 2}, {300, 38}} {
		l, err := softmax.Prepare(device.Separate, device.Float32, int64(c.rows), 3, floats(3*c.rows), floats(3*c.rows))
		if err != nil {
			t.Fatal(err)
		}
		if l.Grid != (launch.Dim3{X: c.blocks, Y: 1, Z: 1}) || l.Kernel.Symbol != "softmax_warp_f32" || l.Args[0].Buffer.Out || !l.Args[1].Buffer.Out {
			t.Errorf("%d rows: %+v", c.rows, l)
		}
	}
}

func TestPrepareRefuses(t *testing.T) {
	for _, c := range []struct {
		field, says   string
		precision     device.Precision
		rows, columns int64
		in, out       launch.Buffer
	}{
		{"precision", "bfloat16", device.BFloat16, 2, 3, floats(6), floats(6)},
		{"rows", "at least 1", device.Float32, 0, 3, floats(6), floats(6)},
		{"columns", "at least 1", device.Float32, 2, 0, floats(6), floats(6)},
		{"columns", "2^59", device.Float32, 1 << 30, 1 << 30, floats(6), floats(6)},
		{"columns", "2^59", device.Float32, 2, math.MaxInt64, floats(6), floats(6)},
		{"in", "holds 5 elements", device.Float32, 2, 3, floats(5), floats(6)},
		{"out", "holds 5 elements", device.Float32, 2, 3, floats(6), floats(5)},
	} {
		_, err := softmax.Prepare(device.Separate, c.precision, c.rows, c.columns, c.in, c.out)
		var bad *launch.ArgumentError
		if !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(bad.Reason, c.says) {
			t.Errorf("error %v, want one of %s with %q", err, c.field, c.says)
		}
	}
}
