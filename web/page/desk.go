package page

import (
	"html/template"
	"strings"
	"time"

	"workbench/engine/trace"
	"workbench/web/chapter"
)

// A Lesson is what a presenter's desk has to know of the room that it leads, beside
// the Site's Room.
type Lesson struct {
	Join   []string // addresses of the room's page for joining, the best first
	Alone  bool     // no other machine reaches them
	Opened time.Time
	Now    time.Time // by the same clock
}

// desk is what the template of a desk shows.
type desk struct {
	Lesson
	Code   string
	Door   *door
	Course course
}

// course is what the desk's script knows of the chapters, beside what the room tells it.
type course struct {
	Chapters []part `json:"chapters"`
}

type part struct {
	Slug    string         `json:"slug"`
	Number  int            `json:"number,omitempty"`
	Title   string         `json:"title"`
	Widgets []example      `json:"widgets"`
	Notes   []chapter.Note `json:"notes"` // without HTML, which stands in the page's templates
	notes   []template.HTML
}

// example is a widget. Step is shown first with Cell chosen, and Steps are those of the page's own run,
// where the chapter has one.
type example struct {
	ID    string  `json:"id"`
	Kind  string  `json:"kind"` // the name of its fence
	Title string  `json:"title"`
	Block int     `json:"block"` // of the page's text that it is in
	Step  int     `json:"step,omitempty"`
	Cell  *[3]int `json:"cell,omitempty"`
	Last  int     `json:"last,omitempty"`
	Steps []step  `json:"steps,omitempty"`
}

type step struct {
	Title string  `json:"title"`
	Cell  *[3]int `json:"cell,omitempty"` // batch, row, column
}

// NotesOf are the notes of a chapter as HTML, in the order of the course's.
func (p part) NotesOf() []template.HTML { return p.notes }

// Desk writes the page from which a presenter leads a room. Whoever may not lead it
// must not get it: it has the chapters' notes in it. It has no secret.
func Desk(site Site, lib *chapter.Library, lesson Lesson) []byte {
	d := &desk{Lesson: lesson, Code: site.Room.Code, Door: newDoor(site.Room.Code, lesson.Join)}
	d.Door.Alone = lesson.Alone
	for _, c := range lib.Chapters {
		d.Course.Chapters = append(d.Course.Chapters, newPart(c))
	}
	f := frame{
		Site: site, Heading: "Desk of room " + d.Code, Desk: d,
		Description: "Where a presenter leads a room from.",
	}
	return draw(desks, "desk", f, site.DeskScript)
}

func newPart(c *chapter.Chapter) part {
	p := part{Slug: c.Slug, Number: c.Number, Title: c.Title(), Widgets: []example{}, Notes: []chapter.Note{}}
	ladders := c.Ladders
	addLadders := func(before int) { // so many widgets
		for len(ladders) > 0 && ladders[0].After == before {
			p.Widgets = append(p.Widgets, example{ID: ladders[0].ID, Kind: "ladder", Title: ladders[0].Caption, Block: c.Block(ladders[0].ID)})
			ladders = ladders[1:]
		}
	}
	for i, w := range c.Widgets {
		addLadders(i)
		e := example{ID: w.ID, Kind: w.Example, Title: w.Caption, Block: c.Block(w.ID), Step: w.Step, Cell: w.Cell, Last: w.Last()}
		if e.Title == "" {
			e.Title = words(w.ID)
		}
		if w.Trace != nil {
			e.Steps = steps(w.Trace)
		}
		p.Widgets = append(p.Widgets, e)
	}
	addLadders(len(c.Widgets))
	for _, n := range c.Notes {
		p.notes = append(p.notes, n.HTML)
		n.HTML = ""
		p.Notes = append(p.Notes, n)
	}
	return p
}

// words makes words of a widget's name.
func words(id string) string {
	if id == "" {
		return "Example"
	}
	text := strings.ReplaceAll(id, "-", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

func steps(t *trace.Trace) []step {
	out := make([]step, len(t.Steps))
	for i, s := range t.Steps {
		out[i].Title = s.Title
		if s.Cell != nil && s.Product != nil {
			out[i].Cell = &[3]int{s.Cell.Batch, s.Cell.Row, s.Cell.Column}
		}
	}
	return out
}
