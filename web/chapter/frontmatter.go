package chapter

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Front is what a chapter says of itself before its text.
type Front struct {
	Title     string
	Summary   template.HTML   // one sentence
	Plain     string          // the summary without markup
	Outcomes  []template.HTML // what a reader will be able to explain
	Sources   []Source
	Questions []Question
}

// A Source is something the chapter rests on.
type Source struct {
	Title template.HTML
	URL   string // empty for what is not on the web
	Note  template.HTML
}

// A Question is asked at a chapter's end. Where links to the heading, the
// paragraph or the widget that answers it.
type Question struct {
	Ask, Answer template.HTML
	Where       string // "#name"
	WhereTitle  string // what stands there

	line int // of Where in the file
}

var (
	frontKeys    = []string{"title", "summary", "outcomes", "sources", "questions"}
	sourceKeys   = []string{"title", "url", "note"}
	questionKeys = []string{"ask", "answer", "where"}
)

// opensFront reports whether a source starts with the line that opens front
// matter.
func opensFront(src []byte) bool {
	first, _, _ := bytes.Cut(src, []byte("\n"))
	return string(bytes.TrimRight(first, " \t\r")) == "---"
}

// splitFront cuts a source into its front matter, with the number of the
// line it starts on, and its text, with the number of lines before it.
func splitFront(src []byte) (front []byte, text []byte, before int, ok bool) {
	if !opensFront(src) {
		return nil, src, 0, false
	}
	_, rest, _ := bytes.Cut(src, []byte("\n"))
	line := 1
	for at := 0; at < len(rest); {
		end := bytes.IndexByte(rest[at:], '\n')
		next := len(rest)
		if end >= 0 {
			next = at + end + 1
		}
		line++
		if string(bytes.TrimRight(rest[at:next], " \t\r\n")) == "---" {
			return rest[:at], rest[next:], line, true
		}
		at = next
	}
	return nil, src, 0, false
}

// readFront fills c.Front, and reports what is missing or wrong in it.
func (p *parse) readFront(text []byte) {
	b, bad := readBody(text, 2)
	if bad != nil {
		p.problem(bad.line, bad.field, "%s", bad.reason)
		return
	}
	p.known(b, b.root, "", frontKeys)
	front := &p.chapter.Front
	front.Title, _ = p.located(b, b.root, "", "title", true)
	front.Summary = p.inline(p.located(b, b.root, "", "summary", true))
	front.Plain = p.plainText(b.value("summary"))
	for i, n := range p.list(b, "outcomes", true) {
		if s := p.scalar(b, n, fmt.Sprintf("outcomes[%d]", i)); s != "" {
			front.Outcomes = append(front.Outcomes, p.inline(s, b.line(n)))
		}
	}
	for i, n := range p.list(b, "sources", false) {
		path := fmt.Sprintf("sources[%d]", i)
		if !p.mapping(b, n, path, sourceKeys) {
			continue
		}
		source := Source{
			Title: p.inline(p.located(b, n, path, "title", true)),
			Note:  p.inline(p.located(b, n, path, "note", false)),
		}
		source.URL, _ = p.located(b, n, path, "url", false)
		if u, err := url.Parse(source.URL); source.URL != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
			p.problem(b.lineOf(path+".url"), path+".url", "%q is not a web address: write one that starts with https://, or leave it out", source.URL)
			source.URL = ""
		}
		front.Sources = append(front.Sources, source)
	}
	for i, n := range p.list(b, "questions", false) {
		path := fmt.Sprintf("questions[%d]", i)
		if !p.mapping(b, n, path, questionKeys) {
			continue
		}
		q := Question{
			Ask:    p.inline(p.located(b, n, path, "ask", true)),
			Answer: p.blocks(p.located(b, n, path, "answer", true)),
		}
		q.Where, q.line = p.located(b, n, path, "where", true)
		if q.Where != "" && !strings.HasPrefix(q.Where, "#") {
			p.problem(q.line, path+".where", "%q must start with # and name a heading, a paragraph or a widget of this chapter", q.Where)
			q.Where = ""
		}
		front.Questions = append(front.Questions, q)
	}
}

// plainText returns the text of Markdown in a field without its markup.
func (p *parse) plainText(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	quiet := &parse{chapter: newChapter(Text{}), source: p.source, fixed: 1}
	f, document := quiet.fragment(n.Value, 1)
	return plain(document, f.text)
}

// known reports keys of a mapping that mean nothing.
func (p *parse) known(b *body, mapping *yaml.Node, path string, keys []string) {
	if mapping == nil {
		return
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		if !slices.Contains(keys, key.Value) {
			reason := "is not a key here: write one of " + strings.Join(keys, ", ")
			if near := nearest(key.Value, keys); near != "" {
				reason = "is not a key here: did you mean " + near + "?"
			}
			p.problem(b.line(key), join(path, key.Value), "%s", reason)
		}
	}
}

// mapping reports whether n is a mapping with none but the given keys.
func (p *parse) mapping(b *body, n *yaml.Node, path string, keys []string) bool {
	if n.Kind != yaml.MappingNode {
		p.problem(b.line(n), path, "must have the keys %s", strings.Join(keys, ", "))
		return false
	}
	p.known(b, n, path, keys)
	return true
}

// located returns the text of a key and its line in the file.
func (p *parse) located(b *body, mapping *yaml.Node, path, key string, required bool) (string, int) {
	var n *yaml.Node
	line := b.head()
	if mapping != nil {
		n = child(mapping, key)
		line = b.line(mapping)
	}
	if n == nil {
		if required {
			p.problem(line, join(path, key), "is missing")
		}
		return "", line
	}
	return p.scalar(b, n, join(path, key)), b.line(n)
}

func (p *parse) scalar(b *body, n *yaml.Node, path string) string {
	if n.Kind != yaml.ScalarNode {
		p.problem(b.line(n), path, "must be text")
		return ""
	}
	s := strings.TrimSpace(n.Value)
	if s == "" || n.ShortTag() == "!!null" {
		p.problem(b.line(n), path, "is empty")
		return ""
	}
	return s
}

// list returns the items of a key.
func (p *parse) list(b *body, key string, required bool) []*yaml.Node {
	n := b.value(key)
	if n == nil {
		if required {
			p.problem(b.head(), key, "is missing")
		}
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		p.problem(b.line(n), key, "must be a list, each item after a dash")
		return nil
	}
	return n.Content
}
