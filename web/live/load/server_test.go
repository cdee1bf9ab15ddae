package load

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"workbench/assets"
	"workbench/chapters"
	"workbench/engine"
	"workbench/web"
)

// A host runs a server that can be stopped in the middle of a lesson and started again.
type host interface {
	// start starts the server, and returns the presenter's link of its room, or "" if
	// it goes on with one.
	start() (link string)
	kill()
}

// here is a server in the test's own process.
type here struct {
	testing.TB
	dir, address string
	stop         func()
}

func (h *here) start() (link string) {
	h.Helper()
	s, err := web.New(web.Options{
		Chapters: chapters.FS, Assets: assets.FS, Open: engine.Open, List: engine.List, Emulator: engine.Emulator, Host: engine.Host(),
		Rooms: &web.RoomOptions{Dir: h.dir}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		h.Fatal(err)
	}
	listener, err := net.Listen("tcp", h.address)
	if err != nil {
		h.Fatal(err)
	}
	h.address = listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- s.Serve(ctx, listener) }()
	h.stop = func() {
		cancel()
		if err := <-over; err != nil {
			h.Error(err)
		}
		if err := s.Close(); err != nil {
			h.Error(err)
		}
		h.stop = nil
	}
	if len(s.Rooms().Resumed()) > 0 {
		return ""
	}
	_, secret, err := s.Rooms().New("07-product-in-three-versions")
	if err != nil {
		h.Fatal(err)
	}
	return "http://" + h.address + "/present/" + secret
}

func (h *here) kill() {
	if h.stop != nil {
		h.stop()
	}
}

// program is the program itself, in a process of its own.
type program struct {
	testing.TB
	dir, binary, address string
	cmd                  *exec.Cmd
	out                  io.Closer
}

// build builds the program.
func build(t testing.TB) *program {
	t.Helper()
	p := &program{TB: t, dir: t.TempDir()}
	p.binary = filepath.Join(p.dir, "workbench")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", p.binary, "workbench/cmd/workbench").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// A port that is free now, and likely so when the server starts again.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.address = listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

func (p *program) start() (link string) {
	p.Helper()
	p.cmd = exec.Command(p.binary, "present", "--chapter", "7", "--addr", p.address, "--rooms", filepath.Join(p.dir, "rooms"))
	p.cmd.Dir = p.dir
	log, err := os.OpenFile(filepath.Join(p.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.Fatal(err)
	}
	defer log.Close()
	p.cmd.Stderr = log
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		p.Fatal(err)
	}
	p.out = out
	links := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if text := strings.TrimSpace(lines.Text()); strings.Contains(text, "/present/") {
				select {
				case links <- text:
				default:
				}
			}
		}
	}()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if answer, err := http.Get("http://" + p.address + "/healthz"); err == nil {
			answer.Body.Close()
			break
		}
		if time.Now().After(end) {
			p.Fatal("the server does not answer")
		}
	}
	select {
	case link = <-links:
	case <-time.After(10 * time.Second):
		p.Fatal("the server prints no presenter's link")
	}
	return link
}

// kill ends the server as a power cut does.
func (p *program) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.cmd = nil
}

// memory returns what the server takes now and took at most, in MB, as the system
// counts it.
func (p *program) memory() (now, most float64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var kb float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kb); err == nil {
			now = kb / 1e3
		}
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kb); err == nil {
			most = kb / 1e3
		}
	}
	return now, most
}

// work returns the CPU time that the server has taken, and that the test has.
func (p *program) work() (server, clients time.Duration) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		p.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), ") ") // behind the name
	fields := strings.Fields(after)
	ticks := number(fields[11]) + number(fields[12]) // of a 100th of a second
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		p.Fatal(err)
	}
	return time.Duration(ticks) * 10 * time.Millisecond, time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
