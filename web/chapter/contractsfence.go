package chapter

import (
	"context"
	"fmt"

	"github.com/yuin/goldmark/ast"
	"go.yaml.in/yaml/v3"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/trace"
	"workbench/web/run"
)

// Contracts is the Example of a widget that shows one example's values on
// several devices side by side.
const Contracts = "contracts"

// mostColumns bounds the devices that stand side by side.
const mostColumns = 8

// A Column is one device of a Contracts widget. Its values are held against
// those of the first, the reference.
type Column struct {
	Spec   string
	Report *compare.Report // nil for the reference, and for a device that the page did not ask

	line int // in the file
}

// contractsFence reads the devices, the reference first, and the input of a
// product, or of a reduction where the key example says so.
func contractsFence(p *parse, f fence) ast.Node {
	b := p.body(f)
	if b == nil {
		return nil
	}
	w := &Widget{ID: f.id, Example: Contracts, Of: trace.ExampleProduct, line: f.line, body: b}
	ok := true
	if n := b.value("example"); n != nil {
		if n.Value != trace.ExampleProduct && n.Value != trace.ExampleReduction {
			p.problem(b.line(n), "example", "must be %s or %s", trace.ExampleProduct, trace.ExampleReduction)
			ok = false
		}
		w.Of = n.Value
	}
	n := b.value("devices")
	if n == nil || n.Kind != yaml.SequenceNode || len(n.Content) < 2 || len(n.Content) > mostColumns {
		line := f.line
		if n != nil {
			line = b.line(n)
		}
		p.problem(line, "devices", `must be 2 to %d devices, the reference first, as in [cpu, "cpu,fused", "cuda:0"]`, mostColumns)
		return nil
	}
	for i, item := range n.Content {
		at := fmt.Sprintf("devices[%d]", i)
		spec, good := p.spec(b, item, at)
		ok = ok && good
		if good && i == 0 && !ofCPU(spec) {
			p.problem(b.line(item), at, "must be cpu or cpu,fused, which define the bits of a contract")
			ok = false
		}
		w.Columns = append(w.Columns, Column{Spec: spec, line: b.line(item)})
	}
	return p.widget(w, f, ok, "devices", "example", "caption")
}

// ofCPU reports whether a device is a CPU.
func ofCPU(name string) bool {
	spec, err := device.ParseSpec(name)
	return err == nil && spec.Kind == device.CPU
}

// everywhere reports whether a device is there on every machine.
func everywhere(name string) bool {
	spec, err := device.ParseSpec(name)
	return err == nil && spec.Kind != device.CUDA
}

// runColumns asks the CPUs and the emulators among the devices. The others are
// asked when a reader says so: a page is the same on every machine, and no driver
// starts because a chapter was read.
func (w *Widget) runColumns(ctx context.Context, r run.Runner) error {
	reference := w.Columns[0].Spec
	asked := false
	for i := 1; i < len(w.Columns); i++ {
		c := &w.Columns[i]
		if !everywhere(c.Spec) {
			continue
		}
		asked = true
		var err error
		if c.Report, err = r.Compare(ctx, reference, c.Spec, w.Of, w.Input, func(string, int, int) {}); err != nil {
			return err
		}
	}
	if asked {
		return nil
	}
	var err error // the reference's own values are those of any report
	w.Columns[0].Report, err = r.Compare(ctx, reference, reference, w.Of, w.Input, func(string, int, int) {})
	return err
}
