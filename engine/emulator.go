package engine

import (
	"time"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

// Emulator returns what runs kernels without a GPU, checks them and measures
// them, and records blocks that are to be stepped.
func Emulator(w launch.Watch) launch.Recorder {
	return &simt.Emulator{
		Unchecked: w.Unchecked, Unmeasured: w.Unmeasured, Instructions: w.Instructions, Memory: w.Memory,
		Time: time.Duration(w.Seconds * float64(time.Second)),
	}
}
