package chapter

import (
	"bytes"
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
	wanted      []string // names of figures; * at the end stands for any rest
	bars        bool     // draw them too
	found       []assets.Measurement
}

var kindMeasurements = ast.NewNodeKind("Measurements")

func (*measurementsNode) Kind() ast.NodeKind { return kindMeasurements }

func (n *measurementsNode) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"figures": strings.Join(n.wanted, ", ")}, nil)
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
	for i, item := range p.list(b, "figures", true) {
		n.wanted = append(n.wanted, p.scalar(b, item, fmt.Sprintf("figures[%d]", i)))
	}
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
		var chosen []assets.Figure
		for _, want := range n.wanted {
			for _, figure := range m.Figures {
				if names(want, figure.Name) {
					found[want] = true
					chosen = append(chosen, figure)
				}
			}
		}
		m.Figures = chosen
		n.found = append(n.found, m)
	}
	measured := Measured{ID: f.id, Wanted: n.wanted, Empty: len(n.found) == 0}
	for _, want := range n.wanted {
		if !found[want] {
			measured.Absent = append(measured.Absent, want)
		}
	}
	p.chapter.Measured = append(p.chapter.Measured, measured)
	p.name(f.id, "the measurements “"+opening(caption)+"”", f.line)
	return n
}

// names reports whether a name of a fence means a figure.
func names(want, name string) bool {
	if prefix, ok := strings.CutSuffix(want, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return want == name
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
