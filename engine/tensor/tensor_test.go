package tensor

import (
	"slices"
	"strings"
	"testing"
)

// count returns a tensor with the values 1, 2, 3, … in row-major order.
func count(t testing.TB, shape ...int) *Tensor {
	t.Helper()
	out, err := New(shape...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Data() {
		out.Data()[i] = float64(i + 1)
	}
	return out
}

func TestNew(t *testing.T) {
	for _, shape := range [][]int{{}, {0}, {3}, {2, 3}, {2, 0, 3}} {
		got, err := New(shape...)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := Elements(shape)
		if !slices.Equal(got.Shape(), shape) || got.Rank() != len(shape) || got.Len() != n || len(got.Data()) != n {
			t.Errorf("New(%v) has shape %v and %d values", shape, got.Shape(), got.Len())
		}
		for _, x := range got.Data() {
			if x != 0 {
				t.Errorf("New(%v) holds %v", shape, x)
			}
		}
	}
	for _, shape := range [][]int{{-1}, {1_000_000, 1_000_000}, {1 << 40}, make([]int, MaxRank+1)} {
		if got, err := New(shape...); err == nil {
			t.Errorf("New(%v) = %v, want an error", shape, got.Shape())
		} else {
			shapeFault(t, err, "new", "")
		}
	}
}

func TestFromSlice(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6}
	got, err := FromSlice(data, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got.At(0, 0) != 1 || got.At(1, 0) != 4 || got.At(1, 2) != 6 || got.Dim(1) != 3 {
		t.Errorf("rows of %v: %v", got.Shape(), got.Data())
	}
	if scalar := Must(FromSlice([]float64{7})); scalar.At() != 7 || scalar.Rank() != 0 {
		t.Errorf("a scalar holds %v at rank %d", scalar.At(), scalar.Rank())
	}
	_, err = FromSlice(data, 2, 2)
	shapeFault(t, err, "from slice", "needs 4 values and was given 6")
	_, err = FromSlice(nil, 1_000_000, 1_000_000)
	shapeFault(t, err, "from slice", "has more than")
	_, err = FromSlice(nil, 2, -2)
	shapeFault(t, err, "from slice", "axis 1 is negative")
}

func TestFromRows(t *testing.T) {
	got, err := FromRows([][]float64{{1, 2, 3}, {4, 5, 6}})
	if err != nil || !slices.Equal(got.Shape(), []int{2, 3}) || !slices.Equal(got.Data(), []float64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("FromRows = %v, %v", got, err)
	}
	for _, c := range []struct {
		rows [][]float64
		want []int
	}{{nil, []int{0, 0}}, {[][]float64{{}, {}}, []int{2, 0}}} {
		if got, err := FromRows(c.rows); err != nil || !slices.Equal(got.Shape(), c.want) {
			t.Errorf("FromRows(%v) = %v, %v, want shape %v", c.rows, got, err, c.want)
		}
	}
	_, err = FromRows([][]float64{{1, 2}, {3, 4}, {5}})
	shapeFault(t, err, "from rows", "row 2 has 1 value and row 0 has 2")
	_, err = FromRows([][]float64{{}, {1}})
	shapeFault(t, err, "from rows", "row 1 has 1 value and row 0 has 0")
}

func TestTensorsShareOnlyWhatTheySay(t *testing.T) {
	shape := []int{2, 3}
	a := Must(New(shape...))
	shape[0] = 9
	a.Shape()[0] = 9
	if !slices.Equal(a.Shape(), []int{2, 3}) {
		t.Errorf("a caller changed the shape to %v", a.Shape())
	}
	b := a.Clone()
	flat, err := a.Reshape(6)
	if err != nil {
		t.Fatal(err)
	}
	a.Data()[4] = 5
	if b.Data()[4] != 0 {
		t.Error("a clone shares values")
	}
	if flat.At(4) != 5 {
		t.Error("a reshaped tensor does not share values")
	}
	if !a.SameShape(b) || a.SameShape(flat) {
		t.Error("SameShape is wrong")
	}
}

func TestTensorReshape(t *testing.T) {
	a := count(t, 2, 6)
	got, err := a.Reshape(3, 2, 2)
	if err != nil || got.At(2, 1, 0) != 11 {
		t.Errorf("Reshape = %v, %v", got, err)
	}
	_, err = a.Reshape(5)
	shapeFault(t, err, "reshape", "has 12 elements and 5 are asked for")
	_, err = a.Reshape(-12)
	shapeFault(t, err, "reshape", "negative")
	_, err = a.Reshape(1<<32, 1<<32)
	shapeFault(t, err, "reshape", "has more than")
	if empty, err := Must(New(0, 5)).Reshape(3, 0); err != nil || empty.Len() != 0 {
		t.Errorf("an empty tensor reshapes to %v, %v", empty, err)
	}
}

// panics returns what f panics with, as text; it fails the test if f returns.
func panics(t *testing.T, f func()) (message string) {
	t.Helper()
	defer func() {
		switch r := recover().(type) {
		case nil:
			t.Error("no panic")
		case string:
			message = r
		case error:
			message = r.Error()
		}
	}()
	f()
	return ""
}

func TestMust(t *testing.T) {
	if got := panics(t, func() { Must(New(-1)) }); !strings.HasPrefix(got, "BUG: new [-1]") {
		t.Errorf("Must panics with %q", got)
	}
}

func TestAtOutsidePanics(t *testing.T) {
	a := count(t, 2, 3)
	for _, at := range [][]int{{}, {0}, {2, 0}, {0, 3}, {-1, 0}, {0, -1}, {0, 0, 0}} {
		if got := panics(t, func() { a.At(at...) }); !strings.Contains(got, "[2, 3]") {
			t.Errorf("At(%v) panics with %q, want the shape in it", at, got)
		}
	}
}
