package web

import (
	"context"
	"strconv"
	"sync"

	"workbench/web/blob"
	"workbench/web/chapter"
	"workbench/web/exercise"
	"workbench/web/page"
)

const htmlType = "text/html; charset=utf-8"

// An edition is the course as it is served: its chapters, the exercises and
// their pages. It does not change; an author's save or a learner's progress
// makes a new one. Pages are written when they are first asked for, and then
// kept.
type edition struct {
	library   *chapter.Library
	book      *exercise.Book // nil if there are no exercises
	contents  *blob.Blob
	exercises *blob.Blob            // nil likewise
	pages     map[string]*blob.Blob // by slug

	// others is the edition as those see it who open no rooms here.
	others func() *edition
}

// newEdition takes the pages of chapters that nothing has changed for from the
// edition before, which may be nil.
func newEdition(site page.Site, lib *chapter.Library, book *exercise.Book, before *edition) *edition {
	e := &edition{library: lib, book: book, pages: map[string]*blob.Blob{}}
	if e.others = func() *edition { return e }; site.Presents {
		e.others = sync.OnceValue(func() *edition {
			site := site
			site.Presents = false
			return newEdition(site, lib, book, nil)
		})
	}
	e.contents = blob.New(htmlType, func() []byte { return page.Contents(site, lib, book) })
	if book != nil {
		e.exercises = blob.New(htmlType, func() []byte { return page.Exercises(site, lib, book, exercise.Filter{}) })
	}
	var was, is map[string]string
	if before != nil && before.library == lib {
		was, is = before.book.Versions(), book.Versions()
	}
	for _, c := range lib.Chapters {
		if n := strconv.Itoa(c.Number); was != nil && was[n] == is[n] {
			e.pages[c.Slug] = before.pages[c.Slug]
			continue
		}
		if e.pages[c.Slug] == nil { // the first of two with one address: both are reported
			e.pages[c.Slug] = blob.New(htmlType, func() []byte { return page.Chapter(site, lib, book, c) })
		}
	}
	return e
}

// warm writes every page, so that nobody waits for the first look at one. The end of
// ctx ends it.
func (e *edition) warm(ctx context.Context) {
	e.contents.Prepare()
	for _, b := range e.pages {
		if ctx.Err() != nil {
			return
		}
		b.Prepare()
	}
}

// changed returns the chapters whose pages differ from those of an earlier
// edition, by slug. Whatever changes the contents changes one of them.
func (e *edition) changed(before *edition) []string {
	var slugs []string
	for slug, b := range e.pages {
		if old := before.pages[slug]; old == nil || old.Version() != b.Version() {
			slugs = append(slugs, slug)
		}
	}
	for slug := range before.pages {
		if e.pages[slug] == nil {
			slugs = append(slugs, slug)
		}
	}
	return slugs
}
