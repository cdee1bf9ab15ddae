package launchfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"workbench/engine/dtype"
)

// Type is the type of a scalar, or of a buffer's elements.
type Type uint8

const (
	F16 Type = iota
	BF16
	F32
	F64
	I8
	U8
	I16
	U16
	I32
	U32
	I64
	U64
)

var typeTable = [...]struct {
	name, c string
	size    int
}{
	F16:  {"f16", "__half", 2},
	BF16: {"bf16", "__nv_bfloat16", 2},
	F32:  {"f32", "float", 4},
	F64:  {"f64", "double", 8},
	I8:   {"i8", "signed char", 1},
	U8:   {"u8", "unsigned char", 1},
	I16:  {"i16", "short", 2},
	U16:  {"u16", "unsigned short", 2},
	I32:  {"i32", "int", 4},
	U32:  {"u32", "unsigned int", 4},
	I64:  {"i64", "long long", 8},
	U64:  {"u64", "unsigned long long", 8},
}

// elsewhere are names of types that people bring along.
var elsewhere = map[string]Type{
	"half": F16, "float16": F16, "__half": F16, "bfloat16": BF16, "__nv_bfloat16": BF16,
	"float": F32, "float32": F32, "double": F64, "float64": F64,
	"char": I8, "signed char": I8, "int8": I8, "int8_t": I8, "bool": U8, "unsigned char": U8, "uint8": U8, "uint8_t": U8,
	"short": I16, "int16": I16, "int16_t": I16, "unsigned short": U16, "uint16": U16, "uint16_t": U16,
	"int": I32, "int32": I32, "int32_t": I32, "unsigned": U32, "unsigned int": U32, "uint32": U32, "uint32_t": U32,
	"long": I64, "long long": I64, "int64": I64, "int64_t": I64, "size_t": U64, "unsigned long": U64, "unsigned long long": U64, "uint64": U64, "uint64_t": U64,
}

// String returns the name in a file: "f32".
func (t Type) String() string {
	if int(t) < len(typeTable) {
		return typeTable[t].name
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// C returns what CUDA C calls it.
func (t Type) C() string { return typeTable[t].c }

// Size returns the bytes of one.
func (t Type) Size() int { return typeTable[t].size }

func (t Type) float() bool  { return t <= F64 }
func (t Type) signed() bool { return t == I8 || t == I16 || t == I32 || t == I64 }

func parseType(name string) (t Type, reason string) {
	for i := range typeTable {
		if typeTable[i].name == name {
			return Type(i), ""
		}
	}
	if t, ok := elsewhere[name]; ok {
		return 0, fmt.Sprintf("%s is not how a type is called here: write %q", clip(name), t.String())
	}
	var names []string
	for i := range typeTable {
		names = append(names, typeTable[i].name)
	}
	return 0, fmt.Sprintf("%s is not a type: write one of %s", clip(name), strings.Join(names, ", "))
}

// put appends the low bytes of a pattern.
func (t Type) put(to []byte, pattern uint64) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], pattern)
	return append(to, b[:t.Size()]...)
}

// pattern returns the bits of x rounded to a floating-point type.
func (t Type) pattern(x float64) uint64 {
	if x != x {
		return [...]uint64{F16: 0x7e00, BF16: 0x7fc0, F32: 0x7fc00000, F64: 0x7ff8000000000000}[t]
	}
	switch t {
	case F16:
		return uint64(dtype.Float16Bits(x))
	case BF16:
		return uint64(dtype.BFloat16Bits(x))
	case F32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// read appends the number that text writes.
func (t Type) read(to []byte, text string) (out []byte, reason string) {
	if t.float() {
		switch strings.ToLower(text) {
		case "nan":
			return t.put(to, t.pattern(math.NaN())), ""
		case "infinity", "inf", "+infinity", "+inf":
			return t.put(to, t.pattern(math.Inf(1))), ""
		case "-infinity", "-inf":
			return t.put(to, t.pattern(math.Inf(-1))), ""
		}
	}
	d, ok := parseDecimal(text)
	if !ok {
		if t.float() {
			return to, fmt.Sprintf(`%s is not a number: write a decimal, or "NaN", "Infinity" or "-Infinity"`, clip(text))
		}
		return to, fmt.Sprintf("%s is not a number: write a whole number", clip(text))
	}
	switch {
	case t == F64, t == F32:
		// What is beyond the largest value is an infinity, as rounding has it.
		x, _ := strconv.ParseFloat(text, 8*t.Size())
		return t.put(to, t.pattern(x)), ""
	case t.float():
		return t.put(to, t.pattern(t.nearest(text, d))), ""
	}
	whole, ok := d.whole()
	if !ok {
		return to, fmt.Sprintf("%s is not a whole number, and %s holds no other", clip(text), t)
	}
	bits := 8 * t.Size()
	if t.signed() {
		x, err := strconv.ParseInt(whole, 10, bits)
		if err != nil {
			return to, fmt.Sprintf("%s does not fit %s: %d to %d", clip(text), t, int64(-1)<<(bits-1), int64(1)<<(bits-1)-1)
		}
		return t.put(to, uint64(x)), ""
	}
	x, err := strconv.ParseUint(whole, 10, bits)
	if err != nil {
		return to, fmt.Sprintf("%s does not fit %s: 0 to %d", clip(text), t, uint64(math.MaxUint64)>>(64-bits))
	}
	return t.put(to, x), ""
}

// word returns the pattern of the element that begins data.
func (t Type) word(data []byte) uint64 {
	var b [8]byte
	copy(b[:], data[:t.Size()])
	return binary.LittleEndian.Uint64(b[:])
}

// Float returns the value of the element that begins data, of a floating-point
// type; ok is false for an integer.
func (t Type) Float(data []byte) (x float64, ok bool) {
	word := t.word(data)
	switch t {
	case F16:
		return dtype.Float16FromBits(uint16(word)), true
	case BF16:
		return dtype.BFloat16FromBits(uint16(word)), true
	case F32:
		return float64(math.Float32frombits(uint32(word))), true
	case F64:
		return math.Float64frombits(word), true
	}
	return 0, false
}

// Format writes the element that begins data: the shortest decimal that reads
// back to the same value of the type, or NaN, Infinity, -Infinity.
func (t Type) Format(data []byte) string {
	x, ok := t.Float(data)
	switch {
	case !ok && t.signed():
		shift := 64 - 8*t.Size()
		return strconv.FormatInt(int64(t.word(data)<<shift)>>shift, 10)
	case !ok:
		return strconv.FormatUint(t.word(data), 10)
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	bits := 32 // also for the types of 16 bits, whose values are float32 as well
	if t == F64 {
		bits = 64
	}
	format := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.FormatFloat(x, format, -1, bits)
}

// AppendJSON appends the elements of data as a JSON array, in which what JSON
// has no number for is a string.
func (t Type) AppendJSON(to, data []byte) []byte {
	to = append(to, '[')
	for i := 0; i+t.Size() <= len(data); i += t.Size() {
		if i > 0 {
			to = append(to, ',')
		}
		text := t.Format(data[i:])
		if c := text[len(text)-1]; c < '0' || c > '9' {
			text = strconv.Quote(text)
		}
		to = append(to, text...)
	}
	return append(to, ']')
}
