package cpu

import (
	"runtime"
	"testing"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// allocated returns how many bytes f takes from the heap, freed ones included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// An operand that repeats a few elements is never written out: what a request
// takes beside its output does not grow with the shape it is asked for. (Under
// the race detector the kept buffers are lost at random, and taken again.)
func TestRepeatedOperandsStaySmall(t *testing.T) {
	const most = 28 << 20 // bytes; each operand here, written out, has 32 MiB
	one := tensor.Must(tensor.FromSlice([]float64{0.1}, 1)).View()
	repeated := func(shape ...int) tensor.View {
		v, err := one.Broadcast(shape...)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	d := open(t, device.Separate)
	for _, precision := range device.Precisions {
		product := func(left, right tensor.View) func() error {
			return func() error {
				_, _, err := d.Multiply(t.Context(), device.Product{Left: left, Right: right, Precision: precision})
				return err
			}
		}
		for name, request := range map[string]func() error{
			"left":   product(repeated(2048, 2048), repeated(2048, 2)),
			"right":  product(repeated(2, 2048), repeated(2048, 2048)),
			"column": product(repeated(2048, 2048), repeated(2048, 1)),
			"scattered groups": func() error {
				_, _, err := d.Reduce(t.Context(), device.Reduction{Input: repeated(64, 1024, 64), Axis: 1, Precision: precision})
				return err
			},
		} {
			if n := allocated(func() {
				if err := request(); err != nil {
					t.Fatal(err)
				}
			}); n > most {
				t.Errorf("%s, %s: took %d bytes", name, precision, n)
			}
		}
	}
}

// Groups that lie scattered give the bits of their chains: ones that share a
// copy, ones that just fill it, and ones too long for it.
func TestScatteredGroups(t *testing.T) {
	const block = 640
	eachTier(t, func(t *testing.T, d *Device) {
		r := newRandom(19, true)
		for _, shape := range [][]int{{3, 5, 2}, {70, 13, 5}, {9, block / 4, 3}, {3, block, 3}, {3, block + 1, 3}, {2, 2*block + 7, 2}, {4, 3, 31, 7}} {
			in := randomTensor(r, shape...).View()
			plan, err := tensor.PlanAxis(in, len(shape)-2, false)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := rowsOf(plan.Groups); ok {
				t.Fatalf("the groups of %v do not lie scattered", shape)
			}
			for _, precision := range device.Precisions {
				out := make([]float64, plan.G)
				a := arithmetic{precision: precision, contract: d.spec.Contract, divisor: plan.K}
				if err := d.groups(t.Context(), plan, a, out, block); err != nil {
					t.Fatal(err)
				}
				for g, got := range out {
					group, err := plan.Group(g)
					if err != nil {
						t.Fatal(err)
					}
					chain, err := d.ExplainMean(t.Context(), precision, group)
					if err != nil {
						t.Fatal(err)
					}
					if !sameBits(got, chain.Result) {
						t.Errorf("%v in %s: mean %d is %v, want %v", shape, precision, g, got, chain.Result)
					}
				}
			}
		}
	})
}
