// Package driver is nvidia.Driver over NVIDIA's own library, libcuda.so.1, opened
// at run time: no cgo, no header, no toolkit.
//
// The library's functions are looked up once, by the names that carry a version
// (cuMemAlloc_v2): those without one are of CUDA 3 where there are two, and what a
// header makes of a name differs from release to release. A driver that lacks one
// is refused with the function's name.
//
// A call goes through purego.SyscallN, which takes integers and pointers and
// allocates nothing. No function here has a floating-point parameter: a kernel's
// arguments travel as bytes that an array of pointers leads to, which is
// cuLaunchKernel's own interface.
//
// # What makes it sound
//
// Go does not know what C reads or writes, so that every address that is passed
// must be of memory that stays where it is, and stays, until the call returns:
//
//   - Go's heap does not move, and call and quick are marked go:uintptrescapes: what
//     is converted in the list of their arguments is on the heap, and alive until
//     they return.
//   - Addresses that C finds inside other memory (the arguments of a launch, the
//     buffers for the log of the driver's compiler) are kept alive or pinned by
//     hand where it is done.
//   - C keeps no address of ours after a call: copies from ordinary host memory are
//     complete, in the sense that the memory may be used again, when they return.
//   - A result is an int of C, whose register has 32 bits of it and 32 of nothing.
package driver
