package study

import (
	"bufio"
	"context"
	"io"
	"strings"

	"workbench/lessons/lesson"
)

// Lines watches an exercise where there is no terminal to draw on: everything is
// said in lines, once, and what would be keys are lines of the input. It ends when
// the learner quits or ctx is done; the input's end is not one.
func Lines(ctx context.Context, s *Session, l *lesson.Lesson, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, keys := make(chan Event), make(chan string)
	s.Post = func(e Event) {
		select {
		case events <- e:
		case <-ctx.Done():
		}
	}
	var failed error
	s.Tell = func(text string) {
		if err := s.Look.Print(out, text); err != nil && failed == nil {
			failed = err // nobody reads on
		}
	}
	if err := s.Start(ctx, l); err != nil {
		return err
	}
	defer func() { cancel(); s.Close() }()
	go func() { // until the input's end, which nothing else can bring about
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			select {
			case keys <- strings.TrimSpace(lines.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	for !s.Quitting() && failed == nil {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case e := <-events:
			err = s.Handle(e)
		case key := <-keys:
			if key == "" {
				key = "enter"
			}
			err = s.Key(key)
		}
		if err != nil {
			return err
		}
	}
	return failed
}
