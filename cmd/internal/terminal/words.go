package terminal

import (
	"fmt"
	"strings"

	"workbench/lessons/lesson"
)

// Hint draws one of an exercise's hints, by its number from 1.
func (l Look) Hint(about *lesson.Lesson, number int) string {
	p := l.page()
	of := len(about.Hints)
	p.prose("", "", styled(strong, fmt.Sprintf("Hint %d of %d for %s", number, of, about.ID)))
	p.prose("  ", "  ", visible(about.Hints[number-1]))
	return p.String()
}

// Reset says that a file was handed out again, and where the learner's text is
// kept.
func (l Look) Reset(file, backup string) string {
	p := l.page()
	if backup == "" {
		p.prose("", "", l.file(file, "")+" is as it was handed out.")
		return p.String()
	}
	p.prose("", "", l.file(file, "")+" is as it was handed out.")
	p.prose("", "", "What you had written is kept in "+l.file(backup, ""))
	return p.String()
}

// Source draws a file as it is.
func (l Look) Source(text string) string {
	if l.Piped {
		return text // byte for byte
	}
	p := l.page()
	for line := range strings.Lines(text) {
		p.broken(visible(strings.TrimSuffix(line, "\n")))
	}
	return p.String()
}

// Diff draws the differences of two files. The signs in front say all of it, the
// colours repeat it.
func (l Look) Diff(text string) string {
	if l.Piped {
		return text
	}
	p := l.page()
	for line := range strings.Lines(text) {
		line = visible(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			line = strong.Render(line)
		case strings.HasPrefix(line, "@@"):
			line = aside.Render(line)
		case strings.HasPrefix(line, "+"):
			line = good.Render(line)
		case strings.HasPrefix(line, "-"):
			line = bad.Render(line)
		}
		p.broken(line)
	}
	return p.String()
}
