//go:build unix

package suite

import (
	"os/exec"
	"syscall"
)

// killTree makes cancelling cmd kill all that it has started: go test runs
// test programs, and those run browsers.
func killTree(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
