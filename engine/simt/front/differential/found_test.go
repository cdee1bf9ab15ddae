package differential_test

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt/front"
	"workbench/engine/simt/run"
)

// TestFound has what random kernels brought to light, each by itself: the body of
// a kernel for one thread, and what it is to write. Where C++ leaves a value open
// it is what NVRTC 11.8 makes of it.
func TestFound(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []int32
	}{
		{"a case is an int where a bool is switched on", `
			switch (in > 0) { case 6: case 7: out[0] = 1; break; case 1: out[0] = 2; break; default: out[0] = 3; }
			switch ((signed char)in) { case 200: out[1] = 1; break; case 5: out[1] = 2; }`, []int32{2, 2}},
		{"a constant becomes a short by way of an int", `
			out[0] = (short)65504.0f; out[1] = (unsigned char)1.09e9f; out[2] = (short)-8.03e215; out[3] = (signed char)300.0f; out[4] = (unsigned short)70000.0; out[5] = (unsigned char)-5.0f;
			float x = in; out[6] = (short)(x * 13100.8f); out[7] = (unsigned char)-x;`, []int32{-32, 128, 0, 44, 4464, 0, -32, 0}},
		{"a NaN of constants is that of a GPU", `
			float x = -__int_as_float(0x7fffffff); double y = 0.0 / 0.0; float z = 0.0f / 0.0f; double w = (double)x;
			out[0] = __float_as_int(x - x); out[1] = __double2hiint(y); out[2] = __float_as_int(z); out[3] = __double2hiint(w); out[4] = __float_as_int(-z);`, []int32{0x7fffffff, -0x80000, 0x7fffffff, -0x80000, -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			unit, err := front.Read("found.cu", "__global__ void k(int* out, int in) {"+c.body+"}", front.Options{})
			if err != nil {
				t.Fatal(err)
			}
			program, err := unit.Program("k")
			if err != nil {
				t.Fatal(err)
			}
			image, err := run.Compile(program)
			if err != nil {
				t.Fatal(err)
			}
			m, err := run.New(image, 0)
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Allocate("out", int64(4*len(c.want)), "int", 4)
			if err != nil {
				t.Fatal(err)
			}
			one := launch.Dim3{X: 1, Y: 1, Z: 1}
			l := &run.Launch{Kernel: "k", Grid: one, Block: one, Args: [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(out.Pointer())), {5, 0, 0, 0}}}
			if _, err := m.Launch(context.Background(), l); err != nil {
				t.Fatal(err)
			}
			var got []int32
			for i := range c.want {
				got = append(got, int32(binary.LittleEndian.Uint32(out.Data[4*i:])))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
