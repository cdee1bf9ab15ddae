// Package cuda is a GPU of NVIDIA's as a device of the workbench.
//
//	cuda:0          our own kernels, product and sum rounded separately
//	cuda:0,fused    our own kernels, fused multiply-add
//	cuda:0,library  cuBLAS, which fuses
//
// Open checks requests, packs the operands and reads the result, all on the host;
// the GPU itself belongs to another process (package worker), of which there is
// one for each GPU however many devices are open on it:
//
//	Device ── packed bytes ──▶ worker.Client ── frames ──▶ worker ── session ──▶ GPU
//
// OpenInProcess leaves the process out, for benchmarks that ask what it costs. A
// kernel that fails takes the program with it there.
//
// Nothing of CUDA is needed to build this, or to start the program: the worker
// opens the driver when a device is opened, and everything else when it is
// needed. On systems other than Linux, Open is an error that says so.
package cuda
