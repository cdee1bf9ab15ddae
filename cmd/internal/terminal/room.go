package terminal

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"workbench/web/qr"
)

// Room is how one comes into a room.
type Room struct {
	Code    string
	Chapter string        // the title of the one that it is at
	Again   bool          // it goes on, and was not opened just now
	Present string        // the presenter's link, which holds once
	Holds   time.Duration // for that long
	Join    []string      // the class's addresses, the best first
}

// Room draws how one comes into a room. Addresses are never cut off or broken.
func (l Look) Room(r Room) string {
	p := l.page()
	what := "is open"
	if r.Again {
		what = "goes on"
	}
	p.prose("", "", fmt.Sprintf("Room %s %s, at %s.", styled(strong, r.Code), what, styled(strong, visible(r.Chapter))))
	p.blank()
	p.prose("", "", fmt.Sprintf("For you: this link makes one browser the presenter's, once, within %d minutes.", int(r.Holds/time.Minute)))
	p.b.WriteString("  " + styled(place, r.Present) + "\n")
	p.prose("", "", "For the class:")
	for _, url := range r.Join {
		p.b.WriteString("  " + styled(place, url) + "\n")
	}
	return p.String()
}

// The colours of a QR code are given, as cameras want dark on light and no terminal
// says which it has.
var squares = lipgloss.NewStyle().Foreground(lipgloss.Color("231")).Background(lipgloss.Color("16"))

// Code draws an address as a QR code, two modules in a character. It is "" where a
// camera could not read it: off a terminal, and on one that is too narrow.
func (l Look) Code(address string) string {
	if !l.Live {
		return ""
	}
	c, err := qr.New(address)
	if err != nil {
		return "" // an address that is too long for one can still be typed
	}
	side := c.Size() + 2*qr.Quiet
	if side > l.Width {
		return ""
	}
	// The characters are of the light modules, so that without colours it is right on
	// a dark terminal, as most are.
	light := func(column, row int) bool { return !c.Dark(column-qr.Quiet, row-qr.Quiet) }
	var out strings.Builder
	for row := 0; row < side; row += 2 {
		var line strings.Builder
		for column := range side {
			switch top, bottom := light(column, row), row+1 < side && light(column, row+1); {
			case top && bottom:
				line.WriteRune('█')
			case top:
				line.WriteRune('▀')
			case bottom:
				line.WriteRune('▄')
			default:
				line.WriteRune(' ')
			}
		}
		out.WriteString(squares.Render(line.String()) + "\n")
	}
	return out.String()
}
