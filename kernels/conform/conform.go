// Package conform is the list of cases that the catalogue's kernels are held to on
// any launch.Launcher: the emulator, a GPU. It is an ordinary package, so that
// tests and commands on machines without Go call the same cases.
//
// Each case makes its inputs from its own name, computes on the CPU what must come
// out, and launches:
//
//	products    every bit, under both contracts: k ascends from zero, then the
//	            division of a mean, then α, then what out held
//	additions   every bit
//	embedding   the sorted version has the bits of a loop over the text; the atomic
//	            one lies within the bound of a sum in any order
//	the others  within a bound derived from their sums: see bound.go
//
// Any NaN equals any NaN; the sign of a zero counts. Outputs are fenced by elements
// that must stay, inputs must come back as they went, and a launch that is made
// twice must give the same bits, unless it is atomic.
package conform

import (
	"context"
	"fmt"
	"slices"

	"workbench/engine/launch"
)

// Case is one thing the kernels must do.
type Case struct {
	Name string // "matmul_tiled_f32/fused/17×33×9"

	// Run returns nil if they do it. A wrong value is a *MismatchError.
	Run func(ctx context.Context, l launch.Launcher) error
}

// Tally counts cases.
type Tally struct {
	Passed, Failed int
}

// Cases returns every case.
func Cases() []Case {
	return slices.Concat(
		productCases(),
		addCases(),
		softmaxCases(),
		rmsnormCases(),
		sumsqCases(),
		embeddingCases(),
	)
}

// Run holds l to every case, in order, and calls report after each; err is nil for
// a case that passed. When ctx is done the cases that are left count as failed with
// the context's error, without being tried.
func Run(ctx context.Context, l launch.Launcher, report func(name string, err error)) Tally {
	var tally Tally
	for _, c := range Cases() {
		err := ctx.Err()
		if err == nil {
			err = attempt(ctx, c, l)
		}
		if err == nil {
			tally.Passed++
		} else {
			tally.Failed++
		}
		report(c.Name, err)
	}
	return tally
}

// attempt makes a panic of the launcher the failure of one case.
func attempt(ctx context.Context, c Case, l launch.Launcher) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the launcher panicked: %v", r)
		}
	}()
	return c.Run(ctx, l)
}
