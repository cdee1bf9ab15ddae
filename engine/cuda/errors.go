package cuda

import (
	"errors"
	"strings"

	"workbench/engine/device"
	"workbench/engine/staged"
)

// sameBits is how package session ends what to do where there is no GPU: it knows
// nothing of contracts.
const sameBits = "the device cpu, which gives the same bits"

// instead says which device of every machine computes like spec.
func instead(spec device.Spec) string {
	host := device.Spec{Kind: device.CPU, Contract: spec.Contract}.String()
	if spec.Library {
		// A library adds a cell's terms in an order of its own.
		return "the device " + host + ", which fuses too and adds in the course's order: a library's sums may differ in their last bits"
	}
	return "the device " + host + ", which gives the same bits"
}

// told is an error that names a device as it was opened, with the one that it was
// made from behind it.
type told struct {
	shown error
	cause error
}

func (t *told) Error() string   { return t.shown.Error() }
func (t *told) Unwrap() []error { return []error{t.shown, t.cause} }

// addressed returns err with the device's whole name: below this package a GPU is
// known by its ordinal alone.
func addressed(spec device.Spec, err error) error {
	var unavailable *device.UnavailableError
	if errors.As(err, &unavailable) && unavailable.Spec != spec {
		e := *unavailable
		e.Spec, e.Next = spec, strings.ReplaceAll(e.Next, sameBits, instead(spec))
		return &told{&e, err}
	}
	return staged.Addressed(spec, err)
}
