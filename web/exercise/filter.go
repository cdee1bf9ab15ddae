package exercise

import (
	"net/url"
	"strconv"
	"strings"

	"workbench/lessons/lesson"
)

// A Filter says which exercises a page lists. The zero value is all of them.
type Filter struct {
	State   string // a value of States
	Kind    string // a value of Kinds
	Chapter int
	Text    string // that is in the title or the ID
}

// Choice is one of the values that a filter's field may have.
type Choice struct{ Value, Words string }

// States and Kinds are what exercises can be chosen by.
var (
	States = []Choice{
		{"open", "not passed yet"}, {"passed", "passed"}, {"failing", "the last check failed"}, {"changed", "changed since the last check"}, {"unchecked", "never checked"},
	}
	Kinds = []Choice{{"go", "Go"}, {"cuda", "CUDA C"}, {"question", "questions"}}
)

var kinds = map[string]lesson.Kind{"go": lesson.KindGo, "cuda": lesson.KindCUDA, "question": lesson.KindQuestion}

// mostWords bounds the text that is looked for, in bytes.
const mostWords = 100

// ReadFilter reads a page's address: ?state=open&kind=cuda&chapter=6&text=guard.
// What it does not know chooses nothing.
func ReadFilter(q url.Values) Filter {
	known := func(choices []Choice, value string) string {
		for _, c := range choices {
			if c.Value == value {
				return value
			}
		}
		return ""
	}
	f := Filter{State: known(States, q.Get("state")), Kind: known(Kinds, q.Get("kind")), Text: line(q.Get("text"))}
	if len(f.Text) > mostWords {
		f.Text = ""
	}
	if n, err := strconv.Atoi(q.Get("chapter")); err == nil && n > 0 {
		f.Chapter = n
	}
	return f
}

// All says whether everything is listed.
func (f Filter) All() bool { return f == Filter{} }

// Choose returns the groups of a book with the exercises that fit. Counts stay
// those of whole chapters.
func (f Filter) Choose(b *Book) []*Group {
	var out []*Group
	for _, g := range b.Groups {
		chosen := *g
		chosen.Entries = nil
		for _, e := range g.Entries {
			if f.fits(e) {
				chosen.Entries = append(chosen.Entries, e)
			}
		}
		if len(chosen.Entries) > 0 {
			out = append(out, &chosen)
		}
	}
	return out
}

func (f Filter) fits(e *Entry) bool {
	if f.Chapter > 0 && f.Chapter != e.Chapter || f.Kind != "" && kinds[f.Kind] != e.Kind {
		return false
	}
	for word := range strings.FieldsSeq(strings.ToLower(f.Text)) {
		if !strings.Contains(strings.ToLower(e.Title+" "+e.ID), word) {
			return false
		}
	}
	switch f.State {
	case "open":
		return e.State == Open
	case "passed":
		return e.State == Passed
	case "failing":
		return e.Failing()
	case "changed":
		return e.Changed()
	case "unchecked":
		return e.Verdict == nil && e.Problem == ""
	}
	return true
}
