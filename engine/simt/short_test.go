package simt_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt"
)

// Elements of two bytes, by all lanes and by some, with and without an observer: at
// every end of their memory and beyond it.
func TestShortElements(t *testing.T) {
	const source = `__global__ void k(const unsigned short* x, unsigned* out, int from, int by) {
	int i = threadIdx.x;
	unsigned v = x[i];
	if (i % 3) v += 5 * x[63 - i];
	for (int k = 0; k < 4; k++) v = 7 * v + x[60 * k / 4 + i % 16];
	out[i] = v;
	if (i % 2 == by) out[i] += *(const unsigned short*)((const char*)x + 2 * i + from);
}
`
	x := make([]uint16, 64)
	var bytes []byte
	for i := range x {
		x[i] = uint16(40503 * (i + 1))
		bytes = binary.LittleEndian.AppendUint16(bytes, x[i])
	}
	for _, e := range []*simt.Emulator{{}, {Unmeasured: true, Unchecked: launch.ReportKinds}} {
		run := func(from, by int32) (*launch.Result, error) {
			return e.Launch(t.Context(), kernel("k", source, 64,
				launch.Arg{Name: "x", Buffer: &launch.Buffer{Type: "unsigned short", Data: bytes}},
				launch.Arg{Name: "out", Buffer: &launch.Buffer{Type: "unsigned", Data: make([]byte, 256), Out: true}},
				launch.Arg{Name: "from", Value: words(from)}, launch.Arg{Name: "by", Value: words(by)}))
		}
		r, err := run(0, 1)
		if err != nil || len(r.Reports) > 0 {
			t.Fatal(r, err)
		}
		for i := range x {
			want := uint32(x[i])
			if i%3 != 0 {
				want += 5 * uint32(x[63-i])
			}
			for k := range 4 {
				want = 7*want + uint32(x[60*k/4+i%16])
			}
			if i%2 == 1 {
				want += uint32(x[i])
			}
			if got := binary.LittleEndian.Uint32(r.Buffers[1][4*i:]); got != want {
				t.Errorf("element %d is %d, not %d", i, got, want)
			}
		}
		for _, bad := range []struct {
			from, by int32
			kind     launch.ReportKind
		}{{2, 1, launch.OutOfBounds}, {-2, 0, launch.OutOfBounds}, {1, 0, launch.Misaligned}} {
			r, err := run(bad.from, bad.by)
			var fault *device.FaultError
			if found := err == nil && len(r.Reports) == 1 && r.Reports[0].Kind == bad.kind; !found && !errors.As(err, &fault) {
				t.Errorf("%+v: %v, %v", bad, r, err)
			}
		}
	}
}
