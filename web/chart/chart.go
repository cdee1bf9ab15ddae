// Package chart makes the charts of a page, as the option that ECharts draws.
// go-echarts builds the option alone: its page renderer writes inline script,
// which the pages' security policy forbids.
//
// Charts show numbers of a trace and compute none.
package chart

import (
	"math"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// The colours are three of Okabe and Ito's, which readers with any common form
// of colour blindness can tell apart, on light ground and on dark.
const (
	blue   = "#0072B2"
	orange = "#D55E00"
	green  = "#009E73"
)

// Option is what ECharts' setOption takes, ready for JSON.
type Option map[string]any

// largest is the magnitude up to which ECharts can lay an axis out. It adds and
// subtracts the ends of the axis, and those of a float64's last decades overflow.
const largest = 1e300

// Cell draws one output element: a bar for each product and a line for the
// running sum after it. An infinity or a NaN is a gap, as no axis has a place
// for it, and so is the middle of a long cell. Where that leaves nothing, or a
// number is beyond any axis, there is no chart, and Cell returns nil.
func Cell(c *trace.Cell) Option {
	if !drawable(c.Terms) {
		return nil
	}
	terms := make([]string, 0, len(c.Terms)+1)
	products := make([]opts.BarData, 0, len(c.Terms)+1)
	sums := make([]opts.LineData, 0, len(c.Terms)+1)
	for i, t := range c.Terms {
		if c.Omitted != nil && i == c.Omitted.First {
			terms = append(terms, "…")
			products = append(products, opts.BarData{Value: nothing})
			sums = append(sums, opts.LineData{Value: nothing})
		}
		terms = append(terms, strconv.Itoa(c.Number(i)))
		products = append(products, opts.BarData{Value: value(t.Product)})
		sums = append(sums, opts.LineData{Value: value(t.Sum)})
	}
	bar := charts.NewBar()
	bar.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithAriaOpts(&opts.Aria{Enabled: opts.Bool(true)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithXAxisOpts(opts.XAxis{Name: "k", Type: "category"}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Scale: opts.Bool(false)}),
	)
	bar.SetXAxis(terms)
	bar.AddSeries("product", products, charts.WithItemStyleOpts(opts.ItemStyle{Color: blue}))
	line := charts.NewLine()
	line.AddSeries("running sum", sums,
		charts.WithItemStyleOpts(opts.ItemStyle{Color: orange}),
		charts.WithLineStyleOpts(opts.LineStyle{Color: orange}),
		charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(true)}),
	)
	bar.Overlap(line)
	bar.Validate()
	return bar.JSON()
}

// drawable reports whether any of the numbers has a place on an axis, and none
// is finite and beyond it.
func drawable(terms []trace.Term) bool {
	some := false
	for _, t := range terms {
		for _, n := range []tensor.Number{t.Product, t.Sum} {
			switch x := math.Abs(float64(n)); {
			case x <= largest:
				some = true
			case x <= math.MaxFloat64: // false of an infinity and of a NaN
				return false
			}
		}
	}
	return some
}

// nothing is ECharts' word for a place without a value.
const nothing = "-"

// value is a number as ECharts reads it.
func value(n tensor.Number) any {
	if x := float64(n); math.IsNaN(x) || math.IsInf(x, 0) {
		return nothing
	}
	return n
}
