// Package loading makes of the files that a page would load one by one what it loads
// at once: a style sheet with those that it imports written into it, and a script with
// its modules in it. Found out file by file, level by level, they take as many round
// trips as there are levels, and each module is asked for and compiled by itself.
package loading

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
)

// imported is an @import of a style sheet of ours: one on a line, by name.
var imported = regexp.MustCompile(`(?m)^@import url\("([^"]+)"\);$`)

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
