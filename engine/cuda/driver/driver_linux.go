//go:build amd64 || arm64

package driver

import (
	"bytes"
	"fmt"
	"sync"
	"unsafe"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
)

// New opens the driver's library. It does not start the driver, and needs no
// GPU. A library that is not there, or too old, is a *nvidia.MissingError.
func New() (nvidia.Driver, error) {
	l, err := library.Open(library.Driver)
	if err != nil {
		return nil, err
	}
	f, err := bind(l)
	if err != nil {
		return nil, err
	}
	return &driver{functions: f}, nil
}

type driver struct {
	*functions
	starting sync.Mutex
	started  bool
}

// start starts the driver, once. One that could not be started may be later: a
// GPU's device files can be missing for a moment after a boot.
func (d *driver) start() error {
	d.starting.Lock()
	defer d.starting.Unlock()
	if d.started {
		return nil
	}
	if err := d.call(&d.init, 0); err != nil {
		return err
	}
	d.started = true
	return nil
}

func (d *driver) Version() (int, error) {
	if err := d.start(); err != nil {
		return 0, err
	}
	var version int32
	if err := d.call(&d.driverVersion, uintptr(unsafe.Pointer(&version))); err != nil {
		return 0, err
	}
	return int(version), nil
}

func (d *driver) Devices() ([]nvidia.Device, error) {
	if err := d.start(); err != nil {
		return nil, err
	}
	var count int32
	if err := d.call(&d.deviceCount, uintptr(unsafe.Pointer(&count))); err != nil {
		return nil, err
	}
	devices := make([]nvidia.Device, count)
	for i := range devices {
		var err error
		if devices[i], err = d.device(i); err != nil {
			return nil, fmt.Errorf("cuda:%d: %w", i, err)
		}
	}
	return devices, nil
}

// handle returns the driver's own number of a device.
func (d *driver) handle(ordinal int) (int32, error) {
	if int(int32(ordinal)) != ordinal {
		ordinal = -1 // the driver's answer is the same
	}
	var device int32
	err := d.call(&d.deviceGet, uintptr(unsafe.Pointer(&device)), uintptr(ordinal))
	return device, err
}

func (d *driver) device(ordinal int) (nvidia.Device, error) {
	handle, err := d.handle(ordinal)
	if err != nil {
		return nvidia.Device{}, err
	}
	out := nvidia.Device{Ordinal: ordinal}

	name := make([]byte, 256)
	if err := d.call(&d.deviceName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(handle)); err != nil {
		return nvidia.Device{}, err
	}
	name, _, _ = bytes.Cut(name, []byte{0})
	out.Name = string(name)

	var id [16]byte
	if err := d.call(&d.deviceUUID, uintptr(unsafe.Pointer(&id)), uintptr(handle)); err != nil {
		return nvidia.Device{}, err
	}
	out.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])

	if err := d.call(&d.deviceTotalMem, uintptr(unsafe.Pointer(&out.Memory)), uintptr(handle)); err != nil {
		return nvidia.Device{}, err
	}

	for _, a := range []struct {
		to     *int
		number uintptr // enum CUdevice_attribute
	}{
		{&out.MaxThreadsPerBlock, 1},
		{&out.MaxSharedPerBlock, 8},
		{&out.MaxRegistersPerBlock, 12},
		{&out.ClockKHz, 13},
		{&out.Multiprocessors, 16},
		{&out.MemoryClockKHz, 36},
		{&out.MemoryBusWidth, 37},
		{&out.L2Bytes, 38},
		{&out.Major, 75},
		{&out.Minor, 76},
	} {
		var value int32
		if err := d.call(&d.deviceAttribute, uintptr(unsafe.Pointer(&value)), a.number, uintptr(handle)); err != nil {
			return nvidia.Device{}, err
		}
		*a.to = int(value)
	}
	return out, nil
}

func (d *driver) Open(ordinal int) (nvidia.Context, error) {
	if err := d.start(); err != nil {
		return nil, err
	}
	device, err := d.handle(ordinal)
	if err != nil {
		return nil, err
	}
	var primary uintptr
	if err := d.call(&d.primaryRetain, uintptr(unsafe.Pointer(&primary)), uintptr(device)); err != nil {
		return nil, err
	}
	c := &context{functions: d.functions, device: device, primary: primary}
	if err := d.call(&d.setCurrent, primary); err != nil {
		_ = c.Close() // the first error is the one to know
		return nil, err
	}
	return c, nil
}
