package device

import (
	"encoding/binary"
	"fmt"
	"math"

	"workbench/engine/dtype"
)

// Size returns the bytes of one element of the precision's format.
func (p Precision) Size() int {
	switch p {
	case Float64:
		return 8
	case Float32:
		return 4
	case Float16, BFloat16:
		return 2
	}
	panic("BUG: " + p.String() + " has no size")
}

// AppendBytes appends values as they lie in memory after packing: each rounded
// to the precision's format, its lowest byte first, without gaps. NVIDIA's GPUs
// and the processors that drive them agree on that order.
func (p Precision) AppendBytes(dst []byte, values []float64) []byte {
	switch p {
	case Float64:
		for _, x := range values {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
		}
	case Float32:
		for _, x := range values {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(dtype.RoundFloat32(x))))
		}
	case Float16:
		for _, x := range values {
			dst = binary.LittleEndian.AppendUint16(dst, dtype.Float16Bits(x))
		}
	case BFloat16:
		for _, x := range values {
			dst = binary.LittleEndian.AppendUint16(dst, dtype.BFloat16Bits(x))
		}
	default:
		panic(fmt.Sprintf("BUG: %s has no bytes", p))
	}
	return dst
}
