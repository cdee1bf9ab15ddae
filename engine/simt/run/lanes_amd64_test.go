package run

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// plainly runs f without vector code.
func plainly(f func()) {
	defer func(v bool) { vectors = v }(vectors)
	vectors = false
	f()
}

// TestPlainLanes is TestLanes for a processor without vector code.
func TestPlainLanes(t *testing.T) { plainly(func() { TestLanes(t) }) }

// TestVectors holds what moves values and forms addresses in vectors against the
// Go code.
func TestVectors(t *testing.T) {
	if !vectors {
		t.Skip("this processor has no AVX2 or no FMA")
	}
	r := rand.New(rand.NewPCG(9, 10))
	data := make([]byte, 1000)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for n := range 3000 {
		var a, b v64
		var x, y v32
		for i := range a {
			a[i], b[i] = r.Uint64(), r.Uint64()
			x[i], y[i] = r.Uint32(), r.Uint32()
		}
		mask, c := r.Uint32(), r.Uint64()
		scale := []uint64{4, 8, 1, 12, ^uint64(3), 1 << 31, 1 << 40, 0xffffffff}[n%8]

		// Addresses: neighbours, one for all, anywhere, and now and then outside.
		base := uint64(1)<<40 + uint64(n%3)*8
		limit := uint64(len(data)) - 8
		var at v64
		for i := range at {
			switch n % 4 {
			case 0:
				at[i] = base + uint64(i)*4 + 16
			case 1:
				at[i] = base + 64
			case 2:
				at[i] = base + uint64(i)*8
			default:
				at[i] = base + uint64(r.IntN(120))*8
			}
		}
		if r.IntN(4) == 0 {
			at[r.IntN(32)] += []uint64{1, 2, 4, 1 << 20, 1 << 63, ^uint64(2047)}[r.IntN(6)]
		}
		all := func() []any {
			var out []any
			d32, d64 := y, b
			splat32(&d32, x[0])
			out = append(out, d32)
			splat64(&d64, c)
			out = append(out, d64)
			d32, d64 = y, b
			blend32(&d32, &x, mask)
			blend64(&d64, &a, mask)
			out = append(out, d32, d64)
			join64(&d64, &x, &y)
			low, high := x, y
			halve64(&low, &high, &a)
			out = append(out, d64, low, high)
			plus64(&d64, &a, c)
			out = append(out, d64)
			for _, signed := range []bool{false, true} {
				scaled64(&d64, &x, signed, scale, c)
				out = append(out, d64)
				scaledBase64(&d64, &b, &x, signed, scale, c)
				out = append(out, d64)
			}
			apart := at
			for i := range apart {
				apart[i] -= uint64(n%3) + base*(uint64(i)&uint64(n)>>2)
			}
			out = append(out, lanesApart(&at, &apart, uint64(n%3)))
			for _, size := range []uint64{1, 2, 4, 8, 16} {
				w := &Warp{Block: &Block{Grid: &Grid{machine: &Machine{global: []region{{}, {data: data[:limit+8]}}}}}, Active: every}
				if n%5 == 0 {
					w.Active = mask | 1
				}
				off := NewPointer(code.Global, 1)
				moved := at
				for i := range moved {
					moved[i] = uint64(off) + at[i] - base
				}
				ac := &access{kind: Load, t: types.F32, size: size, count: 1, width: size}
				ok := w.span(&moved, ac, &span{})
				out = append(out, ok)
				switch size {
				case 4:
					d32 := y
					if w.loadWord(&d32, &moved, 0, ac) {
						out = append(out, d32)
					}
					w.Block.Grid.machine.global[1].data = append([]byte(nil), data...)
					ac.kind = Store
					ok := w.storeWord(&x, &moved, 0, ac)
					out = append(out, ok, w.Block.Grid.machine.global[1].data)
				case 8:
					ac.t = types.F64
					d64 := moved
					if w.loadWide(&d64, &d64, 0, ac) {
						out = append(out, d64)
					}
					w.Block.Grid.machine.global[1].data = append([]byte(nil), data...)
					ac.kind = Store
					ok := w.storeWide(&a, &moved, 0, ac)
					out = append(out, ok, w.Block.Grid.machine.global[1].data)
				}
			}
			return out
		}
		got := all()
		var want []any
		plainly(func() { want = all() })
		if len(got) != len(want) {
			t.Fatalf("round %d: %d results, not %d", n, len(got), len(want))
		}
		for i := range want {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Fatalf("round %d, result %d (mask %x, scale %d):\n%x, not\n%x", n, i, mask, int64(scale), got[i], want[i])
			}
		}
	}
}
