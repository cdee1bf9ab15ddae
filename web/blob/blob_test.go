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

func TestShelf(t *testing.T) {
	files := fstest.MapFS{
		"css/main.css":   {Data: []byte("a")},
		"dist/README.md": {Data: []byte("not for browsers")},
	}
	s, err := NewShelf(files)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(name string) (*httptest.ResponseRecorder, bool) {
		w := httptest.NewRecorder()
		ok := s.Serve(w, httptest.NewRequest("GET", "/", nil), name)
		return w, ok
	}
	for name, want := range map[string]bool{"css/main.css": true, "dist/README.md": false, "css": false, "../x": false, "0123456789abcdef/css": false} {
		if _, got := ask(name); got != want {
			t.Errorf("Serve(%q) = %v, want %v", name, got, want)
		}
	}
	// Its own version is for ever, and no other.
	link, ok := strings.CutPrefix(s.Link("/assets/", "css/main.css"), "/assets/")
	if !ok || !strings.HasSuffix(link, "/css/main.css") {
		t.Errorf("Link = %q", link)
	}
	for name, want := range map[string]string{link: forever, "0123456789abcdef/css/main.css": revalidate, "css/main.css": revalidate} {
		if w, ok := ask(name); !ok || w.Body.String() != "a" || w.Header().Get("Cache-Control") != want {
			t.Errorf("%s: %q with Cache-Control %q, want %q", name, w.Body, w.Header().Get("Cache-Control"), want)
		}
	}
	other, err := NewShelf(files)
	if err != nil {
		t.Fatal(err)
	}
	other.Put("css/main.css", []byte("b"))
	if other.Link("/", "css/main.css") == s.Link("/", "css/main.css") {
		t.Error("other bytes have the same address")
	}
}
