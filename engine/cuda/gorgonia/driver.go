//go:build gorgonia && cgo && linux

package gorgonia

// #cgo LDFLAGS: -lcuda
// #include <cuda.h>
import "C"

import (
	"errors"
	"fmt"
	"reflect"

	"gorgonia.org/cu"

	"workbench/engine/cuda/nvidia"
)

// New returns the driver. gorgonia.org/cu has started it before the program began,
// and has ended the process where it could not.
func New() (nvidia.Driver, error) { return driver{}, nil }

type driver struct{}

// refusal gives an error of gorgonia.org/cu, which is the driver's result as a
// number of a type that it does not export, the driver's own words.
func refusal(call string, err error) error {
	if err == nil {
		return nil
	}
	code := nvidia.Unknown
	for e := err; e != nil; e = errors.Unwrap(e) {
		if v := reflect.ValueOf(e); v.CanInt() {
			code = int(v.Int())
			break
		}
	}
	return failed(call, C.CUresult(code))
}

// failed is the error of a result.
func failed(call string, result C.CUresult) error {
	if result == C.CUDA_SUCCESS {
		return nil
	}
	e := &nvidia.Error{Library: "driver", Call: call, Code: int(result), Name: "a result without a name"}
	var text *C.char
	if C.cuGetErrorName(result, &text) == C.CUDA_SUCCESS && text != nil {
		e.Name = C.GoString(text)
	}
	if C.cuGetErrorString(result, &text) == C.CUDA_SUCCESS && text != nil {
		e.Text = C.GoString(text)
	}
	return e
}

func (driver) Version() (int, error) {
	v := cu.Version()
	if v < 0 { // it keeps the result to itself
		return 0, failed("cuDriverGetVersion", nvidia.Unknown)
	}
	return v, nil
}

func (d driver) Devices() ([]nvidia.Device, error) {
	count, err := cu.NumDevices()
	if err != nil {
		return nil, refusal("cuDeviceGetCount", err)
	}
	devices := make([]nvidia.Device, count)
	for i := range devices {
		if devices[i], err = d.device(i); err != nil {
			return nil, fmt.Errorf("cuda:%d: %w", i, err)
		}
	}
	return devices, nil
}

func (d driver) device(ordinal int) (nvidia.Device, error) {
	device, err := d.handle(ordinal)
	if err != nil {
		return nvidia.Device{}, err
	}
	out := nvidia.Device{Ordinal: ordinal}
	if out.Name, err = device.Name(); err != nil {
		return nvidia.Device{}, refusal("cuDeviceGetName", err)
	}
	id, err := device.UUID()
	if err != nil {
		return nvidia.Device{}, refusal("cuDeviceGetUuid", err)
	}
	out.UUID = "GPU-" + id.String()
	memory, err := device.TotalMem()
	if err != nil {
		return nvidia.Device{}, refusal("cuDeviceTotalMem_v2", err)
	}
	out.Memory = uint64(memory)
	for _, a := range []struct {
		to        *int
		attribute cu.DeviceAttribute
	}{
		{&out.Major, cu.ComputeCapabilityMajor},
		{&out.Minor, cu.ComputeCapabilityMinor},
		{&out.Multiprocessors, cu.MultiprocessorCount},
		{&out.MaxThreadsPerBlock, cu.MaxThreadsPerBlock},
		{&out.MaxSharedPerBlock, cu.MaxSharedMemoryPerBlock},
		{&out.ClockKHz, cu.ClockRate},
		{&out.MemoryClockKHz, cu.MemoryClockRate},
		{&out.MemoryBusWidth, cu.GlobalMemoryBusWidth},
		{&out.L2Bytes, cu.L2CacheSize},
		{&out.MaxRegistersPerBlock, cu.MaxRegistersPerBlock},
	} {
		if *a.to, err = device.Attribute(a.attribute); err != nil {
			return nvidia.Device{}, refusal("cuDeviceGetAttribute", err)
		}
	}
	return out, nil
}

func (driver) handle(ordinal int) (cu.Device, error) {
	if int(int32(ordinal)) != ordinal {
		ordinal = -1 // the driver's answer is the same
	}
	device, err := cu.GetDevice(ordinal)
	return device, refusal("cuDeviceGet", err)
}

func (d driver) Open(ordinal int) (nvidia.Context, error) {
	device, err := d.handle(ordinal)
	if err != nil {
		return nil, err
	}
	primary, err := device.RetainPrimaryCtx()
	if err != nil {
		return nil, refusal("cuDevicePrimaryCtxRetain", err)
	}
	c := &context{device: device, primary: primary}
	if err := cu.SetCurrentContext(primary); err != nil {
		_ = c.Close() // the first error is the one to know
		return nil, refusal("cuCtxSetCurrent", err)
	}
	return c, nil
}
