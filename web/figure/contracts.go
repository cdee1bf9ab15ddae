package figure

import (
	"bytes"

	"workbench/engine/compare"
	"workbench/engine/tensor"
)

// A Column is one device of Contracts. Without a report it was not asked; a
// report of the reference with itself has the reference's values.
type Column struct {
	Device string
	Report *compare.Report
}

// Contracts writes the values of one example on several devices side by side,
// each with its bits and its distance from the reference, which is the first.
func Contracts(out *bytes.Buffer, columns []Column) {
	w := writer{out}
	var any *compare.Report
	headings, waiting := []string{"value of"}, []string{}
	for _, c := range columns {
		headings = append(headings, c.Device)
		if c.Report != nil {
			any = c.Report
		} else if c.Device != columns[0].Device {
			waiting = append(waiting, c.Device)
		}
	}
	if any == nil {
		return
	}
	w.head("Every value with its bits", "contracts", headings)
	for i := range any.Entries {
		e := &any.Entries[i]
		w.open("tr")
		w.element("th", e.Group+tensor.FormatShape(e.Coordinate), "scope", "row")
		w.open("td")
		w.bits(Number(e.Reference), e.ReferenceBits, e.ReferenceBits)
		w.line("td")
		for _, c := range columns[1:] {
			if c.Report == nil || i >= len(c.Report.Entries) {
				w.element("td", "not asked")
				continue
			}
			mine := &c.Report.Entries[i]
			w.open("td")
			w.bits(Number(mine.Candidate), mine.CandidateBits, mine.ReferenceBits)
			w.distance(mine)
			w.line("td")
		}
		w.line("tr")
	}
	w.foot()
	for _, c := range columns {
		if c.Report == nil || c.Device == columns[0].Device {
			continue
		}
		w.open("p", "class", "contracts-verdict")
		w.element("code", c.Device)
		w.textf(": %d of %s have other bits than ", c.Report.Differing, count(int64(c.Report.Count), "value"))
		w.element("code", columns[0].Device)
		w.text(".")
		w.line("p")
	}
	if len(waiting) > 0 {
		w.open("p", "class", "contracts-waiting")
		w.text("Not asked for this page: ")
		for i, name := range waiting {
			if i > 0 {
				w.text(", ")
			}
			w.element("code", name)
		}
		w.text(". With JavaScript you can run the example on every device that your machine has.")
		w.line("p")
	}
}

// bits writes a value and its bits, with those hex digits marked that differ
// from another value's.
func (w writer) bits(value, bits, other string) {
	w.text(value)
	w.out.WriteByte(' ')
	w.open("code", "class", "bits")
	for _, part := range Differences(bits, other) {
		if part.Differs {
			w.element("mark", part.Text)
		} else {
			w.text(part.Text)
		}
	}
	w.close("code")
}

// distance says how far a value is from the reference's, where it is another.
func (w writer) distance(e *compare.Entry) {
	if e.ReferenceBits == e.CandidateBits {
		return
	}
	if e.ULP == "" {
		w.element("span", " no distance: one of them is no number", "class", "ulp")
		return
	}
	w.element("span", " "+e.ULP+" ulp", "class", "ulp")
}

// A Part is a run of digits that do, or do not, differ.
type Part struct {
	Text    string
	Differs bool
}

// Differences cuts a text of hex digits where it begins or ceases to differ from
// another one of the same length, digit by digit.
func Differences(text, other string) []Part {
	var parts []Part
	for i := range len(text) {
		differs := i >= len(other) || text[i] != other[i]
		if last := len(parts) - 1; last >= 0 && parts[last].Differs == differs {
			parts[last].Text += text[i : i+1]
			continue
		}
		parts = append(parts, Part{text[i : i+1], differs})
	}
	return parts
}
