package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"workbench/engine/dtype"
	"workbench/engine/tensor"
)

// Compare holds the candidate's values against the reference's, group by group.
// Reference and candidate name the devices that computed them. It never fails:
// what cannot be compared is a failing group with a Reason. Without groups
// nothing was compared, and the report does not pass.
func Compare(reference, candidate string, tol Tolerance, groups []Group) *Report {
	r := &Report{
		Version:   Version,
		Reference: reference,
		Candidate: candidate,
		Tolerance: tol,
		Passed:    len(groups) > 0,
		Groups:    make([]GroupReport, 0, len(groups)),
	}
	seen := map[string]bool{}
	total := 0
	for _, g := range groups {
		total += len(g.Reference)
	}
	r.Entries = make([]Entry, 0, total)
	for _, g := range groups {
		reason := g.fault()
		if seen[g.Name] {
			reason = "the name is used by an earlier group: an entry would not say which it belongs to"
		}
		seen[g.Name] = true
		report := r.compareGroup(g, reason)
		r.Groups = append(r.Groups, report)
		r.Passed = r.Passed && report.Passed
		r.Count += report.Count
		r.Failures += report.Failures
		r.Differing += report.Differing
		if reason != "" {
			r.Mismatched++
		}
	}
	return r
}

// fault says why the values of a group cannot be compared, or is empty.
func (g Group) fault() string {
	if g.Shape == nil && g.Reference == nil {
		if g.CandidateShape == nil && g.Candidate == nil {
			return "missing on both sides"
		}
		return "missing in the reference; the candidate has shape " + tensor.FormatShape(g.CandidateShape)
	}
	if g.CandidateShape == nil && g.Candidate == nil {
		return "missing in the candidate; the reference has shape " + tensor.FormatShape(g.Shape)
	}
	if !slices.Equal(g.Shape, g.CandidateShape) {
		return fmt.Sprintf("the shapes differ: the reference has %s and the candidate %s", tensor.FormatShape(g.Shape), tensor.FormatShape(g.CandidateShape))
	}
	n, err := tensor.Elements(g.Shape)
	if err != nil {
		return err.Error()
	}
	for _, part := range []struct {
		name   string
		values []float64
	}{{"the reference", g.Reference}, {"the candidate", g.Candidate}} {
		if len(part.values) != n {
			return fmt.Sprintf("%s has %d values where the shape %s has %d", part.name, len(part.values), tensor.FormatShape(g.Shape), n)
		}
	}
	if g.Bound != nil && len(g.Bound) != n {
		return fmt.Sprintf("there are %d bounds for the %d values of shape %s", len(g.Bound), n, tensor.FormatShape(g.Shape))
	}
	return ""
}

// compareGroup sums up one group and appends its entries to the report.
func (r *Report) compareGroup(g Group, reason string) GroupReport {
	report := GroupReport{
		Name:    g.Name,
		Shape:   append([]int{}, g.Shape...),
		Reason:  reason,
		Bounded: g.Bound != nil,
	}
	if !slices.Equal(g.Shape, g.CandidateShape) {
		report.CandidateShape = append([]int{}, g.CandidateShape...)
	}
	if reason != "" {
		return report
	}
	report.Count = len(g.Reference)
	for flat, c := range g.Reference {
		u := g.Candidate[flat]
		allowed, bits := r.Tolerance.allowed(c), r.Tolerance.Bits
		if g.Bound != nil {
			allowed, bits = g.Bound[flat], false
		}
		e := newEntry(c, u, allowed)
		e.Pass = e.Pass && !(bits && e.differs())
		e.Group, e.Flat, e.Coordinate = g.Name, flat, tensor.Coordinate(g.Shape, flat)
		r.Entries = append(r.Entries, e)

		if !e.Pass {
			report.Failures++
			if report.First == nil {
				first := e
				report.First = &first
			}
		}
		if e.differs() {
			report.Differing++
		}
		if (!e.Pass || e.differs()) && (report.Worst == nil || e.worse(report.Worst)) {
			worst := e
			report.Worst = &worst
		}
	}
	report.Passed = report.Failures == 0
	return report
}

// newEntry applies the criterion to c of the reference and u of the candidate.
func newEntry(c, u, allowed float64) Entry {
	e := Entry{
		Reference:     tensor.Number(c),
		Candidate:     tensor.Number(u),
		Absolute:      tensor.Number(math.Abs(u - c)),
		ReferenceBits: tensor.Bits(c),
		CandidateBits: tensor.Bits(u),
		Allowed:       tensor.Number(allowed),
	}
	e.Relative = e.Absolute
	if e.Absolute != 0 {
		e.Relative /= tensor.Number(math.Abs(c))
	}
	if steps, ok := dtype.ULPDistance64(c, u); ok {
		e.ULP = strconv.FormatUint(steps, 10)
	}
	// The difference of finite values can overflow, and so can the allowance;
	// an infinity never passes, wherever it comes from.
	e.Pass = finite(c) && finite(u) && e.finite() && finite(allowed) && float64(e.Absolute) <= allowed
	return e
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// finite reports whether the difference is finite; then both values are.
func (e *Entry) finite() bool { return finite(float64(e.Absolute)) }

func (e *Entry) differs() bool { return e.ReferenceBits != e.CandidateBits }

// worse reports whether e is a worse difference than f: not finite, or larger,
// or as large and failing where f passes.
func (e *Entry) worse(f *Entry) bool {
	switch {
	case e.finite() != f.finite():
		return f.finite()
	case e.finite() && e.Absolute != f.Absolute:
		return e.Absolute > f.Absolute
	}
	return !e.Pass && f.Pass
}

// firstFailure returns the first failing entry of the report, or nil.
func (r *Report) firstFailure() *Entry {
	for i := range r.Groups {
		if e := r.Groups[i].First; e != nil {
			return e
		}
	}
	return nil
}

// worst returns the worst entry of the report, or nil.
func (r *Report) worst() *Entry {
	var worst *Entry
	for i := range r.Groups {
		if e := r.Groups[i].Worst; e != nil && (worst == nil || e.worse(worst)) {
			worst = e
		}
	}
	return worst
}
