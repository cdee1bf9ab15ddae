package loading

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestStyle(t *testing.T) {
	files := fstest.MapFS{
		"css/main.css":   {Data: []byte("/* All. */\n@import url(\"a.css\");\n@import url(\"b.css\");\n")},
		"css/a.css":      {Data: []byte("a{}\n")},
		"css/b.css":      {Data: []byte("@import url(\"c.css\");\nb{}\n")},
		"css/c.css":      {Data: []byte("c{}\n")},
		"css/lost.css":   {Data: []byte("@import url(\"none.css\");\n")},
		"css/abroad.css": {Data: []byte("@import url(\"../other/a.css\");\n")},
	}
	got, err := Style(files, "css/main.css")
	if want := "/* All. */\na{}\n\nc{}\n\nb{}\n\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for name, want := range map[string]string{"css/lost.css": "css/lost.css: it imports none.css", "css/abroad.css": "in another folder"} {
		if _, err := Style(files, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
