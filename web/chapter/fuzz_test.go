package chapter

import (
	"html/template"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// FuzzParse reads any chapter. Whatever it holds, nothing panics, every problem
// has a line of the file, the HTML runs no script and leads nowhere that a chapter
// may not lead, and notes are where they say.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "---", "---\n---\n", front, front + "text",
		front + "## A {#b}\n\ntext $a$ and $$b$$ {#c}\n\n$$\nx\n$$\n",
		front + widget,
		front + "```reduction r\ninput: [[1, 2], [3, 4]]\naxis: 1\n```\n",
		front + "```view v\ninput: [[1, 2], [3, 4]]\nops: [{op: transpose}, {op: slice, axis: 0, stop: 1}]\n```\n",
		front + "```decoder d\ntext: ab\nseed: 39\n```\n",
		front + "```comparison c\ndevices: [cpu, \"cpu,fused\"]\ntext: \"</script>\"\n```\n",
		front + "```quote q\nfile: a/b.go\nregion: r\n```\n",
		front + "```math\n\\frac{1}{2}\n```\n",
		front + "- ```product p\n  left: [[1]]\n  right: [[.nan]]\n  ```\n",
		front + "[a](javascript:x) <b onclick=x> ![i](grid.svg) [c]: /chapters/x#y\n\n|a|\n|:-:|\n|b|\n",
		"---\ntitle: &a x\nsummary: *a\noutcomes: [$a$, '`b`']\nsources: [{title: t, url: 'https://e.org'}]\nquestions: [{ask: a, answer: b, where: '#c'}]\n---\n",
		withNotes(),
		front + "```notes\n- minutes: 3\n- {step: 1, ask: a, choices: [a, b], answer: b, cell: [0, 0, 0]}\n```\n",
		front + "- a\n\n  ```notes x\n  - say: '<b> [a](b) {#c}'\n  ```\n[a]: b\n",
		front + "$5 and $6 <!-- -->\n\n<div>\n</div>\n\n    indented\n\n# One\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		c := read(t, source)
		lines := 1 + strings.Count(strings.ReplaceAll(source, "\r\n", "\n"), "\n") + strings.Count(strings.ReplaceAll(source, "\r\n", ""), "\r")
		for _, p := range c.Problems {
			if p.Line < 0 || p.Line > lines {
				t.Errorf("a file of %d lines has a problem at %d: %v", lines, p.Line, p)
			}
			if p.Reason == "" {
				t.Errorf("a problem without a reason: %v", p)
			}
		}
		page := string(c.HTML())
		for _, field := range slices.Concat(c.Front.Outcomes, questionsHTML(c)) {
			page += string(field)
		}
		page += string(c.Front.Summary)
		for _, n := range c.Notes {
			page += string(n.HTML)
		}
		checkHTML(t, page)
		_ = holdPlaces(t, c) // a page that cannot be read back says nothing of places
	})
}

func questionsHTML(c *Chapter) []template.HTML {
	var all []template.HTML
	for _, q := range c.Front.Questions {
		all = append(all, q.Ask, q.Answer)
	}
	for _, s := range c.Front.Sources {
		all = append(all, s.Title, s.Note)
	}
	return all
}

// checkHTML holds a page against what the security policy and a reader's trust
// allow.
func checkHTML(t *testing.T, page string) {
	t.Helper()
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		token := tokens.Token()
		attribute := func(name string) string {
			for _, a := range token.Attr {
				if a.Key == name {
					return a.Val
				}
			}
			return ""
		}
		switch token.Data {
		case "script":
			if attribute("type") != "application/json" {
				t.Errorf("a script that runs: %s", token)
			}
		case "iframe", "object", "embed", "style", "form", "base", "link", "meta":
			t.Errorf("an element that no chapter has: %s", token)
		}
		for _, a := range token.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("an attribute that the policy forbids: %s", token)
			}
			if a.Key == "href" || a.Key == "src" {
				good := a.Val == "" || a.Val == "/"
				for _, start := range []string{"#", "?", "/chapters/", "/api/", "http://", "https://", "mailto:"} {
					good = good || strings.HasPrefix(strings.ToLower(a.Val), start)
				}
				if !good {
					t.Errorf("a link to somewhere else: %s", token)
				}
			}
		}
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("prodct", "product")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		d := editDistance(a, b)
		if back := editDistance(b, a); back != d {
			t.Errorf("from %q to %q are %d edits, and back %d", a, b, d, back)
		}
		if len(a) <= 32 && len(b) <= 32 && (d == 0) != (a == b) {
			t.Errorf("from %q to %q are %d edits", a, b, d)
		}
	})
}

func TestNearest(t *testing.T) {
	list := []string{"product", "reduction", "view", "math"}
	for word, want := range map[string]string{
		"product": "product", "prodcut": "product", "products": "product", "poduct": "product", "reductoin": "reduction",
		"veiw": "view", "vew": "view", "maths": "math", "path": "math",
		"prod": "", "x": "", "": "", "code": "", "matrix": "",
	} {
		if got := nearest(word, list); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
