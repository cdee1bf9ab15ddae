package chapter

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	"go.yaml.in/yaml/v3"

	"workbench/assets"
	"workbench/engine/experiment"
	"workbench/engine/launch"
	"workbench/web/chart"
	"workbench/web/run"
)

// Widgets that show kernels of CUDA C.
const (
	KernelWidget = "kernel" // one: edited, run, checked, stepped
	TilesWidget  = "tiles"  // one or two side by side: who loads what, and when
)

// mostKernels is how many kernels stand side by side.
const mostKernels = 2

// Kernel is a kernel that a widget shows.
type Kernel struct {
	Title   string              // beside another one
	Input   experiment.Input    // with the source's text
	Block   launch.Index        // that is recorded
	Outcome *experiment.Outcome // after Run; with one recording, unless the kernel ended before it
	Moment  *launch.Moment      // of the recording, at the widget's Step
	Touched *launch.Touched     // of the recording, where the widget is about that

	gpus []assets.Measurement // that its launches are held against

	at string // where it stands in the body: "", or "kernels[1]"
}

// KernelData is what a page's script gets of a Kernel.
type KernelData struct {
	Title   string              `json:"title,omitempty"`
	Input   experiment.Input    `json:"input"`
	Block   launch.Index        `json:"block"`
	Outcome *experiment.Outcome `json:"outcome,omitempty"`
	Moment  *launch.Moment      `json:"moment,omitempty"`

	Rooflines []chart.Roofline `json:"rooflines,omitempty"`
}

// rooflines holds the kernel's launches against the limits of GPUs.
func (k *Kernel) rooflines() []chart.Roofline {
	if k.Outcome == nil {
		return nil
	}
	return chart.Rooflines(k.Outcome.Measurements, k.gpus)
}

// kernelKeys are what describes one kernel in a body.
var kernelKeys = []string{"title", "source", "launch", "reference", "block"}

// kernelFence reads
//
//	source: tiled.cu        a file beside the chapter
//	launch: {kernel, grid, block, args, …}     in the form of a launch file
//	reference: {of: product, left: a, right: b, out: c}     what should come out
//	block: [0, 0, 0]        that is recorded
//	device, step, caption
func kernelFence(p *parse, f fence) ast.Node {
	b := p.body(f)
	if b == nil {
		return nil
	}
	w := &Widget{ID: f.id, Example: KernelWidget, Device: "emulator", line: f.line, body: b}
	k, ok := p.kernel(b, b.root, "", append([]string{"device", "step", "caption"}, kernelKeys...))
	if !ok {
		return nil
	}
	w.Kernels = []Kernel{k}
	return p.kernels(w, f, kernelKeys...)
}

// tilesFence reads a list of one kernel or two, each as kernelFence does.
func tilesFence(p *parse, f fence) ast.Node {
	b := p.body(f)
	if b == nil {
		return nil
	}
	w := &Widget{ID: f.id, Example: TilesWidget, Device: "emulator", line: f.line, body: b}
	p.known(b, b.root, "", []string{"device", "step", "caption", "kernels"})
	n := b.value("kernels")
	if n == nil || n.Kind != yaml.SequenceNode || len(n.Content) < 1 || len(n.Content) > mostKernels {
		line := f.line
		if n != nil {
			line = b.line(n)
		}
		p.problem(line, "kernels", "must be a list of one kernel or two, each with its source and its launch")
		return nil
	}
	for i, item := range n.Content {
		k, ok := p.kernel(b, item, fmt.Sprintf("kernels[%d]", i), kernelKeys)
		if !ok {
			return nil
		}
		w.Kernels = append(w.Kernels, k)
	}
	return p.kernels(w, f, "kernels")
}

// kernel reads one kernel of a body.
func (p *parse) kernel(b *body, n *yaml.Node, at string, keys []string) (k Kernel, ok bool) {
	reported := len(p.chapter.Problems)
	k.at, k.gpus = at, p.source.Measurements
	if n == nil || n.Kind != yaml.MappingNode {
		p.problem(b.head(), cmp.Or(at, "source"), "is missing: name a .cu file beside the chapter, and its launch")
		return k, false
	}
	p.known(b, n, at, keys)
	k.Title, _ = p.located(b, n, at, "title", false)
	name, _ := p.located(b, n, at, "source", true)
	if len(p.chapter.Problems) > reported {
		return k, false
	}
	text, err := p.beside(name)
	if err != nil {
		p.problem(b.line(child(n, "source")), join(at, "source"), "%v", err)
		return k, false
	}
	k.Input.Source = string(text)
	form := child(n, "launch")
	if form == nil || form.Kind != yaml.MappingNode {
		line := b.line(n)
		if form != nil {
			line = b.line(form)
		}
		p.problem(line, join(at, "launch"), "must be a launch, as in {kernel: add, grid: [4], block: [64], args: [...]}")
		return k, false
	}
	if own := child(form, "source"); own != nil {
		p.problem(b.line(own), join(at, "launch.source"), "stands beside launch, not in it")
		return k, false
	}
	launched, bad := b.appendValue(nil, form, join(at, "launch"))
	if bad != nil {
		p.bad(bad)
		return k, false
	}
	file, _ := json.Marshal(name)
	k.Input.Launch = append([]byte(`{"source":`), file...)
	if len(form.Content) > 0 {
		k.Input.Launch = append(k.Input.Launch, ',')
	}
	k.Input.Launch = append(k.Input.Launch, launched[1:]...)
	if r := child(n, "reference"); r != nil {
		text, bad := b.appendValue(nil, r, join(at, "reference"))
		if bad != nil {
			p.bad(bad)
			return k, false
		}
		k.Input.Reference = new(experiment.Reference)
		if err := strictJSON(text, k.Input.Reference); err != nil {
			p.problem(b.line(r), join(at, "reference"), "%v", err)
			return k, false
		}
	}
	if n := child(n, "block"); n != nil {
		if n.Kind != yaml.SequenceNode || len(n.Content) != 3 {
			p.problem(b.line(n), join(at, "block"), "must be three numbers: blockIdx.x, y and z, as in [1, 0, 0]")
			return k, false
		}
		good := true
		for i, item := range n.Content {
			k.Block[i], good = p.whole(b, item, fmt.Sprintf("%s[%d]", join(at, "block"), i), good)
		}
		if !good {
			return k, false
		}
	}
	return k, true
}

// kernels finishes a widget.
func (p *parse) kernels(w *Widget, f fence, keys ...string) ast.Node {
	ok := true
	if n := w.body.value("device"); n != nil {
		w.Device, ok = p.spec(w.body, n, "device")
	}
	if n := w.body.value("step"); n != nil {
		w.Step, ok = p.whole(w.body, n, "step", ok)
	}
	return p.widget(w, f, ok, append([]string{"device", "step", "caption"}, keys...)...)
}

// beside reads a file of the chapter's folder.
func (p *parse) beside(name string) ([]byte, error) {
	if name != path.Base(name) || path.Ext(name) != ".cu" {
		return nil, fmt.Errorf("must be a .cu file beside the chapter")
	}
	if p.source.Beside == nil {
		return nil, fmt.Errorf("%s is not there", name)
	}
	text, err := p.source.Beside(name)
	if err != nil {
		return nil, fmt.Errorf("%s is not in the chapter’s folder", name)
	}
	p.chapter.asked = append(p.chapter.asked, asked{beside: name, text: string(text)})
	return text, nil
}

// runKernels runs the kernels of a widget, and records a block of each.
func (w *Widget) runKernels(ctx context.Context, r run.Runner) (problem *Problem, err error) {
	for i := range w.Kernels {
		k := &w.Kernels[i]
		k.Outcome, err = r.Launch(ctx, w.Device, k.Input, []launch.Index{k.Block})
		if err != nil {
			return k.problem(w, err), err
		}
		recording := k.Outcome.Recording(0)
		if recording == nil {
			continue
		}
		steps := recording.Tape().Steps
		if w.Step >= steps {
			return &Problem{Line: w.body.lineOf("step"), Field: "step", Reason: fmt.Sprintf("%d is past the end: the steps run from 0 to %d", w.Step, steps-1)}, nil
		}
		if k.Moment, err = recording.At(ctx, w.Step, launch.View{Shared: true}); err != nil {
			return nil, err
		}
		if w.Example != TilesWidget {
			continue
		}
		if k.Touched, err = recording.Touched(ctx, 0, steps); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// problem says which field of a widget an error is about, where that is the
// author's; nil where it is not.
func (k *Kernel) problem(w *Widget, err error) *Problem {
	failure := run.Describe(err)
	if failure.Code != run.CodeInput {
		return nil
	}
	field := failure.Field
	if field == "record" {
		field = "block"
	}
	field = join(k.at, field)
	line := w.body.lineOf(field)
	if line == 0 {
		line = w.line
	}
	return &Problem{Line: line, Field: field, Reason: failure.Message}
}

// strictJSON reads what the engine writes and nothing beside it.
func strictJSON(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
