package study

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"workbench/cmd/internal/terminal"
	"workbench/lessons/lesson"
	"workbench/lessons/runner"
	"workbench/web/watch"
)

// How saves are noticed: the system's notices come at once, and looking at the
// file finds what they miss well within the time after which one wonders.
const (
	quiet = 30 * time.Millisecond
	looks = 200 * time.Millisecond
)

// Event is something that happened: it came from a goroutine of the session, by
// Post, and is to be handed to Handle.
type Event any

type (
	saved struct { // the file of the exercise was saved
		opened int
		save   watch.Save
	}
	noticing struct { // by what saves are noticed
		opened int
		by     watch.Means
	}
	phased struct { // a check went on
		run   int
		phase runner.Phase
	}
	reported struct { // a room was told of an exercise, or could not be
		lesson string
		err    error
	}
	judged struct { // a check came to its end
		run     int
		verdict *lesson.Verdict
		err     error
	}
)

// Session is the work at one exercise after the other. Its methods are called by
// one goroutine.
type Session struct {
	Learner *Learner
	Look    terminal.Look
	Device  string // where kernels run, "" where they usually do
	Room    *Room  // is told what passes; nil for none

	// Post takes an event to the goroutine that calls Handle, which is never the
	// one that calls Post.
	Post func(Event)

	// Tell, if not nil, is told what a person without a screen wants to read.
	Tell func(text string)

	// NoNotices does without the system's, for tests.
	NoNotices bool

	ctx      context.Context
	stop     context.CancelFunc
	work     sync.WaitGroup
	quitting bool

	lesson *lesson.Lesson // the one that is open
	opened int            // how many were
	close  context.CancelFunc
	by     watch.Means

	save    watch.Save // the newest, which is to be judged or was
	run     int        // of the checks that were begun, the last
	running bool
	again   bool // what is checked is not the newest
	cancel  context.CancelFunc
	phase   runner.Phase

	told   map[string]bool // the exercises of which the room was told
	report string          // what came of the last report, of the exercise that is open

	verdict  *lesson.Verdict // of the newest save that was judged
	standing terminal.Standing
	failed   error // the newest could not be judged

	drawn func() string // what was asked for last: a hint, the keys
	long  bool          // it is, and leaves a verdict no room: it goes at the next save
	ask   *question     // waits for a yes or no
	list  *chooser      // is open
	all   *examination  // is open
}

// question is asked before something that one may not mean.
type question struct {
	text string
	yes  func() error
}

// Start opens an exercise. The caller must call Close.
func (s *Session) Start(ctx context.Context, l *lesson.Lesson) error {
	s.ctx, s.stop = context.WithCancel(ctx)
	return s.open(l)
}

// Close ends everything that the session began.
func (s *Session) Close() {
	s.quitting = true
	s.stop()
	s.work.Wait()
}

// Quitting says that the learner has had enough.
func (s *Session) Quitting() bool { return s.quitting }

// Lesson is the exercise that is open.
func (s *Session) Lesson() *lesson.Lesson { return s.lesson }

// Verdict is the last one about the exercise that is open, or nil.
func (s *Session) Verdict() *lesson.Verdict { return s.verdict }

// open goes to an exercise: its file is followed, which tells at once what it
// holds, and that is checked.
func (s *Session) open(l *lesson.Lesson) error {
	if err := s.Learner.Choose(l); err != nil {
		return err
	}
	if err := s.Learner.Refresh(); err != nil {
		return err
	}
	met, err := s.Learner.Met(l)
	if err != nil {
		return err
	}
	s.leave()
	s.lesson, s.by = l, ""
	s.opened++
	s.verdict, s.failed, s.save = nil, nil, watch.Save{}
	s.standing = s.Learner.Standing(l)
	s.drawn, s.ask, s.list, s.report = nil, nil, nil, ""
	asks := ""
	if !met {
		if asks, err = s.Learner.Statement(l); err != nil {
			return err
		}
		s.drawn, s.long = func() string { return s.Look.Statement(asks) }, true
	}
	s.tell(s.Look.Head(s.standing, asks, s.Learner.Path(l)))

	ctx, cancel := context.WithCancel(s.ctx)
	s.close = cancel
	opened, path := s.opened, s.Learner.Path(l)
	s.work.Go(func() {
		watch.File(ctx, path, runner.MaxSource, watch.Options{
			Quiet: quiet, Poll: looks, NoNotices: s.NoNotices,
			By: func(by watch.Means) { s.Post(noticing{opened, by}) },
		}, func(save watch.Save) { s.Post(saved{opened, save}) })
	})
	return nil
}

// leave ends the work at the exercise that is open.
func (s *Session) leave() {
	if s.close != nil {
		s.close()
	}
	if s.running {
		s.cancel()
	}
	s.run++ // what comes of that one is nobody's business
	s.running, s.again = false, false
}

// Handle takes an event. An error is that the session cannot go on.
func (s *Session) Handle(e Event) error {
	switch e := e.(type) {
	case noticing:
		if e.opened == s.opened {
			s.by = e.by
			s.tell(s.Look.Watching(e.by == watch.Notices))
		}
	case saved:
		if e.opened == s.opened {
			if s.long && s.verdict != nil {
				s.drawn = nil
			}
			s.save = e.save
			s.check()
		}
	case phased:
		if e.run == s.run {
			s.phase = e.phase
		}
	case reported:
		s.reported(e)
	case judged:
		if e.run == s.run {
			return s.judged(e)
		}
	case examined:
		if s.all != nil && e.of == s.all {
			return s.examined(e)
		}
	}
	return nil
}

// check has the newest save judged. A check of an older one is ended, and this
// one begins when it has; however many saves come until then, one check follows.
func (s *Session) check() {
	if s.running {
		s.again = true
		s.cancel()
		return
	}
	s.run++
	s.running, s.again, s.phase = true, false, runner.Phase{}
	ctx, cancel := context.WithCancel(s.ctx)
	s.cancel = cancel
	run, l := s.run, s.lesson
	options := runner.Options{Progress: func(p runner.Phase) { s.Post(phased{run, p}) }}
	if l.Kind() == lesson.KindCUDA {
		options.Device = s.Device
	}
	saved := s.save.When
	if s.save.Err == nil { // otherwise the check itself says what is wrong with the file
		options.Source, options.Name = s.save.Text, s.Learner.Path(l)
		if options.Source == nil {
			options.Source = []byte{}
		}
	}
	s.work.Go(func() {
		defer cancel()
		v, err := s.Learner.Check(ctx, l, options)
		if v != nil && options.Source != nil {
			v.Saved = saved
		}
		s.Post(judged{run, v, err})
	})
}

// judged takes what came of a check.
func (s *Session) judged(e judged) error {
	s.running = false
	if s.again { // it was of an older save
		s.check()
		return nil
	}
	if errors.Is(e.err, context.Canceled) && s.ctx.Err() != nil {
		return nil
	}
	s.verdict, s.failed = e.verdict, e.err
	if e.err != nil {
		s.tell(s.Look.Trouble(e.err))
		return nil
	}
	standing, err := s.Learner.Keep(e.verdict, s.lesson)
	if err != nil {
		return err
	}
	s.standing = standing
	if e.verdict.Passed {
		s.drawn = nil
	}
	s.tell(s.Look.Verdict(e.verdict, s.inside()))
	s.tellRoom(e.verdict)
	return nil
}

// tellRoom has the room told of an exercise that passed, once.
func (s *Session) tellRoom(v *lesson.Verdict) {
	s.report = ""
	id := s.lesson.ID
	if s.Room == nil || !v.Passed || s.told[id] {
		return
	}
	if s.told == nil {
		s.told = map[string]bool{}
	}
	s.told[id] = true
	s.work.Go(func() { s.Post(reported{id, s.Room.Report(s.ctx, s.Learner.Dir, id)}) })
}

// reported says what came of a report.
func (s *Session) reported(e reported) {
	if s.ctx.Err() != nil {
		return
	}
	text := s.Look.Sentence(s.Room.Told(e.lesson, e.err))
	if e.err != nil {
		delete(s.told, e.lesson) // the next check tries again
	}
	if e.lesson == s.lesson.ID {
		s.report = text
	}
	s.tell(text)
}

// inside is the standing as a verdict in a session shows it: with keys.
func (s *Session) inside() terminal.Standing {
	t := s.standing
	t.Keys = true
	return t
}

// tell says something to a person without a screen.
func (s *Session) tell(text string) {
	if s.Tell != nil {
		s.Tell(text)
	}
}

// show shows something that was asked for.
func (s *Session) show(draw func() string) {
	s.drawn, s.long = draw, lines(draw()) > shortPanel
	s.tell(draw())
}

// shortPanel is how many lines may stand above a verdict for good.
const shortPanel = 6

// say shows one sentence.
func (s *Session) say(text string) { s.show(func() string { return s.Look.Sentence(text) }) }

// panel is what was asked for last, drawn for the terminal's width of now.
func (s *Session) panel() string {
	if s.drawn == nil {
		return ""
	}
	return s.drawn()
}

// Key takes a key. An error is that the session cannot go on.
func (s *Session) Key(key string) error {
	if key == "ctrl+c" {
		s.quitting = true
		return nil
	}
	switch {
	case s.ask != nil:
		return s.answer(key)
	case s.list != nil:
		return s.choose(key)
	case s.all != nil:
		return s.examine(key)
	}
	l := s.lesson
	switch key {
	case "q":
		s.quitting = true
	case "r", "enter":
		s.drawn = nil
		s.save = watch.Read(s.Learner.Path(l), runner.MaxSource) // which nobody may have noticed
		s.check()
	case "n":
		return s.next()
	case "h":
		return s.hint()
	case "t":
		text, err := s.Learner.Statement(l)
		if err != nil {
			return err
		}
		s.show(func() string { return s.Look.Statement(text) })
	case "x":
		s.askFor(againText(s.Learner, l), func() error { return s.reset(l) })
	case "s":
		return s.solution()
	case "l":
		if s.Tell == nil {
			s.list = newChooser(s.Learner.Entries(), l.ID)
			return nil
		}
		s.tell(s.Look.List(s.Learner.Entries(), s.Learner.Entries()) + s.Look.Sentence("Write an exercise's number to go to it."))
	case "a":
		s.startAll()
	case "?":
		s.show(func() string { return s.Look.Keys() })
	case "esc":
		s.drawn = nil
	default:
		if n, err := strconv.Atoi(key); err == nil && s.Tell != nil { // of the list that was told
			if n < 1 || n > len(s.Learner.Lessons) {
				s.say("There is no exercise of that number.")
				return nil
			}
			return s.open(&s.Learner.Lessons[n-1])
		}
	}
	return nil
}

// askFor asks before something is done.
func (s *Session) askFor(text string, yes func() error) {
	s.ask = &question{text, yes}
	s.tell(s.Look.Ask(text))
}

func (s *Session) answer(key string) error {
	asked := s.ask
	s.ask = nil
	if strings.EqualFold(key, "y") {
		return asked.yes()
	}
	s.say("Nothing was done.")
	return nil
}

// next goes to the next exercise, if this one has passed.
func (s *Session) next() error {
	if !s.Learner.Passed(s.lesson) {
		behind := s.following()
		if behind == nil {
			s.say("It is the only one that is left, and has not passed yet.")
			return nil
		}
		s.askFor(fmt.Sprintf("%s has not passed yet. Leave it for now and go to %s?", s.lesson.ID, behind.ID), func() error { return s.open(behind) })
		return nil
	}
	if l := s.Learner.Current(s.Learner.Far); l != nil {
		return s.open(l)
	}
	s.show(func() string { return s.Look.AllPassed(s.Learner.Entries()) })
	return nil
}

// following is the next exercise behind the one that is open which has not
// passed.
func (s *Session) following() *lesson.Lesson {
	all := s.Learner.Lessons
	at := s.Learner.Number(s.lesson)
	for i := range all {
		if l := &all[(at+i)%len(all)]; l.ID != s.lesson.ID && !s.Learner.Passed(l) {
			return l
		}
	}
	return nil
}

func (s *Session) hint() error {
	l := s.lesson
	if len(l.Hints) == 0 {
		s.say("There are no hints for this one.")
		return nil
	}
	_, number, err := s.Learner.NextHint(l)
	if err != nil {
		return err
	}
	if err := s.Learner.Refresh(); err != nil {
		return err
	}
	s.standing.Hints = number
	s.show(func() string { return s.Look.Hint(l, number) })
	return nil
}

func (s *Session) reset(l *lesson.Lesson) error {
	file := s.Learner.Path(l)
	backup, err := s.Learner.Reset(l) // which is a save, and is checked as one
	if err != nil {
		s.show(func() string { return s.Look.Trouble(err) })
		return nil
	}
	s.show(func() string { return s.Look.Reset(file, backup) })
	return nil
}

func (s *Session) solution() error {
	l := s.lesson
	if !s.Learner.Passed(l) {
		s.say("The solution is there once the exercise has passed; h gives a hint.")
		return nil
	}
	text, err := s.Learner.Solution(l)
	if err != nil {
		return err
	}
	s.show(func() string { return s.Look.Source(string(text)) })
	return nil
}
