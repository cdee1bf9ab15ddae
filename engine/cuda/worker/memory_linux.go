package worker

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memory is a file without a name that both processes map. The program makes it
// longer, never shorter, so that what a worker has mapped is always there.
type memory struct {
	file  *os.File
	bytes []byte // mapped
}

// newMemory makes an empty one.
func newMemory() (*memory, error) {
	fd, err := unix.MemfdCreate("workbench-operands", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	return &memory{file: os.NewFile(uintptr(fd), "workbench-operands")}, nil
}

// grow makes at least n bytes available, in the program.
func (m *memory) grow(n int) error {
	if n <= len(m.bytes) {
		return nil
	}
	// In powers of two up to 64 MiB: requests grow, and mapping anew costs the
	// pages' faults again.
	size := 1 << 20
	for size < n && size < 64<<20 {
		size *= 2
	}
	page := os.Getpagesize()
	size = max(size, (n+page-1)/page*page)
	if err := m.file.Truncate(int64(size)); err != nil {
		return fmt.Errorf("shared memory of %d bytes: %w", size, err)
	}
	return m.see(size)
}

// see maps the first n bytes of the file, in either process.
func (m *memory) see(n int) error {
	if n <= len(m.bytes) {
		return nil
	}
	if info, err := m.file.Stat(); err != nil {
		return err
	} else if int64(n) > info.Size() {
		return malformed("%d bytes of shared memory are announced, and the file has %d", n, info.Size())
	}
	if err := m.unmap(); err != nil {
		return err
	}
	bytes, err := unix.Mmap(int(m.file.Fd()), 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mapping %d bytes of shared memory: %w", n, err)
	}
	m.bytes = bytes
	return nil
}

// empty gives the pages back and keeps the length: what was mapped reads as
// zeros from then on.
func (m *memory) empty() error {
	if len(m.bytes) == 0 {
		return nil
	}
	return unix.Fallocate(int(m.file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, int64(len(m.bytes)))
}

func (m *memory) unmap() error {
	if len(m.bytes) == 0 {
		return nil
	}
	bytes := m.bytes
	m.bytes = nil
	return unix.Munmap(bytes)
}

// close gives everything back on this side.
func (m *memory) close() {
	_ = m.unmap()
	_ = m.file.Close()
}
