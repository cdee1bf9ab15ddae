package blob

import (
	"io/fs"
	"net/http"
	"path"
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

// A Shelf is the files of a folder as blobs, by their paths.
type Shelf map[string]*Blob

// NewShelf lists a folder. Files are read when they are first asked for.
func NewShelf(folder fs.FS) (Shelf, error) {
	s := Shelf{}
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		kind, ok := kinds[path.Ext(name)]
		if !ok {
			return nil
		}
		s[name] = New(kind, func() []byte {
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

// Link returns the address of a file under a prefix such as "/assets/", with
// its version, or without one if it is not there.
func (s Shelf) Link(prefix, name string) string {
	if b, ok := s[name]; ok {
		return prefix + name + "?v=" + b.Version()
	}
	return prefix + name
}

// Serve answers with a file, and reports false where there is none.
func (s Shelf) Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	b, ok := s[name]
	if ok {
		b.Serve(w, r, http.StatusOK)
	}
	return ok
}
