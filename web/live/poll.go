package live

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"workbench/web/chart"
	"workbench/web/run"
)

// PollKind is what an answer is.
type PollKind string

// Kinds of polls.
const (
	PollNumber PollKind = "number"
	PollText   PollKind = "text"
	PollChoice PollKind = "choice"
)

// PollState is where a poll is between its question and its answer.
type PollState string

// States of a poll.
const (
	PollOpen     PollState = "open"     // answers are taken
	PollClosed   PollState = "closed"   // and no more
	PollRevealed PollState = "revealed" // all see what was answered, and what is right
)

// Bounds of a poll.
const (
	pollRunes   = 200
	answerRunes = 80
	mostChoices = 8
	mostAnswers = 4000
	mostCounts  = 12 // answers that are shown by themselves; the rest is one bar
)

// About is the cell that a poll asks for.
type About struct {
	Chapter string `json:"chapter"`
	Widget  string `json:"widget"`
	Step    int    `json:"step"`
	Cell    string `json:"cell"`
}

// poll is a question to the class.
type poll struct {
	N        int       `json:"n"`
	Question string    `json:"question"`
	Kind     PollKind  `json:"kind"`
	Choices  []string  `json:"choices,omitempty"`
	Right    string    `json:"right"` // "" if there is no right answer
	About    *About    `json:"about,omitempty"`
	State    PollState `json:"state"`

	answers map[digest]string // by seat
}

// pollRequest is what a presenter asks for.
type pollRequest struct {
	Question string   `json:"question"`
	Kind     PollKind `json:"kind"`
	Choices  []string `json:"choices"`
	Answer   string   `json:"answer"`
	About    *About   `json:"about"`
}

func newPoll(n int, q pollRequest) (*poll, *run.Failure) {
	p := &poll{N: n, Kind: q.Kind, State: PollOpen, About: q.About, answers: map[digest]string{}}
	var f *run.Failure
	if p.Question, f = sentence("question", q.Question, pollRunes); f != nil {
		return nil, f
	}
	switch q.Kind {
	case PollChoice:
		if len(q.Choices) < 2 || len(q.Choices) > mostChoices {
			return nil, &run.Failure{Code: run.CodeInput, Field: "choices", Message: fmt.Sprintf("has %d choices: give 2 to %d", len(q.Choices), mostChoices)}
		}
		for i, c := range q.Choices {
			if c, f = sentence(fmt.Sprintf("choices[%d]", i), c, answerRunes); f != nil {
				return nil, f
			}
			if slices.Contains(p.Choices, c) {
				return nil, &run.Failure{Code: run.CodeInput, Field: fmt.Sprintf("choices[%d]", i), Message: "is there twice"}
			}
			p.Choices = append(p.Choices, c)
		}
	case PollNumber, PollText:
		if len(q.Choices) > 0 {
			return nil, &run.Failure{Code: run.CodeInput, Field: "choices", Message: "belong to a poll of the kind choice"}
		}
	default:
		return nil, &run.Failure{Code: run.CodeInput, Field: "kind", Message: fmt.Sprintf("is %q: number, text or choice", clip(string(q.Kind)))}
	}
	if q.Answer != "" {
		if p.Right, f = p.read("answer", q.Answer); f != nil {
			return nil, f
		}
	}
	if a := q.About; a != nil && len(a.Chapter)+len(a.Widget)+len(a.Cell) > 3*answerRunes {
		return nil, &run.Failure{Code: run.CodeInput, Field: "about", Message: "is too long"}
	}
	return p, nil
}

// read takes an answer in the one form in which equal ones are equal.
func (p *poll) read(field, text string) (string, *run.Failure) {
	text, f := sentence(field, text, answerRunes)
	if f != nil {
		return "", f
	}
	switch p.Kind {
	case PollChoice:
		if !slices.Contains(p.Choices, text) {
			return "", &run.Failure{Code: run.CodeInput, Field: field, Message: "is none of the choices"}
		}
	case PollNumber:
		v, err := strconv.ParseFloat(strings.NewReplacer("−", "-", " ", "", "\u00a0", "").Replace(text), 64)
		if err != nil && !math.IsInf(v, 0) {
			return "", &run.Failure{Code: run.CodeInput, Field: field, Message: "is not a number: write one such as 64 or −0.5"}
		}
		if v == 0 {
			v = 0 // −0 is the same answer
		}
		text = strconv.FormatFloat(v, 'g', -1, 64)
		if exponent := strings.Contains(text, "e"); exponent && math.Abs(v) < 1e15 && v == math.Trunc(v) {
			text = strconv.FormatFloat(v, 'f', -1, 64)
		}
	case PollText:
		text = strings.ToLower(text)
	}
	return text, nil
}

// answer takes somebody's answer; the last one counts.
func (p *poll) answer(seat digest, text string) *run.Failure {
	if p.State != PollOpen {
		return &run.Failure{Code: CodeEnded, Message: "The poll is closed: no more answers are taken."}
	}
	text, f := p.read("text", text)
	if f != nil {
		return f
	}
	if _, again := p.answers[seat]; !again && len(p.answers) >= mostAnswers {
		return &run.Failure{Code: run.CodeBusy, Message: "More have answered than a poll takes."}
	}
	p.answers[seat] = text
	return nil
}

// counts returns how often each answer was given: choices in their order, and
// others the most frequent first.
func (p *poll) counts() []Count {
	times := map[string]int{}
	for _, text := range p.answers {
		times[text]++
	}
	var counts []Count
	one := func(text string) { counts = append(counts, Count{text, times[text], p.Right != "" && text == p.Right}) }
	if p.Kind == PollChoice {
		for _, text := range p.Choices {
			one(text)
		}
		return counts
	}
	texts := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	shown := min(len(texts), mostCounts)
	if at := slices.Index(texts, p.Right); at >= shown {
		texts[shown-1], texts[at] = texts[at], texts[shown-1] // the right one is always shown
	}
	for _, text := range texts[:shown] {
		one(text)
	}
	if len(texts) > shown {
		rest := Count{Text: fmt.Sprintf("%d others", len(texts)-shown)}
		for _, text := range texts[shown:] {
			rest.Count += times[text]
		}
		counts = append(counts, rest)
	}
	return counts
}

// view is the poll as a page may see it.
func (p *poll) view(presenter bool) *PollView {
	v := &PollView{N: p.N, Question: p.Question, Kind: p.Kind, Choices: p.Choices, State: p.State, Total: len(p.answers), About: p.About}
	if presenter || p.State == PollRevealed {
		v.Counts, v.Answer = p.counts(), p.Right
		bars := make([]chart.Count, len(v.Counts))
		for i, c := range v.Counts {
			bars[i] = chart.Count(c)
		}
		v.Chart = chart.Poll(bars)
	}
	return v
}
