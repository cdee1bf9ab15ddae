package runtest

import (
	"workbench/engine/device"
	"workbench/engine/trace"
)

// Boundary follows one request whose bytes and counters fit to nothing.
func Boundary(spec string) *trace.Trace {
	at := func(stage string, host, onDevice []int, counted device.Stats) *trace.Crossing {
		return &trace.Crossing{
			Name: "A·B", Stage: stage, Crosses: true, Host: host, Device: onDevice, Packed: 4711,
			Counted: counted, Total: device.Stats{BytesIn: 33, KernelNS: 5_500},
		}
	}
	step := func(stage string, outputs, host, onDevice []int, counted device.Stats) trace.Step {
		return trace.Step{
			Phase: trace.PhaseForward, Section: "request 0, A·B", Op: stage, Title: "Stage " + stage + " & on", Device: spec,
			Inputs: []int{0, 1}, Outputs: outputs, Crossing: at(stage, host, onDevice, counted),
		}
	}
	return &trace.Trace{
		Version: trace.Version, Example: trace.ExampleBoundary, Device: spec, Contract: "separate",
		Tensors: []trace.Tensor{
			{Name: "A", Shape: []int{1, 2}, Values: []float64{1, 2}},
			{Name: "B", Shape: []int{2, 1}, Values: []float64{3, 4}},
			{Name: "packed A", Shape: []int{1, 2}, Values: []float64{1.5, 2.5}, Bytes: []string{"0102", "a0ff"}},
			{Name: "packed B", Shape: []int{2, 1}, Values: []float64{3.5, 4.5}},
			{Name: "C", Shape: []int{1, 1}, Values: []float64{77.5}},
		},
		Steps: []trace.Step{
			{Phase: trace.PhaseInputs, Op: "given", Title: "A is given.", Device: trace.Host, Inputs: []int{}, Outputs: []int{0}},
			{Phase: trace.PhaseInputs, Op: "given", Title: "B is given.", Device: trace.Host, Inputs: []int{}, Outputs: []int{1}},
			step(trace.StagePack, []int{2, 3}, []int{0, 1, 2, 3}, []int{}, device.Stats{}),
			step(trace.StageCopyIn, []int{}, []int{0, 1, 2, 3}, []int{2, 3}, device.Stats{BytesIn: 17, CopyInNS: 4_100}),
			step(trace.StageLaunch, []int{}, []int{0, 1, 2, 3}, []int{2, 3}, device.Stats{BytesIn: 17, Launches: 6}),
			step(trace.StageComplete, []int{4}, []int{0, 1, 2, 3}, []int{2, 3, 4}, device.Stats{BytesIn: 17, Launches: 6, KernelNS: 7_200_000}),
			step(trace.StageCopyOut, []int{4}, []int{0, 1, 2, 3, 4}, []int{2, 3, 4}, device.Stats{Requests: 9, BytesIn: 17, BytesOut: 19}),
			{Phase: trace.PhaseResult, Op: "result", Title: "The result is C.", Device: spec, Inputs: []int{}, Outputs: []int{4}},
		},
		Result: []int{4},
		Stats:  device.Stats{Requests: 8, BytesIn: 34},
	}
}
