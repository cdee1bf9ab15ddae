package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// page is a text that is being written, no line of which is wider than the
// terminal.
type page struct {
	look Look
	b    strings.Builder
}

func (l Look) page() *page { return &page{look: l} }

func (p *page) String() string { return p.b.String() }

// blank leaves a line free, but never two and none at the top.
func (p *page) blank() {
	if text := p.b.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
		p.b.WriteByte('\n')
	}
}

// line writes one line, cut off where the terminal ends.
func (p *page) line(text string) {
	p.b.WriteString(p.look.cut(text, p.look.Width))
	p.b.WriteByte('\n')
}

// broken writes one line, broken anywhere where the terminal ends.
func (p *page) broken(text string) {
	p.b.WriteString(ansi.Hardwrap(text, p.look.Width, true) + "\n")
}

// cut cuts a text off that is wider than there is room.
func (l Look) cut(text string, width int) string {
	if l.Piped {
		return text
	}
	return ansi.Truncate(text, width, "…")
}

// prose writes a text in lines that begin with indent, the first with lead in its
// place. A word that is styled or linked must be so by itself.
func (p *page) prose(lead, indent, text string) {
	width := min(p.look.Width, proseWidth)
	for part := range strings.Lines(text) {
		for _, line := range wrap(strings.TrimSpace(part), width-ansi.StringWidth(indent), !p.look.Piped) {
			p.b.WriteString(strings.TrimRight(lead+line, " "))
			p.b.WriteByte('\n')
			lead = indent
		}
	}
}

// items writes words beside each other, with two blanks between, in as few lines
// as they take.
func (p *page) items(items []string) {
	line, used := "", 0
	for _, item := range items {
		size := ansi.StringWidth(item)
		if used > 0 && used+2+size > min(p.look.Width, proseWidth) {
			p.line(line)
			line, used = "", 0
		}
		if used > 0 {
			line, used = line+"  ", used+2
		}
		line, used = line+item, used+size
	}
	p.line(line)
}

// choices writes commands below each other, each with what it does.
func (p *page) choices(indent string, commands [][2]string) {
	first, second := 0, 0
	for _, c := range commands {
		first, second = max(first, ansi.StringWidth(p.look.command(c[0]))), max(second, ansi.StringWidth(c[1]))
	}
	aligned := ansi.StringWidth(indent)+first+2+second <= p.look.Width
	for _, c := range commands {
		if aligned {
			p.line(indent + pad(p.look.command(c[0]), first) + "  " + c[1])
		} else {
			p.prose(indent, indent+"  ", p.look.command(c[0])+" "+c[1])
		}
	}
}

// pitch writes lines whose columns stand below each other: source with a caret
// below, a compiler's message. Of source the part around the caret is shown where
// it is too long, other lines are broken.
func (p *page) pitch(indent, text string) {
	width := p.look.Width - ansi.StringWidth(indent)
	lines := strings.Split(strings.TrimRight(visible(text), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " ")
		if number, source, ok := sourceLine(line); ok {
			caret := -1
			if i+1 < len(lines) {
				if _, below, ok := sourceLine(lines[i+1]); ok && strings.TrimSpace(below) == "^" {
					caret = strings.Index(below, "^")
					i++
				}
			}
			p.pointed(indent, number, source, caret)
			continue
		}
		if ansi.StringWidth(line) <= width {
			p.b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
			continue
		}
		hang := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if len(hang)+8 > width {
			hang = ""
		}
		for _, part := range wrap(strings.TrimSpace(line), width-len(hang), !p.look.Piped) {
			p.b.WriteString(indent + hang + part + "\n")
		}
	}
}

// sourceLine parts a line of source, or the one below it that points at a column,
// from the number in front: "   14 | sum += 1;".
func sourceLine(line string) (number, source string, ok bool) {
	number, source, ok = strings.Cut(line, " | ")
	return number, source, ok && strings.Trim(number, " 0123456789") == ""
}

// wrap breaks a text at its blanks. Hyphens do not break: what is to be typed has
// them. A word that is wider than a line is broken too where cut is true; a
// path that is not broken can be copied.
func wrap(text string, width int, cut bool) []string {
	width = max(width, 1)
	var lines []string
	line, used := "", 0
	for word := range strings.FieldsSeq(text) {
		size := ansi.StringWidth(word)
		if used > 0 && used+1+size > width {
			lines, line, used = append(lines, line), "", 0
		}
		if used > 0 {
			line, used = line+" "+word, used+1+size
			continue
		}
		if size > width && cut {
			parts := strings.Split(ansi.Hardwrap(word, width, true), "\n")
			lines = append(lines, parts[:len(parts)-1]...)
			word = parts[len(parts)-1]
			size = ansi.StringWidth(word)
		}
		line, used = word, size
	}
	if used > 0 || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// styled styles each word by itself, so that a text can be broken between them.
func styled(style lipgloss.Style, text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		if word != "" {
			words[i] = style.Render(word)
		}
	}
	return strings.Join(words, " ")
}

// visible makes a text that somebody else wrote harmless: its control
// characters, with which it could redraw the screen, are written out. Tabs are
// four blanks.
func visible(text string) string {
	clean := true
	for _, r := range text {
		if r < 0x20 || r == utf8.RuneError || !unicode.IsPrint(r) {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case r == '\n':
			b.WriteByte('\n')
		case r == '\r' && (i+1 == len(text) || text[i+1] == '\n'): // of Windows
		case r == utf8.RuneError:
			fmt.Fprintf(&b, "�")
		case r < 0x80 && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case r != ' ' && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// count writes 1 case, or 3 cases.
func count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}
