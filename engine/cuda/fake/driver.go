package fake

import (
	"slices"

	"workbench/engine/cuda/nvidia"
)

// Driver opens the driver, as driver.New does.
func (m *Machine) Driver() (nvidia.Driver, error) {
	if m.config.Driver.Missing {
		return nil, missing("driver", "libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1")
	}
	return (*driver)(m), nil
}

type driver Machine

func (d *driver) machine() *Machine { return (*Machine)(d) }

// start is cuInit, which every use of the driver begins with.
func (d *driver) start() error {
	m := d.machine()
	m.log(Call{Name: "cuInit"})
	if refused, _ := m.strike("cuInit"); refused != nil {
		return refused
	}
	if len(m.config.Devices) == 0 {
		return refuse("cuInit", nvidia.NoDevice)
	}
	return nil
}

func (d *driver) call(name string) error {
	m := d.machine()
	m.log(Call{Name: name})
	if refused, _ := m.strike(name); refused != nil {
		return refused
	}
	return nil
}

func (d *driver) Version() (int, error) {
	if err := d.start(); err != nil {
		return 0, err
	}
	if err := d.call("cuDriverGetVersion"); err != nil {
		return 0, err
	}
	return d.config.Driver.Version, nil
}

func (d *driver) Devices() ([]nvidia.Device, error) {
	if err := d.start(); err != nil {
		return nil, err
	}
	if err := d.call("cuDeviceGetCount"); err != nil {
		return nil, err
	}
	return slices.Clone(d.config.Devices), nil
}

func (d *driver) Open(ordinal int) (nvidia.Context, error) {
	if err := d.start(); err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(d.config.Devices) {
		return nil, refuse("cuDeviceGet", nvidia.InvalidDevice)
	}
	if err := d.call("cuDevicePrimaryCtxRetain"); err != nil {
		return nil, err
	}
	m := d.machine()
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.primary[ordinal]
	if p == nil {
		p = &primary{memory: newMemory(m.config.Devices[ordinal].Memory), alive: map[uintptr]any{}}
		m.primary[ordinal] = p
	}
	if p.sticky != 0 {
		return nil, refuse("cuDevicePrimaryCtxRetain", p.sticky)
	}
	p.users++
	c := &Context{machine: m, device: m.config.Devices[ordinal], primary: p, thread: thread()}
	m.current[c.thread] = c
	return c, nil
}
