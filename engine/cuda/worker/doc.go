// Package worker is the process that owns a GPU, and the other side of it.
//
// CUDA documents that a process must end after an illegal access, and a kernel
// that never ends cannot be stopped in any other way. So the program never calls
// CUDA itself: it starts its own file once more, as a worker, and speaks frames
// with it. What fails there costs one request, and the next one finds a new
// worker.
//
//	the program                        the worker
//	Client.Multiply ── 3 requests ──▶  Serve, on one locked thread:
//	                ◀── 4 replies ───    session.Multiply, session.Launch
//	        (kept open) ─ 5 ──────────▶  ends the process when the program is gone
//	      memory ◀──── 6 shared ─────▶   operands and results from 64 KiB on
//	                                   1 what kernels print   2 kept for messages
//
// The numbers are the worker's descriptors. Requests wait in the program, first
// come first served, so that a worker that dies takes one of them with it. The
// worker's loop reads and writes on the thread that owns the GPU's context: a
// request crosses no goroutine there.
//
// A frame is a header of 24 bytes, then metadata, then a body:
//
//	0   "WBF" and the version of this protocol
//	4   kind     5 flags     6 two zeros
//	8   number of the request, which its reply repeats
//	16  bytes of metadata, at most 8 MiB
//	20  bytes of the body, below 64 KiB
//
// Integers are little-endian. The metadata of a product and of its reply are
// fixed fields, of everything else JSON. The first frame comes from the worker
// and says which build it is of and which GPU it opened, or why it could not.
package worker
