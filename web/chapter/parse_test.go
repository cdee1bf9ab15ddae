package chapter

import (
	"errors"
	"strings"
	"testing"

	"workbench/web/quote"
	"workbench/web/run/runtest"
)

// front is good front matter of five lines.
const front = "---\ntitle: A title\nsummary: A summary.\noutcomes: [one]\n---\n"

// read parses and runs a chapter's source in the folder 01-test.
func read(t testing.TB, source string) *Chapter {
	t.Helper()
	c := Parse(Text{
		File: "01-test/chapter.md", Folder: "01-test", Body: []byte(source),
		Quote: func(file, region string) (quote.Extract, error) {
			if file != "a/b.go" || region != "r" {
				return quote.Extract{}, errors.New("region " + region + " of " + file + " is not extracted")
			}
			return quote.Extract{File: file, Region: region, Line: 7, Code: "func f() {\n\treturn \"<b>\"\n}\n"}, nil
		},
		HasFile: func(name string) bool { return name == "grid.svg" },
	})
	c.Run(t.Context(), &runtest.Runner{})
	return c
}

// Every mistake is named by file, line and field. Sources start after the five
// lines of front, so the first line of a source is line 6.
func TestProblems(t *testing.T) {
	fence := func(word, body string) string { return "text\n\n```" + word + "\n" + body + "\n```\n" }
	for name, test := range map[string]struct {
		source string
		want   string // line and start of the first problem
		count  int    // of problems; 1 if 0
	}{
		"misspelt word":       {source: fence("prodct x", "left: [[1]]"), want: "8: prodct: is no kind of widget: did you mean product?"},
		"misspelt quote":      {source: fence("qoute", "x"), want: "8: qoute: is no kind of widget: did you mean quote?"},
		"capital":             {source: fence("Decoder x", ""), want: "8: Decoder: is no kind of widget: did you mean decoder?"},
		"unknown with a name": {source: fence("timeline my-widget", ""), want: "8: timeline: is no kind of widget: the kinds are product"},
		"no name":             {source: fence("product", "left: [[1]]\nright: [[1]]"), want: "8: product: needs a name"},
		"bad name":            {source: fence("product Mine", "left: [[1]]\nright: [[1]]"), want: "8: product: the name \"Mine\""},
		"two names":           {source: fence("product a b", "left: [[1]]\nright: [[1]]"), want: "8: product: has more than a name after it: write ```product a-b"},
		"missing field":       {source: fence("product x", "left: [[1, 2]]"), want: "8: right: is missing"},
		"unknown field":       {source: fence("product x", "left: [[1]]\nright: [[1]]\nrigth: [[1]]"), want: "11: rigth: is not a field"},
		"ragged matrix":       {source: fence("product x", "right: [[1]]\nleft:\n  - [1, 2]\n  - [3]"), want: "11: left: row 1"},
		"shape":               {source: fence("product x", "left: [[1, 2]]\nright: [[1, 2]]"), want: "10: right: matmul [1, 2] and [1, 2]"},
		"deep field":          {source: fence("view x", "input: [[1]]\nops:\n  - op: transpose\n  - op: slice\n    axis: 7"), want: "13: ops[1].axis: 7 is not an axis"},
		"empty mean":          {source: fence("reduction x", "input: {shape: [2, 0], values: []}\naxis: 1"), want: "10: axis: mean"},
		"not YAML":            {source: fence("product x", "left: [[1, 2\nright: [[1]]"), want: "9: is not YAML"},
		"tab":                 {source: fence("product x", "left:\n\t- [1]\nright: [[1]]"), want: "10: is not YAML: tabs are not allowed: indent with spaces"},
		"tab before a key":    {source: fence("product x", "left: [[1]]\n\tright: [[1]]"), want: "10: is not YAML: tabs are not allowed"},
		"colon in a value":    {source: fence("product x", "left: [[1]]\nright: [[1]]\ncaption: a: b"), want: "11: is not YAML: a colon stands where none can"},
		"after a quote":       {source: fence("product x", "left: [[1]]\nright: [[1]]\ncaption: \"a\" b"), want: "11: is not YAML: a key must come next"},
		"no colon":            {source: fence("product x", "left [[1]]\nright: [[1]]"), want: "9: is not YAML: this is no key"},
		"at sign":             {source: fence("product x", "left: [[1]]\ncaption: @me"), want: "10: is not YAML: a value cannot start with @"},
		"open quote":          {source: fence("product x", "left: [[1]]\ncaption: 'me"), want: "10: is not YAML: a quote is not closed"},
		"never closed":        {source: "text\n\n```product x\nleft: [[1]]\nright: [[1]]\n\nmore text\n", want: "8: product: the fence of line 8 is not closed: end it with a line ```"},
		"closed by the next":  {source: "~~~~product x\nleft: [[1]]\n\n~~~~product y\nleft: [[1]]\nright: [[1]]\n~~~~\n", want: "6: product: the fence of line 6 is not closed: end it with a line ~~~~"},
		"empty and open":      {source: "```product x", want: "6: product: the fence of line 6 is not closed"},
		"no mapping":          {source: fence("product x", "- 1"), want: "9: must be a list of keys"},
		"key twice":           {source: fence("product x", "left: [[1]]\nleft: [[2]]\nright: [[1]]"), want: "10: left: is given twice"},
		"anchor":              {source: fence("product x", "left: &a [[1]]\nright: *a"), want: "9: left: uses a YAML anchor"},
		"own tag":             {source: fence("product x", "left: !mine [[1]]\nright: !!binary aGk="), want: "10: right: has the YAML tag !!binary"},
		"device":              {source: fence("product x", "device: gpu\nleft: [[1]]\nright: [[1]]"), want: "9: device: \"gpu\" is not a device"},
		"device with a comma": {source: fence("product x", "device: [cpu, fused]\nleft: [[1]]\nright: [[1]]"), want: "9: device: must be one device"},
		"step is no number":   {source: fence("product x", "step: two\nleft: [[1]]\nright: [[1]]"), want: "9: step: must be a whole number"},
		"step past the end":   {source: fence("product x", "left: [[1]]\nright: [[1]]\nstep: 5"), want: "11: step: 5 is past the end: the steps run from 0 to 4"},
		"cell of two":         {source: fence("product x", "left: [[1]]\nright: [[1]]\ncell: [0, 1]"), want: "11: cell: must be three numbers"},
		"cell negative":       {source: fence("product x", "left: [[1]]\nright: [[1]]\ncell: [0, -1, 0]"), want: "11: cell[1]: must be a whole number"},
		"cell outside":        {source: fence("product x", "left: [[1]]\nright: [[1]]\ncell: [0, 2, 0]"), want: "11: cell: [0, 2, 0] lies outside"},
		"empty caption":       {source: fence("product x", "left: [[1]]\nright: [[1]]\ncaption: ''"), want: "11: caption: is empty"},
		"one device":          {source: fence("comparison x", "text: ab\ndevices: [cpu]"), want: "10: devices: must be two devices"},
		"no devices":          {source: fence("comparison x", "text: ab"), want: "8: devices: must be two devices"},
		"second device":       {source: fence("comparison x", "devices: [cpu, gpu]"), want: "9: devices[1]: \"gpu\" is not a device"},
		"decoder text":        {source: fence("decoder x", "text: 12"), want: "9: text:"},
		"quote of nothing":    {source: fence("quote", "file: a/b.go\nregion: s"), want: "9: file: region s of a/b.go is not extracted"},
		"quote without":       {source: fence("quote", "file: a/b.go"), want: "9: region: is missing"},
		"quote unknown key":   {source: fence("quote", "file: a/b.go\nregion: r\nlines: 3"), want: "11: lines: is not a key here"},
		"empty formula":       {source: fence("math", ""), want: "8: math: is empty"},
		"open formula":        {source: "text\n\n$$\na = b\n", want: "8: math: the formula that starts here has no end"},
		"first heading":       {source: "# Title\n", want: "6: a heading of the first level"},
		"name twice":          {source: "## A {#x}\n\ntext {#x}\n", want: "8: the name x is taken"},
		"reserved name":       {source: "## A {#questions}\n", want: "6: the name questions is taken"},
		"widget name twice":   {source: fence("product x", "left: [[1]]\nright: [[1]]") + "\n## B {#x}\n", want: "13: the name x is taken"},
		"bad address":         {source: "## A {#Big}\n", want: "6: \"Big\" cannot be an address"},
		"HTML block":          {source: "text\n\n<div style=\"x\">\n\nmore\n", want: "8: HTML is not shown"},
		"HTML inline":         {source: "one <b>two</b>\n", want: "6: HTML is not shown", count: 2},
		"script link":         {source: "[x](javascript:alert(1))\n", want: "6: the link \"javascript:alert(1)\" leads nowhere"},
		"relative link":       {source: "text\n[x](../02-two/chapter.md)\n", want: "7: the link \"../02-two/chapter.md\" leads nowhere"},
		"automatic link":      {source: "<ftp://example.org/>\n", want: "6: the link \"ftp://example.org/\""},
		"picture elsewhere":   {source: "![x](https://example.org/x.svg)\n", want: "6: the picture \"https://example.org/x.svg\": put"},
		"picture missing":     {source: "![x](none.svg)\n", want: "6: the picture \"none.svg\" is not in the chapter's folder"},
		"picture unseen":      {source: "![](grid.svg)\n", want: "6: the picture \"grid.svg\" needs a description"},
		"not UTF-8":           {source: "text\nmore \xff\n", want: "7: is not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			c := read(t, front+test.source)
			if len(c.Problems) != max(test.count, 1) {
				t.Errorf("%d problems: %v", len(c.Problems), c.Problems)
			}
			if len(c.Problems) > 0 && !strings.Contains(c.Problems[0].Error(), "01-test/chapter.md:"+test.want) {
				t.Errorf("problem is\n\t%s\nwant\n\t01-test/chapter.md:%s", c.Problems[0], test.want)
			}
		})
	}
}

// A fence that cannot be shown keeps its name: a link or a question that leads
// there is no second mistake.
func TestBrokenFenceKeepsItsName(t *testing.T) {
	const ask = "---\ntitle: x\nsummary: s\noutcomes: [o]\nquestions:\n  - ask: why?\n    answer: so\n    where: '#by-hand'\n---\n\n[there](?widget=by-hand&step=1#by-hand)\n\n"
	for name, source := range map[string]string{
		"not YAML":     "```product by-hand\nleft: [[1\n```\n",
		"bad step":     "```product by-hand\nleft: [[1]]\nright: [[1]]\nstep: two\n```\n",
		"past the end": "```product by-hand\nleft: [[1]]\nright: [[1]]\nstep: 99\n```\n",
		"bad input":    "```product by-hand\nleft: [[1]]\nright: [[1, 2], [3]]\n```\n",
		"unknown word": "```prodct by-hand\nleft: [[1]]\n```\n",
		"not closed":   "```product by-hand\nleft: [[1]]\n",
		"no quote":     "```quote by-hand\nfile: none.go\nregion: r\n```\n",
		"two devices":  "```comparison by-hand\ndevices: [cpu]\n```\n",
	} {
		t.Run(name, func(t *testing.T) {
			err := load(t, course(map[string]string{"01-one/chapter.md": ask + source}), nil).Err()
			if err == nil || strings.Count(err.Error(), "\n") != 0 || strings.Contains(err.Error(), "nothing in") {
				t.Errorf("problems are\n%v\nwant the fence's alone", err)
			}
			c := read(t, ask+source)
			if html := string(c.HTML()); !strings.Contains(html, `class="author-error" id="by-hand"`) {
				t.Errorf("the name leads nowhere on the page:\n%s", html)
			}
		})
	}
}

// Fences of other languages are code, whatever follows the language.
func TestCodeIsCode(t *testing.T) {
	for _, info := range []string{"go", "text", "", "cuda", "c", "kotlin", "diff", "go title=x", "none"} {
		c := read(t, front+"```"+info+"\nleft: x <y>\n```\n")
		if len(c.Problems) != 0 {
			t.Errorf("```%s: %v", info, c.Problems)
		}
		if !strings.Contains(string(c.HTML()), "left: x &lt;y&gt;") {
			t.Errorf("```%s: %s", info, c.HTML())
		}
	}
}

func TestFrontMatterProblems(t *testing.T) {
	const rest = "summary: s\noutcomes: [o]\n"
	for name, test := range map[string]struct{ source, want string }{
		"none":             {"## Text\n", ":1: must start with front matter"},
		"never ends":       {"---\ntitle: x\n", ":1: the front matter is not closed: end it with a line ---"},
		"not YAML":         {"---\ntitle: [x\n---\n", ":2: is not YAML"},
		"no title":         {"---\n" + rest + "---\n", ":2: title: is missing"},
		"empty title":      {"---\ntitle:\n" + rest + "---\n", ":2: title: is empty"},
		"title is a list":  {"---\n" + rest + "title: [x]\n---\n", ":4: title: must be text"},
		"no colon":         {"---\ntitle x\nsummary: s\n---\n", ":2: is not YAML: this is no key"},
		"open bracket":     {"---\ntitle: x\n" + rest + "sources: [a\n---\n", ":5: is not YAML: a bracket or a brace is not closed"},
		"tab":              {"---\ntitle: x\nsummary:\n\ts\n---\n", ":4: is not YAML: tabs are not allowed"},
		"misspelt key":     {"---\ntitle: x\nsumary: s\n" + rest + "---\n", ":3: sumary: is not a key here: did you mean summary?"},
		"outcomes is text": {"---\ntitle: x\nsummary: s\noutcomes: o\n---\n", ":4: outcomes: must be a list"},
		"address":          {"---\ntitle: x\n" + rest + "sources:\n  - title: y\n    url: example.org\n---\n", ":7: sources[0].url: \"example.org\" is not a web address"},
		"script address":   {"---\ntitle: x\n" + rest + "sources:\n  - title: y\n    url: javascript:x\n---\n", ":7: sources[0].url"},
		"source is text":   {"---\ntitle: x\n" + rest + "sources: [y]\n---\n", ":5: sources[0]: must have the keys title, url, note"},
		"no answer":        {"---\ntitle: x\n" + rest + "questions:\n  - ask: why?\n    where: '#a'\n---\n## A\n", ":6: questions[0].answer: is missing"},
		"where to":         {"---\ntitle: x\n" + rest + "questions:\n  - ask: why?\n    answer: so\n    where: a\n---\n## A\n", ":8: questions[0].where: \"a\" must start with #"},
		"nowhere":          {"---\ntitle: x\n" + rest + "questions:\n  - ask: why?\n    answer: so\n    where: '#first-part'\n---\n## First paart\n", ":8: questions[0].where: nothing in 01-test is named first-part: did you mean #first-paart?"},
		"heading in field": {"---\ntitle: x\n" + rest + "questions:\n  - ask: why?\n    answer: |\n      ## No\n    where: '#a'\n---\n## A\n", ":7: a heading cannot stand in the front matter"},
		"widget in field":  {"---\ntitle: x\n" + rest + "questions:\n  - ask: why?\n    answer: |\n      ```product a\n      ```\n    where: '#a'\n---\n## A\n", ":7: product: cannot stand in the front matter"},
		"two paragraphs":   {"---\ntitle: x\nsummary: |\n  one\n\n  two\noutcomes: [o]\n---\n", ":3: must be one paragraph"},
		"HTML in field":    {"---\ntitle: x\nsummary: a <b>\noutcomes: [o]\n---\n", ":3: HTML is not shown"},
	} {
		t.Run(name, func(t *testing.T) {
			c := read(t, test.source)
			if len(c.Problems) == 0 || !strings.Contains(c.Problems[0].Error(), "01-test/chapter.md"+test.want) {
				t.Errorf("problems are\n\t%v\nwant first\n\t01-test/chapter.md%s", c.Problems, test.want)
			}
		})
	}
}

func TestFolderName(t *testing.T) {
	for folder, want := range map[string]struct {
		slug   string
		number int
		good   bool
	}{
		"01-one":    {"01-one", 1, true},
		"112-a-b":   {"112-a-b", 112, true},
		"one":       {"one", 0, false},
		"01_Größe!": {"01-gr-e", 0, false},
		"..":        {"section", 0, false},
	} {
		c := Parse(Text{File: "f", Folder: folder, Body: []byte(front)})
		if c.Slug != want.slug || c.Number != want.number || (len(c.Problems) == 0) != want.good {
			t.Errorf("%s: slug %q, number %d, problems %v", folder, c.Slug, c.Number, c.Problems)
		}
	}
}

// What stands on Windows' line ends, or behind a byte-order mark, is the same.
func TestLineEnds(t *testing.T) {
	source := front + "## A\n\n```product x\nleft: [[1]]\n```\n"
	want := read(t, source)
	got := read(t, "\uFEFF"+strings.ReplaceAll(source, "\n", "\r\n"))
	if got.HTML() != want.HTML() || got.Problems.Error() != want.Problems.Error() {
		t.Errorf("with \\r\\n:\n%s\n%v\nwant\n%s\n%v", got.HTML(), got.Problems, want.HTML(), want.Problems)
	}
}
