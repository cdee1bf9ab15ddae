//go:build !linux

package worker

import "errors"

// Files are what a worker was started with: on Linux alone.
type Files struct {
	requests, replies nothing
}

var errNotHere = errors.New("workers run on Linux alone")

// Inherited returns the files of a process that was started as a worker.
func Inherited() (*Files, error) { return nil, errNotHere }

func (f *Files) endWithProgram() {}

func (f *Files) room(int) ([]byte, error) { return nil, errNotHere }

// Output returns what was written to the process's standard output since the
// last call.
func (f *Files) Output() string { return "" }

// nothing reads and writes nothing.
type nothing struct{}

func (nothing) Read([]byte) (int, error)  { return 0, errNotHere }
func (nothing) Write([]byte) (int, error) { return 0, errNotHere }
