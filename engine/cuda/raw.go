package cuda

import (
	"encoding/binary"
	"unsafe"
)

// raw returns how values lie in host memory as they do on the GPU; nil where they
// lie another way round.
func raw() func(values []float64) []byte {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil
	}
	return func(values []float64) []byte {
		if len(values) == 0 {
			return nil
		}
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 8*len(values))
	}
}
