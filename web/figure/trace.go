package figure

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"workbench/engine/device"
	"workbench/engine/trace"
)

// Trace writes a run: what went in and what came out, then its steps with
// everything they made. A decoder's steps are folded by their part of the
// model, since there are hundreds.
func Trace(out *bytes.Buffer, t *trace.Trace) {
	d := drawing{writer: writer{out}, trace: t, shown: make([]bool, len(t.Tensors))}
	d.madeBy()
	if t.Document != nil {
		d.document(t.Document)
		d.sections()
	} else {
		d.operands()
		d.counters()
		d.steps(0, len(t.Steps))
	}
	d.rest()
}

// drawing is a trace that is being written. Each tensor is shown once.
type drawing struct {
	writer
	trace *trace.Trace
	shown []bool
}

// madeBy names the device, its contract and the precision, and what a device
// that is not the host was asked for.
func (d *drawing) madeBy() {
	t := d.trace
	d.open("p", "class", "widget-made")
	if t.Example == trace.ExampleView {
		d.text("Read by the host: a view computes nothing.")
	} else {
		d.text("Made by ")
		d.element("code", t.Device)
		if t.DeviceName != "" {
			d.textf(", %s,", t.DeviceName)
		}
		d.textf(" in %s, ", t.Precision)
		if t.Contract == device.Fused.String() {
			d.text("each product and its addition rounded once (fused).")
		} else {
			d.text("each product rounded before it is added (separate).")
		}
	}
	if s := t.Stats; s != (device.Stats{}) {
		d.textf(" The device completed %s in %s; %s went to it and %s came back.",
			count(s.Requests, "matrix product"), count(s.Launches, "launch"), count(s.BytesIn, "byte"), count(s.BytesOut, "byte"))
		if times := s.Times(); times != "" {
			d.textf(" Measured: %s.", times)
		}
	}
	d.line("p")
}

// count writes a number of things.
func count(n int64, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "ch"):
		thing += "e"
	}
	return strconv.FormatInt(n, 10) + " " + thing + "s"
}

// operands shows what was given and what resulted side by side.
func (d *drawing) operands() {
	d.open("div", "class", "matrices")
	for _, s := range d.trace.Steps {
		if s.Phase == trace.PhaseInputs {
			d.tensors(s.Inputs)
			d.tensors(s.Outputs)
		}
	}
	if d.trace.Example != trace.ExampleView { // whose result is the last of a chain
		d.tensors(d.trace.Result)
	}
	d.line("div")
}

// tensors writes those that are not on the page yet.
func (d *drawing) tensors(indices []int) {
	for _, i := range indices {
		if i >= 0 && i < len(d.shown) && !d.shown[i] {
			d.shown[i] = true
			d.matrix(d.trace.Tensors[i])
		}
	}
}

// document writes a text's tokens and its loss.
func (d *drawing) document(doc *trace.Document) {
	d.open("table", "class", "tokens")
	d.element("caption", "“"+doc.Text+"” as tokens")
	for _, row := range []struct {
		name  string
		cells []string
	}{{"token", doc.Names}, {"ID", numerals(doc.IDs)}} {
		d.open("tr")
		d.element("th", row.name, "scope", "row")
		for _, cell := range row.cells {
			d.element("td", cell)
		}
		d.line("tr")
	}
	d.line("table")
	d.open("p", "class", "loss")
	d.textf("Loss %s nats, bits ", Number(doc.Loss))
	d.element("code", doc.Bits)
	d.text(".")
	d.line("p")
}

func numerals(values []int) []string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strconv.Itoa(v)
	}
	return words
}

// sections folds the steps by phase and part of the model.
func (d *drawing) sections() {
	steps := d.trace.Steps
	for from := 0; from < len(steps); {
		to := from + 1
		for to < len(steps) && steps[to].Phase == steps[from].Phase && steps[to].Section == steps[from].Section {
			to++
		}
		summary := fmt.Sprintf("%s: %s", part(steps[from]), count(int64(to-from), "step"))
		d.folded("widget-section", summary, func() { d.steps(from, to) })
		from = to
	}
}

// part says what a person calls the part of the run that a step belongs to:
// "forward, block 0 attention".
func part(s trace.Step) string {
	name := strings.ReplaceAll(s.Section, "_", " ")
	if rest, ok := strings.CutPrefix(name, "blocks."); ok {
		number, layer, _ := strings.Cut(rest, ".")
		name = "block " + number + " " + strings.ReplaceAll(layer, "ffn", "feed-forward")
	}
	if name == "" || name == s.Phase {
		return s.Phase
	}
	return s.Phase + ", " + name
}

// steps writes an ordered list that goes on counting from the one before.
func (d *drawing) steps(from, to int) {
	start := []string{"class", "steps"}
	if from > 0 {
		start = append(start, "start", strconv.Itoa(from+1))
	}
	d.open("ol", start...)
	d.out.WriteByte('\n')
	for _, s := range d.trace.Steps[from:to] {
		d.open("li")
		d.element("p", s.Title, "class", "step-title")
		if s.Device != trace.Host && s.Device != d.trace.Device {
			d.open("p", "class", "step-device")
			d.text("On ")
			d.element("code", s.Device)
			d.text(".")
			d.close("p")
		}
		if s.Stats != nil {
			d.element("p", "Cost: "+s.Stats.Words()+".", "class", "step-cost")
		}
		if s.Formula != "" {
			d.open("p", "class", "step-formula")
			d.tex(s.Formula)
			d.close("p")
		}
		if s.Note != "" {
			d.element("p", s.Note, "class", "step-note")
		}
		if s.Crossing != nil {
			d.crossing(s.Crossing)
		}
		if s.Cell != nil {
			left, right := d.operandNames(s)
			d.cell(s.Cell, left, right)
		}
		d.tensors(s.Inputs)
		d.tensors(s.Outputs)
		d.line("li")
	}
	d.line("ol")
}

// operandNames returns what the operands of a product or of a reduction, which
// has one, are called.
func (d *drawing) operandNames(s trace.Step) (left, right string) {
	name := func(at int, otherwise string) string {
		if at < len(s.Inputs) && s.Inputs[at] < len(d.trace.Tensors) {
			return d.trace.Tensors[s.Inputs[at]].Name
		}
		return otherwise
	}
	if s.Reduction != nil {
		return name(0, "value"), ""
	}
	return name(0, "left"), name(1, "right")
}

// rest shows what no step named, so that every number of a run is on its page.
func (d *drawing) rest() {
	for i := range d.shown {
		d.tensors([]int{i})
	}
}
