package chapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"workbench/web/figure"
	"workbench/web/quote"
	"workbench/web/run"
)

// The nodes that this package adds to goldmark's, each with its HTML below.
type (
	// widgetNode is a live example.
	widgetNode struct {
		ast.BaseBlock
		widget *Widget
		slug   string
	}
	// quoteNode is live code.
	quoteNode struct {
		ast.BaseBlock
		extract     quote.Extract
		caption, id string
	}
	// problemNode stands where an author's mistake is.
	problemNode struct {
		ast.BaseBlock
		problem Problem
		id      string // of the fence, if it has one
	}
	// scrollNode is a box around what may be wider than the page.
	scrollNode struct{ ast.BaseBlock }
)

var (
	kindWidget  = ast.NewNodeKind("Widget")
	kindQuote   = ast.NewNodeKind("Quote")
	kindProblem = ast.NewNodeKind("Problem")
	kindScroll  = ast.NewNodeKind("Scroll")
)

func (*widgetNode) Kind() ast.NodeKind  { return kindWidget }
func (*quoteNode) Kind() ast.NodeKind   { return kindQuote }
func (*problemNode) Kind() ast.NodeKind { return kindProblem }
func (*scrollNode) Kind() ast.NodeKind  { return kindScroll }

func (n *widgetNode) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"id": n.widget.ID}, nil)
}

func (n *quoteNode) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"file": n.extract.File}, nil)
}

func (n *problemNode) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"problem": n.problem.Error()}, nil)
}

func (n *scrollNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type nodeRenderer struct{}

// RegisterFuncs tells goldmark how each node is written.
func (nodeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	leaf := func(kind ast.NodeKind, write func(w util.BufWriter, n ast.Node) error) {
		r.Register(kind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			return ast.WalkSkipChildren, write(w, n)
		})
	}
	leaf(kindWidget, func(w util.BufWriter, n ast.Node) error {
		widget := n.(*widgetNode)
		return writeWidget(w, widget.widget, widget.slug)
	})
	leaf(kindMeasurements, func(w util.BufWriter, n ast.Node) error { return writeMeasurements(w, n.(*measurementsNode)) })
	leaf(kindLadder, func(w util.BufWriter, n ast.Node) error { return writeLadder(w, n.(*ladderNode)) })
	leaf(kindQuote, func(w util.BufWriter, n ast.Node) error { return writeQuote(w, n.(*quoteNode)) })
	leaf(kindProblem, func(w util.BufWriter, n ast.Node) error {
		return writeProblem(w, n.(*problemNode).problem, n.(*problemNode).id)
	})
	leaf(kindMathInline, func(w util.BufWriter, n ast.Node) error {
		m := n.(*mathInline)
		return writeTeX(w, m.tex, m.display)
	})
	leaf(kindMathBlock, func(w util.BufWriter, n ast.Node) error {
		if id, ok := n.AttributeString("id"); ok {
			fmt.Fprintf(w, `<p class="math" id="%s">`, id)
		} else {
			_, _ = w.WriteString(`<p class="math">`)
		}
		if err := writeTeX(w, n.(*mathBlock).tex, true); err != nil {
			return err
		}
		_, err := w.WriteString("</p>\n")
		return err
	})
	r.Register(kindScroll, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, err := w.WriteString("<div class=\"table-scroll\" role=\"region\" aria-label=\"table\" tabindex=\"0\">\n")
			return ast.WalkContinue, err
		}
		_, err := w.WriteString("</div>\n")
		return ast.WalkContinue, err
	})
}

func escape(s string) []byte { return util.EscapeHTML([]byte(s)) }

func writeTeX(w util.BufWriter, tex string, display bool) error {
	mode := "0"
	if display {
		mode = "1"
	}
	_, err := fmt.Fprintf(w, `<code class="tex" data-display="%s">%s</code>`, mode, escape(tex))
	return err
}

func writeProblem(w util.BufWriter, p Problem, id string) error {
	_, _ = w.WriteString(`<div class="author-error"`)
	if id != "" {
		fmt.Fprintf(w, ` id="%s"`, id)
	}
	_, err := fmt.Fprintf(w, " role=\"alert\"><p>%s</p></div>\n", escape(p.Error()))
	return err
}

func writeQuote(w util.BufWriter, n *quoteNode) error {
	e := n.extract
	_, _ = w.WriteString(`<figure class="quote"`)
	if n.id != "" {
		fmt.Fprintf(w, ` id="%s"`, n.id)
	}
	_, _ = w.WriteString(">\n<figcaption>")
	if n.caption != "" {
		fmt.Fprintf(w, "%s ", escape(n.caption))
	}
	where := "line " + strconv.Itoa(e.Line)
	if e.Last() > e.Line {
		where = fmt.Sprintf("lines %d to %d", e.Line, e.Last())
	}
	fmt.Fprintf(w, "<span class=\"quote-source\"><code>%s</code>, region <code>%s</code>, %s</span></figcaption>\n", escape(e.File), escape(e.Region), where)
	_, err := fmt.Fprintf(w, "<pre tabindex=\"0\"><code class=\"language-%s\" data-start=\"%d\">%s</code></pre>\n</figure>\n", escape(language(e)), e.Line, escape(e.Code))
	return err
}

// writeWidget writes a widget as it is before any script runs: its data for
// the script, and the same numbers as tables.
func writeWidget(w util.BufWriter, widget *Widget, slug string) error {
	if widget.problem != nil {
		return writeProblem(w, *widget.problem, widget.ID)
	}
	var out bytes.Buffer
	// Marshal escapes <, >, & and the two line separators of Unicode, so that
	// nothing in the data can end the script element.
	data, err := json.Marshal(widget.Data())
	if err != nil {
		return fmt.Errorf("widget %s: %w", widget.ID, err)
	}
	device, example := widget.Device, widget.Example
	switch widget.Example {
	case Comparison:
		device = widget.Devices[0]
	case Contracts:
		device, example = widget.Columns[0].Spec, widget.Of
	}
	fmt.Fprintf(&out, "<wb-%s id=\"%s\" class=\"widget\" data-chapter=\"%s\" data-example=\"%s\" data-device=\"%s\">\n",
		widget.Example, widget.ID, slug, example, escape(device))
	fmt.Fprintf(&out, "<script type=\"application/json\" class=\"widget-data\">%s</script>\n", data)
	out.WriteString("<figure class=\"widget-static\">\n")
	if widget.Caption != "" {
		fmt.Fprintf(&out, "<figcaption>%s</figcaption>\n", escape(widget.Caption))
	}
	switch {
	case widget.Missing != nil:
		writeMissing(&out, widget.Missing)
	case len(widget.Kernels) > 0:
		for _, k := range widget.Kernels {
			figure.Kernel(&out, k.Title, k.Input, k.Outcome, k.Moment)
			if k.Touched != nil {
				figure.Touched(&out, &k.Outcome.Tapes[0], k.Touched)
			}
			for _, r := range k.rooflines() {
				fmt.Fprintf(&out, "<p class=\"roofline-text\">%s</p>\n", escape(r.Text))
			}
		}
	case widget.Trace != nil:
		figure.Trace(&out, widget.Trace)
	case widget.Example == Contracts:
		columns := make([]figure.Column, len(widget.Columns))
		for i, c := range widget.Columns {
			columns[i] = figure.Column{Device: c.Spec, Report: c.Report}
		}
		figure.Contracts(&out, columns)
	case widget.Report != nil:
		query := widget.query()
		figure.Report(&out, widget.Report, "/api/compare.csv?"+query, "/api/compare.json?"+query)
	}
	fmt.Fprintf(&out, "</figure>\n</wb-%s>\n", widget.Example)
	_, err = w.Write(out.Bytes())
	return err
}

// writeMissing says why a widget has no result. With a script it can be run on
// another device, or on this one later.
func writeMissing(out *bytes.Buffer, f *run.Failure) {
	fmt.Fprintf(out, "<div class=\"widget-unavailable\" role=\"note\">\n<p>%s</p>\n", escape(f.Message))
	if f.Next != "" {
		fmt.Fprintf(out, "<p>What to do: %s.</p>\n", escape(strings.TrimSuffix(f.Next, ".")))
	}
	if f.Detail != nil {
		fmt.Fprintf(out, "<details>\n<summary>%s</summary>\n<ul>\n", escape(f.Detail.Title))
		for _, line := range f.Detail.Lines {
			fmt.Fprintf(out, "<li><code>%s</code></li>\n", escape(line))
		}
		out.WriteString("</ul>\n</details>\n")
	}
	out.WriteString("</div>\n")
}

// query writes a comparison as the address of its files has it.
func (w *Widget) query() string {
	q := url.Values{"a": {w.Devices[0]}, "b": {w.Devices[1]}}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(w.Input, &fields); err == nil {
		for name, value := range fields {
			if string(value) == "null" {
				continue // as if it were not there
			}
			var text string
			if json.Unmarshal(value, &text) != nil {
				text = string(value)
			}
			q.Set(name, text)
		}
	}
	return q.Encode()
}
