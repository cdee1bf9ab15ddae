package main

import (
	"errors"
	"os"
	"path/filepath"

	"workbench/cmd/internal/machine"
	"workbench/engine"
	"workbench/lessons"
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
			c.Dir = filepath.Join(root, exercisesDir)
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
	return c, nil
}
