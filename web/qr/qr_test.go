package qr

import (
	"fmt"
	"image"
	"image/color"
	"regexp"
	"strings"
	"testing"

	code "github.com/piglig/go-qr"
)

// What a camera sees of the picture in a page is the text that went into it.
func TestSVG(t *testing.T) {
	for _, text := range []string{
		"http://192.168.178.123:8080/join/ABC234",
		"http://[fd00:1234:5678:9abc::17]:8080/join/XYZ789",
		"http://übung.example/join/ABCDEF?ä=1",
	} {
		c, err := New(text)
		if err != nil {
			t.Fatal(err)
		}
		svg := string(c.SVG(`Join "here"`))
		if !strings.Contains(svg, `aria-label="Join &#34;here&#34;"`) {
			t.Errorf("the label is not escaped: %.120s", svg)
		}
		if got, err := code.Decode(photograph(t, svg)); err != nil || got != text {
			t.Errorf("a camera reads %q, %v, want %q", got, err, text)
		}
	}
}

func TestTooLong(t *testing.T) {
	if _, err := New(strings.Repeat("x", 3000)); err == nil {
		t.Error("3000 bytes fit into a QR code of level M, which holds 2331")
	}
}

// photograph paints the paths of a picture, as a browser would.
func photograph(t *testing.T, svg string) image.Image {
	t.Helper()
	const scale = 6
	var side int
	if _, err := fmt.Sscanf(regexp.MustCompile(`viewBox="0 0 \d+`).FindString(svg), `viewBox="0 0 %d`, &side); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(svg, fmt.Sprintf(`<path fill="#fff" d="M0 0h%dv%dH0z"/>`, side, side)) {
		t.Fatal("the ground is not light to the edge")
	}
	picture := image.NewGray(image.Rect(0, 0, side*scale, side*scale))
	for i := range picture.Pix {
		picture.Pix[i] = 0xff
	}
	for _, run := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllString(svg, -1) {
		var x, y, n, back int
		if _, err := fmt.Sscanf(run, "M%d %dh%dv1h-%dz", &x, &y, &n, &back); err != nil || n != back {
			t.Fatalf("%s: %v", run, err)
		}
		if x < Quiet || y < Quiet || x+n > side-Quiet || y >= side-Quiet {
			t.Fatalf("%s is in the margin", run)
		}
		for px := x * scale; px < (x+n)*scale; px++ {
			for py := y * scale; py < (y+1)*scale; py++ {
				picture.SetGray(px, py, color.Gray{})
			}
		}
	}
	return picture
}
