package suite

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"workbench/cmd/internal/machine"
)

// Options choose what Phases lists.
type Options struct {
	Root     string                            // the repository
	LookPath func(name string) (string, error) // as exec.LookPath
	Short    bool                              // leave out what takes long
	Run      string                            // only the Go tests whose names match
	Browser  string                            // the Chromium to use; one that is found if empty
}

// concurrent are the packages whose tests start goroutines that share memory.
// The race detector makes tests about ten times slower, and what they import is
// compiled once more for it, so that it is kept to these.
var concurrent = []string{
	"./engine/cpu",
	"./engine/cuda",
	"./engine/cuda/library",
	"./engine/cuda/worker",
	"./engine/device",
	"./engine/simt",
	"./engine/simt/emulator",
	"./engine/simt/run",
	"./engine/trace",
	"./lessons/runner",
	"./web",
	"./web/blob",
	"./web/chapter",
	"./web/exercise",
	"./web/live",
	"./web/run",
	"./web/socket",
	"./web/watch",
	"./cmd/internal/study",
	"./cmd/internal/suite",
	"./cmd/workbench",
}

// numerical are the packages whose results must have the same bits on every
// processor.
var numerical = []string{
	"./engine/scalar",
	"./engine/dtype",
	"./engine/tensor",
	"./engine/cpu",
	"./engine/autograd",
	"./engine/decoder",
	"./engine/simt/emulator",
	"./engine/trace",
}

// withoutFMA makes Go's own run time and the golang.org/x/sys feature test
// report a processor without fused multiply-add and vectors, so that the
// goldens are held on the slowest path too.
const withoutFMA = "GODEBUG=cpu.fma=off,cpu.avx2=off,cpu.avx512f=off"

// Phases lists everything that is checked, in order: what is quick and fails
// often comes first.
func Phases(o Options) []Phase {
	goTest := func(args ...string) []string {
		out := []string{"go", "test"}
		if o.Short {
			out = append(out, "-short")
		}
		if o.Run != "" {
			out = append(out, "-run", o.Run)
		}
		return append(out, args...)
	}
	const pure = "CGO_ENABLED=0" // as the program ships
	phases := []Phase{
		{Name: "format", Command: append([]string{"gofmt", "-l"}, sources(o.Root)...), Quiet: true},
		{Name: "build", Command: []string{"go", "build", "./..."}, Env: []string{pure}, Gate: true},
		{Name: "vet", Command: []string{"go", "vet", "./..."}, Env: []string{pure}},
		{Name: "staticcheck", Command: []string{"go", "tool", "staticcheck", "./..."}, Env: []string{pure}},
		{Name: "tests", Command: goTest("./..."), Env: []string{pure}},
		{Name: "exercises", Command: []string{"go", "run", "./cmd/workbench", "check"}, Env: []string{pure}},
		{Name: "no-fma", Command: goTest(numerical...), Env: []string{pure, withoutFMA}},
		o.arm64(goTest),
		o.browserModules(),
		o.race(goTest),
		o.endToEnd(goTest),
	}
	if _, err := o.LookPath("gofmt"); err != nil {
		phases[0].Missing, phases[0].Next = "gofmt is not in PATH", "it lies beside the go command, in $(go env GOROOT)/bin"
	}
	return phases
}

// arm64 runs the numerical tests as an arm64 processor would: the goldens have
// to hold there, bit for bit.
func (o Options) arm64(goTest func(...string) []string) Phase {
	p := Phase{Name: "arm64", Env: []string{"CGO_ENABLED=0", "GOARCH=arm64"}}
	emulator, ok := machine.Find(o.LookPath, machine.Emulators...)
	if !ok {
		p.Missing, p.Next = "no qemu-aarch64", "apt-get install qemu-user"
		return p
	}
	p.Command = goTest(append([]string{"-exec", emulator}, numerical...)...)
	if !o.Short {
		// Emulated, the long tests would take more time than all else together.
		p.Command = slices.Insert(p.Command, 2, "-short")
	}
	return p
}

func (o Options) browserModules() Phase {
	p := Phase{Name: "browser"}
	node, ok := machine.Find(o.LookPath, "node")
	if !ok {
		p.Missing, p.Next = "no Node.js", "apt-get install nodejs"
		return p
	}
	// Named one by one: what `node --test FOLDER` means differs by version.
	files := moduleTests(o.Root)
	if len(files) == 0 {
		p.Missing = "there is no *.test.js below assets"
		return p
	}
	p.Command = append([]string{node, "--test"}, files...)
	return p
}

func (o Options) race(goTest func(...string) []string) Phase {
	p := Phase{Name: "race", Env: []string{"CGO_ENABLED=1"}, Command: goTest(append([]string{"-race"}, concurrent...)...)}
	if _, ok := machine.Find(o.LookPath, "gcc", "cc"); !ok {
		p.Missing, p.Next = "no C compiler, which the race detector needs", "apt-get install gcc libc6-dev"
	}
	return p
}

func (o Options) endToEnd(goTest func(...string) []string) Phase {
	p := Phase{
		Name: "e2e",
		Env:  []string{"CGO_ENABLED=0", "COURSE_E2E=1", "COURSE_REQUIRE_E2E=1"},
		// -count=1: a browser is outside what the test cache knows.
		// -timeout: a busy machine takes several times as long as an idle one.
		// -parallel: a tab waits as often as it works, on its server and for its
		// next frame, and four have room in the memory of a small machine.
		Command: goTest("-count=1", "-timeout=15m", "-parallel=4", "./web/e2e"),
	}
	browsers := machine.Browsers
	if o.Browser != "" {
		browsers = []string{o.Browser}
	}
	if _, ok := machine.Find(o.LookPath, browsers...); !ok {
		p.Missing, p.Next = "no Chromium", "apt-get install chromium, or add --setup as root"
		if o.Browser != "" {
			p.Missing, p.Next = "COURSE_CHROMIUM is "+o.Browser+", which is no program", "unset it, or name one"
		}
	}
	return p
}

// sources returns the top-level folders that hold Go files of ours.
func sources(root string) []string {
	var out []string
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "exercises" { // which are a learner's own
			out = append(out, e.Name())
		}
	}
	return out
}

// moduleTests returns the test files of the browser modules, relative to root.
func moduleTests(root string) []string {
	var out []string
	filepath.WalkDir(filepath.Join(root, "assets"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // a folder that cannot be read has no tests to run
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "dist"):
			return fs.SkipDir
		case strings.HasSuffix(path, ".test.js") || strings.HasSuffix(path, ".test.mjs"):
			if rel, err := filepath.Rel(root, path); err == nil {
				out = append(out, rel)
			}
		}
		return nil
	})
	return out
}

// packages says which Debian package brings which command.
var packages = []struct {
	commands []string
	names    []string
}{
	{machine.Browsers, []string{"chromium"}},
	{[]string{"node"}, []string{"nodejs"}},
	{[]string{"npm"}, []string{"npm"}},
	{[]string{"gcc", "cc"}, []string{"gcc", "libc6-dev"}},
	{machine.Emulators, []string{"qemu-user"}},
}

// installTime bounds each step of the set-up: it goes on without.
const installTime = 5 * time.Minute

// Setup lists what installs the programs that the phases lack. Only a
// superuser of a Debian system can install them; anyone else gets the command
// to run.
func Setup(o Options, superuser bool) []Phase {
	var wanted []string
	for _, p := range packages {
		if _, ok := machine.Find(o.LookPath, p.commands...); !ok {
			wanted = append(wanted, p.names...)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	p := Phase{Name: "packages", Optional: true, Limit: installTime, Env: []string{"DEBIAN_FRONTEND=noninteractive"}}
	install := "apt-get install -y --no-install-recommends " + strings.Join(wanted, " ")
	switch _, err := o.LookPath("apt-get"); {
	case err != nil:
		p.Missing, p.Next = "this system has no apt-get", "install these by hand: "+strings.Join(wanted, " ")
	case !superuser:
		p.Missing, p.Next = "only root may install packages", "sudo "+install
	default:
		p.Command = []string{"sh", "-c", "apt-get update -q && " + install}
	}
	return []Phase{p}
}

// Bundle is the phase that makes the browser bundle if it is not current.
func Bundle(o Options) Phase {
	p := Phase{Name: "bundle", Optional: true, Limit: installTime, Env: []string{"CGO_ENABLED=0"}}
	if _, ok := machine.Find(o.LookPath, "npm"); !ok {
		p.Missing, p.Next = "no npm", "apt-get install nodejs npm"
		return p
	}
	// The stamp tells ./course that the bundle need not be made again.
	p.Command = []string{"sh", "-c", "go run ./assets/bundle -check || { " +
		"npm ci --prefix assets --ignore-scripts --no-audit --no-fund --fetch-timeout=30000 --fetch-retries=1 && " +
		"go run ./assets/bundle && mkdir -p .course && : >.course/bundle.made; }"}
	return p
}
