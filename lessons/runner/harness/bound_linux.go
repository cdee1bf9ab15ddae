package harness

import "syscall"

// bound has the system refuse what is far too much at once. The runtime would
// prepare for a slice of terabytes for seconds, in gigabytes, before it gave up or
// anybody could look.
func bound(heap int64) {
	most := uint64(2*heap + 1<<30) // of everything that is written to; the runtime's own is in it
	syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most})
}
