package figure

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"workbench/assets"
	"workbench/engine/ladder"
)

// rungNames are what a page calls the rungs.
var rungNames = map[string]string{"naive": "naive", "tiled": "tiled", "blocked": "4 × 4 cells a thread"}

// Ladders writes the ladders that one GPU was measured for, each as a table with a
// bar for every rung.
func Ladders(out *bytes.Buffer, m assets.Measurement, ladders []*ladder.Ladder) {
	w := writer{out}
	w.measuredOn(m)
	var last *ladder.Ladder
	for _, l := range ladders {
		if len(l.Rungs) > 0 {
			w.ladder(l)
			last = l
		}
	}
	if last == nil {
		w.noFigures()
		return
	}
	// The same for all: one size, on one GPU.
	w.open("p", "class", "ladder-legend")
	w.textf("One product is %s billion operations. Medians; the spread is the distance between the quartiles. ", digits(float64(last.Operations)/1e9))
	if last.Memory > 0 {
		w.textf("“Memory alone”, the line across a bar: how fast the version would be if all that its warps ask for had to come from the GPU’s memory, at the %s GB/s that an addition moves there. Caches answer a part, so it is no upper limit.", digits(last.Memory))
	}
	w.line("p")
}

func (w writer) ladder(l *ladder.Ladder) {
	// All bars of a table have one scale: the longest, or the furthest mark.
	scale := 0.0
	for _, r := range l.Rungs {
		scale = max(scale, r.Speed, r.Allowed)
	}
	w.head(fmt.Sprintf("Two %d × %d matrices in %s", l.Size, l.Size, l.Precision), "ladder", []string{"version", "GFLOP/s", "of cuBLAS", "asks memory for", "memory alone"})
	for _, r := range l.Rungs {
		w.open("tr", "data-rung", r.Name)
		w.open("th", "scope", "row")
		name, ours := rungNames[r.Name]
		if !ours {
			name = r.Name
		}
		w.text(name)
		w.bar(r, scale)
		w.close("th")
		w.open("td", "class", "number")
		w.text(digits(r.Speed))
		if r.Spread > 0 {
			w.element("span", "spread "+digits(r.Spread), "class", "spread")
		}
		w.close("td")
		w.element("td", unless(r.Ratio == 0, ratio(r.Ratio)), "class", "number")
		w.element("td", unless(r.Bytes == 0, quantity(float64(r.Bytes)/1e9, "GB")), "class", "number")
		w.element("td", unless(r.Allowed == 0, digits(r.Allowed)), "class", "number")
		w.line("tr")
	}
	w.foot()
}

// bar draws a speed, and across it what memory alone would allow. The numbers stand
// beside it.
func (w writer) bar(r ladder.Rung, scale float64) {
	at := func(x float64) string { return strconv.FormatFloat(math.Round(1e4*x/scale)/10, 'f', -1, 64) }
	w.open("svg", "class", "ladder-bar", "viewBox", "0 0 1000 10", "preserveAspectRatio", "none", "aria-hidden", "true", "focusable", "false")
	w.open("rect", "class", "ladder-speed", "width", at(r.Speed), "height", "10")
	w.close("rect")
	if r.Allowed > 0 {
		x := at(r.Allowed)
		w.open("path", "class", "ladder-allowed", "d", "M"+x+" 0V10")
		w.close("path")
	}
	w.close("svg")
}

// ratio writes a part of a whole, in hundredths where it is none of many.
func ratio(x float64) string {
	return strconv.FormatFloat(100*x, 'f', 1, 64) + "\u00a0%"
}

func unless(absent bool, text string) string {
	if absent {
		return "–"
	}
	return text
}
