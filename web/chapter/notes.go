package chapter

import (
	"context"
	"fmt"

	"github.com/yuin/goldmark/ast"

	"workbench/engine/launch"
	"workbench/engine/trace"
)

// A place is an element of the page's text, and the heading above it.
type place struct {
	block            int
	section, heading string
}

// placeNotes takes the fences of notes out of the text, and says of each note, and of
// each example, where it belongs.
func (p *parse) placeNotes() {
	c := p.chapter
	var fences []*notesNode
	own, widgets := map[*notesNode]place{}, map[string]place{}
	c.blocks = map[string]int{}
	var at place
	if len(c.Widgets) > 0 {
		at.block = 1 // the page begins with a line for readers without a script
	}
	for block := c.document.FirstChild(); block != nil; block = block.NextSibling() {
		if h, ok := block.(*ast.Heading); ok {
			at.heading = plain(h, p.text)
			id, _ := h.AttributeString("id")
			at.section = fmt.Sprintf("%s", id)
			for _, f := range fences {
				if own[f].block == at.block {
					own[f] = at // the heading is the text that follows
				}
			}
		}
		_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *widgetNode:
				widgets[n.widget.ID] = at
				c.blocks[n.widget.ID] = at.block
			case *ladderNode:
				c.blocks[n.id] = at.block
			case *notesNode:
				if entering {
					fences, own[n] = append(fences, n), at
				}
			}
			return ast.WalkContinue, nil
		})
		if onPage(block) {
			at.block++
		}
	}
	for _, f := range fences {
		parent := f.Parent()
		if parent != c.document {
			problem := p.problem(f.line, notesWord, "must stand between paragraphs, in no list and no quotation")
			parent.ReplaceChild(parent, f, &problemNode{problem: problem})
			continue
		}
		parent.RemoveChild(parent, f)
		home, ok := own[f], true
		if f.widget != "" {
			if home, ok = widgets[f.widget]; !ok {
				if !c.broken[f.widget] {
					p.problem(f.line, notesWord, "%s", c.noWidget(f.widget))
				}
				continue
			}
		}
		// Notes at the end of the text are about the last of it.
		home.block = max(min(home.block, at.block-1), 0)
		for _, note := range f.notes {
			note.Widget, note.Block, note.Section, note.Heading = f.widget, home.block, home.section, home.heading
			if problem := note.misplaced(c.Widget(f.widget)); problem != nil {
				p.problem(problem.Line, problem.Field, "%s", problem.Reason)
				continue
			}
			c.Notes = append(c.Notes, note)
		}
	}
}

// onPage reports whether a block of the text is an element of the page.
func onPage(n ast.Node) bool {
	switch n := n.(type) {
	case *notesNode, *ast.LinkReferenceDefinition:
		return false
	case *ast.TextBlock:
		return n.HasChildren() // a comment has none
	}
	return true
}

// noWidget says that the chapter has no widget of that name.
func (c *Chapter) noWidget(id string) string {
	var names []string
	for _, w := range c.Widgets {
		names = append(names, w.ID)
	}
	reason := fmt.Sprintf("no widget of this chapter is named %s", id)
	if near := nearest(id, names); near != "" {
		reason += ": did you mean " + near + "?"
	}
	return reason
}

// problem is one at a key of the note.
func (n *Note) problem(key, format string, args ...any) *Problem {
	return &Problem{Line: n.body.line(child(n.node, key)), Field: join(n.path, key), Reason: fmt.Sprintf(format, args...)}
}

// misplaced says which key of the note means nothing for what it is about.
func (n *Note) misplaced(w *Widget) *Problem {
	kernel, tiles, traced := false, false, false
	about := "the text"
	if w != nil {
		about = "the widget " + w.ID
		kernel, tiles = w.Example == KernelWidget, w.Example == TilesWidget
		traced = !kernel && !tiles && w.Example != Comparison && w.Example != Contracts
	}
	switch {
	case n.From != nil && tiles:
		return n.problem("step", "%s has phases and no steps: write phase", about)
	case n.From != nil && !kernel && !traced:
		return n.problem("step", "%s has no steps", about)
	case n.Line > 0 && !kernel:
		return n.problem("line", "%s is not stepped by the lines of a source", about)
	case n.Phase != nil && !kernel && !tiles:
		return n.problem("phase", "%s has no phases", about)
	case n.Cell != nil && !traced:
		return n.problem("cell", "%s has no run with cells: leave cell out", about)
	}
	return nil
}

// checkNotes holds the notes against what was run.
func (c *Chapter) checkNotes(ctx context.Context) {
	for i := range c.Notes {
		n := &c.Notes[i]
		w := c.Widget(n.Widget)
		if w == nil || w.problem != nil {
			continue
		}
		problem := n.checkTrace(w)
		if problem == nil {
			problem = n.checkKernels(ctx, w)
		}
		if problem != nil {
			problem.File = c.File
			c.Problems = append(c.Problems, *problem)
		}
	}
}

func (n *Note) pastTheEnd(key string, step, steps int) *Problem {
	return n.problem(key, "%d is past the end of %s: its steps run from 0 to %d", step, n.Widget, steps-1)
}

// checkTrace holds the steps and the answer against a worked example's run.
func (n *Note) checkTrace(w *Widget) *Problem {
	if w.Trace == nil {
		return nil
	}
	steps := len(w.Trace.Steps)
	if n.To != nil && *n.To >= steps {
		return n.pastTheEnd("step", *n.To, steps)
	}
	if n.Of != nil && *n.Of >= steps {
		return n.pastTheEnd("of", *n.Of, steps)
	}
	if n.Cell == nil {
		return nil
	}
	value, ok := n.value(w.Trace)
	if !ok {
		return n.problem("cell", "%v lies outside of what %s makes there", *n.Cell, n.Widget)
	}
	if given, number := asNumber(n.Answer); n.Answer != trace.FormatNumber(value) && !(number && given == value) {
		return n.problem("answer", "is %s, and the run of %s has %s in cell %v", n.Answer, n.Widget, trace.FormatNumber(value), *n.Cell)
	}
	return nil
}

// value is what the run has in the note's cell: in what the step makes that it names,
// or its own step; where that only gives an operand, or there is none, in the first
// product, sum or mean that has the cell, and without one in what the run ends with.
func (n *Note) value(t *trace.Trace) (float64, bool) {
	first, at := 0, n.Of
	if at == nil {
		at = n.From
	}
	if at != nil {
		first = *at
		if t.Steps[first].Op != "given" {
			return made(t, t.Steps[first], *n.Cell)
		}
	}
	if len(t.Steps) == 0 {
		return 0, false
	}
	for _, s := range t.Steps[first:] {
		if s.Product != nil || s.Reduction != nil {
			if v, ok := made(t, s, *n.Cell); ok {
				return v, true
			}
		}
	}
	return made(t, t.Steps[len(t.Steps)-1], *n.Cell)
}

// made is a value of what a step makes.
func made(t *trace.Trace, s trace.Step, cell [3]int) (float64, bool) {
	if len(s.Outputs) == 0 {
		return 0, false
	}
	x := t.Tensors[s.Outputs[0]]
	if s.Product == nil && s.Reduction == nil {
		return element(x, cell)
	}
	i, ok := flat(s, cell)
	if !ok || i >= len(x.Values) {
		return 0, false
	}
	return x.Values[i], true
}

// element is a value of a tensor by its last three coordinates. There may be fewer
// axes; more of them have one element.
func element(t trace.Tensor, at [3]int) (float64, bool) {
	for _, extent := range t.Shape[:max(len(t.Shape)-len(at), 0)] {
		if extent != 1 {
			return 0, false
		}
	}
	i := 0
	for axis, c := range at {
		extent := 1
		if k := axis + len(t.Shape) - len(at); k >= 0 {
			extent = t.Shape[k]
		}
		if c >= extent {
			return 0, false
		}
		i = i*extent + c
	}
	if i >= len(t.Values) {
		return 0, false
	}
	return t.Values[i], true
}

// mostAtLine bounds the steps in one go at a line: a warp each, of the largest block.
const mostAtLine = 32

// checkKernels holds steps, lines and phases against the recordings, and says which
// steps a line and a phase are.
func (n *Note) checkKernels(ctx context.Context, w *Widget) *Problem {
	most := 0
	for _, k := range w.Kernels {
		if k.Outcome == nil || k.Outcome.Recording(0) == nil {
			return nil
		}
		most = max(most, k.Outcome.Recording(0).Tape().Phases)
	}
	if most == 0 {
		return nil
	}
	if n.Phase != nil && *n.Phase >= most {
		return n.problem("phase", "%d is past the end of %s: its phases run from 0 to %d", *n.Phase, n.Widget, most-1)
	}
	if w.Example == TilesWidget {
		return nil
	}
	recording := w.Kernels[0].Outcome.Recording(0)
	tape := recording.Tape()
	switch {
	case n.Line > 0:
		from, to, err := atLine(ctx, recording, n.Line)
		if err != nil {
			return n.problem("line", "cannot be looked for: %v", err)
		}
		if from < 0 {
			return n.problem("line", "no step of %s begins at line %d: there are steps at %v", n.Widget, n.Line, tape.Lines)
		}
		n.From, n.To = &from, &to
	case n.Phase != nil:
		touched, err := recording.Touched(ctx, 0, tape.Steps)
		if err != nil {
			return n.problem("phase", "cannot be looked for: %v", err)
		}
		from, to := 0, tape.Steps-1
		for _, end := range touched.Ends {
			switch end.Phase {
			case *n.Phase - 1:
				from = end.Step + 1
			case *n.Phase:
				to = end.Step
			}
		}
		n.From, n.To = &from, &to
	case n.To != nil && *n.To >= tape.Steps:
		return n.pastTheEnd("step", *n.To, tape.Steps)
	}
	return nil
}

// atLine finds the first step at a line, and the last of those that follow it there;
// a first one of −1 where there is none.
func atLine(ctx context.Context, r launch.Recording, line int) (from, to int, err error) {
	there := func(step int) (bool, error) {
		if step >= r.Tape().Steps {
			return false, nil
		}
		m, err := r.At(ctx, step, launch.View{})
		return err == nil && m.Kind == launch.StepStatement && m.Place.Line == line, err
	}
	ok, err := there(0)
	if err != nil {
		return 0, 0, err
	}
	if !ok {
		if from, ok, err = r.Seek(ctx, 0, launch.Goal{Kind: launch.GoalLine, Line: line}); err != nil || !ok {
			return -1, -1, err
		}
	}
	for to = from; to-from < mostAtLine; to++ {
		if ok, err = there(to + 1); err != nil || !ok {
			return from, to, err
		}
	}
	return from, to, nil
}
