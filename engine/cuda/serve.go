package cuda

import (
	"fmt"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/cublas"
	"workbench/engine/cuda/native"
	"workbench/engine/cuda/nvrtc"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
)

// Libraries opens NVIDIA's driver in this process, and the other libraries when
// something asks for them. A driver that is not there is a *nvidia.MissingError.
func Libraries() (session.Libraries, error) {
	d, err := native.Driver()
	if err != nil {
		return session.Libraries{}, err
	}
	return session.Libraries{
		Driver:   d,
		Compiler: nvrtc.New,
		BLAS:     cublas.New,
		CacheDir: compile.Dir(),
	}, nil
}

// Serve is the program as a worker, with the arguments that follow those of
// SetProgram. It returns when the worker must end.
func Serve(args []string) error { return ServeWith(args, Libraries) }

// ServeWith is Serve over other libraries, for tests.
func ServeWith(args []string, libraries func() (session.Libraries, error)) error {
	if len(args) != 1 {
		return fmt.Errorf("a worker takes one argument, the name of its GPU, and not %q: the program starts it by itself", args)
	}
	spec, err := device.ParseSpec(args[0])
	if err != nil {
		return err
	}
	if spec != (device.Spec{Kind: device.CUDA, Ordinal: spec.Ordinal}) {
		return fmt.Errorf("a worker serves a GPU, cuda:0 for example, and not %s", spec)
	}
	files, err := worker.Inherited()
	if err != nil {
		return err
	}
	return worker.Serve(files, func() (worker.Opened, error) {
		l, err := libraries()
		if err != nil {
			return worker.Opened{}, session.Explain(spec.Ordinal, err)
		}
		l.Output = files.Output
		s, err := session.Open(l, spec.Ordinal)
		if err != nil {
			return worker.Opened{}, err
		}
		return worker.Opened{GPU: s, Driver: s.DriverVersion()}, nil
	})
}
