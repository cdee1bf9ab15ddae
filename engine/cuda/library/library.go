// Package library finds and opens NVIDIA's shared libraries at run time. Nothing
// of NVIDIA's is needed to build the program, and a library is opened when
// something needs it: the driver for a GPU, NVRTC for a kernel that must be
// compiled, cuBLAS for its products.
//
// Where the driver is looked for:
//
//	$COURSE_CUDA_DRIVER     a file; where it is set nothing else is tried
//	the loader              libcuda.so.1
//	usual folders           /usr/lib/wsl/lib, /usr/local/nvidia/lib64, /run/opengl-driver/lib
//
// Where NVRTC and cuBLAS are looked for, and in each place for the versions 13,
// 12, 11 and the bare name:
//
//	$COURSE_CUDA_LIBRARY_DIR    a folder
//	this process                what it has already loaded
//	Python wheels               nvidia-cuda-nvrtc and nvidia-cublas in $VIRTUAL_ENV, in the prefix
//	                            of PATH's python3, and in the user's own site-packages
//	$CONDA_PREFIX/lib
//	the loader                  LD_LIBRARY_PATH, /etc/ld.so.conf, the usual folders
//	$CUDA_PATH, $CUDA_HOME      a toolkit
//	/usr/local/cuda             a toolkit
//	/usr/lib/wsl/lib
//
// With COURSE_CUDA_LIBRARY_ONLY=1 the given folder is the only place.
//
// The search takes the first file that the loader accepts. One that it refuses
// (another processor's, half a download) is remembered with the loader's words,
// and the search goes on. A library stays open as long as the process lives:
// NVIDIA's libraries start threads and exit handlers, and do not survive being
// unloaded.
package library

import (
	"fmt"
	"sync"

	"workbench/engine/cuda/nvidia"
)

// Environment variables that say where libraries are.
const (
	DirVariable    = "COURSE_CUDA_LIBRARY_DIR"  // the folder of NVRTC and cuBLAS that is tried first
	OnlyVariable   = "COURSE_CUDA_LIBRARY_ONLY" // 1: that folder is the only one
	DriverVariable = "COURSE_CUDA_DRIVER"       // the driver's file, the only one tried
)

// Kind is one of NVIDIA's libraries.
type Kind uint8

const (
	Driver Kind = iota // libcuda.so.1, part of the GPU's driver
	NVRTC              // libnvrtc, the compiler of CUDA C
	CUBLAS             // libcublas, matrix products
)

// String returns the library's name as errors say it.
func (k Kind) String() string {
	switch k {
	case Driver:
		return "driver"
	case NVRTC:
		return "NVRTC"
	case CUBLAS:
		return "cuBLAS"
	}
	panic(fmt.Sprintf("BUG: library kind %d", uint8(k)))
}

// Library is an open library. It is never closed.
type Library struct {
	kind   Kind
	path   string
	handle uintptr
}

// Path returns the file the library was opened by, or its bare name where the
// loader found it.
func (l *Library) Path() string { return l.path }

// Symbol returns the address of a function. A library that lacks it is of
// another version than the workbench needs: a *nvidia.MissingError that names
// both.
func (l *Library) Symbol(name string) (uintptr, error) {
	address, err := symbol(l.handle, name)
	if err != nil {
		return 0, &nvidia.MissingError{
			Library: l.kind.String(), Found: l.path,
			Reason: fmt.Sprintf("%s has no function %s, so it is of a version that the workbench cannot use (%v)", l.path, name, err),
		}
	}
	return address, nil
}

// Has reports whether the library has a function, for those that only newer
// versions have.
func (l *Library) Has(name string) bool {
	_, err := symbol(l.handle, name)
	return err == nil
}

var opened struct {
	sync.Mutex
	libraries [CUBLAS + 1]*Library
}

// Open finds and opens a library, once in a process: later calls return the
// same one. Where none can be opened the error is a *nvidia.MissingError with
// everything that was tried, and the next call tries again.
func Open(k Kind) (*Library, error) {
	opened.Lock()
	defer opened.Unlock()
	if l := opened.libraries[k]; l != nil {
		return l, nil
	}
	l, err := open(k)
	if err != nil {
		return nil, err
	}
	opened.libraries[k] = l
	return l, nil
}
