package study

import (
	"context"
	"runtime"
	"sync"

	"workbench/cmd/internal/terminal"
	"workbench/lessons/lesson"
	"workbench/lessons/runner"
)

// AllOptions say how all exercises are checked.
type AllOptions struct {
	Device  string // where kernels run; "" where they usually do
	Workers int    // that check at once; 0 is one for each processor

	// Told is told whenever an exercise begins or ends, in one goroutine at a time.
	Told func(terminal.Cell)
}

// All checks every exercise and takes down what passes. What it returns are the
// exercises in their order. If ctx ends before all are done, those that are not
// stay waiting, and the error says so; what is done is taken down.
func (l *Learner) All(ctx context.Context, o AllOptions) ([]terminal.Cell, error) {
	cells := make([]terminal.Cell, len(l.Lessons))
	before := make([]bool, len(l.Lessons))
	for i := range l.Lessons {
		about := &l.Lessons[i]
		before[i] = l.Passed(about)
		cells[i] = terminal.Cell{Lesson: about, Number: i + 1, State: terminal.Waiting}
	}
	var (
		mu     sync.Mutex // of cells and of the first trouble
		broken error
		gpu    sync.Mutex // one kernel at a time runs on a GPU
		next   = make(chan int)
		work   sync.WaitGroup
	)
	set := func(c terminal.Cell) {
		mu.Lock()
		defer mu.Unlock()
		cells[c.Number-1] = c
		if o.Told != nil {
			o.Told(c)
		}
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for range min(workers, len(cells)) {
		work.Go(func() {
			for i := range next {
				about := &l.Lessons[i]
				c := terminal.Cell{Lesson: about, Number: i + 1, State: terminal.Running}
				set(c)
				options := runner.Options{}
				if o.Device != "" && about.Kind() == lesson.KindCUDA {
					options.Device = o.Device
					gpu.Lock()
				}
				v, err := l.Check(ctx, about, options)
				if options.Device != "" {
					gpu.Unlock()
				}
				switch {
				case ctx.Err() != nil && err != nil:
					c.State = terminal.Waiting
				case err != nil:
					c.State, c.Trouble = terminal.Broken, err
				default:
					if _, err := l.Course.Keep(v); err != nil {
						mu.Lock()
						broken = err
						mu.Unlock()
					}
					c.Verdict, c.Before, c.State = v, before[i], terminal.StateOf(v)
				}
				set(c)
			}
		})
	}
	for i := range cells {
		if ctx.Err() != nil {
			break
		}
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	work.Wait()
	if broken != nil {
		return cells, broken
	}
	return cells, ctx.Err()
}

// examination is a check of all in a session.
type examination struct {
	cells  []terminal.Cell
	done   bool
	err    error
	cancel context.CancelFunc
}

// examined is that a check of all went on.
type examined struct {
	of   *examination
	cell terminal.Cell
	done bool
	err  error
}

// startAll begins to check all exercises.
func (s *Session) startAll() {
	ctx, cancel := context.WithCancel(s.ctx)
	x := &examination{cancel: cancel}
	for i := range s.Learner.Lessons {
		x.cells = append(x.cells, terminal.Cell{Lesson: &s.Learner.Lessons[i], Number: i + 1, State: terminal.Waiting})
	}
	s.all = x
	s.tell(s.Look.Sentence("Checking all exercises ..."))
	// Its own view of the progress: that of the session changes meanwhile.
	learner := &Learner{Course: s.Learner.Course, Far: s.Learner.Far}
	device := s.Device
	s.work.Go(func() {
		defer cancel()
		_, err := learner.All(ctx, AllOptions{Device: device, Told: func(c terminal.Cell) { s.Post(examined{of: x, cell: c}) }})
		s.Post(examined{of: x, done: true, err: err})
	})
}

// examined takes what went on in a check of all.
func (s *Session) examined(e examined) error {
	x := s.all
	if !e.done {
		x.cells[e.cell.Number-1] = e.cell
		if e.cell.State != terminal.Running {
			s.tell(s.Look.CellLine(e.cell))
		}
		return nil
	}
	x.done, x.err = true, e.err
	if err := s.Learner.Refresh(); err != nil {
		return err
	}
	passed := s.standing.Passed
	s.standing = s.Learner.Standing(s.lesson)
	s.standing.Passed = passed
	s.tell("\n" + s.Look.Summary(x.cells))
	if s.Tell != nil {
		s.all = nil // there is no screen to leave
	}
	return nil
}

// examine takes a key while all are checked.
func (s *Session) examine(key string) error {
	switch key {
	case "q", "esc", "a", "enter":
		s.all.cancel()
		s.all = nil
	}
	return nil
}
