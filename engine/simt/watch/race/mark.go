package race

// A mark is an access in a cell:
//
//	bits 63…32  its time
//	bits 31…16  its site
//	bits 15…11  its warp, within the block
//	bits 10…6   its lane; of several the lowest
//	bits  5…1   of several lanes of one instruction the second lowest, else the same again
//	bit   0     of a volatile write: a fence came before it; of another access: it is an atomic
//
// Time begins at 1, so that 0 is no access.
type mark uint64

const (
	maxSites  = 1 << 16
	maxWarps  = 32
	siteShift = 16
	warpShift = 11
	laneShift = 6

	fencedMark mark = 1
	atomicMark mark = 1
)

func at(time uint32, site, warp int) mark {
	return mark(time)<<32 | mark(site)<<siteShift | mark(warp)<<warpShift
}

func (m mark) by(lane int) mark { return m | mark(lane)<<laneShift | mark(lane)<<1 }

func (m mark) time() uint32   { return uint32(m >> 32) }
func (m mark) site() int      { return int(m >> siteShift & (maxSites - 1)) }
func (m mark) warp() int      { return int(m >> warpShift & (maxWarps - 1)) }
func (m mark) lane() int      { return int(m >> laneShift & 31) }
func (m mark) second() int    { return int(m >> 1 & 31) }
func (m mark) thread() uint32 { return uint32(m>>laneShift) & (32*maxWarps - 1) } // within the block

// same reports whether m and o are of one warp's instruction.
func (m mark) same(o mark) bool { return m>>warpShift == o>>warpShift }

// with returns m with another lane.
func (m mark) with(lane int) mark {
	first, second := m.lane(), m.second()
	switch {
	case lane == first:
		return m
	case lane < first:
		first, second = lane, first
	case first == second || lane < second:
		second = lane
	}
	return m&^(1<<warpShift-1) | m&fencedMark | mark(first)<<laneShift | mark(second)<<1
}

// cell is what is remembered of one piece of memory.
type cell struct {
	w    mark // the last write, plain or volatile
	a, b mark // reads and atomics
}

const (
	pageBits  = 12
	pageBytes = 1 << pageBits
	cellBytes = 24
)

// page is the cells of pageBytes of memory.
type page struct {
	shift uint8 // a cell is of 1<<shift bytes
	cells []cell
}

// split makes the cells of p fine enough for accesses of size bytes.
func (d *Detector) split(p *page, size int) {
	shift := uint8(0)
	if size == 2 {
		shift = 1
	}
	each := 1 << (p.shift - shift)
	d.room -= int64(len(p.cells)*(each-1)) * cellBytes
	cells := make([]cell, len(p.cells)*each)
	for i := range cells {
		cells[i] = p.cells[i/each]
	}
	p.cells, p.shift = cells, shift
}

// A Memory is an allocation as the detector sees it: a buffer, or a shared array
// of one block.
type Memory struct {
	Shared bool // of one block
	Label  any  // whose it is, for whoever is told of races

	d          *Detector
	size       int64
	pages      []*page
	generation int
	launch     int
	flags      map[int64]*flag // by offset: what was released there

	touched uint32    // when it was last accessed otherwise than by a plain read
	reads   []reading // that are put by
}

// Memory returns the record of an allocation of size bytes.
func (d *Detector) Memory(size int64, shared bool, label any) *Memory {
	return &Memory{Shared: shared, Label: label, d: d, size: size}
}

// renew drops what is of a launch before, or was forgotten.
func (m *Memory) renew() {
	m.flags, m.launch = nil, m.d.launch
	if m.generation != m.d.generation {
		m.pages, m.generation = nil, m.d.generation
	}
}

// page returns the page at an offset, nil if there is no room for it.
func (m *Memory) page(offset int64) *page {
	if m.generation != m.d.generation {
		m.renew()
	}
	if m.pages == nil {
		m.pages = make([]*page, (m.size+pageBytes-1)>>pageBits)
	}
	n := offset >> pageBits
	if p := m.pages[n]; p != nil {
		return p
	}
	bytes := min(int64(pageBytes), m.size-n<<pageBits)
	p := &page{shift: 2}
	cells := (bytes + 3) / 4
	if m.d.room < cells*cellBytes {
		m.d.full = true
		return nil
	}
	m.d.room -= cells * cellBytes
	p.cells = make([]cell, cells)
	m.pages[n] = p
	return p
}
