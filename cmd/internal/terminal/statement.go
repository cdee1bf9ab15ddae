package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Statement draws what an exercise asks for. It is Markdown that reads well as it
// is: headings stand out, and paragraphs are broken anew where the terminal is
// narrower than they are.
func (l Look) Statement(text string) string {
	p := l.page()
	var paragraph []string
	flush := func() {
		wide := false
		for _, line := range paragraph {
			wide = wide || ansi.StringWidth(line) > l.Width
		}
		if wide {
			p.prose("", "", strings.Join(paragraph, " "))
		} else {
			for _, line := range paragraph {
				p.line(line)
			}
		}
		paragraph = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(visible(line), " \n")
		switch {
		case line == "":
			flush()
			p.blank()
		case strings.HasPrefix(line, "#"):
			flush()
			p.prose("", "", styled(strong, strings.TrimSpace(strings.TrimLeft(line, "#"))))
		case strings.HasPrefix(line, "    "), strings.HasPrefix(line, "|"):
			flush()
			p.broken(line)
		case startsItem(line):
			flush()
			paragraph = append(paragraph, line)
		default:
			paragraph = append(paragraph, line)
		}
	}
	flush()
	return p.String()
}

// startsItem says whether a line begins an entry of a list.
func startsItem(line string) bool {
	line = strings.TrimLeft(line, " ")
	if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") {
		return true
	}
	number, _, found := strings.Cut(line, ". ")
	return found && number != "" && strings.Trim(number, "0123456789") == ""
}
