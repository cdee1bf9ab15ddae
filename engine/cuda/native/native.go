// Package native is the CUDA driver of this machine, by the implementation that the
// program was built with: package driver, which needs no toolkit, or with
// `-tags gorgonia` package gorgonia, for comparison.
package native
