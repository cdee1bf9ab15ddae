package staged

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// awkward are values that no format takes as they are, or that a format treats
// in a way of its own.
var awkward = []float64{
	0, math.Copysign(0, -1), 1, -1.5, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-40, 0x1.fffffep127, 0x1.ffffffp127, 65519, 65520,
	0x1p-24, 0x1p-25, 0x1p-133, 0x1p-134, 0x1p-149, 0x1p-1074, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(),
	math.Float64frombits(0x7ff0000000000001), 0.1, math.Pi, -1e300, 1e-300,
}

// views are of every kind that pack tells apart.
func views(t testing.TB) map[string]tensor.View {
	random := rand.New(rand.NewPCG(8, 9))
	data := make([]float64, 200000)
	for i := range data {
		data[i] = float64(2*random.Float64()) - 1
	}
	copy(data[100:], awkward)
	out := map[string]tensor.View{}
	add := func(name string, offset int, shape, strides []int) {
		v, err := tensor.NewView(data, offset, shape, strides)
		if err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprintf("%s %v by %v", name, shape, strides)] = v
	}
	add("contiguous", 100, []int{5, 5}, []int{5, 1})
	add("contiguous, long", 3, []int{70001}, []int{1})
	add("contiguous, batch", 90, []int{3, 7, 11}, []int{77, 11, 1})
	add("one", 102, []int{1, 1}, []int{7, 9})
	add("a vector with a step", 5, []int{9001}, []int{3})
	add("a vector backwards", 150, []int{60}, []int{-1})
	add("a repeated value", 112, []int{5000}, []int{0})
	add("rows apart", 7, []int{9, 13}, []int{50, 1})
	add("a repeated row", 7, []int{9, 13}, []int{0, 1})
	add("repeated rows and columns", 120, []int{3, 4}, []int{0, 0})
	add("a repeated column", 7, []int{9, 13}, []int{1, 0})
	add("transposed", 95, []int{13, 9}, []int{1, 13})
	add("transposed, larger than a block", 0, []int{67, 521}, []int{1, 67})
	add("transposed, exactly blocks", 0, []int{32, 512}, []int{1, 32})
	add("transposed, batch", 1, []int{3, 17, 19}, []int{400, 1, 17})
	add("transposed, backwards", 400, []int{13, 9}, []int{-1, -13})
	add("long rows with a step", 1, []int{3, 9001}, []int{1, 7})
	add("rows with a step, far apart", 2, []int{3, 4100}, []int{60000, 7})
	add("two batch axes, one repeated", 4, []int{3, 2, 5, 7}, []int{1000, 0, 7, 1})
	add("batch backwards", 5000, []int{3, 5, 7}, []int{-1000, 1, 5})
	return out
}

// ways are those of packing float64.
var ways = map[string]func([]float64) []byte{
	"value by value": nil,
	"copied": func(values []float64) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 8*len(values))
	},
}

// Packing is what device.Precision.AppendBytes says of the elements in row-major
// order, whatever way it takes.
func TestPack(t *testing.T) {
	for name, v := range views(t) {
		for _, p := range device.Precisions {
			for how, raw := range ways {
				want := p.AppendBytes(nil, v.Pack().Data())
				got := bytes.Repeat([]byte{0xa5}, len(want)+16)
				if err := pack(t.Context(), got[8:len(want)+8], v, p, raw); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got[8:len(want)+8], want) {
					t.Errorf("%s in %s, %s: other bytes", name, p, how)
				}
				fence := bytes.Repeat([]byte{0xa5}, 8)
				if !bytes.Equal(got[:8], fence) || !bytes.Equal(got[len(want)+8:], fence) {
					t.Errorf("%s in %s, %s: bytes beside it were written", name, p, how)
				}
			}
		}
	}
}

func TestUnpack(t *testing.T) {
	for _, p := range device.Precisions {
		bytes := p.AppendBytes(nil, awkward)
		for how, raw := range ways {
			got := make([]float64, len(awkward))
			unpack(got, bytes, p, raw)
			for i, x := range awkward {
				want := p.Round(x)
				if math.Float64bits(got[i]) != math.Float64bits(want) && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
					t.Errorf("%v in %s comes back %s as %v, want %v", x, p, how, got[i], want)
				}
			}
		}
		one := make([]byte, 7*p.Size())
		ones(one, p)
		if want := p.AppendBytes(nil, []float64{1, 1, 1, 1, 1, 1, 1}); !slices.Equal(one, want) {
			t.Errorf("ones in %s: % x", p, one)
		}
	}
}

// A long packing looks at its context on the way.
func TestPackIsCancelled(t *testing.T) {
	one := tensor.Must(tensor.FromSlice([]float64{1}, 1)).View()
	for _, shape := range [][]int{{1 << 24}, {4096, 4096}} {
		v, err := one.Broadcast(shape...)
		if err != nil {
			t.Fatal(err)
		}
		looks := 0
		ctx := counting{t.Context(), &looks}
		to := make([]byte, 2<<24)
		if err := pack(ctx, to, v, device.Float16, nil); !errors.Is(err, context.Canceled) || looks > 101 {
			t.Errorf("%v: %v after %d looks", shape, err, looks)
		}
		if to[len(to)-1] != 0 {
			t.Errorf("%v was packed to its end", shape)
		}
	}
}

// counting is done after a hundred looks at it.
type counting struct {
	context.Context
	looks *int
}

func (c counting) Err() error {
	if *c.looks++; *c.looks > 100 {
		return context.Canceled
	}
	return nil
}

func BenchmarkPack(b *testing.B) {
	const n = 1024
	data := make([]float64, n*n)
	for i := range data {
		data[i] = float64(i)
	}
	straight := tensor.Must(tensor.FromSlice(data, n, n)).View()
	transposed, err := straight.Transpose(0, 1)
	if err != nil {
		b.Fatal(err)
	}
	to := make([]byte, 8*n*n)
	for name, v := range map[string]tensor.View{"contiguous": straight, "transposed": transposed} {
		for _, p := range device.Precisions {
			b.Run(name+"/"+p.String(), func(b *testing.B) {
				b.SetBytes(int64(n * n * p.Size()))
				for b.Loop() {
					if err := pack(b.Context(), to[:n*n*p.Size()], v, p, ways["copied"]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
