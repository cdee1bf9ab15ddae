//go:build unix

package study

import (
	"os"

	"golang.org/x/sys/unix"
)

// canSuspend says whether a shell waits that can bring a stopped program back: the
// parent is of this session and of another group. Without one, as where the program
// is all that a container runs, Ctrl-Z would hang.
func canSuspend() bool {
	parent := os.Getppid()
	own, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	session, err := unix.Getsid(parent)
	if err != nil || session != own {
		return false
	}
	group, err := unix.Getpgid(parent)
	return err == nil && group != unix.Getpgrp()
}
