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

// Path returns the address at which the replay begins.
func (r Replay) Path() string {
	for _, c := range r.Chapters {
		if c.Path != "" {
			return c.Path
		}
	}
	return ""
}

// Replays writes the page on which a lesson's file is chosen. Problem says why the
// one before was not taken.
func Replays(site Site, lib *chapter.Library, book *exercise.Book, replays []Replay, problem string) []byte {
	return write(replayed, frame{
		Site: site, Heading: "Replay a lesson", Nav: list(lib, book, nil), Book: book,
		Description: "A lesson that was saved, shown again in the chapters: step by step, with the values that the class saw.",
		Replays:     replays, Problem: problem,
	})
}
