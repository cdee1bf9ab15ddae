package engine

import (
	"workbench/engine/launch"
	"workbench/engine/simt"
)

// Emulator returns what runs kernels without a GPU, checks them and measures
// them, and records blocks that are to be stepped. Reports of the kinds unchecked are not made; instructions bounds a launch,
// by the emulator's own limit if it is 0.
func Emulator(unchecked []launch.ReportKind, instructions int64) launch.Recorder {
	return &simt.Emulator{Unchecked: unchecked, Instructions: instructions}
}
