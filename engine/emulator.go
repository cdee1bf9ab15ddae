package engine

import (
	"workbench/engine/launch"
	"workbench/engine/simt"
)

// Emulator returns what runs kernels without a GPU, checks them and measures
// them. Reports of the kinds unchecked are not made; instructions bounds a launch,
// by the emulator's own limit if it is 0.
func Emulator(unchecked []launch.ReportKind, instructions int64) launch.Launcher {
	return &simt.Emulator{Unchecked: unchecked, Instructions: instructions}
}
