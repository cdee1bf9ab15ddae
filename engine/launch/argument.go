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

// Plain says why l needs more than pointers to buffers of their own and values
// without pointers; nil if it does not. It is an *ArgumentError for a Launcher
// that takes no more than that.
func (l *Launch) Plain() error {
	refuse := func(field, format string, args ...any) error {
		return &ArgumentError{Symbol: l.Kernel.Symbol, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	if len(l.Constants) > 0 {
		return refuse("constants", "%s is set before the launch, which this device cannot do: pass it as an argument", l.Constants[0].Name)
	}
	first := map[*Buffer]int{}
	for i, a := range l.Args {
		field := fmt.Sprintf("args[%d]", i)
		if len(a.Pointers) > 0 {
			return refuse(field, "%q is a struct with pointers, which this device cannot fill in: pass each buffer as an argument", a.Name)
		}
		if a.Buffer == nil {
			continue
		}
		if j, again := first[a.Buffer]; again {
			return refuse(field, "%q is the buffer of args[%d], and each argument has its own on this device: pass it once", a.Name, j)
		}
		first[a.Buffer] = i
	}
	return nil
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
