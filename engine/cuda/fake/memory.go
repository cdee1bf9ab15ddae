package fake

import (
	"bytes"
	"encoding/binary"
	"slices"

	"workbench/engine/cuda/nvidia"
)

const (
	firstAddress = 0x7f_0000_0000
	alignment    = 512      // of every allocation, as of a GPU's
	guard        = 16 << 20 // at least so much of the address space lies between two allocations
	pageBytes    = 64 << 10

	// poison fills fresh memory. It is NaN as float64, float32, float16 and
	// bfloat16.
	poison = 0xff
)

// memory is the memory of one device. Its pages exist from their first use on,
// so that a device may have more of it than the host.
type memory struct {
	total, used uint64
	next        uint64
	live        []*allocation // by address

	// The allocations that were used last: a kernel goes from one of its
	// buffers to the next and back.
	recent [4]*allocation
	oldest int // of recent
}

type allocation struct {
	base, size uint64
	pages      [][]byte
}

func newMemory(total uint64) *memory { return &memory{total: total, next: firstAddress} }

func (m *memory) free() uint64 { return m.total - m.used }

// alloc returns 0 where the memory has not so much left.
func (m *memory) alloc(size uint64) nvidia.Pointer {
	if size > m.free() {
		return 0
	}
	a := &allocation{base: m.next, size: size, pages: make([][]byte, (size+pageBytes-1)/pageBytes)}
	m.next = (m.next + size + guard + alignment - 1) / alignment * alignment
	m.live = append(m.live, a)
	m.used += size
	return nvidia.Pointer(a.base)
}

// release frees the allocation that begins at p, if there is one.
func (m *memory) release(p nvidia.Pointer) bool {
	i, found := m.search(uint64(p))
	if !found {
		return false
	}
	m.used -= m.live[i].size
	m.live = slices.Delete(m.live, i, i+1)
	m.recent = [4]*allocation{}
	return true
}

func (m *memory) search(base uint64) (int, bool) {
	return slices.BinarySearchFunc(m.live, base, func(a *allocation, base uint64) int {
		switch {
		case a.base < base:
			return -1
		case a.base > base:
			return 1
		}
		return 0
	})
}

// find returns the allocation that holds size bytes at p, and where in it.
func (m *memory) find(p nvidia.Pointer, size uint64) (a *allocation, at uint64) {
	for _, a := range m.recent {
		if a != nil && uint64(p) >= a.base && uint64(p)-a.base < a.size {
			return a.span(uint64(p)-a.base, size)
		}
	}
	i, found := m.search(uint64(p))
	if !found {
		i--
	}
	if i < 0 {
		return nil, 0
	}
	a = m.live[i]
	m.recent[m.oldest] = a
	m.oldest = (m.oldest + 1) % len(m.recent)
	return a.span(uint64(p)-a.base, size)
}

// span returns a and at, if a has size bytes there.
func (a *allocation) span(at, size uint64) (*allocation, uint64) {
	if at > a.size || size > a.size-at {
		return nil, 0
	}
	return a, at
}

// page returns the bytes of an allocation from at to the end of its page.
func (a *allocation) page(at uint64) []byte {
	page := &a.pages[at/pageBytes]
	if *page == nil {
		*page = bytes.Repeat([]byte{poison}, int(min(pageBytes, a.size-at/pageBytes*pageBytes)))
	}
	return (*page)[at%pageBytes:]
}

func (a *allocation) write(at uint64, from []byte) {
	for len(from) > 0 {
		n := copy(a.page(at), from)
		from, at = from[n:], at+uint64(n)
	}
}

func (a *allocation) read(to []byte, at uint64) {
	for len(to) > 0 {
		n := copy(to, a.page(at))
		to, at = to[n:], at+uint64(n)
	}
}

func (a *allocation) fill(at, size uint64, value byte) {
	for size > 0 {
		page := a.page(at)
		page = page[:min(size, uint64(len(page)))]
		for i := range page {
			page[i] = value
		}
		size, at = size-uint64(len(page)), at+uint64(len(page))
	}
}

// load reads a number of 1, 2, 4 or 8 bytes, as a kernel does: at an address
// that its size divides, which no page's end cuts.
func (a *allocation) load(at uint64, size int) uint64 {
	b := a.page(at)
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func (a *allocation) store(at uint64, size int, value uint64) {
	b := a.page(at)
	switch size {
	case 1:
		b[0] = byte(value)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(value))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(value))
	default:
		binary.LittleEndian.PutUint64(b, value)
	}
}
