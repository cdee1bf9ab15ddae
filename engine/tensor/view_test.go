package tensor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// naive reads a view element by element, in row-major order.
func naive(v View) []float64 {
	out := []float64{}
	for flat := range v.Len() {
		out = append(out, v.At(Coordinate(v.Shape(), flat)...))
	}
	return out
}

// checkView holds every way to read a view against the element by element one.
func checkView(t testing.TB, v View) {
	t.Helper()
	want := naive(v)
	packed := v.Pack()
	if !slices.Equal(packed.Data(), want) || !slices.Equal(packed.Shape(), v.Shape()) {
		t.Fatalf("view %v, strides %v, offset %d packs to %v %v, want %v", v.Shape(), v.Strides(), v.Offset(), packed.Shape(), packed.Data(), want)
	}
	indices := v.Indices()
	if len(indices) != len(want) {
		t.Fatalf("%d indices of %d elements", len(indices), len(want))
	}
	consecutive := true
	for q, index := range indices {
		if v.Storage()[index] != want[q] || index != v.Index(Coordinate(v.Shape(), q)...) {
			t.Fatalf("element %d of view %v, strides %v lies at %d", q, v.Shape(), v.Strides(), index)
		}
		consecutive = consecutive && index == v.Offset()+q
	}
	if v.Contiguous() != consecutive {
		t.Fatalf("view %v, strides %v: Contiguous is %v and its indices are %v", v.Shape(), v.Strides(), v.Contiguous(), indices)
	}
	if v.Offset() < 0 || v.Offset() > len(v.Storage()) {
		t.Fatalf("view %v has offset %d in a storage of %d", v.Shape(), v.Offset(), len(v.Storage()))
	}
}

func TestViewOperations(t *testing.T) {
	matrix := count(t, 2, 3).View()  // 1 2 3 / 4 5 6
	row := count(t, 1, 3).View()     // 1 2 3
	cube := count(t, 2, 3, 2).View() // 1 … 12
	vector := count(t, 7).View()     // 1 … 7
	scalar := count(t).View()        // 1
	empty := Must(New(0, 3)).View()  //
	back := func(v View) View {
		return must(NewView(v.Storage(), len(v.Storage())-1, []int{len(v.Storage())}, []int{-1}))
	}

	for _, c := range []struct {
		name    string
		view    View
		shape   []int
		strides []int
		offset  int
		want    []float64
	}{
		{"whole", matrix, []int{2, 3}, []int{3, 1}, 0, []float64{1, 2, 3, 4, 5, 6}},
		{"scalar", scalar, []int{}, []int{}, 0, []float64{1}},
		{"empty", empty, []int{0, 3}, []int{3, 1}, 0, []float64{}},
		{"transposed", must(matrix.Transpose(0, 1)), []int{3, 2}, []int{1, 3}, 0, []float64{1, 4, 2, 5, 3, 6}},
		{"an axis with itself", must(matrix.Transpose(1, 1)), []int{2, 3}, []int{3, 1}, 0, []float64{1, 2, 3, 4, 5, 6}},
		{"outer axes of three", must(cube.Transpose(2, 0)), []int{2, 3, 2}, []int{1, 2, 6}, 0, []float64{1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12}},
		{"slice", must(vector.Slice(0, 2, 5, 1)), []int{3}, []int{1}, 2, []float64{3, 4, 5}},
		{"slice with step", must(vector.Slice(0, 1, 7, 2)), []int{3}, []int{2}, 1, []float64{2, 4, 6}},
		{"step beyond the end", must(vector.Slice(0, 1, 7, 100)), []int{1}, []int{1}, 1, []float64{2}},
		{"the largest step", must(vector.Slice(0, 0, 7, math.MaxInt)), []int{1}, []int{1}, 0, []float64{1}},
		{"slice of nothing", must(vector.Slice(0, 7, 7, 1)), []int{0}, []int{1}, 0, []float64{}},
		{"column", must(matrix.Slice(1, 1, 2, 1)), []int{2, 1}, []int{3, 1}, 1, []float64{2, 5}},
		{"slice of a slice", must(must(vector.Slice(0, 1, 7, 2)).Slice(0, 1, 3, 1)), []int{2}, []int{2}, 3, []float64{4, 6}},
		{"slice of a transposed", must(must(matrix.Transpose(0, 1)).Slice(0, 0, 3, 2)), []int{2, 2}, []int{2, 3}, 0, []float64{1, 4, 3, 6}},
		{"backwards", back(vector), []int{7}, []int{-1}, 6, []float64{7, 6, 5, 4, 3, 2, 1}},
		{"backwards with step", must(back(vector).Slice(0, 1, 6, 3)), []int{2}, []int{-3}, 5, []float64{6, 3}},
		{"rows backwards", must(NewView(matrix.Storage(), 3, []int{2, 3}, []int{-3, 1})), []int{2, 3}, []int{-3, 1}, 3, []float64{4, 5, 6, 1, 2, 3}},
		{"diagonal", must(NewView(count(t, 3, 3).Data(), 0, []int{3}, []int{4})), []int{3}, []int{4}, 0, []float64{1, 5, 9}},
		{"windows that overlap", must(NewView(vector.Storage(), 0, []int{3, 3}, []int{2, 1})), []int{3, 3}, []int{2, 1}, 0, []float64{1, 2, 3, 3, 4, 5, 5, 6, 7}},
		{"column-major", must(NewView(matrix.Storage(), 0, []int{2, 3}, []int{1, 2})), []int{2, 3}, []int{1, 2}, 0, []float64{1, 3, 5, 2, 4, 6}},
		{"broadcast a row", must(row.Broadcast(2, 3)), []int{2, 3}, []int{0, 1}, 0, []float64{1, 2, 3, 1, 2, 3}},
		{"broadcast a column", must(must(matrix.Slice(1, 2, 3, 1)).Broadcast(2, 2)), []int{2, 2}, []int{3, 0}, 2, []float64{3, 3, 6, 6}},
		{"new leading axis", must(matrix.Broadcast(2, 2, 3)), []int{2, 2, 3}, []int{0, 3, 1}, 0, []float64{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}},
		{"broadcast a scalar", must(scalar.Broadcast(2, 2)), []int{2, 2}, []int{0, 0}, 0, []float64{1, 1, 1, 1}},
		{"broadcast to nothing", must(row.Broadcast(0, 3)), []int{0, 3}, []int{0, 1}, 0, []float64{}},
		{"broadcast to itself", must(matrix.Broadcast(2, 3)), []int{2, 3}, []int{3, 1}, 0, []float64{1, 2, 3, 4, 5, 6}},
		{"reshape", must(matrix.Reshape(3, 2)), []int{3, 2}, []int{2, 1}, 0, []float64{1, 2, 3, 4, 5, 6}},
		{"reshape to a scalar", must(count(t, 1, 1).View().Reshape()), []int{}, []int{}, 0, []float64{1}},
		{"reshape of a contiguous slice", must(must(matrix.Slice(0, 1, 2, 1)).Reshape(3, 1)), []int{3, 1}, []int{1, 1}, 3, []float64{4, 5, 6}},
		{"reshape of nothing", must(empty.Reshape(5, 0)), []int{5, 0}, []int{1, 1}, 0, []float64{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.view
			if !slices.Equal(v.Shape(), c.shape) || !slices.Equal(v.Strides(), c.strides) || v.Offset() != c.offset {
				t.Errorf("shape %v, strides %v, offset %d; want %v, %v, %d", v.Shape(), v.Strides(), v.Offset(), c.shape, c.strides, c.offset)
			}
			if got := naive(v); !slices.Equal(got, c.want) {
				t.Errorf("reads %v, want %v", got, c.want)
			}
			if v.Rank() != len(c.shape) || v.Len() != len(c.want) {
				t.Errorf("rank %d, length %d", v.Rank(), v.Len())
			}
			checkView(t, v)
		})
	}
}

// must is Must for views.
func must(v View, err error) View {
	if err != nil {
		panic(err)
	}
	return v
}

func TestViewRefuses(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6}
	matrix := must(NewView(data, 0, []int{2, 3}, []int{3, 1}))
	fromNew := func(offset int, shape, strides []int) error {
		_, err := NewView(data, offset, shape, strides)
		return err
	}
	second := func(_ View, err error) error { return err }
	for _, c := range []struct {
		name       string
		err        error
		op, reason string
	}{
		{"too few strides", fromNew(0, []int{2, 3}, []int{1}), "view", "has rank 2 and 1 stride: give"},
		{"no strides", fromNew(0, []int{6}, nil), "view", "has rank 1 and 0 strides"},
		{"negative offset", fromNew(-1, []int{1}, []int{1}), "view", "offset -1 lies outside a storage of 6"},
		{"offset beyond the end", fromNew(7, []int{0}, []int{1}), "view", "offset 7 lies outside"},
		{"offset at the end", fromNew(6, []int{1}, []int{1}), "view", "reads elements 6 to 6 of a storage of 6"},
		{"scalar at the end", fromNew(6, nil, nil), "view", "reads elements 6 to 6"},
		{"one too far", fromNew(1, []int{2, 3}, []int{3, 1}), "view", "reads elements 1 to 6"},
		{"one before", fromNew(2, []int{4}, []int{-1}), "view", "reads elements -1 to 2"},
		{"both ends", fromNew(1, []int{3, 3}, []int{-1, 3}), "view", "reads elements -1 to 7"},
		{"stride that overflows", fromNew(0, []int{3}, []int{math.MaxInt}), "view", "stride 9223372036854775807 of axis 0 overflows"},
		{"negative stride that overflows", fromNew(0, []int{3}, []int{math.MinInt}), "view", "overflows"},
		{"strides that overflow together", fromNew(0, []int{2, 2, 2}, []int{1 << 62, 1 << 62, 1 << 62}), "view", "overflows"},
		{"strides that cancel in 64 bits", fromNew(0, []int{2, 2, 2, 2, 2}, []int{1 << 62, 1 << 62, 1 << 62, 1 << 62, 1}), "view", "overflows"},
		{"10^12 elements at stride 0", fromNew(0, []int{1_000_000, 1_000_000}, []int{0, 0}), "view", "has more than"},
		{"negative dimension", fromNew(0, []int{-2}, []int{1}), "view", "axis 0 is negative"},
		{"transpose of no such axis", second(matrix.Transpose(0, 2)), "transpose", "has no axes 0 and 2: axes run from 0 to 1"},
		{"transpose of a negative axis", second(matrix.Transpose(-1, 0)), "transpose", "has no axes -1 and 0"},
		{"slice of no such axis", second(matrix.Slice(2, 0, 1, 1)), "slice", "has no axis 2"},
		{"slice of a negative axis", second(matrix.Slice(-1, 0, 1, 1)), "slice", "has no axis -1"},
		{"step 0", second(matrix.Slice(1, 0, 3, 0)), "slice", "step 0 is not positive"},
		{"step -1", second(matrix.Slice(1, 0, 3, -1)), "slice", "step -1 is not positive"},
		{"start below 0", second(matrix.Slice(1, -1, 3, 1)), "slice", "-1:3 does not lie in axis 1"},
		{"stop before start", second(matrix.Slice(1, 2, 1, 1)), "slice", "2:1 does not lie in axis 1"},
		{"stop beyond the axis", second(matrix.Slice(1, 0, 4, 1)), "slice", "0 ≤ start ≤ stop ≤ 3"},
		{"broadcast to fewer axes", second(matrix.Broadcast(3)), "broadcast", "fewer axes"},
		{"broadcast of a longer axis", second(matrix.Broadcast(4, 3)), "broadcast", "axis 0 has 2 elements where 4 are wanted"},
		{"broadcast an axis to nothing", second(matrix.Broadcast(0, 3)), "broadcast", "axis 0 has 2 elements where 0 are wanted"},
		{"broadcast to 10^12", second(matrix.Broadcast(1_000_000, 1_000_000, 2, 3)), "broadcast", "has more than"},
		{"reshape to another number", second(matrix.Reshape(4)), "reshape", "has 6 elements and 4 are asked for"},
		{"reshape to 10^12", second(matrix.Reshape(1_000_000, 1_000_000)), "reshape", "has more than"},
		{"reshape of a transposed view", second(must(matrix.Transpose(0, 1)).Reshape(6)), "reshape", "strides [1, 3] do not read consecutive elements: pack the view first"},
		{"reshape of a stepped slice", second(must(matrix.Slice(1, 0, 3, 2)).Reshape(4)), "reshape", "pack the view first"},
		{"reshape of a broadcast", second(must(matrix.Broadcast(2, 2, 3)).Reshape(12)), "reshape", "pack the view first"},
		{"reshape of a backwards view", second(must(NewView(data, 5, []int{6}, []int{-1})).Reshape(2, 3)), "reshape", "pack the view first"},
	} {
		t.Run(c.name, func(t *testing.T) { shapeFault(t, c.err, c.op, c.reason) })
	}
}

func TestContiguous(t *testing.T) {
	data := make([]float64, 24)
	for _, c := range []struct {
		shape, strides []int
		want           bool
	}{
		{[]int{2, 3}, []int{3, 1}, true},
		{[]int{2, 3}, []int{4, 1}, false},
		{[]int{2, 3}, []int{1, 2}, false},
		{[]int{1, 3}, []int{99, 1}, true}, // an axis of length 1 takes no step
		{[]int{3, 1}, []int{1, -7}, true},
		{[]int{2, 1, 3}, []int{3, 17, 1}, true},
		{[]int{3}, []int{0}, false},
		{[]int{}, []int{}, true},
		{[]int{0, 3}, []int{1, 2}, true}, // nothing to read
		{[]int{3, 0}, []int{1, 2}, true},
	} {
		v, err := NewView(data, 0, c.shape, c.strides)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Contiguous(); got != c.want {
			t.Errorf("shape %v, strides %v: contiguous is %v, want %v", c.shape, c.strides, got, c.want)
		}
	}
}

// An empty view reads nothing, whatever its strides, and stays inside.
func TestEmptyViews(t *testing.T) {
	data := []float64{1, 2, 3}
	for _, offset := range []int{0, 3} {
		v, err := NewView(data, offset, []int{3, 0, 2}, []int{math.MaxInt, 1, math.MinInt})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []View{
			v, must(v.Transpose(0, 2)), must(v.Slice(0, 2, 3, 1)), must(v.Slice(2, 1, 2, 1)),
			must(v.Slice(1, 0, 0, 5)), must(v.Broadcast(2, 3, 0, 2)), must(v.Reshape(0, 7)),
		} {
			if w.Len() != 0 || len(w.Indices()) != 0 || w.Pack().Len() != 0 {
				t.Errorf("an empty view of shape %v reads %v", w.Shape(), w.Indices())
			}
			checkView(t, w)
		}
	}
}

func TestViewsKeepTheirOwnShape(t *testing.T) {
	shape, strides := []int{2, 3}, []int{3, 1}
	v := must(NewView(make([]float64, 6), 0, shape, strides))
	shape[0], strides[0] = 1, 0
	v.Shape()[0], v.Strides()[0] = 9, 9
	w := must(v.Transpose(0, 1))
	if !slices.Equal(v.Shape(), []int{2, 3}) || !slices.Equal(v.Strides(), []int{3, 1}) || !slices.Equal(w.Shape(), []int{3, 2}) {
		t.Errorf("shape %v, strides %v, transposed %v", v.Shape(), v.Strides(), w.Shape())
	}
	if v.Dim(1) != 3 {
		t.Errorf("axis 1 has %d elements", v.Dim(1))
	}
}

func TestPackSharesNothing(t *testing.T) {
	a := count(t, 2, 3)
	packed := a.View().Pack()
	a.Data()[0] = 99
	if packed.At(0, 0) != 1 {
		t.Error("a packed view shares its values")
	}
	if v := a.View(); v.At(0, 0) != 99 {
		t.Error("a view does not see its storage change")
	}
}

// Chains of operations are held against a model that copies at each of them.
func TestRandomChains(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 20))
	for range 400 {
		shape := make([]int, random.IntN(4))
		for i := range shape {
			shape[i] = 1 + random.IntN(4)
		}
		v := count(t, shape...).View()
		m := modelOf(v)
		for range 6 {
			v, m = step(t, v, m, random.IntN)
			m.check(t, v)
		}
	}
}
