package check

import (
	"encoding/binary"
	"math"
)

func plusOne(bits uint32) uint32 { return math.Float32bits(math.Float32frombits(bits) + 1) }

func leUint64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
