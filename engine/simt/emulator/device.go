package emulator

import (
	"workbench/engine/device"
	"workbench/engine/staged"
)

// Device is the emulator under one contract. It is safe for concurrent use, and
// several requests run at the same time. It is a launch.Launcher too, and has no
// device.Named: there is no hardware that could have a name.
type Device struct {
	*staged.Device
}

// Open returns the emulator under the contract of a spec. Nothing is read or
// allocated before the first request.
func Open(spec device.Spec) (*Device, error) {
	switch {
	case spec.Kind != device.Emulator:
		return nil, &device.SpecError{Spec: spec.String(), Part: string(spec.Kind), Reason: "is not the emulator"}
	case spec.Contract != device.Separate && spec.Contract != device.Fused:
		return nil, &device.SpecError{Spec: spec.String(), Reason: spec.Contract.String() + " is not a contract"}
	case spec.Library || spec.Ordinal != 0:
		return nil, &device.SpecError{Spec: spec.String(), Reason: "has neither a library nor an ordinal"}
	}
	return &Device{staged.New(spec, &backend{spec: spec}, staged.Options{})}, nil
}
