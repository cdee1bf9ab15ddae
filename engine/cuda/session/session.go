// Package session is one GPU as one thread uses it: the driver's context, our
// own kernels and cuBLAS, the device memory that requests are staged in, and
// what went wrong in words.
//
// A product goes
//
//	check → find the kernel → make room → copy in → launch → wait → copy out
//
// and every step before the first copy can refuse it without a trace. A request
// that fails leaves nothing allocated but the staging buffers, which the next
// one uses again, and the session in order; unless the error is one after which
// the driver answers every call with the same (Sticky). Then the session does so
// too, and the process must end: CUDA knows no other way back.
//
// Errors are those that the interfaces of package device and of package launch
// name, addressed to cuda:N. Behind each stands the library's own answer, which
// errors.As finds as a *nvidia.Error.
package session

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
)

// Reserve is the device memory that stays free for others, in bytes: for the
// display, for other processes, and for what the driver and the libraries
// allocate by themselves.
const Reserve = 512 << 20

// What the embedded kernels ask of a machine: PTX 7.8, which drivers read from
// CUDA 11.8 on, for compute capability 7.0.
const (
	oldestDriver     = 11080
	oldestCapability = 70
)

// Libraries is what a session calls, and where it keeps what it compiled.
type Libraries struct {
	Driver   nvidia.Driver
	Compiler func() (nvidia.Compiler, error) // called when a kernel must be compiled
	BLAS     func() (nvidia.BLAS, error)     // called when the library is asked for, on the session's thread with its context current
	CacheDir string                          // of compiled kernels; "" keeps none

	// Output returns what has reached the process's standard output since it
	// was called last, within a bound, saying so where it cut something. It is
	// called when the device is idle. Nil means that nobody reads it.
	Output func() string
}

// A Session is one GPU. It belongs to the thread that opened it, or to the one
// that bound it last.
type Session struct {
	libraries Libraries
	spec      device.Spec
	version   int // of CUDA that the driver supports
	device    nvidia.Device
	context   nvidia.Context

	staging    staging
	start, end nvidia.Event
	products   products
	modules    modules
	compiler   nvidia.Compiler // nil until a kernel must be compiled
	blas       nvidia.BLAS     // nil until the library is asked for

	arguments [4][]byte // of the product kernel, made once
	closed    bool
	broken    error // what every call answers once the process must end
}

// Find returns what the driver says of the GPU with that ordinal, and the newest
// CUDA version the driver supports, without opening it. A GPU that is not there
// or cannot be used is a *device.UnavailableError.
func Find(d nvidia.Driver, ordinal int) (found nvidia.Device, version int, err error) {
	version, err = d.Version()
	if err != nil {
		return nvidia.Device{}, 0, Explain(ordinal, err)
	}
	if version < oldestDriver {
		return nvidia.Device{}, version, tooOldForPTX(ordinal, version, nil)
	}
	devices, err := d.Devices()
	if err != nil {
		return nvidia.Device{}, version, Explain(ordinal, err)
	}
	if ordinal < 0 || ordinal >= len(devices) {
		return nvidia.Device{}, version, noSuchOrdinal(ordinal, devices)
	}
	found = devices[ordinal]
	if 10*found.Major+found.Minor < oldestCapability {
		return found, version, &device.UnavailableError{
			Spec:   specOf(ordinal),
			Reason: fmt.Sprintf("%s has compute capability %d.%d, and the workbench's kernels need %d.%d or newer", found.Name, found.Major, found.Minor, oldestCapability/10, oldestCapability%10),
			Next:   "use a GPU of 2017 or later (Volta, Turing or newer), or the device cpu, which gives the same bits",
		}
	}
	return found, version, nil
}

// Open opens the GPU with that ordinal. The caller has locked its goroutine to
// its thread (runtime.LockOSThread), and makes every call of the session on it.
// A GPU that is not there or cannot be used is a *device.UnavailableError.
func Open(l Libraries, ordinal int) (*Session, error) {
	found, version, err := Find(l.Driver, ordinal)
	if err != nil {
		return nil, err
	}
	context, err := l.Driver.Open(ordinal)
	if err != nil {
		return nil, Explain(ordinal, err)
	}
	s := &Session{libraries: l, spec: specOf(ordinal), version: version, device: found, context: context}
	for i := range s.arguments {
		s.arguments[i] = make([]byte, 8)
	}
	for _, e := range []*nvidia.Event{&s.start, &s.end} {
		if *e, err = context.NewEvent(); err != nil {
			err = s.failed(err, "opening the device")
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

func specOf(ordinal int) device.Spec { return device.Spec{Kind: device.CUDA, Ordinal: ordinal} }

// noSuchOrdinal names the devices that there are.
func noSuchOrdinal(ordinal int, devices []nvidia.Device) error {
	e := &device.UnavailableError{Spec: specOf(ordinal), Reason: "the driver shows no GPU at all", Next: "check that nvidia-smi lists one"}
	if len(devices) > 0 {
		names := make([]string, len(devices))
		for i, d := range devices {
			names[i] = fmt.Sprintf("cuda:%d (%s)", d.Ordinal, d.Name)
		}
		e.Reason = "there is no such GPU: the driver shows " + strings.Join(names, ", ")
		e.Next = "use one of these"
	}
	e.Next += visible()
	return e
}

// visible warns of the variable that hides GPUs from every process.
func visible() string {
	if v, set := os.LookupEnv("CUDA_VISIBLE_DEVICES"); set {
		return fmt.Sprintf("; CUDA_VISIBLE_DEVICES is %q and chooses which GPUs are shown, in which order", v)
	}
	return ""
}

// Device returns what the driver says of the GPU.
func (s *Session) Device() nvidia.Device { return s.device }

// DriverVersion returns the newest CUDA version that the driver supports: 13000
// is 13.0.
func (s *Session) DriverVersion() int { return s.version }

// usable refuses every request of a session that is over.
func (s *Session) usable() error {
	switch {
	case s.closed:
		return &device.ClosedError{Spec: s.spec}
	case s.broken != nil:
		return s.broken
	}
	return nil
}

// Bind makes the session the calling thread's, which the caller has locked its
// goroutine to until it is done with the session.
func (s *Session) Bind() error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.failed(s.context.Bind(), "taking the device over")
}

// Healthy asks the device for a sign of life: it returns an error when the
// context no longer works.
func (s *Session) Healthy() error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.failed(s.context.Synchronize(), "the check of the device")
}

// Close gives back everything the session holds. Closing it again does nothing.
func (s *Session) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.broken != nil {
		// The driver takes nothing back any more; the end of the process does.
		s.context.Close()
		return nil
	}
	var errs []error
	if s.blas != nil {
		errs = append(errs, s.blas.Close())
	}
	errs = append(errs, s.products.unload(s.context), s.modules.unload(s.context), s.staging.release(s.context))
	for _, e := range []nvidia.Event{s.start, s.end} {
		if e != 0 {
			errs = append(errs, s.context.DestroyEvent(e))
		}
	}
	errs = append(errs, s.context.Close())
	return s.failed(errors.Join(errs...), "closing the device")
}
