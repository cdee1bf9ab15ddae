package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"sync"
)

// kinds are the files that a browser loads, by the end of their names. Others
// are not served.
var kinds = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".map":   "application/json",
	".svg":   "image/svg+xml",
	".png":   "image/png",
	".ico":   "image/x-icon",
	".woff2": "font/woff2",
	".txt":   "text/plain; charset=utf-8",
}

// A Shelf is the files of a folder as blobs. Their addresses begin with the version
// of the whole folder, so that what a file names by a relative address, as a module
// does what it imports, is of that version too: a browser keeps all of them for ever,
// and asks for none of them again.
type Shelf struct {
	files   map[string]*Blob // by path
	version func() string
}

// NewShelf lists a folder. Files are read when they are first asked for.
func NewShelf(folder fs.FS) (*Shelf, error) {
	s := &Shelf{files: map[string]*Blob{}}
	s.version = sync.OnceValue(func() string {
		sum := sha256.New()
		for _, name := range slices.Sorted(maps.Keys(s.files)) {
			fmt.Fprintln(sum, name, s.files[name].Version())
		}
		return hex.EncodeToString(sum.Sum(nil)[:8])
	})
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		kind, ok := kinds[path.Ext(name)]
		if !ok {
			return nil
		}
		s.files[name] = New(kind, func() []byte {
			body, err := fs.ReadFile(folder, name)
			if err != nil {
				return nil // an embedded file that was listed can be read
			}
			return body
		})
		return nil
	})
	return s, err
}

// Put puts a file on the shelf, or other bytes in the place of one, before any address is asked for.
func (s *Shelf) Put(name string, body []byte) {
	s.files[name] = New(kinds[path.Ext(name)], func() []byte { return body })
}

// Remove takes a file off the shelf, before any address is asked for.
func (s *Shelf) Remove(name string) { delete(s.files, name) }

// Link returns the address of a file under a prefix such as "/assets/".
func (s *Shelf) Link(prefix, name string) string {
	return prefix + s.version() + "/" + name
}

// anyVersion is what an address may begin with: of this shelf, or of one that a page
// was made for before the program was built anew. Such a page gets the file as it is
// now, as long as it is open.
var anyVersion = regexp.MustCompile(`^[0-9a-f]{16}/`)

// Serve answers with a file, and reports false where there is none.
func (s *Shelf) Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	version := anyVersion.FindString(name)
	b, ok := s.files[name[len(version):]]
	if !ok {
		return false
	}
	keep := revalidate
	if version == s.version()+"/" {
		keep = forever
	}
	b.serve(w, r, http.StatusOK, keep)
	return true
}
