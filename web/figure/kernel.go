package figure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"workbench/engine/experiment"
	"workbench/engine/launch"
	"workbench/engine/tensor"
)

// What a page without script shows of a kernel's run; the rest needs one.
const (
	shownRows    = 16
	shownColumns = 16
	shownLanes   = 8
)

// Kernel writes a kernel as a page shows it before any script runs: its source,
// what came of it, and one step of the block that was recorded.
func Kernel(out *bytes.Buffer, title string, in experiment.Input, o *experiment.Outcome, m *launch.Moment) {
	w := writer{out}
	if title != "" {
		w.element("h3", title, "class", "kernel-title")
	}
	w.source(in.Source, m)
	if o == nil {
		return
	}
	w.reports(o)
	if o.Printed != "" {
		w.element("p", "The kernel printed:")
		w.element("pre", o.Printed, "class", "printed", "tabindex", "0")
	}
	for _, output := range o.Outputs {
		w.output(output)
	}
	w.verdict(o)
	for _, measured := range o.Measurements {
		w.measured(measured)
	}
	if m != nil && len(o.Tapes) > 0 {
		w.moment(&o.Tapes[0], m)
	}
}

// source writes CUDA C with numbered lines.
func (w writer) source(text string, m *launch.Moment) {
	w.open("ol", "class", "kernel-source", "tabindex", "0", "aria-label", "The kernel’s source")
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if m != nil && m.Place.Line == i+1 {
			w.open("li", "class", "now")
		} else {
			w.open("li")
		}
		w.element("code", line)
		w.line("li")
	}
	w.line("ol")
}

// reports says what is wrong with a kernel.
func (w writer) reports(o *experiment.Outcome) {
	if len(o.Reports) == 0 {
		if len(o.Measurements) > 0 {
			w.element("p", "Nothing wrong was found with this launch.", "class", "reports-none")
		}
		return
	}
	w.open("ul", "class", "reports")
	for i := range o.Reports {
		r := &o.Reports[i]
		w.open("li", "class", "report-"+string(r.Severity))
		w.textf("Line %d, %s: %s", r.Line, r.Kind, r.Message)
		if o := r.Other; o != nil {
			w.textf(" Block %v, thread %v; and block %v, thread %v at line %d.", r.Block, r.Thread, o.Block, o.Thread, o.Line)
		}
		if r.Cause != "" {
			w.textf(" Likely cause: %s", r.Cause)
		}
		w.line("li")
	}
	w.line("ul")
}

// output writes the first rows of a buffer.
func (w writer) output(o experiment.Output) {
	var values []any
	d := json.NewDecoder(bytes.NewReader(o.Values))
	d.UseNumber()
	if d.Decode(&values) != nil || len(values) == 0 {
		return
	}
	columns := len(values)
	if rank := len(o.Shape); rank > 0 && o.Shape[rank-1] > 0 {
		columns = o.Shape[rank-1]
	}
	rows := (o.Count + columns - 1) / columns
	shown := min(columns, shownColumns)
	caption := fmt.Sprintf("%s, %s, of type %s", o.Name, tensor.FormatShape(o.Shape), o.Type)
	if rows > shownRows || columns > shownColumns {
		caption += fmt.Sprintf(": the first %d × %d of %d elements", min(rows, shownRows), shown, o.Count)
	}
	headings := []string{"row"}
	for c := range shown {
		headings = append(headings, strconv.Itoa(c))
	}
	w.head(caption, "matrix", headings)
	for r := range min(rows, shownRows) {
		w.open("tr")
		w.element("th", strconv.Itoa(r), "scope", "row")
		for c := range shown {
			if i := r*columns + c; i < len(values) {
				w.element("td", fmt.Sprint(values[i]))
			}
		}
		w.line("tr")
	}
	w.foot()
}

// verdict says how an outcome compares with its reference.
func (w writer) verdict(o *experiment.Outcome) {
	r := o.Comparison
	if r == nil {
		return
	}
	w.open("p", "class", "kernel-verdict")
	switch {
	case r.Mismatched > 0:
		w.textf("The result cannot be compared with that of %s: %s.", r.Reference, r.Groups[0].Reason)
	case !r.Passed:
		w.textf("%d of %d values are not what %s computes.", r.Failures, r.Count, r.Reference)
		if first := r.Groups[0].First; first != nil {
			w.textf(" The first is %s%s: %s instead of %s.", first.Group, tensor.FormatShape(first.Coordinate), Number(first.Candidate), Number(first.Reference))
		}
	case r.Differing == 0:
		w.textf("All %d values are equal in every bit to those of %s.", r.Count, r.Reference)
	default:
		w.textf("All %d values are within the bound of their sums; %d have other bits than those of %s.", r.Count, r.Differing, r.Reference)
	}
	w.line("p")
}

// measured writes what a launch did.
func (w writer) measured(m *launch.Measurement) {
	w.head("What "+m.Kernel+" did", "measured", []string{"what", "how much"})
	row := func(what, format string, args ...any) {
		w.open("tr")
		w.element("th", what, "scope", "row")
		w.element("td", fmt.Sprintf(format, args...))
		w.line("tr")
	}
	row("blocks, threads, warps", "%d, %d, %d", m.Blocks, m.Threads, m.Warps)
	row("instructions of warps", "%d", m.Instructions)
	row("lanes at work", "%.1f %%", 100*m.LaneEfficiency)
	row("floating-point operations", "%d", m.Flops)
	row("requests to global memory", "%d loads, %d stores, %d atomics", m.Loads.Requests, m.Stores.Requests, m.Atomics.Requests)
	row("sectors of 32 bytes for a request", "%.2f", m.SectorsPerRequest)
	row("operations for a byte moved", "%.3f", m.ArithmeticIntensity)
	row("requests to shared memory", "%d loads, %d stores", m.SharedLoads.Requests, m.SharedStores.Requests)
	row("bank conflicts", "%d", m.SharedLoads.Conflicts+m.SharedStores.Conflicts+m.SharedAtomics.Conflicts)
	row("barriers, by warps", "%d", m.Barriers)
	w.foot()
	if len(m.Buffers) == 0 {
		return
	}
	w.head("How often each value was loaded", "loads", []string{"buffer", "elements", "loaded", "loads", "for each element", "for each element and block"})
	for _, a := range m.Buffers {
		w.open("tr")
		w.element("th", a.Name, "scope", "row")
		for _, n := range []int64{a.Elements, a.Loaded, a.Loads} {
			w.element("td", strconv.FormatInt(n, 10))
		}
		w.element("td", fmt.Sprintf("%.4g", a.LoadsPerElement))
		w.element("td", fmt.Sprintf("%.4g", a.LoadsPerBlock))
		w.line("tr")
	}
	w.foot()
}

// moment writes one step of a block: where it is, and what its lanes hold.
func (w writer) moment(t *launch.Tape, m *launch.Moment) {
	w.open("p", "class", "moment")
	w.textf("Block %v at step %d of %d: ", t.Block, m.Step, t.Steps-1)
	switch m.Kind {
	case launch.StepStatement:
		w.textf("warp %d begins line %d.", m.Warp, m.Place.Line)
	case launch.StepRelease:
		w.text("every warp has come to the barrier, and all go on.")
	default:
		w.text("the block has ended.")
	}
	for _, warp := range m.Warps {
		if warp.Warp == m.Warp && m.Kind == launch.StepStatement {
			w.textf(" %d of its %d lanes are active.", bits.OnesCount32(warp.Active), bits.OnesCount32(warp.Live))
		}
	}
	w.line("p")
	for _, warp := range m.Warps {
		for _, f := range warp.Frames {
			w.variables(warp.Warp, f)
		}
	}
}

// variables writes the first lanes' variables in a function.
func (w writer) variables(warp int, f launch.FrameMoment) {
	lanes := []string{"variable", "type"}
	for lane := range shownLanes {
		lanes = append(lanes, fmt.Sprintf("lane %d", lane))
	}
	w.head(fmt.Sprintf("Variables of %s, warp %d, first %d lanes", f.Function, warp, shownLanes), "lanes", lanes)
	var write func(v launch.Variable, name string, depth int)
	write = func(v launch.Variable, name string, depth int) {
		w.open("tr")
		w.element("th", name, "scope", "row")
		w.element("td", v.Type)
		for lane := range shownLanes {
			w.element("td", laneValue(v, lane))
		}
		w.line("tr")
		if depth > 3 {
			return
		}
		for _, part := range v.Parts {
			write(part, name+part.Name, depth+1)
		}
	}
	for _, v := range f.Vars {
		write(v, v.Name, 0)
	}
	w.foot()
}

// laneValue returns what a variable holds in a lane, "" where it holds nothing.
func laneValue(v launch.Variable, lane int) string {
	switch {
	case v.Set>>lane&1 == 0 || len(v.Values) == 0:
		return ""
	case len(v.Values) == 1:
		return v.Values[0]
	case lane < len(v.Values):
		return v.Values[lane]
	}
	return ""
}
