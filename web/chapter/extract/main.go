// Command extract writes the regions that the chapters quote into
// chapters/quotes, and removes extracts that no chapter quotes any more:
//
//	go generate ./chapters
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"workbench/web/chapter"
	"workbench/web/quote"
)

func main() {
	root, err := findRoot()
	if err == nil {
		err = write(root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "extract:", err)
		os.Exit(1)
	}
}

// findRoot returns the folder with go.mod, from the current one upwards.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("there is no go.mod here or above: run it in the repository")
		}
		dir = parent
	}
}

// extracts returns the files of chapters/quotes, by name, as the sources have
// them now.
func extracts(root string) (map[string][]byte, error) {
	sources, err := filepath.Glob(filepath.Join(root, "chapters", "*", "chapter.md"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	var errs []error
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		chapter.Parse(chapter.Text{
			File: source, Folder: filepath.Base(filepath.Dir(source)), Body: text,
			Quote: func(file, region string) (quote.Extract, error) {
				e, err := cut(root, file, region)
				if err != nil {
					errs = append(errs, fmt.Errorf("%s: %w", source, err))
					return e, err
				}
				files[quote.Name(file, region)] = e.Format()
				return e, nil
			},
		})
	}
	return files, errors.Join(errs...)
}

func cut(root, file, region string) (quote.Extract, error) {
	if !quote.Valid(file) {
		return quote.Extract{}, fmt.Errorf("%q is not a path from the root of the repository", file)
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return quote.Extract{}, fmt.Errorf("%s is not in the repository", file)
	}
	return quote.Cut(file, text, region)
}

// write brings chapters/quotes up to date.
func write(root string) error {
	files, err := extracts(root)
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "chapters", quote.Folder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		target := filepath.Join(folder, name)
		if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, text) {
			continue
		}
		if err := os.WriteFile(target, text, 0o644); err != nil {
			return err
		}
	}
	there, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range there {
		if _, ok := files[f.Name()]; !ok && filepath.Ext(f.Name()) == ".txt" {
			if err := os.Remove(filepath.Join(folder, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
