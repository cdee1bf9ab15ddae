// Package bytesofanoperand checks the exercise of that name.
package bytesofanoperand

import (
	"encoding/binary"
	"math"
	"slices"

	"workbench/lessons/lesson"
)

// Check has numbers all of whose bytes differ, and those that are none.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "Bytes", Signature: "func(values []float64) []byte"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	var calls []lesson.Call
	for _, t := range []struct {
		name   string
		values []float64
	}{
		{"the number 1", []float64{1}},
		{"a row of three", []float64{4, 5, 6}},
		{"tenths", []float64{0.1, -0.2, 0.3}},
		{"eight bytes, each different", []float64{math.Float64frombits(0x1a2b3c4d5e6f7081)}},
		{"the smallest above 0", []float64{math.SmallestNonzeroFloat64, math.MaxFloat64}},
		{"−0, ∞ and a NaN", []float64{math.Copysign(0, -1), math.Inf(1), math.Float64frombits(0x7ff8000000000123)}},
		{"nothing", []float64{}},
	} {
		want := []byte{}
		var high []float64
		for _, v := range t.values {
			want = binary.LittleEndian.AppendUint64(want, math.Float64bits(v))
			for _, b := range binary.BigEndian.AppendUint64(nil, math.Float64bits(v)) {
				high = append(high, float64(b))
			}
		}
		call := lesson.Call{Name: t.name, Function: "Bytes", Args: []any{t.values}, Want: []any{want}, Shapes: [][]int{{len(want)}}}
		if !slices.Equal(high, numbers(want)) {
			call.Mistakes = []lesson.Mistake{{
				Array: "0", Values: high,
				Text: "the highest byte of each value comes first: that is big-endian, and GPUs and most processors are little-endian",
			}}
		}
		calls = append(calls, call)
	}
	return calls
}

func numbers(bytes []byte) []float64 {
	var out []float64
	for _, b := range bytes {
		out = append(out, float64(b))
	}
	return out
}
