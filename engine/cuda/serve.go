package cuda

import (
	"fmt"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/cublas"
	"workbench/engine/cuda/library"
	"workbench/engine/cuda/native"
	"workbench/engine/cuda/nvrtc"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
)

// Libraries opens NVIDIA's driver in this process, and the other libraries when
// something asks for them. A driver that is not there is a *nvidia.MissingError;
// the other libraries can be asked for even then.
func Libraries() (session.Libraries, error) {
	l := session.Libraries{Compiler: nvrtc.New, BLAS: cublas.New, CacheDir: compile.Dir()}
	d, err := native.Driver()
	if err != nil {
		return l, err
	}
	l.Driver = d
	return l, nil
}

// path returns where a library was found in this process.
func path(k library.Kind) (string, error) {
	l, err := library.Open(k)
	if err != nil {
		return "", err
	}
	return l.Path(), nil
}

// Serve is the program as another process of itself, with the arguments that
// follow those of SetProgram: a GPU's worker, or one that looks for GPUs. It
// returns when the process must end.
func Serve(args []string) error { return serve(args, Libraries, path) }

// ServeWith is Serve over other libraries, for tests.
func ServeWith(args []string, libraries func() (session.Libraries, error)) error {
	return serve(args, libraries, func(library.Kind) (string, error) { return "", nil })
}

func serve(args []string, libraries func() (session.Libraries, error), path func(library.Kind) (string, error)) error {
	if len(args) != 1 {
		return fmt.Errorf("a worker takes one argument, the name of its GPU, and not %q: the program starts it by itself", args)
	}
	switch args[0] {
	case askAll:
		return answer(askAll, allLimit, libraries, path)
	case askGPUs:
		return answer(askGPUs, gpusLimit, libraries, path)
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
