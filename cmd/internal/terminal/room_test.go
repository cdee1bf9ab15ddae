package terminal

import (
	"image"
	"image/color"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	qrcode "github.com/piglig/go-qr"
)

// A camera reads off the screen what was to be shown, with and without colours.
func TestCode(t *testing.T) {
	const address = "http://192.168.178.123:8080/join/K7QM2X"
	look := Look{Width: 80, Live: true, Profile: colorprofile.ANSI256, Command: "./course"}
	for _, plain := range []bool{false, true} {
		text := look.Code(address)
		if plain {
			text = ansi.Strip(text)
		} else if !strings.Contains(text, "38;5;231") || !strings.Contains(text, "48;5;16") {
			t.Errorf("dark and light are the terminal's own: %q", text[:80])
		}
		lines := strings.Split(strings.TrimSuffix(ansi.Strip(text), "\n"), "\n")
		const scale = 6
		width := ansi.StringWidth(lines[0])
		picture := image.NewGray(image.Rect(0, 0, width*scale, 2*len(lines)*scale))
		for row, line := range lines {
			for column, r := range []rune(line) {
				for half, light := range []bool{r == '█' || r == '▀', r == '█' || r == '▄'} {
					for y := range scale {
						for x := range scale {
							if light {
								picture.SetGray(column*scale+x, (2*row+half)*scale+y, color.Gray{Y: 255})
							}
						}
					}
				}
			}
		}
		if got, err := qrcode.Decode(picture); err != nil || got != address {
			t.Errorf("a camera reads %q, %v", got, err)
		}
	}
	side := ansi.StringWidth(strings.Split(look.Code(address), "\n")[0])
	for _, blind := range []Look{{Width: side - 1, Live: true}, {Width: 80}} {
		if blind.Code(address) != "" {
			t.Errorf("a code is drawn where none can be read: %+v", blind)
		}
	}
}

// Addresses are whole on a terminal that is narrower than they are.
func TestRoom(t *testing.T) {
	r := Room{
		Code: "K7QM2X", Chapter: "“One \x1b[2Jproduct”", Present: "http://localhost:8080/present/" + strings.Repeat("a", 43), Holds: 15 * time.Minute,
		Join: []string{"http://192.168.1.20:8080/join/K7QM2X", "http://[fd00::20]:8080/join/K7QM2X"},
	}
	text := ansi.Strip(Look{Width: 30, Live: true}.Room(r))
	for _, want := range append(r.Join, r.Present) {
		if !strings.Contains(text, "  "+want+"\n") {
			t.Errorf("%s is not whole in\n%s", want, text)
		}
	}
	if strings.Contains(Look{Width: 30, Live: true}.Room(r), "\x1b[2J") {
		t.Error("a chapter's title clears the screen")
	}
}
