package figure

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"workbench/assets"
)

// Measurement writes figures of one GPU as a table, and above it that they were
// measured elsewhere: where, when, and by what.
func Measurement(out *bytes.Buffer, m assets.Measurement) {
	w := writer{out}
	w.measuredOn(m)
	if len(m.Figures) == 0 {
		w.noFigures()
		return
	}
	w.figures(m)
}

// measuredOn says that figures are another machine's: which, when, and by what.
func (w writer) measuredOn(m assets.Measurement) {
	w.open("p", "class", "measured")
	w.text("Measured on ")
	w.element("strong", article(m.GPU)+m.GPU)
	w.textf(" on %s, not on this machine. Driver %s, CUDA %s; workbench ", m.Date.Format("2 January 2006"), m.Driver, m.CUDA)
	w.element("code", m.Commit)
	w.text(", by ")
	w.element("code", m.Command)
	w.text(".")
	w.line("p")
}

func (w writer) noFigures() {
	w.open("p", "class", "measured-empty")
	w.textf("This measurement has none of the figures that belong here. On a machine with an NVIDIA GPU ")
	w.element("code", "./course gpu-check")
	w.text(" measures them.")
	w.line("p")
}

func (w writer) figures(m assets.Measurement) {
	headings := []string{"figure", "median", "spread"}
	paired := slices.ContainsFunc(m.Figures, func(f assets.Figure) bool { return f.Peer != "" })
	if paired {
		headings = append(headings, "beside it", "ratio")
	}
	w.head("Medians; the spread is the distance between the quartiles", "figures", headings)
	for _, f := range m.Figures {
		w.open("tr")
		w.element("th", f.Name, "scope", "row")
		w.element("td", quantity(f.Value, f.Unit), "class", "number")
		spread := "measured once"
		if f.Spread > 0 {
			spread = quantity(f.Spread, f.Unit)
		}
		w.element("td", spread, "class", "number")
		if paired {
			w.element("td", f.Peer)
			ratio := ""
			if f.Peer != "" {
				ratio = digits(f.Ratio)
			}
			w.element("td", ratio, "class", "number")
		}
		w.line("tr")
	}
	w.foot()
}

// Unmeasured says that no measurement is there, and how one is made.
func Unmeasured(out *bytes.Buffer) {
	w := writer{out}
	w.open("p", "class", "measured-empty")
	w.text("No figures of a GPU come with this build of the workbench, and none are made up. On a machine with an NVIDIA GPU, ")
	w.element("code", "./course gpu-check")
	w.text(" measures what belongs here and keeps it in ")
	w.element("code", "assets/measurements")
	w.text("; the next build shows it to everyone.")
	w.line("p")
}

// article is the word before a GPU's name, with a space after it.
func article(name string) string {
	if strings.HasPrefix(name, "NVIDIA") || name != "" && strings.ContainsRune("AEIOaeio", rune(name[0])) {
		return "an "
	}
	return "a "
}

func quantity(x float64, unit string) string {
	if unit == "" || unit == "1" {
		return digits(x)
	}
	return digits(x) + "\u00a0" + unit
}

// digits writes a measured number with the three digits that mean something, and
// never fewer than its whole part has.
func digits(x float64) string {
	if a := math.Abs(x); a >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
