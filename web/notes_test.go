package web

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A note's place counts the elements of the page as it is served; a presenter's page
// counts the same ones. Nothing that a note says is on it.
func TestNotesCountThePagesElements(t *testing.T) {
	s, h := start(t, fixture())
	c := s.edition.Load().library.Chapter("01-first")
	if len(c.Notes) == 0 {
		t.Fatal("the chapter has no notes")
	}
	_, body := get(t, h.URL+"/chapters/01-first")
	if strings.Contains(body, "wait for hands") || strings.Contains(body, "What is C[0,1]?") {
		t.Error("a reader's page has the presenter's notes")
	}
	document, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []*html.Node // document.querySelectorAll(".prose > *")
	for n := range document.Descendants() {
		if n.Type == html.ElementNode && n.Parent != nil && attribute(n.Parent, "class") == "prose" {
			blocks = append(blocks, n)
		}
	}
	for _, n := range c.Notes {
		if n.Block >= len(blocks) {
			t.Fatalf("a note at element %d of %d", n.Block, len(blocks))
		}
		at := blocks[n.Block]
		if n.Widget != "" && attribute(at, "id") != n.Widget || n.Widget == "" && attribute(at, "class") != "math" {
			t.Errorf("the note %q is at element %d, <%s id=%q>", n.HTML, n.Block, at.Data, attribute(at, "id"))
		}
		if n.Section != "the-product" {
			t.Errorf("the note %q is in section %q", n.HTML, n.Section)
		}
	}
}

// attribute returns an attribute of an element, or "".
func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
