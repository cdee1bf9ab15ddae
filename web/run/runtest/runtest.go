// Package runtest is a Runner for tests. It checks inputs as the engine does
// and then answers with traces that were written by hand and are wrong: no
// product has these numbers. What a page or a message shows of them, it was
// told and did not compute.
package runtest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/experiment"
	"workbench/engine/ladder"
	"workbench/engine/launch"
	"workbench/engine/trace"
)

// Runner answers with Product, Reduction and so on, and lets a test step in.
type Runner struct {
	// Before, if not nil, is called first by Run, Explain and Compare. An
	// error that it returns is theirs.
	Before func(ctx context.Context) error

	// Look, if not nil, answers Devices in the place of Infos.
	Look func(ctx context.Context) []device.Info

	// GPU says that cuda:0 is there. Its runs have its name and what each
	// request cost.
	GPU bool

	// Fault, if not nil, is the error of everything that is asked of cuda:0.
	Fault error

	// Working counts calls that have begun and not returned.
	Working atomic.Int64
}

// Infos are the devices that Devices lists.
var Infos = []device.Info{
	{Spec: "cpu", Name: "CPU", Available: true},
	{Spec: "cpu,fused", Name: "CPU, fused", Available: true},
	{Spec: "cuda:0", Name: "GPU", Reason: "no driver was found", Next: "install one"},
}

// GPUInfos are the devices of a Runner with a GPU.
var GPUInfos = []device.Info{
	Infos[0], Infos[1],
	{Spec: "cuda:0", Name: GPUName, Available: true},
	{Spec: "cuda:0,fused", Name: GPUName + ", fused multiply-add", Available: true},
	{Spec: "cuda:0,library", Name: GPUName + ", cuBLAS", Available: true},
}

// Devices lists Infos, or what Look says.
func (r *Runner) Devices(ctx context.Context) []device.Info {
	switch {
	case r.Look != nil:
		return r.Look(ctx)
	case r.GPU:
		return GPUInfos
	}
	return Infos
}

func (r *Runner) begin(ctx context.Context, specs ...string) (end func(), err error) {
	r.Working.Add(1)
	end = func() { r.Working.Add(-1) }
	for _, s := range specs {
		spec, err := device.ParseSpec(s)
		if err != nil {
			end()
			return nil, err
		}
		if err := r.fault(spec); err != nil {
			end()
			return nil, err
		}
	}
	if r.Before != nil {
		if err := r.Before(ctx); err != nil {
			end()
			return nil, err
		}
	}
	return end, nil
}

// fault is what a request of that device ends with, before anything else.
func (r *Runner) fault(spec device.Spec) error {
	switch {
	case spec.Kind == device.CPU:
		return nil
	case spec.Kind == device.CUDA && spec.Ordinal == 0 && r.Fault != nil:
		return r.Fault
	case spec.Kind == device.CUDA && spec.Ordinal == 0 && r.GPU:
		return nil
	}
	return Unavailable(spec)
}

// Run checks the input and returns the example's canned trace.
func (r *Runner) Run(ctx context.Context, spec, example string, input json.RawMessage) (*trace.Trace, error) {
	end, err := r.begin(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer end()
	if _, err := trace.DecodeInput(example, input); err != nil {
		return nil, err
	}
	make := map[string]func(string) *trace.Trace{
		trace.ExampleProduct: Product, trace.ExampleReduction: Reduction, trace.ExampleView: View, trace.ExampleDecoder: Decoder, trace.ExampleBoundary: Boundary,
	}[example]
	return onDevice(make(spec)), nil
}

// Explain returns Cell at the place that is asked for.
func (r *Runner) Explain(ctx context.Context, t *trace.Trace, step int, cell [3]int) (*trace.Cell, error) {
	end, err := r.begin(ctx, t.Device)
	if err != nil {
		return nil, err
	}
	defer end()
	if t.Steps[step].Product == nil {
		return nil, trace.ErrNothingToExplain
	}
	c := Cell()
	c.Batch, c.Row, c.Column = cell[0], cell[1], cell[2]
	return c, nil
}

// Compare checks the input and returns Report.
func (r *Runner) Compare(ctx context.Context, reference, candidate, example string, input json.RawMessage, progress func(note string, done, total int)) (*compare.Report, error) {
	end, err := r.begin(ctx, reference, candidate)
	if err != nil {
		return nil, err
	}
	defer end()
	if _, err := trace.DecodeInput(example, input); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("%s is done", reference), 1, 2)
	return Report(reference, candidate), nil
}

// Launch checks the experiment and returns Outcome.
func (r *Runner) Launch(ctx context.Context, spec string, in experiment.Input, record []launch.Index) (*experiment.Outcome, error) {
	end, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if _, err := experiment.Read(in); err != nil {
		return nil, err
	}
	return Outcome(spec, len(record)), nil
}

// Ladder checks what is asked for and returns Rungs.
func (r *Runner) Ladder(ctx context.Context, spec, precision string, size int, progress func(note string, done, total int)) (*ladder.Ladder, error) {
	end, err := r.begin(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer end()
	progress("the naive version", 1, 5)
	l := Rungs(precision, size)
	l.Device, l.Runs = GPUName, 5
	return l, nil
}

// Rungs is a ladder whose figures fit to nothing: the naive version is the fastest,
// and ratios are of no quotient.
func Rungs(precision string, size int) *ladder.Ladder {
	return &ladder.Ladder{Precision: precision, Size: size, Operations: 4711, Memory: 77.5, Rungs: []ladder.Rung{
		{Name: "naive", Speed: 900, Spread: 12.5, Ratio: 0.125, Bytes: 3 << 30, Allowed: 55},
		{Name: "tiled", Speed: 300, Spread: 3, Ratio: 0.625, Bytes: 2 << 30, Allowed: 1200},
		{Name: "blocked", Speed: 200, Ratio: 0.375, Bytes: 1 << 30, Allowed: 400},
		{Name: ladder.Library, Speed: 600, Spread: 6, Ratio: 1.5},
	}}
}

// Cell is one output element: 5 + 6 is not 12.
func Cell() *trace.Cell {
	return &trace.Cell{
		Column: 1, Flat: 1, Formula: "q = (0·2 + 0)·2 + 1 = 1",
		LeftIndices: []int{0, 1}, RightIndices: []int{1, 3},
		Terms:  []trace.Term{{Left: 1, Right: 5, Product: 5.5, Sum: 5.5}, {Left: 2, Right: 3, Product: 6.25, Sum: 12.125}},
		Device: "cpu", Contract: "separate", Last: 12.125, LastBits: "4028400000000000", Value: 12.5, ValueBits: "4029000000000000",
	}
}

// Product multiplies two matrices and is wrong.
func Product(spec string) *trace.Trace {
	facts := &trace.Product{B: 1, M: 2, K: 2, N: 2}
	return &trace.Trace{
		Version: trace.Version, Example: trace.ExampleProduct, Device: spec, Contract: "separate",
		Tensors: []trace.Tensor{
			{Name: "A", Shape: []int{2, 2}, Values: []float64{1, 2, 3, 4}},
			{Name: "B", Shape: []int{2, 2}, Values: []float64{1, 5, 2, 3}},
			{Name: "C", Shape: []int{2, 2}, Values: []float64{1001.5, 12.5, 1e-7, -0.25}},
		},
		Steps: []trace.Step{
			{Phase: trace.PhaseInputs, Op: "given", Title: "A is given.", Device: trace.Host, Inputs: []int{}, Outputs: []int{0}},
			{Phase: trace.PhaseInputs, Op: "given", Title: "B is given.", Device: trace.Host, Inputs: []int{}, Outputs: []int{1}},
			{Phase: trace.PhaseForward, Op: "matmul", Title: "C = A·B", Note: "Four cells.", Formula: `C_{ij} = \sum_k A_{ik} B_{kj}`, Device: spec, Inputs: []int{0, 1}, Outputs: []int{2}, Product: facts},
			{Phase: trace.PhaseForward, Op: "cell", Title: "C[0, 1] & its terms", Device: spec, Inputs: []int{0, 1}, Outputs: []int{2}, Product: facts, Cell: Cell()},
			{Phase: trace.PhaseResult, Op: "result", Title: "The result is C.", Device: spec, Inputs: []int{2}, Outputs: []int{}},
		},
		Result: []int{2},
	}
}

// Reduction adds up two rows and is wrong.
func Reduction(spec string) *trace.Trace {
	return &trace.Trace{
		Version: trace.Version, Example: trace.ExampleReduction, Device: spec, Contract: "fused",
		Tensors: []trace.Tensor{
			{Name: "X", Shape: []int{2, 2}, Values: []float64{1, 2, 3, 4}, Rows: []string{"first", "<second>"}, Columns: []string{"a", "b"}},
			{Name: "s", Shape: []int{2}, Values: []float64{33.5, 1e21}},
		},
		Steps: []trace.Step{
			{Phase: trace.PhaseInputs, Op: "given", Title: "X is given.", Device: trace.Host, Inputs: []int{}, Outputs: []int{0}},
			{Phase: trace.PhaseForward, Op: "sum", Title: "s = sum of X", Device: spec, Inputs: []int{0}, Outputs: []int{1}, Reduction: &trace.Reduction{Op: "sum", Axis: 1, G: 2, K: 2}},
		},
		Result: []int{1},
		Stats:  device.Stats{Requests: 1, Launches: 2, BytesIn: 32, BytesOut: 16},
	}
}

// View transposes.
func View(spec string) *trace.Trace {
	return &trace.Trace{
		Version: trace.Version, Example: trace.ExampleView, Device: spec, Contract: "separate",
		Tensors: []trace.Tensor{
			{Name: "storage", Shape: []int{4}, Values: []float64{1, 2, 3, 4}},
			{Name: "A", Shape: []int{2, 2}, Values: []float64{1, 2, 3, 4}, Layout: &trace.Layout{Strides: []int{2, 1}, Indices: []int{0, 1, 2, 3}, Contiguous: true}},
			{Name: "Aᵀ", Shape: []int{2, 2}, Values: []float64{1, 3, 2, 4}, Layout: &trace.Layout{Offset: 7, Strides: []int{1, 2}, Indices: []int{0, 2, 1, 33}}},
			{Name: "nothing", Shape: []int{0, 3}},
		},
		Steps: []trace.Step{
			{Phase: trace.PhaseInputs, Op: "given", Title: "A is given.", Device: trace.Host, Inputs: []int{0}, Outputs: []int{1}},
			{Phase: trace.PhaseForward, Op: "transpose", Title: "Transpose.", Device: trace.Host, Inputs: []int{1}, Outputs: []int{2}},
		},
		Result: []int{2},
	}
}

// Decoder has three steps in two parts of a model, and a tensor that no step
// names.
func Decoder(spec string) *trace.Trace {
	return &trace.Trace{
		Version: trace.Version, Example: trace.ExampleDecoder, Device: spec, Contract: "separate",
		Tensors: []trace.Tensor{
			{Name: "token IDs", Shape: []int{3}, Values: []float64{0, 99, 1}, Columns: []string{"<begin>", "a", "<end>"}},
			{Name: "logits", Shape: []int{1, 2, 3}, Values: []float64{0.5, -0.25, 0.125, 7, 8, 9}},
			{Name: "loss", Shape: []int{}, Values: []float64{77.75}},
			{Name: "left over", Shape: []int{1}, Values: []float64{4711}},
		},
		Steps: []trace.Step{
			{Phase: trace.PhaseInputs, Section: "tokens", Op: "tokenize", Title: "“a” is 3 tokens.", Device: trace.Host, Inputs: []int{}, Outputs: []int{0}},
			{Phase: trace.PhaseForward, Section: "head", Op: "matmul", Title: "logits", Device: "cpu,fused", Inputs: []int{0}, Outputs: []int{1}},
			{Phase: trace.PhaseForward, Section: "head", Op: "mean", Title: "loss", Device: spec, Inputs: []int{1}, Outputs: []int{2}},
		},
		Result:   []int{1, 2},
		Document: &trace.Document{Text: "a", IDs: []int{0, 99, 1}, Names: []string{"<begin>", "a", "<end>"}, Inputs: []int{0, 99}, Targets: []int{99, 1}, Loss: 77.75, Bits: "4053700000000000"},
	}
}

// Report has a group that passes, one that fails, and one that could not be
// compared.
func Report(reference, candidate string) *compare.Report {
	same := compare.Entry{Group: "loss", Coordinate: []int{}, Reference: 77.75, Candidate: 77.75, ULP: "0", ReferenceBits: "4053700000000000", CandidateBits: "4053700000000000", Allowed: 1e-10, Pass: true}
	other := compare.Entry{Group: "logits", Coordinate: []int{0, 1}, Flat: 1, Reference: 0.5, Candidate: 0.625, Absolute: 0.375, Relative: 0.875, ULP: "4611", ReferenceBits: "3fe0000000000000", CandidateBits: "3fe4000000000000", Allowed: 1e-10}
	return &compare.Report{
		Version: compare.Version, Reference: reference, Candidate: candidate,
		Made: &compare.Made{
			Precision: "float4", Bits: "bits are as they are",
			Reference: compare.Maker{Name: "A processor", Contract: "slow"}, Candidate: compare.Maker{Contract: "quick", Library: true},
		},
		Tolerance: compare.Tolerance{Absolute: 1e-10, Relative: 1e-10, Source: "chosen for this test"},
		Count:     2, Failures: 1, Differing: 1, Mismatched: 1,
		Groups: []compare.GroupReport{
			{Name: "loss", Shape: []int{}, Passed: true, Count: 1},
			{Name: "logits", Shape: []int{1, 2}, Count: 1, Failures: 1, Differing: 1, First: &other, Worst: &other},
			{Name: "gain", Shape: []int{2}, CandidateShape: []int{3}, Reason: "the shapes differ"},
		},
		Entries: []compare.Entry{same, other},
	}
}
