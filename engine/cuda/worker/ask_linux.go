package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	answerFD   = 3
	mostAnswer = 1 << 20 // bytes
)

// Ask starts a process that answers one question and ends, and returns what it
// wrote to Answer. It is for what may crash or hang in a driver and needs no GPU
// for longer. A process that takes longer than the limit is killed.
func Ask(ctx context.Context, c Command, limit time.Duration) ([]byte, error) {
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := c.made(inner)
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	words := &tail{}
	cmd.Stderr, cmd.ExtraFiles = words, []*os.File{w}
	err = cmd.Start()
	_ = w.Close()
	if err != nil {
		return nil, err
	}
	// A process that was killed within a driver may never end, nor may what it
	// gave the pipe to.
	defer context.AfterFunc(inner, func() { _ = r.SetReadDeadline(time.Unix(1, 0)) })()
	answer, err := io.ReadAll(io.LimitReader(r, mostAnswer+1))
	_ = r.Close() // one who writes more ends
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	var exit error
	select {
	case exit = <-over:
	case <-inner.Done():
		select {
		case exit = <-over:
		case <-time.After(time.Second):
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case inner.Err() != nil:
		return nil, fmt.Errorf("it did not answer within %v", limit)
	case err != nil:
		return nil, err
	case len(answer) > mostAnswer:
		return nil, errors.New("its answer has no end")
	case exit != nil:
		return nil, errors.New(ended(cmd.ProcessState.String(), words))
	}
	return answer, nil
}

// Answer is where a process that Ask started writes its answer. The process ends
// when nobody waits for it any more, whatever it is doing.
func Answer() (*os.File, error) {
	if err := inherited(answerFD, unix.S_IFIFO); err != nil {
		return nil, err
	}
	go func() {
		// A pipe that nobody can read is an error, which needs not be asked for.
		nobody := []unix.PollFd{{Fd: answerFD}}
		for {
			if _, err := unix.Poll(nobody, -1); err != unix.EINTR {
				os.Exit(1)
			}
		}
	}()
	return os.NewFile(answerFD, "answer"), nil
}
