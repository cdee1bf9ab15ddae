package exercise

import (
	"bytes"
	"html/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown is what a statement is written in: a chapter's Markdown without what
// a terminal cannot show. Raw HTML is left out, and links that would run
// something lead nowhere.
var markdown = goldmark.New(
	goldmark.WithExtensions(
		// Alignment by attribute: the page's policy forbids style attributes.
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
	),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(embedded{}, 900))),
)

// topLevel is that of the first headings below a statement's title: the page has
// three levels above it.
const topLevel = 4

// embedded makes a statement part of a page. Its title goes, since the exercise
// has one; its headings move down; a picture becomes its description.
type embedded struct{}

func (embedded) Transform(document *ast.Document, reader text.Reader, _ parser.Context) {
	if h, ok := document.FirstChild().(*ast.Heading); ok && h.Level == 1 {
		document.RemoveChild(document, h)
	}
	var pictures []ast.Node
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = max(topLevel, min(n.Level+topLevel-2, 6))
		case *ast.Image:
			pictures = append(pictures, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range pictures {
		for child := n.FirstChild(); child != nil; {
			next := child.NextSibling()
			n.Parent().InsertBefore(n.Parent(), n, child)
			child = next
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
}

// statement makes a page's HTML of what an exercise asks.
func statement(source string) template.HTML {
	var out bytes.Buffer
	if err := markdown.Convert([]byte(source), &out); err != nil {
		panic("BUG: rendering to memory failed: " + err.Error())
	}
	return template.HTML(out.String())
}
