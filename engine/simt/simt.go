// Package simt runs kernels of CUDA C without a GPU, checks them for what is
// wrong, and measures what they do.
//
// What is where: front reads the source, code is what it becomes, run executes
// it, a warp at a time, and watch finds the faults and counts. Here emulator.go is
// what all of it is for, memory.go how a launch finds its arguments, and errors.go
// what goes wrong in the words of every Launcher.
package simt
