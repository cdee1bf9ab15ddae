// Package check is gpu-check: the list of everything that must hold on a GPU and
// that is measured there, and the report of a run, which assets/measurements
// keeps. A machine with a GPU may have no Go and no checkout, so all of it is an
// ordinary package in the one binary, and a test runs the whole list over a GPU
// that is played.
//
// The groups of the list, in order:
//
//	conform     the cases that every device is held to, behind the worker and in
//	            this process, and those of the driver
//	bits        the GPU against the CPU, bit by bit
//	library     cuBLAS against the fused chain: equal where it is, bounded where it is not
//	statistics  what a run says it cost
//	kernels     kernels that are compiled on the machine
//	cost        what is measured, beside NVIDIA's calls alone in the same run
//	ladder      every kernel of the catalogue against its cases, and what it reaches
//	emulator    the GPU against the emulator: the decoder, every kernel, CUDA's functions
//	faults      every fault a learner can meet, provoked, under the names that the
//	            tests without a GPU have for them
//	sanitizer   compute-sanitizer, on planted faults and on the course's kernels, in
//	            a process of their own and in a worker
//
// What needs a process of its own is a part (RunPart): the program starts itself
// once more to do it.
//
// A check of the list sees a Machine: a GPU behind the worker process, the same
// in this process, the CPU, and the emulator. It never computes what is right by
// itself: that is the CPU's, or package conform's.
package check
