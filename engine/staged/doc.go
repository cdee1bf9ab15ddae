// Package staged is what devices have in common whose kernels read a memory of
// their own: a request is checked on the host, its operands are packed and copied
// there, and the result is copied back.
//
//	device.Product, device.Reduction ── plan, pack ──▶ Product ── Backend ──▶ result
//
// A Device does the host's part. A Backend has the memory and runs the kernels: a
// GPU's worker, or the emulator.
package staged
