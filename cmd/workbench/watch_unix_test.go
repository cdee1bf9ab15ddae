//go:build !windows

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminalOf is a program that runs in a terminal, and what a person sees there.
type terminalOf struct {
	t    *testing.T
	file *os.File // the program's own side
	keys *os.File
	cmd  *exec.Cmd

	mu     sync.Mutex
	screen *vt.Emulator
	raw    bytes.Buffer
	drawn  chan struct{} // everything that the program wrote is on the screen
}

// inTerminal starts the real program in a terminal of 80 columns.
func inTerminal(t *testing.T, rows int, env []string, args ...string) *terminalOf {
	t.Helper()
	keys, file, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(file, &pty.Winsize{Rows: uint16(rows), Cols: 80}); err != nil {
		t.Fatal(err)
	}
	s := &terminalOf{t: t, file: file, keys: keys, screen: vt.NewEmulator(80, rows), drawn: make(chan struct{})}
	s.cmd = exec.Command(os.Args[0], args...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = file, file, file
	s.cmd.Dir = t.TempDir()
	s.cmd.Env = append([]string{"WORKBENCH_ITSELF=1", "TERM=xterm-256color", "COURSE_COMMAND=./course", "HOME=" + s.cmd.Dir, "PATH=" + os.Getenv("PATH")}, env...)
	go io.Copy(io.Discard, s.screen) // what a terminal answers, nobody here wants to know
	go func() {
		defer close(s.drawn)
		b := make([]byte, 4096)
		for {
			n, err := keys.Read(b)
			s.mu.Lock()
			s.raw.Write(b[:n])
			s.screen.Write(b[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
		file.Close()
		<-s.drawn
		keys.Close()
	})
	return s
}

// text is what the screen shows.
func (s *terminalOf) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// wait waits until the screen is as it should be.
func (s *terminalOf) wait(what string, is func(text string) bool) {
	s.t.Helper()
	for late := time.Now().Add(60 * time.Second); !is(s.text()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			s.t.Fatalf("%s is not seen:\n%s", what, s.text())
		}
	}
}

// sees waits until the screen shows all of the texts, wherever lines end.
func (s *terminalOf) sees(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		s.wait(text, func(screen string) bool { return strings.Contains(strings.Join(strings.Fields(screen), " "), text) })
	}
}

// press types keys.
func (s *terminalOf) press(keys string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the program's end and returns its status.
func (s *terminalOf) ends() int {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			s.t.Fatal(err)
		}
	case <-time.After(60 * time.Second):
		s.t.Fatalf("it does not end:\n%s", s.text())
	}
	return s.cmd.ProcessState.ExitCode()
}

// solve saves the course's own solution in place of an exercise.
func solve(t *testing.T, dir, id, file string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "lessons", id, "solution", file))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, id, file), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A learner at work: from the first look to a pass, with all keys, by the real
// program and real kernels.
func TestWatchInATerminal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "exercises")
	s := inTerminal(t, 40, nil, "watch", "guard", "--dir", dir)
	before, err := term.GetState(s.file.Fd())
	if err != nil {
		t.Fatal(err)
	}
	s.sees("Let the surplus threads do nothing", "A guard for the surplus threads", "Not begun", "Every save is checked", "q end")

	s.press("s")
	s.sees("The solution is there once the exercise has passed")
	s.press("h")
	s.sees("Hint 1 of ")
	s.press("h")
	s.sees("Hint 2 of ")

	wrong, err := os.ReadFile("../../lessons/guard/mutants/one-too-far/guard.cu")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "guard", "guard.cu"), wrong, 0o666); err != nil {
		t.Fatal(err)
	}
	s.sees("Out of bounds, at ", "writes out[1]")
	solve(t, dir, "guard", "guard.cu")
	s.sees("✓ Passed", "press n to go on")
	s.press("s")
	s.sees("if (i < n) {")

	s.press("x")
	s.sees("Hand ", "y or n")
	s.press("n")
	s.sees("Nothing was done.", "✓ Passed")
	s.press("x")
	s.sees("y or n")
	s.press("y")
	s.sees("kept in", ".bak", "Not begun", "stays passed")

	s.press("l")
	s.sees("1 of ", "✓ passed, ▸ next", "✓ guard", "> ")
	s.press("/index-2d\r")
	s.sees("with: index-2d")
	s.wait("a list without guard", func(text string) bool { return !strings.Contains(text, "guard") })
	s.press("\r")
	s.sees("index-2d: exercise ", "▸ Not begun")
	s.press("n")
	s.sees("index-2d has not passed yet. Leave it for now")
	s.press("n")
	s.press("?")
	s.sees("hand the file out again")

	s.press("q")
	if status := s.ends(); status != statusOK {
		t.Errorf("it ends with status %d", status)
	}
	s.sees("index-2d has not passed yet. ./course watch goes on with it.")
	if after, err := term.GetState(s.file.Fd()); err != nil || *after != *before {
		t.Errorf("the terminal is left in another state: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	raw := s.raw.String()
	for _, restored := range []string{"\x1b[?1049l", "\x1b[?25h"} {
		if !strings.Contains(raw, restored) {
			t.Errorf("%q is not written at the end", restored)
		}
	}
}

// A terminal whose user wants no colours has none, and one that can draw nothing
// anew has lines.
func TestWatchWithoutColours(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "exercises")
	s := inTerminal(t, 40, []string{"NO_COLOR=1", "COLORTERM=truecolor"}, "watch", "guard", "--dir", dir)
	s.sees("Not begun")
	s.press("q")
	if status := s.ends(); status != statusOK {
		t.Errorf("it ends with status %d", status)
	}
	s.mu.Lock()
	if raw := s.raw.String(); strings.Contains(raw, "38;5") || strings.Contains(raw, "38;2") || strings.Contains(raw, "[31m") {
		t.Errorf("there are colours: %q", raw)
	}
	s.mu.Unlock()

	s = inTerminal(t, 40, []string{"TERM=dumb"}, "watch", "guard", "--dir", dir)
	s.sees("Not begun")
	s.press("h\n")
	s.sees("Hint 1 of ")
	s.press("q\n")
	if status := s.ends(); status != statusOK {
		t.Errorf("it ends with status %d", status)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(s.raw.String(), "\x1b") {
		t.Errorf("there are escapes: %q", s.raw.String())
	}
}

// What the shorter commands ask and draw on a terminal.
func TestCommandsInATerminal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "exercises")
	s := inTerminal(t, 40, nil, "run", "guard", "--dir", dir)
	s.sees("Your exercises are in ", "Not begun", "./course hint gives a hint")
	if status := s.ends(); status != statusFailed {
		t.Errorf("run ends with status %d", status)
	}
	solve(t, dir, "guard", "guard.cu")
	s = inTerminal(t, 60, nil, "run", "guard", "--dir", dir)
	s.sees("✓ Passed", "./course solution guard")
	if status := s.ends(); status != statusOK {
		t.Errorf("run ends with status %d", status)
	}

	s = inTerminal(t, 40, nil, "reset", "guard", "--dir", dir)
	s.sees("What you wrote is kept beside it. [y/N]")
	s.press("\n")
	s.sees("Nothing was changed.")
	s.ends()
	s = inTerminal(t, 40, nil, "reset", "guard", "--dir", dir)
	s.sees("[y/N]")
	s.press("y\n")
	s.sees("What you had written is kept in")
	if status := s.ends(); status != statusOK {
		t.Errorf("reset ends with status %d", status)
	}

	s = inTerminal(t, 70, nil, "list", "--dir", dir)
	s.sees("✓ guard", "✓ passed, ▸ next", "have passed.")
	s.ends()

	s = inTerminal(t, 24, nil, "list", "-i", "--dir", dir)
	s.sees("1 of ", "/ search")
	s.press("d")
	s.sees("shown are those that have passed", "✓ guard")
	s.press("r")
	s.sees("y or n")
	s.press("y")
	s.sees("is as it was handed out.")
	s.press("d/index-2d\r\r")
	s.sees("(index-2d) is chosen.", "./course watch index-2d")
	if status := s.ends(); status != statusOK {
		t.Errorf("list ends with status %d", status)
	}
	s = inTerminal(t, 24, nil, "run", "--dir", dir)
	s.sees("exercises/index-2d/index_2d.cu")
	s.ends()
}

// A check of all is drawn over itself, and Ctrl-C ends it, and watch, in good
// order.
func TestInterruptInATerminal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "exercises")
	s := inTerminal(t, 50, nil, "check-all", "--dir", dir, "--workers", "1")
	s.sees("running", "waiting")
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if status := s.ends(); status != statusFailed {
		t.Errorf("check-all ends with status %d", status)
	}
	s.sees("what was found until then is kept", "interrupted")

	for _, end := range []func(){
		func() { s.press("\x03") },
		func() { s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		s = inTerminal(t, 40, nil, "watch", "guard", "--dir", dir)
		before, err := term.GetState(s.file.Fd())
		if err != nil {
			t.Fatal(err)
		}
		s.sees("Not begun")
		s.press("\x1a?") // there is no shell that could bring it back: it goes on
		s.sees("hand the file out again")
		end()
		if status := s.ends(); status != statusOK {
			t.Errorf("watch ends with status %d", status)
		}
		s.sees("guard has not passed yet.")
		if after, err := term.GetState(s.file.Fd()); err != nil || *after != *before {
			t.Errorf("the terminal is left in another state: %v", err)
		}
	}
}
