package chapter

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"sort"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"workbench/assets"
	"workbench/web/quote"
)

// maxSource bounds a chapter's file, in bytes.
const maxSource = 4 << 20

// A Text is a chapter's source, and what stands beside it.
type Text struct {
	File   string // its path as the author knows it, for problems
	Folder string // NN-slug
	Body   []byte

	// Quote returns the extract of a region of a source file.
	Quote func(file, region string) (quote.Extract, error)
	// Measurements are those of GPUs, which fences show figures of.
	Measurements []assets.Measurement
	// Beside reads a file that stands in the chapter's folder: sources of kernels.
	Beside func(name string) ([]byte, error)
	// HasFile says whether a file stands in the chapter's folder: pictures do.
	HasFile func(name string) bool
}

// parse is one chapter while it is read, or one field of its front matter.
type parse struct {
	chapter *Chapter
	source  *Text
	text    []byte // what goldmark reads
	before  int    // lines of the file before it
	lines   []int  // offsets in text at which lines start
	fixed   int    // the line of everything, in a field of the front matter or of a note; or 0
}

// stateKey is where the parsers of this package find the parse.
var stateKey = parser.NewContextKey()

func state(pc parser.Context) *parse { return pc.Get(stateKey).(*parse) }

// markdown is CommonMark with tables and what this package adds. Raw HTML is
// refused by the transformer and would be left out by the renderer.
var markdown = goldmark.New(
	goldmark.WithExtensions(
		// Alignment by attribute: the page's policy forbids style attributes.
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
	),
	goldmark.WithParserOptions(
		parser.WithBlockParsers(util.Prioritized(mathBlockParser{}, 150)),
		parser.WithInlineParsers(util.Prioritized(mathInlineParser{}, 150)),
		parser.WithASTTransformers(util.Prioritized(transformer{}, 900)),
	),
	goldmark.WithRendererOptions(
		renderer.WithNodeRenderers(util.Prioritized(nodeRenderer{}, 500)),
	),
)

// Parse reads one chapter. What is wrong in it is in the chapter's Problems;
// the rest is there all the same.
func Parse(t Text) *Chapter {
	c := newChapter(t)
	if t.Quote == nil {
		t.Quote = func(file, region string) (quote.Extract, error) {
			return quote.Extract{}, errors.New("no quotes stand beside this chapter")
		}
	}
	if t.HasFile == nil {
		t.HasFile = func(string) bool { return false }
	}
	p := &parse{chapter: c, source: &t}
	p.folder(t.Folder)
	if len(t.Body) > maxSource {
		p.problem(0, "", "is longer than %d bytes", maxSource)
		t.Body = nil
	}
	if i := invalidUTF8(t.Body); i >= 0 {
		p.problem(1+bytes.Count(t.Body[:i], []byte("\n")), "", "is not UTF-8: save the file in that encoding")
		t.Body = bytes.ToValidUTF8(t.Body, []byte("\uFFFD"))
	}
	body := bytes.ReplaceAll(bytes.TrimPrefix(t.Body, []byte("\uFEFF")), []byte("\r\n"), []byte("\n"))
	body = bytes.ReplaceAll(body, []byte("\r"), []byte("\n")) // a line break to YAML and to Markdown
	front, rest, before, ok := splitFront(body)
	if ok {
		p.readFront(front)
	} else if opensFront(body) {
		p.problem(1, "", "the front matter is not closed: end it with a line ---, before the text")
	} else {
		p.problem(1, "", "must start with front matter: a line ---, then title: and summary:, then another line ---")
	}
	p.read(rest, before)
	c.document = p.document()
	c.source = rest
	p.placeNotes()
	p.checkQuestions()
	c.Problems.sort()
	c.version = c.versionOf(body)
	return c
}

// read makes text the one that goldmark reads.
func (p *parse) read(text []byte, before int) {
	p.text, p.before, p.lines = text, before, []int{0}
	for i, b := range text {
		if b == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
}

func (p *parse) document() ast.Node {
	pc := parser.NewContext()
	pc.Set(stateKey, p)
	return markdown.Parser().Parse(text.NewReader(p.text), parser.WithContext(pc))
}

// extract and picture ask what stands beside the text, and note the answer.
func (p *parse) extract(file, region string) (quote.Extract, error) {
	e, err := p.source.Quote(file, region)
	p.chapter.asked = append(p.chapter.asked, asked{file: file, region: region, extract: e, there: err == nil})
	return e, err
}

func (p *parse) picture(name string) bool {
	there := p.source.HasFile(name)
	p.chapter.asked = append(p.chapter.asked, asked{picture: name, there: there})
	return there
}

// lineAt returns the line of the file at an offset of the text.
func (p *parse) lineAt(offset int) int {
	if p.fixed > 0 {
		return p.fixed
	}
	return p.before + sort.Search(len(p.lines), func(i int) bool { return p.lines[i] > offset })
}

// line returns the line of the file on which a node starts.
func (p *parse) line(n ast.Node) int {
	for ; n != nil; n = n.Parent() {
		if at := n.Pos(); at >= 0 {
			return p.lineAt(at)
		}
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			return p.lineAt(n.Lines().At(0).Start)
		}
	}
	return p.lineAt(0)
}

// problem records a mistake at a line of the file and returns it.
func (p *parse) problem(line int, field, format string, args ...any) Problem {
	problem := Problem{File: p.source.File, Line: line, Field: field, Reason: fmt.Sprintf(format, args...)}
	p.chapter.Problems = append(p.chapter.Problems, problem)
	return problem
}

// fragment reads a piece of Markdown that stands in a field of the front
// matter, at a line of the file.
func (p *parse) fragment(markdownText string, line int) (*parse, ast.Node) {
	f := &parse{chapter: p.chapter, source: p.source, fixed: line}
	f.read([]byte(markdownText), 0)
	return f, f.document()
}

// inline renders one paragraph without its tag.
func (p *parse) inline(markdownText string, line int) template.HTML {
	if markdownText == "" {
		return ""
	}
	f, document := p.fragment(markdownText, line)
	first := document.FirstChild()
	if first == nil || first.Kind() != ast.KindParagraph || first.NextSibling() != nil {
		p.problem(line, "", "must be one paragraph: %q", markdownText)
		return template.HTML(template.HTMLEscapeString(markdownText))
	}
	var out bytes.Buffer
	for n := first.FirstChild(); n != nil; n = n.NextSibling() {
		render(&out, f.text, n)
	}
	return template.HTML(out.String())
}

// blocks renders Markdown.
func (p *parse) blocks(markdownText string, line int) template.HTML {
	if markdownText == "" {
		return ""
	}
	f, document := p.fragment(markdownText, line)
	var out bytes.Buffer
	render(&out, f.text, document)
	return template.HTML(out.String())
}

// render writes a node's HTML. Writing to memory cannot fail.
func render(out *bytes.Buffer, source []byte, n ast.Node) {
	if err := markdown.Renderer().Render(out, source, n); err != nil {
		panic("BUG: rendering to memory failed: " + err.Error())
	}
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
