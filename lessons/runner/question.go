package runner

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// maxStrange is how many lines are found to be no answer; there may be a
// quarter of a million.
const maxStrange = 10

// checkQuestions holds the answers against what comes out. The right ones are
// never in a finding.
func (c *Course) checkQuestions(ctx context.Context, j *job, check *lesson.Questions) error {
	began := c.now()
	j.verdict.Device = "this computer"
	j.verdict.Limits = fmt.Sprintf("%g s to find the answers out", j.lesson.Limit.Seconds())
	ctx, cancel := context.WithTimeout(ctx, j.lesson.Limit)
	defer cancel()

	folder, err := fs.Sub(c.Files, j.lesson.ID)
	if err != nil {
		return err
	}
	on := lesson.On{Files: folder, Open: c.Open}
	if c.Emulator != nil { // questions about a formula need none
		on.Emulator = c.Emulator(launch.Watch{Seconds: j.lesson.Limit.Seconds()})
	}
	answers, strange := readAnswers(j.source, check.Questions)
	for i := range check.Questions {
		q := &check.Questions[i]
		j.progress(Phase{Doing: "finding the answer out", Case: q.Name, Done: i, Of: len(check.Questions)})
		run := lesson.CaseRun{Name: q.Name, Ran: true}
		switch given, ok := answers[q.Name]; {
		case !ok:
			j.find(lesson.Finding{
				Kind: lesson.Unanswered, Case: q.Name,
				Text: fmt.Sprintf("There is no answer to %s, and no line for it.", q.Name),
				Next: fmt.Sprintf("add a line: %s = and then %s", q.Name, q.Form),
			})
		case given.open():
			j.find(given.finding(lesson.Unanswered, q.Name,
				fmt.Sprintf("%s is not answered yet.", q.Name), "write behind the = "+q.Form))
		default:
			right, err := q.Answer(ctx, on)
			if err != nil {
				return fmt.Errorf("the answer to %s of %s cannot be found out: %w", q.Name, j.lesson.ID, err)
			}
			if f, wrong := given.judge(q, right); wrong {
				j.find(f)
			} else {
				run.Passed = true
			}
		}
		j.verdict.Cases = append(j.verdict.Cases, run)
	}
	j.verdict.Findings = append(j.verdict.Findings, strange...)
	slices.SortStableFunc(j.verdict.Findings, func(a, b lesson.Finding) int { return line(a) - line(b) })
	if len(j.verdict.Findings) == 0 {
		for i := range check.Questions {
			if q := &check.Questions[i]; q.Why != "" {
				j.verdict.Notes = append(j.verdict.Notes, q.Name+": "+q.Why)
			}
		}
	}
	j.verdict.Running = c.now().Sub(began)
	return nil
}

// line is where a finding stands in its file; behind all others if nowhere.
func line(f lesson.Finding) int {
	if f.Line == 0 {
		return MaxSource + 1
	}
	return f.Line
}

// An answer is a line of the learner's file that gives one.
type answer struct {
	text   string // behind the =, without blanks around it and a comment behind it
	line   int    // from 1
	column int    // of text, in characters from 1
	source string // the line
}

// open says whether there is an answer at all.
func (a answer) open() bool { return strings.Trim(a.text, "?.…_- ") == "" }

func (a answer) finding(kind lesson.FindingKind, name, text, next string) lesson.Finding {
	return lesson.Finding{Kind: kind, Case: name, Text: text, Next: next, Line: a.line, Column: a.column, Source: a.source}
}

// judge holds an answer against those that are right.
func (a answer) judge(q *lesson.Question, right []string) (f lesson.Finding, wrong bool) {
	m := matcher{form: q.Form + " " + q.Name, unordered: q.Unordered}
	for _, r := range right {
		if m.match(r, a.text) {
			return lesson.Finding{}, false
		}
	}
	given := shown(a.text)
	for _, mistake := range sortedKeys(q.Mistakes) {
		if m.match(mistake, a.text) {
			return a.finding(lesson.WrongAnswer, q.Name, fmt.Sprintf("%s = %s is not right: %s.", q.Name, given, q.Mistakes[mistake]), "read the statement again with that in mind; `hint` has more"), true
		}
	}
	if len(right) > 0 && m.numbers(right[0]) && !m.numbers(a.text) {
		return a.finding(lesson.WrongAnswer, q.Name, fmt.Sprintf("%s = %s cannot be read as %s.", q.Name, given, q.Form), "write "+q.Form), true
	}
	if n, asked := m.count(a.text), m.count(right[0]); n > 0 && n != asked {
		return a.finding(lesson.WrongAnswer, q.Name, fmt.Sprintf("%s = %s is %s; what is asked for is %s.", q.Name, given, count(n, "number"), count(asked, "number")), "write "+q.Form), true
	}
	return a.finding(lesson.WrongAnswer, q.Name, fmt.Sprintf("%s = %s is not right.", q.Name, given), "work it out on paper for the figures of the statement; `hint` says how to begin"), true
}

// readAnswers reads the learner's file: an answer for each question that has a
// line, and a finding for each line that gives none.
func readAnswers(source []byte, questions []lesson.Question) (map[string]answer, []lesson.Finding) {
	answers := map[string]answer{}
	var strange []lesson.Finding
	more := 0
	complain := func(a answer, text, next string) {
		if len(strange) == maxStrange {
			more++
			return
		}
		strange = append(strange, a.finding(lesson.StrangeLine, "", text, next))
	}
	known := make([]string, len(questions))
	for i, q := range questions {
		known[i] = q.Name
	}

	number := 0
	for text := range strings.Lines(string(bytes.TrimPrefix(source, []byte("\xef\xbb\xbf")))) {
		number++
		text = strings.TrimRight(text, "\r\n")
		content, _, _ := strings.Cut(text, "#")
		if strings.TrimSpace(content) == "" {
			continue
		}
		name, value, isAnswer := strings.Cut(content, "=")
		if before, behind, ok := strings.Cut(content, ":"); ok && nameOf(before, known) != "" {
			name, value, isAnswer = before, behind, true // as the statement lists them
		}
		from := len(content) - len(strings.TrimLeftFunc(content, unicode.IsSpace))
		if isAnswer {
			behind := len(name) + 1
			from = behind + len(value) - len(strings.TrimLeftFunc(value, unicode.IsSpace))
		}
		a := answer{
			text: strings.TrimSpace(value), line: number,
			column: utf8.RuneCountInString(text[:from]) + 1, source: shortened(text),
		}
		if !isAnswer {
			next := "write the name of a question, then =, then the answer"
			if first := nameOf(strings.Fields(content)[0], known); first != "" {
				next = fmt.Sprintf("if it is the answer to %s, write = behind the name", first)
			}
			complain(a, fmt.Sprintf("%s is no answer: the line has no =.", shown(strings.TrimSpace(content))), next+"; a line that begins with # is a comment")
			continue
		}
		name = strings.TrimSpace(name)
		question := nameOf(name, known)
		switch before, twice := answers[question]; {
		case question == "":
			next := "the questions here are " + strings.Join(known, ", ")
			if like := likely(name, known); like != "" {
				next = fmt.Sprintf("if you mean %s, write that", like)
			}
			complain(a, fmt.Sprintf("There is no question %s.", shown(name)), next)
		case twice && before.open():
			answers[question] = a // the line that was handed out was left empty
		case twice && a.open():
		case twice:
			complain(a, fmt.Sprintf("%s has an answer in line %d already.", question, before.line), "leave one of the two")
		default:
			answers[question] = a
		}
	}
	if more > 0 {
		strange[maxStrange-1].Next += fmt.Sprintf("; %d lines behind it are no answers either", more)
	}
	return answers, strange
}

// nameOf returns the known name that a learner's spelling stands for, "" if none.
func nameOf(name string, known []string) string {
	plain := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", " ", "", "\t", "", "`", "").Replace(strings.ToLower(s))
	}
	for _, k := range known {
		if plain(k) == plain(name) {
			return k
		}
	}
	return ""
}

// likely returns the known name that is within two letters of a name, if there is
// one alone.
func likely(name string, known []string) string {
	like := ""
	for _, k := range known {
		if len(name) <= 2*len(k) && near(k, strings.ToLower(name)) {
			if like != "" {
				return ""
			}
			like = k
		}
	}
	return like
}

// shown is a learner's text as a finding repeats it.
func shown(s string) string { return "“" + shortened(s) + "”" }

// shortened bounds a line, and keeps what would move a terminal's cursor out of it.
func shortened(s string) string {
	const most = 80
	runes := []rune(s)
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	for i, r := range runes {
		if !unicode.IsPrint(r) && r != '\t' {
			runes[i] = '\uFFFD'
		}
	}
	return string(runes)
}
