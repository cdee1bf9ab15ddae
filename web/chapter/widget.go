package chapter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/yuin/goldmark/ast"
	"go.yaml.in/yaml/v3"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/trace"
	"workbench/web/run"
)

// Comparison is the Example of a widget that holds two devices against each
// other.
const Comparison = "comparison"

// A Widget is a live example in a chapter.
type Widget struct {
	ID      string
	Example string // "product", "reduction", "view", "decoder", "boundary", Comparison, Contracts, KernelWidget or TilesWidget
	Caption string
	Input   json.RawMessage // of the example
	Step    int             // shown first
	Cell    *[3]int         // chosen first; nil for none

	Device string       // that runs the page's own trace
	Trace  *trace.Trace // after Run

	Devices [2]string       // of a Comparison: reference and candidate
	Report  *compare.Report // after Run

	Of      string   // of Contracts: the example that each column is of
	Columns []Column // likewise

	Kernels []Kernel // of a KernelWidget or a TilesWidget

	// Missing is what the device said, where that is why there is neither a
	// trace nor a report: it is not there, or it failed. The author's text has no
	// mistake then.
	Missing *run.Failure

	line    int // of the fence in the file
	body    *body
	problem *Problem // that Run met
}

// RunName is the name by which a page asks about this widget's own trace.
func (w *Widget) RunName() string { return "page:" + w.ID }

// Last returns the number of the last step of what came with the page: of tiles, which
// stand at all phases first, the number of phases. It is 0 where there are no steps.
func (w *Widget) Last() int {
	if w.Trace != nil {
		return max(len(w.Trace.Steps)-1, 0)
	}
	last := 0
	for _, k := range w.Kernels {
		if k.Outcome == nil || k.Outcome.Recording(0) == nil {
			return 0
		}
		tape := k.Outcome.Recording(0).Tape()
		if w.Example == TilesWidget {
			last = max(last, tape.Phases, 1)
		} else {
			last = max(tape.Steps-1, 0)
		}
	}
	return last
}

// Data is what the page's script gets of a widget.
type Data struct {
	Input   json.RawMessage `json:"input"`
	Caption string          `json:"caption"`
	Run     string          `json:"run"`
	Step    int             `json:"step,omitempty"`
	Cell    *[3]int         `json:"cell,omitempty"`
	Device  string          `json:"device,omitempty"`
	Trace   *trace.Trace    `json:"trace,omitempty"`
	Devices []string        `json:"devices,omitempty"`
	Report  *compare.Report `json:"report,omitempty"`

	// Reports of a Contracts widget, one for each of Devices; null where the page
	// asked for none.
	Reports []*compare.Report `json:"reports,omitempty"`

	Kernels []KernelData `json:"kernels,omitempty"`
}

// Data returns the widget for the page's script.
func (w *Widget) Data() Data {
	d := Data{Input: w.Input, Caption: w.Caption, Run: w.RunName(), Step: w.Step, Cell: w.Cell, Trace: w.Trace, Report: w.Report}
	switch w.Example {
	case Comparison:
		d.Devices = w.Devices[:]
	case Contracts:
		for _, c := range w.Columns {
			d.Devices, d.Reports = append(d.Devices, c.Spec), append(d.Reports, c.Report)
		}
	default:
		d.Device = w.Device
	}
	for _, k := range w.Kernels {
		d.Kernels = append(d.Kernels, KernelData{k.Title, k.Input, k.Block, k.Outcome, k.Moment, k.rooflines()})
	}
	return d
}

// exampleFence reads a worked example: its input, and the keys that are of the
// page and not of the input.
func exampleFence(p *parse, f fence) ast.Node {
	b := p.body(f)
	if b == nil {
		return nil
	}
	w := &Widget{ID: f.id, Example: f.word, Device: "cpu", line: f.line, body: b}
	ok := true
	if n := b.value("device"); n != nil {
		w.Device, ok = p.spec(b, n, "device")
	}
	if n := b.value("step"); n != nil {
		w.Step, ok = p.whole(b, n, "step", ok)
	}
	if n := b.value("cell"); n != nil {
		if w.Cell, ok = p.cell(b, n, "cell", ok); w.Cell == nil {
			return nil
		}
	}
	return p.widget(w, f, ok, "device", "step", "cell", "caption")
}

// comparisonFence reads two devices and the input of a decoder.
func comparisonFence(p *parse, f fence) ast.Node {
	b := p.body(f)
	if b == nil {
		return nil
	}
	w := &Widget{ID: f.id, Example: Comparison, line: f.line, body: b}
	n := b.value("devices")
	if n == nil || n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
		line := f.line
		if n != nil {
			line = b.line(n)
		}
		p.problem(line, "devices", `must be two devices, the reference first, as in [cpu, "cpu,fused"]`)
		return nil
	}
	ok := true
	for i, item := range n.Content {
		spec, good := p.spec(b, item, fmt.Sprintf("devices[%d]", i))
		w.Devices[i], ok = spec, ok && good
	}
	return p.widget(w, f, ok, "devices", "caption")
}

// widget finishes a widget: the caption, the input without the keys of the
// page, the name.
func (p *parse) widget(w *Widget, f fence, ok bool, common ...string) ast.Node {
	if n := w.body.value("caption"); n != nil {
		if w.Caption = p.scalar(w.body, n, "caption"); w.Caption == "" {
			return nil
		}
	}
	input, bad := w.body.json(common...)
	if bad != nil {
		p.bad(bad)
		return nil
	}
	if !ok {
		return nil
	}
	w.Input = input
	p.name(w.ID, w.title(), f.line)
	p.chapter.Widgets = append(p.chapter.Widgets, w)
	return &widgetNode{widget: w, slug: p.chapter.Slug}
}

// title says what the widget is, for links to it.
func (w *Widget) title() string {
	if w.Caption != "" {
		return "the widget “" + opening(w.Caption) + "”"
	}
	return "the " + w.Example + " widget"
}

// spec reads a device's name.
func (p *parse) spec(b *body, n *yaml.Node, path string) (string, bool) {
	if n.Kind == yaml.SequenceNode {
		p.problem(b.line(n), path, `must be one device: a name with a comma in it needs quotes, as in "cpu,fused"`)
		return "", false
	}
	spec, err := device.ParseSpec(n.Value)
	if err != nil {
		p.problem(b.line(n), path, "%s", err)
		return "", false
	}
	return spec.String(), true
}

// cell reads a place in a result: nil where it is not even three values.
func (p *parse) cell(b *body, n *yaml.Node, path string, ok bool) (*[3]int, bool) {
	if n.Kind != yaml.SequenceNode || len(n.Content) != 3 {
		p.problem(b.line(n), path, "must be three numbers: matrix, row and column, as in [0, 0, 1]")
		return nil, false
	}
	cell := new([3]int)
	for i, item := range n.Content {
		cell[i], ok = p.whole(b, item, fmt.Sprintf("%s[%d]", path, i), ok)
	}
	return cell, ok
}

// whole reads a number from 0.
func (p *parse) whole(b *body, n *yaml.Node, path string, ok bool) (int, bool) {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < 0 {
		p.problem(b.line(n), path, "must be a whole number from 0")
		return 0, false
	}
	return v, ok
}

// run computes the widget, and returns what keeps it from being shown.
func (w *Widget) run(ctx context.Context, r run.Runner) *Problem {
	var err error
	switch w.Example {
	case Contracts:
		err = w.runColumns(ctx, r)
	case KernelWidget, TilesWidget:
		var problem *Problem
		if problem, err = w.runKernels(ctx, r); problem != nil {
			return problem
		}
	case Comparison:
		w.Report, err = r.Compare(ctx, w.Devices[0], w.Devices[1], trace.ExampleDecoder, w.Input, func(string, int, int) {})
	default:
		w.Trace, err = r.Run(ctx, w.Device, w.Example, w.Input)
	}
	if err == nil {
		return w.check()
	}
	failure := run.Describe(err)
	switch failure.Code {
	case run.CodeDevice, run.CodeFault, run.CodeTimeout, run.CodeMemory, run.CodeCompile:
		w.Missing = failure
		return nil
	}
	problem := &Problem{Line: w.body.lineOf(failure.Field), Field: failure.Field, Reason: failure.Message}
	if problem.Line == 0 {
		problem.Line = w.line
	}
	if problem.Field == "" {
		problem.Field = w.Example
	}
	return problem
}

// check holds the step and the cell that the author chose against the trace.
func (w *Widget) check() *Problem {
	if w.Trace == nil {
		return nil
	}
	if n := len(w.Trace.Steps); w.Step >= n && w.body.value("step") != nil {
		return &Problem{Line: w.body.lineOf("step"), Field: "step", Reason: fmt.Sprintf("%d is past the end: the steps run from 0 to %d", w.Step, n-1)}
	}
	if w.Cell == nil {
		return nil
	}
	inside := func(s trace.Step) bool { _, ok := flat(s, *w.Cell); return ok }
	if !slices.ContainsFunc(w.Trace.Steps, inside) {
		return &Problem{Line: w.body.lineOf("cell"), Field: "cell", Reason: fmt.Sprintf("[%d, %d, %d] lies outside every product and reduction of the run", w.Cell[0], w.Cell[1], w.Cell[2])}
	}
	return nil
}

// flat returns where a cell lies in the result of a step that is a product or a
// reduction and has it.
func flat(s trace.Step, cell [3]int) (int, bool) {
	switch {
	case s.Product != nil:
		p := s.Product
		return (cell[0]*p.M+cell[1])*p.N + cell[2], cell[0] < p.B && cell[1] < p.M && cell[2] < p.N
	case s.Reduction != nil:
		return cell[1], cell[0] == 0 && cell[1] < s.Reduction.G && cell[2] == 0
	}
	return 0, false
}
