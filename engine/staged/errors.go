package staged

import (
	"errors"

	"workbench/engine/device"
)

// Addressed returns an error of a request with the device's whole name: a backend
// may not know under which contract it was opened.
func Addressed(spec device.Spec, err error) error {
	var (
		memory *device.MemoryError
		fault  *device.FaultError
		closed *device.ClosedError
	)
	switch {
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

// told is an error that names a device as it was opened, with the one that it was
// made from behind it.
type told struct {
	shown error
	cause error
}

func (t *told) Error() string   { return t.shown.Error() }
func (t *told) Unwrap() []error { return []error{t.shown, t.cause} }
