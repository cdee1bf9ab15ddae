package chart

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"workbench/assets"
)

// Bars show the figures that they are given, the first on top.
func TestFigures(t *testing.T) {
	text, err := json.Marshal(Figures([]assets.Figure{{Name: "copy in", Value: 4.125, Unit: "µs"}, {Name: "GPU", Value: 0, Unit: "µs"}}))
	if err != nil {
		t.Fatal(err)
	}
	var option struct {
		YAxis []struct{ Data []string }
		XAxis []struct {
			Name string
			Type string
		}
		Series []struct {
			Data []struct {
				Name  string
				Value float64
			}
		}
	}
	if err := json.Unmarshal(text, &option); err != nil {
		t.Fatal(err)
	}
	if len(option.YAxis) != 1 || !reflect.DeepEqual(option.YAxis[0].Data, []string{"GPU", "copy in"}) || len(option.XAxis) != 1 || option.XAxis[0].Type != "value" || option.XAxis[0].Name != "µs" {
		t.Errorf("the axes are %+v and %+v: %s", option.XAxis, option.YAxis, text)
	}
	if len(option.Series) != 1 || len(option.Series[0].Data) != 2 || option.Series[0].Data[1].Value != 4.125 || option.Series[0].Data[1].Name != "copy in" {
		t.Errorf("the bars are %+v", option.Series)
	}
}

// What has no common axis from zero has no chart.
func TestFiguresWithoutAChart(t *testing.T) {
	for name, figures := range map[string][]assets.Figure{
		"none":      nil,
		"two units": {{Name: "a", Unit: "µs"}, {Name: "b", Unit: "ms"}},
		"negative":  {{Name: "a", Unit: "µs", Value: -1}},
		"too large": {{Name: "a", Unit: "µs", Value: math.MaxFloat64}},
		"no number": {{Name: "a", Unit: "µs", Value: math.NaN()}},
		"infinite":  {{Name: "a", Unit: "µs", Value: math.Inf(1)}},
	} {
		if option := Figures(figures); option != nil {
			t.Errorf("%s: %v", name, option)
		}
	}
}
