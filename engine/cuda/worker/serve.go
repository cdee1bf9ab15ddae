package worker

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// GPU is what a worker serves: a *session.Session.
type GPU interface {
	Device() nvidia.Device
	Multiply(p session.Product, left, right, out []byte) (device.Stats, error)
	Sequence(launches []*launch.Launch) ([]*launch.Result, error)
	Healthy() error
	Close() error
}

// Opened is a GPU that a worker can begin to serve.
type Opened struct {
	GPU    GPU
	Driver int // version of the driver: 13000 is CUDA 13.0
}

// Serve is the worker's side: it opens the GPU on a thread that it locks for
// good, says so, and answers requests until the program closes the pipe. A
// worker whose program is gone ends at once, whatever it is doing. The process
// must end when Serve returns.
func Serve(files *Files, open func() (Opened, error)) error {
	runtime.LockOSThread()
	go files.endWithProgram()
	s := &server{requests: newFrameReader(files.requests), replies: files.replies, room: files.room}
	opened, err := open()
	if err != nil {
		return errors.Join(err, s.refuse(0, failureOf(err)))
	}
	s.gpu = opened.GPU
	if err := s.greet(opened); err != nil {
		return err
	}
	if err := s.loop(); err != nil {
		return err
	}
	return s.gpu.Close()
}

// server is the loop of a worker.
type server struct {
	requests *frameReader
	replies  io.Writer
	room     func(bytes int) ([]byte, error) // shared memory, at least so much
	gpu      GPU
	reply    frameBuilder
}

func (s *server) greet(opened Opened) error {
	build, err := Build()
	if err != nil {
		return errors.Join(err, s.refuse(0, failureOf(fmt.Errorf("the program cannot read its own file: %w", err))))
	}
	if err := s.reply.hello(Hello{Build: build, Driver: opened.Driver, Device: opened.GPU.Device()}); err != nil {
		return err
	}
	return s.send()
}

// loop answers requests until there are no more. After an error nothing can be
// answered.
func (s *server) loop() error {
	for {
		f, err := s.requests.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.answer(f); err != nil {
			return err
		}
	}
}

// answer answers one request. Its error ends the worker.
func (s *server) answer(f frame) error {
	if f.kind != kindProduct && f.kind != kindLaunch {
		return malformed("kind %d is no request", f.kind)
	}
	if f.flags&flagCheck != 0 {
		if err := s.gpu.Healthy(); err != nil {
			bad := failureOf(err)
			bad.Unhealthy = true
			return errors.Join(fmt.Errorf("the device is not in order: %w", err), s.refuse(f.number, bad))
		}
	}
	made := s.multiply
	if f.kind == kindLaunch {
		made = s.sequence
	}
	err := made(f)
	var broken *frameError
	switch {
	case err == nil:
		return s.send()
	case errors.As(err, &broken):
		return err
	}
	failed := failureOf(err)
	if sent := s.refuse(f.number, failed); sent != nil {
		return sent
	}
	if failed.Sticky {
		return fmt.Errorf("nothing works in this process any more: %w", err)
	}
	return nil
}

// multiply makes the reply to a product.
func (s *server) multiply(f frame) error {
	p, at, given, err := readProduct(f)
	if err != nil {
		return err
	}
	var left, right, out []byte
	if given > 0 {
		memory, err := s.room(given)
		if err != nil {
			return err
		}
		left, right, out = at.split(memory)
	}
	if !at.operands {
		left, right = f.body[:at.left], f.body[at.left:]
	}
	s.reply.result(f.number)
	if !at.result {
		out = s.reply.body(at.out)
	}
	stats, err := s.gpu.Multiply(p, left, right, out)
	if err != nil {
		return err
	}
	s.reply.setStats(stats)
	return nil
}

// sequence makes the reply to launches.
func (s *server) sequence(f frame) error {
	launches, memory, err := readSequence(f, s.room)
	if err != nil {
		return err
	}
	results, err := s.gpu.Sequence(launches)
	if err != nil {
		return &halfway{err, results}
	}
	return s.reply.ran(f.number, launches, results, memory)
}

// halfway is an error with what came of the launches before.
type halfway struct {
	error
	results []*launch.Result
}

func (h *halfway) Unwrap() error { return h.error }

// refuse sends a failure.
func (s *server) refuse(number uint64, f failure) error {
	s.reply.failure(number, f)
	return s.send()
}

func (s *server) send() error {
	bytes, err := s.reply.finish()
	if err != nil {
		return err
	}
	_, err = s.replies.Write(bytes)
	return err
}
