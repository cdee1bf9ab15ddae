package device_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"workbench/engine/device"
)

// One is written with its lowest byte first in each format, and a value that a
// format lacks is rounded on its way in.
func TestAppendBytes(t *testing.T) {
	for _, c := range []struct {
		precision device.Precision
		x         float64
		want      string
	}{
		{device.Float64, 1, "000000000000f03f"},
		{device.Float64, 0.1, "9a9999999999b93f"},
		{device.Float64, math.Copysign(0, -1), "0000000000000080"},
		{device.Float64, math.Inf(1), "000000000000f07f"},
		{device.Float32, 1, "0000803f"},
		{device.Float32, 0.1, "cdcccc3d"},
		{device.Float32, 1e300, "0000807f"},
		{device.Float16, 1, "003c"},
		{device.Float16, 2049, "0068"},
		{device.Float16, 65520, "007c"},
		{device.BFloat16, 1, "803f"},
		{device.BFloat16, -2049, "00c5"},
	} {
		if got := fmt.Sprintf("%x", c.precision.AppendBytes(nil, []float64{c.x})); got != c.want {
			t.Errorf("%v in %s is %s, want %s", c.x, c.precision, got, c.want)
		}
	}
	for _, p := range device.Precisions {
		before := []byte{1, 2, 3}
		out := p.AppendBytes(before, []float64{1, math.NaN(), -3})
		if len(out) != 3+3*p.Size() || !slices.Equal(out[:3], before) {
			t.Errorf("three values of %s after three bytes are %x", p, out)
		}
	}
}
