// Package tensor holds host tensors and the ways to read them.
//
// A Tensor owns row-major float64 values. A View reads any values at any
// strides, in elements and not in bytes, without copying:
//
//	storage   [1 2 3 4 5 6]
//	shape     [2 3]     strides [3 1]     1 2 3
//	                                      4 5 6
//	transpose [3 2]     strides [1 3]     1 4
//	                                      2 5
//	                                      3 6
//	broadcast [2 2 3]   strides [0 3 1]   the same matrix twice
//
// A view's element at coordinate (c0, c1, ..) is storage[offset + Σ c·stride].
//
// MatmulPlan and AxisPlan are checked descriptions of a product and of a
// reduction. Both can pack their operands: copy the elements a view reads into
// contiguous row-major matrices, which is what a device wants to be given.
//
// Every product of dimensions is checked: a shape of more than MaxElements
// elements is an error and never an overflow. That bounds one allocation to
// 2 GiB, and says nothing of whether the machine has as much memory. Processors
// are those of 64 bits.
package tensor
