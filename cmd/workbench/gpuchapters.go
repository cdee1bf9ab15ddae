package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"workbench/chapters"
	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/experiment"
	"workbench/engine/trace"
	"workbench/web/chapter"
	"workbench/web/run"
)

// chapterChecks are the part of gpu-check that the engine knows nothing of: every
// live example of the course's chapters runs on the GPU, the way the pages run
// it, and gives the CPU's bits.
func (p *program) chapterChecks(gpu device.Spec) []engine.GPUCheck {
	folders, err := fs.Glob(chapters.FS, "*/chapter.md")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var out []engine.GPUCheck
	for _, file := range folders {
		folder := strings.TrimSuffix(file, "/chapter.md")
		out = append(out, engine.NewGPUCheck("chapters", "chapters/"+folder, func(ctx context.Context, saw func(string, ...any)) error {
			return p.checkChapter(ctx, gpu, folder, saw)
		}))
	}
	return out
}

func (p *program) checkChapter(ctx context.Context, gpu device.Spec, folder string, saw func(string, ...any)) error {
	runner := run.NewEngine(p.open, engine.List, engine.Emulator)
	defer runner.Close()
	shelf := chapter.Shelf{FS: chapters.FS, Name: "chapters", Quotes: []fs.FS{chapters.FS}, Runner: runner}
	library, err := shelf.Load(ctx, nil)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(library.Chapters, func(c *chapter.Chapter) bool { return c.Folder == folder })
	if i < 0 {
		return fmt.Errorf("there is no chapter %s", folder)
	}
	examples, values, requests := 0, 0, int64(0)
	for _, w := range library.Chapters[i].Widgets {
		example := w.Example
		switch example {
		case chapter.Comparison:
			example = trace.ExampleDecoder
		case chapter.Contracts:
			example = w.Of
		}
		examples++
		for _, k := range w.Kernels {
			n, err := checkKernel(ctx, runner, gpu, k.Input)
			if err != nil {
				return fmt.Errorf("%s: %w", w.ID, err)
			}
			values += n
		}
		if len(w.Kernels) > 0 {
			continue
		}
		for _, contract := range []device.Contract{device.Separate, device.Fused} {
			spec := gpu
			spec.Contract = contract
			want, err := runner.Run(ctx, device.Spec{Kind: device.CPU, Contract: contract}.String(), example, w.Input)
			if err != nil {
				return fmt.Errorf("%s: %w", w.ID, err)
			}
			got, err := runner.Run(ctx, spec.String(), example, w.Input)
			if err != nil {
				return fmt.Errorf("%s: %w", w.ID, err)
			}
			n, err := sameValues(want, got)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", w.ID, spec, err)
			}
			if got.Device != spec.String() {
				return fmt.Errorf("%s ran on %s, and says %s", w.ID, spec, got.Device)
			}
			values, requests = values+n, requests+got.Stats.Requests
		}
	}
	saw("%d examples under both contracts: %d values of %d requests have the CPU's bits", examples, values, requests)
	return nil
}

// wandering is by how much a sum of a chapter's kernel that adds atomically may differ
// from run to run, of its size and at least of 1: some tens of float32 roundings.
const wandering = 1e-5

// checkKernel runs a chapter's kernel on the GPU and on the emulator, which must give
// the same bits, but for two kinds. A softmax calls functions that CUDA does not round
// exactly: it lies within the bound of its reference. And who adds atomically adds in
// an order of the GPU's own, which is what the chapter shows.
func checkKernel(ctx context.Context, runner run.Runner, gpu device.Spec, in experiment.Input) (values int, err error) {
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		spec := gpu
		spec.Contract = contract
		want, err := runner.Launch(ctx, device.Spec{Kind: device.Emulator, Contract: contract}.String(), in, nil)
		if err != nil {
			return 0, err
		}
		got, err := runner.Launch(ctx, spec.String(), in, nil)
		if err != nil {
			return 0, err
		}
		if got.Device != spec.String() {
			return 0, fmt.Errorf("the kernel ran on %s, and says %s", spec, got.Device)
		}
		if c := got.Comparison; c != nil && !c.Passed {
			return 0, fmt.Errorf("on %s %d of %d values are wrong, such as %s, and the CPU's are right", spec, c.Failures, c.Count, c.Groups[0].First)
		}
		if len(got.Outputs) == 0 || len(got.Outputs) != len(want.Outputs) {
			return 0, fmt.Errorf("on %s the kernel has %d outputs, and on the emulator %d", spec, len(got.Outputs), len(want.Outputs))
		}
		for i, o := range want.Outputs {
			values += o.Count
			switch {
			case in.Reference != nil && in.Reference.Of == "softmax":
				continue
			case strings.Contains(in.Source, "atomicAdd("):
				if err := near(got.Outputs[i].Values, o.Values); err != nil {
					return 0, fmt.Errorf("on %s %s: %w", spec, o.Name, err)
				}
				continue
			}
			if string(got.Outputs[i].Values) != string(o.Values) {
				return 0, fmt.Errorf("on %s %s is %.60s…, and the CPU's is %.60s…", spec, o.Name, got.Outputs[i].Values, o.Values)
			}
		}
	}
	return values, nil
}

// near holds two lists of numbers against each other within wandering.
func near(got, want json.RawMessage) error {
	var g, w []float64
	if err := json.Unmarshal(got, &g); err != nil {
		return fmt.Errorf("no list of numbers: %w", err)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		return fmt.Errorf("the CPU's is no list of numbers: %w", err)
	}
	if len(g) != len(w) {
		return fmt.Errorf("%d values, and the CPU's are %d", len(g), len(w))
	}
	for i := range w {
		if !(math.Abs(g[i]-w[i]) <= wandering*max(1, math.Abs(w[i]))) {
			return fmt.Errorf("value %d is %v, and the CPU's %v", i, g[i], w[i])
		}
	}
	return nil
}

// sameValues counts the values of two runs of one example, which must be equal
// in every bit.
func sameValues(want, got *trace.Trace) (n int, err error) {
	if len(want.Tensors) != len(got.Tensors) {
		return 0, fmt.Errorf("the run has %d tensors, and the CPU's %d", len(got.Tensors), len(want.Tensors))
	}
	for i, w := range want.Tensors {
		g := got.Tensors[i]
		if w.Name != g.Name || !slices.Equal(w.Shape, g.Shape) || len(w.Values) != len(g.Values) {
			return 0, fmt.Errorf("tensor %d is %s of shape %v, and the CPU's %s of shape %v", i, g.Name, g.Shape, w.Name, w.Shape)
		}
		for q := range w.Values {
			if math.Float64bits(float64(w.Values[q])) != math.Float64bits(float64(g.Values[q])) {
				return 0, fmt.Errorf("value %d of %s is %v, and the CPU's %v", q, w.Name, g.Values[q], w.Values[q])
			}
		}
		n += len(w.Values)
	}
	if n == 0 {
		return 0, errors.New("the run has no values")
	}
	return n, nil
}
