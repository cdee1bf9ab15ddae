// Package engine is the front door of everything numerical: it opens devices
// by name and says which are there. It is the only package that imports the
// devices; everything else is handed an opened one.
//
//	d, err := engine.Open(ctx, "cpu,fused")
//	...
//	defer d.Close()
//
// There is no default device and no fallback. A device that is not there is a
// *device.UnavailableError, which says what is missing and what to do; a name
// that cannot be read is a *device.SpecError.
package engine

import (
	"context"
	"errors"
	"fmt"

	"workbench/engine/cpu"
	"workbench/engine/cuda"
	"workbench/engine/device"
	"workbench/engine/simt"
	"workbench/engine/simt/emulator"
)

// Open opens the device that spec names, in the grammar of device.ParseSpec. The
// context bounds the opening, which takes a moment where a driver starts, and not
// the life of what it opens.
func Open(ctx context.Context, spec string) (device.Device, error) {
	parsed, err := device.ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("opening %s: %w", parsed, err)
	}
	switch parsed.Kind {
	case device.CPU:
		d, err := cpu.New(parsed)
		if err != nil {
			return nil, err
		}
		return d, nil
	case device.CUDA:
		d, err := cuda.Open(ctx, parsed)
		if err != nil {
			return nil, err
		}
		return d, nil
	case device.Emulator:
		d, err := emulator.Open(parsed)
		if err != nil {
			return nil, err
		}
		return d, nil
	}
	panic("BUG: nothing opens " + parsed.String())
}

// Host returns the devices that every machine has, without looking for another:
// the first of List.
func Host() []device.Info {
	return []device.Info{
		{Spec: "cpu", Name: "CPU, product and sum rounded separately", Available: true},
		{Spec: "cpu,fused", Name: "CPU, fused multiply-add", Available: true},
		{Spec: "emulator", Name: simt.Name, Available: true},
		{Spec: "emulator,fused", Name: simt.Name + ", fused multiply-add", Available: true},
	}
}

// List returns the devices a person can choose between, in the order of a
// menu: those that can be opened now, and those that cannot with the reason. It
// takes a moment where there is a GPU's driver.
func List(ctx context.Context) []device.Info {
	infos := Host()
	for i := range infos {
		info := &infos[i]
		// Opening is the only way to know, and costs nothing here.
		d, err := Open(context.WithoutCancel(ctx), info.Spec)
		if err == nil {
			err = d.Close()
		}
		var missing *device.UnavailableError
		info.Available = err == nil
		switch {
		case err == nil:
		case errors.As(err, &missing):
			info.Reason, info.Next, info.Tried = missing.Reason, missing.Next, missing.Tried
		default:
			info.Reason, info.Next = err.Error(), "report this as a fault of the workbench"
		}
	}
	return append(infos, cuda.List(ctx)...)
}
