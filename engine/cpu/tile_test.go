package cpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/tensor"
)

// random makes operands. Its values have full significands, magnitudes over
// sixteen powers of two and both signs; one in eight is special if asked for.
type random struct {
	*rand.Rand
	special bool
}

func newRandom(seed uint64, special bool) random {
	return random{rand.New(rand.NewPCG(seed, 1)), special}
}

var specials = []float64{
	math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1),
	0x1p-1074, -0x1p-1060, 0x1p-149, -0x1p-140, 0x1p-24, 0x1p-133,
	math.MaxFloat64, -math.MaxFloat64, math.MaxFloat32, 65504, -65520, 1, -1,
}

func (r random) value() float64 {
	if r.special && r.IntN(8) == 0 {
		return specials[r.IntN(len(specials))]
	}
	x := math.Ldexp(1+r.Float64(), r.IntN(16)-8)
	if r.IntN(2) == 0 {
		return -x
	}
	return x
}

// layouts are ways for a matrix to lie in its storage.
var layouts = []string{"rows", "columns", "padded", "reversed", "upside down", "sliced", "repeated"}

// matrix returns rows × columns values in a layout. What the view does not read
// are NaNs.
func (r random) matrix(layout string, rows, columns int) tensor.View {
	row, column := columns, 1
	switch layout {
	case "columns":
		row, column = 1, rows
	case "padded":
		row = columns + 3
	case "reversed":
		row, column = -columns, -1
	case "upside down":
		row = -columns
	case "sliced":
		row, column = 2*(3*columns+1), 3
	case "repeated":
		row = 0
	}
	low, high := 0, 0
	for _, span := range []int{(rows - 1) * row, (columns - 1) * column} {
		low, high = min(low, low+span), max(high, high+span)
	}
	const guard = 4
	data := make([]float64, high-low+1+2*guard)
	for i := range data {
		data[i] = math.NaN()
	}
	view, err := tensor.NewView(data, guard-low, []int{rows, columns}, []int{row, column})
	if err != nil {
		panic(err)
	}
	for _, at := range view.Indices() {
		data[at] = r.value()
	}
	return view
}

// sameBits is the comparison of the contract: every bit, but any NaN is any NaN.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// holdTiles computes a product with the device's tiles, on one worker and on
// several, and returns the first cell that differs from the reference.
func holdTiles(d *Device, left, right tensor.View, precision device.Precision) error {
	a := arithmetic{precision: precision, contract: d.spec.Contract}
	p := product{m: left.Dim(0), k: left.Dim(1), n: right.Dim(1), left: matrixOf(left), right: matrixOf(right)}
	want := make([]float64, p.m*p.n)
	p.out = want
	if err := reference(context.Background(), p, a); err != nil {
		return err
	}
	for _, workers := range []int{1, 3} {
		const guard = 64
		whole := make([]float64, len(want)+2*guard)
		for i := range whole {
			whole[i] = math.Pi
		}
		p.out = whole[guard:][:len(want)]
		clear(p.out)
		if err := d.tiled(context.Background(), p, a, workers); err != nil {
			return err
		}
		for q := range want {
			if !sameBits(p.out[q], want[q]) {
				return fmt.Errorf("%d workers: cell (%d, %d) is %v (%016x), want %v (%016x)", workers, q/p.n, q%p.n,
					p.out[q], math.Float64bits(p.out[q]), want[q], math.Float64bits(want[q]))
			}
		}
		for i, x := range whole {
			if (i < guard || i >= guard+len(want)) && x != math.Pi {
				return fmt.Errorf("%d workers: wrote %d elements from the output's start, of %d", workers, i-guard, len(want))
			}
		}
	}
	return nil
}

// awkward are sizes that no tile, panel or block divides, sizes at their edges,
// and each side alone.
func awkward() [][3]int {
	sizes := [][3]int{
		{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {17, 33, 9}, {5, 129, 31},
		{7, 11, 13}, {23, 29, 31}, {53, 59, 61},
		{1, 300, 50}, {50, 300, 1}, {1, 1, 300}, {300, 1, 1}, {1, 600, 1},
		{3, 4, 258}, {3, 258, 4},
		{31, depthBlock, 29}, {11, depthBlock - 1, 26}, {9, depthBlock + 1, 49}, {6, 2*depthBlock + 3, 17},
		{tallBlock + 1, 7, 25}, {2*tallBlock - 1, 3, 50},
		{3, 5, wideBlock + 1}, {9, 2, 2*wideBlock - 1},
	}
	for _, m := range []int{1, 2, 5, 6, 7, 8, 9, 12, 13} {
		for _, n := range []int{2, 3, 4, 7, 8, 9, 15, 16, 17, 23, 24, 25, 47, 48, 49, 97} {
			sizes = append(sizes, [3]int{m, 5, n})
		}
	}
	return sizes
}

func TestTilesEqualReference(t *testing.T) {
	eachTile(t, func(t *testing.T, d *Device) {
		for seed, size := range awkward() {
			for _, precision := range device.Precisions {
				r := newRandom(uint64(seed), (seed+int(precision))%2 == 0)
				left, right := r.matrix("rows", size[0], size[1]), r.matrix("rows", size[1], size[2])
				if err := holdTiles(d, left, right, precision); err != nil {
					t.Errorf("%v in %s, special values %t: %v", size, precision, r.special, err)
				}
			}
		}
	})
}

func TestTilesReadEveryLayout(t *testing.T) {
	eachTile(t, func(t *testing.T, d *Device) {
		for _, l := range layouts {
			for _, r := range layouts {
				for _, size := range [][3]int{{17, 33, 9}, {5, 129, 31}, {1, 300, 53}, {13, 270, 1}} {
					source := newRandom(uint64(size[0]), true)
					left, right := source.matrix(l, size[0], size[1]), source.matrix(r, size[1], size[2])
					for _, precision := range []device.Precision{device.Float64, device.Float32, device.Float16} {
						if err := holdTiles(d, left, right, precision); err != nil {
							t.Errorf("%v, left by %s, right by %s, in %s: %v", size, l, r, precision, err)
						}
					}
				}
			}
		}
	})
}

// TestBuffersHoldAnything: what an earlier request left in the buffers never
// reaches a result.
func TestBuffersHoldAnything(t *testing.T) {
	poison := func() {
		for range 8 {
			bad64 := slices.Repeat([]float64{math.NaN()}, 1<<17)
			bad32 := slices.Repeat([]float32{float32(math.Inf(1))}, 1<<17)
			give(&buffers64.left, slices.Clone(bad64))
			give(&buffers64.right, slices.Clone(bad64))
			give(&buffers64.edge, slices.Clone(bad64))
			give(&buffers64.operand, slices.Clone(bad64))
			give(&buffers32.left, slices.Clone(bad32))
			give(&buffers32.right, slices.Clone(bad32))
			give(&buffers32.edge, slices.Clone(bad32))
			give(&buffers32.sums, slices.Clone(bad32))
		}
	}
	eachTile(t, func(t *testing.T, d *Device) {
		r := newRandom(3, false)
		left, right := r.matrix("padded", 19, 37), r.matrix("sliced", 37, 29)
		for _, precision := range []device.Precision{device.Float64, device.Float32, device.Float16} {
			poison()
			if err := holdTiles(d, left, right, precision); err != nil {
				t.Errorf("%s: %v", precision, err)
			}
		}
	})
}

// FuzzTiles holds the tiles of every tier to the reference. The corpus are sizes
// at the edges of tiles and blocks.
func FuzzTiles(f *testing.F) {
	f.Add(uint16(1), uint16(1), uint16(1), uint8(0), uint8(0), uint64(1), true)
	f.Add(uint16(8), uint16(256), uint16(24), uint8(0), uint8(1), uint64(2), false)
	f.Add(uint16(9), uint16(257), uint16(49), uint8(3), uint8(4), uint64(3), true)
	f.Add(uint16(1), uint16(300), uint16(97), uint8(2), uint8(2), uint64(4), true)
	f.Fuzz(func(t *testing.T, m, k, n uint16, l, r uint8, seed uint64, special bool) {
		size := [3]int{int(m)%40 + 1, int(k)%600 + 1, int(n)%110 + 1}
		source := newRandom(seed, special)
		left := source.matrix(layouts[int(l)%len(layouts)], size[0], size[1])
		right := source.matrix(layouts[int(r)%len(layouts)], size[1], size[2])
		for _, tier := range tiers()[1:] {
			for _, contract := range []device.Contract{device.Separate, device.Fused} {
				d := &Device{spec: device.Spec{Kind: device.CPU, Contract: contract}, tier: tier}
				for _, precision := range []device.Precision{device.Float64, device.Float32, device.BFloat16} {
					if err := holdTiles(d, left, right, precision); err != nil {
						t.Errorf("%s, %s, %v in %s: %v", tier.name, contract, size, precision, err)
					}
				}
			}
		}
	})
}

// Rounding a half on its way in is the kernels' float32 rounding of what the
// format represents: exact.
func TestHalvesFitFloat32(t *testing.T) {
	r := newRandom(5, true)
	for range 10000 {
		x := r.value()
		for _, rounded := range []float64{dtype.RoundFloat16(x), dtype.RoundBFloat16(x)} {
			if !sameBits(float64(float32(rounded)), rounded) {
				t.Fatalf("%v rounds to %v, which float32 does not hold", x, rounded)
			}
		}
	}
}
