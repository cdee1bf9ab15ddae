//go:build !linux

package worker

import (
	"errors"
	"os"
	"time"
)

// process is one worker, as the program has it: there is none here.
type process struct {
	requests, replies *os.File
	memory            *memory
	reader            *frameReader
	frame             frameBuilder
	stderr            *tail
	done              chan struct{}
	used              time.Time
}

func start(Command) (*process, error) {
	return nil, errors.New("the worker needs Linux")
}

func (p *process) pid() int     { return 0 }
func (p *process) how() string  { return "" }
func (p *process) killed() bool { return false }
func (p *process) kill()        {}
func (p *process) release()     {}

// memory is shared memory: there is none here.
type memory struct{ bytes []byte }

func (m *memory) grow(int) error { return errors.ErrUnsupported }
func (m *memory) empty() error   { return errors.ErrUnsupported }
