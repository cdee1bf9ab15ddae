package chapter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"

	"workbench/web/quote"
	"workbench/web/run"
)

// A Chapter is one chapter, read and checked. It does not change once Run has
// returned, and may then be used by several goroutines.
type Chapter struct {
	Slug     string // its name in addresses: the folder's
	Number   int    // from the folder's name; 0 if it has none
	File     string // as the author knows it
	Folder   string
	Front    Front
	Headings []Heading // of the second level, in order
	Widgets  []*Widget
	Measured []Measured // fences that show figures of a GPU
	Ladders  []Ladder   // of these, the ladders, in order
	Notes    []Note     // for who presents the chapter, in the order of its text
	Problems Problems

	document ast.Node
	source   []byte            // that document's offsets point into
	anchors  map[string]string // name → what stands there
	broken   map[string]bool   // names of fences that cannot be shown
	blocks   map[string]int    // name of an example → the element of the page's text that it is in
	links    []link

	raw     []byte  // the file, as Parse was given it
	asked   []asked // what Parse asked of the text's surroundings
	notes   []lines // of the fences of notes, in order
	version string

	html func() template.HTML
}

// asked is a question about what stands beside a chapter's text, and the
// answer it got: the chapter stays the same while the answers do.
type asked struct {
	note         bool // it was for who presents the chapter
	picture      string
	there        bool
	file, region string
	extract      quote.Extract
	beside, text string
}

func (a asked) same(t Text) bool {
	if a.beside != "" {
		text, err := t.Beside(a.beside)
		return err == nil && string(text) == a.text
	}
	if a.picture != "" {
		return t.HasFile(a.picture) == a.there
	}
	e, err := t.Quote(a.file, a.region)
	return e == a.extract && (err == nil) == a.there
}

// A Heading is a place of the chapter to jump to.
type Heading struct{ ID, Title string }

// Reserved names: the page itself uses them.
var reserved = map[string]string{
	"main":      "this chapter",
	"questions": "the questions",
	"exercises": "the exercises",
	"sources":   "the sources",
	"outcomes":  "what you will be able to explain",
}

func newChapter(t Text) *Chapter {
	c := &Chapter{File: t.File, Folder: t.Folder, raw: t.Body, anchors: map[string]string{}, broken: map[string]bool{}}
	for name, title := range reserved {
		c.anchors[name] = title
	}
	c.html = sync.OnceValue(func() template.HTML {
		var out bytes.Buffer
		render(&out, c.source, c.document)
		return template.HTML(out.String())
	})
	return c
}

// HTML returns the chapter's text as HTML, with its widgets as they are before
// any script runs. It is made once, after Run.
func (c *Chapter) HTML() template.HTML { return c.html() }

// Widget returns the widget of that name, or nil.
func (c *Chapter) Widget(id string) *Widget {
	for _, w := range c.Widgets {
		if w.ID == id {
			return w
		}
	}
	return nil
}

// Has reports whether a place of the chapter has that name: a heading, a widget, a
// table of measurements.
func (c *Chapter) Has(name string) bool {
	_, ok := c.anchors[name]
	return ok
}

// Block returns which of the elements of the page's text an example is in.
func (c *Chapter) Block(id string) int { return c.blocks[id] }

// Version names the chapter's source: its file without the notes, which are on no
// page, and what that shows of others. Two chapters of one version have the same text
// and the same widgets.
func (c *Chapter) Version() string { return c.version }

// versionOf makes the version, of the file's text in lines that end as on Unix.
func (c *Chapter) versionOf(body []byte) string {
	sum := sha256.New()
	notes, blank := c.notes, false
	for i, line := range bytes.Split(body, []byte("\n")) {
		number := i + 1
		for len(notes) > 0 && number > notes[0].last {
			notes = notes[1:]
		}
		if len(notes) > 0 && number >= notes[0].first {
			continue
		}
		// Of the lines between which notes stood, a chapter without them has one.
		empty := len(bytes.TrimSpace(line)) == 0
		if empty && blank && c.afterNotes(number) {
			continue
		}
		blank = empty
		fmt.Fprintf(sum, "%q\n", line)
	}
	for _, a := range c.asked {
		if !a.note {
			fmt.Fprintf(sum, "%q\n", []any{a.picture, a.there, a.file, a.region, a.extract.Code, a.beside, a.text})
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// afterNotes reports whether a line is the first after a fence of notes.
func (c *Chapter) afterNotes(number int) bool {
	return slices.ContainsFunc(c.notes, func(l lines) bool { return number == l.last+1 })
}

// lines are some of the file, counted from 1.
type lines struct{ first, last int }

// Title returns the chapter's title, or its folder's name if it has none.
func (c *Chapter) Title() string {
	if c.Front.Title != "" {
		return c.Front.Title
	}
	return c.Folder
}

// Run computes the chapter's widgets. A widget that cannot be run is a problem
// at the line of the field that is wrong; the others run all the same.
func (c *Chapter) Run(ctx context.Context, r run.Runner) {
	for _, w := range c.Widgets {
		if problem := w.run(ctx, r); problem != nil {
			problem.File = c.File
			w.problem = problem
			c.Problems = append(c.Problems, *problem)
		}
	}
	c.checkNotes(ctx)
	c.Problems.sort()
}

var folderName = regexp.MustCompile(`^(\d{1,3})-([a-z0-9]+(?:-[a-z0-9]+)*)$`)

// folder reads number and slug from the folder's name.
func (p *parse) folder(name string) {
	c := p.chapter
	m := folderName.FindStringSubmatch(name)
	if m == nil {
		p.problem(0, "", "the chapter's folder is called %q: call it a number, a dash and a name in small letters, as in 01-one-product", name)
		c.Slug = slug(name)
		return
	}
	c.Number, _ = strconv.Atoi(m[1])
	c.Slug = name
}

// slug makes a name for an address from any text: small letters and digits of
// ASCII with single dashes between.
func slug(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		default:
			dash = true
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}

// name gives an address of the page to what the author named, and reports a
// name that is taken.
func (p *parse) name(id, title string, line int) {
	if _, taken := p.chapter.anchors[id]; taken {
		p.problem(line, "", "the name %s is taken: every heading, paragraph and widget of a chapter has its own", id)
		return
	}
	p.chapter.anchors[id] = title
}

// unused makes an address for a heading the author did not name.
func (p *parse) unused(title string) string {
	base := slug(title)
	id := base
	for i := 2; ; i++ {
		if _, taken := p.chapter.anchors[id]; !taken {
			p.chapter.anchors[id] = title
			return id
		}
		id = fmt.Sprintf("%s-%d", base, i)
	}
}

// checkQuestions holds the places that answer the questions against the
// chapter's names.
func (p *parse) checkQuestions() {
	c := p.chapter
	for i := range c.Front.Questions {
		q := &c.Front.Questions[i]
		if q.Where == "" {
			continue
		}
		title, ok := c.anchors[q.Where[1:]]
		if !ok {
			p.problem(q.line, fmt.Sprintf("questions[%d].where", i), "%s", c.nowhere(q.Where[1:]))
		}
		q.WhereTitle = title
	}
}

// nowhere says that no place of the chapter has that name.
func (c *Chapter) nowhere(id string) string {
	names := slices.Sorted(maps.Keys(c.anchors))
	reason := fmt.Sprintf("nothing in %s is named %s", c.Slug, id)
	if near := nearest(id, names); near != "" {
		reason += ": did you mean #" + near + "?"
	}
	return reason
}
