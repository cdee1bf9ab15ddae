package engine

import (
	"time"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

// EmulatorOptions say what an emulator looks for and how long it may take. The zero
// value checks everything, measures, and has the emulator's own limit.
type EmulatorOptions struct {
	Unchecked    []launch.ReportKind // what is not reported
	Unmeasured   bool                // nothing is counted
	Instructions int64               // of a launch; 0 is the emulator's own limit
	Time         time.Duration       // of all launches of a sequence; 0 is no limit
}

// Emulator returns what runs kernels without a GPU, checks them and measures
// them, and records blocks that are to be stepped.
func Emulator(o EmulatorOptions) launch.Recorder {
	return &simt.Emulator{Unchecked: o.Unchecked, Unmeasured: o.Unmeasured, Instructions: o.Instructions, Time: o.Time}
}
