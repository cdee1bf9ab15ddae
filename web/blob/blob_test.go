package blob

import (
	"compress/gzip"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func get(b *Blob, target, encoding, match string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("Accept-Encoding", encoding)
	r.Header.Set("If-None-Match", match)
	w := httptest.NewRecorder()
	b.Serve(w, r, 200)
	return w
}

func TestServe(t *testing.T) {
	text := strings.Repeat("a line of text\n", 200)
	b := New("text/css; charset=utf-8", func() []byte { return []byte(text) })

	plain := get(b, "/x", "", "")
	if plain.Body.String() != text || plain.Header().Get("Content-Encoding") != "" {
		t.Errorf("without gzip: %d bytes, headers %v", plain.Body.Len(), plain.Header())
	}
	packed := get(b, "/x", "br, gzip;q=0.5", "")
	z, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || string(got) != text {
		t.Errorf("gzip reads back as %d bytes, %v", len(got), err)
	}
	if plain.Header().Get("ETag") == packed.Header().Get("ETag") {
		t.Error("two encodings have one tag: a cache would mix them up")
	}
	for _, match := range []string{packed.Header().Get("ETag"), `"other", W/` + packed.Header().Get("ETag"), "*"} {
		if w := get(b, "/x", "gzip", match); w.Code != 304 || w.Body.Len() != 0 {
			t.Errorf("If-None-Match %s: status %d with %d bytes", match, w.Code, w.Body.Len())
		}
	}
	if w := get(b, "/x", "gzip", `"old"`); w.Code != 200 {
		t.Errorf("an old tag: status %d", w.Code)
	}
	if w := get(b, "/x", "gzip;q=0, identity", ""); w.Header().Get("Content-Encoding") != "" {
		t.Error("gzip was sent to a client that refuses it")
	}
}

func TestOnlyItsOwnVersionIsForEver(t *testing.T) {
	b := New("text/css", func() []byte { return []byte("x") })
	for target, want := range map[string]string{
		"/x?v=" + b.Version(): forever,
		"/x?v=0000":           revalidate,
		"/x":                  revalidate,
	} {
		if got := get(b, target, "", "").Header().Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control %q, want %q", target, got, want)
		}
	}
	if New("text/css", func() []byte { return []byte("y") }).Version() == b.Version() {
		t.Error("other bytes have the same version")
	}
}

func TestShelf(t *testing.T) {
	s, err := NewShelf(fstest.MapFS{
		"css/main.css":   {Data: []byte("a")},
		"dist/README.md": {Data: []byte("not for browsers")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"css/main.css": true, "dist/README.md": false, "css": false, "../x": false} {
		w := httptest.NewRecorder()
		if got := s.Serve(w, httptest.NewRequest("GET", "/", nil), name); got != want {
			t.Errorf("Serve(%q) = %v, want %v", name, got, want)
		}
	}
	if got, want := s.Link("/assets/", "css/main.css"), "/assets/css/main.css?v="+s["css/main.css"].Version(); got != want {
		t.Errorf("Link = %q, want %q", got, want)
	}
	if got := s.Link("/assets/", "js/none.js"); got != "/assets/js/none.js" {
		t.Errorf("Link of a missing file = %q", got)
	}
}
