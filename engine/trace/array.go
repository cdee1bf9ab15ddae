package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"workbench/engine/tensor"
)

// MaxInputElements bounds an Array: a page shows every element.
const MaxInputElements = 1 << 16

// Array is a tensor in an input: nested lists of numbers, [[1, 2], [3, 4]], or
// {"shape": [2, 2], "values": [1, 2, 3, 4]}, which can also spell an empty axis.
// Numbers that JSON lacks are the strings "NaN", "Infinity" and "-Infinity".
type Array struct{ *tensor.Tensor }

// flatArray is the second spelling.
type flatArray struct {
	Shape  []int         `json:"shape"`
	Values tensor.Values `json:"values"`
}

// MarshalJSON writes nested lists where they can spell the shape.
func (a Array) MarshalJSON() ([]byte, error) {
	if a.Tensor == nil {
		return []byte("null"), nil
	}
	shape := a.Shape()
	if slices.Contains(shape, 0) {
		return json.Marshal(flatArray{shape, a.Data()})
	}
	return json.Marshal(nest(shape, a.Data()))
}

func nest(shape []int, values []float64) any {
	if len(shape) == 0 {
		return tensor.Number(values[0])
	}
	if len(shape) == 1 {
		return tensor.Values(values)
	}
	rows := make([]any, shape[0])
	size := len(values) / shape[0]
	for i := range rows {
		rows[i] = nest(shape[1:], values[i*size:(i+1)*size])
	}
	return rows
}

// UnmarshalJSON reads either spelling. A ragged list, a value that is no number
// and a shape that does not fit are errors that name the place: a *FieldError of
// "shape" or "values" in the second spelling.
func (a *Array) UnmarshalJSON(text []byte) error {
	text = bytes.TrimSpace(text)
	if bytes.Equal(text, []byte("null")) {
		return fmt.Errorf("write a list of rows, such as [[1, 2], [3, 4]]")
	}
	if len(text) > 0 && text[0] == '{' {
		var flat flatArray
		if err := decodeObject(text, &flat); err != nil {
			return err
		}
		n, err := inputSize(flat.Shape)
		if err != nil {
			return &FieldError{"shape", err.Error()}
		}
		if n != len(flat.Values) {
			return &FieldError{"values", fmt.Sprintf("has %d values, and the shape %s needs %d", len(flat.Values), tensor.FormatShape(flat.Shape), n)}
		}
		t, err := tensor.FromSlice(flat.Values, flat.Shape...)
		if err != nil {
			return err
		}
		a.Tensor = t
		return nil
	}
	var reader nestedReader
	if err := reader.read(text); err != nil {
		return err
	}
	if _, err := inputSize(reader.shape); err != nil {
		return err
	}
	t, err := tensor.FromSlice(reader.values, reader.shape...)
	if err != nil {
		return err
	}
	a.Tensor = t
	return nil
}

// inputSize returns the number of elements of an input's shape.
func inputSize(shape []int) (int, error) {
	n, err := tensor.Elements(shape)
	if err != nil {
		return 0, err
	}
	if n > MaxInputElements {
		return 0, fmt.Errorf("%s has %d elements, and an example takes at most %d: use a smaller shape", tensor.FormatShape(shape), n, MaxInputElements)
	}
	return n, nil
}

// nestedReader flattens nested lists and holds every list against the first of
// its depth.
type nestedReader struct {
	shape  []int // lengths of the first list of each depth
	known  int   // depth of numbers; 0 until the first is met, then plus 1
	values []float64
	place  []int // of what is being read
}

func (r *nestedReader) read(text json.RawMessage) error {
	text = bytes.TrimSpace(text)
	depth := len(r.place)
	if len(text) == 0 || text[0] != '[' {
		if depth < len(r.shape) {
			return fmt.Errorf("%s is a number where the others are lists: every row has the same form", placeName(r.place))
		}
		var n tensor.Number
		if err := n.UnmarshalJSON(text); err != nil {
			return fmt.Errorf("%s: %w", placeName(r.place), err)
		}
		if len(r.values) >= MaxInputElements {
			return fmt.Errorf("has more than %d elements, the most an example takes: use a smaller one", MaxInputElements)
		}
		r.known = depth + 1
		r.values = append(r.values, float64(n))
		return nil
	}
	if depth == tensor.MaxRank {
		return fmt.Errorf("is nested more than %d deep", tensor.MaxRank)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		return err
	}
	switch {
	case r.known != 0 && depth+1 >= r.known:
		return fmt.Errorf("%s is a list where the others are numbers: every row has the same form", placeName(r.place))
	case depth == len(r.shape):
		r.shape = append(r.shape, len(items))
	case r.shape[depth] != len(items):
		first := "the first of its kind"
		if depth == 1 {
			first = "row 0"
		}
		return fmt.Errorf("%s has %s and %s has %d: every row has the same length", placeName(r.place), plural(len(items), "value"), first, r.shape[depth])
	}
	r.place = append(r.place, 0)
	for i, item := range items {
		r.place[depth] = i
		if err := r.read(item); err != nil {
			return err
		}
	}
	r.place = r.place[:depth]
	return nil
}

// placeName names a position as people count rows here: from 0.
func placeName(place []int) string {
	switch len(place) {
	case 0:
		return "the value"
	case 1:
		return fmt.Sprintf("row %d", place[0])
	}
	return fmt.Sprintf("element %s", tensor.FormatShape(place))
}
