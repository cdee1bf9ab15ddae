package main

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// target matches where a link or a picture in Markdown leads: [text](target).
var target = regexp.MustCompile(`\]\(<?([^()\s<>]+)>?\)`)

// What the documents at the root point at in the repository is there.
func TestDocumentsLinkToFiles(t *testing.T) {
	root := filepath.Join("..", "..")
	for name, least := range map[string]int{"README.md": 3, "ARCHITECTURE.md": 0} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		followed := 0
		for _, m := range target.FindAllSubmatch(text, -1) {
			u, err := url.Parse(string(m[1]))
			if err != nil {
				t.Errorf("%s: the link %s cannot be read: %v", name, m[1], err)
				continue
			}
			if u.Scheme != "" || u.Path == "" {
				continue // the web, or a heading of the same page
			}
			followed++
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(u.Path))); err != nil {
				t.Errorf("%s links to %s, which is not in the repository", name, m[1])
			}
		}
		if followed < least {
			t.Errorf("%s has %d links to files, want at least %d: are they still read?", name, followed, least)
		}
	}
}
