package chart

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"workbench/assets"
	"workbench/engine/launch"
)

// A Roofline says what limits a launch on one GPU (Williams, Waterman and Patterson
// 2009): a kernel that does Intensity operations for each byte it moves can do no
// more operations a second than the memory's bytes a second allow, nor more than the
// GPU can do at all. The operations and the bytes are counted, the GPU's limits
// measured; nothing is timed here.
type Roofline struct {
	Launch    int     `json:"launch"`    // which of a run's launches
	GPU       string  `json:"gpu"`       // "NVIDIA H200"
	Text      string  `json:"text"`      // what the chart shows
	Intensity float64 `json:"intensity"` // operations for a byte
	Bandwidth float64 `json:"bandwidth"` // GB/s
	Peak      float64 `json:"peak"`      // GFLOP/s
	Allowed   float64 `json:"allowed"`   // GFLOP/s at the intensity
	Option    Option  `json:"option"`
}

// The figures that are taken for a GPU's limits: what a copy within its memory
// reaches, and the vendor's library in a large product.
const (
	bandwidthFigure = "bandwidth/within the device, read and written"
	peakFigure      = "ladder/4096³/%s/cuBLAS"
)

// Rooflines holds each launch of a run against each GPU that was measured. Launches
// that do no arithmetic or move nothing have none.
func Rooflines(launches []*launch.Measurement, gpus []assets.Measurement) []Roofline {
	var out []Roofline
	for i, m := range launches {
		if !(m.ArithmeticIntensity > 0) || m.ArithmeticIntensity > largest {
			continue
		}
		precision := "float32"
		if slices.ContainsFunc(m.Buffers, func(a launch.ArrayCounts) bool { return a.Element == "double" }) {
			precision = "float64"
		}
		for j := range gpus {
			bandwidth, ok := gpus[j].Figure(bandwidthFigure)
			peak, known := gpus[j].Figure(fmt.Sprintf(peakFigure, precision))
			if !ok || !known || !(bandwidth.Value > 0 && peak.Value > 0) || bandwidth.Unit != "GB/s" || peak.Unit != "GFLOP/s" {
				continue
			}
			r := Roofline{Launch: i, GPU: gpus[j].GPU, Intensity: m.ArithmeticIntensity, Bandwidth: bandwidth.Value, Peak: peak.Value}
			r.Allowed = min(r.Peak, r.Intensity*r.Bandwidth)
			r.Text = r.text(precision)
			r.Option = r.option(m.Kernel)
			out = append(out, r)
		}
	}
	return out
}

// ridge is the intensity from which on the memory is no limit.
func (r *Roofline) ridge() float64 { return r.Peak / r.Bandwidth }

func (r *Roofline) text(precision string) string {
	limits := fmt.Sprintf("Measured on %s: %.0f GB/s within its memory, and %.0f GFLOP/s in its library's product in %s.", r.GPU, r.Bandwidth, r.Peak, precision)
	if r.Intensity < r.ridge() {
		return fmt.Sprintf("%s With %.4g operations for a byte, memory allows %.0f GFLOP/s at most, %.2g %% of that. From %.3g operations for a byte on it would be no limit.",
			limits, r.Intensity, r.Allowed, 100*r.Allowed/r.Peak, r.ridge())
	}
	return fmt.Sprintf("%s With %.4g operations for a byte, memory is no limit: from %.3g on it is none.", limits, r.Intensity, r.ridge())
}

// option draws the roof, and the kernel as an upright below it.
func (r *Roofline) option(kernel string) Option {
	// Whole decades around both, so that the axes have round ends.
	left := math.Pow(10, math.Floor(math.Log10(min(r.Intensity, r.ridge())/2)))
	right := math.Pow(10, math.Ceil(math.Log10(max(r.Intensity, r.ridge())*2)))
	floor := math.Pow(10, math.Floor(math.Log10(left*r.Bandwidth)))
	top := math.Pow(10, math.Ceil(math.Log10(r.Peak*1.1)))
	point := func(x, y float64) opts.LineData { return opts.LineData{Value: []float64{x, y}} }
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithAriaOpts(&opts.Aria{Enabled: opts.Bool(true)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(true), Top: "0", Right: "0"}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "item"}),
		charts.WithXAxisOpts(opts.XAxis{Name: "operations for a byte", NameLocation: "middle", NameGap: 26, Type: "log", Min: left, Max: right}),
		charts.WithYAxisOpts(opts.YAxis{Name: "GFLOP/s", NameLocation: "middle", NameGap: 56, Type: "log", Min: floor, Max: top}),
	)
	line.AddSeries("what "+r.GPU+" allows",
		[]opts.LineData{point(left, left*r.Bandwidth), point(r.ridge(), r.Peak), point(right, r.Peak)},
		charts.WithItemStyleOpts(opts.ItemStyle{Color: blue}), charts.WithLineStyleOpts(opts.LineStyle{Color: blue}),
	)
	line.AddSeries(kernel,
		[]opts.LineData{point(r.Intensity, floor), point(r.Intensity, r.Allowed)},
		charts.WithItemStyleOpts(opts.ItemStyle{Color: orange}), charts.WithLineStyleOpts(opts.LineStyle{Color: orange, Type: "dashed"}),
		charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(true)}),
	)
	line.Validate()
	return line.JSON()
}
