// Package page writes the workbench's pages: the contents, a chapter, and the
// page that says what went wrong and where to go from there.
package page

import (
	"bytes"
	"embed"
	"html/template"

	"workbench/web/chapter"
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
	Script string
	Icon   string
}

//go:embed templates/*.html
var files embed.FS

var (
	contents = parse("contents.html")
	chapters = parse("chapter.html")
	message  = parse("message.html")
)

func parse(main string) *template.Template {
	return template.Must(template.ParseFS(files, "templates/layout.html", "templates/list.html", "templates/"+main))
}

// entry is a chapter in a list.
type entry struct {
	Slug, Title string
	Number      int
	Summary     template.HTML
	Current     bool
}

// frame is what the layout shows.
type frame struct {
	Site        Site
	Heading     string
	Description string
	Nav, List   []entry
	Problems    chapter.Problems

	Chapter        *chapter.Chapter
	Previous, Next *entry
}

func list(lib *chapter.Library, current *chapter.Chapter) []entry {
	entries := make([]entry, len(lib.Chapters))
	for i, c := range lib.Chapters {
		entries[i] = entry{c.Slug, c.Title(), c.Number, c.Front.Summary, c == current}
	}
	return entries
}

func write(t *template.Template, f frame) []byte {
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, "layout", f); err != nil {
		panic("BUG: a page's template does not fit its data: " + err.Error())
	}
	return out.Bytes()
}

// Contents writes the page of the whole course. Problems are those of chapters,
// for their author.
func Contents(site Site, lib *chapter.Library) []byte {
	entries := list(lib, nil)
	f := frame{
		Site: site, Heading: site.Title, Nav: entries, List: entries,
		Description: "How tensor work runs on a GPU, step by step: every number that takes part, on a device that you choose.",
	}
	for _, c := range lib.Chapters {
		f.Problems = append(f.Problems, lib.Problems(c)...)
	}
	return write(contents, f)
}

// Chapter writes one chapter.
func Chapter(site Site, lib *chapter.Library, c *chapter.Chapter) []byte {
	f := frame{Site: site, Heading: c.Title(), Description: c.Front.Plain, Nav: list(lib, c), Problems: lib.Problems(c), Chapter: c}
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

// Message writes a page that says what happened and lists the chapters.
func Message(site Site, lib *chapter.Library, heading, sentence string) []byte {
	entries := list(lib, nil)
	return write(message, frame{Site: site, Heading: heading, Description: sentence, Nav: entries, List: entries})
}
