package worker

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The worker's descriptors.
const (
	requestsFD = 3
	repliesFD  = 4
	aliveFD    = 5
	memoryFD   = 6
)

// Files are what a worker was started with.
type Files struct {
	requests, replies, alive *os.File
	memory                   *memory
}

// Inherited returns the files of a process that was started as a worker.
func Inherited() (*Files, error) {
	for fd := requestsFD; fd <= memoryFD; fd++ {
		kind := uint32(unix.S_IFIFO)
		if fd == memoryFD {
			kind = unix.S_IFREG
		}
		if err := inherited(fd, kind); err != nil {
			return nil, err
		}
		unix.CloseOnExec(fd)
	}
	// Blocking descriptors are read and written on the calling thread, without a
	// detour through Go's poller.
	for _, fd := range []int{requestsFD, repliesFD, aliveFD} {
		if err := syscall.SetNonblock(fd, false); err != nil {
			return nil, fmt.Errorf("descriptor %d: %w", fd, err)
		}
	}
	return &Files{
		requests: os.NewFile(requestsFD, "requests"),
		replies:  os.NewFile(repliesFD, "replies"),
		alive:    os.NewFile(aliveFD, "alive"),
		memory:   &memory{file: os.NewFile(memoryFD, "memory")},
	}, nil
}

// inherited reports that a descriptor is not of the kind with which the program
// starts another process of itself: Go's own may have the same number.
func inherited(fd int, kind uint32) error {
	var status unix.Stat_t
	if err := unix.Fstat(fd, &status); err != nil || status.Mode&unix.S_IFMT != kind {
		return fmt.Errorf("descriptor %d is not what the program gives to a process that it starts: it does so by itself, and for nobody else", fd)
	}
	return nil
}

// endWithProgram ends the process when the program is gone. The descriptor's
// other end is the program's alone, and nothing is ever written to it.
func (f *Files) endWithProgram() {
	_, _ = io.Copy(io.Discard, f.alive)
	os.Exit(0)
}

func (f *Files) room(bytes int) ([]byte, error) {
	if err := f.memory.see(bytes); err != nil {
		return nil, err
	}
	return f.memory.bytes, nil
}

// mostOutput bounds what kernels print in one launch, in bytes.
const mostOutput = 64 << 10

// Output returns what was written to the process's standard output since the
// last call, the beginning of it where it is long. It is for session.Libraries.
func (f *Files) Output() string {
	out := os.Stdout
	info, err := out.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return ""
	}
	text := make([]byte, min(info.Size(), mostOutput))
	n, _ := out.ReadAt(text, 0)
	said := strings.ToValidUTF8(string(text[:n]), "�")
	if info.Size() > mostOutput {
		said += fmt.Sprintf("\n… (cut: %d bytes were printed)", info.Size())
	}
	if out.Truncate(0) == nil {
		_, _ = out.Seek(0, io.SeekStart)
	}
	return said
}
