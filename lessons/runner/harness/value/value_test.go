package value

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

type view struct {
	Data    []float64
	Shape   [2]int
	Name    string
	private int
}

// Every bit goes there and back, and what cannot be said in JSON does too.
func TestRoundTrip(t *testing.T) {
	nan := math.Float64frombits(0x7ff8_0000_0000_1234)
	for _, x := range []any{
		0, -3, int64(math.MaxInt64), uint64(math.MaxUint64), uint8(200), true, "", "a\n\"b\" ] }", "\x00\xff",
		1.5, math.Copysign(0, -1), math.Inf(-1), nan, math.SmallestNonzeroFloat64, float32(0.1),
		[]float64{}, []float64(nil), [][]int{{1, 2}, {}, nil}, []string{"x y", "z"},
		view{[]float64{1, nan}, [2]int{3, 4}, "v", 0}, [][2]int{{1, 2}},
	} {
		line := string(Append(nil, reflect.ValueOf(x)))
		v, rest, err := Parse(line + " i7")
		if err != nil || rest != " i7" {
			t.Errorf("%v is written %s, and read with %q left: %v", x, line, rest, err)
			continue
		}
		to := reflect.New(reflect.TypeOf(x)).Elem()
		var s Slices
		if err := Set(to, v, &s); err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := string(Append(nil, to)); got != line {
			t.Errorf("%s came back as %s", line, got)
		}
		if _, written := s.Written(); written {
			t.Errorf("%s: nobody wrote behind an end", line)
		}
	}
	for _, line := range []string{"", "i", "[ i1", "{ Data i1 }", "{ .Data", "s\"open", "q1", strings.Repeat("[ ", 100)} {
		if v, _, err := Parse(line); err == nil {
			t.Errorf("%q is read as %v", line, v)
		}
	}
	if v, _ := Of(errors.New("gone")); v.Kind != Error || v.Text != "gone" {
		t.Errorf("an error is %v", v)
	}
}

// A write behind the end of a slice is noticed in each type, and in slices of
// slices.
func TestWritten(t *testing.T) {
	for _, x := range []any{[]float64{1}, []float32{}, []int{1, 2}, []uint8{}, []bool{true}, []string{"a"}, [][2]int{{1, 2}}, [][]int{{1}, {2}}} {
		v, err := Of(x)
		if err != nil {
			t.Fatal(err)
		}
		to := reflect.New(reflect.TypeOf(x)).Elem()
		var s Slices
		if err := Set(to, v, &s); err != nil {
			t.Fatal(err)
		}
		if to.Type() == reflect.TypeFor[[][]int]() {
			to = to.Index(1)
		}
		reflect.Append(to, reflect.Zero(to.Type().Elem())) // there is room, and it is not the caller's
		if n, written := s.Written(); !written || n != to.Len() {
			t.Errorf("%T: an append behind %d elements is seen as %d, %v", x, to.Len(), n, written)
		}
	}
}
