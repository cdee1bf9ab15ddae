package chart

import (
	"fmt"
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
	Right bool   `json:"right,omitempty"` // it is the right answer
}

// A poll of free answers may get as many answers as there are people. mostBars
// have a bar each, so that they can be read, and the rest one together.
// longestLabel is in characters.
const (
	mostBars     = 12
	longestLabel = 28
)

// Poll draws the answers to a poll as bars, the first on top. The right answer
// has a tick before its text and a series of its own, so that it is told apart
// without its colour. Where nobody has answered there is no chart, and Poll returns nil.
func Poll(counts []Count) Option {
	if !slices.ContainsFunc(counts, func(c Count) bool { return c.Count > 0 }) {
		return nil
	}
	shown, rest, others := mostGiven(counts)
	n := len(shown)
	if rest > 0 {
		n++
	}
	names := make([]string, n)
	answers, right := make([]opts.BarData, n), make([]opts.BarData, n)
	some := false
	for i, c := range shown {
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
	if rest > 0 {
		names[0] = fmt.Sprintf("%d other answers", rest)
		answers[0], right[0] = opts.BarData{Name: names[0], Value: others}, opts.BarData{Value: nothing}
	}
	bar := charts.NewBar()
	bar.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithAriaOpts(&opts.Aria{Enabled: opts.Bool(true)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(some), Top: "0", Right: "0"}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "item"}),
		charts.WithXAxisOpts(opts.XAxis{Name: "people", Type: "value", Min: 0, MinInterval: 1}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category"}),
	)
	bar.SetXAxis(names)
	// Stacked, both series have the whole height of a row.
	series := func(name string, data []opts.BarData, colour string) {
		bar.AddSeries(name, data,
			charts.WithItemStyleOpts(opts.ItemStyle{Color: colour}),
			charts.WithBarChartOpts(opts.BarChart{Stack: "answers"}),
			charts.WithLabelOpts(opts.Label{Show: opts.Bool(true), Position: "inside", Color: "#ffffff"}))
	}
	series("answers", answers, blue)
	if some {
		series("the right answer", right, orange)
	}
	bar.XYReversal()
	bar.Validate()
	return bar.JSON()
}

// mostGiven returns the answers that have bars, in their order, and of the rest
// how many answers they are and how many people gave them. The right answer is
// always among the first, however few gave it.
func mostGiven(counts []Count) (shown []Count, rest, others int) {
	if len(counts) <= mostBars {
		return counts, 0, 0
	}
	ranked := make([]int, len(counts))
	for i := range ranked {
		ranked[i] = i
	}
	slices.SortStableFunc(ranked, func(a, b int) int {
		x, y := counts[a], counts[b]
		if x.Right != y.Right {
			if x.Right {
				return -1
			}
			return 1
		}
		return y.Count - x.Count
	})
	chosen := slices.Sorted(slices.Values(ranked[:mostBars]))
	for i, c := range counts {
		if _, ok := slices.BinarySearch(chosen, i); ok {
			shown = append(shown, c)
		} else {
			rest, others = rest+1, others+c.Count
		}
	}
	return shown, rest, others
}

// label is a text on one line of bounded length.
func label(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= longestLabel {
		return text
	}
	return string([]rune(text)[:longestLabel-1]) + "…"
}
