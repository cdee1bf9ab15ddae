package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"

	"workbench/engine/cuda"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// Machine is what the list is run on: a GPU, and the CPU that says what is right.
type Machine struct {
	GPU           string // its name
	DriverRelease string // "580.95.05"
	CUDA          string // the newest the driver supports: "13.0"
	Ordinal       int

	// CPU opens the reference of a contract.
	CPU func(contract device.Contract) (device.Device, error)

	// Emulator is what the GPU is held against launch by launch.
	Emulator Emulator

	// Kernels returns what launches kernels on the GPU, in a process of its own
	// that close ends.
	Kernels func(ctx context.Context) (gpu launch.Launcher, close func(), err error)

	// Worker opens the GPU as the course does, in a process of its own. Direct
	// opens it in this process.
	Worker, Direct func(ctx context.Context, spec device.Spec) (device.Device, error)

	// Open opens the libraries of this process, and Libraries are what it
	// returned.
	Open      func() (session.Libraries, error)
	Libraries session.Libraries

	// Options are those of a worker of its own, for the checks that need one
	// whose surroundings or limits are theirs.
	Options func(ordinal int) (worker.Options, error)

	// Part is the command that has this program do one of the parts that need a
	// process of their own; Sanitizer is the path of compute-sanitizer, or empty.
	Part      func(ctx context.Context, name string) *exec.Cmd
	Sanitizer string

	// Of a machine whose GPU is played, in Go: products stay small, and limits of
	// time are wider by a factor.
	small bool
	slack float64
}

// fitting returns the requests that the machine's GPU can do in short time: all
// of them, unless it is played.
func (m *Machine) fitting(requests []request) []request {
	if !m.small {
		return requests
	}
	return slices.DeleteFunc(slices.Clone(requests), func(r request) bool {
		if r.reduction != nil {
			return r.reduction.Input.Len() > 1<<14
		}
		plan, err := r.product.Plan()
		return err == nil && plan.B*plan.M*plan.K*plan.N > 1<<15
	})
}

// New returns a machine with a GPU, of which nothing was asked yet. The caller
// has told package cuda how this program is started as a worker; part is how it
// is started to do a part.
func New(ordinal int, cpu func(device.Contract) (device.Device, error), emulator Emulator, part func(ctx context.Context, name string) *exec.Cmd) *Machine {
	m := &Machine{Ordinal: ordinal, CPU: cpu, Emulator: emulator, Open: cuda.Libraries, Options: cuda.Options, Part: part, Sanitizer: sanitizer()}
	m.Worker = func(ctx context.Context, spec device.Spec) (device.Device, error) {
		d, err := cuda.Open(ctx, spec)
		if err != nil {
			return nil, err // and no device, which a nil *cuda.Device would be
		}
		return d, nil
	}
	m.Kernels = func(ctx context.Context) (launch.Launcher, func(), error) {
		c, err := m.start(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		return c, func() { c.Close() }, nil
	}
	m.Direct = func(ctx context.Context, spec device.Spec) (device.Device, error) {
		d, err := cuda.OpenInProcess(ctx, spec, m.Libraries)
		if err != nil {
			return nil, err
		}
		return d, nil
	}
	return m
}

// Examine opens the driver and asks for the GPU's name. A GPU that cannot be
// checked is a *device.UnavailableError.
func (m *Machine) Examine() error {
	l, err := m.Open()
	if err != nil {
		return session.Explain(m.Ordinal, err)
	}
	m.Libraries = l
	// A session says in words what is not there.
	return onThread(l, m.Ordinal, func(s *session.Session) error {
		v := s.DriverVersion()
		m.GPU, m.CUDA = s.Device().Name, fmt.Sprintf("%d.%d", v/1000, v%1000/10)
		if m.DriverRelease == "" {
			m.DriverRelease = driverRelease(os.ReadFile)
		}
		return nil
	})
}

var (
	// NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build
	moduleRelease = regexp.MustCompile(`NVRM version:.*?\s(\d{3,}\.\d+(?:\.\d+)?)\s`)
	// 7f…-7f… r-xp … /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05
	mappedRelease = regexp.MustCompile(`/libcuda\.so\.(\d{3,}\.\d+(?:\.\d+)?)`)
)

// driverRelease returns the release of the driver, which CUDA does not tell: as
// its kernel module says it, or as the name of the library that this process has
// opened does.
func driverRelease(read func(name string) ([]byte, error)) string {
	for _, place := range []struct {
		file    string
		pattern *regexp.Regexp
	}{{"/proc/driver/nvidia/version", moduleRelease}, {"/proc/self/maps", mappedRelease}} {
		if text, err := read(place.file); err == nil {
			if found := place.pattern.FindSubmatch(text); found != nil {
				return string(found[1])
			}
		}
	}
	return "unknown"
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
	return m.beside(ctx, spec, m.CPU)
}

// beside opens what the GPU is held against, under the contract of a spec, and the
// GPU behind its worker. The caller must call close.
func (m *Machine) beside(ctx context.Context, spec device.Spec, open func(device.Contract) (device.Device, error)) (reference, gpu device.Device, close func(), err error) {
	reference, err = open(spec.Contract)
	if err != nil {
		return nil, nil, nil, err
	}
	gpu, err = m.Worker(ctx, spec)
	if err != nil {
		reference.Close()
		return nil, nil, nil, err
	}
	return reference, gpu, func() { gpu.Close(); reference.Close() }, nil
}

// start starts a worker of its own, with options that change may change.
func (m *Machine) start(ctx context.Context, change func(o *worker.Options)) (*worker.Client, error) {
	o, err := m.Options(m.Ordinal)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(&o)
	}
	return worker.Start(ctx, o)
}

// compiler is a *SkippedError where no kernel can be compiled.
func (m *Machine) compiler() error {
	_, err := m.Libraries.Compiler()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) {
		return &SkippedError{Reason: "kernels cannot be compiled here: " + missing.Error()}
	}
	return err
}

// blas is a *SkippedError where cuBLAS is not there.
func (m *Machine) blas(ctx context.Context) error {
	d, err := m.Worker(ctx, m.library())
	var missing *device.UnavailableError
	if errors.As(err, &missing) {
		return &SkippedError{Reason: "cuBLAS does not run here: " + missing.Error()}
	}
	if err != nil {
		return err
	}
	return d.Close()
}
