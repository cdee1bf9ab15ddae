// Package lesson says what an exercise is: its row in the course's table, what
// is tried with the learner's file, and what is found.
//
// An exercise is a folder of package lessons, named by its ID:
//
//	guard/
//	  statement.md          what is to be done; read in a terminal too
//	  starter/guard.cu      what the learner begins with; it fails
//	  solution/guard.cu     it passes, on every device of the exercise
//	  mutants/no-guard/guard.cu   known to be wrong; it is caught, as its first line says
//	  check.go              package guard: the cases, each with what should come out
//
// The learner's file is the ID with _ for -, and .go, .cu or .txt by its kind.
// What may be changed lies between lines that hold Opens and Closes; all else of
// the starter stays. A mutant's first line names the kind of what finds it:
//
//	// Caught as out-of-bounds: the surplus threads write behind the end.
package lesson

import (
	"strings"
	"time"

	"workbench/engine/device"
)

// The marks around what a learner may change, each on a line of its own behind
// a comment's beginning.
const (
	Opens  = "---- your part begins ----"
	Closes = "---- your part ends ----"
)

// Lesson is one exercise.
type Lesson struct {
	ID      string // stable: progress is kept under it
	Title   string // what is to be done, as a list shows it
	Chapter int    // whose text it follows, from 1

	// Devices are the kinds on which it is checked, the first of them where nobody
	// says which. A Go exercise and a question run on the host alone, which is CPU.
	Devices []device.Kind

	Limit  time.Duration // of the learner's program, all cases together, without building it
	Within Tolerance     // how near a result must be

	Hints []string // each says more than the one before

	// Mend says that the starter does something already, and what is wrong with it
	// is what is to be found out.
	Mend bool

	Check Check // how it is checked
}

// Tolerance is how far a value u may be from the expected c:
// |u − c| ≤ Absolute + Relative·|c|. The zero value wants equal numbers.
type Tolerance struct {
	Absolute float64 `json:"absolute"`
	Relative float64 `json:"relative"`
	Why      string  `json:"why,omitempty"` // where the figures come from
}

// Check is one of *Go, *CUDA and *Questions.
type Check interface{ check() }

// Kind is what a learner writes.
type Kind string

const (
	KindGo       Kind = "Go"
	KindCUDA     Kind = "CUDA C"
	KindQuestion Kind = "question"
)

// Kind returns what the exercise's file is written in.
func (l *Lesson) Kind() Kind {
	switch l.Check.(type) {
	case *Go:
		return KindGo
	case *CUDA:
		return KindCUDA
	case *Questions:
		return KindQuestion
	}
	panic("BUG: lesson " + l.ID + " has no check")
}

// File returns the name of the learner's file: guard.cu.
func (l *Lesson) File() string {
	name := strings.ReplaceAll(l.ID, "-", "_")
	switch l.Kind() {
	case KindGo:
		return name + ".go"
	case KindCUDA:
		return name + ".cu"
	}
	return name + ".txt"
}

func (*Go) check()        {}
func (*CUDA) check()      {}
func (*Questions) check() {}
