package fake

import "syscall"

// thread returns a name of the calling thread.
func thread() int { return syscall.Gettid() }
