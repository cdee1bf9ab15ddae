package loading

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"workbench/assets"
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

func TestModules(t *testing.T) {
	files := fstest.MapFS{
		"js/main.js":   {Data: []byte("import { a } from './part/a.js';\nconst examples = {\n  'wb-one': () => import('./one.js'),\n  'wb-two': () => import('./two.js'),\n};\n")},
		"js/part/a.js": {Data: []byte("/** @type {import('./none.js').X} */\nimport {\n  b,\n  c,\n} from './b.js';\n")},
		"js/part/b.js": {Data: []byte("export const b = 1;\nconst later = () => import('./later.js');\n")},
		"js/one.js":    {Data: []byte("import './part/b.js';\nexport * from './part/c.js';\n")},
		"js/two.js":    {Data: []byte("import { one } from './one.js';\n")},
		"js/part/c.js": {Data: []byte("import '../one.js';\n")},
	}
	m, err := Read(files, "js/main.js")
	if err != nil {
		t.Fatal(err)
	}
	for elements, want := range map[string]string{
		"":              "js/main.js js/part/a.js js/part/b.js",
		"wb-one":        "js/main.js js/part/a.js js/part/b.js js/one.js js/part/c.js",
		"wb-none":       "js/main.js js/part/a.js js/part/b.js",
		"wb-two wb-one": "js/main.js js/part/a.js js/part/b.js js/two.js js/one.js js/part/c.js",
	} {
		if got := strings.Join(m.For(strings.Fields(elements)), " "); got != want {
			t.Errorf("with %q: %s, want %s", elements, got, want)
		}
	}
	delete(files, "js/part/c.js")
	if _, err := Read(files, "js/main.js"); err == nil || !strings.Contains(err.Error(), "js/one.js: ") {
		t.Errorf("a module that is not there: %v", err)
	}
}

// TestEveryElementHasItsModule holds the list in main.js to the modules that define
// elements: one that it does not name would never live.
func TestEveryElementHasItsModule(t *testing.T) {
	m, err := Read(assets.FS, "js/main.js")
	if err != nil {
		t.Fatal(err)
	}
	var defined []string
	names, err := fs.Glob(assets.FS, "js/widget/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		body, err := fs.ReadFile(assets.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`customElements\.define\('(wb-[a-z]+)'`).FindAllSubmatch(body, -1) {
			element := string(found[1])
			defined = append(defined, element)
			if modules := m.For([]string{element}); !slices.Contains(modules, name) || !slices.Contains(modules, "js/main.js") {
				t.Errorf("%s is defined in %s, and a page with it loads %q", element, name, modules)
			}
		}
	}
	slices.Sort(defined)
	if got := m.Elements(); !slices.Equal(got, defined) {
		t.Errorf("main.js names %q, and defined are %q", got, defined)
	}
}
