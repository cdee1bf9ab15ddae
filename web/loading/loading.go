// Package loading works out what a page loads from the files themselves, so that a
// browser can ask for all of it at once: a style sheet with those that it imports
// written into it, and the modules that a script will come to import. Found out file
// by file, level by level, it takes as many round trips as there are levels.
package loading

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
)

var (
	// imported is an @import of a style sheet of ours: one on a line, by name.
	imported = regexp.MustCompile(`(?m)^@import url\("([^"]+)"\);$`)
	// static is an import or an export of a module that is loaded before it runs.
	static = regexp.MustCompile(`(?ms)^(?:import|export)\b[^;]*?'(\.[^']+)'`)
	// example is an entry of the list that says which module defines an element.
	example = regexp.MustCompile(`(?m)^\s*'(wb-[a-z]+)': \(\) => import\('(\.[^']+)'\),$`)
)

// Style returns a style sheet with its imports in the places where they stand. They
// lie in one folder, or addresses in them would lead elsewhere.
func Style(files fs.FS, name string) ([]byte, error) {
	body, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	body = imported.ReplaceAllFunc(body, func(line []byte) []byte {
		from := string(imported.FindSubmatch(line)[1])
		if path.Base(from) != from {
			err = fmt.Errorf("%s: it imports %s, which is in another folder", name, from)
			return nil
		}
		part, e := Style(files, path.Join(path.Dir(name), from))
		if e != nil && err == nil {
			err = fmt.Errorf("%s: it imports %s: %w", name, from, e)
		}
		return part
	})
	return body, err
}

// Modules are the scripts of pages.
type Modules struct {
	entry    []string            // the script of every page, and what it imports
	examples map[string][]string // what an element needs beside, by its name
}

// Read reads which modules a script imports, and which it loads for which element.
// More are scripts that its page loads in any case.
func Read(files fs.FS, entry string, more ...string) (*Modules, error) {
	m := &Modules{examples: map[string][]string{}}
	var err error
	for _, name := range append([]string{entry}, more...) {
		if m.entry, err = closure(files, name, m.entry); err != nil {
			return nil, err
		}
	}
	body, err := fs.ReadFile(files, entry)
	if err != nil {
		return nil, err
	}
	for _, found := range example.FindAllSubmatch(body, -1) {
		from := path.Join(path.Dir(entry), string(found[2]))
		if m.examples[string(found[1])], err = closure(files, from, nil); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Elements returns the names of the elements that have a module of their own.
func (m *Modules) Elements() []string {
	var names []string
	for name := range m.examples {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// For returns the modules of a page with the given elements: all that it loads
// before its examples live, each once.
func (m *Modules) For(elements []string) []string {
	all := slices.Clone(m.entry)
	for _, name := range elements {
		for _, one := range m.examples[name] {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}

// closure adds a module and all that it imports before it runs.
func closure(files fs.FS, name string, known []string) ([]string, error) {
	if slices.Contains(known, name) {
		return known, nil
	}
	body, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	known = append(known, name)
	for _, found := range static.FindAllSubmatch(body, -1) {
		if known, err = closure(files, path.Join(path.Dir(name), string(found[1])), known); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return known, nil
}
