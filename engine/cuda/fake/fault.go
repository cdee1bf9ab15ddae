package fake

import (
	"os"
	"time"

	"workbench/engine/cuda/nvidia"
)

// Faults are what goes wrong, by the name of a library's function:
//
//	Faults{"cuMemAlloc_v2": {{At: 2, Code: nvidia.OutOfMemory}}}
type Faults map[string][]Fault

// A Fault is what happens at one call.
type Fault struct {
	At int // the how manieth call of its name, from 1; 0 means every one

	Sleep time.Duration // the call takes longer by this
	Hang  bool          // the call does not return before Machine.Release
	Exit  int           // the call ends the process with this status, unless it is 0
	Code  int           // the library refuses the call with this result, unless it is 0

	// Later makes the call succeed, and the next one that waits for the device
	// fail with Code: as when a kernel fails after its launch.
	Later bool
}

// strike carries out the faults of the call, and returns the first refusal and
// the first result that comes later.
func (m *Machine) strike(call string) (now *nvidia.Error, later int) {
	m.mu.Lock()
	m.counts[call]++
	at := m.counts[call]
	m.mu.Unlock()
	for _, f := range m.config.Faults[call] {
		if f.At != 0 && f.At != at {
			continue
		}
		if f.Sleep > 0 {
			m.config.Clock.Sleep(f.Sleep)
		}
		if f.Hang {
			<-m.released
		}
		if f.Exit != 0 {
			os.Exit(f.Exit)
		}
		switch {
		case f.Code == 0:
		case f.Later && later == 0:
			later = f.Code
		case !f.Later && now == nil:
			now = refuse(call, f.Code)
		}
	}
	return now, later
}
