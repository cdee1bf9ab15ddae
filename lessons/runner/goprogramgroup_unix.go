//go:build unix

package runner

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command's process the first of a group, which is killed as a
// whole: what it started may not outlive it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killGroup ends what is left of a group whose first process is over.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly there is nobody left
	}
}
