// Package qr draws an address as a QR code (ISO/IEC 18004), for a phone's camera:
// into a page as SVG, and module by module for whoever draws otherwise.
package qr

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	code "github.com/piglig/go-qr"
)

// Quiet is the width of the light margin that a camera needs on every side, in
// modules: clause 9.1 of the standard.
const Quiet = 4

// A Code is the QR code of a text.
type Code struct {
	Text    string
	modules *code.QrCode
}

// New encodes a text. Level M restores up to 15 % of the code, which a projector's
// glare or a head in front of it may hide; an address of a room then has 29 modules a side.
func New(text string) (*Code, error) {
	modules, err := code.EncodeText(text, code.Medium)
	if err != nil {
		return nil, fmt.Errorf("no QR code for a text of %d bytes: %w", len(text), err)
	}
	return &Code{text, modules}, nil
}

// Size is the number of modules on a side, without the margin.
func (c *Code) Size() int { return c.modules.Size() }

// Dark reports whether the module in a column and a row is dark. In the margin
// all are light.
func (c *Code) Dark(column, row int) bool { return c.modules.Module(column, row) }

// SVG draws the code with its margin, dark on light in every theme: many cameras
// read no other. Its size is the style sheet's.
func (c *Code) SVG(label string) template.HTML {
	side := c.Size() + 2*Quiet
	var out strings.Builder
	fmt.Fprintf(&out, `<svg class="qr" role="img" aria-label="%s" viewBox="0 0 %d %d" shape-rendering="crispEdges">`, html.EscapeString(label), side, side)
	fmt.Fprintf(&out, `<path fill="#fff" d="M0 0h%dv%dH0z"/><path fill="#000" d="`, side, side)
	for row := range c.Size() {
		for column := 0; column < c.Size(); {
			from := column
			for column < c.Size() && c.Dark(column, row) {
				column++
			}
			if n := column - from; n > 0 {
				fmt.Fprintf(&out, "M%d %dh%dv1h-%dz", from+Quiet, row+Quiet, n, n)
			} else {
				column++
			}
		}
	}
	out.WriteString(`"/></svg>`)
	return template.HTML(out.String())
}
