package check

import (
	"context"

	"workbench/engine/device"
)

// Machine is what the list is run on: a GPU, and the CPU that says what is right.
type Machine struct {
	GPU           string // its name
	DriverRelease string // "580.95.05"
	CUDA          string // the newest the driver supports: "13.0"
	Ordinal       int

	// CPU opens the reference of a contract.
	CPU func(contract device.Contract) (device.Device, error)

	// Worker opens the GPU as the course does, in a process of its own. Direct
	// opens it in this process.
	Worker, Direct func(ctx context.Context, spec device.Spec) (device.Device, error)
}

// spec names the machine's GPU with a contract.
func (m *Machine) spec(contract device.Contract) device.Spec {
	return device.Spec{Kind: device.CUDA, Ordinal: m.Ordinal, Contract: contract}
}

// library names the machine's GPU with cuBLAS multiplying.
func (m *Machine) library() device.Spec {
	return device.Spec{Kind: device.CUDA, Ordinal: m.Ordinal, Contract: device.Fused, Library: true}
}

// pair opens the reference of a spec's contract, and the GPU behind its worker.
// The caller must call close.
func (m *Machine) pair(ctx context.Context, spec device.Spec) (cpu, gpu device.Device, close func(), err error) {
	cpu, err = m.CPU(spec.Contract)
	if err != nil {
		return nil, nil, nil, err
	}
	gpu, err = m.Worker(ctx, spec)
	if err != nil {
		cpu.Close()
		return nil, nil, nil, err
	}
	return cpu, gpu, func() { gpu.Close(); cpu.Close() }, nil
}
