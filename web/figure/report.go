package figure

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"workbench/engine/compare"
	"workbench/engine/tensor"
)

// Report writes a comparison: its criterion and verdict, a table of its
// groups, links to the files, and every value folded away.
func Report(out *bytes.Buffer, r *compare.Report, csv, json string) {
	w := writer{out}
	w.open("p", "class", "verdict")
	w.element("code", r.Candidate)
	if r.Passed {
		w.text(" agrees with ")
	} else {
		w.text(" does not agree with ")
	}
	w.element("code", r.Reference)
	w.textf(": of %s, %d have other bits and %d are outside the tolerance.", count(int64(r.Count), "value"), r.Differing, r.Failures)
	if r.Mismatched > 0 {
		w.textf(" %s could not be compared.", count(int64(r.Mismatched), "tensor"))
	}
	w.line("p")
	w.open("p", "class", "tolerance")
	if r.Tolerance.Bits {
		w.textf("Two values agree when they are equal in every bit (%s).", r.Tolerance.Source)
	} else {
		w.textf("Allowed difference: %s absolute, %s relative (%s).", Number(r.Tolerance.Absolute), Number(r.Tolerance.Relative), r.Tolerance.Source)
	}
	w.line("p")
	if m := r.Made; m != nil {
		w.open("p", "class", "made")
		w.text("c is of ")
		w.maker(r.Reference, m.Reference)
		w.text(", u of ")
		w.maker(r.Candidate, m.Candidate)
		w.textf(", both in %s. %s.", m.Precision, upper(m.Bits))
		w.line("p")
	}
	w.groups(r)
	w.open("p", "class", "downloads")
	w.text("Every value as ")
	w.element("a", "CSV", "href", csv, "download", "")
	w.text(" or ")
	w.element("a", "JSON", "href", json, "download", "")
	w.text(".")
	w.line("p")
	w.entries(r)
}

// maker names a side's device and says how it computes.
func (w writer) maker(spec string, m compare.Maker) {
	w.element("code", spec)
	if m.Name != "" {
		w.textf(", %s", m.Name)
	}
	w.textf(" (%s", m.Contract)
	if m.Library {
		w.text(", by a library")
	}
	w.text(")")
}

// upper begins a sentence.
func upper(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// head starts a table, foot ends it.
func (w writer) head(caption, class string, columns []string) {
	w.scroll(caption, len(columns))
	w.open("table", "class", class)
	w.element("caption", caption)
	w.columns(columns)
}

func (w writer) foot() {
	w.close("tbody")
	w.close("table")
	w.line("div")
}

func (w writer) groups(r *compare.Report) {
	w.head("Groups", "groups", []string{"group", "shape", "values", "other bits", "outside", "first outside", "worst", "worst difference", "result"})
	for _, g := range r.Groups {
		w.open("tr")
		w.element("th", g.Name, "scope", "row")
		shape := tensor.FormatShape(g.Shape)
		if g.CandidateShape != nil {
			shape += " against " + tensor.FormatShape(g.CandidateShape)
		}
		w.element("td", shape)
		w.element("td", strconv.Itoa(g.Count))
		w.element("td", strconv.Itoa(g.Differing))
		w.element("td", strconv.Itoa(g.Failures))
		w.element("td", place(g.First))
		w.element("td", place(g.Worst))
		if g.Worst != nil {
			w.element("td", Number(g.Worst.Absolute))
		} else {
			w.element("td", "")
		}
		if g.Reason != "" {
			w.element("td", verdict(g.Passed)+": "+g.Reason)
		} else {
			w.element("td", verdict(g.Passed))
		}
		w.line("tr")
	}
	w.foot()
}

func place(e *compare.Entry) string {
	if e == nil {
		return ""
	}
	return tensor.FormatShape(e.Coordinate)
}

func verdict(passed bool) string {
	if passed {
		return "passes"
	}
	return "fails"
}

// entries writes every value of both sides.
func (w writer) entries(r *compare.Report) {
	w.folded("widget-values", fmt.Sprintf("All %d values", len(r.Entries)), func() {
		w.head("Values", "values", []string{"group", "coordinate", r.Reference, r.Candidate, "difference", "ulp", "result"})
		shown := min(len(r.Entries), mostValues)
		for i := range r.Entries[:shown] {
			e := &r.Entries[i]
			w.open("tr")
			w.element("th", e.Group, "scope", "row")
			w.element("td", tensor.FormatShape(e.Coordinate))
			w.element("td", Number(e.Reference))
			w.element("td", Number(e.Candidate))
			w.element("td", Number(e.Absolute))
			w.element("td", e.ULP)
			w.element("td", verdict(e.Pass))
			w.line("tr")
		}
		w.foot()
		if shown < len(r.Entries) {
			w.open("p", "class", "matrix-more")
			w.textf("The rest of the %d values is in the files.", len(r.Entries))
			w.line("p")
		}
	})
}
