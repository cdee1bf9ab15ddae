package engine

import (
	"context"

	"workbench/engine/cuda"
	"workbench/engine/cuda/worker"
)

// A GPU is driven by a process of its own, which is this program once more: an
// illegal access by a kernel costs the process, and one without an end too.

// SetWorker says with which arguments this program calls ServeWorker with those
// that follow them. A program that never says so opens no GPU.
func SetWorker(args ...string) { cuda.SetProgram(worker.Command{Args: args}) }

// ServeWorker is the program as such a process, with the arguments after those of
// SetWorker. It returns when the process must end.
func ServeWorker(args []string) error { return cuda.Serve(args) }

// CUDALibraryDir is the environment variable that names the folder in which NVRTC
// and cuBLAS are looked for first.
const CUDALibraryDir = cuda.LibraryDir

// CUDA is what a machine has of NVIDIA's: driver, libraries and GPUs.
type CUDA = cuda.Report

// Library of a CUDA is one of NVIDIA's, and GPU one of its devices.
type (
	Library = cuda.Found
	GPU     = cuda.GPU
)

// ProbeCUDA finds out what this machine has of NVIDIA's, in a process of its own.
// What is missing is in the report, also where there is an error: that looking
// itself failed.
func ProbeCUDA(ctx context.Context) (CUDA, error) { return cuda.Probe(ctx) }
