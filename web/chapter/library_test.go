package chapter

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"workbench/web/quote"
	"workbench/web/run/runtest"
)

const widget = "\n```product by-hand\nleft: [[1]]\nright: [[1]]\n```\n"

// course makes a folder of chapters from their texts after front.
func course(texts map[string]string) fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range texts {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func load(t testing.TB, files fstest.MapFS, previous *Library) *Library {
	t.Helper()
	lib, err := Shelf{FS: files, Name: "chapters", Quotes: []fs.FS{files}, Runner: &runtest.Runner{}}.Load(t.Context(), previous)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

func TestLibraryOrder(t *testing.T) {
	lib := load(t, course(map[string]string{
		"10-ten/chapter.md": front, "2-two/chapter.md": front, "01-one/chapter.md": front,
		"quotes/x.txt": "", "03-empty/notes.md": "", ".git/chapter.md": "", "README.md": "",
	}), nil)
	var slugs []string
	for _, c := range lib.Chapters {
		slugs = append(slugs, c.Slug)
	}
	if got := fmt.Sprint(slugs); got != "[01-one 2-two 10-ten]" {
		t.Errorf("order is %s", got)
	}
	if err := lib.Err(); err != nil {
		t.Error(err)
	}
}

func TestLibraryFollowsLinks(t *testing.T) {
	const both = "\n```comparison both\ndevices: [cpu, \"cpu,fused\"]\ntext: ab\n```\n"
	for name, test := range map[string]struct{ link, want string }{
		"chapter":           {"/chapters/02-two", ""},
		"heading":           {"/chapters/02-two#there", ""},
		"own heading":       {"#here", ""},
		"own widget":        {"?widget=by-hand&step=4&cell=0,0,0&device=cpu,fused#by-hand", ""},
		"widget":            {"/chapters/02-two?widget=by-hand&step=0#by-hand", ""},
		"no chapter":        {"/chapters/03-three", "there is no chapter 03-three"},
		"no heading":        {"/chapters/02-two#ther", "nothing in 02-two is named ther: did you mean #there?"},
		"no own heading":    {"#there", "nothing in 01-one is named there: did you mean #here?"},
		"no widget":         {"/chapters/02-two?widget=x", "02-two has no widget \"x\""},
		"step past the end": {"/chapters/02-two?widget=by-hand&step=5#by-hand", "step 5 is past the end of by-hand: its steps run from 0 to 4"},
		"step":              {"?widget=by-hand&step=-1#by-hand", "step \"-1\" is not a whole number"},
		"cell":              {"?widget=by-hand&cell=0,1#by-hand", "cell \"0,1\" is not matrix,row,column"},
		"device":            {"?widget=by-hand&device=gpu#by-hand", "is not a device"},
		"devices":           {"?widget=both&device=cpu,fused+cpu#both", ""},
		"one device":        {"?widget=both&device=cpu#both", "is not two devices"},
		"a wrong device":    {"?widget=both&device=cpu+gpu#both", "is not a device"},
		"unknown key":       {"?widget=by-hand&stepp=1#by-hand", "stepp is no part of a link"},
	} {
		t.Run(name, func(t *testing.T) {
			lib := load(t, course(map[string]string{
				"01-one/chapter.md": front + "## Here\n\n[x](" + test.link + ")\n" + widget + both,
				"02-two/chapter.md": front + "## There\n" + widget,
			}), nil)
			err := lib.Err()
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), "chapters/01-one/chapter.md:8: the link") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want %s at line 8", err, test.want)
			}
		})
	}
}

func TestLibraryFindsDoubles(t *testing.T) {
	lib := load(t, course(map[string]string{"01-one/chapter.md": front, "01-two/chapter.md": front}), nil)
	if err := lib.Err(); err == nil || !strings.Contains(err.Error(), "chapters/01-two/chapter.md: has the same number as chapters/01-one/chapter.md") {
		t.Errorf("two chapters of one number: %v", err)
	}
	lib = load(t, course(map[string]string{"A/chapter.md": front, "a/chapter.md": front}), nil)
	if err := lib.Err(); err == nil || !strings.Contains(err.Error(), "has the same address as") {
		t.Errorf("two chapters of one address: %v", err)
	}
}

// A chapter is read again when its text, a quote or a picture has changed, and
// not otherwise.
func TestLibraryKeepsWhatIsUnchanged(t *testing.T) {
	extract := func(code string) string {
		return string(quote.Extract{File: "a.go", Region: "r", Line: 1, Code: code}.Format())
	}
	files := course(map[string]string{
		"01-text/chapter.md":    front + "text",
		"02-quote/chapter.md":   front + "```quote\nfile: a.go\nregion: r\n```\n",
		"03-picture/chapter.md": front + "![x](x.svg)\n",
		"quotes/a.go-r.txt":     extract("before\n"),
	})
	first := load(t, files, nil)
	kept := func(lib *Library) string {
		var same []string
		for _, c := range lib.Chapters {
			if c == first.Chapter(c.Slug) {
				same = append(same, c.Slug)
			}
		}
		return fmt.Sprint(same)
	}
	if got := kept(load(t, files, first)); got != "[01-text 02-quote 03-picture]" {
		t.Errorf("with nothing changed, kept %s", got)
	}
	files["01-text/chapter.md"].Data = []byte(front + "other")
	if got := kept(load(t, files, first)); got != "[02-quote 03-picture]" {
		t.Errorf("with one text changed, kept %s", got)
	}
	files["quotes/a.go-r.txt"].Data = []byte(extract("after\n"))
	if got := kept(load(t, files, first)); got != "[03-picture]" {
		t.Errorf("with a quote changed too, kept %s", got)
	}
	files["03-picture/x.svg"] = &fstest.MapFile{}
	if got := kept(load(t, files, first)); got != "[]" {
		t.Errorf("with a picture come too, kept %s", got)
	}
	if err := load(t, files, first).Err(); err != nil {
		t.Error(err)
	}
}

func TestLibraryHoldsExtractsToTheirNames(t *testing.T) {
	lib := load(t, course(map[string]string{
		"01-one/chapter.md": front + "```quote\nfile: a.go\nregion: r\n```\n",
		"quotes/a.go-r.txt": string(quote.Extract{File: "b.go", Region: "r", Line: 1, Code: "x\n"}.Format()),
	}), nil)
	if err := lib.Err(); err == nil || !strings.Contains(err.Error(), "it is of b.go, region r") {
		t.Errorf("an extract of another file: %v", err)
	}
	lib = load(t, course(map[string]string{"01-one/chapter.md": front + "```quote\nfile: ../../etc/passwd\nregion: r\n```\n"}), nil)
	if err := lib.Err(); err == nil || !strings.Contains(err.Error(), "is not a path from the root of the repository") {
		t.Errorf("a path out of the repository: %v", err)
	}
}
