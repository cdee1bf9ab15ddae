package chapter

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// mathInline is a formula in a line of text.
type mathInline struct {
	ast.BaseInline
	tex     string
	display bool
}

// mathBlock is a formula on lines of its own.
type mathBlock struct {
	ast.BaseBlock
	tex  string
	open bool // its end was not found
}

var (
	kindMathInline = ast.NewNodeKind("MathInline")
	kindMathBlock  = ast.NewNodeKind("MathBlock")
)

func (*mathInline) Kind() ast.NodeKind { return kindMathInline }
func (*mathBlock) Kind() ast.NodeKind  { return kindMathBlock }
func (*mathBlock) IsRaw() bool         { return true }

func (n *mathInline) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"tex": n.tex}, nil)
}

func (n *mathBlock) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"tex": n.tex}, nil)
}

// mathFence is ```math: the body is TeX.
func mathFence(p *parse, f fence) ast.Node {
	tex := strings.TrimSpace(string(f.text))
	if tex == "" {
		p.problem(f.line, "math", "is empty")
		return nil
	}
	if f.id != "" {
		p.name(f.id, "the formula", f.line)
	}
	block := &mathBlock{tex: tex}
	if f.id != "" {
		block.SetAttributeString("id", []byte(f.id))
	}
	return block
}

// mathInlineParser reads $a$ and $$a$$ within a paragraph. A dollar is an
// amount of money and not the start of a formula where a space follows it or a
// letter or digit comes before it; it does not end one where a space comes
// before it or a digit follows it. So "$5 and $6" are prices.
type mathInlineParser struct{}

func (mathInlineParser) Trigger() []byte { return []byte{'$'} }

func (mathInlineParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	mark := 1
	if len(line) > 1 && line[1] == '$' {
		mark = 2
	}
	if before := block.PrecendingCharacter(); mark == 1 && (before >= '0' && before <= '9' || before >= 'a' && before <= 'z' || before >= 'A' && before <= 'Z') {
		return nil
	}
	if len(line) <= mark || mark == 1 && space(line[mark]) {
		return nil
	}
	row, position := block.Position()
	var tex []byte
	for from := mark; ; from = 0 {
		line, _ := block.PeekLine()
		if line == nil {
			block.SetPosition(row, position)
			return nil
		}
		end := closing(line, from, mark, tex)
		if end < 0 {
			tex = append(tex, line[from:]...)
			block.AdvanceLine()
			continue
		}
		tex = append(tex, line[from:end]...)
		block.Advance(end + mark)
		break
	}
	trimmed := strings.TrimSpace(string(tex))
	if trimmed == "" {
		block.SetPosition(row, position)
		return nil
	}
	return &mathInline{tex: strings.ReplaceAll(trimmed, "\n", " "), display: mark == 2}
}

func space(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

// closing returns where the mark that ends a formula stands in line, or -1.
// Before is what the formula has on earlier lines.
func closing(line []byte, from, mark int, before []byte) int {
	for i := from; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++ // \$ and \\ are TeX
		case '$':
			previous := byte(' ')
			if i > from {
				previous = line[i-1]
			} else if len(before) > 0 {
				previous = before[len(before)-1]
			}
			switch {
			case mark == 2:
				if i+1 < len(line) && line[i+1] == '$' {
					return i
				}
			case space(previous) || i+1 < len(line) && line[i+1] >= '0' && line[i+1] <= '9':
			default:
				return i
			}
		}
	}
	return -1
}

// mathBlockParser reads a formula that starts a line with $$ and ends one with
// $$. It is a block of its own so that a line of TeX which starts with = or -
// is neither a heading nor a list.
type mathBlockParser struct{}

func (mathBlockParser) Trigger() []byte             { return []byte{'$'} }
func (mathBlockParser) CanInterruptParagraph() bool { return true }
func (mathBlockParser) CanAcceptIndentedLine() bool { return false }

var dollars = []byte("$$")

func (mathBlockParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 || !bytes.HasPrefix(line[at:], dollars) {
		return nil, parser.NoChildren
	}
	rest := bytes.TrimSpace(line[at+2:])
	end := bytes.Index(rest, dollars)
	if end >= 0 && end+2 < len(rest) || end == 0 {
		return nil, parser.NoChildren // text goes on after it: a paragraph
	}
	n := &mathBlock{open: end < 0}
	n.SetPos(segment.Start + at)
	if end > 0 {
		rest = rest[:end]
	}
	n.tex = string(bytes.TrimSpace(rest))
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

func (mathBlockParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	n := node.(*mathBlock)
	if !n.open {
		return parser.Close
	}
	line, _ := reader.PeekLine()
	rest := bytes.TrimSpace(line)
	if tail, ok := bytes.CutSuffix(rest, dollars); ok {
		rest, n.open = bytes.TrimSpace(tail), false
	}
	if len(rest) > 0 {
		if n.tex != "" {
			n.tex += "\n"
		}
		n.tex += string(rest)
	}
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (mathBlockParser) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	n := node.(*mathBlock)
	switch {
	case n.open:
		state(pc).problem(state(pc).lineAt(n.Pos()), "math", "the formula that starts here has no end: close it with $$")
	case n.tex == "":
		state(pc).problem(state(pc).lineAt(n.Pos()), "math", "is empty")
	}
}
