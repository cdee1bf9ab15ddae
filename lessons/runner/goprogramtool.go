package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// goNeeded is the oldest Go 1 that builds exercises. It is what the course itself
// is built with.
const goNeeded = 26

// usualGo is where the Go project says to unpack it.
const usualGo = "/usr/local/go/bin/go"

// ToolError is that no Go was found that builds exercises.
type ToolError struct {
	Reason string
	Tried  []string
	Next   string
}

func (e *ToolError) Error() string {
	if len(e.Tried) == 0 {
		return e.Reason + ": " + e.Next
	}
	return e.Reason + " (looked at " + strings.Join(e.Tried, ", ") + "): " + e.Next
}

const getGo = "get Go 1.26 or newer from https://go.dev/dl/ and unpack it to /usr/local/go, or name the go command in COURSE_GO"

// goTool is a go command.
type goTool struct {
	path    string
	version string // "go1.26.8"
}

// name is what a person calls it: "Go 1.26.8".
func (t goTool) name() string { return "Go " + strings.TrimPrefix(t.version, "go") }

// tool finds the go command: the course's own, or else where the script that
// starts the course looks.
func (c *Course) tool(ctx context.Context) (goTool, error) {
	candidates := []string{c.Go}
	if c.Go == "" {
		candidates = []string{"go"}
		if named := os.Getenv("COURSE_GO"); named != "" {
			candidates = append(candidates, named)
		}
		candidates = append(candidates, usualGo)
	}
	var tried []string
	old := ""
	for _, name := range candidates {
		path, err := exec.LookPath(name)
		if err != nil {
			tried = append(tried, name)
			continue
		}
		version, err := goVersion(ctx, path)
		if ctx.Err() != nil {
			return goTool{}, ctx.Err()
		}
		if err != nil {
			tried = append(tried, fmt.Sprintf("%s, which fails: %v", path, err))
			continue
		}
		if new, ok := minor(version); ok && new < goNeeded {
			tried, old = append(tried, path+", which is "+version), version
			continue
		}
		return goTool{path, version}, nil
	}
	if old != "" {
		return goTool{}, &ToolError{"Go exercises need Go 1.26 or newer", tried, getGo}
	}
	return goTool{}, &ToolError{"no Go was found, and it builds the Go exercises", tried, getGo}
}

func goVersion(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "env", "GOVERSION")
	cmd.Env = goEnv("")
	cmd.Dir = os.TempDir() // where no go.mod asks for another Go
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	version := strings.TrimSpace(string(out))
	if err == nil && version == "" {
		err = fmt.Errorf("it names no version")
	}
	return version, err
}

// minor returns the 26 of go1.26.8. A Go that was built from its sources says
// something else.
func minor(version string) (int, bool) {
	number, ok := strings.CutPrefix(version, "go1.")
	if !ok {
		return 0, false
	}
	end := 0
	for end < len(number) && number[end] >= '0' && number[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(number[:end])
	return n, err == nil
}

// goEnv is the environment of a go command that fetches nothing and that no
// setting of the learner's leads elsewhere. What is built is kept in cache, if
// nobody says where.
func goEnv(cache string) []string {
	env := without(os.Environ(), "GOFLAGS", "GOPROXY", "GOWORK", "GOTOOLCHAIN", "CGO_ENABLED", "GOOS", "GOARCH", "GOEXPERIMENT", "GODEBUG", "GO111MODULE", "GOROOT")
	env = append(env, "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GO111MODULE=on")
	if _, err := os.UserCacheDir(); err != nil && os.Getenv("GOCACHE") == "" && cache != "" {
		env = append(env, "GOCACHE="+filepath.Join(cache, "go-build"))
	}
	return env
}

// without leaves variables out of an environment.
func without(env []string, names ...string) []string {
	var left []string
next:
	for _, set := range env {
		for _, name := range names {
			if have, _, _ := strings.Cut(set, "="); strings.EqualFold(have, name) {
				continue next
			}
		}
		left = append(left, set)
	}
	return left
}
