package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"workbench/cmd/internal/machine"
	"workbench/cmd/internal/study"
	"workbench/engine"
	"workbench/lessons"
	"workbench/lessons/lesson"
	"workbench/lessons/runner"
)

// exercisesDir is the folder below the repository with the learner's copies.
const exercisesDir = "exercises"

// course returns the exercises with the learner's folder: dir if one is given,
// otherwise the one in the repository.
func (p *program) course(dir string) (*runner.Course, error) {
	c := &runner.Course{
		Lessons: lessons.All, Files: lessons.Files(), Dir: dir,
		Open: p.open, Emulator: engine.Emulator, Go: p.getenv("COURSE_GO"),
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	root, found := machine.Root(p.getenv("COURSE_ROOT"), here)
	switch {
	case found:
		c.Cache = filepath.Join(root, ".course", "exercises")
		if dir == "" {
			c.Dir = shorter(here, filepath.Join(root, exercisesDir))
		}
	case dir == "":
		return nil, usagef("this is not the course's folder: go there, or say with --dir where your exercises are to be")
	default:
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, errors.New("there is no folder in which exercises can be built: set HOME")
		}
		c.Cache = filepath.Join(cache, "workbench", "exercises")
	}
	if p.teach != nil {
		p.teach(c)
	}
	return c, nil
}

// shorter returns a path as a person in the folder here writes it: from there, if
// that is shorter.
func shorter(here, path string) string {
	if from, err := filepath.Rel(here, path); err == nil && len(from) < len(path) {
		return from
	}
	return path
}

// dirFlag declares --dir.
func dirFlag(flags *pflag.FlagSet, dir *string) {
	flags.StringVar(dir, "dir", "", "the folder of your exercises; left out, exercises/ in the course's folder")
}

// kernelsFlag declares --device of a command that checks exercises of all kinds.
func kernelsFlag(flags *pflag.FlagSet, spec *string) {
	flags.StringVar(spec, "device", "", "where kernels run: emulator or cuda:0; left out, where they usually do")
	libraryFlag(flags)
}

// kinds are the words by which --kind names what an exercise is written in.
var kinds = map[string]lesson.Kind{"go": lesson.KindGo, "cuda": lesson.KindCUDA, "question": lesson.KindQuestion}

// readKind reads --kind; "" is every kind.
func readKind(word string) (lesson.Kind, error) {
	kind, known := kinds[word]
	if word != "" && !known {
		return "", usagef("--kind: %q is none: write go, cuda or question", word)
	}
	return kind, nil
}

// roomFlag declares --room of a command that checks what a learner does.
func (p *program) roomFlag(flags *pflag.FlagSet, room *string) {
	flags.StringVar(room, "room", p.getenv("COURSE_ROOM"), "tell a room of the lesson what passes: its code, or the address of its page for joining; by default $COURSE_ROOM")
	flags.Lookup("room").DefValue = "" // which is somebody's, and not the program's
}

// room reads --room; nil is that none is told anything.
func (p *program) room(text string) (*study.Room, error) {
	if text == "" {
		return nil, nil
	}
	room, err := study.ParseRoom(text)
	if err != nil {
		name := "--room"
		if text == p.getenv("COURSE_ROOM") {
			name = "COURSE_ROOM"
		}
		return nil, usagef("%s %q: %w", name, text, err)
	}
	return room, nil
}
