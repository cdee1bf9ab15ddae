package chapter

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// A fence is a fenced block whose first word is one of ours.
type fence struct {
	word string
	id   string // empty if it has none
	line int    // of the fence's first line in the file
	text []byte // the body
	from int    // line of the body's first line
}

// A word is one kind of fence. Its node takes the fence's place in the page,
// and is nil where the fence cannot be shown; problems are reported by then.
type word struct {
	name  string
	named bool // the fence must give itself a name
	node  func(p *parse, f fence) ast.Node
}

// kinds lists every kind of fence. It is a function since the nodes reach back
// to the parse that dispatches on it.
func kinds() []word {
	return []word{
		{"product", true, exampleFence},
		{"reduction", true, exampleFence},
		{"view", true, exampleFence},
		{"decoder", true, exampleFence},
		{"boundary", true, exampleFence},
		{"comparison", true, comparisonFence},
		{"contracts", true, contractsFence},
		{"kernel", true, kernelFence},
		{"tiles", true, tilesFence},
		{"ladder", true, ladderFence},
		{"measurements", true, measurementsFence},
		{"quote", false, quoteFence},
		{"math", false, mathFence},
		{notesWord, false, notesFence},
	}
}

// languages are first words that mean code, though they may look like a
// misspelt word of ours.
var languages = []string{
	"asm", "bash", "c", "console", "cpp", "css", "csv", "cuda", "diff", "go", "html", "http", "js",
	"json", "make", "mathml", "md", "none", "plain", "ptx", "python", "quota", "rust", "sh", "svg", "tex", "text",
	"toml", "txt", "xml", "yaml",
}

// fence replaces a fenced block by the node of its word. Any other word is the
// language of ordinary code.
func (p *parse) fence(n *ast.FencedCodeBlock) {
	if n.Info == nil {
		return
	}
	info := strings.Fields(string(n.Info.Segment.Value(p.text)))
	if len(info) == 0 {
		return
	}
	replace := func(by ast.Node) { n.Parent().ReplaceChild(n.Parent(), n, by) }
	f := fence{word: info[0], line: p.lineAt(n.Info.Segment.Start)}
	f.from = f.line + 1
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		f.text = append(f.text, segment.Value(p.text)...)
	}

	all := kinds()
	i := slices.IndexFunc(all, func(w word) bool { return w.name == f.word })
	if i < 0 {
		if node := p.misspelt(f, info[1:], all); node != nil {
			replace(node)
		}
		return
	}
	w := all[i]
	broken := func(problem Problem) {
		id := f.id
		if w.name == notesWord {
			id = "" // a widget's
		}
		replace(p.broken(id, w.name, problem))
	}
	fail := func(format string, args ...any) { broken(p.problem(f.line, w.name, format, args...)) }
	switch {
	case p.fixed > 0:
		fail("cannot stand in the front matter or in a note")
		return
	case len(info) > 2:
		fail("has more than a name after it: write ```%s %s", w.name, slug(strings.Join(info[1:], " ")))
		return
	case len(info) == 2:
		f.id = info[1]
		if !widgetName.MatchString(f.id) {
			bad := f.id
			f.id = ""
			fail("the name %q: write small letters, digits and single dashes, starting with a letter", bad)
			return
		}
		// Notes have no name of their own: theirs is that of what they are about.
		if _, taken := p.chapter.anchors[f.id]; taken && w.name != notesWord {
			fail("the name %s is taken: every heading, paragraph and widget of a chapter has its own", f.id)
			return
		}
	case w.named:
		fail("needs a name, by which links find it: write ```%s my-name", w.name)
		return
	}
	if p.unclosed(n, f) {
		fail("the fence of line %d is not closed: end it with a line %s", f.line, marks(n, p.text))
		return
	}

	reported := len(p.chapter.Problems)
	node := w.node(p, f)
	if node == nil {
		broken(p.chapter.Problems[reported])
		return
	}
	replace(node)
}

// broken takes the place of a fence that cannot be shown. It keeps the fence's
// name: what links there is no second mistake.
func (p *parse) broken(id, kind string, problem Problem) ast.Node {
	n := &problemNode{problem: problem}
	if _, taken := p.chapter.anchors[id]; id != "" && !taken {
		n.id = id
		p.chapter.anchors[id] = "the " + kind + " widget"
		p.chapter.broken[id] = true
	}
	return n
}

// unclosed reports whether a fence of ours runs to the end of the text, or
// into the next fence: no body of ours has a line that starts one.
func (p *parse) unclosed(n *ast.FencedCodeBlock, f fence) bool {
	mark := marks(n, p.text)
	for line := range strings.Lines(string(f.text)) {
		if strings.HasPrefix(strings.TrimSpace(line), mark) {
			return true
		}
	}
	end := n.Info.Segment.Stop
	if lines := n.Lines(); lines.Len() > 0 {
		end = lines.At(lines.Len()-1).Stop - 1 // its line break
	}
	rest := p.text[min(end, len(p.text)):]
	_, rest, _ = bytes.Cut(rest, []byte("\n"))
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	return !bytes.HasPrefix(bytes.TrimLeft(next, " \t>"), []byte(mark))
}

// marks returns the three characters or more that open a fence.
func marks(n *ast.FencedCodeBlock, text []byte) string {
	end := len(bytes.TrimRight(text[:n.Info.Segment.Start], " \t"))
	start := end
	for start > 0 && text[start-1] == text[end-1] {
		start--
	}
	return string(text[start:end])
}

// misspelt reports a first word that looks like one of ours: a letter or two
// off, or followed by a name as only ours are. It returns what stands in the
// fence's place, nil for ordinary code.
func (p *parse) misspelt(f fence, rest []string, all []word) ast.Node {
	if slices.Contains(languages, strings.ToLower(f.word)) {
		return nil
	}
	names := make([]string, len(all))
	for i, w := range all {
		names[i] = w.name
	}
	reason := "is no kind of widget"
	switch near := nearest(strings.ToLower(f.word), names); {
	case near != "":
		reason += ": did you mean " + near + "?"
	case len(rest) == 1 && widgetName.MatchString(rest[0]):
		reason += ": the kinds are " + strings.Join(names, ", ") + "; a language of code stands alone on its line"
	default:
		return nil
	}
	name := ""
	if len(rest) == 1 && widgetName.MatchString(rest[0]) {
		name = rest[0]
	}
	return p.broken(name, f.word, p.problem(f.line, f.word, "%s", reason))
}

// body reads a fence's body as YAML and reports what it cannot read.
func (p *parse) body(f fence) *body {
	b, bad := readBody(f.text, f.from)
	if bad != nil {
		p.bad(bad)
		return nil
	}
	return b
}

func (p *parse) bad(e *bodyError) { p.problem(e.line, e.field, "%s", e.reason) }
