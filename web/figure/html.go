package figure

import (
	"bytes"
	"fmt"
	"html"
)

// writer writes HTML. Names of elements and attributes are the program's own;
// texts and attribute values are escaped.
type writer struct{ out *bytes.Buffer }

// open writes a start tag. Attributes are pairs of name and value; a value is
// always quoted.
func (w writer) open(tag string, attributes ...string) {
	w.out.WriteByte('<')
	w.out.WriteString(tag)
	for i := 0; i+1 < len(attributes); i += 2 {
		w.out.WriteByte(' ')
		w.out.WriteString(attributes[i])
		w.out.WriteString(`="`)
		w.text(attributes[i+1])
		w.out.WriteByte('"')
	}
	w.out.WriteByte('>')
}

func (w writer) close(tag string) {
	w.out.WriteString("</")
	w.out.WriteString(tag)
	w.out.WriteByte('>')
}

// line closes an element and ends the line, so that pages read and diff well.
func (w writer) line(tag string) {
	w.close(tag)
	w.out.WriteByte('\n')
}

func (w writer) text(s string) { w.out.WriteString(html.EscapeString(s)) }

func (w writer) textf(format string, args ...any) { w.text(fmt.Sprintf(format, args...)) }

// element writes a whole element with nothing but text in it.
func (w writer) element(tag, text string, attributes ...string) {
	w.open(tag, attributes...)
	w.text(text)
	w.close(tag)
}

// folded writes what is shown when it is opened. Its content may be the most of a page,
// and be replaced by a live example before anybody opens it; so it is of no account to a
// browser that runs scripts until then, when a script of the page's head unfolds it.
func (w writer) folded(class, summary string, content func()) {
	w.open("details", "class", class)
	w.element("summary", summary)
	w.out.WriteString("\n<noscript>\n")
	content()
	w.line("noscript")
	w.line("details")
}

// tex writes a formula as the page's script expects it.
func (w writer) tex(formula string) {
	w.element("code", formula, "class", "tex", "data-display", "0")
}

// columns writes a table's head and starts its body.
func (w writer) columns(headings []string) {
	w.open("thead")
	w.open("tr")
	for _, h := range headings {
		w.element("th", h, "scope", "col")
	}
	w.close("tr")
	w.close("thead")
	w.out.WriteString("\n<tbody>\n")
}
