package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// sandbox is a copy of the course script in a repository of its own, with
// stand-ins for go and npm that write down how they were called.
type sandbox struct {
	t   *testing.T
	dir string   // the repository; its path has a space
	bin string   // the only folder of PATH
	env []string // more of the environment
}

// goStandIn is a go command: what it builds is a script that tells how it was
// started.
const goStandIn = `#!/bin/sh
echo "go $*" >>"$CALLS"
case $1 in
version) echo "go version ${GO_VERSION:-go1.26.8} linux/amd64" ;;
run) [ -z "$BUNDLE_FAILS" ] || exit 1
     echo "// echarts" >assets/dist/echarts.js ;;
build)
	[ -z "$BUILD_FAILS" ] || { echo "engine/x.go:1:1: expected package" >&2; exit 1; }
	while [ "$1" != -o ]; do shift; done
	cat >"$2" <<'END'
#!/bin/sh
echo "in $PWD"
echo "root $COURSE_ROOT"
for a in "$@"; do echo "argument <$a>"; done
exit "${EXIT:-0}"
END
	chmod +x "$2" ;;
esac
`

const npmStandIn = `#!/bin/sh
echo "npm $1" >>"$CALLS"
exit "${NPM_EXIT:-0}"
`

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the script is for sh")
	}
	script, err := os.ReadFile("../../course")
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	s := &sandbox{t: t, dir: filepath.Join(top, "my course"), bin: filepath.Join(top, "bin")}
	s.write("my course/course", string(script), 0o777)
	for _, name := range []string{"go.mod", "go.sum", "engine/e.go", "web/w.go", "cmd/c.go", "chapters/c.md", "assets/package-lock.json", "assets/bundle/b.go", "assets/dist/README.md"} {
		s.write("my course/"+name, "x\n", 0o666)
	}
	s.write("bin/go", goStandIn, 0o777)
	s.write("bin/npm", npmStandIn, 0o777)
	for _, tool := range []string{"sh", "sed", "find", "head", "cat", "mkdir", "dirname", "rm", "mv", "chmod", "timeout"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Skipf("no %s here: %v", tool, err)
		}
		if err := os.Symlink(path, filepath.Join(s.bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	s.age()
	return s
}

func (s *sandbox) write(name, text string, mode os.FileMode) {
	s.t.Helper()
	path := filepath.Join(filepath.Dir(s.dir), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
}

// age makes every file and folder of the repository an hour old, so that what
// the script makes is newer whatever the file system's clock resolves.
func (s *sandbox) age() {
	s.t.Helper()
	hour := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || strings.Contains(path, ".course") {
			return err
		}
		return os.Chtimes(path, hour, hour)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// touch makes one file newer than all that the script has made.
func (s *sandbox) touch(name string) {
	s.t.Helper()
	soon := time.Now().Add(time.Second)
	if err := os.Chtimes(filepath.Join(s.dir, name), soon, soon); err != nil {
		s.t.Fatal(err)
	}
}

// started is what came of one start.
type started struct {
	status         int
	stdout, stderr string
	calls          string // of the stand-ins, but for go version
}

func (s *sandbox) start(args ...string) started {
	s.t.Helper()
	elsewhere := s.t.TempDir()
	calls := filepath.Join(elsewhere, "calls")
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(s.dir, "course"), args...)
	cmd.Dir = elsewhere
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append([]string{"PATH=" + s.bin, "CALLS=" + calls, "COURSE_GO=/no/go/here"}, s.env...)
	err := cmd.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		s.t.Fatal(err)
	}
	var kept []string
	text, _ := os.ReadFile(calls)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if words := strings.Fields(line); len(words) > 1 && words[1] != "version" {
			kept = append(kept, words[0]+" "+words[1])
		}
	}
	return started{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), strings.Join(kept, ", ")}
}

func TestCourseBuildsOnceAndHandsOver(t *testing.T) {
	s := newSandbox(t)
	first := s.start("serve", "--addr", "two words", "")
	if first.status != 0 || first.calls != "npm ci, go run, go build" {
		t.Fatalf("status %d, calls %q, %s", first.status, first.calls, first.stderr)
	}
	for _, want := range []string{"root " + s.dir + "\n", "argument <serve>\nargument <--addr>\nargument <two words>\nargument <>\n"} {
		if !strings.Contains(first.stdout, want) {
			t.Errorf("the program prints %q, want %q in it", first.stdout, want)
		}
	}
	if strings.Contains(first.stdout, "in "+s.dir) {
		t.Error("the program runs in the repository, and not where the person is")
	}
	s.age()
	if again := s.start(); again.status != 0 || again.calls != "" || again.stderr != "" {
		t.Errorf("the second start calls %q and says %q, want nothing", again.calls, again.stderr)
	}
	s.env = []string{"EXIT=7"}
	if o := s.start("compare"); o.status != 7 {
		t.Errorf("status %d, want the program's own 7", o.status)
	}
}

// Only what shows pages waits for npm; a binary that was built before has the
// bundle built in when it comes.
func TestCourseMakesTheBundleForPages(t *testing.T) {
	s := newSandbox(t)
	for _, args := range [][]string{{}, {"--help"}, {"version"}, {"demo"}, {"doctor"}, {"help", "serve"}, {"serve", "--help"}, {"test", "-h"}} {
		if o := s.start(args...); o.status != 0 || strings.Contains(o.calls, "npm") {
			t.Errorf("course %q: status %d, calls %q", args, o.status, o.calls)
		}
	}
	s.age()
	if o := s.start("demo"); o.calls != "" {
		t.Fatalf("the program is built again: %q", o.calls)
	}
	if o := s.start("test"); o.calls != "npm ci, go run, go build" {
		t.Errorf("course test calls %q, want the bundle and a binary with it", o.calls)
	}
	s.age()
	for _, args := range [][]string{{"serve"}, {"demo"}} {
		if o := s.start(args...); o.calls != "" {
			t.Errorf("course %q calls %q once the bundle is there", args, o.calls)
		}
	}
}

func TestCourseSeesChanges(t *testing.T) {
	s := newSandbox(t)
	s.start("serve")
	s.age()
	for _, c := range []struct {
		name, want string
		change     func()
	}{
		{"a source", "go build", func() { s.touch("engine/e.go") }},
		{"a chapter", "go build", func() { s.touch("chapters/c.md") }},
		{"a removed file", "go build", func() {
			if err := os.Remove(filepath.Join(s.dir, "web/w.go")); err != nil {
				t.Fatal(err)
			}
			s.touch("web")
		}},
		{"the lock file", "npm ci, go run, go build", func() { s.touch("assets/package-lock.json") }},
		{"another Go", "go build", func() { s.env = []string{"GO_VERSION=go1.27.1"} }},
		{"nothing", "", func() {}},
	} {
		s.age()
		s.start("serve")
		s.age()
		c.change()
		if o := s.start("serve"); o.calls != c.want {
			t.Errorf("%s: calls %q, want %q", c.name, o.calls, c.want)
		}
	}
}

func TestCourseGo(t *testing.T) {
	for _, c := range []struct {
		version string
		ok      bool
	}{
		{"go1.26.0", true}, {"go1.26rc1", true}, {"go1.30", true}, {"go2.0", true}, {"devel go1.27-abcdef", true},
		{"go1.25.9", false}, {"go1.19.8", false}, {"go1.3", false},
	} {
		s := newSandbox(t)
		s.env = []string{"GO_VERSION=" + c.version}
		o := s.start()
		if (o.status == 0) != c.ok {
			t.Errorf("%s: status %d, %s", c.version, o.status, o.stderr)
		}
		if !c.ok && (strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "https://go.dev/dl/") || !strings.Contains(o.stderr, "this is Go 1.")) {
			t.Errorf("%s: says %q, want one sentence with the version and how to get another", c.version, o.stderr)
		}
	}

	s := newSandbox(t)
	if err := os.Rename(filepath.Join(s.bin, "go"), filepath.Join(s.bin, "other-go")); err != nil {
		t.Fatal(err)
	}
	if o := s.start(); o.status != 1 || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "no Go was found") {
		t.Errorf("no Go: status %d, %q", o.status, o.stderr)
	}
	s.env = []string{"COURSE_GO=" + filepath.Join(s.bin, "other-go")}
	if o := s.start(); o.status != 0 {
		t.Errorf("Go outside PATH: status %d, %q", o.status, o.stderr)
	}
}

func TestCourseWithoutBundle(t *testing.T) {
	s := newSandbox(t)
	if err := os.Remove(filepath.Join(s.bin, "npm")); err != nil {
		t.Fatal(err)
	}
	o := s.start("serve")
	if o.status != 0 || !strings.Contains(o.stderr, "npm is not installed, so charts are shown as tables, formulas as TeX, and kernels are edited as plain text") {
		t.Errorf("no npm: status %d, %q", o.status, o.stderr)
	}
	s.age()
	if o := s.start("serve"); o.status != 0 || o.stderr != "" {
		t.Errorf("no npm, the second time: status %d, %q", o.status, o.stderr)
	}
	s.write("bin/npm", npmStandIn, 0o777)
	if o := s.start("serve"); o.calls != "npm ci, go run, go build" {
		t.Errorf("npm is there now, and the calls are %q", o.calls)
	}
}

func TestCourseBundleFails(t *testing.T) {
	for _, failure := range []string{"NPM_EXIT=1", "BUNDLE_FAILS=1"} {
		s := newSandbox(t)
		s.env = []string{failure}
		o := s.start("serve")
		if o.status != 0 || !strings.Contains(o.stderr, "charts are shown as tables") || !strings.HasSuffix(o.calls, "go build") {
			t.Errorf("%s: status %d, calls %q, %q", failure, o.status, o.calls, o.stderr)
		}
		s.age()
		if o := s.start("serve"); o.calls != "" || o.stderr != "" {
			t.Errorf("%s, the second time: calls %q, says %q", failure, o.calls, o.stderr)
		}
		s.env = nil
		if o := s.start("test", "--setup"); o.calls != "npm ci, go run, go build" {
			t.Errorf("%s, then --setup: calls %q", failure, o.calls)
		}
	}
}

func TestCourseBuildFails(t *testing.T) {
	s := newSandbox(t)
	s.start()
	s.age()
	s.touch("engine/e.go")
	s.env = []string{"BUILD_FAILS=1"}
	o := s.start("demo")
	if o.status != 1 || !strings.Contains(o.stderr, "engine/x.go:1:1") || o.stdout != "" {
		t.Errorf("status %d, %q; printed %q by an old program", o.status, o.stderr, o.stdout)
	}
	s.env = nil
	if o := s.start("demo"); o.calls != "go build" {
		t.Errorf("after the failure the calls are %q", o.calls)
	}
}

func TestCourseReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		// The superuser may write anywhere; a file in the folder's place
		// stops everyone.
		s := newSandbox(t)
		s.write("my course/.course", "", 0o666)
		if o := s.start(); o.status != 1 || !strings.Contains(o.stderr, "cannot be written") {
			t.Errorf("status %d, %q", o.status, o.stderr)
		}
		return
	}
	s := newSandbox(t)
	if err := os.Chmod(s.dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(s.dir, 0o777) })
	if o := s.start(); o.status != 1 || !strings.Contains(o.stderr, "cannot be written") {
		t.Errorf("status %d, %q", o.status, o.stderr)
	}
}
