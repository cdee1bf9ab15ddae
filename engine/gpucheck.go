package engine

import (
	"context"
	"io"
	"os/exec"
	"slices"

	"workbench/engine/cpu"
	"workbench/engine/cuda/check"
	"workbench/engine/device"
	"workbench/engine/simt"
	"workbench/engine/simt/emulator"
)

// What gpu-check does, of which package check of the CUDA devices knows all.
type (
	GPUCheck        = check.Entry   // one check of the list
	GPUCheckOptions = check.Options // how the list runs, and who hears of it
	GPUOutcome      = check.Outcome // what came of one
	GPUReport       = check.Report  // what came of all
	GPUFigure       = check.Figure  // one thing that was measured
)

// GPUChecks returns the checks of the list, and of the caller's own before them,
// whose name or group one of only chooses, all if there are none, without those
// that skip chooses; with quick, those of a run that takes a minute.
func GPUChecks(own []GPUCheck, only, skip []string, quick bool) ([]GPUCheck, error) {
	return check.Select(slices.Concat(own, check.List()), only, skip, quick)
}

// NewGPUCheck makes a check of the caller's own: see check.NewEntry.
func NewGPUCheck(group, name string, run func(ctx context.Context, saw func(format string, args ...any)) error) GPUCheck {
	return check.NewEntry(group, name, run)
}

// GPUFile returns the name of the file that a GPU's report is kept in.
func GPUFile(gpu string) string { return check.FileName(gpu) }

// CheckGPU runs checks on the GPU with that ordinal. A GPU that cannot be opened
// is a *device.UnavailableError; everything else is in the report. Part is how
// this program is started so that it calls CheckGPUPart.
func CheckGPU(ctx context.Context, ordinal int, checks []GPUCheck, part func(ctx context.Context, name string) *exec.Cmd, o GPUCheckOptions) (*GPUReport, error) {
	m := check.New(ordinal, openCPU, emulated(), part)
	if err := m.Examine(); err != nil {
		return nil, err
	}
	return check.Run(ctx, m, checks, o), nil
}

// CheckGPUPart does what a check needs a process of its own for, and writes what
// came of it to out.
func CheckGPUPart(ctx context.Context, ordinal int, name string, out io.Writer) error {
	return check.RunPart(ctx, check.New(ordinal, openCPU, emulated(), nil), name, out)
}

// emulated is what a GPU is held against launch by launch.
func emulated() check.Emulator {
	return check.Emulator{
		Open: func(c device.Contract) (device.Device, error) {
			d, err := emulator.Open(device.Spec{Kind: device.Emulator, Contract: c})
			if err != nil {
				return nil, err
			}
			return d, nil
		},
		Kernels: &simt.Emulator{},
	}
}

func openCPU(c device.Contract) (device.Device, error) {
	d, err := cpu.New(device.Spec{Kind: device.CPU, Contract: c})
	if err != nil {
		return nil, err
	}
	return d, nil
}
