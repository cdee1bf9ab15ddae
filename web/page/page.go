// Package page writes the workbench's pages: the contents, a chapter, the
// exercises, the desk of who presents, and the page that says what went wrong and
// where to go from there.
package page

import (
	"bytes"
	"embed"
	"html/template"
	"strings"
	"time"

	"workbench/lessons/lesson"
	"workbench/web/chapter"
	"workbench/web/exercise"
)

// Site is what every page shows.
type Site struct {
	Title     string
	Build     string
	HasBundle bool // of third-party scripts
	Author    bool // an author's folder is served: pages change when it does

	// Addresses of assets.
	Style  string
	Early  string // script that runs before the page is drawn
	Enter  string // script of the page of a presenter's link
	Script string // of all pages but a desk
	Icon   string

	Room *Room // that the page is in, or nil
	// Presents says that rooms can be opened on the server's own machine: pages have
	// a button for that.
	Presents bool

	// Desk is the style sheet of a presenter's desk, beside Style, and DeskScript its
	// script.
	Desk       string
	DeskScript string
}

// Room is what a page in a room says of it.
type Room struct {
	Code   string   // of the room, or the name of a replay
	As     string   // what the page is in it
	Live   string   // address of its live connection
	Base   string   // what the addresses of its chapters begin with
	Join   []string // addresses of the page for joining, the best first, of a stage that a class can join
	Events string   // address of what happened, of a replay
	Tasks  []Task   // the exercises of the page's chapter
}

// Task is an exercise as a class is asked to do it. It says nothing of anybody's work.
type Task struct {
	ID, Title string
	Kind      lesson.Kind
	Command   string        // that checks it, and tells the room when it passed
	Statement template.HTML // what is to be done
}

// Base is what the addresses of chapters begin with.
func (s Site) Base() string {
	if s.Room != nil {
		return s.Room.Base
	}
	return ordinary
}

const ordinary = "/chapters/"

//go:embed templates/*.html
var files embed.FS

var (
	contents  = parse("contents.html")
	chapters  = parse("chapter.html")
	exercises = parse("exercises.html")
	message   = parse("message.html")
	replayed  = parse("replays.html")
	desks     = parse("desk.html")
)

func parse(main string) *template.Template {
	functions := template.FuncMap{
		"stamp": func(t time.Time) string { return t.Format(time.RFC3339Nano) },
		"ticks": ticks,
	}
	return template.Must(template.New(main).Funcs(functions).ParseFS(files, "templates/layout.html", "templates/list.html", "templates/exercise.html", "templates/door.html", "templates/"+main))
}

// ticks writes a text in which code stands between backquotes, as in a terminal.
func ticks(text string) template.HTML {
	var out strings.Builder
	for {
		before, rest, begins := strings.Cut(text, "`")
		code, after, ends := strings.Cut(rest, "`")
		if !begins || !ends || code == "" {
			out.WriteString(template.HTMLEscapeString(text))
			return template.HTML(out.String())
		}
		out.WriteString(template.HTMLEscapeString(before) + "<code>" + template.HTMLEscapeString(code) + "</code>")
		text = after
	}
}

// entry is a chapter in a list.
type entry struct {
	Slug, Title string
	Number      int
	Summary     template.HTML
	Current     bool
	Exercises   *exercise.Group // nil if it has none
}

// group is the exercises of one chapter, with what the library knows of it.
type group struct {
	*exercise.Group
	Slug, Title string // "" of a chapter that is not served
}

// frame is what the layout shows.
type frame struct {
	Site        Site
	Script      string // address of the page's
	Heading     string
	Description string
	Nav, List   []entry
	Problems    chapter.Problems

	Outside bool // the page is for whoever comes from elsewhere, and leads to none of the others
	Joining Joining
	Ways    []Way

	Presenting Presenting

	Chapter        *chapter.Chapter
	Prose          template.HTML // the chapter's text
	Previous, Next *entry

	Book      *exercise.Book  // nil if there are no exercises
	Version   string          // of what the page shows of them; "" if it shows none
	Exercises *exercise.Group // of the chapter

	// Of the page of all exercises.
	Filter        exercise.Filter
	States, Kinds []exercise.Choice
	Chapters      []group // all that have exercises
	Groups        []group // those that are shown
	Shown         int     // exercises

	// Of the page of replays.
	Choice Choice
	Desk   *desk // of a presenter's desk
	Door   *door // of a stage that a class can join
}

func list(lib *chapter.Library, book *exercise.Book, current *chapter.Chapter) []entry {
	entries := make([]entry, len(lib.Chapters))
	for i, c := range lib.Chapters {
		entries[i] = entry{c.Slug, c.Title(), c.Number, c.Front.Summary, c == current, book.Group(c.Number)}
	}
	return entries
}

// name gives groups the names of their chapters.
func name(lib *chapter.Library, groups []*exercise.Group) []group {
	named := make([]group, len(groups))
	for i, g := range groups {
		named[i].Group = g
		for _, c := range lib.Chapters {
			if c.Number == g.Chapter {
				named[i].Slug, named[i].Title = c.Slug, c.Title()
				break
			}
		}
	}
	return named
}

func write(t *template.Template, f frame) []byte {
	return draw(t, "layout", f, f.Site.Script)
}

// draw writes a template with the script of its page.
func draw(t *template.Template, name string, f frame, script string) []byte {
	f.Script = script
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, name, f); err != nil {
		panic("BUG: a page's template does not fit its data: " + err.Error())
	}
	return within(f.Site.Room, out.Bytes())
}

// Contents writes the page of the whole course. Problems are those of chapters,
// for their author. A book may be nil.
func Contents(site Site, lib *chapter.Library, book *exercise.Book) []byte {
	entries := list(lib, book, nil)
	f := frame{
		Site: site, Heading: site.Title, Nav: entries, List: entries, Book: book,
		Description: "How tensor work runs on a GPU, step by step: every number that takes part, on a device that you choose.",
	}
	if book != nil {
		f.Version = book.Version
	}
	for _, c := range lib.Chapters {
		f.Problems = append(f.Problems, lib.Problems(c)...)
	}
	return write(contents, f)
}

// Chapter writes one chapter.
func Chapter(site Site, lib *chapter.Library, book *exercise.Book, c *chapter.Chapter) []byte {
	f := frame{
		Site: site, Heading: c.Title(), Description: c.Front.Plain, Nav: list(lib, book, c), Chapter: c, Prose: c.HTML(),
		Book: book, Exercises: book.Group(c.Number),
	}
	if site.Room != nil && len(site.Room.Join) > 0 {
		f.Door = newDoor(site.Room.Code, site.Room.Join)
	}
	if site.Room == nil {
		f.Problems = lib.Problems(c) // which name the author's files
	}
	if f.Exercises != nil {
		f.Version = f.Exercises.Version
	}
	for i := range f.Nav {
		if !f.Nav[i].Current {
			continue
		}
		if i > 0 {
			f.Previous = &f.Nav[i-1]
		}
		if i+1 < len(f.Nav) {
			f.Next = &f.Nav[i+1]
		}
	}
	return write(chapters, f)
}

// within leads a page's links to chapters, and its pictures, where the room has them.
func within(room *Room, text []byte) []byte {
	if room == nil {
		return text
	}
	for _, attribute := range []string{`href="`, `src="`} {
		text = bytes.ReplaceAll(text, []byte(attribute+ordinary), []byte(attribute+room.Base))
	}
	return text
}

// Exercises writes the page of the exercises that a filter chooses.
func Exercises(site Site, lib *chapter.Library, book *exercise.Book, filter exercise.Filter) []byte {
	f := frame{
		Site: site, Heading: "Exercises", Nav: list(lib, book, nil), Book: book, Version: book.Version,
		Description: "What the chapters show, to be done by hand: each is checked in a terminal, without a GPU.",
		Filter:      filter, States: exercise.States, Kinds: exercise.Kinds,
		Chapters: name(lib, book.Groups), Groups: name(lib, filter.Choose(book)),
	}
	for _, g := range f.Groups {
		f.Shown += len(g.Entries)
	}
	return write(exercises, f)
}

// Message writes a page that says what happened and lists the chapters.
func Message(site Site, lib *chapter.Library, book *exercise.Book, heading, sentence string) []byte {
	entries := list(lib, book, nil)
	f := frame{Site: site, Heading: heading, Description: sentence, Nav: entries, List: entries, Book: book}
	if book != nil {
		f.Version = book.Version
	}
	return write(message, f)
}
