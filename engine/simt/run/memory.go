package run

import (
	"fmt"
	"strconv"

	"workbench/engine/simt/code"
)

// Memory is one allocation: a buffer, a variable of the program, or an array of
// a block or a lane.
type Memory struct {
	Label    string // its name in messages
	Space    code.Space
	Number   int // in its space
	Size     int64
	Elem     string // C's name of an element
	ElemSize int    // bytes; 0 counts as 1
	Dims     []int  // extents, outermost first; none is one dimension as long as Size
	Pos      code.Pos

	Data []byte // of global, constant and parameter memory
}

// Pointer returns the address of its first byte.
func (m *Memory) Pointer() Pointer { return NewPointer(m.Space, m.Number) }

// Name writes a place in m as the source would: tile[3][16]. An offset that is
// outside has an index that is outside, in the outermost dimension.
func (m *Memory) Name(offset int64) string {
	size := int64(max(m.ElemSize, 1))
	at := floorDiv(offset, size)
	within := offset - at*size
	s := m.Label
	if s == "" {
		s = m.Space.String() + " memory"
	}
	if len(m.Dims) == 0 && m.Size <= size && at == 0 {
		// a single value
	} else {
		inner := m.Dims
		if len(inner) > 0 {
			inner = inner[1:]
		}
		indices := make([]int64, len(inner))
		for i := len(inner) - 1; i >= 0; i-- {
			d := int64(max(inner[i], 1))
			next := floorDiv(at, d)
			indices[i] = at - next*d
			at = next
		}
		s += "[" + strconv.FormatInt(at, 10) + "]"
		for _, i := range indices {
			s += "[" + strconv.FormatInt(i, 10) + "]"
		}
	}
	if within != 0 {
		s += fmt.Sprintf(" + %d bytes", within)
	}
	return s
}

// Extent writes how large m is: "1024 bytes, float [16][16]".
func (m *Memory) Extent() string {
	s := fmt.Sprintf("%d bytes", m.Size)
	if m.Elem == "" {
		return s
	}
	s += ", " + m.Elem
	if len(m.Dims) > 0 {
		s += " "
		for _, d := range m.Dims {
			s += fmt.Sprintf("[%d]", d)
		}
	} else if size := int64(max(m.ElemSize, 1)); m.Size != size {
		s += fmt.Sprintf(" [%d]", m.Size/size)
	}
	return s
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
