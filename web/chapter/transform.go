package chapter

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// transformer turns goldmark's tree into a chapter's: names, fences and links.
// It has two passes, so that a heading without a name of its own never takes
// the one that an author gives further down.
type transformer struct{}

func (transformer) Transform(document *ast.Document, reader text.Reader, pc parser.Context) {
	p := state(pc)
	var headings []*ast.Heading
	var all []ast.Node
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			all = append(all, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range all {
		switch n := n.(type) {
		case *ast.Heading:
			p.heading(n)
			headings = append(headings, n)
		case *ast.Paragraph:
			if id, line := p.trailingName(n); id != "" {
				n.SetAttributeString("id", []byte(id))
				p.name(id, "the paragraph “"+opening(words(n, p.text))+"”", line)
			}
		case *ast.FencedCodeBlock:
			p.fence(n)
		case *ast.Link:
			p.link(n)
		case *ast.AutoLink:
			if target := string(n.URL(p.text)); n.AutoLinkType == ast.AutoLinkURL && !webAddress(target) {
				p.problem(p.line(n), "", "the link %q: only https://, http:// and mailto: lead anywhere", target)
				text := ast.NewString([]byte(target))
				text.SetRaw(true)
				n.Parent().ReplaceChild(n.Parent(), n, text)
			}
		case *ast.Image:
			p.image(n)
		case *ast.RawHTML:
			p.rawHTML(n, n.Segments)
		case *ast.HTMLBlock:
			p.rawHTML(n, n.Lines())
		case *extast.Table:
			p.table(n)
		}
	}
	for _, h := range headings {
		p.address(h)
	}
}

func (p *parse) heading(h *ast.Heading) {
	if p.fixed > 0 {
		p.problem(p.line(h), "", "a heading cannot stand in the front matter or in a note")
	}
	if h.Level == 1 {
		p.problem(p.line(h), "", "a heading of the first level is the chapter's title, from the front matter: start with ##")
		h.Level = 2
	}
	if id, line := p.trailingName(h); id != "" {
		h.SetAttributeString("id", []byte(id))
		p.name(id, plain(h, p.text), line)
	}
}

// address gives a heading its name and lists it.
func (p *parse) address(h *ast.Heading) {
	title := plain(h, p.text)
	id, named := h.AttributeString("id")
	if !named {
		made := p.unused(title)
		id = []byte(made)
		h.SetAttributeString("id", id)
	}
	if h.Level == 2 {
		p.chapter.Headings = append(p.chapter.Headings, Heading{ID: string(id.([]byte)), Title: title})
	}
}

var nameAtEnd = regexp.MustCompile(`\s*\{#([^{}\s]*)\}\s*$`)

// widgetName is what an address may be.
var widgetName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// trailingName takes {#name} from the end of a heading or a paragraph.
func (p *parse) trailingName(n ast.Node) (string, int) {
	last, ok := n.LastChild().(*ast.Text)
	if !ok {
		return "", 0
	}
	value := last.Segment.Value(p.text)
	m := nameAtEnd.FindSubmatchIndex(value)
	if m == nil {
		return "", 0
	}
	id, line := string(value[m[2]:m[3]]), p.lineAt(last.Segment.Start)
	last.Segment = last.Segment.WithStop(last.Segment.Start + m[0])
	// What comes before on a line of its own no longer ends with a break.
	if last.Segment.IsEmpty() {
		if before, ok := last.PreviousSibling().(*ast.Text); ok {
			before.SetSoftLineBreak(false)
		}
		n.RemoveChild(n, last)
	}
	if !widgetName.MatchString(id) {
		p.problem(line, "", "%q cannot be an address: write small letters, digits and single dashes, starting with a letter", id)
		return "", 0
	}
	return id, line
}

// plain returns a node's text without its markup.
func plain(n ast.Node, source []byte) string { return strings.TrimSpace(plainSpaced(n, source)) }

// plainSpaced is plain with the white space at the ends.
func plainSpaced(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *mathInline:
			b.WriteString(n.tex)
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// words returns a paragraph's text up to its first formula, which reads badly
// as TeX in the middle of a sentence.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == kindMathInline {
			b.WriteString(" …")
			break
		}
		b.WriteString(plainSpaced(c, source))
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "  ", " "))
}

// opening returns the first words of a text.
func opening(s string) string {
	const most = 48
	if len([]rune(s)) <= most {
		return s
	}
	cut := string([]rune(s)[:most])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return cut + " …"
}

// link notes a link within the course, to be checked when all of it is read,
// and refuses one that leads nowhere.
func (p *parse) link(n *ast.Link) {
	target := string(n.Destination)
	u, err := url.Parse(target)
	l := link{line: p.line(n), text: target}
	switch {
	case target == "/" || webAddress(target):
		return
	case err == nil && u.Scheme == "" && u.Host == "" && u.Path == "" && (u.Fragment != "" || u.RawQuery != ""):
		l.slug = p.chapter.Slug
	case err == nil && u.Scheme == "" && u.Host == "" && strings.HasPrefix(u.Path, "/chapters/"):
		l.slug = strings.TrimPrefix(u.Path, "/chapters/")
	default:
		p.problem(l.line, "", "the link %q leads nowhere: write #name for a place in this chapter, /chapters/name for another one, or a whole https:// address", target)
		n.Destination = []byte("#main")
		return
	}
	l.fragment, l.query = u.Fragment, u.Query()
	p.chapter.links = append(p.chapter.links, l)
}

// webAddress reports whether a browser may be sent there.
func webAddress(target string) bool {
	u, err := url.Parse(target)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	}
	return false
}

// Pictures are the files that a chapter's folder may serve, by the end of
// their names.
var Pictures = map[string]string{
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".jpg":  "image/jpeg",
	".jpeg": "image/jpeg",
	".webp": "image/webp",
	".gif":  "image/gif",
}

// image checks a picture and gives it the address it is served at.
func (p *parse) image(n *ast.Image) {
	target := string(n.Destination)
	name, err := url.PathUnescape(target)
	switch {
	case err != nil || strings.Contains(name, "/") || Pictures[strings.ToLower(path.Ext(name))] == "":
		p.problem(p.line(n), "", "the picture %q: put a .svg, .png, .jpg, .webp or .gif beside chapter.md and write its name alone", target)
		n.Destination = nil
	case !p.picture(name):
		p.problem(p.line(n), "", "the picture %q is not in the chapter's folder", target)
		n.Destination = nil
	default:
		n.Destination = []byte("/chapters/" + p.chapter.Slug + "/" + url.PathEscape(name))
	}
	if plain(n, p.text) == "" {
		p.problem(p.line(n), "", "the picture %q needs a description between the brackets, for readers who cannot see it", target)
	}
}

// rawHTML drops comments and refuses the rest.
func (p *parse) rawHTML(n ast.Node, segments *text.Segments) {
	var raw []byte
	for i := range segments.Len() {
		segment := segments.At(i)
		raw = append(raw, segment.Value(p.text)...)
	}
	if block, ok := n.(*ast.HTMLBlock); ok && block.HasClosure() {
		raw = append(raw, block.ClosureLine.Value(p.text)...)
	}
	raw = bytes.TrimSpace(raw)
	var replacement ast.Node = ast.NewString(nil)
	if n.Type() == ast.TypeBlock {
		replacement = ast.NewTextBlock()
	}
	if !bytes.HasPrefix(raw, []byte("<!--")) {
		problem := p.problem(p.line(n), "", "HTML is not shown in a chapter: write Markdown, and &lt; for a plain <")
		if n.Type() == ast.TypeBlock {
			replacement = &problemNode{problem: problem}
		}
	}
	n.Parent().ReplaceChild(n.Parent(), n, replacement)
}

// table puts a wide table into a box of its own that scrolls.
func (p *parse) table(n *extast.Table) {
	box := &scrollNode{}
	parent := n.Parent()
	parent.ReplaceChild(parent, n, box)
	box.AppendChild(box, n)
}
