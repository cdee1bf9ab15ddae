package chart

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// A Count is an answer to a poll, and how many gave it.
type Count struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
	Right bool   `json:"right"` // it is the right answer
}

// longestLabel bounds what stands beside a bar, in characters.
const longestLabel = 28

// Poll draws the answers to a poll as bars, the first on top. The right answer
// has a tick before its text and a series of its own, so that it is told apart
// without its colour. Where nobody has answered there is no chart, and Poll returns nil.
func Poll(counts []Count) Option {
	if !slices.ContainsFunc(counts, func(c Count) bool { return c.Count > 0 }) {
		return nil
	}
	n := len(counts)
	names := make([]string, n)
	answers, right := make([]opts.BarData, n), make([]opts.BarData, n)
	some := false
	for i, c := range counts {
		at := n - 1 - i // an upright axis counts from below
		names[at] = label(c.Text)
		bar := opts.BarData{Name: c.Text, Value: c.Count}
		answers[at], right[at] = bar, opts.BarData{Value: nothing}
		if c.Right {
			names[at] = "✓ " + names[at]
			answers[at], right[at] = right[at], bar
			some = true
		}
	}
	bar := charts.NewBar()
	bar.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithAriaOpts(&opts.Aria{Enabled: opts.Bool(true)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(some), Top: "0", Right: "0"}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "item"}),
		charts.WithGridOpts(opts.Grid{Top: top(some), Right: "60", Bottom: "8", Left: "8", ContainLabel: opts.Bool(true)}),
		charts.WithXAxisOpts(opts.XAxis{Name: "people", Type: "value", Min: 0, MinInterval: 1}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category"}),
	)
	bar.SetXAxis(names)
	// Stacked, both series have the whole height of a row.
	series := func(name string, data []opts.BarData, colour string) {
		bar.AddSeries(name, data,
			charts.WithItemStyleOpts(opts.ItemStyle{Color: colour}),
			charts.WithBarChartOpts(opts.BarChart{Stack: "answers"}),
			charts.WithLabelOpts(opts.Label{Show: opts.Bool(true), Position: "right"}))
	}
	series("answers", answers, blue)
	if some {
		series("the right answer", right, green)
	}
	bar.XYReversal()
	bar.Validate()
	return bar.JSON()
}

// top is the room above the bars: for a legend, where there is one.
func top(legend bool) string {
	if legend {
		return "32"
	}
	return "8"
}

// label is a text on one line of bounded length.
func label(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= longestLabel {
		return text
	}
	return string([]rune(text)[:longestLabel-1]) + "…"
}
