//go:build !windows

package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// In a terminal the class has a QR code to point a phone at, Enter gives another link,
// and Ctrl-C says how to go on.
func TestPresentInTerminal(t *testing.T) {
	s := inTerminal(t, 60, []string{"COURSE_ROOT=" + courseRoot(t)}, "present", "--listen", "--addr", "127.0.0.1:0")
	s.sees("For the class:", "Enter prints a fresh link")
	if screen := s.text(); strings.Count(screen, "█") < 200 {
		t.Errorf("there is no QR code:\n%s", screen)
	}
	links := func() []string { return regexp.MustCompile(`/present/[\w-]{43}`).FindAllString(s.text(), -1) }
	s.press("\r")
	s.wait("a second link", func(string) bool { return len(links()) == 2 })
	if all := links(); all[0] == all[1] {
		t.Error("the link is the same one again")
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.sees("rests. `./course present --listen --addr 127.0.0.1:", "within 12 hours, goes on with it")
	if status := s.ends(); status != statusOK {
		t.Errorf("status %d", status)
	}
}
