package compile

import (
	"fmt"
	"slices"

	"workbench/engine/cuda/nvidia"
)

// An ArchitectureError is a GPU that is older than what an NVRTC compiles for.
type ArchitectureError struct {
	Device       nvidia.Device
	Oldest       int // compute capability that this NVRTC compiles for, as 10 major + minor
	Major, Minor int // version of this NVRTC
}

func (e *ArchitectureError) Error() string { return e.Reason() + ": " + e.Next() }

// Reason says what does not fit.
func (e *ArchitectureError) Reason() string {
	return fmt.Sprintf("%s has compute capability %d.%d, and NVRTC %d.%d compiles for %d.%d and newer",
		e.Device.Name, e.Device.Major, e.Device.Minor, e.Major, e.Minor, e.Oldest/10, e.Oldest%10)
}

// Next says which NVRTC still compiles for the device: the CUDA toolkit's
// release notes name the versions that dropped architectures. 13 dropped what is
// before 7.5, and 12 what is before 5.0.
func (e *ArchitectureError) Next() string {
	switch capability := 10*e.Device.Major + e.Device.Minor; {
	case capability >= 70 && capability < 75 && e.Major >= 13:
		return "install NVRTC 12, the last that does for this GPU; kernels that are not edited run without it"
	case capability >= 50 && capability < 75 && e.Major >= 13:
		return "install NVRTC 12, the last that does for this GPU"
	case capability >= 35 && capability < 50:
		return "install NVRTC 11.8, the last that does for this GPU"
	case capability < 35:
		return "no NVRTC that the workbench can use compiles for this GPU"
	}
	return "install an NVRTC that does"
}

// choose returns the architecture to compile for: the device's own where NVRTC
// knows it, which gives machine code that no driver needs to compile again; for
// one that is newer, the newest that NVRTC knows and the device can run, as PTX,
// which the driver compiles. Known is ascending.
func choose(known []int, d nvidia.Device) (string, error) {
	capability := 10*d.Major + d.Minor
	if slices.Contains(known, capability) {
		return fmt.Sprintf("sm_%d", capability), nil
	}
	best := 0
	for _, k := range known {
		if k <= capability {
			best = max(best, k)
		}
	}
	if best == 0 {
		e := &ArchitectureError{Device: d}
		if len(known) > 0 {
			e.Oldest = slices.Min(known)
		}
		return "", e
	}
	return fmt.Sprintf("compute_%d", best), nil
}
