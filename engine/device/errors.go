package device

import (
	"fmt"
	"strings"
)

// An UnavailableError is a device that cannot be opened here.
type UnavailableError struct {
	Spec   Spec
	Reason string   // what is missing
	Next   string   // what to do
	Tried  []string // every file a library was looked for in, and why it was not it
}

func (e *UnavailableError) Error() string {
	s := "device " + e.Spec.String() + " is not available: " + e.Reason + "; " + e.Next
	if len(e.Tried) > 0 {
		s += "\ntried:\n  " + strings.Join(e.Tried, "\n  ")
	}
	return s
}

// A ClosedError is a request made of a device after it was closed.
type ClosedError struct {
	Spec Spec
}

func (e *ClosedError) Error() string {
	return "device " + e.Spec.String() + " is closed: open it again to use it"
}

// A MemoryError is a request that does not fit into a device's memory. Nothing
// was allocated for it.
type MemoryError struct {
	Spec    Spec
	Asked   uint64 // bytes the request needs beyond what the device already holds for it; 0 if a library needed them and did not say how many
	Free    uint64 // bytes that were free
	Reserve uint64 // bytes that stay free for others; the emulator leaves none
}

func (e *MemoryError) Error() string { return "device " + e.Cause() + "; " + e.Next() }

// Cause says what was asked for and what there is.
func (e *MemoryError) Cause() string {
	if e.Asked == 0 {
		return fmt.Sprintf("%s is out of memory: what the driver needs for the request does not fit into the %s that are free", e.Spec, size(e.Free))
	}
	if e.Spec.Kind == Emulator { // whose requests share nothing
		return fmt.Sprintf("%s is out of memory: the request needs %s more, and %s is free", e.Spec, size(e.Asked), size(e.Free))
	}
	return fmt.Sprintf("%s is out of memory: the request needs %s more, %s is free, and %s stays free for others",
		e.Spec, size(e.Asked), size(e.Free), size(e.Reserve))
}

// Next says what to do.
func (e *MemoryError) Next() string {
	if e.Spec.Kind == Emulator {
		return "make the shapes smaller, or use " + Spec{Kind: CPU, Contract: e.Spec.Contract}.String() + ", which gives the same bits"
	}
	return "make the shapes smaller, or end other programs that use the GPU"
}

// size writes bytes as a person says them, rounded down to a tenth.
func size(bytes uint64) string {
	const mebi, gibi = 1 << 20, 1 << 30
	switch {
	case bytes >= gibi:
		return fmt.Sprintf("%d.%d GiB", bytes/gibi, bytes%gibi*10/gibi)
	case bytes >= mebi:
		return fmt.Sprintf("%d.%d MiB", bytes/mebi, bytes%mebi*10/mebi)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Fault is how a request failed on a device that had accepted it.
type Fault string

const (
	IllegalAddress Fault = "illegal address" // a kernel read or wrote memory that is not its own
	LaunchFailure  Fault = "launch failure"  // a kernel could not start, or ended abnormally
	TimeLimit      Fault = "time limit"      // a request took longer than it may
	WorkerEnded    Fault = "worker ended"    // the process that owned the device is gone
	DriverFailure  Fault = "driver failure"  // any other refusal of a library
)

// A FaultError is a request that failed on its device. It has no result; the
// next request starts on a device in order.
type FaultError struct {
	Spec   Spec
	Fault  Fault
	Detail string // what the driver said, or what was seen
	Next   string // what to do
}

func (e *FaultError) Error() string {
	return fmt.Sprintf("device %s: %s: %s; %s", e.Spec, e.Fault, e.Detail, e.Next)
}
