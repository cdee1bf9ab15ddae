// Package header is what CUDA C has without a kernel's own declaring it: the
// vector types, the functions of the device, mathematics, and the headers that
// kernels include.
//
// They are CUDA C themselves, read before the kernel as a toolkit's headers are.
// What only the machine can do is a function without a body,
//
//	__device__ float expf(float x) __intrinsic(math.exp);
//
// whose name in parentheses says to package lower what the call becomes. These
// files may define functions in any order of use, and their functions are looked
// at only where a kernel calls them.
package header
