package staged

import (
	"math"
	"testing"

	"workbench/engine/device"
)

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		p                Product
		left, right, out int
	}{
		{Product{B: 1, M: 2, K: 3, N: 4}, 48, 96, 64},
		{Product{B: 5, M: 2, K: 3, N: 4, Precision: device.Float32}, 120, 240, 160},
		{Product{B: 5, M: 2, K: 3, N: 4, Precision: device.Float16}, 60, 120, 80},
		{Product{B: 5, M: 2, K: 3, N: 4, Precision: device.BFloat16}, 60, 120, 80},
	} {
		l, r, o, err := c.p.Sizes()
		if err != nil || l != c.left || r != c.right || o != c.out {
			t.Errorf("%+v: %d, %d, %d, %v; want %d, %d, %d", c.p, l, r, o, err, c.left, c.right, c.out)
		}
	}
	const huge = 1 << 31
	for name, p := range map[string]Product{
		"too many bytes of left":   {B: 1, M: huge, K: huge, N: 1},
		"too many bytes of right":  {B: 1, M: 1, K: huge, N: huge},
		"too many bytes of out":    {B: 1, M: huge, K: 1, N: huge},
		"too many batches":         {B: huge, M: huge, K: 1, N: 1},
		"not beyond float16":       {B: 1 << 20, M: 1 << 21, K: 1 << 21, N: 1, Precision: device.Float16},
		"an unknown precision":     {B: 1, M: 1, K: 1, N: 1, Precision: 4},
		"an unknown contract":      {B: 1, M: 1, K: 1, N: 1, Contract: 2},
		"a library that separates": {B: 1, M: 1, K: 1, N: 1, Library: true},
		"a library's 64 bits":      {B: 1, M: math.MaxInt32 + 1, K: 1, N: 1, Contract: device.Fused, Library: true},
		"no batches":               {B: 0, M: 1, K: 1, N: 1},
		"no rows":                  {B: 1, M: 0, K: 1, N: 1},
		"no terms":                 {B: 1, M: 1, K: 0, N: 1},
		"no columns":               {B: 1, M: 1, K: 1, N: 0},
		"fewer than none":          {B: -1, M: -1, K: 1, N: 1},
	} {
		if l, r, o, err := p.Sizes(); err == nil {
			t.Errorf("%s: sizes %d, %d, %d", name, l, r, o)
		}
	}
}
