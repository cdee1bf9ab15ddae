// Package session is one GPU as one thread uses it: the driver's context, our
// own kernels and cuBLAS, the device memory that requests are staged in, and
// what went wrong in words.
package session

import (
	"errors"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// Reserve is the device memory that stays free for others, in bytes: for the
// display, for other processes, and for what the driver and the libraries
// allocate by themselves.
const Reserve = 512 << 20

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

// A Session is one GPU. It belongs to the thread that opened it.
type Session struct {
	device nvidia.Device
}

// Open opens the GPU with that ordinal. The caller has locked its goroutine to
// its thread (runtime.LockOSThread), and makes every call of the session on it.
// A GPU that is not there or cannot be used is a *device.UnavailableError.
func Open(l Libraries, ordinal int) (*Session, error) {
	return nil, errors.New("not written yet")
}

// Device returns what the driver says of the GPU.
func (s *Session) Device() nvidia.Device { return s.device }

// Multiply runs one product. Left and right hold the operands' bytes and out
// gets the result's; their lengths are those that Sizes returns.
func (s *Session) Multiply(p Product, left, right, out []byte) (device.Stats, error) {
	return device.Stats{}, errors.New("not written yet")
}

// Launch compiles a kernel, if that was not done before, and runs it.
func (s *Session) Launch(l *launch.Launch) (*launch.Result, error) {
	return nil, errors.New("not written yet")
}

// Healthy asks the device for a sign of life: it returns an error when the
// context no longer works.
func (s *Session) Healthy() error { return errors.New("not written yet") }

// Close gives back everything the session holds.
func (s *Session) Close() error { return nil }

// Explain returns an error of opening one of NVIDIA's libraries in the words of
// the device with that ordinal: a *device.UnavailableError that says what is
// missing and what to install.
func Explain(ordinal int, err error) error { return err }

// Sticky reports whether an error means that nothing works any more in this
// process: it must end, and another one be started.
func Sticky(err error) bool {
	var refused *nvidia.Error
	return errors.As(err, &refused) && refused.Sticky()
}
