package machine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"workbench/engine"
	"workbench/engine/device"
)

// Status of a finding.
type Status string

const (
	Present Status = "ok"
	Missing Status = "missing" // a part of the course is left out without it
	Note    Status = "note"    // said for the reader's sake; nothing to do
)

// Finding is one thing that was looked for.
type Finding struct {
	Topic  string   `json:"topic"` // "machine", "devices", "gpu", "program", "tests"
	Name   string   `json:"name"`
	Status Status   `json:"status"`
	Detail string   `json:"detail"`          // what was found, or what is left out without it
	Next   string   `json:"next,omitempty"`  // how to get it
	Tried  []string `json:"tried,omitempty"` // where it was looked for, and why it was not that

	aside bool
}

// Aside reports whether a finding adds nothing for most readers: another one has
// said it all.
func (f Finding) Aside() bool { return f.aside }

// Surroundings is how the machine is looked at. The zero value looks at
// nothing; Real looks at this machine.
type Surroundings struct {
	OS, Arch string
	CPUs     int
	Features []string                                                               // of the processor, that the CPU device can use
	Devices  []device.Info                                                          // of the front door
	CUDA     *engine.CUDA                                                           // likewise; nil if nobody looked
	Bundle   bool                                                                   // the browser bundle is part of this program
	LookPath func(name string) (string, error)                                      // as exec.LookPath
	Output   func(ctx context.Context, name string, args ...string) (string, error) // of a short command
}

// commandTime is the longest that a program may take to say its version.
const commandTime = 10 * time.Second

// Real returns this machine. Devices, CUDA and Bundle are the caller's to fill in.
func Real() Surroundings {
	return Surroundings{
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0),
		Features: features(),
		LookPath: exec.LookPath,
		Output: func(ctx context.Context, name string, args ...string) (string, error) {
			ctx, cancel := context.WithTimeout(ctx, commandTime)
			defer cancel()
			cmd := exec.CommandContext(ctx, name, args...)
			// Outside the module, and with no other toolchain fetched, so that
			// go says which version it is itself.
			cmd.Dir = os.TempDir()
			cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local")
			out, err := cmd.Output()
			return string(out), err
		},
	}
}

// Examine looks at everything the course can use.
func Examine(ctx context.Context, s Surroundings) []Finding {
	detail := s.OS + "/" + s.Arch + ", " + strconv.Itoa(s.CPUs) + " processors"
	if s.CPUs == 1 {
		detail = s.OS + "/" + s.Arch + ", 1 processor"
	}
	out := []Finding{{Topic: "machine", Name: "system", Status: Present, Detail: detail}}
	if len(s.Features) > 0 {
		out = append(out, Finding{Topic: "machine", Name: "vectors", Status: Present, Detail: strings.Join(s.Features, ", ")})
	} else {
		out = append(out, Finding{Topic: "machine", Name: "vectors", Status: Note, Detail: "none that the CPU device has code for: products are slower, their bits the same"})
	}
	for _, info := range s.Devices {
		f := Finding{Topic: "devices", Name: info.Spec, Status: Present, Detail: info.Name}
		if !info.Available {
			f.Status, f.Detail, f.Next, f.Tried = Missing, info.Reason, info.Next, info.Tried
		}
		out = append(out, withGPU(f, info, s.CUDA))
	}
	if s.CUDA != nil {
		out = append(out, libraries(*s.CUDA)...)
	}
	if s.Bundle {
		out = append(out, Finding{Topic: "program", Name: "bundle", Status: Present, Detail: "charts, typeset formulas, and an editor for kernels"})
	} else {
		out = append(out, Finding{
			Topic: "program", Name: "bundle", Status: Missing,
			Detail: "charts are shown as tables, formulas as TeX, and kernels are edited as plain text",
			Next:   "install Node.js with npm and run ./course serve (.course/npm.log says what went wrong, if anything did)",
		})
	}
	for _, t := range tools {
		out = append(out, t.find(ctx, s))
	}
	return out
}

// tool is a program that building or testing can use.
type tool struct {
	topic, name string
	commands    []string // the first that is found counts
	version     []string // arguments that make it print its version
	pattern     *regexp.Regexp
	atLeast     [2]int // major and minor version
	without     string // what is left out
	next        string
}

var tools = []tool{
	{"program", "go", []string{"go", "/usr/local/go/bin/go"}, []string{"version"}, regexp.MustCompile(`go(\d+)\.(\d+)\S*`), [2]int{1, 26},
		"this program runs, and cannot be built or tested", "get Go 1.26 or newer from https://go.dev/dl/"},
	{"program", "npm", []string{"npm"}, []string{"--version"}, regexp.MustCompile(`(\d+)\.(\d+)\S*`), [2]int{},
		"the bundle cannot be made", "apt-get install nodejs npm"},
	{"tests", "node", []string{"node"}, []string{"--version"}, regexp.MustCompile(`v(\d+)\.(\d+)\S*`), [2]int{18, 0},
		"the browser modules are not tested", "apt-get install nodejs (18 or newer)"},
	{"tests", "chromium", Browsers, []string{"--version"}, regexp.MustCompile(`(\d+)\.(\d+)\S*`), [2]int{},
		"the pages are not tested in a browser", "apt-get install chromium, or ./course test --setup as root"},
	{"tests", "gcc", []string{"gcc", "cc"}, []string{"-dumpfullversion"}, regexp.MustCompile(`(\d+)\.(\d+)\S*`), [2]int{},
		"the race detector does not run", "apt-get install gcc libc6-dev"},
	{"tests", "qemu", Emulators, []string{"--version"}, regexp.MustCompile(`version (\d+)\.(\d+)\S*`), [2]int{},
		"the bits are not checked on arm64", "apt-get install qemu-user"},
}

// Browsers are the commands by which Chromium goes.
var Browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// Emulators are the commands that run arm64 programs on another processor.
var Emulators = []string{"qemu-aarch64", "qemu-aarch64-static"}

func (t tool) find(ctx context.Context, s Surroundings) Finding {
	missing := Finding{Topic: t.topic, Name: t.name, Status: Missing, Detail: t.without, Next: t.next}
	for _, command := range t.commands {
		path, err := s.LookPath(command)
		if err != nil {
			continue
		}
		found := Finding{Topic: t.topic, Name: t.name, Status: Present, Detail: path}
		printed, err := s.Output(ctx, path, t.version...)
		if err != nil {
			missing.Detail = path + " does not start (" + firstLine(err.Error()) + "): " + t.without
			continue
		}
		m := t.pattern.FindStringSubmatch(printed)
		if m == nil {
			return found
		}
		version := strings.TrimPrefix(strings.TrimPrefix(m[0], "version "), "go")
		found.Detail = version + " (" + path + ")"
		major, _ := strconv.Atoi(m[1])
		minor, _ := strconv.Atoi(m[2])
		if major < t.atLeast[0] || major == t.atLeast[0] && minor < t.atLeast[1] {
			missing.Detail = version + " (" + path + ") is too old: " + t.without
			continue
		}
		return found
	}
	return missing
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Find returns the first of the commands that this machine has.
func Find(lookPath func(string) (string, error), commands ...string) (string, bool) {
	for _, command := range commands {
		if path, err := lookPath(command); err == nil {
			return path, true
		}
	}
	return "", false
}

// Root returns the folder of the repository: the one that ./course names, or
// the nearest folder from dir upwards whose go.mod is this module's.
func Root(courseRoot, dir string) (string, bool) {
	candidates := []string{}
	if courseRoot != "" {
		candidates = append(candidates, courseRoot)
	}
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		candidates = append(candidates, d)
		if filepath.Dir(d) == d {
			break
		}
	}
	for _, c := range candidates {
		text, err := os.ReadFile(filepath.Join(c, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module workbench\n") {
			return c, true
		}
	}
	return "", false
}
