package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"workbench/engine/tensor"
)

// WriteText writes the report for a terminal: who was compared and by which
// criterion, a line for each group, the first failure and the worst
// difference, and the verdict in one sentence.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "reference  c of %s\n", r.Reference+r.Made.reference())
	fmt.Fprintf(&b, "candidate  u of %s\n", r.Candidate+r.Made.candidate())
	if r.Made != nil {
		fmt.Fprintf(&b, "precision  %s\n", r.Made.Precision)
	}
	fmt.Fprintf(&b, "criterion  %s\n", r.criterion())
	if r.Tolerance.Source != "" {
		fmt.Fprintf(&b, "           %s\n", r.Tolerance.Source)
	}
	if r.Made != nil {
		fmt.Fprintf(&b, "bits       %s\n", r.Made.Bits)
	}
	b.WriteByte('\n')
	if len(r.Groups) > 0 {
		r.writeTable(&b)
		b.WriteByte('\n')
	}
	for _, g := range r.Groups {
		if g.Reason != "" {
			fmt.Fprintf(&b, "not compared   %s: %s\n", g.Name, g.Reason)
		}
	}
	if first := r.firstFailure(); first != nil {
		fmt.Fprintf(&b, "first failure  %s\n", first)
	}
	if worst := r.worst(); worst != nil {
		fmt.Fprintf(&b, "worst          %s\n", worst)
	}
	fmt.Fprintln(&b, r.verdict())
	_, err := io.WriteString(w, b.String())
	return err
}

func (m *Made) reference() string {
	if m == nil {
		return ""
	}
	return m.Reference.words()
}

func (m *Made) candidate() string {
	if m == nil {
		return ""
	}
	return m.Candidate.words()
}

// words says of a maker what its spec does not: ", NVIDIA H200 (fused, by a
// library)".
func (m Maker) words() string {
	name, library := "", ""
	if m.Name != "" {
		name = ", " + m.Name
	}
	if m.Library {
		library = ", by a library"
	}
	return fmt.Sprintf("%s (%s%s)", name, m.Contract, library)
}

// criterion writes the tolerance as the inequality it is, and says which groups
// have bounds in its place.
func (r *Report) criterion() string {
	var bounded []string
	for _, g := range r.Groups {
		if g.Bounded {
			bounded = append(bounded, g.Name)
		}
	}
	switch len(bounded) {
	case 0:
		return r.Tolerance.criterion()
	case len(r.Groups):
		return "|u − c| ≤ the value's own bound"
	}
	return r.Tolerance.criterion() + ", and the value's own bound in " + strings.Join(bounded, ", ")
}

// String returns the entry on one line: where it is, both values with their
// bits, and their differences.
func (e *Entry) String() string {
	ulp := "no ulp distance"
	if e.ULP != "" {
		ulp = e.ULP + " ulp"
	}
	at := e.Group
	if len(e.Coordinate) > 0 {
		at += tensor.FormatShape(e.Coordinate)
	}
	allowed := decimal(e.Allowed)
	if !e.Pass && e.Absolute == 0 && e.differs() {
		allowed += " and no other bit" // two zeros: their difference alone says nothing
	}
	return fmt.Sprintf("%s: c = %s (%s), u = %s (%s), |u − c| = %s, relative %s, %s, allowed %s",
		at, decimal(e.Reference), e.ReferenceBits, decimal(e.Candidate), e.CandidateBits,
		decimal(e.Absolute), decimal(e.Relative), ulp, allowed)
}

// verdict is the outcome as a sentence.
func (r *Report) verdict() string {
	limit := "the tolerance"
	if slices.ContainsFunc(r.Groups, func(g GroupReport) bool { return g.Bounded }) {
		limit = "the allowed difference"
	}
	if r.Passed {
		switch {
		case r.Count == 0:
			return "PASS: the shapes agree and there are no values to compare."
		case r.Differing == 0:
			return fmt.Sprintf("PASS: %s equal in every bit.", amount(r.Count, "value is", "values are"))
		}
		return fmt.Sprintf("PASS: %s within %s; %s in bits.", amount(r.Count, "value lies", "values lie"), limit, amount(r.Differing, "differs", "differ"))
	}
	var faults []string
	if r.Failures > 0 {
		verb := "lie"
		if r.Failures == 1 {
			verb = "lies"
		}
		faults = append(faults, fmt.Sprintf("%d of %s %s outside %s", r.Failures, amount(r.Count, "value", "values"), verb, limit))
	}
	if r.Mismatched > 0 {
		faults = append(faults, fmt.Sprintf("%d of %s could not be compared", r.Mismatched, amount(len(r.Groups), "group", "groups")))
	}
	if len(r.Groups) == 0 {
		faults = append(faults, "nothing was compared")
	}
	return "FAIL: " + strings.Join(faults, ", and ") + "."
}

func amount(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// writeTable writes a line for each group, its numbers aligned at the right.
func (r *Report) writeTable(b *strings.Builder) {
	header := []string{"group", "shape", "values", "failures", "differing", "worst |u − c|", "ulp", "worst at", "first failure", ""}
	right := []bool{false, false, true, true, true, true, true, false, false, false}
	rows := [][]string{header}
	for _, g := range r.Groups {
		row := []string{g.Name, tensor.FormatShape(g.Shape), "-", "-", "-", "-", "-", "-", "-", "pass"}
		if g.Reason == "" {
			row[2], row[3], row[4] = fmt.Sprint(g.Count), fmt.Sprint(g.Failures), fmt.Sprint(g.Differing)
		}
		if e := g.Worst; e != nil {
			row[5], row[7] = decimal(e.Absolute), tensor.FormatShape(e.Coordinate)
			if e.ULP != "" {
				row[6] = e.ULP
			}
		}
		if e := g.First; e != nil {
			row[8] = tensor.FormatShape(e.Coordinate)
		}
		if !g.Passed {
			row[9] = "FAIL"
		}
		rows = append(rows, row)
	}
	widths := make([]int, len(header))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if right[i] {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
			line.WriteString("  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
}
