package dtype

import (
	"fmt"
	"math"
)

// BlockValues is how many values of a row share a scale in a quantised matrix.
const BlockValues = 32

// Q4 is a matrix of values of four bits, as kernels read it: the codes of all
// blocks, their scales, and for the affine kind offsets, in three arrays. A row is
// its blocks one after the other.
//
//	codes    byte   0        1        …  15          16 bytes a block
//	         low    value 0  value 1     value 15    the lower four bits of the byte
//	         high   value 16 value 17    value 31    the upper four
//	scales   one float16 a block
//	offsets  one bfloat16 for each Group blocks of a row that follow each other
//
//	value = (code − 8) · scale             codes are 0 to 15, and 8 is zero
//	value = (code − 8) · scale + offset    affine
//
// The product is exact in float32, which has 24 bits for 4 + 11, so a value of the
// affine kind is rounded once, whether or not a compiler fuses the two.
type Q4 struct {
	Rows, Columns int      // Columns is a multiple of BlockValues
	Codes         []byte   // [Rows][Columns/2]
	Scales        []uint16 // [Rows][Columns/32], float16 patterns
	Group         int      // blocks with one offset; 0 without offsets
	Offsets       []uint16 // [Rows][Columns/(32·Group)], bfloat16 patterns
}

// Q8 is a matrix of values of eight bits: signed codes in the order of the values,
// and one float32 scale a block.
//
//	value = code · scale    rounded to float32
type Q8 struct {
	Rows, Columns int       // Columns is a multiple of BlockValues
	Codes         []int8    // [Rows][Columns]
	Scales        []float32 // [Rows][Columns/32]
}

// A BlockError is a matrix that has no quantised form.
type BlockError struct {
	Row, Column int     // of the first value that has none; −1 if the shape has none
	Value       float32 // there
	Reason      string
}

func (e *BlockError) Error() string {
	if e.Row < 0 {
		return "quantised blocks: " + e.Reason
	}
	return fmt.Sprintf("quantised blocks: value %v at [%d, %d] %s", e.Value, e.Row, e.Column, e.Reason)
}

// checkBlocks refuses a shape that is no matrix of blocks, and values that are no
// numbers.
func checkBlocks(rows, columns int, values []float32) error {
	refuse := func(format string, args ...any) error {
		return &BlockError{Row: -1, Column: -1, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case rows < 0 || columns < 0 || columns%BlockValues != 0:
		return refuse("a matrix of %d rows and %d columns: rows are made of blocks of %d values", rows, columns, BlockValues)
	case columns > 0 && rows > math.MaxInt/columns || len(values) != rows*columns:
		return refuse("%d values are no matrix of %d rows and %d columns", len(values), rows, columns)
	}
	for i, x := range values {
		if x-x != 0 {
			return &BlockError{Row: i / columns, Column: i % columns, Value: x, Reason: "is not finite"}
		}
	}
	return nil
}

// EncodeQ4 quantises a row-major matrix. The value of a block that is farthest from
// zero, the first one of several, gets the code 0: the scale is an eighth of it with
// the sign turned, rounded to float16. Every value then gets the code whose own
// value is nearest, the even one of two that are equally near.
//
// A block whose scale rounds to zero has the codes of zero, and one whose scale
// would be infinite is a *BlockError.
func EncodeQ4(rows, columns int, values []float32) (*Q4, error) {
	if err := checkBlocks(rows, columns, values); err != nil {
		return nil, err
	}
	m := &Q4{Rows: rows, Columns: columns}
	if err := m.encode(values); err != nil {
		return nil, err
	}
	return m, nil
}

// EncodeAffineQ4 quantises a row-major matrix with an offset for each group blocks
// of a row. The offset is the middle of the group's values, rounded to bfloat16, and
// the scale of a block is made, as EncodeQ4 does, of the value that is farthest from
// the offset.
func EncodeAffineQ4(rows, columns, group int, values []float32) (*Q4, error) {
	if err := checkBlocks(rows, columns, values); err != nil {
		return nil, err
	}
	if group < 1 || columns/BlockValues%group != 0 {
		return nil, &BlockError{Row: -1, Column: -1, Reason: fmt.Sprintf("groups of %d blocks do not divide the %d blocks of a row", group, columns/BlockValues)}
	}
	m := &Q4{Rows: rows, Columns: columns, Group: group}
	for len(m.Offsets)*group*BlockValues < len(values) {
		of := values[len(m.Offsets)*group*BlockValues:][:group*BlockValues]
		low, high := of[0], of[0]
		for _, x := range of {
			low, high = min(low, x), max(high, x)
		}
		// Halves of float32 values and their sum are exact or rounded far below
		// what a bfloat16 keeps.
		m.Offsets = append(m.Offsets, BFloat16Bits(float64(low)/2+float64(high)/2))
	}
	if err := m.encode(values); err != nil {
		return nil, err
	}
	return m, nil
}

// encode fills in codes and scales; the offsets are there.
func (m *Q4) encode(values []float32) error {
	m.Codes, m.Scales = make([]byte, len(values)/2), make([]uint16, len(values)/BlockValues)
	for b := range m.Scales {
		block := values[b*BlockValues:][:BlockValues]
		offset := float64(m.offset(b))
		farthest, at := 0.0, 0
		for i, x := range block {
			if away := float64(x) - offset; math.Abs(away) > math.Abs(farthest) {
				farthest, at = away, i
			}
		}
		m.Scales[b] = Float16Bits(farthest / -8)
		if !(math.Abs(Float16FromBits(m.Scales[b])) < math.Inf(1)) {
			at += b * BlockValues
			return &BlockError{Row: at / m.Columns, Column: at % m.Columns, Value: values[at], Reason: "needs a scale that float16 does not have: it must be below 524160 in magnitude, its offset taken away"}
		}
		if m.Scales[b]&^0x8000 == 0 {
			m.Scales[b] = 0 // no values of either sign
			for i := range block {
				m.Codes[b*BlockValues/2+i%16] |= byte(8 << (i / 16 * 4))
			}
			continue
		}
		for i, x := range block {
			code := nearest(x, 0, 15, func(code int) float32 { return m.value(b, code) })
			m.Codes[b*BlockValues/2+i%16] |= byte(code << (i / 16 * 4))
		}
	}
	return nil
}

// nearest returns the code from first to last whose value is nearest to x, the
// even one of two. The values of the codes must ascend or descend. A value between
// two neighbours is compared with the middle between them, which is exact: they are
// float32, and no neighbours of these formats differ by more than 2^20 in size.
func nearest(x float32, first, last int, value func(code int) float32) int {
	step := 1
	if value(first) > value(last) {
		first, last, step = last, first, -1
	}
	// All codes below low have a neighbour above that is at least as near, and all
	// codes above high one below.
	low, high := first*step, last*step
	for low < high {
		code := (low + (high-low)/2) * step
		middle := (float64(value(code)) + float64(value(code+step))) / 2
		if float64(x) > middle || float64(x) == middle && code%2 != 0 {
			low = (code + step) * step
		} else {
			high = code * step
		}
	}
	return low * step
}

// offset returns the offset of a block, 0 without offsets.
func (m *Q4) offset(block int) float32 {
	if m.Group == 0 {
		return 0
	}
	// A row is a whole number of groups, so groups may be counted through.
	return float32(BFloat16FromBits(m.Offsets[block/m.Group]))
}

// value returns the value of a code in a block.
func (m *Q4) value(block, code int) float32 {
	scaled := float32(float32(code-8) * float32(Float16FromBits(m.Scales[block]))) // exact
	if m.Group == 0 {
		return scaled
	}
	return scaled + m.offset(block)
}

// Code returns the code of a value.
func (m *Q4) Code(row, column int) int {
	block, i := (row*m.Columns+column)/BlockValues, column%BlockValues
	return int(m.Codes[block*BlockValues/2+i%16] >> (i / 16 * 4) & 15)
}

// At returns a value.
func (m *Q4) At(row, column int) float32 {
	return m.value((row*m.Columns+column)/BlockValues, m.Code(row, column))
}

// Decode returns all values, row after row.
func (m *Q4) Decode() []float32 {
	out := make([]float32, 0, m.Rows*m.Columns)
	for r := range m.Rows {
		for c := range m.Columns {
			out = append(out, m.At(r, c))
		}
	}
	return out
}

// EncodeQ8 quantises a row-major matrix. The scale of a block is the 127th part of
// its largest magnitude, rounded to float32, and down where 127 of it would overflow;
// every value then gets the code from −127 to 127 whose own value is nearest, the even
// one of two that are equally near.
// A block whose scale rounds to zero has the codes of zero.
func EncodeQ8(rows, columns int, values []float32) (*Q8, error) {
	if err := checkBlocks(rows, columns, values); err != nil {
		return nil, err
	}
	m := &Q8{Rows: rows, Columns: columns, Codes: make([]int8, len(values)), Scales: make([]float32, len(values)/BlockValues)}
	for b := range m.Scales {
		block := values[b*BlockValues:][:BlockValues]
		largest := 0.0
		for _, x := range block {
			largest = max(largest, math.Abs(float64(x)))
		}
		scale := float32(largest / 127)
		if math.IsInf(float64(127*scale), 1) {
			scale = math.Nextafter32(scale, 0)
		}
		if m.Scales[b] = scale; scale == 0 {
			continue
		}
		for i, x := range block {
			m.Codes[b*BlockValues+i] = int8(nearest(x, -127, 127, func(code int) float32 { return float32(code) * m.Scales[b] }))
		}
	}
	return m, nil
}

// At returns a value.
func (m *Q8) At(row, column int) float32 {
	i := row*m.Columns + column
	return float32(m.Codes[i]) * m.Scales[i/BlockValues]
}

// Decode returns all values, row after row.
func (m *Q8) Decode() []float32 {
	out := make([]float32, 0, len(m.Codes))
	for i, code := range m.Codes {
		out = append(out, float32(code)*m.Scales[i/BlockValues])
	}
	return out
}
