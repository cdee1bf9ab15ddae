package runner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"workbench/lessons/lesson"
	"workbench/lessons/runner/harness/value"
)

// judge says what is wrong with what came of the calls. Of findings that are
// alike, which is of the same kind about the same function and the same line, the
// first is told, and of a function's wrong values the one that says most.
func (g *goCheck) judge(r *ran) {
	type alike struct {
		kind     lesson.FindingKind
		function string
		line     int
	}
	g.suspect(r)
	told := map[alike]bool{}
	values := map[string]int{} // by function: the place of its finding about values
	for i := range g.calls {
		call, what := &g.calls[i], &r.calls[i]
		ended := what.state == "" || what.state == "begin"
		run := lesson.CaseRun{Name: call.Name, Ran: what.state != ""}
		if !ended {
			findings := g.judgeCall(call, what)
			run.Passed = len(findings) == 0
			for _, f := range findings {
				f.Case = call.Name
				f.Detail = strings.TrimSpace(g.callText(call) + "\n" + f.Detail)
				if f.Values != nil && f.Kind != lesson.InputChanged {
					if k, ok := values[call.Function]; !ok {
						values[call.Function] = len(g.verdict.Findings)
						g.find(f)
					} else if weight(f) > weight(g.verdict.Findings[k]) {
						g.verdict.Findings[k] = f
					}
				} else if a := (alike{f.Kind, call.Function, f.Line}); !told[a] {
					told[a] = true
					g.find(f)
				}
			}
		}
		g.verdict.Cases = append(g.verdict.Cases, run)
	}
	if f := g.death(r); f != nil {
		at := r.last()
		if r.stop != nil {
			at = r.stop.call
		}
		if at >= 0 && at < len(g.calls) {
			f.Case = g.calls[at].Name
			f.Detail = strings.TrimSpace(g.callText(&g.calls[at]) + "\n" + f.Detail)
		}
		// What ended the program is told first: whatever it did before, it does not
		// come to its end.
		g.verdict.Findings = slices.Insert(g.verdict.Findings, 0, *f)
	}
	if r.over && r.left > 0 {
		g.verdict.Notes = append(g.verdict.Notes, fmt.Sprintf("%s %s still there when all calls had returned: nothing that a function starts should outlive it", count(r.left, "goroutine"), was(r.left)))
	}
}

// suspect finds the known mistakes that were made: those whose result came of
// every call in which they have one. One that fits a single call fits by chance.
func (g *goCheck) suspect(r *ran) {
	g.made = map[string]bool{}
	for i := range g.calls {
		what := &r.calls[i]
		if what.state != "result" {
			continue
		}
		_, results := signatureNames(g.function(g.calls[i].Function).Signature)
		refused := false // an error, and with it other results that say nothing
		for k := range results {
			refused = refused || results[k].error && what.results[k].Kind == value.Error
		}
		for _, m := range g.calls[i].Mistakes {
			k, err := strconv.Atoi(m.Array)
			if err != nil || k >= len(what.results) || refused && !results[k].error {
				continue
			}
			fits := isMistake(m.Values, numbersOfResult(what.results[k], results[k]), g.lesson.Within)
			before, seen := g.made[m.Text]
			g.made[m.Text] = fits && (before || !seen)
		}
	}
}

// mistakes returns the known mistakes about one result that were made.
func (g *goCheck) mistakes(call *lesson.Call, k int) []lesson.Mistake {
	var made []lesson.Mistake
	for _, m := range call.Mistakes {
		if m.Array == strconv.Itoa(k) && g.made[m.Text] {
			made = append(made, m)
		}
	}
	return made
}

// numbersOfResult returns the numbers of a result; an error is 1, and none is 0.
func numbersOfResult(v value.Value, of result) []float64 {
	if !of.error {
		numbers, _ := numbersOf(v)
		return numbers
	}
	if v.Kind == value.Error {
		return []float64{1}
	}
	return []float64{0}
}

// weight is how much a finding about wrong values says: a mistake that somebody
// knows more than the shape of an error, and that more than wrong numbers.
func weight(f lesson.Finding) int {
	switch {
	case f.Kind == lesson.KnownMistake:
		return 2
	case telling(f):
		return 1
	}
	return 0
}

// judgeCall says what is wrong with a call that came to its end.
func (g *goCheck) judgeCall(call *lesson.Call, what *callRan) []lesson.Finding {
	switch what.state {
	case "panic":
		f := g.panicked(what.said, what.stack)
		return []lesson.Finding{f}
	case "ended":
		return []lesson.Finding{{
			Kind: lesson.Panic,
			Text: call.Function + " ended its goroutine and returned nothing.",
			Next: "runtime.Goexit does that, and testing's FailNow: return instead",
		}}
	case "wrong":
		return []lesson.Finding{{
			Kind: lesson.Signature,
			Text: "The exercise cannot call " + call.Function + ": " + what.said + ".",
			Next: "leave the types as the exercise hands them out; `reset` shows them",
		}}
	case "large":
		return []lesson.Finding{{
			Kind: lesson.WrongValues,
			Text: fmt.Sprintf("%s returned about %d values; so many are not looked at.", call.Function, what.many),
			Next: "look at what decides how long the result is",
		}}
	}
	params, results := signatureNames(g.function(call.Function).Signature)
	var findings []lesson.Finding
	for k, arg := range call.Args {
		if length, ok := what.beyond[k]; ok {
			findings = append(findings, lesson.Finding{
				Kind: lesson.WroteOutside,
				Text: fmt.Sprintf("%s wrote behind the end of %s, a slice of %d elements.", call.Function, argumentName(params, k, "argument"), length),
				Next: "a slice may have room behind its end that belongs to somebody else: append to a copy, and do not reslice beyond len",
			})
		}
		if f := g.changed(call, k, arg, what, argumentName(params, k, "argument")); f != nil {
			findings = append(findings, *f)
		}
	}
	if f := g.wrongResults(call, what, results); f != nil {
		findings = append(findings, *f)
	}
	return findings
}

// changed says how an argument is not what it should be after the call.
func (g *goCheck) changed(call *lesson.Call, k int, arg any, what *callRan, name string) *lesson.Finding {
	want, wanted := arg, false
	if k < len(call.After) && call.After[k] != nil {
		want, wanted = call.After[k], true
	}
	before := mustValue(want)
	if k >= len(what.args) {
		return nil
	}
	if wanted {
		return g.compareValue(call, name, before, what.args[k], result{place: -1})
	}
	changed, before, after := field(name, before, what.args[k], lesson.Tolerance{})
	d := differ(changed, before, after, lesson.Tolerance{})
	if d == nil {
		return nil
	}
	f := &lesson.Finding{
		Kind: lesson.InputChanged,
		Text: fmt.Sprintf("%s changed its argument %s, which is for reading.", call.Function, name),
		Next: "work on a copy: append([]T(nil), s...) or slices.Clone(s) makes one",
	}
	f.Values, f.Detail = d.values(changed, "unchanged"), d.lines
	return f
}

// wrongResults says how the results are not what they should be.
func (g *goCheck) wrongResults(call *lesson.Call, what *callRan, results []result) *lesson.Finding {
	if len(what.results) != len(call.Want) || len(results) != len(call.Want) {
		panic(fmt.Sprintf("BUG: %s wants %d results of %s", g.lesson.ID, len(call.Want), call.Function))
	}
	// Errors first: with an error that is wanted, the other results are nobody's.
	for k, got := range what.results {
		if !results[k].error {
			continue
		}
		wanted := call.Want[k] == true
		if wanted != (got.Kind == value.Error) {
			f := &lesson.Finding{Kind: lesson.WrongValues}
			if wanted {
				f.Text = call.Function + " returns no error here, and one is wanted."
				f.Next = "check the arguments before you use them"
			} else {
				f.Text = fmt.Sprintf("%s returns an error where none is wanted: %q.", call.Function, got.Text)
				f.Next = "look at the condition that leads to it"
			}
			return blame(f, g.mistakes(call, k), numbersOfResult(got, results[k]), lesson.Tolerance{})
		}
		if wanted {
			return nil
		}
	}
	for k, got := range what.results {
		if results[k].error || call.Want[k] == nil {
			continue
		}
		if k < len(call.Shapes) {
			results[k].shape = call.Shapes[k]
		}
		name := results[k].name
		if name == "" {
			name = "the result"
			if len(results) > 1 && !(len(results) == 2 && results[1].error) {
				name = fmt.Sprintf("result %d", k)
			}
		}
		if f := g.compareValue(call, name, mustValue(call.Want[k]), got, results[k]); f != nil {
			return f
		}
	}
	return nil
}

// callText writes a call as a person would.
func (g *goCheck) callText(call *lesson.Call) string {
	params, _ := signatureNames(g.function(call.Function).Signature)
	var args []string
	for k, arg := range call.Args {
		text := mustValue(arg).String()
		if k < len(params) && params[k] != "" {
			text = params[k] + " = " + text
		}
		args = append(args, text)
	}
	return call.Function + "(" + strings.Join(args, ", ") + ")"
}

func mustValue(x any) value.Value {
	v, err := value.Of(x)
	if err != nil {
		panic(fmt.Sprintf("BUG: an exercise has %v, which cannot be written down: %v", x, err))
	}
	return v
}
