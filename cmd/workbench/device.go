package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"workbench/engine/device"
)

// deviceFlag declares --device, and what else a GPU needs.
func deviceFlag(flags *pflag.FlagSet, spec *string) {
	flags.StringVar(spec, "device", "cpu", "where it runs: cpu, emulator or cuda:0, then options after commas, as in cpu,fused or cuda:0,library")
	libraryFlag(flags)
}

// openDevice opens the device that a flag or an argument names; where is how
// an error names that place.
func (p *program) openDevice(ctx context.Context, where, spec string) (device.Device, error) {
	d, err := p.open(ctx, spec)
	var unreadable *device.SpecError
	if errors.As(err, &unreadable) {
		return nil, usagef("%s: %w", where, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return d, nil
}

// explainer returns what writes out the cells of a run on d: d itself where it
// can, otherwise the CPU under the same contract. The caller must call close.
func (p *program) explainer(ctx context.Context, d device.Device) (e device.Explainer, close func(), err error) {
	if e, ok := d.(device.Explainer); ok {
		return e, func() {}, nil
	}
	reference, err := p.open(ctx, device.Spec{Kind: device.CPU, Contract: d.Spec().Contract}.String())
	if err != nil {
		return nil, nil, err
	}
	e, ok := reference.(device.Explainer)
	if !ok {
		panic("BUG: the CPU cannot explain a cell")
	}
	return e, func() { reference.Close() }, nil
}
