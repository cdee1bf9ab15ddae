// Package run is the seam between the web server and the engine: everything
// that a page or a request has computed goes through a Runner.
//
// Engine is the Runner of the real server. It opens devices by name as they
// are asked for and keeps them open; it computes nothing itself.
package run

import (
	"context"
	"encoding/json"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/experiment"
	"workbench/engine/ladder"
	"workbench/engine/launch"
	"workbench/engine/trace"
)

// A Runner runs worked examples on devices. Its methods may be called by
// several goroutines, and return when their context is done.
type Runner interface {
	// Devices lists what a person can choose between.
	Devices(ctx context.Context) []device.Info

	// Run runs an example ("product", "reduction", "view", "decoder", "boundary")
	// on the device of that name.
	Run(ctx context.Context, spec, example string, input json.RawMessage) (*trace.Trace, error)

	// Explain writes out one cell of a step of a run: batch, row and column of
	// a product, or 0, group, 0 of a reduction.
	Explain(ctx context.Context, t *trace.Trace, step int, cell [3]int) (*trace.Cell, error)

	// Compare runs an example ("product", "reduction", "decoder") on two devices
	// and holds every value of the candidate against the reference. It tells
	// progress what it is doing, and how many of how many parts are done.
	Compare(ctx context.Context, reference, candidate, example string, input json.RawMessage, progress func(note string, done, total int)) (*compare.Report, error)

	// Launch runs a kernel of somebody's own on the device of that name, and
	// records blocks of its last launch on one that can be stepped.
	Launch(ctx context.Context, spec string, in experiment.Input, record []launch.Index) (*experiment.Outcome, error)

	// Ladder measures the versions of the matrix product beside the vendor's library on
	// the GPU of that name, for two size×size matrices. Progress is told as by Compare.
	Ladder(ctx context.Context, spec, precision string, size int, progress func(note string, done, total int)) (*ladder.Ladder, error)
}
