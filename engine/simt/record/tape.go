package record

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// A tape is what is known of one recorded block: a list of segments, of which some
// are in memory and the others are made again when they are asked for.
type tape struct {
	number  int // of the block
	grid    *run.Grid
	index   [3]int // blockIdx
	bound   int64
	most    int64 // bytes that a state may have
	layouts []layout
	again   Again
	checks  checkpoints

	arrays     []*run.Memory // what the block can access but for local memory
	arrayOf    map[run.Pointer]int
	shared     []sharedArray
	sharedOf   []int // by number
	locals     []*run.Memory
	localOf    map[*run.Memory]int32
	parameters []byte

	mu       sync.Mutex
	segments []*segment
	held     int64
	clock    int64
	steps    int
	phases   int
	complete bool
	reason   string
	cursor   *cursor
}

type sharedArray struct {
	memory *run.Memory
	grain  int // bytes that have one owner
}

// A segment is some steps one after the other: the state before them, and the
// records. What is dropped of it keeps what says whether it is of interest.
type segment struct {
	first int // its first step
	steps int
	key   *state   // nil if it was dropped
	log   []byte   // likewise
	at    []uint32 // by step: where its record begins
	size  int64    // bytes of them
	used  int64

	warps    uint32               // that have steps in it
	places   []uint64             // a bit for each position of a step
	releases bool                 // a barrier lets all go on in it, or it has the end
	touched  [touchedWords]uint64 // a bit for the hash of each element that is accessed

	// The first of the steps before it of which accesses are in it: a warp that
	// waits in the middle of a statement goes on with it.
	late int
}

const (
	touchedWords = 256
	segmentBytes = 256 << 10 // of a log, before the next segment begins
	fixedBytes   = 3 << 10   // what a segment takes when it was dropped
	maxSegments  = 1 << 13   // of a recording
	never        = math.MaxInt
)

func (s *segment) bytes() int64 {
	n := int64(0)
	if s.key != nil {
		n = s.key.size + int64(cap(s.log)) + 4*int64(cap(s.at))
	}
	return n
}

// positions calls see with the positions of the steps.
func (s *segment) positions(see func(code.Pos)) {
	for i, word := range s.places {
		for ; word != 0; word &= word - 1 {
			see(code.Pos(64*i + bits.TrailingZeros64(word)))
		}
	}
}

// touch says that an element is accessed.
func (s *segment) touch(array int, element int64) {
	h := hash(array, element)
	s.touched[h>>6%touchedWords] |= 1 << (h & 63)
}

// may reports whether an element may be accessed.
func (s *segment) may(array int, element int64) bool {
	h := hash(array, element)
	return s.touched[h>>6%touchedWords]>>(h&63)&1 != 0
}

func hash(array int, element int64) uint64 {
	z := uint64(element)*0x9e3779b97f4a7c15 + uint64(array)*0xbf58476d1ce4e5b9
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	return z ^ z>>31
}

// ---- recording -----------------------------------------------------------------

// A head writes a tape, the first time or once more for some segments.
type head struct {
	t    *tape
	s    *state
	log  []byte
	open *segment
	all  bool // the first time: segments are made as it goes
	from int  // otherwise the segments that are made again
	to   int
	next int // the segment that is being executed
	done bool

	// Where it goes on when a part is made again: nil is the block's beginning.
	point *checkpoint
	until int // the checkpoints up to it

	seen    [256]seen // accesses of the segment
	pending []pending // atomics that have begun
	warp    *run.Warp // that did something last
	printed int
}

// seen is an access that is in a segment's filter.
type seen struct {
	pattern *run.Pattern
	at      uint64
	width   int
}

// pending is an atomic whose result is in memory when its warp goes on.
type pending struct {
	warp  *run.Warp
	space code.Space
	a     access
}

// start takes down a block that begins.
func (t *tape) start(b *run.Block) {
	p := b.Grid.Program
	t.grid = b.Grid
	t.index = [3]int{b.Index.X, b.Index.Y, b.Index.Z}
	for i := range p.Names.Frames {
		t.layouts = append(t.layouts, layoutOf(&p.Names.Frames[i]))
	}
	t.arrayOf, t.localOf = map[run.Pointer]int{}, map[*run.Memory]int32{}
	for _, m := range b.Memories() {
		t.arrayOf[m.Pointer()] = len(t.arrays)
		t.arrays = append(t.arrays, m)
		switch m.Space {
		case code.Shared:
			for len(t.sharedOf) <= m.Number {
				t.sharedOf = append(t.sharedOf, -1)
			}
			t.sharedOf[m.Number] = len(t.shared)
			grain := 4
			if m.ElemSize == 1 || m.ElemSize == 2 {
				grain = m.ElemSize
			}
			t.shared = append(t.shared, sharedArray{m, grain})
		case code.Parameter:
			t.parameters = m.Data
		}
	}
}

// blank is the state of a block that has not begun.
func (t *tape) blank(b *run.Block) *state {
	s := &state{step: -1}
	kernel := b.Grid.Program.Functions[b.Grid.Program.Function(b.Grid.Kernel)]
	for i := range b.Warps {
		s.warps = append(s.warps, warp{step: -1, live: b.Warps[i].Live, active: b.Warps[i].Active, pos: kernel.Pos})
		s.size += 512
		t.push(s, &s.warps[i], frame{frame: int32(kernel.Frame), pos: kernel.Pos, lanes: b.Warps[i].Live})
	}
	for _, a := range t.shared {
		n := (int(a.memory.Size) + a.grain - 1) / a.grain
		s.slabs = append(s.slabs, slab{data: make([]byte, a.memory.Size), owners: make([]uint16, n), steps: make([]int32, n)})
		s.size += a.memory.Size + 6*int64(n)
	}
	return s
}

// threshold is the length of a log at which the next segment begins.
func (h *head) threshold() int {
	return int(min(max(segmentBytes, 4*h.s.size), max(segmentBytes, h.t.bound/16)))
}

// keeps reports whether what is written now is kept.
func (h *head) keeps() bool { return h.all || h.next >= h.from && h.next < h.to }

// cut is called before a step begins: it may be the first of another segment.
func (h *head) cut() {
	t := h.t
	if h.open == nil {
		h.enter()
		return
	}
	step := int(h.s.step) + 1
	if h.all {
		if len(h.log) >= h.threshold() {
			h.close(step)
			if h.next++; h.next == maxSegments {
				t.reason, h.done = "the block does more than can be recorded", true
				t.phases = int(h.s.phase) + 1
				return
			}
			h.enter()
		}
		return
	}
	if h.next+1 < len(t.segments) && step == t.segments[h.next+1].first {
		h.close(step)
		if h.next++; h.next == h.to {
			h.done = true
			return
		}
		h.enter()
		return
	}
	if h.next+1 == len(t.segments) && step == t.steps {
		h.close(step) // of a launch that was ended from outside
		h.done = true
	}
}

// enter begins a segment.
func (h *head) enter() {
	h.open = &segment{first: int(h.s.step) + 1, places: make([]uint64, len(h.t.grid.Program.Positions)/64+1), late: never}
	h.log = nil
	clear(h.seen[:])
	if h.keeps() {
		h.open.key = h.s.clone()
		h.log = make([]byte, 0, h.threshold()+4<<10)
	}
}

// close ends the segment: its steps are those before step.
func (h *head) close(step int) {
	t, g := h.t, h.open
	if !h.keeps() {
		h.log = nil
		return
	}
	if h.all {
		t.checks.since += int64(len(h.log))
	}
	g.steps, g.log = step-g.first, h.log
	if len(g.log) < cap(g.log)/2 {
		g.log = slices.Clone(g.log)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock++
	if !h.all {
		old := t.segments[h.next]
		if old.key == nil && old.steps == g.steps {
			old.key, old.log, old.at, old.used = g.key, g.log, g.at, t.clock
			t.held += old.bytes()
		}
		return
	}
	g.used, g.size = t.clock, g.bytes()
	t.segments = append(t.segments, g)
	t.steps = step
	t.held += g.bytes()
	// The beginning of the block is what is looked at first: what comes later
	// makes room.
	for k := len(t.segments) - 1; k > 0 && t.bytes() > t.bound; k-- {
		if t.segments[k].key != nil {
			t.drop(t.segments[k])
		}
	}
}

// bytes is what the tape takes.
func (t *tape) bytes() int64 {
	return t.held + t.checks.size + fixedBytes*int64(len(t.segments))
}

// drop forgets a segment.
func (t *tape) drop(g *segment) {
	t.held -= g.bytes()
	g.key, g.log, g.at = nil, nil, nil
}

// room drops what was used least recently until the tape keeps its bound.
func (t *tape) room(keep *segment) {
	for t.bytes() > t.bound {
		var oldest *segment
		for _, g := range t.segments {
			if g.key != nil && g != keep && (oldest == nil || g.used < oldest.used) {
				oldest = g
			}
		}
		if oldest == nil {
			return
		}
		t.drop(oldest)
	}
}

// write appends a record that begins at start and does what it says.
func (h *head) write(start int) {
	finish(h.log, start)
	if kind := h.log[start]; kind == recAccess || kind == recAfter || kind == recText {
		if step := int(h.s.warps[h.log[start+1]].step); step < h.open.first {
			h.open.late = min(h.open.late, max(step, 0))
		}
	}
	h.t.apply(h.s, h.log[start:])
	if !h.keeps() {
		h.log = h.log[:start]
	}
}

// ---- reading -------------------------------------------------------------------

// cursor is a state on its way through a segment.
type cursor struct {
	segment *segment
	s       *state
	at      int // in the log: behind the record of step s.step
}

// find returns the segment that has a step.
func (t *tape) find(step int) int {
	return sort.Search(len(t.segments), func(i int) bool { return t.segments[i].first > step }) - 1
}

// fetch returns a segment with its log. mu is held, and given away while the
// launch runs again.
func (t *tape) fetch(ctx context.Context, n int) (*segment, error) {
	g := t.segments[n]
	t.clock++
	g.used = t.clock
	if g.key != nil {
		return g, nil
	}
	if err := t.remake(ctx, n); err != nil {
		return nil, err
	}
	return g, nil
}

// remake runs the launch again for segment n, and those around it as far as
// there is room for a while.
func (t *tape) remake(ctx context.Context, n int) error {
	from, to := n, n+1
	size := t.segments[n].size
	add := func(k int) bool {
		if k < 0 || k >= len(t.segments) || t.segments[k].key != nil || size+t.segments[k].size > t.bound/4 {
			return false
		}
		size += t.segments[k].size
		return true
	}
	for grown := true; grown; {
		grown = false
		if add(to) {
			to, grown = to+1, true
		}
		if add(from - 1) {
			from, grown = from-1, true
		}
	}
	again, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &head{t: t, from: from, to: to}
	h.point, h.until = t.checks.before(from)
	r := &Recorder{cancel: cancel, heads: map[int]*head{t.number: h}, left: 1}
	cursor := t.cursor
	t.cursor = nil
	t.mu.Unlock()
	err := t.again(again, r)
	t.mu.Lock()
	t.cursor = cursor
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !h.done && h.open != nil {
		// It ends early each time, as by the limit of its instructions.
		t.mu.Unlock()
		h.stop()
		t.mu.Lock()
	}
	if t.segments[n].key == nil {
		if err == nil {
			err = errOther
		}
		return err
	}
	t.room(t.segments[n])
	return nil
}

// to returns the state at a step. mu is held.
func (t *tape) to(ctx context.Context, step int) (*cursor, error) {
	g, err := t.fetch(ctx, t.find(step))
	if err != nil {
		return nil, err
	}
	c := t.cursor
	if c == nil || c.segment != g || int(c.s.step) > step {
		c = &cursor{segment: g, s: g.key.clone()}
		t.cursor = c
	}
	end := int(g.at[step-g.first])
	end += length(g.log[end:])
	for c.at < end {
		rec := g.log[c.at:]
		t.apply(c.s, rec)
		c.at += length(rec)
	}
	return c, nil
}
