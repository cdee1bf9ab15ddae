package add_test

import (
	"errors"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/add"
)

func floats(n int) launch.Buffer { return launch.Buffer{Type: "float", Data: make([]byte, 4*n)} }

func TestPrepare(t *testing.T) {
	for _, c := range []struct{ n, blocks int }{{1, 1}, {256, 1}, {257, 2}, {5049, 20}} {
		l, err := add.Prepare(device.Fused, device.Float32, int64(c.n), floats(c.n), floats(c.n), floats(c.n))
		if err != nil {
			t.Fatal(err)
		}
		if l.Grid != (launch.Dim3{X: c.blocks, Y: 1, Z: 1}) || l.Block.Count() != 256 || l.Kernel.Symbol != "add_element_f32" || l.Kernel.Contract != device.Fused {
			t.Errorf("%d elements: %+v of %s on %s", c.n, l.Kernel.Symbol, l.Block, l.Grid)
		}
		for i, a := range l.Args[:3] {
			if a.Buffer.Out != (i == 2) {
				t.Errorf("argument %s is copied back: %t", a.Name, a.Buffer.Out)
			}
		}
	}
}

func TestPrepareRefuses(t *testing.T) {
	for _, c := range []struct {
		field, says string
		precision   device.Precision
		n           int64
		x, y, out   launch.Buffer
	}{
		{"precision", "float16", device.Float16, 3, floats(3), floats(3), floats(3)},
		{"n", "from 1 to", device.Float32, 0, floats(3), floats(3), floats(3)},
		{"n", "from 1 to", device.Float32, -1, floats(3), floats(3), floats(3)},
		{"n", "from 1 to", device.Float32, 1<<39 + 1, floats(3), floats(3), floats(3)},
		{"x", "holds 2 elements", device.Float32, 3, floats(2), floats(3), floats(3)},
		{"y", "holds 2 elements", device.Float32, 3, floats(3), floats(2), floats(3)},
		{"out", "holds 2 elements", device.Float32, 3, floats(3), floats(3), floats(2)},
		{"x", `takes "double"`, device.Float64, 1, floats(3), floats(3), floats(3)},
	} {
		_, err := add.Prepare(device.Separate, c.precision, c.n, c.x, c.y, c.out)
		var bad *launch.ArgumentError
		if !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(bad.Reason, c.says) {
			t.Errorf("error %v, want one of %s with %q", err, c.field, c.says)
		}
	}
}
