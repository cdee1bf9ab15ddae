package tensor

import (
	"slices"
	"testing"
)

// groupsOf collects the groups of an axis by the definition.
func groupsOf(v View, axis int) [][]float64 {
	outer := slices.Delete(v.Shape(), axis, axis+1)
	count := 1
	for _, d := range outer {
		count *= d
	}
	groups := [][]float64{}
	for g := range count {
		at := Coordinate(outer, g)
		group := []float64{}
		for k := range v.Dim(axis) {
			group = append(group, v.At(slices.Insert(slices.Clone(at), axis, k)...))
		}
		groups = append(groups, group)
	}
	return groups
}

func checkAxis(t testing.TB, p *AxisPlan, v View, axis int, keepDim bool) {
	t.Helper()
	want := groupsOf(v, axis)
	if p.G != len(want) || p.K != v.Dim(axis) || p.Axis != axis || p.KeepDim != keepDim {
		t.Fatalf("plan %+v of axis %d of %v, want %d groups", p, axis, v.Shape(), len(want))
	}
	if got := p.Pack(); !slices.Equal(got, slices.Concat(want...)) {
		t.Fatalf("packed groups %v, want %v", got, want)
	}
	for g := range want {
		if got, err := p.Group(g); err != nil || !slices.Equal(got, want[g]) {
			t.Fatalf("group %d is %v, %v, want %v", g, got, err, want[g])
		}
	}
	shape := slices.Delete(v.Shape(), axis, axis+1)
	if keepDim {
		shape = slices.Insert(shape, axis, 1)
	}
	if !slices.Equal(p.OutputShape(), shape) {
		t.Fatalf("output shape %v, want %v", p.OutputShape(), shape)
	}
	if p.Empty() != (p.G == 0 || p.K == 0) {
		t.Fatalf("Empty is %v with %d groups of %d", p.Empty(), p.G, p.K)
	}
}

func TestPlanAxis(t *testing.T) {
	matrix := count(t, 2, 3).View()
	for _, c := range []struct {
		name string
		view View
		axis int
		want [][]float64
	}{
		{"rows of the worked example", matrix, 1, [][]float64{{1, 2, 3}, {4, 5, 6}}},
		{"columns", matrix, 0, [][]float64{{1, 4}, {2, 5}, {3, 6}}},
		{"a vector", count(t, 4).View(), 0, [][]float64{{1, 2, 3, 4}}},
		{"the middle of three", count(t, 2, 3, 2).View(), 1, [][]float64{{1, 3, 5}, {2, 4, 6}, {7, 9, 11}, {8, 10, 12}}},
		{"a transposed view", must(matrix.Transpose(0, 1)), 1, [][]float64{{1, 4}, {2, 5}, {3, 6}}},
		{"a stepped slice", must(matrix.Slice(1, 0, 3, 2)), 1, [][]float64{{1, 3}, {4, 6}}},
		{"a broadcast axis", must(count(t, 1, 2).View().Broadcast(3, 2)), 0, [][]float64{{1, 1, 1}, {2, 2, 2}}},
		{"a backwards view", must(NewView(matrix.Storage(), 5, []int{2, 3}, []int{-3, -1})), 1, [][]float64{{6, 5, 4}, {3, 2, 1}}},
		{"an empty axis", Must(New(2, 0)).View(), 1, [][]float64{{}, {}}},
		{"no groups", Must(New(0, 3)).View(), 1, [][]float64{}},
		{"an axis of one", count(t, 3, 1).View(), 1, [][]float64{{1}, {2}, {3}}},
	} {
		for _, keepDim := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				p, err := PlanAxis(c.view, c.axis, keepDim)
				if err != nil {
					t.Fatal(err)
				}
				got := [][]float64{}
				for g := range p.G {
					group, err := p.Group(g)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, group)
				}
				if !slices.EqualFunc(got, c.want, slices.Equal[[]float64]) {
					t.Errorf("groups %v, want %v", got, c.want)
				}
				checkAxis(t, p, c.view, c.axis, keepDim)
			})
		}
	}
}

func TestPlanAxisRefuses(t *testing.T) {
	matrix := count(t, 2, 3).View()
	for _, axis := range []int{-1, 2, 1 << 40} {
		_, err := PlanAxis(matrix, axis, false)
		shapeFault(t, err, "reduce", "axes run from 0 to 1")
	}
	_, err := PlanAxis(count(t).View(), 0, false)
	shapeFault(t, err, "reduce", "is a scalar and has no axis to reduce")
	p, err := PlanAxis(matrix, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []int{-1, 2} {
		_, err := p.Group(g)
		shapeFault(t, err, "group", "lies outside the reduction")
	}
}
