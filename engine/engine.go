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
	specs := []struct {
		spec device.Spec
		name string
	}{
		{device.Spec{Kind: device.CPU}, "CPU, product and sum rounded separately"},
		{device.Spec{Kind: device.CPU, Contract: device.Fused}, "CPU, fused multiply-add"},
		{device.Spec{Kind: device.Emulator}, "CUDA emulator"},
		{device.Spec{Kind: device.CUDA}, "CUDA GPU 0"},
	}
	infos := make([]device.Info, len(specs))
	for i, s := range specs {
		info := device.Info{Spec: s.spec.String(), Name: s.name, Available: s.spec.Kind == device.CPU}
		if !info.Available {
			missing := absent(s.spec)
			info.Reason, info.Next = missing.Reason, missing.Next
		}
		infos[i] = info
	}
	return infos
}
