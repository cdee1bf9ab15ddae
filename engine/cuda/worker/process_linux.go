package worker

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is one worker, as the program has it.
type process struct {
	command  *exec.Cmd
	requests *os.File // to the worker
	replies  *os.File // from it
	alive    *os.File // closed when the program ends, and nothing else
	memory   *memory
	reader   *frameReader
	frame    frameBuilder
	stderr   *tail
	done     chan struct{} // closed when the process has ended and was waited for
	used     time.Time     // when its last reply came
}

// made returns the process that c starts. It is killed when ctx is done.
func (c Command) made(ctx context.Context) *exec.Cmd {
	path := c.Path
	if path == "" {
		path = ownFile()
	}
	cmd := exec.CommandContext(ctx, path, c.Args...)
	if c.Path == "" {
		cmd.Args[0] = filepath.Base(os.Args[0]) // what ps shows
	}
	cmd.Env = append(os.Environ(), c.Env...)
	// A group of its own: Ctrl-C in a terminal asks the program for an orderly
	// end, and the worker is part of that.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	return cmd
}

// killGroup ends a process that is the first of a group, and what it started.
func killGroup(p *os.Process) error {
	// The number of a process that was waited for may be another's.
	err := p.Kill()
	if err == nil {
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	}
	return err
}

// start starts a worker. It has not said anything yet.
func start(c Command) (p *process, err error) {
	var files []*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			_ = f.Close()
		}
	}
	defer func() {
		if err != nil {
			closeAll(files)
		}
	}()
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w, err
	}
	p = &process{stderr: &tail{}, done: make(chan struct{})}
	theirRequests, requests, err := pipe()
	if err != nil {
		return nil, err
	}
	replies, theirReplies, err := pipe()
	if err != nil {
		return nil, err
	}
	theirAlive, alive, err := pipe()
	if err != nil {
		return nil, err
	}
	if p.memory, err = newMemory(); err != nil {
		return nil, err
	}
	files = append(files, p.memory.file)
	fd, err := unix.MemfdCreate("workbench-output", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	output := os.NewFile(uintptr(fd), "workbench-output")
	files = append(files, output)

	cmd := c.made(context.Background())
	cmd.Stdout, cmd.Stderr = output, p.stderr
	cmd.ExtraFiles = []*os.File{theirRequests, theirReplies, theirAlive, p.memory.file} // 3, 4, 5, 6
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	closeAll([]*os.File{theirRequests, theirReplies, theirAlive, output})
	p.command, p.requests, p.replies, p.alive = cmd, requests, replies, alive
	p.reader = newFrameReader(replies)
	go func() {
		_ = cmd.Wait() // its state says more
		close(p.done)
	}()
	return p, nil
}

// pid is the number of the process.
func (p *process) pid() int { return p.command.Process.Pid }

// how says how the process ended. It has.
func (p *process) how() string { return p.command.ProcessState.String() }

// killed reports that the process was ended by SIGKILL.
func (p *process) killed() bool {
	status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// kill ends the process, and what it started: the group is its own. It may take a
// moment until it has: done says so.
func (p *process) kill() { _ = killGroup(p.command.Process) }

// release gives back what the program holds of a process that has ended.
func (p *process) release() {
	_ = p.requests.Close()
	_ = p.replies.Close()
	_ = p.alive.Close()
	p.memory.close()
}
