// Package gorgonia is nvidia.Driver over gorgonia.org/cu, which calls the driver
// through cgo and NVIDIA's headers. It is the second implementation of the
// interface, built with a tag, and held to the same cases as package driver: where
// both give the same answers, neither the bindings nor the way of calling made
// them.
//
// # To build it
//
// A C compiler and the headers of a CUDA toolkit 11, 12 or 13 are needed; the tests
// run where the driver and a GPU are. With CUDA_HOME at the toolkit, in the
// repository's root:
//
//	export CGO_ENABLED=1
//	export CGO_CFLAGS="-I$PWD/engine/cuda/gorgonia/include -I$CUDA_HOME/include"
//	export CGO_LDFLAGS="-L$CUDA_HOME/lib64/stubs"
//	go build -tags gorgonia -o workbench ./cmd/workbench
//	go test  -tags gorgonia -v ./engine/cuda/native
//
// The folder include has a cuda.h that takes NVIDIA's own and restores what
// gorgonia.org/cu was written for; it must come first. On a machine without access
// to the modules, make them part of the tree before (`go mod vendor`), and add
// `-mod=vendor`.
//
// # Why it is not the default
//
//   - The program needs the headers to be built, and the driver to be started:
//     gorgonia.org/cu starts the driver when the program does, and ends the process
//     where there is none, so that a machine without a GPU can run nothing.
//   - It has no graph launch, no capture of streams and no strided batch of
//     products.
//   - Its Launch copies eight bytes of each argument. A kernel that takes a structure
//     is launched here by a call of our own, with its handle.
//   - Its errors are numbers without the driver's words, which are asked for here.
package gorgonia
