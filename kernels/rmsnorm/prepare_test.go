package rmsnorm_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/rmsnorm"
)

func floats(n int) launch.Buffer { return launch.Buffer{Type: "float", Data: make([]byte, 4*n)} }

func TestPrepare(t *testing.T) {
	for _, c := range []struct{ rows, blocks int }{{1, 1}, {8, 1}, {9, 2}, {300, 38}} {
		l, err := rmsnorm.Prepare(device.Separate, device.Float32, rmsnorm.Params{Rows: int64(c.rows), Columns: 3, Epsilon: 1e-6}, floats(3*c.rows), floats(3), floats(3*c.rows))
		if err != nil {
			t.Fatal(err)
		}
		if l.Grid != (launch.Dim3{X: c.blocks, Y: 1, Z: 1}) || l.Kernel.Symbol != "rmsnorm_warp_f32" || l.Args[0].Buffer.Out || l.Args[1].Buffer.Out || !l.Args[2].Buffer.Out {
			t.Errorf("%d rows: %+v", c.rows, l)
		}
	}
}

func TestPrepareRefuses(t *testing.T) {
	for _, c := range []struct {
		field, says   string
		precision     device.Precision
		params        rmsnorm.Params
		in, gain, out launch.Buffer
	}{
		{"precision", "float16", device.Float16, rmsnorm.Params{Rows: 2, Columns: 3}, floats(6), floats(3), floats(6)},
		{"rows", "at least 1", device.Float32, rmsnorm.Params{Rows: 0, Columns: 3}, floats(6), floats(3), floats(6)},
		{"columns", "at least 1", device.Float32, rmsnorm.Params{Rows: 2, Columns: -3}, floats(6), floats(3), floats(6)},
		{"columns", "2^59", device.Float32, rmsnorm.Params{Rows: 1 << 40, Columns: 1 << 40}, floats(6), floats(3), floats(6)},
		{"epsilon", "NaN", device.Float32, rmsnorm.Params{Rows: 2, Columns: 3, Epsilon: math.NaN()}, floats(6), floats(3), floats(6)},
		{"epsilon", "-1", device.Float32, rmsnorm.Params{Rows: 2, Columns: 3, Epsilon: -1}, floats(6), floats(3), floats(6)},
		{"epsilon", "in float32", device.Float32, rmsnorm.Params{Rows: 2, Columns: 3, Epsilon: 1e300}, floats(6), floats(3), floats(6)},
		{"in", "holds 5 elements", device.Float32, rmsnorm.Params{Rows: 2, Columns: 3}, floats(5), floats(3), floats(6)},
		{"gain", "holds 2 elements", device.Float32, rmsnorm.Params{Rows: 2, Columns: 3}, floats(6), floats(2), floats(6)},
		{"out", "holds 5 elements", device.Float32, rmsnorm.Params{Rows: 2, Columns: 3}, floats(6), floats(3), floats(5)},
	} {
		_, err := rmsnorm.Prepare(device.Separate, c.precision, c.params, c.in, c.gain, c.out)
		var bad *launch.ArgumentError
		if !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(bad.Reason, c.says) {
			t.Errorf("error %v, want one of %s with %q", err, c.field, c.says)
		}
	}
}
