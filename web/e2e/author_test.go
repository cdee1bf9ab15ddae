package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// draft is a chapter as its author writes it, with a matrix to be filled in.
func draft(matrix string) string {
	var b strings.Builder
	b.WriteString("---\ntitle: A draft\nsummary: It is not finished.\noutcomes:\n  - say nothing yet\n---\n\n## The first part\n\n")
	b.WriteString("```product mine\ncaption: It works.\nleft: [[1, 2], [3, 4]]\nright: [[5], [6]]\n```\n\n")
	for i := range 30 {
		fmt.Fprintf(&b, "Paragraph %d says something about $x_{%d}$, and takes some room on the page. It goes on for a while, so that there is something to scroll.\n\n", i, i)
	}
	fmt.Fprintf(&b, "## The second part\n\n```product other\nleft: %s\nright: [[5], [6]]\n```\n\n", matrix)
	for i := range 30 {
		fmt.Fprintf(&b, "And paragraph %d comes after it, as long as the others are.\n\n", i)
	}
	return b.String()
}

func save(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAuthorSeesMistakesInPlace serves a folder of an author's own: a mistake
// stands where it is, with file and line; saving the mended chapter shows it,
// with the reader where they were.
func TestAuthorSeesMistakesInPlace(t *testing.T) {
	t.Parallel()
	for _, b := range bundles {
		t.Run(b.name, func(t *testing.T) {
			course(t, b.present) // skips where there is no bundle
			folder := t.TempDir()
			file := filepath.Join(folder, "01-draft", "chapter.md")
			wrong := draft("[[1, 2], [3]]")
			save(t, file, wrong)
			line := 0
			for i, text := range strings.Split(wrong, "\n") {
				if strings.HasPrefix(text, "left: [[1, 2], [3]]") {
					line = i + 1
				}
			}
			o := options(b.present)
			o.AuthorDir = folder
			tab := newTab(t, serve(t, o))
			tab.open("/chapters/01-draft")
			at := fmt.Sprintf("%s:%d: left", file, line)
			mistakes := get[[]string](tab, "[...document.querySelectorAll('.prose .author-error')].map(e2e.words)")
			if len(mistakes) != 1 || !strings.Contains(mistakes[0], at) {
				t.Fatalf("the page says %q, want one mistake at %s", mistakes, at)
			}
			place := get[[]string](tab, `(() => {
				const blocks = [...document.querySelectorAll('.prose > *')];
				const at = blocks.findIndex((one) => one.matches('.author-error') || one.querySelector('.author-error'));
				return [e2e.words(blocks[at - 1]), e2e.words(blocks[at + 1])];
			})()`)
			if !strings.HasPrefix(place[0], "The second part") || !strings.HasPrefix(place[1], "And paragraph 0 comes") {
				t.Errorf("the mistake stands between %q and %q", place[0], place[1])
			}

			// Two steps on in the first example, and down to a paragraph below the
			// mistake, which the mended example will push down.
			tab.focusOn("mine")
			tab.press("Home", "j", "j")
			tab.settle()
			const here = "[...document.querySelectorAll('.prose p')].find((one) => one.textContent.startsWith('And paragraph 10')).getBoundingClientRect().top"
			get[bool](tab, "(scrollTo({ top: "+here+" + scrollY - 200, behavior: 'instant' }), true)")
			down := get[float64](tab, "scrollY")
			get[bool](tab, "(globalThis.before = true)")
			save(t, file, draft("[[1, 2], [3, 4]]"))
			tab.until("the mended page", "!globalThis.before && e2e.ready() && document.querySelector('.live-state')?.dataset.state === 'open'")
			if left := get[[]string](tab, "[...document.querySelectorAll('.author-error')].map(e2e.words)"); len(left) != 0 {
				t.Errorf("the mended page still says %q", left)
			}
			if s := tab.state("other"); s.Steps != 6 {
				t.Errorf("the mended example has %d steps, want 6", s.Steps)
			}
			if s := tab.state("mine"); s.Step != 3 {
				t.Errorf("the other example is at step %d, want 3 as before", s.Step)
			}
			tab.until("the place in the text", "Math.abs("+here+" - 200) < 40")
			tab.settle()
			if top := get[float64](tab, here); top < 160 || top > 240 {
				t.Errorf("the paragraph is at %.0f px of the window, was at 200", top)
			}
			if now := get[float64](tab, "scrollY"); now < down+100 {
				t.Errorf("the mended example took no room: the page is scrolled to %.0f px, and was to %.0f", now, down)
			}

			// And a mistake that comes later is shown as soon as it is saved.
			save(t, file, draft("[[1, 2], [three, 4]]"))
			tab.until("the next mistake", "[...document.querySelectorAll('.prose .author-error')].some((one) => e2e.words(one).includes(%s))", at)
		})
	}
}

// TestAuthorSavesWhileTheServerIsDown holds a page to show what was saved while
// nobody could tell it.
func TestAuthorSavesWhileTheServerIsDown(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "01-draft", "chapter.md")
	save(t, file, draft("[[1, 2], [3]]"))
	o := options(false)
	o.AuthorDir = folder
	site := serve(t, o)
	tab := newTab(t, site)
	tab.open("/chapters/01-draft")
	tab.untilLive("open")
	tab.allow(refused)
	if err := site.stop(); err != nil {
		t.Fatal(err)
	}
	tab.untilLive("waiting")
	get[bool](tab, "(globalThis.before = true)")
	save(t, file, draft("[[1, 2], [3, 4]]"))
	if err := site.begin(); err != nil {
		t.Fatal(err)
	}
	get[bool](tab, "([...document.querySelectorAll('.live-state button')].forEach((one) => one.click()), true)")
	tab.until("the mended page", "!globalThis.before && e2e.ready() && document.querySelector('.live-state')?.dataset.state === 'open'")
	tab.allow(nil)
	if left := get[[]string](tab, "[...document.querySelectorAll('.author-error')].map(e2e.words)"); len(left) != 0 {
		t.Errorf("the page still says %q", left)
	}
}

// TestAuthorOfTheContents holds the contents page to follow a chapter that
// comes, changes its title and goes.
func TestAuthorOfTheContents(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	o := options(false)
	o.AuthorDir = folder
	tab := newTab(t, serve(t, o))
	tab.open("/")
	title := "[...document.querySelectorAll('.chapter-list h2')].map(e2e.words).join()"
	file := filepath.Join(folder, "01-draft", "chapter.md")
	save(t, file, draft("[[1, 2], [3, 4]]"))
	tab.until("the chapter", title+" === 'A draft'")
	tab.untilLive("open")
	save(t, file, strings.Replace(draft("[[1, 2], [3, 4]]"), "title: A draft", "title: Another name", 1))
	tab.until("its new title", title+" === 'Another name'")
	tab.untilLive("open")
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	tab.until("no chapter", title+" === ''")
}
