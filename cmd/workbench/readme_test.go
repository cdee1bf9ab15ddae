package main

import (
	"bytes"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"workbench/lessons"
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

// What the README shows of a failed exercise is what a learner sees who leaves the
// guard out.
func TestReadmeShowsAVerdict(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, found := strings.Cut(string(readme), "    $ ./course run guard\n    …\n")
	shown, _, ends := strings.Cut(shown, "\n\nA kernel must")
	if !found || !ends {
		t.Fatal("README.md shows no run of the exercise guard")
	}
	mutant, err := fs.ReadFile(lessons.Files(), "guard/mutants/no-guard/guard.cu")
	if err != nil {
		t.Fatal(err)
	}
	_, mutant, _ = bytes.Cut(mutant, []byte("\n")) // the line that says what it is
	t.Chdir(t.TempDir())
	const dir = "exercises"
	if err := os.MkdirAll(filepath.Join(dir, "guard"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "guard", "guard.cu"), mutant, 0o666); err != nil {
		t.Fatal(err)
	}
	o := call(t, "", "run", "guard", "--dir", dir)
	for line := range strings.Lines(shown) {
		line = strings.TrimSpace(line)
		if !strings.Contains(o.stdout, line) {
			t.Errorf("README.md shows %q, and the program prints\n%s", line, o.stdout)
		}
	}
}
