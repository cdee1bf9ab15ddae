package web

import (
	"workbench/web/blob"
	"workbench/web/chapter"
	"workbench/web/page"
)

const htmlType = "text/html; charset=utf-8"

// An edition is the course as it is served: its chapters and their pages. It
// does not change; an author's save makes a new one. Pages are written when
// they are first asked for, and then kept.
type edition struct {
	library  *chapter.Library
	contents *blob.Blob
	pages    map[string]*blob.Blob // by slug
}

func newEdition(site page.Site, lib *chapter.Library) *edition {
	e := &edition{library: lib, pages: map[string]*blob.Blob{}}
	e.contents = blob.New(htmlType, func() []byte { return page.Contents(site, lib) })
	for _, c := range lib.Chapters {
		if e.pages[c.Slug] == nil { // the first of two with one address: both are reported
			e.pages[c.Slug] = blob.New(htmlType, func() []byte { return page.Chapter(site, lib, c) })
		}
	}
	return e
}

// warm writes every page, so that nobody waits for the first look at one.
func (e *edition) warm() {
	e.contents.Prepare()
	for _, b := range e.pages {
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
