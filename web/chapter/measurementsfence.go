package chapter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
	"go.yaml.in/yaml/v3"

	"workbench/assets"
	"workbench/web/chart"
	"workbench/web/figure"
)

// measurementsNode is figures that were measured on a GPU, which is another
// machine's.
type measurementsNode struct {
	ast.BaseBlock
	id, caption string
	wanted      []wantedFigure
	bars        bool // draw them too
	found       []assets.Measurement
}

// wantedFigure is one figure of a fence, or several: a * at the end of the name
// stands for any rest.
type wantedFigure struct {
	name  string
	label string // what the page calls it; empty for the figure's own name
}

var kindMeasurements = ast.NewNodeKind("Measurements")

func (*measurementsNode) Kind() ast.NodeKind { return kindMeasurements }

func (n *measurementsNode) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"id": n.id}, nil)
}

// A Measured is what a measurements fence of a chapter asked for.
type Measured struct {
	ID     string
	Wanted []string
	Absent []string // of Wanted: what no measurement has
	Empty  bool     // there is no measurement at all
}

// measurementsFence shows figures by name. Figures that no measurement has are
// no mistake of the author's: the page says that they are not there.
func measurementsFence(p *parse, f fence) ast.Node {
	b := p.body(f)
	if b == nil {
		return nil
	}
	reported := len(p.chapter.Problems)
	p.known(b, b.root, "", []string{"figures", "chart", "caption"})
	caption, _ := p.located(b, b.root, "", "caption", true)
	n := &measurementsNode{id: f.id, caption: caption}
	n.wanted = p.wantedFigures(b)
	if len(p.chapter.Problems) == reported && len(n.wanted) == 0 {
		p.problem(b.line(b.value("figures")), "figures", "is empty: name at least one figure, or * for all")
	}
	if kind := b.value("chart"); kind != nil {
		if kind.Kind != yaml.ScalarNode || kind.Value != "bars" {
			p.problem(b.line(kind), "chart", "must be bars, or left out")
		}
		n.bars = true
	}
	if len(p.chapter.Problems) > reported {
		return nil
	}
	found := map[string]bool{}
	for _, m := range p.source.Measurements {
		m.Figures = n.choose(m.Figures, found)
		n.found = append(n.found, m)
	}
	measured := Measured{ID: f.id, Empty: len(n.found) == 0}
	for _, want := range n.wanted {
		measured.Wanted = append(measured.Wanted, want.name)
		if !found[want.name] {
			measured.Absent = append(measured.Absent, want.name)
		}
	}
	p.chapter.Measured = append(p.chapter.Measured, measured)
	p.name(f.id, "the measurements “"+opening(caption)+"”", f.line)
	return n
}

// wantedFigures reads the key figures: a list of names, or a mapping from what the
// page calls each figure to its name.
func (p *parse) wantedFigures(b *body) []wantedFigure {
	var out []wantedFigure
	n := b.value("figures")
	if n == nil || n.Kind != yaml.MappingNode {
		for i, item := range p.list(b, "figures", true) {
			out = append(out, wantedFigure{name: p.scalar(b, item, fmt.Sprintf("figures[%d]", i))})
		}
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		label := n.Content[i].Value
		name := p.scalar(b, n.Content[i+1], join("figures", label))
		if strings.HasSuffix(name, "*") {
			p.problem(b.line(n.Content[i+1]), join("figures", label), "is a name for many: a figure that has a name of the page's own is one")
		}
		out = append(out, wantedFigure{name, label})
	}
	return out
}

// choose returns the wanted ones of figures in the fence's order and under its
// names, and notes which were found.
func (n *measurementsNode) choose(figures []assets.Figure, found map[string]bool) []assets.Figure {
	labels := map[string]string{}
	for _, want := range n.wanted {
		if want.label != "" {
			labels[want.name] = want.label
		}
	}
	called := func(name string) string { return cmp.Or(labels[name], name) }
	var chosen []assets.Figure
	for _, want := range n.wanted {
		prefix, many := strings.CutSuffix(want.name, "*")
		for _, f := range figures {
			if f.Name != want.name && !(many && strings.HasPrefix(f.Name, prefix)) {
				continue
			}
			found[want.name] = true
			f.Name, f.Peer = called(f.Name), called(f.Peer)
			chosen = append(chosen, f)
		}
	}
	return chosen
}

func writeMeasurements(w util.BufWriter, n *measurementsNode) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "<figure class=\"measurements\" id=\"%s\">\n<figcaption>%s</figcaption>\n", n.id, escape(n.caption))
	if len(n.found) == 0 {
		figure.Unmeasured(&out)
	}
	for _, m := range n.found {
		figure.Measurement(&out, m)
		if !n.bars {
			continue
		}
		if option := chart.Figures(m.Figures); option != nil {
			data, err := json.Marshal(option)
			if err != nil {
				return fmt.Errorf("measurements %s: %w", n.id, err)
			}
			fmt.Fprintf(&out, "<div class=\"measured-chart\" data-label=\"%s\"><script type=\"application/json\">%s</script></div>\n",
				escape(fmt.Sprintf("The figures of the table, as bars: %s, %s", n.caption, m.GPU)), data)
		}
	}
	out.WriteString("</figure>\n")
	_, err := w.Write(out.Bytes())
	return err
}
