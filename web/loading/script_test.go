package loading

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"workbench/assets"
)

func TestRoll(t *testing.T) {
	files := fstest.MapFS{
		"js/main.js":         {Data: []byte("import { told } from './part/a.js';\nimport('./part/later.js').then(({ later }) => later(told));\n")},
		"js/part/a.js":       {Data: []byte("import { count } from '../model/count.js';\nexport const told = `told ${count()}`;\nconst never = 'nobody asks for this';\n")},
		"js/part/later.js":   {Data: []byte("import { count } from '../model/count.js';\nexport const later = (said) => import(new URL(said + count(), import.meta.url).href);\n")},
		"js/model/count.js":  {Data: []byte("let so_far = 41;\nexport const count = () => ++so_far;\n")},
		"js/model/unused.js": {Data: []byte("let a = ;\n")},
	}
	s, err := Roll(files, "js/main.js")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"js/main.js", "js/model/count.js", "js/part/a.js", "js/part/later.js"}; !slices.Equal(s.Modules, want) {
		t.Errorf("it is of %q, want %q", s.Modules, want)
	}
	code := string(s.Code)
	for text, times := range map[string]int{
		"=41":                                  1, // a module's state is there once
		"told ":                                1,
		"nobody":                               0,
		"import.meta.url":                      1, // is the script's own address
		"import(":                              1, // of what is found out later; all others are here
		"from":                                 0,
		"\n//# sourceMappingURL=main.js.map\n": 1,
	} {
		if got := strings.Count(code, text); got != times {
			t.Errorf("%q is in it %d times, want %d:\n%s", text, got, times, code)
		}
	}
	var lines struct {
		Root     string   `json:"sourceRoot"`
		Names    []string `json:"sources"`
		Contents []string `json:"sourcesContent"`
		Mappings string   `json:"mappings"`
	}
	if err := json.Unmarshal(s.Map, &lines); err != nil || lines.Root != "/modules/" || lines.Mappings == "" || s.MapName() != "js/main.js.map" {
		t.Fatalf("%s: %v\n%s", s.MapName(), err, s.Map)
	}
	for i, name := range lines.Names {
		if f := files[name]; f == nil || lines.Contents[i] != string(f.Data) {
			t.Errorf("as %s a browser's tools show %q", name, lines.Contents[i])
		}
	}
	if slices.Sort(lines.Names); !slices.Equal(lines.Names, s.Modules) {
		t.Errorf("a browser's tools show %q", lines.Names)
	}
}

func TestRollSaysWhatIsWrongAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		"\nlet a = ;":                              `js/part/a.js:2:9: Unexpected ";"`,
		"import './none.js';":                      `js/part/a.js:1:8: there is no module js/part/none.js`,
		"import '../../../etc/hosts';":             `js/part/a.js:1:8: there is no module ../etc/hosts`,
		"import '../part';":                        `js/part/a.js:1:8: there is no module js/part`,
		"import 'echarts';":                        `js/part/a.js:1:8: "echarts" is no relative address`,
		"import '/assets/js/main.js';":             `js/part/a.js:1:8: "/assets/js/main.js" is no relative address`,
		"import { b } from './b.js';\nb();":        `js/part/a.js:1:10: No matching export in "js/part/b.js" for import "b"`,
		"console.log({ a: 1, a: 2 });":             `js/part/a.js:1:21: Duplicate key "a"`,
		"import './none.js';\nimport './lost.js';": "js/part/none.js\njs/part/a.js:2:8: ",
	} {
		files := fstest.MapFS{
			"js/main.js":   {Data: []byte("import './part/a.js';\n")},
			"js/part/a.js": {Data: []byte(text)},
			"js/part/b.js": {Data: []byte("export const c = 1;\n")},
		}
		s, err := Roll(files, "js/main.js")
		var wrong *ScriptError
		if s != nil || !errors.As(err, &wrong) || wrong.Entry != "js/main.js" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Roll(fstest.MapFS{}, "js/main.js"); err == nil || err.Error() != "there is no module js/main.js" {
		t.Errorf("without any: %v", err)
	}
	var many bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&many, "import './none-%d.js';\n", i)
	}
	if _, err := Roll(fstest.MapFS{"js/main.js": {Data: many.Bytes()}}, "js/main.js"); err == nil || strings.Count(err.Error(), "\n") != mostProblems-1 {
		t.Errorf("of a thousand mistakes: %v", err)
	}
}

// TestEveryElementHasItsModule holds the list in main.js to the modules that define
// elements: one that it does not name would never live.
func TestEveryElementHasItsModule(t *testing.T) {
	body, err := fs.ReadFile(assets.FS, "js/main.js")
	if err != nil {
		t.Fatal(err)
	}
	var listed, defined []string
	for _, found := range regexp.MustCompile(`(?m)^\s*'(wb-[a-z]+)': \(\) => import\('\.(/[^']+)'\),$`).FindAllSubmatch(body, -1) {
		listed = append(listed, string(found[1])+" in js"+string(found[2]))
	}
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
			defined = append(defined, string(found[1])+" in "+name)
		}
	}
	slices.Sort(listed)
	slices.Sort(defined)
	if len(defined) == 0 || !slices.Equal(listed, defined) {
		t.Errorf("main.js names\n%q, and defined are\n%q", listed, defined)
	}
}

// TestOwnScripts holds scripts to a size, which a class loads over one radio, and finds
// modules that no page has.
func TestOwnScripts(t *testing.T) {
	loaded := map[string]bool{"js/theme-early.js": true, "js/enter.js": true} // which pages have by themselves
	for entry, limit := range map[string]int{"js/main.js": 104 << 10, "js/desk.js": 24 << 10} {
		s, err := Roll(assets.FS, entry)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range s.Modules {
			loaded[name] = true
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Write(s.Code) // into memory
		w.Close()
		t.Logf("%s: %d modules, %d bytes, %d gzipped of %d", entry, len(s.Modules), len(s.Code), packed.Len(), limit)
		if packed.Len() > limit {
			t.Errorf("%s has %d bytes gzipped, and may have %d", entry, packed.Len(), limit)
		}
	}
	found := 0
	err := fs.WalkDir(assets.FS, "js", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".js" {
			found++
			if !loaded[name] {
				t.Errorf("no page loads %s", name)
			}
		}
		return err
	})
	if err != nil || found < 60 {
		t.Errorf("%d modules were found: %v", found, err)
	}
}
