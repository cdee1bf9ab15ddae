// Package nvrtc is NVIDIA's run-time compiler of CUDA C, opened when a kernel
// must be compiled. It needs no GPU and no toolkit: libnvrtc and its
// libnvrtc-builtins are all of it.
//
// NVRTC finds no header files by itself; the caller hands over what a source may
// include.
package nvrtc
