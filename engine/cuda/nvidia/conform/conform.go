// Package conform holds any nvidia.Driver to what its interface promises: the
// driver itself as package driver calls it, the same driver through
// gorgonia.org/cu, and the fake one. It is an ordinary package, so that tests and
// commands on machines without Go run the same cases.
//
// # The kernels
//
// The cases launch kernels of PTX, one module of hand-written code for every GPU
// from compute capability 7.0 on. A driver without a GPU knows them by symbol:
//
//	conform_index(u64 out, u32 n)
//	    Every thread writes where it is. With i the thread's number in the grid,
//	      ((bz·GY + by)·GX + bx)·(BX·BY·BZ) + (tz·BY + ty)·BX + tx
//	    for blockIdx b, gridDim G, threadIdx t and blockDim B, if i < n:
//	      out[i] = bx + by·2^10 + bz·2^20 + tx·2^30 + ty·2^40 + tz·2^50   (u64)
//	conform_add(u64 values, u32 n, u32 amount)
//	    values[i] += amount (u32) for i = bx·BX + tx < n.
//	conform_parameters(u8 a, f64 b, u16 c, s32 d, f32 e, u64 out, struct { u64 s[14] }, u8 z)
//	    Writes the bits of each, without sign, to out (u64): a, b, c, d, e, s[0] … s[13], z.
//	    One thread.
//	conform_reverse(u64 out, u64 in)
//	    out[BX−1−tx] = in[tx] (u32), through shared memory whose 4·BX bytes the launch
//	    asks for. One block.
//	conform_wait(u64 out, u32 microseconds)
//	    Waits so long, and then adds 1 to out[0] (u32). One thread.
//	conform_print(u32 n)
//	    printf("conform_print %u\n", n). One thread.
//	conform_store(u64 p)
//	    *p = 1 (u32). An address outside of what was allocated is the error
//	    IllegalAddress, one that is no multiple of 4 is MisalignedAddress. One thread.
//	conform_trap()
//	    Stops as broken code does. One thread.
//
// conform_wait, conform_store and conform_trap are reported by Synchronize, or by a
// copy, which waits for it too. After conform_store failed, or conform_trap, every
// call answers with the same error.
//
// Images that a driver must refuse: Broken, whose brackets do not close
// (InvalidPTX, with a log), Later, whose .version is 99.9 (UnsupportedPTXVersion),
// and bytes that are no image at all (InvalidImage or InvalidPTX).
package conform

import (
	"fmt"
	"runtime"

	"workbench/engine/cuda/nvidia"
)

// Case is one thing a driver must do.
type Case struct {
	Name string // "memory/copies"

	// Run returns nil if the driver does it. It must be called on a thread that
	// is the caller's own (runtime.LockOSThread), and opens the device itself.
	Run func(d nvidia.Driver, ordinal int) error
}

// Tally counts cases.
type Tally struct {
	Passed, Failed int
}

// Cases returns every case that leaves the driver sound.
func Cases() []Case {
	var out []Case
	for _, group := range [][]Case{deviceCases(), memoryCases(), moduleCases(), launchCases(), eventCases()} {
		out = append(out, group...)
	}
	return out
}

// Sticky returns the cases after which no work with the GPU is possible in the
// process: each needs a process of its own.
func Sticky() []Case { return stickyCases() }

// Run holds a driver to every case, in order, on one GPU, and calls report after
// each; err is nil for a case that passed.
func Run(d nvidia.Driver, ordinal int, report func(name string, err error)) Tally {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var tally Tally
	var held nvidia.Context
	for i, c := range Cases() {
		if i == len(deviceCases()) {
			// What comes opens the GPU in each case. A primary context takes a
			// tenth of a second and more to make, and from here on there is one.
			held, _ = d.Open(ordinal) // the cases say it if it fails
		}
		err := Attempt(c, d, ordinal)
		if err == nil {
			tally.Passed++
		} else {
			tally.Failed++
		}
		report(c.Name, err)
	}
	if held != nil {
		if err := held.Close(); err != nil {
			tally.Failed++
			report("device/close", err)
		}
	}
	return tally
}

// Attempt runs one case, and makes a panic of the driver its failure.
func Attempt(c Case, d nvidia.Driver, ordinal int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the driver panicked: %v", r)
		}
	}()
	return c.Run(d, ordinal)
}
