package chart

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// The chart shows the numbers of the cell it is given, whatever they are: this
// cell's sums are not those of its products.
func TestCellShowsWhatItIsGiven(t *testing.T) {
	text, err := json.Marshal(Cell(&trace.Cell{Terms: []trace.Term{
		{Product: 8, Sum: 8},
		{Product: 0.1, Sum: 1e300},
		{Product: tensor.Number(math.Inf(1)), Sum: tensor.Number(math.NaN())},
		{Product: -1e-300, Sum: 5.551115123125783e-17},
	}}))
	if err != nil {
		t.Fatal(err)
	}
	var option struct {
		XAxis  []struct{ Data []string }
		Series []struct {
			Name, Type string
			Data       []struct{ Value any }
		}
	}
	if err := json.Unmarshal(text, &option); err != nil {
		t.Fatal(err)
	}
	if len(option.XAxis) != 1 || !reflect.DeepEqual(option.XAxis[0].Data, []string{"0", "1", "2", "3"}) {
		t.Errorf("x axis is %+v, want the terms 0 to 3", option.XAxis)
	}
	want := []struct {
		name, kind string
		values     []any
	}{
		{"product", "bar", []any{8.0, 0.1, "-", -1e-300}},
		{"running sum", "line", []any{8.0, 1e300, "-", 5.551115123125783e-17}},
	}
	if len(option.Series) != len(want) {
		t.Fatalf("%d series, want %d: %s", len(option.Series), len(want), text)
	}
	for i, w := range want {
		s := option.Series[i]
		var values []any
		for _, d := range s.Data {
			values = append(values, d.Value)
		}
		if s.Name != w.name || s.Type != w.kind || !reflect.DeepEqual(values, w.values) {
			t.Errorf("series %d is %s %s %v, want %s %s %v", i, s.Name, s.Type, values, w.name, w.kind, w.values)
		}
	}
}

// Where terms are left out, the chart has a gap, and those after it keep their
// numbers.
func TestCellWithAGap(t *testing.T) {
	text, err := json.Marshal(Cell(&trace.Cell{
		Terms:   []trace.Term{{Product: 1, Sum: 1}, {Product: 2, Sum: 3}, {Product: 9, Sum: 45}},
		Omitted: &trace.Gap{First: 2, Count: 6},
	}))
	if err != nil {
		t.Fatal(err)
	}
	var option struct {
		XAxis  []struct{ Data []string }
		Series []struct{ Data []struct{ Value any } }
	}
	if err := json.Unmarshal(text, &option); err != nil {
		t.Fatal(err)
	}
	if want := []string{"0", "1", "…", "8"}; !reflect.DeepEqual(option.XAxis[0].Data, want) {
		t.Errorf("x axis is %q, want %q", option.XAxis[0].Data, want)
	}
	for i, want := range [][]any{{1.0, 2.0, "-", 9.0}, {1.0, 3.0, "-", 45.0}} {
		var values []any
		for _, d := range option.Series[i].Data {
			values = append(values, d.Value)
		}
		if !reflect.DeepEqual(values, want) {
			t.Errorf("series %d is %v, want %v", i, values, want)
		}
	}
}

// Where there is nothing to draw, or no axis for it, there is no chart: a blank
// one would say that the sum is nothing.
func TestNoChart(t *testing.T) {
	infinite, nan := tensor.Number(math.Inf(-1)), tensor.Number(math.NaN())
	for name, test := range map[string]struct {
		terms []trace.Term
		chart bool
	}{
		"no terms":                 {nil, false},
		"an infinity":              {[]trace.Term{{Product: infinite, Sum: infinite}}, false},
		"NaN after an infinity":    {[]trace.Term{{Product: infinite, Sum: infinite}, {Product: nan, Sum: nan}}, false},
		"near the largest":         {[]trace.Term{{Product: 1, Sum: 1}, {Product: 1e308, Sum: 1e308}}, false},
		"near the least":           {[]trace.Term{{Product: -1.7e308, Sum: 0}}, false},
		"a zero before a NaN":      {[]trace.Term{{Product: 0, Sum: 0}, {Product: nan, Sum: nan}}, true},
		"the largest that has one": {[]trace.Term{{Product: 1e300, Sum: -1e300}}, true},
		"the smallest":             {[]trace.Term{{Product: 5e-324, Sum: 5e-324}}, true},
	} {
		if option := Cell(&trace.Cell{Terms: test.terms}); (option != nil) != test.chart {
			t.Errorf("%s: the chart is %v", name, option)
		}
	}
}
