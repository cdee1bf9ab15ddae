package race

import "sort"

// Kind is what an access does.
type Kind uint8

const (
	Read Kind = iota
	Write
	Atomic
	VolatileRead
	VolatileWrite
)

// A Site is an access of the program.
type Site struct {
	Kind  Kind
	Local bool // of an Atomic: its scope is the block
	Label any  // for whoever is told of races
}

// A Race is two accesses that nothing orders. First was there when Second came,
// which says nothing of what comes first in another run.
type Race struct {
	Memory        *Memory
	Offset        int64 // of the first byte of the piece that both accessed
	First, Second Party
}

// A Party is one of two that race.
type Party struct {
	Site  int
	Block uint32
	Warp  int
	Lane  int
	Now   bool // it is part of the instruction that is being executed
}

// A Detector is told what happens in launches, in the order in which it happens,
// and tells of races. Its methods and those of its blocks and warps are called
// from one goroutine.
type Detector struct {
	found func(*Race)
	race  Race // what it is handed
	sites []Site

	now    uint32 // the time of what is accessed next
	began  uint32 // everything up to here was before the launch
	launch int
	fenced bool // a fence was executed in this launch
	local  bool // an atomic of a block was

	// Turns of blocks: the n-th began at starts[n] and was of whose[n].
	starts []uint32
	whose  []uint32
	last   *Block
	recent [2]turn

	live       map[*Block]bool
	pool       []*Block
	room       int64 // bytes left for cells
	limit      int64
	full       bool
	generation int
}

// turn is a time in which one block went on.
type turn struct {
	from, to uint32
	block    uint32
}

const maxTurns = 1 << 25

// New returns a detector that calls found with every race; what it is handed is
// valid until it returns. Its cells take up to limit bytes, 24 for a word of 4
// that is accessed; what they do not suffice for is not looked at.
func New(limit int64, found func(*Race)) *Detector {
	return &Detector{found: found, now: 1, live: map[*Block]bool{}, room: limit, limit: limit}
}

// Site enters a site and returns its number, -1 if there are too many.
func (d *Detector) Site(s Site) int {
	if len(d.sites) == maxSites {
		return -1
	}
	d.sites = append(d.sites, s)
	return len(d.sites) - 1
}

// Label returns what a site was entered with.
func (d *Detector) Label(site int) any { return d.sites[site].Label }

// Full reports whether there was something that the cells did not suffice for.
func (d *Detector) Full() bool { return d.full }

// Launch begins a launch: all that was before it happened before it.
func (d *Detector) Launch() {
	d.launch++
	d.began = d.now
	d.now++
	d.fenced, d.local = false, false
	d.starts, d.whose, d.last, d.recent = d.starts[:0], d.whose[:0], nil, [2]turn{}
	for b := range d.live {
		b.End()
	}
}

// forget drops all that is known of the past, when times run out or there are
// too many turns: races with what is forgotten are not found.
func (d *Detector) forget() {
	d.generation++
	d.now, d.began = 2, 1
	d.starts, d.whose, d.last, d.recent = nil, nil, nil, [2]turn{}
	d.room = d.limit
	for b := range d.live {
		b.drop()
		b.base, b.know, b.fenced, b.reads, b.tallies = 0, nil, [2]*known{}, [2]*known{}, nil
		for i := range b.warps {
			w := &b.warps[i]
			w.base, w.rows, w.sync, w.tallies = 0, nil, nil, nil
		}
	}
}

// tick moves the time on, so that what comes is behind what was.
func (d *Detector) tick() {
	d.now++
	if d.now >= 1<<32-2 || len(d.starts) >= maxTurns {
		d.forget()
	}
}

// turn says that another block goes on.
func (d *Detector) turn(b *Block) {
	d.tick()
	d.last = b
	d.starts = append(d.starts, d.now)
	d.whose = append(d.whose, b.number)
}

// blockOf returns whose time it is. The caller says which of two places to look
// it up in first.
func (d *Detector) blockOf(time uint32, cache int) uint32 {
	if r := &d.recent[cache]; r.from <= time && time < r.to {
		return r.block
	}
	n := sort.Search(len(d.starts), func(i int) bool { return d.starts[i] > time }) - 1
	if n < 0 {
		return 0
	}
	t := turn{from: d.starts[n], to: d.now + 1, block: d.whose[n]}
	if n+1 < len(d.starts) {
		t.to = d.starts[n+1]
	}
	d.recent[cache] = t
	return t.block
}

// A Block is one block while it runs.
type Block struct {
	d      *Detector
	number uint32
	base   uint32    // everything of this block up to here is before everything from now on
	know   *known    // of others
	fenced [2]*known // and what may be released, by scope
	syncs  bool      // a lane has a warp.sync
	reads  [2]*known // what was read before a barrier without a fence behind it: for everyone, and of this block

	tallying bool // a lane has a warp.tallies
	tallies  map[tallyAt]tally
	warps    []Warp
	putBy    []*Memory // of which reads are put by
}

// Scopes of what is fenced.
const (
	device = iota
	local
)

// Begin begins a block of so many threads.
func (d *Detector) Begin(number uint32, threads int) *Block {
	var b *Block
	if n := len(d.pool); n > 0 {
		b, d.pool = d.pool[n-1], d.pool[:n-1]
	} else {
		b = &Block{}
	}
	warps := (threads + 31) / 32
	if cap(b.warps) < warps {
		b.warps = make([]Warp, warps)
	}
	*b = Block{d: d, number: number, base: d.now, warps: b.warps[:warps], putBy: b.putBy[:0]}
	for i := range b.warps {
		every := ^uint32(0)
		if rest := threads - 32*i; rest < 32 {
			every = 1<<rest - 1
		}
		b.warps[i] = Warp{block: b, index: i, base: d.now, every: every}
	}
	d.tick()
	d.live[b] = true
	return b
}

// End ends a block.
func (b *Block) End() {
	d := b.d
	if !d.live[b] {
		return
	}
	delete(d.live, b)
	b.drop()
	d.pool = append(d.pool, b)
	if d.last == b {
		d.last = nil
	}
	for i := range b.warps {
		b.warps[i].rows, b.warps[i].sync, b.warps[i].tallies = nil, nil, nil
	}
}

// Warp returns a warp of the block.
func (b *Block) Warp(i int) *Warp { return &b.warps[i] }

// A Warp is one warp while its block runs.
type Warp struct {
	block  *Block
	index  int
	every  uint32          // its lanes
	base   uint32          // everything of this warp up to here is before everything from now on
	rows   *[32][32]uint32 // how much more each lane knows of each
	primed uint32          // lanes that have fenced since the last barrier
	sync   *lanes

	tallies *tallies
}

// lanes is what the lanes of a warp know through releases.
type lanes struct {
	know   [32]*known
	fenced [2][32]*release
	// What was read without a fence behind it: for everyone, and of the own block.
	pending [2][32]*known
}

func (w *Warp) lanes() *lanes {
	if w.sync == nil {
		w.sync = &lanes{}
		w.block.syncs = true
	}
	return w.sync
}

// blockOf returns the block of a mark in m.
func (w *Warp) blockOf(m *Memory, one mark, cache int) uint32 {
	if m.Shared {
		return w.block.number
	}
	return w.block.d.blockOf(one.time(), cache)
}

// after reports whether an access in a cell happened before what a lane does
// now; block and of are the block and the lane of the access.
func (w *Warp) after(one mark, block uint32, of, lane int) bool {
	b := w.block
	time := one.time()
	if time <= b.d.began {
		return true
	}
	if block == b.number {
		if time <= b.base {
			return true
		}
		if one.warp() == w.index && (of == lane || time <= w.base || w.rows != nil && time <= w.rows[lane][of]) {
			return true
		}
	}
	if !b.d.fenced {
		return false
	}
	return b.know.has(block, one.warp(), of, time) || w.sync != nil && w.sync.know[lane].has(block, one.warp(), of, time)
}
