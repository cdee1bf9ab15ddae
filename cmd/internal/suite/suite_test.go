package suite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func sh(name, script string) Phase {
	return Phase{Name: name, Command: []string{"sh", "-c", script}}
}

func statuses(results []Result) []Status {
	var out []Status
	for _, r := range results {
		out = append(out, r.Status)
	}
	return out
}

func needsShell(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("these phases are written for sh")
	}
}

func TestRun(t *testing.T) {
	needsShell(t)
	quiet := sh("format", "echo engine/bad.go")
	quiet.Quiet = true
	silent := sh("format", "true")
	silent.Quiet = true
	gate := sh("build", "echo does not compile >&2; exit 1")
	gate.Gate = true
	optional := sh("bundle", "echo no network; exit 1")
	optional.Optional = true
	slow := sh("slow", "sleep 60")
	slow.Limit = 50 * time.Millisecond
	for _, c := range []struct {
		name   string
		phases []Phase
		want   []Status
		output string // that has to be shown
	}{
		{"passes without output", []Phase{sh("a", "echo noise"), silent}, []Status{Passed, Passed}, ""},
		{"a failure shows its output and the rest goes on", []Phase{sh("a", "echo wrong; exit 3"), sh("b", "true")}, []Status{Failed, Passed}, "wrong"},
		{"output fails a quiet phase", []Phase{quiet}, []Status{Failed}, "engine/bad.go"},
		{"a gate stops the rest", []Phase{gate, sh("b", "true")}, []Status{Failed, NotRun}, "does not compile"},
		{"missing tools are never run", []Phase{{Name: "a", Missing: "no Chromium", Command: []string{"false"}}}, []Status{LeftOut}, ""},
		{"a failed set-up is left out, and shown", []Phase{optional, sh("b", "true")}, []Status{LeftOut, Passed}, "no network"},
		{"a limit ends a phase", []Phase{slow}, []Status{Failed}, "not done after 50ms"},
		{"a program that is not there", []Phase{{Name: "a", Command: []string{"no-such-program-here"}}}, []Status{Failed}, "no-such-program-here"},
		{"the environment", []Phase{{Name: "a", Command: []string{"sh", "-c", `test "$COLOUR" = blue`}, Env: []string{"COLOUR=blue"}}}, []Status{Passed}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			r := &Runner{Dir: t.TempDir(), Output: &out}
			if got := statuses(r.Run(t.Context(), c.phases)); !slices.Equal(got, c.want) {
				t.Errorf("statuses %v, want %v", got, c.want)
			}
			if c.output == "" && out.Len() > 0 || !strings.Contains(out.String(), c.output) {
				t.Errorf("printed %q, want %q in it", out.String(), c.output)
			}
		})
	}
}

func TestVerboseStreams(t *testing.T) {
	needsShell(t)
	var out bytes.Buffer
	r := &Runner{Dir: t.TempDir(), Output: &out, Verbose: true}
	p := sh("tests", "echo ok engine; echo warned >&2")
	p.Env = []string{"CGO_ENABLED=0"}
	r.Run(t.Context(), []Phase{p})
	want := "== tests: CGO_ENABLED=0 sh -c 'echo ok engine; echo warned >&2'\nok engine\nwarned\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// An interrupt has to end what the phase has started, not only the phase: a
// test program or a browser that lives on keeps a port or a processor.
func TestInterruptKillsGrandchildren(t *testing.T) {
	needsShell(t)
	dir := t.TempDir()
	alive := filepath.Join(dir, "alive")
	started := filepath.Join(dir, "started")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for range 500 {
			if _, err := os.Stat(started); !errors.Is(err, os.ErrNotExist) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	r := &Runner{Dir: dir, Output: new(bytes.Buffer)}
	begin := time.Now()
	results := r.Run(ctx, []Phase{
		sh("a", "(sleep 2; touch alive) & touch started; wait"),
		sh("b", "true"),
	})
	if got := statuses(results); !slices.Equal(got, []Status{Failed, NotRun}) {
		t.Errorf("statuses %v, want failed and not run", got)
	}
	if results[0].Reason != "interrupted" {
		t.Errorf("reason %q, want interrupted", results[0].Reason)
	}
	if _, err := os.Stat(started); err != nil {
		t.Fatalf("the phase never started: %v", err)
	}
	time.Sleep(time.Until(begin.Add(2500 * time.Millisecond)))
	if _, err := os.Stat(alive); err == nil {
		t.Error("the grandchild went on after the interrupt")
	}
}

func TestWriteTable(t *testing.T) {
	var out bytes.Buffer
	err := WriteTable(&out, []Result{
		{Phase: Phase{Name: "format"}, Status: Passed, Elapsed: 312 * time.Millisecond},
		{Phase: Phase{Name: "tests"}, Status: Failed, Elapsed: 71 * time.Second},
		{Phase: Phase{Name: "e2e", Missing: "no Chromium", Next: "apt-get install chromium"}, Status: LeftOut},
		{Phase: Phase{Name: "race"}, Status: NotRun},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `phase   result    time
format  passed    300ms
tests   failed    1m11s
e2e     left out  no Chromium: apt-get install chromium
race    not run
phases: 1 passed, 1 failed, 2 skipped
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// only finds the programs named, and no others.
func only(names ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		if slices.Contains(names, name) {
			return "/usr/bin/" + name, nil
		}
		return "", errors.New("not found")
	}
}

func find(t *testing.T, phases []Phase, name string) Phase {
	t.Helper()
	for _, p := range phases {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no phase %q", name)
	return Phase{}
}

func TestPhasesWithoutTools(t *testing.T) {
	root := repository(t)
	phases := Phases(Options{Root: root, LookPath: only("gofmt")})
	for _, name := range []string{"arm64", "browser", "race", "e2e"} {
		if p := find(t, phases, name); p.Missing == "" || p.Next == "" {
			t.Errorf("%s is not left out without its tool: %+v", name, p)
		}
	}
	for _, name := range []string{"format", "build", "vet", "staticcheck", "tests", "exercises", "no-fma"} {
		if p := find(t, phases, name); p.Missing != "" {
			t.Errorf("%s is left out though Go is all it needs: %s", name, p.Missing)
		}
	}
}

func TestNamedBrowser(t *testing.T) {
	o := Options{Root: repository(t), LookPath: only("chromium", "brave"), Browser: "brave"}
	if p := find(t, Phases(o), "e2e"); p.Missing != "" {
		t.Errorf("the browser that is named is there: %s", p.Missing)
	}
	o.Browser = "lynx"
	if p := find(t, Phases(o), "e2e"); !strings.Contains(p.Missing, "lynx") {
		t.Errorf("the browser that is named is not there, and another one is taken: %+v", p)
	}
}

func TestPhasesWithTools(t *testing.T) {
	root := repository(t)
	phases := Phases(Options{
		Root: root, Short: true, Run: "TestLive",
		LookPath: only("gofmt", "node", "chromium", "gcc", "qemu-aarch64"),
	})
	for _, c := range []struct{ phase, want string }{
		{"tests", "CGO_ENABLED=0 go test -short -run TestLive ./..."},
		{"race", "CGO_ENABLED=1 go test -short -run TestLive -race "},
		{"arm64", "GOARCH=arm64 go test -short -run TestLive -exec /usr/bin/qemu-aarch64 ./engine/scalar "},
		{"e2e", "COURSE_REQUIRE_E2E=1 go test -short -run TestLive -count=1 -timeout=15m -parallel=4 ./web/e2e"},
	} {
		p := find(t, phases, c.phase)
		if p.Missing != "" {
			t.Errorf("%s is left out: %s", c.phase, p.Missing)
		}
		if got := commandLine(p); !strings.Contains(got, c.want) {
			t.Errorf("%s runs %q, want %q in it", c.phase, got, c.want)
		}
	}
	browser := find(t, phases, "browser")
	if len(browser.Command) < 3 {
		t.Errorf("the browser phase has no test files: %q", browser.Command)
	}
	for _, file := range browser.Command[2:] {
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Error(err)
		}
	}
}

// The packages that phases name must exist: a renamed one would otherwise be
// an error of the go command that explains nothing.
func TestNamedPackagesExist(t *testing.T) {
	root := repository(t)
	for _, pattern := range slices.Concat(concurrent, numerical) {
		dir := filepath.Join(root, strings.TrimSuffix(pattern, "/..."))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("%s is in the list and not in the repository", pattern)
		}
	}
}

func TestSetup(t *testing.T) {
	o := Options{LookPath: only("apt-get", "node", "npm", "cc", "qemu-aarch64-static")}
	root := Setup(o, true)
	if len(root) != 1 || !strings.HasSuffix(commandLine(root[0]), "chromium'") || root[0].Missing != "" {
		t.Errorf("root gets %+v, want Chromium alone to be installed", root)
	}
	user := Setup(o, false)
	if len(user) != 1 || user[0].Command != nil || !strings.HasPrefix(user[0].Next, "sudo apt-get install") {
		t.Errorf("another user gets %+v, want the command to run", user)
	}
	elsewhere := Setup(Options{LookPath: only()}, true)
	if len(elsewhere) != 1 || elsewhere[0].Command != nil || !strings.Contains(elsewhere[0].Next, "chromium nodejs npm gcc libc6-dev qemu-user") {
		t.Errorf("a system without apt-get gets %+v", elsewhere)
	}
	if all := Setup(Options{LookPath: only("chrome", "node", "npm", "gcc", "qemu-aarch64")}, true); all != nil {
		t.Errorf("nothing is missing, and %+v would be run", all)
	}
}

func TestBundle(t *testing.T) {
	if p := Bundle(Options{LookPath: only()}); p.Missing == "" {
		t.Error("a bundle cannot be made without npm")
	}
	if p := Bundle(Options{LookPath: only("npm")}); p.Missing != "" || !p.Optional || p.Limit == 0 {
		t.Errorf("with npm: %+v, want an optional phase with a limit", p)
	}
}

// repository returns the root of the repository, which tests run below.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return root
}
