package kernels_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/add"
	"workbench/kernels/embedding"
	"workbench/kernels/matmul"
	"workbench/kernels/rmsnorm"
	"workbench/kernels/softmax"
	"workbench/kernels/sumsq"
)

// mostCells bounds what a fuzzed launch computes.
const mostCells = 200

// FuzzPrepare holds every wrapper to what it is for: whatever sizes, strides and
// buffers come in, it refuses them with an error that names the field, or the
// launch neither leaves its buffers nor races, as the emulator sees it.
func FuzzPrepare(f *testing.F) {
	seed := func(kernel, precision byte, buffers [3]uint16, numbers ...int64) {
		data := []byte{kernel, precision}
		for _, n := range buffers {
			data = binary.LittleEndian.AppendUint16(data, n)
		}
		for _, n := range numbers {
			data = binary.AppendVarint(data, n)
		}
		f.Add(data)
	}
	seed(0, 0, [3]uint16{6, 6, 4}, 1, 2, 3, 2, 0, 3, 1, 0, 2, 1, 0, 2, 1, 0, 1, 0)
	seed(1, 1, [3]uint16{18, 12, 24}, 2, 3, 3, 4, 9, 1, 3, 0, 4, 1, 12, 4, 1, 3, -2, 1)
	seed(2, 1, [3]uint16{5, 5, 5}, 1, 1, 5, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0)
	seed(3, 0, [3]uint16{300, 300, 300}, 300)
	seed(4, 1, [3]uint16{165, 165, 0}, 5, 33)
	seed(5, 1, [3]uint16{165, 33, 165}, 5, 33, 1)
	seed(6, 0, [3]uint16{700, 1024, 0}, 700)
	seed(7, 1, [3]uint16{30, 50, 0}, 10, 5, 7, 3, 7, 9, 3, 7)
	seed(8, 1, [3]uint16{30, 50, 0}, 10, 5, 7, 3, 7, 9, 3, 7)
	seed(8, 1, [3]uint16{0, 50, 0}, math.MaxInt64, math.MinInt64)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 8 || len(data) > 400 {
			return
		}
		p := device.Precision(data[1] % 5) // one more than there are
		size, element := 4, "float"
		if p <= device.BFloat16 {
			size, element = p.Size(), launch.Element(p)
		}
		var buffers [3]launch.Buffer
		for i := range buffers {
			n := int(binary.LittleEndian.Uint16(data[2+2*i:])) % 1500
			buffers[i] = launch.Buffer{Type: element, Data: make([]byte, n*size+int(data[0]>>7))}
		}
		rest := data[8:]
		next := func() int64 {
			n, k := binary.Varint(rest)
			if k <= 0 {
				rest = nil
				return 1
			}
			rest = rest[k:]
			return n
		}
		var l *launch.Launch
		var err error
		cells := int64(0)
		switch kernel := data[0] & 15; kernel {
		case 0, 1, 2:
			m := matmul.Params{Batches: next(), Rows: next(), Terms: next(), Columns: next()}
			for _, s := range []*matmul.Strides{&m.Left, &m.Right, &m.Out} {
				*s = matmul.Strides{Batch: next(), Row: next(), Column: next()}
			}
			m.Divisor, m.Alpha, m.Accumulate = float64(next()), float64(next()), next() == 1
			l, err = matmul.Version(kernel).Prepare(device.Fused, p, m, buffers[0], buffers[1], buffers[2])
			cells = capped(m.Batches, m.Rows, m.Columns, m.Terms)
		case 3:
			l, err = add.Prepare(device.Fused, p, next(), buffers[0], buffers[1], buffers[2])
		case 4:
			l, err = softmax.Prepare(device.Fused, p, next(), next(), buffers[0], buffers[1])
		case 5:
			l, err = rmsnorm.Prepare(device.Fused, p, rmsnorm.Params{Rows: next(), Columns: next(), Epsilon: float64(next())}, buffers[0], buffers[1], buffers[2])
		case 6:
			l, err = sumsq.Prepare(device.Fused, p, next(), buffers[0], buffers[1])
		default:
			tokens, columns := next(), next()
			if tokens > 1<<20 {
				tokens |= 1 << 31 // a table of so many is refused and not sorted
			}
			var text []int32
			for len(rest) > 0 {
				text = append(text, int32(next()))
			}
			prepare := embedding.Atomic
			if kernel == 8 {
				prepare = embedding.Sorted
			}
			l, err = prepare(device.Fused, p, text, int(tokens), int(columns), buffers[0], buffers[1])
		}
		if err != nil {
			var argument *launch.ArgumentError
			var token *embedding.TokenError
			if !errors.As(err, &argument) && !errors.As(err, &token) || l != nil || argument != nil && (argument.Field == "" || argument.Reason == "") {
				t.Fatalf("refused with %v (%T), and the launch %v", err, err, l)
			}
			return
		}
		// Cells without terms may be many where nothing is read; one buffer holds
		// all cells of the rest.
		if cells > mostCells {
			return
		}
		r, err := emulator.Launch(t.Context(), l)
		if err != nil {
			t.Fatalf("%s passed and does not run: %v", l.Kernel.Symbol, err)
		}
		for _, report := range r.Reports {
			t.Fatalf("%s passed: %s: %s", l.Kernel.Symbol, report.Place, report.Message)
		}
	})
}

// capped multiplies extents of a product: at least 1 each, and not beyond mostCells + 1.
func capped(extents ...int64) int64 {
	n := int64(1)
	for _, e := range extents {
		if e = max(e, 1); e > mostCells || n*e > mostCells {
			return mostCells + 1
		}
		n *= e
	}
	return n
}
