package worker

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shell is a process that a shell is, whose answer goes to descriptor 3.
func shell(script string) Command {
	return Command{Path: "/bin/sh", Args: []string{"-c", script}}
}

func TestAsk(t *testing.T) {
	for _, test := range []struct {
		name, script string
		answer       string
		says         string // of the error
	}{
		{"an answer", "printf hello >&3", "hello", ""},
		{"no answer", ":", "", ""},
		{"it fails", "printf hello >&3; echo 'out of ideas' >&2; exit 4", "", "exit status 4); it wrote:\nout of ideas"},
		{"it is killed", "kill -9 $$", "", "signal: killed"},
		{"it hangs", "sleep 30", "", "did not answer within 1s"},
		{"what it started hangs", "sleep 30 & exit 0", "", "did not answer within 1s"},
		{"it answered and hangs", "printf hello >&3; exec 3>&-; sleep 30", "", "did not answer within 1s"},
		{"an answer without an end", "while :; do echo nonsense >&3 || exit 0; done", "", "no end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limit := 10 * time.Second
			if strings.HasSuffix(test.says, "within 1s") {
				limit = time.Second
			}
			begin := time.Now()
			answer, err := Ask(t.Context(), shell(test.script), limit)
			if string(answer) != test.answer || (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("%q, %v", answer, err)
			}
			if took := time.Since(begin); took > limit+5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// What was asked ends with who asked, also where it gave the pipe to a process
// that is out of reach.
func TestAskIsLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "child")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := Ask(ctx, shell("setsid sh -c 'echo $$ >"+file+"; exec sleep 30' & sleep 30"), time.Minute)
		ended <- err
	}()
	child := written(t, file)
	defer func() { _ = syscall.Kill(child, syscall.SIGKILL) }()
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("who asked cannot leave")
	}
}

// written waits for the number of a process in a file.
func written(t *testing.T, file string) int {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				return pid
			}
		}
	}
	t.Fatal("it did not start")
	return 0
}

// A process that was asked and hangs ends with who asked, also one that is killed
// and can do nothing about it.
func TestAskedIsNeverOrphaned(t *testing.T) {
	file := filepath.Join(t.TempDir(), "asked")
	program := exec.Command(ownFile())
	program.Env = append(os.Environ(), role+"=asks", "WORKER_TEST_FILE="+file)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	pid := written(t, file)
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait()
	if !gone(pid, 2*time.Second) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Errorf("process %d outlives its program", pid)
	}
}
