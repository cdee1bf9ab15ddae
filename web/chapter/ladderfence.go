package chapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
	"go.yaml.in/yaml/v3"

	"workbench/engine/device"
	"workbench/engine/ladder"
	"workbench/web/figure"
)

// ladderSizes are what a page offers to measure.
var ladderSizes = []int{256, 512, 1024, 2048, 4096}

// A Ladder is one as who leads through the chapter has to know it: an example like the
// widgets, without steps.
type Ladder struct {
	ID, Caption string
	After       int // widgets of the chapter that stand before it
}

// ladderNode is the versions of the matrix product beside a vendor's library: as
// they were measured, and to be measured here.
type ladderNode struct {
	ast.BaseBlock
	id, caption string
	size        int
	precisions  []device.Precision
	measured    []byte // the tables, as HTML
}

var kindLadder = ast.NewNodeKind("Ladder")

func (*ladderNode) Kind() ast.NodeKind { return kindLadder }

func (n *ladderNode) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"id": n.id}, nil)
}

// LadderData is what a page's script gets of a ladder.
type LadderData struct {
	Caption    string   `json:"caption"`
	Precisions []string `json:"precisions"`
	Sizes      []int    `json:"sizes"`
}

// ladderFence reads
//
//	size: 4096                       of the measurements that come with the course
//	precisions: [float32, float64]   a table each
//	caption
//
// A size that nobody measured is no mistake of the author's.
func ladderFence(p *parse, f fence) ast.Node {
	b := p.body(f)
	if b == nil {
		return nil
	}
	reported := len(p.chapter.Problems)
	p.known(b, b.root, "", []string{"size", "precisions", "caption"})
	caption, _ := p.located(b, b.root, "", "caption", true)
	n := &ladderNode{id: f.id, caption: caption, size: ladder.Largest, precisions: ladder.Precisions}
	if s := b.value("size"); s != nil {
		var err error
		if n.size, err = strconv.Atoi(s.Value); err != nil || s.Kind != yaml.ScalarNode || !ladder.Fits(n.size) {
			p.problem(b.line(s), "size", "must be a multiple of 64, and at most %d: rows and columns of each matrix", ladder.Largest)
		}
	}
	if b.value("precisions") != nil {
		n.precisions = nil
		for i, item := range p.list(b, "precisions", true) {
			at := fmt.Sprintf("precisions[%d]", i)
			name := p.scalar(b, item, at)
			found := slices.IndexFunc(ladder.Precisions, func(p device.Precision) bool { return p.String() == name })
			if found < 0 {
				p.problem(b.line(item), at, "must be one of %v", ladder.Precisions)
				continue
			}
			n.precisions = append(n.precisions, ladder.Precisions[found])
		}
		if len(p.chapter.Problems) == reported && len(n.precisions) == 0 {
			p.problem(b.line(b.value("precisions")), "precisions", "is empty: name at least one of %v", ladder.Precisions)
		}
	}
	if len(p.chapter.Problems) > reported {
		return nil
	}
	p.chapter.Measured = append(p.chapter.Measured, n.read(p))
	p.chapter.Ladders = append(p.chapter.Ladders, Ladder{f.id, caption, len(p.chapter.Widgets)})
	p.name(f.id, "the ladder “"+opening(caption)+"”", f.line)
	return n
}

// read makes the tables, and says which figures they are made of.
func (n *ladderNode) read(p *parse) Measured {
	measured := Measured{ID: n.id, Empty: len(p.source.Measurements) == 0}
	found := map[string]bool{}
	var out bytes.Buffer
	for _, m := range p.source.Measurements {
		var ladders []*ladder.Ladder
		for _, precision := range n.precisions {
			ladders = append(ladders, ladder.Of(precision, n.size, func(name string) (float64, float64, bool) {
				if !slices.Contains(measured.Wanted, name) {
					measured.Wanted = append(measured.Wanted, name)
				}
				f, ok := m.Figure(name)
				found[name] = found[name] || ok
				return f.Value, f.Spread, ok
			}))
		}
		figure.Ladders(&out, m, ladders)
	}
	for _, name := range measured.Wanted {
		if !found[name] {
			measured.Absent = append(measured.Absent, name)
		}
	}
	if measured.Empty {
		figure.Unmeasured(&out)
	}
	n.measured = out.Bytes()
	return measured
}

// writeLadder writes what was measured; a script adds what can be measured here.
func writeLadder(w util.BufWriter, n *ladderNode) error {
	d := LadderData{Caption: n.caption, Sizes: ladderSizes}
	for _, p := range n.precisions {
		d.Precisions = append(d.Precisions, p.String())
	}
	data, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("ladder %s: %w", n.id, err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "<wb-ladder id=\"%s\">\n<script type=\"application/json\" class=\"widget-data\">%s</script>\n", n.id, data)
	fmt.Fprintf(&out, "<figure class=\"measurements\">\n<figcaption>%s</figcaption>\n%s</figure>\n</wb-ladder>\n", escape(n.caption), n.measured)
	_, err = w.WriteString(out.String())
	return err
}
