package launchfile

import (
	"context"

	"workbench/engine/device"
	"workbench/engine/launch"
)

// File is what a launch file says.
type File struct {
	Source   string           // the name of the file with the CUDA C
	Launches []*launch.Launch // at least one, in order; they have no source yet
	Buffers  []Buffer         // all of them, in the order of the file

	// Checks are those that are on.
	Checks []launch.ReportKind

	Unmeasured bool // nothing is counted

	Instructions int64   // what a launch may execute; 0 is the launcher's own limit
	Seconds      float64 // what all launches together may take; 0 is no limit
}

// Buffer is a buffer by its name.
type Buffer struct {
	Name   string
	Type   Type
	Shape  []int
	Out    bool           // what it holds in the end is a result
	Memory *launch.Buffer // which launches point to
}

// SetSource gives the launches their source, and the contract of their sums.
func (f *File) SetSource(text string, contract device.Contract) {
	for _, l := range f.Launches {
		l.Kernel.File, l.Kernel.Source, l.Kernel.Contract = f.Source, text, contract
	}
}

// Run runs the launches as a sequence, and in the end the buffers hold the results.
// The results of the launches are those of all that ended, also beside an error.
func (f *File) Run(ctx context.Context, on launch.Launcher) ([]*launch.Result, error) {
	results, err := on.Sequence(ctx, f.Launches)
	for i, r := range results {
		for j, b := range f.Launches[i].Buffers() {
			if b != nil && b.Out && j < len(r.Buffers) && r.Buffers[j] != nil {
				b.Data, b.Uninitialised = r.Buffers[j], false
			}
		}
	}
	return results, err
}
