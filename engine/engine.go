// Package engine is the front door of everything numerical: it opens devices
// by name and says which are there. It is the only package that imports the
// devices; everything else is handed an opened one.
//
//	d, err := engine.Open("cpu,fused")
//	...
//	defer d.Close()
//
// There is no default device and no fallback. A device that is not there is a
// *device.UnavailableError, which says what is missing and what to do; a name
// that cannot be read is a *device.SpecError.
package engine

import (
	"errors"

	"workbench/engine/cpu"
	"workbench/engine/device"
)

// Open opens the device that spec names, in the grammar of device.ParseSpec.
func Open(spec string) (device.Device, error) {
	parsed, err := device.ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	switch parsed.Kind {
	case device.CPU:
		d, err := cpu.New(parsed)
		if err != nil {
			return nil, err
		}
		return d, nil
	default:
		return nil, absent(parsed)
	}
}

// absent is the answer for the devices that specs can name and this version of
// the workbench does not contain.
func absent(spec device.Spec) *device.UnavailableError {
	reason := "this version of the workbench has no CUDA support"
	if spec.Kind == device.Emulator {
		reason = "this version of the workbench has no CUDA emulator"
	}
	instead := device.Spec{Kind: device.CPU, Contract: spec.Contract}
	return &device.UnavailableError{
		Spec:   spec,
		Reason: reason,
		Next:   "use " + instead.String() + ", which rounds in the same way",
	}
}

// List returns the devices a person can choose between, in the order of a
// menu: those that can be opened now, and those that cannot with the reason.
func List() []device.Info {
	infos := []device.Info{
		{Spec: "cpu", Name: "CPU, product and sum rounded separately"},
		{Spec: "cpu,fused", Name: "CPU, fused multiply-add"},
		{Spec: "emulator", Name: "CUDA emulator"},
		{Spec: "cuda:0", Name: "CUDA GPU 0"},
	}
	for i := range infos {
		info := &infos[i]
		// Opening is the only way to know, and costs nothing here.
		d, err := Open(info.Spec)
		if err == nil {
			err = d.Close()
		}
		var missing *device.UnavailableError
		switch {
		case err == nil:
			info.Available = true
		case errors.As(err, &missing):
			info.Reason, info.Next = missing.Reason, missing.Next
		default:
			info.Reason, info.Next = err.Error(), "report this as a fault of the workbench"
		}
	}
	return infos
}
