package launch_test

import (
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
)

func TestLacks(t *testing.T) {
	for _, c := range []struct {
		ctype    string
		bytes    int
		elements int64
		want     string // "" for one that lacks nothing
	}{
		{"float", 12, 3, ""},
		{"float", 16, 3, ""},
		{"float", 0, 0, ""},
		{"float", 12, 4, "it holds 3 elements, and the kernel uses 4"},
		{"float", 13, 3, "no whole number"},
		{"double", 24, 3, `its elements are "double", and the kernel takes "float"`},
		{"", 12, 3, `its elements are ""`},
		{"float", 12, 1 << 62, "it holds 3 elements"},
	} {
		got := launch.Buffer{Type: c.ctype, Data: make([]byte, c.bytes)}.Lacks("float", 4, c.elements)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%d bytes of %q for %d floats: %q, want %q", c.bytes, c.ctype, c.elements, got, c.want)
		}
	}
}

func TestElement(t *testing.T) {
	want := map[device.Precision]string{device.Float64: "double", device.Float32: "float", device.Float16: "__half", device.BFloat16: "__nv_bfloat16"}
	for _, p := range device.Precisions {
		if got := launch.Element(p); got != want[p] {
			t.Errorf("%s is %q in C, want %q", p, got, want[p])
		}
	}
}

func TestInteger(t *testing.T) {
	if got := launch.Integer("n", -2); got.Name != "n" || got.Buffer != nil || string(got.Value) != "\xfe\xff\xff\xff\xff\xff\xff\xff" {
		t.Errorf("%+v", got)
	}
}

func TestBuffers(t *testing.T) {
	x, y, z := &launch.Buffer{}, &launch.Buffer{}, &launch.Buffer{}
	l := launch.Launch{Args: []launch.Arg{
		{Buffer: x},
		{Value: make([]byte, 16), Pointers: []launch.Pointer{{Offset: 0, Buffer: y}, {Offset: 8, Buffer: x}}},
		{Buffer: z},
		{Value: make([]byte, 8), Pointers: []launch.Pointer{{Buffer: z}}},
	}}
	if got, want := l.Buffers(), []*launch.Buffer{x, nil, z, nil, y, x, z}; !slices.Equal(got, want) {
		t.Errorf("%p, want %p", got, want)
	}
}
