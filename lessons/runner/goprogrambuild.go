package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"workbench/lessons/lesson"
)

// What a learner's package is built with. Its import paths are the ones that it
// has here, so that it is the code that is tested here.
//
//go:embed harness/*.go harness/value/*.go
var harnessFiles embed.FS

const harnessModule = "workbench/lessons/runner/harness"

// buildLimit bounds a build. The first one on a computer compiles the standard
// library, which takes a slow one a minute or two.
const buildLimit = 5 * time.Minute

// keptPrograms is how many built programs of an exercise stay, for a file that
// is checked again as it was. Each has 2 MB.
const keptPrograms = 3

// maxBuildText bounds what is read of what the go command says, in bytes.
const maxBuildText = 256 << 10

// BuildError is that the go command could not build, for a reason that is not in
// the learner's file.
type BuildError struct {
	Go   string // the command
	Said string
}

func (e *BuildError) Error() string {
	return "the exercise's program could not be built by " + e.Go + ": " + e.Said
}

// program is what is built of a learner's file:
//
//	go.mod            module exercise
//	flat_index.go     the learner's
//	begin.go          imports the harness, which thereby begins before the learner's package
//	main/main.go      holds each function against its signature, and hands it to the harness
type program struct {
	files map[string][]byte
	key   string // the same for the same program
}

// programOf writes the sources of the program, apart from the harness.
func programOf(l *lesson.Lesson, source []byte, functions []lesson.Function, tool goTool, harnessKey string) program {
	p := program{files: map[string][]byte{
		"go.mod": fmt.Appendf(nil, "module exercise\n\ngo 1.%d\n\nrequire %s v0.0.0\n\nreplace %s => ../../harness-%s\n",
			goNeeded, harnessModule, harnessModule, harnessKey),
		l.File():       source,
		"begin.go":     fmt.Appendf(nil, "package exercise\n\nimport _ %q\n", harnessModule),
		"main/main.go": mainOf(functions),
	}}
	sum := sha256.New()
	fmt.Fprintln(sum, tool.path, tool.version)
	for _, name := range []string{"go.mod", l.File(), "begin.go", "main/main.go"} {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(p.files[name]), p.files[name])
	}
	p.key = fmt.Sprintf("%x", sum.Sum(nil)[:12])
	return p
}

// firstFunction is the line of main.go on which the first function is declared;
// the others follow.
const firstFunction = 8

func mainOf(functions []lesson.Function) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "package main\n\nimport (\n\t\"exercise\"\n\t%q\n)\n\n", harnessModule)
	for i, f := range functions {
		fmt.Fprintf(&out, "var f%d %s = exercise.%s\n", i, f.Signature, f.Name)
	}
	fmt.Fprint(&out, "\nfunc main() {\n\tharness.Main(\n")
	for i, f := range functions {
		fmt.Fprintf(&out, "\t\tharness.Function{Name: %q, Func: f%d},\n", f.Name, i)
	}
	fmt.Fprint(&out, "\t)\n}\n")
	return out.Bytes()
}

// layHarness puts the harness's module beside the exercises' programs, and
// returns the end of its folder's name. First says that it was not there.
func layHarness(cache string) (key string, first bool, err error) {
	files := map[string][]byte{"go.mod": fmt.Appendf(nil, "module %s\n\ngo 1.%d\n", harnessModule, goNeeded)}
	err = fs.WalkDir(harnessFiles, "harness", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(harnessFiles, name)
		files[strings.TrimPrefix(name, "harness/")] = text
		return err
	})
	if err != nil {
		return "", false, err
	}
	sum := sha256.New()
	for _, name := range sortedNames(files) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(files[name]), files[name])
	}
	key = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	folder := filepath.Join(cache, "harness-"+key)
	if _, err := os.Stat(folder); err == nil {
		return key, false, nil
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return "", false, err
	}
	made, err := os.MkdirTemp(cache, "new-harness-")
	if err != nil {
		return "", false, err
	}
	defer os.RemoveAll(made)
	if err := layFiles(made, files); err != nil {
		return "", false, err
	}
	// Whoever is first has it; it is the same for all.
	if err := os.Rename(made, folder); err != nil {
		if _, there := os.Stat(folder); there != nil {
			return "", false, err
		}
	}
	return key, true, nil
}

func sortedNames(files map[string][]byte) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func layFiles(folder string, files map[string][]byte) error {
	for name, text := range files {
		name = filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// build makes the program of the learner's file, or finds it as it was made
// before. Without a path, said is what the compiler said.
func (c *Course) build(ctx context.Context, g *goCheck, tool goTool) (path, said string, err error) {
	cache, err := filepath.Abs(c.Cache)
	if err != nil {
		return "", "", err
	}
	defer func() {
		if path := new(fs.PathError); errors.As(err, &path) {
			err = fmt.Errorf("exercises in Go are built in %s, and that fails: %w", cache, err)
		}
	}()
	harnessKey, first, err := layHarness(cache)
	if err != nil {
		return "", "", err
	}
	if first { // and whoever has built nothing in Go yet waits for its library too
		g.progress(Phase{Doing: "compiling for the first time, which takes longer", Of: len(g.calls)})
	}
	p := programOf(g.lesson, g.source, g.check.Functions, tool, harnessKey)
	folder := filepath.Join(cache, g.lesson.ID)
	path = filepath.Join(folder, "program-"+p.key)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if _, err := os.Stat(path); err == nil {
		now := time.Now()
		os.Chtimes(path, now, now) // so that it is not the oldest; if that fails, it is built again some day
		return path, "", nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", "", err
	}
	made, err := os.MkdirTemp(folder, "build-")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(made)
	if err := layFiles(made, p.files); err != nil {
		return "", "", err
	}
	limited, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	built := filepath.Join(made, filepath.Base(path))
	// Without a symbol table and debugging information the linker needs half the
	// time; panics know their lines without them. The course itself is built with
	// -trimpath, and so the standard library is in Go's cache already.
	cmd := exec.CommandContext(limited, tool.path, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", built, "./main")
	cmd.Dir, cmd.Env, cmd.WaitDelay = made, append(goEnv(cache), "PWD="+made), time.Second
	ownGroup(cmd)
	out := &capture{most: maxBuildText}
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case limited.Err() != nil:
		return "", "", &BuildError{tool.path, fmt.Sprintf("it had not ended after %v", buildLimit)}
	case err != nil:
		if exit := new(exec.ExitError); !errors.As(err, &exit) {
			return "", "", err
		}
		if len(out.kept) == 0 {
			return "", "", &BuildError{tool.path, err.Error()}
		}
		return "", string(out.kept), nil
	}
	if err := os.Rename(built, path); err != nil {
		if _, there := os.Stat(path); there != nil {
			return "", "", err
		}
	}
	prune(folder)
	return path, "", nil
}

// prune removes the programs that were not used for the longest time. Somebody may
// be about to run one of them, and builds it again then.
func prune(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // there is always another time
	}
	var programs []fs.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		switch {
		case err != nil:
		case strings.HasPrefix(entry.Name(), "program-"):
			programs = append(programs, info)
		case time.Since(info.ModTime()) > 2*buildLimit: // of a course that was killed
			os.RemoveAll(filepath.Join(folder, entry.Name()))
		}
	}
	slices.SortFunc(programs, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range programs[min(keptPrograms, len(programs)):] {
		os.Remove(filepath.Join(folder, info.Name()))
	}
}
