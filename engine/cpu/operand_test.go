package cpu

import (
	"context"
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
// takes beside its output does not grow with the shape it is asked for.
func TestRepeatedOperandsStaySmall(t *testing.T) {
	const most = 12 << 20 // bytes; each operand here, written out, has 32 MiB
	one := tensor.Must(tensor.FromSlice([]float64{0.1}, 1)).View()
	repeated := func(shape ...int) tensor.View {
		v, err := one.Broadcast(shape...)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	eachTier(t, func(t *testing.T, d *Device) {
		if d.tier == plain {
			t.Skip("the reference reads operands where they are")
		}
		for _, precision := range device.Precisions {
			for name, request := range map[string]func() error{
				"left": func() error {
					_, _, err := d.Multiply(context.Background(), device.Product{Left: repeated(2048, 2048), Right: repeated(2048, 2), Precision: precision})
					return err
				},
				"right": func() error {
					_, _, err := d.Multiply(context.Background(), device.Product{Left: repeated(2, 2048), Right: repeated(2048, 2048), Precision: precision})
					return err
				},
				"column": func() error {
					_, _, err := d.Multiply(context.Background(), device.Product{Left: repeated(2048, 2048), Right: repeated(2048, 1), Precision: precision})
					return err
				},
				"sum": func() error {
					_, _, err := d.Reduce(context.Background(), device.Reduction{Input: repeated(2048, 2048), Axis: 1, Precision: precision})
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
	})
}

// layered returns a tensor of shape [first, K, last] with random values, whose
// groups along axis 1 no one stride leads through.
func layered(r random, first, k, last int) tensor.View { return randomTensor(r, first, k, last).View() }

// A sum whose groups lie scattered copies some of them at a time.
func TestScatteredGroupsStaySmall(t *testing.T) {
	d := open(t, device.Separate)
	in := layered(newRandom(17, false), 16, 4096, 64) // 32 MiB
	if n := allocated(func() {
		if _, _, err := d.Reduce(context.Background(), device.Reduction{Input: in, Axis: 1}); err != nil {
			t.Fatal(err)
		}
	}); n > 20<<20 {
		t.Errorf("took %d bytes", n)
	}
}

// Groups that lie scattered give the bits of their chains: many short ones that
// share a copy, ones that just fill it, and ones too long for it.
func TestScatteredGroups(t *testing.T) {
	eachTier(t, func(t *testing.T, d *Device) {
		r := newRandom(19, false)
		for _, in := range []tensor.View{
			layered(r, 3, 5, 2), layered(r, 700, 131, 5), layered(r, 2, gatherBlock/3, 3), layered(r, 2, gatherBlock+3, 2),
		} {
			for _, precision := range []device.Precision{device.Float64, device.BFloat16} {
				if precision != device.Float64 && in.Dim(1) > gatherBlock/4 {
					continue // the same path, and slow on the reference
				}
				out, _, err := d.Reduce(context.Background(), device.Reduction{Input: in, Axis: 1, Op: device.Mean, Precision: precision})
				if err != nil {
					t.Fatal(err)
				}
				plan, err := tensor.PlanAxis(in, 1, false)
				if err != nil {
					t.Fatal(err)
				}
				for g := 0; g < plan.G; g += 1 + plan.G/64 {
					group, err := plan.Group(g)
					if err != nil {
						t.Fatal(err)
					}
					chain, err := d.ExplainMean(t.Context(), precision, group)
					if err != nil {
						t.Fatal(err)
					}
					if got := out.Data()[g]; !sameBits(got, chain.Result) {
						t.Errorf("%v in %s: mean %d is %v, want %v", in.Shape(), precision, g, got, chain.Result)
					}
				}
			}
		}
	})
}
