package cuda

import (
	"errors"

	"workbench/engine/device"
)

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
	var (
		unavailable *device.UnavailableError
		memory      *device.MemoryError
		fault       *device.FaultError
		closed      *device.ClosedError
	)
	switch {
	case errors.As(err, &unavailable) && unavailable.Spec != spec:
		e := *unavailable
		e.Spec = spec
		return &told{&e, err}
	case errors.As(err, &memory) && memory.Spec != spec:
		e := *memory
		e.Spec = spec
		return &told{&e, err}
	case errors.As(err, &fault) && fault.Spec != spec:
		e := *fault
		e.Spec = spec
		return &told{&e, err}
	case errors.As(err, &closed) && closed.Spec != spec:
		return &told{&device.ClosedError{Spec: spec}, err}
	}
	return err
}
