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
	parameters []byte

	mu       sync.Mutex
	segments []*segment
	ahead    int64 // bytes that are made when one is asked for
	held     int64
	clock    int64
	steps    int
	phases   int
	complete bool
	reason   string
	other    string
	cursor   *cursor
}

type sharedArray struct {
	memory *run.Memory
	grain  int // bytes that have one owner
}

// A segment is some steps one after the other: the state before them, and the
// records. They are made when it is asked for, and again when they were dropped;
// what says whether it is of interest is always there.
type segment struct {
	first int // its first step
	steps int
	key   *state   // nil if it is not in memory
	log   []byte   // likewise
	at    []uint32 // by step: where its record begins
	size  int64    // bytes of them; of what has not been made, at most about
	used  int64

	length int // bytes that the log has at most about

	warps     uint32               // that have steps in it
	places    []uint64             // a bit for each position of a step
	exchanges bool                 // lanes exchange values in it
	releases  bool                 // a barrier lets all go on in it, or it has the end
	touched   [touchedWords]uint64 // a bit for the hash of each element that is accessed

	// The first of the steps before it of which accesses are in it: a warp that
	// waits in the middle of a statement goes on with it.
	late int
}

const (
	touchedWords = 256
	segmentBytes = 256 << 10 // of a log, before the next segment begins
	fixedBytes   = 3 << 10   // what a segment takes when it was dropped
	maxSegments  = 1 << 13   // of a recording
	firstAhead   = 512 << 10 // of segments that are made at once, the first time; then twice as much each time, up to
	mostAhead    = 4 << 20
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

// start takes down a block that begins.
func (t *tape) start(b *run.Block) {
	p := b.Grid.Program
	// Of the machine's memory nothing is kept beyond the run.
	g := b.Grid
	t.grid = &run.Grid{Program: p, Kernel: g.Kernel, Grid: g.Grid, Block: g.Block, SharedBytes: g.SharedBytes, Warps: g.Warps}
	t.index = [3]int{b.Index.X, b.Index.Y, b.Index.Z}
	for i := range p.Names.Frames {
		t.layouts = append(t.layouts, layoutOf(&p.Names.Frames[i]))
	}
	t.arrayOf = map[run.Pointer]int{}
	for _, of := range b.Memories() {
		m := new(run.Memory)
		*m = *of
		m.Data = nil
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
			t.parameters = slices.Clone(of.Data)
		}
	}
}

// local returns the number of a local array, −1 if it has none. Whenever a launch
// runs its arrays are others that look the same.
func (t *tape) local(m *run.Memory) int {
	return slices.IndexFunc(t.locals, func(old *run.Memory) bool { return old.Label == m.Label && old.Pos == m.Pos && old.Size == m.Size })
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

// remake runs the launch for segment n, and those around it: few at first, since
// much of a recording may never be looked at, and more each time.
func (t *tape) remake(ctx context.Context, n int) error {
	from, to := n, n+1
	size := t.segments[n].size
	add := func(k int, most int64) bool {
		if k < 0 || k >= len(t.segments) || t.segments[k].key != nil || size+t.segments[k].size > most {
			return false
		}
		size += t.segments[k].size
		return true
	}
	ahead := min(t.ahead, t.bound/4)
	if t.checks.begin == nil {
		ahead = t.bound / 4 // all of the launch runs each time
	}
	t.ahead = min(2*ahead, mostAhead)
	for grown := true; grown; {
		grown = false
		if add(to, ahead) {
			to, grown = to+1, true
		}
		if add(from-1, ahead) {
			from, grown = from-1, true
		}
	}
	point, until := t.checks.before(from)
	// What it comes past is kept if there is room without dropping anything.
	for room := t.bound - t.bytes(); (point == nil || from-1 > point.segment) && add(from-1, room); {
		from--
	}
	again, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &Recorder{cancel: cancel, of: map[int]observer{}, left: 1}
	h := &head{r: r, t: t, from: from, to: to, point: point, until: until}
	r.of[t.number] = h
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
