package runtest

import (
	"context"
	"encoding/json"
	"fmt"

	"workbench/engine/experiment"
	"workbench/engine/launch"
)

// Outcome is what came of a kernel that nobody wrote: its figures fit to nothing.
func Outcome(spec string, recorded int) *experiment.Outcome {
	o := &experiment.Outcome{
		Device: spec, Name: "CUDA emulator",
		Outputs: []experiment.Output{{Name: "c", Type: "f32", Shape: []int{2, 2}, Count: 4, Values: json.RawMessage(`[77.5, -3, "NaN", 1e-7]`)}},
		Reports: []launch.Report{{
			Kind: launch.Race, Severity: launch.Fault, Address: "tile[3][5]", Message: "tile[3][5] is read and written at once", Cause: "a barrier is missing", Count: 41,
			Place: launch.Place{File: "k.cu", Line: 3, Column: 5, Source: "    c[i] = tile[i];", Thread: launch.Index{1, 2, 0}, Access: "read"},
			Other: &launch.Place{File: "k.cu", Line: 2, Column: 1, Source: "tile[i] = a[i];", Thread: launch.Index{9, 0, 0}, Access: "write"},
		}},
		Measurements: []*launch.Measurement{{
			Kernel: "k", Blocks: 17, Threads: 4711, Warps: 19, LaneEfficiency: 0.75, ArithmeticIntensity: 2.5, SectorsPerRequest: 3.5,
			Counts:  launch.Counts{Instructions: 1234, Flops: 99, Barriers: 6, Loads: launch.Traffic{Requests: 7, Lanes: 70, Bytes: 280, Sectors: 13, Transactions: 8}},
			Buffers: []launch.ArrayCounts{{Name: "a", Element: "float", Elements: 16, Loaded: 15, Loads: 60, Fetches: 30, LoadsPerElement: 4.25, LoadsPerBlock: 1.5}},
		}},
		Printed: "from the kernel\n",
	}
	for range recorded {
		o.Recordings = append(o.Recordings, Recording{})
		o.Tapes = append(o.Tapes, Recording{}.Tape())
	}
	return o
}

// Recording is a block of three steps.
type Recording struct{}

// Tape says so.
func (Recording) Tape() launch.Tape {
	return launch.Tape{
		Kernel: "k", Grid: launch.Index{2, 1, 1}, BlockDim: launch.Index{4, 1, 1}, Warps: 1, Steps: 3, Phases: 2, Complete: true,
		Lines:  []int{2, 3},
		Arrays: []launch.TapeArray{{Name: "a", Space: "global", Element: "float", Elements: 16, Size: 4, Shape: []int{4, 4}}, {Name: "tile", Space: "shared", Element: "float", Elements: 4, Size: 4, Shape: []int{4}}},
		Bytes:  100, Most: 100, Bound: 1000, Held: 3,
	}
}

// At returns a moment whose values are those of its step.
func (Recording) At(ctx context.Context, step int, _ launch.View) (*launch.Moment, error) {
	if step < 0 || step > 2 {
		return nil, fmt.Errorf("there is no step %d", step)
	}
	return &launch.Moment{
		Step: step, Kind: launch.StepStatement, Place: launch.Mark{File: "k.cu", Line: 2 + step%2, Column: 5}, Phase: step / 2,
		Warps: []launch.WarpMoment{{
			Active: 0b0101, Live: 0b1111, Lines: []int{2, 3, 2, 3},
			Frames: []launch.FrameMoment{{Function: "k", Lanes: 0b1111, Vars: []launch.Variable{{Name: "i", Type: "int", Set: 0b1111, Values: []string{fmt.Sprint(100 + step), "7", "8", "9"}}}}},
		}},
		Shared:   []launch.SharedMoment{{Array: 1, Values: []string{"1.5", "", "2.5", ""}, Owners: []int{3, -1, 2, -1}, Steps: []int{1, 0, 1, 0}}},
		Accesses: []launch.StepAccess{{Place: launch.Mark{File: "k.cu", Line: 2, Column: 5}, Kind: "load", Name: "a", Lanes: 0b0101, Elements: []int64{5, 11}, Width: 4, Values: []string{"0.5", "0.25"}}},
	}, nil
}

// Seek finds the step behind, or before.
func (Recording) Seek(_ context.Context, from int, g launch.Goal) (int, bool, error) {
	to := from + 1
	if g.Back {
		to = from - 1
	}
	return to, to >= 0 && to < 3, nil
}

// Touched says that every thread loads one element.
func (Recording) Touched(context.Context, int, int) (*launch.Touched, error) {
	return &launch.Touched{To: 3, Phases: []launch.PhaseTouched{{
		Arrays: []launch.ArrayTouched{{LoadThreads: []int{0, 1, 2, 3}, LoadElements: []int64{5, 6, 7, 8}, LoadCounts: []int{1, 1, 1, 1}}},
	}}, Uses: []launch.ArrayUses{{Elements: []int64{5, 6, 7, 8}, Loads: []int{1, 1, 1, 1}, Fetches: []int{1, 1, 1, 1}, Stores: []int{0, 0, 0, 0}}}}, nil
}
