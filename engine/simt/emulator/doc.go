// Package emulator is the CUDA emulator as a device of the workbench.
//
//	emulator        our own kernels, product and sum rounded separately
//	emulator,fused  our own kernels, fused multiply-add
//
// A product is the same CUDA C as on a GPU, launched on the same grid:
//
//	Device ── packed bytes ──▶ memory of the emulator ── matmul.cu, by package run ──▶ result
//
// Nothing watches a product: its kernel is the course's own, tested with every
// check, and checks would make it many times as slow. The bounds of its buffers hold
// all the same. A kernel that somebody else wrote is launched with all of them.
//
// It needs nothing of CUDA, and has the bits of cpu under the same contract.
package emulator
