//go:build !unix

package runner

import "os/exec"

// There are no process groups here: what a learner's program starts is its own
// affair, and the pipes are closed behind the program itself.
func ownGroup(*exec.Cmd)  {}
func killGroup(*exec.Cmd) {}
