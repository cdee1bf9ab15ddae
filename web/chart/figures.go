package chart

import (
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"workbench/assets"
)

// Figures draws measured figures as bars, the first on top. They must share one
// unit and fit on an axis that begins at zero: where they do not, there is no
// chart, and Figures returns nil.
func Figures(figures []assets.Figure) Option {
	if len(figures) == 0 {
		return nil
	}
	names := make([]string, len(figures))
	values := make([]opts.BarData, len(figures))
	for i, f := range figures {
		if f.Unit != figures[0].Unit || !(f.Value >= 0 && f.Value <= largest) || math.IsInf(f.Value, 0) {
			return nil
		}
		at := len(figures) - 1 - i // an upright axis counts from below
		names[at], values[at] = f.Name, opts.BarData{Name: f.Name, Value: f.Value}
	}
	bar := charts.NewBar()
	bar.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithAriaOpts(&opts.Aria{Enabled: opts.Bool(true)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "item"}),
		charts.WithXAxisOpts(opts.XAxis{Name: figures[0].Unit, Type: "value", Min: 0}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category"}),
	)
	bar.SetXAxis(names)
	bar.AddSeries(figures[0].Unit, values, charts.WithItemStyleOpts(opts.ItemStyle{Color: blue}))
	bar.XYReversal()
	bar.Validate()
	return bar.JSON()
}
