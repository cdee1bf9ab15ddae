package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"workbench/engine"
)

// tooLong is when a test is given up. Others may use the machine too.
const tooLong = time.Minute

// serving is a server that was started as a person would start it.
type serving struct {
	url            string
	stdout, stderr *locked
	stop           context.CancelFunc
	status         chan int
}

// startServing runs `workbench serve` and returns once it says where it is.
func startServing(t *testing.T, args ...string) *serving {
	t.Helper()
	return starting(t, append([]string{"serve"}, args...)...)
}

// starting runs a command that serves, likewise.
func starting(t *testing.T, args ...string) *serving {
	t.Helper()
	return startingIn(t, nil, args...)
}

// startingIn does so in an environment.
func startingIn(t *testing.T, env map[string]string, args ...string) *serving {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &serving{stdout: &locked{}, stderr: &locked{}, stop: cancel, status: make(chan int, 1)}
	p := &program{stdin: strings.NewReader(""), stdout: s.stdout, stderr: s.stderr, getenv: func(name string) string { return env[name] }, open: engine.Open}
	go func() { s.status <- p.run(ctx, args) }()
	t.Cleanup(func() { cancel() })
	printed := regexp.MustCompile(`http://\S+`)
	for deadline := time.Now().Add(tooLong); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if s.url = printed.FindString(s.stdout.String()); s.url != "" {
			return s
		}
		select {
		case status := <-s.status:
			t.Fatalf("it ended with status %d: %s", status, s.stderr)
		default:
		}
	}
	t.Fatalf("it never said where it is: %s", s.stderr)
	return nil
}

// end stops the server as Ctrl-C does, and returns its status.
func (s *serving) end(t *testing.T) int {
	t.Helper()
	s.stop()
	select {
	case status := <-s.status:
		return status
	case <-time.After(tooLong):
		t.Fatal("serve goes on after it was stopped")
		return -1
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestServe(t *testing.T) {
	s := startServing(t, "--addr", "127.0.0.1:0")
	if status, _ := get(t, s.url+"/healthz"); status != http.StatusOK {
		t.Errorf("/healthz answers %d", status)
	}
	if status, body := get(t, s.url+"/chapters/01-one-product"); status != http.StatusOK || !strings.Contains(body, "154") {
		t.Errorf("the first chapter answers %d, without the product's 154", status)
	}
	if status := s.end(t); status != statusOK {
		t.Errorf("status %d after a stop, want 0: %s", status, s.stderr)
	}
	if s.stderr.String() != "" {
		t.Errorf("serve says %q", s.stderr)
	}
	if _, err := net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), time.Second); err == nil {
		t.Error("somebody listens after the end")
	}
}

func TestServeOwnChapters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my chapters")
	if err := os.MkdirAll(filepath.Join(dir, "01-mine"), 0o777); err != nil {
		t.Fatal(err)
	}
	text := "---\ntitle: A chapter of mine\nsummary: Nothing much.\n---\n\nThree times five.\n\n```product threes\nleft: [[3]]\nright: [[5]]\n```\n"
	if err := os.WriteFile(filepath.Join(dir, "01-mine", "chapter.md"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s := startServing(t, "--addr", "127.0.0.1:0", "--chapters", dir)
	if status, body := get(t, s.url+"/chapters/01-mine"); status != http.StatusOK || !strings.Contains(body, "A chapter of mine") {
		t.Errorf("the author's chapter answers %d: %.200s", status, body)
	}
	if status, _ := get(t, s.url+"/chapters/01-one-product"); status != http.StatusNotFound {
		t.Errorf("the course's own chapter answers %d beside the author's", status)
	}
	if status := s.end(t); status != statusOK {
		t.Errorf("status %d: %s", status, s.stderr)
	}
}

// An author who looks at the terminal alone learns that there are mistakes,
// when they are gone, and when the folder is.
func TestServeTellsOfMistakes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	s := startServing(t, "--addr", "127.0.0.1:0", "--chapters", dir)
	said := 0
	expect := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(tooLong); ; time.Sleep(5 * time.Millisecond) {
			all := s.stderr.String()
			if rest := all[said:]; strings.Contains(rest, "\n") {
				line, _, _ := strings.Cut(rest, "\n")
				said += len(line) + 1
				if want = "workbench serve: " + want; !strings.HasPrefix(line, want) {
					t.Fatalf("serve says %q, want %q", line, want)
				}
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("serve says nothing, want %q", want)
			}
		}
	}
	expect(dir + " has no chapters yet: a chapter is a folder in it")
	file := filepath.Join(dir, "01-mine", "chapter.md")
	save := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file+".new", []byte("---\ntitle: Mine\nsummary: s\noutcomes: [o]\n---\n\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil { // never half of it
			t.Fatal(err)
		}
	}
	save("```prodct x\n```\n\n[x](#nowhere)\n")
	expect("2 mistakes in " + dir + ", shown on its pages; the first: " + file + ":7: prodct: is no kind of widget")
	save("[x](#nowhere)\n")
	expect("1 mistake in " + dir + ", shown on its page: " + file + ":7: the link")
	save("text\n")
	expect("No mistake is left in " + dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	// Between the removal of its files and its own, the folder may be seen empty.
	for deadline := time.Now().Add(tooLong); !strings.Contains(s.stderr.String()[said:], "is gone"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("serve never says that the folder is gone")
		}
	}
	if !strings.Contains(s.stderr.String(), "the pages stay as they are: "+dir+" is gone\n") {
		t.Errorf("serve says %q", s.stderr.String()[said:])
	}
	if status := s.end(t); status != statusOK {
		t.Errorf("status %d: %s", status, s.stderr)
	}
}

// A request that does not end holds a stop up: serve says so, and a second Ctrl-C does
// not wait for it.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send here")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "serve", "--addr", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "WORKBENCH_ITSELF=1")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	addr := strings.TrimPrefix(regexp.MustCompile(`http://[\d.:]+`).FindString(line), "http://")
	if addr == "" {
		t.Fatalf("it prints %q, %v", line, err)
	}
	upload, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer upload.Close()
	// It is under way once the server asks for the rest.
	fmt.Fprintf(upload, "POST /replays HTTP/1.1\r\nHost: %s\r\nExpect: 100-continue\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n", addr)
	if line, err := bufio.NewReader(upload).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("a file that is sent is answered %q, %v", line, err)
	}
	signal := func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
	}
	signal()
	said, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil || !strings.Contains(said, "serve: stopping: open requests") {
		t.Errorf("after Ctrl-C it says %q, %v", said, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for err = nil; err == nil; {
		signal()
		select {
		case err = <-ended:
			if err == nil {
				t.Fatal("it waited for its own end")
			}
		case <-time.After(10 * time.Millisecond):
		}
	}
	if !strings.Contains(err.Error(), "signal: interrupt") {
		t.Errorf("it ended with %v", err)
	}
}

func TestServeWarnsOfOtherMachines(t *testing.T) {
	s := startServing(t, "--addr", "0.0.0.0:0")
	if !strings.HasPrefix(s.url, "http://localhost:") {
		t.Errorf("it says to open %s", s.url)
	}
	if !strings.Contains(s.stderr.String(), "Warning: other machines can reach 0.0.0.0:0") {
		t.Errorf("it does not warn: %q", s.stderr)
	}
	r, err := http.NewRequest("GET", s.url+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Host, err = os.Hostname(); err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("by the machine's name %s it answers %s", r.Host, response.Status)
	}
	if status := s.end(t); status != statusOK {
		t.Errorf("status %d", status)
	}
}

func TestServeRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	addr := taken.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		status int
		want   []string
	}{
		{[]string{"--addr", addr}, statusFailed, []string{addr + " is in use", "http://127.0.0.1:" + port, "--addr 127.0.0.1:"}},
		{[]string{"--addr", "8080"}, statusUsage, []string{`--addr "8080"`, "127.0.0.1:8080"}},
		{[]string{"--addr", "127.0.0.1:http"}, statusUsage, []string{`"http" is not a port`}},
		{[]string{"--addr", "127.0.0.1:65536"}, statusUsage, []string{`"65536" is not a port`}},
		{[]string{"--addr", "192.0.2.1:8080"}, statusFailed, []string{"192.0.2.1 is not an address of this machine"}},
		{[]string{"--chapters", "no-such-folder"}, statusUsage, []string{"--chapters: ", "no-such-folder"}},
		{[]string{"--chapters", ""}, statusUsage, []string{`--chapters "": name the folder`}},
		{[]string{"--chapters", file}, statusUsage, []string{"is not a folder"}},
		{[]string{"chapter-1"}, statusUsage, []string{"serve takes flags alone"}},
	} {
		o := call(t, "", append([]string{"serve"}, c.args...)...)
		if o.status != c.status || o.stdout != "" {
			t.Errorf("serve %v: status %d, printed %q", c.args, o.status, o.stdout)
		}
		for _, want := range c.want {
			if !strings.Contains(o.stderr, want) {
				t.Errorf("serve %v says %q, want %q in it", c.args, o.stderr, want)
			}
		}
	}
}

// pretendGPU makes a process of this test a GPU's worker over libraries that are
// played, if its environment asks for that. Nil where workers do not run.
var pretendGPU func() bool

// TestMain lets the test program stand in for the workbench, for what only a
// process of its own can show.
func TestMain(m *testing.M) {
	if os.Getenv("WORKBENCH_ITSELF") != "" {
		if pretendGPU != nil && pretendGPU() {
			return
		}
		main()
		return
	}
	os.Exit(m.Run())
}

// Ctrl-C and a service manager's SIGTERM both end a server in good order.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send here")
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "serve", "--addr", "127.0.0.1:0")
		cmd.Env = append(os.Environ(), "WORKBENCH_ITSELF=1")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The line comes when it listens.
		if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || !strings.Contains(line, "http://") {
			t.Errorf("it prints %q, %v", line, err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("after %v: %v, %s", signal, err, stderr.String())
		}
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct{ host, want string }{
		{"127.0.0.1", "http://127.0.0.1:80"},
		{"", "http://localhost:80"},
		{"0.0.0.0", "http://localhost:80"},
		{"::", "http://localhost:80"},
		{"::1", "http://[::1]:80"},
		{"course.example", "http://course.example:80"},
	} {
		if got := address(c.host, "80"); got != c.want {
			t.Errorf("%q is at %s, want %s", c.host, got, c.want)
		}
	}
}

// BenchmarkStart starts the program and waits until it answers.
func BenchmarkStart(b *testing.B) {
	if runtime.GOOS == "windows" {
		b.Skip("it is stopped by a signal")
	}
	binary := filepath.Join(b.TempDir(), "workbench")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	for b.Loop() {
		cmd := exec.Command(binary, "serve", "--addr", addr)
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		for {
			response, err := http.Get(fmt.Sprintf("http://%s/healthz", addr))
			if err == nil {
				response.Body.Close()
				break
			}
			time.Sleep(500 * time.Microsecond)
		}
		b.StopTimer()
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkDemo runs the whole decoder fixture and prints it as JSON.
func BenchmarkDemo(b *testing.B) {
	for b.Loop() {
		if o := callWith(b.Context(), nil, "", "demo", "--json"); o.status != statusOK || !json.Valid([]byte(o.stdout)) {
			b.Fatalf("status %d, %s", o.status, o.stderr)
		}
	}
}
