package chapter

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"workbench/assets"
	"workbench/web/quote"
	"workbench/web/run"
)

// sourceFile is the name of a chapter's text in its folder.
const sourceFile = "chapter.md"

// runLimit bounds the time of a chapter's widgets. They run while the server
// starts, or while an author waits for a page.
const runLimit = 30 * time.Second

// A Library is every chapter of a folder, in reading order. It does not
// change: Load makes a new one.
type Library struct {
	Chapters []*Chapter

	links map[*Chapter]Problems // links that lead nowhere
}

// A Shelf says where chapters come from and what runs their widgets.
type Shelf struct {
	FS     fs.FS   // folders with a chapter.md each
	Name   string  // what comes before a file's path in problems; may be empty
	Quotes []fs.FS // where extracts are looked for, in order: folders with quote.Folder
	// Measurements are those of GPUs. They stay the same for the life of a Shelf.
	Measurements []assets.Measurement

	Runner run.Runner
}

// Load reads and runs every chapter. Chapters whose files are what they were
// in previous, which may be nil, are taken from it.
//
// The error is for a folder that cannot be read. What is wrong inside chapters
// is in the library's Problems.
func (s Shelf) Load(ctx context.Context, previous *Library) (*Library, error) {
	entries, err := fs.ReadDir(s.FS, ".")
	if err != nil {
		return nil, err
	}
	var texts []Text
	for _, entry := range entries {
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		text, err := s.text(entry.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // quotes, or a folder of pictures
		} else if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}

	lib := &Library{Chapters: make([]*Chapter, len(texts)), links: map[*Chapter]Problems{}}
	var group sync.WaitGroup
	for i, text := range texts {
		if c := previous.same(text); c != nil {
			lib.Chapters[i] = c
			continue
		}
		group.Go(func() {
			ctx, cancel := context.WithTimeoutCause(ctx, runLimit, run.ErrTimeLimit)
			defer cancel()
			c := Parse(text)
			c.Run(ctx, s.Runner)
			lib.Chapters[i] = c
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	slices.SortStableFunc(lib.Chapters, func(a, b *Chapter) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Folder, b.Folder))
	})
	lib.check()
	return lib, nil
}

// text reads one folder.
func (s Shelf) text(folder string) (Text, error) {
	file := path.Join(folder, sourceFile)
	body, err := fs.ReadFile(s.FS, file)
	if err != nil {
		return Text{}, err
	}
	names := map[string]bool{}
	beside, err := fs.ReadDir(s.FS, folder)
	if err != nil {
		return Text{}, err
	}
	for _, entry := range beside {
		names[entry.Name()] = !entry.IsDir()
	}
	return Text{
		File: path.Join(s.Name, file), Folder: folder, Body: body,
		Quote: s.quote, Measurements: s.Measurements,
		HasFile: func(name string) bool { return names[name] },
		Beside:  func(name string) ([]byte, error) { return fs.ReadFile(s.FS, path.Join(folder, name)) },
	}, nil
}

// quote finds an extract.
func (s Shelf) quote(file, region string) (quote.Extract, error) {
	if !quote.Valid(file) {
		return quote.Extract{}, fmt.Errorf("%q is not a path from the root of the repository", file)
	}
	for _, quotes := range s.Quotes {
		text, err := fs.ReadFile(quotes, path.Join(quote.Folder, quote.Name(file, region)))
		if err != nil {
			continue
		}
		e, err := quote.Parse(text)
		if err == nil && (e.File != file || e.Region != region) {
			err = fmt.Errorf("it is of %s, region %s", e.File, e.Region)
		}
		if err != nil {
			return quote.Extract{}, fmt.Errorf("the extract %s cannot be used: %w", quote.Name(file, region), err)
		}
		return e, nil
	}
	return quote.Extract{}, fmt.Errorf("region %s of %s is not extracted: mark it in the source and run go generate ./chapters", region, file)
}

// same returns the chapter of the library that Parse would make of a text
// again, or nil.
func (lib *Library) same(text Text) *Chapter {
	if lib == nil {
		return nil
	}
	i := slices.IndexFunc(lib.Chapters, func(c *Chapter) bool { return c.Folder == text.Folder })
	if i < 0 {
		return nil
	}
	c := lib.Chapters[i]
	if c.File != text.File || !bytes.Equal(c.raw, text.Body) {
		return nil
	}
	for _, asked := range c.asked {
		if !asked.same(text) {
			return nil
		}
	}
	return c
}

// Chapter returns the chapter of that slug, or nil.
func (lib *Library) Chapter(slug string) *Chapter {
	for _, c := range lib.Chapters {
		if c.Slug == slug {
			return c
		}
	}
	return nil
}

// Problems returns the mistakes of one chapter, its dead links among them.
func (lib *Library) Problems(c *Chapter) Problems {
	all := slices.Concat(c.Problems, lib.links[c])
	all.sort()
	return all
}

// Err returns every mistake of every chapter as an error, or nil.
func (lib *Library) Err() error {
	var all Problems
	for _, c := range lib.Chapters {
		all = append(all, lib.Problems(c)...)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// check follows every link, and finds chapters with one address.
func (lib *Library) check() {
	for i, c := range lib.Chapters {
		if first := lib.Chapter(c.Slug); first != c {
			lib.links[c] = append(lib.links[c], Problem{File: c.File, Reason: fmt.Sprintf("has the same address as %s: rename one of the folders", first.File)})
		}
		if i > 0 && c.Number > 0 && lib.Chapters[i-1].Number == c.Number {
			lib.links[c] = append(lib.links[c], Problem{File: c.File, Reason: fmt.Sprintf("has the same number as %s: rename one of the folders", lib.Chapters[i-1].File)})
		}
		for _, l := range c.links {
			reason := fmt.Sprintf("there is no chapter %s", l.slug)
			if to := lib.Chapter(l.slug); to != nil {
				reason = to.follow(l)
			}
			if reason != "" {
				lib.links[c] = append(lib.links[c], Problem{File: c.File, Line: l.line, Reason: fmt.Sprintf("the link %q: %s", l.text, reason)})
			}
		}
	}
}
