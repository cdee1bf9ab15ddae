package lesson

import (
	"context"
	"fmt"
	"io/fs"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/launchfile"
)

// Questions checks answers, one on each line of the learner's file: `flat = 7`.
type Questions struct {
	Questions []Question
}

// Question is one of them.
type Question struct {
	Name string // what stands left of the =
	Form string // what is to be written: "a whole number of bytes", "two thread numbers, as in 3 and 5"

	// Answer finds the answer out, by running what the question is about. It returns
	// every spelling that is right, the first as a solution writes it. Blanks and
	// the case of letters do not count, nor do words of Form and Name behind a
	// number, and numbers are compared as numbers.
	Answer func(ctx context.Context, on On) ([]string, error)

	Unordered bool // of an answer of several values, in any order

	// Mistakes are wrong answers with what leads to them. The text does not say what
	// is right.
	Mistakes map[string]string

	// Why says, to who has answered everything, how the answer comes about.
	Why string
}

// On is what a question's answer is found out with.
type On struct {
	Files    fs.FS           // the exercise's folder
	Emulator launch.Recorder // that checks and measures

	// Open opens a device by its name: engine.Open.
	Open func(ctx context.Context, spec string) (device.Device, error)
}

// Run runs what a launch file says on the emulator, by the source in the
// exercise's folder. Each launch has its result, unless one before it was ended.
func (on On) Run(ctx context.Context, file string) ([]*launch.Result, error) {
	f, err := launchfile.Parse([]byte(file))
	if err != nil {
		return nil, err
	}
	source, err := fs.ReadFile(on.Files, f.Source)
	if err != nil {
		return nil, err
	}
	f.SetSource(string(source), device.Separate)
	return f.Run(ctx, on.Emulator)
}

// One runs what a launch file says, which is one launch.
func (on On) One(ctx context.Context, file string) (*launch.Result, error) {
	results, err := on.Run(ctx, file)
	if err == nil && len(results) != 1 {
		err = fmt.Errorf("%d launches came to their end, and not one", len(results))
	}
	if err != nil {
		return nil, err
	}
	return results[0], nil
}
