package chapter

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"go.yaml.in/yaml/v3"
)

// notesWord is the fence of notes for who presents a chapter.
const notesWord = "notes"

// Bounds of a note. Those of a question are what a poll may have, so that each can
// be opened as it stands.
const (
	mostSay     = 2000 // characters
	mostAsk     = 200
	mostChoice  = 80 // of an answer too
	mostChoices = 8
	mostMinutes = 600
)

// Kinds of a Note's question.
const (
	AskNumber = "number"
	AskText   = "text"
	AskChoice = "choice"
)

// A Note is what an instructor wants to have at hand at one place of a chapter. It
// is for who presents: nothing of it is in the chapter's page. Several notes may be
// about one step, as one of that step and one of the phase that it is in.
type Note struct {
	// The place. Widget is the widget that the note is about, and empty where it is
	// about the text that follows it. Block is the widget's or that text's first
	// element, counted among those of the page's text: document.querySelectorAll(".prose > *").
	// Heading is the title above it, and Section that one's address.
	Widget  string `json:"widget,omitempty"`
	Block   int    `json:"block"`
	Heading string `json:"heading,omitempty"`
	Section string `json:"section,omitempty"`

	// The steps of the widget, both included; nil for a note about all of it. Run
	// fills them in where a line or a phase of a kernel was written in their place: the
	// first time that the recorded block comes to the line, or all of the phase. Tiles
	// have phases and no steps.
	From  *int `json:"from,omitempty"`
	To    *int `json:"to,omitempty"`
	Line  int  `json:"line,omitempty"`  // of the kernel's source
	Phase *int `json:"phase,omitempty"` // barriers passed

	Minutes int           `json:"minutes,omitempty"` // that the place takes in class; 0 where nothing is said
	HTML    template.HTML `json:"html,omitempty"`    // what to say or do

	// A question to the class, each text of it one line and no Markdown. Its answer is
	// the value of Cell in the widget's run, where that is given: Run holds it to that.
	Ask     string   `json:"ask,omitempty"`
	Kind    string   `json:"kind,omitempty"` // AskNumber, AskText or AskChoice
	Choices []string `json:"choices,omitempty"`
	Answer  string   `json:"answer,omitempty"`
	Cell    *[3]int  `json:"cell,omitempty"` // batch, row and column; of a sum or a mean 0, group and 0
	Of      *int     `json:"of,omitempty"`   // the step that makes it, where that is another one

	node *yaml.Node // in body
	body *body
	path string // of the node
}

// notesNode stands where a fence of notes does until the notes know their place.
type notesNode struct {
	ast.BaseBlock
	notes  []Note
	widget string
	line   int
}

var kindNotes = ast.NewNodeKind("Notes")

func (*notesNode) Kind() ast.NodeKind { return kindNotes }

func (n *notesNode) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"widget": n.widget}, nil)
}

// noteKeys are what a note may have.
var noteKeys = []string{"say", "step", "line", "phase", "minutes", "ask", "choices", "answer", "cell", "of"}

// notesFence reads a list of notes, each a mapping of
//
//	say: what to say or do      a paragraph of Markdown
//	step: 3, or 3-5             line: or phase: of a kernel, phase: of tiles
//	minutes: 4
//	ask: What is C[0,1]?
//	choices: [58, 64]           that are offered; a number or a text is asked for without
//	answer: 64
//	cell: [0, 0, 1]             of the run, whose value the answer is
//	of: 4                       the step that makes it: a question is asked before that
//
// The fence's second word is the widget that they are about.
func notesFence(p *parse, f fence) ast.Node {
	c, asked := p.chapter, len(p.chapter.asked)
	c.notes = append(c.notes, lines{f.line, f.from + bytes.Count(f.text, []byte("\n"))})
	defer func() {
		for i := range c.asked[asked:] {
			c.asked[asked+i].note = true
		}
	}()
	b, bad := readYAML(f.text, f.from)
	if bad == nil && (b.root == nil || b.root.Kind != yaml.SequenceNode || len(b.root.Content) == 0) {
		line := f.line
		if b.root != nil {
			line = b.line(b.root)
		}
		bad = &bodyError{line: line, field: notesWord, reason: "must be a list of notes, as in - say: Ask first."}
	}
	if bad == nil {
		bad = b.check(b.root, "", 0)
		if bad != nil {
			bad.field = notesWord + bad.field
		}
	}
	if bad != nil {
		p.bad(bad)
		return nil
	}
	n := &notesNode{widget: f.id, line: f.line}
	reported := len(p.chapter.Problems)
	for i, item := range b.root.Content {
		path := fmt.Sprintf("%s[%d]", notesWord, i)
		if p.mapping(b, item, path, noteKeys) {
			n.notes = append(n.notes, p.note(b, item, path))
		}
	}
	if len(p.chapter.Problems) > reported {
		return nil
	}
	return n
}

// note reads one note.
func (p *parse) note(b *body, n *yaml.Node, path string) Note {
	note := Note{node: n, body: b, path: path}
	text := func(key string, most int) (string, int) {
		s, line := p.located(b, n, path, key, false)
		if count := utf8.RuneCountInString(s); count > most {
			p.problem(line, join(path, key), "is %d characters long: %d is the most", count, most)
		}
		return s, line
	}
	whole := func(key string, least, most int) *int {
		v := child(n, key)
		if v == nil {
			return nil
		}
		number, err := strconv.Atoi(v.Value)
		if v.Kind != yaml.ScalarNode || err != nil || number < least || number > most {
			p.problem(b.line(v), join(path, key), "must be a whole number from %d to %d", least, most)
		}
		return &number
	}

	say, line := text("say", mostSay)
	if nameAtEnd.MatchString(say) {
		p.problem(line, join(path, "say"), "gives an address to a note, which is on no page")
	} else {
		note.HTML = p.inline(say, line)
	}
	if v := whole("minutes", 1, mostMinutes); v != nil {
		note.Minutes = *v
	}
	p.noteSteps(&note)
	if v := whole("line", 1, maxSource); v != nil {
		note.Line = *v
	}
	note.Phase, note.Of = whole("phase", 0, maxSource), whole("of", 0, maxSource)
	var places []string
	for _, key := range []string{"step", "line", "phase"} {
		if child(n, key) != nil {
			places = append(places, key)
		}
	}
	if len(places) > 1 {
		p.problem(b.line(n), path, "has %s: one of them says where it belongs", strings.Join(places, " and "))
	}
	note.Ask, _ = text("ask", mostAsk)
	note.Answer, _ = text("answer", mostChoice)
	note.Ask, note.Answer = oneLine(note.Ask), oneLine(note.Answer)
	p.noteChoices(&note)
	if v := child(n, "cell"); v != nil {
		note.Cell, _ = p.cell(b, v, join(path, "cell"), true)
	}
	switch _, number := asNumber(note.Answer); {
	case note.Ask == "":
	case note.Choices != nil:
		note.Kind = AskChoice
	case number:
		note.Kind = AskNumber
	default:
		note.Kind = AskText
	}
	missing := func(key, of string) {
		p.problem(b.line(child(n, of)), join(path, of), "needs the key %s beside it", key)
	}
	switch has := func(key string) bool { return child(n, key) != nil }; {
	case !has("say") && !has("ask") && !has("minutes"):
		p.problem(b.line(n), path, "says nothing: write say, ask or minutes")
	case has("answer") && !has("ask"):
		missing("ask", "answer")
	case has("choices") && !has("ask"):
		missing("ask", "choices")
	case has("cell") && !has("answer"):
		missing("answer", "cell")
	case has("of") && !has("cell"):
		missing("cell", "of")
	}
	return note
}

var stepRange = regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9}))?$`)

// noteSteps reads a step, or the first and the last of several.
func (p *parse) noteSteps(note *Note) {
	v := child(note.node, "step")
	if v == nil {
		return
	}
	fail := func(reason string) { p.problem(note.body.line(v), join(note.path, "step"), "%s", reason) }
	m := stepRange.FindStringSubmatch(v.Value)
	if v.Kind != yaml.ScalarNode || m == nil {
		fail("must be a step from 0, or the first and the last of several, as in 3-5")
		return
	}
	from, _ := strconv.Atoi(m[1]) // nine digits are a number
	to := from
	if m[2] != "" {
		to, _ = strconv.Atoi(m[2])
	}
	if to < from {
		fail("ends before it begins")
	}
	note.From, note.To = &from, &to
}

// noteChoices reads what is offered.
func (p *parse) noteChoices(note *Note) {
	v := child(note.node, "choices")
	if v == nil {
		return
	}
	path, b := join(note.path, "choices"), note.body
	if v.Kind != yaml.SequenceNode || len(v.Content) < 2 || len(v.Content) > mostChoices {
		p.problem(b.line(v), path, "must be a list of 2 to %d answers", mostChoices)
		return
	}
	for i, item := range v.Content {
		at := fmt.Sprintf("%s[%d]", path, i)
		s := oneLine(p.scalar(b, item, at))
		switch {
		case utf8.RuneCountInString(s) > mostChoice:
			p.problem(b.line(item), at, "is more than %d characters long", mostChoice)
		case slices.Contains(note.Choices, s):
			p.problem(b.line(item), at, "is there twice")
		}
		note.Choices = append(note.Choices, s)
	}
	if note.Answer != "" && !slices.Contains(note.Choices, note.Answer) {
		p.problem(b.line(child(note.node, "answer")), join(note.path, "answer"), "is none of the choices")
	}
}

// oneLine is a text as a poll has it, however it was written.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// asNumber reads a number as somebody writes it in answer to a question.
func asNumber(s string) (float64, bool) {
	s = strings.Replace(s, "−", "-", 1)
	if strings.Trim(s, "+-.0123456789eE") != "" {
		return 0, false // a word that package strconv knows: Inf, NaN
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}
