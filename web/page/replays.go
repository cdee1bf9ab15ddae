package page

import (
	"time"

	"workbench/web/chapter"
	"workbench/web/exercise"
)

// Replay is a lesson that can be replayed.
type Replay struct {
	Title    string
	Began    time.Time
	Length   string
	Torn     string // where its file was cut off, or ""
	Chapters []ReplayChapter
}

// ReplayChapter is a chapter to which the lesson comes.
type ReplayChapter struct {
	Title string
	Path  string // "" of one that is not served
}

// Kept is a lesson that was given on this machine, and can be replayed.
type Kept struct {
	Code   string // of its room
	Title  string
	Began  time.Time
	Length string
	Others []string // titles of its other chapters
	Ended  bool
}

// Path returns the address at which the replay begins.
func (r Replay) Path() string {
	for _, c := range r.Chapters {
		if c.Path != "" {
			return c.Path
		}
	}
	return ""
}

// Listed reports whether its chapters say more than its title.
func (r Replay) Listed() bool {
	return len(r.Chapters) != 1 || r.Chapters[0].Path == "" || r.Chapters[0].Title != r.Title
}

// Choice is what the page has on which a lesson is chosen.
type Choice struct {
	Kept    []Kept
	Days    int    // for which they are kept
	Amiss   string // why the one of them that was chosen is not shown, or ""
	Wrong   string // why a file was not taken, or ""
	Replays []Replay
}

// Replays writes the page on which a lesson is chosen.
func Replays(site Site, lib *chapter.Library, book *exercise.Book, c Choice) []byte {
	return write(replayed, frame{
		Site: site, Heading: "Replay a lesson", Nav: list(lib, book, nil), Book: book,
		Description: "A lesson that was given, shown again in the chapters: step by step, with the values that the class saw.",
		Choice:      c,
	})
}
