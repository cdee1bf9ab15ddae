// Package conform is the numerical contract as a list of cases that any
// device.Device can be held to: the CPU's tiers, the emulator, a GPU. It is an
// ordinary package, so that tests and commands on machines without Go call the
// same cases: see Run's example.
//
// Every case computes what the contract asks for itself, from its words alone
// (see oracle), and compares bits: the sign of a zero counts, and any NaN equals
// any NaN. The device's spec says which contract it is held to. A device that
// multiplies by a library does not promise the order of the chain, so its finite
// values are held to a tolerance instead: the a-priori bound γ(K)·Σ|a||b| of the
// cell, and in float64 at least 1e-10 absolute and relative.
//
// After every request the storage of its operands is checked to be what it was.
package conform

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"workbench/engine/device"
)

// Case is one thing a device must do.
type Case struct {
	Name string // "product/float32/17x33x9"

	// Run returns nil if the device does it. A wrong value is a
	// *MismatchError, and a *SkippedError says that the device cannot be asked.
	Run func(ctx context.Context, d device.Device) error
}

// A SkippedError is a case that does not apply to a device: it was neither
// passed nor failed.
type SkippedError struct {
	Reason string
}

func (e *SkippedError) Error() string { return "skipped: " + e.Reason }

// Tally counts cases.
type Tally struct {
	Passed, Failed, Skipped int
}

// Cases returns every case. The last one, "close", closes the device: it must
// be the last to run, and the device is of no use after it.
func Cases() []Case {
	return slices.Concat(
		productCases(),
		viewCases(),
		valueCases(),
		reductionCases(),
		explainCases(),
		requestCases(),
		cancelCases(),
		concurrencyCases(),
		closeCases(),
	)
}

// Run holds d to every case, in order, and calls report after each; err is nil
// for a case that passed, and a *SkippedError for one that does not apply to d. It
// closes d. When ctx is done the cases that are left count as failed with the
// context's error, without being tried.
func Run(ctx context.Context, d device.Device, report func(name string, err error)) Tally {
	var tally Tally
	for _, c := range Cases() {
		err := ctx.Err()
		if err == nil {
			err = attempt(ctx, c, d)
		}
		var skipped *SkippedError
		switch {
		case err == nil:
			tally.Passed++
		case errors.As(err, &skipped):
			tally.Skipped++
		default:
			tally.Failed++
		}
		report(c.Name, err)
	}
	return tally
}

// attempt makes a panic of the device the failure of one case.
func attempt(ctx context.Context, c Case, d device.Device) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the device panicked: %v", r)
		}
	}()
	return c.Run(ctx, d)
}
