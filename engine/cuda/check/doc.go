// Package check is gpu-check: the list of everything that must hold on a GPU and
// that is measured there, and the report of a run, which assets/measurements
// keeps. A machine with a GPU may have no Go and no checkout, so all of it is an
// ordinary package in the one binary, and a test runs the whole list over a GPU
// that is played.
//
// The groups of the list, in order:
//
//	conform     the cases that every device is held to, behind the worker and in-process
//	bits        the GPU against the CPU, bit by bit
//	library     cuBLAS against the fused chain: equal where it is, bounded where it is not
//	statistics  what a run says it cost
//
// A check of the list sees a Machine: a GPU behind the worker process, the same
// in this process, and the CPU. It never computes what is right by itself: that
// is the CPU's, or package conform's.
package check
