// Package fake is NVIDIA's driver, NVRTC and cuBLAS without a GPU, for tests of
// everything above them. It computes: nothing it returns was written down
// beforehand, so a wrong grid, stride, size or order of calls shows as a wrong
// number or as the error a GPU would give.
//
//	memory     allocations with addresses, in bytes; fresh memory is all ones,
//	           which is NaN in every format, so that a value nobody wrote shows
//	kernels    Go functions, called once for every thread of the grid; which
//	           there are is a table by symbol (Kernel), and whether they fuse is
//	           read from the image that was loaded
//	images     PTX, by its .version, .target and .entry lines; or what the fake
//	           compiler made
//	time       a Clock; kernels take no more of it than Config.Slow says
//	threads    a context's methods fail on another thread than that of Open or of
//	           the last Bind (Linux)
//
// Like a GPU, a kernel fails after the launch that began it has returned: the
// next call that waits reports it, and from then on every call of that device.
//
// Faults make a chosen call fail, hang or end the process. A test tells a child
// process what to pretend through an environment variable: see Variable.
//
// No package that ships imports this one; a test holds that.
package fake
