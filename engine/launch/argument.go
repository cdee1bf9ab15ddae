package launch

import (
	"encoding/binary"
	"fmt"

	"workbench/engine/device"
)

// Element returns the C type of a precision's elements: "float".
func Element(p device.Precision) string {
	switch p {
	case device.Float64:
		return "double"
	case device.Float32:
		return "float"
	case device.Float16:
		return "__half"
	case device.BFloat16:
		return "__nv_bfloat16"
	}
	panic(fmt.Sprintf("BUG: %s has no C type", p))
}

// Lacks says why b cannot stand for so many elements of a C type, whose size is
// in bytes; "" if it can. One that holds more than them does.
func (b Buffer) Lacks(ctype string, size int, elements int64) (reason string) {
	held := int64(len(b.Data) / size)
	switch {
	case b.Type != ctype:
		return fmt.Sprintf("its elements are %q, and the kernel takes %q", b.Type, ctype)
	case len(b.Data)%size != 0:
		return fmt.Sprintf("its %d bytes are no whole number of elements of %d bytes", len(b.Data), size)
	case held < elements:
		return fmt.Sprintf("it holds %d elements, and the kernel uses %d", held, elements)
	}
	return ""
}

// Integer returns the argument for a long long.
func Integer(name string, n int64) Arg {
	return Arg{Name: name, Value: binary.LittleEndian.AppendUint64(nil, uint64(n))}
}

// Buffers returns the buffer of each argument, nil for a value, and after them
// that of each pointer of the arguments, in their order.
func (l *Launch) Buffers() []*Buffer {
	out := make([]*Buffer, 0, len(l.Args))
	for _, a := range l.Args {
		out = append(out, a.Buffer)
	}
	for _, a := range l.Args {
		for _, p := range a.Pointers {
			out = append(out, p.Buffer)
		}
	}
	return out
}

// ElementSize returns the bytes of one element of a C type; 1 for one that is
// not known here.
func ElementSize(ctype string) int {
	switch ctype {
	case "short", "unsigned short", "__half", "half", "__nv_bfloat16":
		return 2
	case "int", "unsigned int", "unsigned", "float":
		return 4
	case "long long", "unsigned long long", "double":
		return 8
	}
	return 1
}
