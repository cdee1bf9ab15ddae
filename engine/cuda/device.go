package cuda

import (
	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/staged"
)

// Device is a GPU under one contract. It is safe for concurrent use: requests run
// one after the other, in the order in which they came. The last device of a GPU
// takes its worker with it when it is closed.
type Device struct {
	*staged.Device
	about   nvidia.Device
	gpu     staged.Backend // a worker's client, or the same in this process
	process func() int
}

var _ device.Named = (*Device)(nil)

// newDevice returns the device of a GPU; release gives that back.
func newDevice(spec device.Spec, about nvidia.Device, g staged.Backend, process func() int, release func() error) *Device {
	return &Device{
		Device: staged.New(spec, g, staged.Options{
			Address: func(err error) error { return addressed(spec, err) },
			Release: release,
			Raw:     raw(),
		}),
		about: about, gpu: g, process: process,
	}
}

// Name returns what the driver calls the GPU: "NVIDIA H200".
func (d *Device) Name() string { return d.about.Name }

// About returns what the driver says of the GPU.
func (d *Device) About() nvidia.Device { return d.about }

// Process returns the number of the worker process that has the GPU now, 0 if
// there is none.
func (d *Device) Process() int { return d.process() }
