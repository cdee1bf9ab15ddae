package web

import (
	"fmt"
	"io/fs"
	"sync"

	"workbench/web/loading"
)

// The scripts of pages: of a presenter's desk, and of every other page.
const (
	mainScript = "js/main.js"
	deskScript = "js/desk.js"
)

// A rolling is the scripts of pages, or why they could not be made.
type rolling struct {
	scripts []*loading.Script
	err     error
}

// rollScripts begins to make the scripts of pages of their modules, which takes a
// tenth of a second: meanwhile the chapters can be read.
func rollScripts(files fs.FS) <-chan rolling {
	done := make(chan rolling, 1)
	go func() {
		entries := []string{mainScript, deskScript}
		r := rolling{scripts: make([]*loading.Script, len(entries))}
		errs := make([]error, len(entries))
		var work sync.WaitGroup
		for i, entry := range entries {
			work.Go(func() { r.scripts[i], errs[i] = loading.Roll(files, entry) })
		}
		work.Wait()
		for i, err := range errs {
			if err != nil && r.err == nil {
				r.err = fmt.Errorf("web: the script %s cannot be made:\n%w", entries[i], err)
			}
		}
		done <- r
	}()
	return done
}

// putScripts waits for the scripts and puts them in the place of their modules. A
// module that had an address of its own too could be there twice in a page, each with
// a state of its own.
func (s *Server) putScripts(done <-chan rolling) error {
	r := <-done
	if r.err != nil {
		return r.err
	}
	for _, script := range r.scripts {
		for _, name := range script.Modules {
			s.assets.Remove(name)
		}
	}
	for _, script := range r.scripts {
		s.assets.Put(script.Name, script.Code)
		s.assets.Put(script.MapName(), script.Map)
	}
	return nil
}
