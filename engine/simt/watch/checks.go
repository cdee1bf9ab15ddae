package watch

import (
	"math/bits"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch/race"
)

// Options say how Checks reports. The zero value is ready.
type Options struct {
	Source func(file string, line int) string // the text of a source line, "" if it is not known
	Kinds  []launch.ReportKind                // what is reported; nil is everything
	Shadow int64                              // bytes for what is remembered of accesses; 0 is DefaultShadow
	Decide bool                               // look for races even if they are not reported: see Undecided
}

// DefaultShadow is 2 GiB: memory of 340 MiB of which every word is accessed.
const DefaultShadow = 2 << 30

// Checks is an observer that finds faults of a kernel. One is for the launches
// of one machine, one after another, and remembers what of its memory they have
// written.
type Checks struct {
	options  Options
	detector *race.Detector // nil if races are not looked for

	unwrittenToo bool // what is read unwritten is reported
	undecided    bool

	grid   *run.Grid
	blocks map[*run.Block]*block
	cur    *block

	sites     [][]site // by position
	global    []*array // by number
	unwritten map[*run.Memory]bool

	access  *run.Access // what the detector is being told of
	key     uint64      // the pointer to the array
	offsets [32]int64   // where in the array its lanes are, of one that has no pattern

	findings map[findingKey]*finding
	races    map[raceKey]*racing
	refused  []launch.Report

	// In a kernel that races the same two sites do, many times.
	lastRace   raceKey
	lastRacing *racing
	raced      []raced // by the detector's number of the site
}

// NewChecks returns checks that have seen nothing.
func NewChecks(o Options) *Checks {
	if o.Shadow == 0 {
		o.Shadow = DefaultShadow
	}
	c := &Checks{
		options: o, unwritten: map[*run.Memory]bool{}, findings: map[findingKey]*finding{}, races: map[raceKey]*racing{},
	}
	if o.Decide || c.wanted(launch.Race) {
		c.detector = race.New(o.Shadow, c.found)
	}
	c.unwrittenToo = c.wanted(launch.Uninitialised)
	return c
}

// Unwritten says that what m holds is not to be read until a kernel has written
// it: a buffer for results that was given no contents.
func (c *Checks) Unwritten(m *run.Memory) { c.unwritten[m] = true }

// Incomplete reports whether there were accesses that Options.Shadow did not
// suffice for, so that races between them may have been missed.
func (c *Checks) Incomplete() bool { return c.detector != nil && c.detector.Full() }

// Undecided reports whether memory was read unwritten that another thread wrote in
// time but for a race, perhaps. That is a race and no uninitialised read, which only
// those can tell who look for races: with Options.Decide.
func (c *Checks) Undecided() bool { return c.undecided }

// block is what is known of a block while it runs.
type block struct {
	run    *run.Block
	race   *race.Block
	shared []*array // by number
	warps  []warp
}

type warp struct {
	locals  []*locals // by number
	arrived uint32    // lanes that are at the block's barrier
}

// site is an access instruction as the detector numbers it.
type site struct {
	race.Site
	number int
	on     *array // of an atomic: what it was on last
}

// where is what the detector has as the label of a site.
type where struct {
	pos  code.Pos
	kind race.Kind
}

// Wants says what Checks must be told: no more than what it reports comes from.
func (c *Checks) Wants() run.Events {
	var e run.Events
	if c.detector != nil {
		e |= run.Accesses | run.Syncs
	}
	if c.unwrittenToo {
		e |= run.Accesses | run.Values
	}
	if c.wanted(launch.DivergentBarrier) {
		e |= run.Syncs
	}
	return e
}

// Begin begins a block, and a launch with the first of a grid.
func (c *Checks) Begin(b *run.Block) {
	if c.grid != b.Grid {
		if c.grid == nil || c.grid.Program != b.Grid.Program {
			c.sites = make([][]site, len(b.Grid.Program.Positions)+1)
		}
		c.unread(c.global)
		c.grid = b.Grid
		c.blocks = map[*run.Block]*block{}
		clear(c.raced)
		for _, a := range c.global {
			if a != nil {
				a.fixed = !c.grid.Writes(a.memory)
			}
		}
		if c.detector != nil {
			c.detector.Launch()
		}
	}
	// A block that has ended lends its memory to another.
	s := c.blocks[b]
	if s == nil {
		s = &block{run: b, warps: make([]warp, len(b.Warps))}
		c.blocks[b] = s
	}
	for _, a := range s.shared {
		if a != nil {
			a.forget()
		}
	}
	for i := range s.warps {
		s.warps[i].arrived = 0
		clear(s.warps[i].locals)
	}
	if c.detector != nil {
		s.race = c.detector.Begin(uint32(b.Number), b.Grid.Block.Count())
	}
	c.cur = s
}

// End ends a block.
func (c *Checks) End(b *run.Block) {
	s := c.of(b)
	c.unread(s.shared)
	if s.race != nil {
		s.race.End()
	}
}

func (c *Checks) of(b *run.Block) *block {
	if c.cur.run != b {
		c.cur = c.blocks[b]
	}
	return c.cur
}

// Statement, Segment and Branch are not asked for.

func (c *Checks) Statement(*run.Warp, code.Pos)              {}
func (c *Checks) Segment(*run.Warp, *run.Segment)            {}
func (c *Checks) Branch(*run.Warp, code.Pos, uint32, uint32) {}

// SyncWarp orders the lanes of a warp.
func (c *Checks) SyncWarp(w *run.Warp, _ code.Pos, masks *[32]uint32) {
	if s := c.of(w.Block); s.race != nil {
		s.race.Warp(w.Index).Sync(w.Active, w.Live, masks)
	}
}

// Exchange orders them too.
func (c *Checks) Exchange(w *run.Warp, _ code.Pos, _ code.Instr, masks *[32]uint32) {
	if s := c.of(w.Block); s.race != nil {
		s.race.Warp(w.Index).Sync(w.Active, w.Live, masks)
	}
}

// Fence makes what its lanes did ready to be released.
func (c *Checks) Fence(w *run.Warp, _ code.Pos, scope code.Scope) {
	if s := c.of(w.Block); s.race != nil {
		s.race.Warp(w.Index).Fence(w.Active, scope == code.BlockScope)
	}
}

// Access looks at an access: is what it reads written, and does it race.
func (c *Checks) Access(a *run.Access) {
	switch a.Space {
	case code.Local:
		if c.unwrittenToo {
			c.local(a)
		}
		return
	case code.Global, code.Shared:
	default:
		return // read only, and all written
	}
	b := c.of(a.Warp.Block)
	c.access = a
	if a.Pattern != nil && a.Size >= 4 && !a.Volatile {
		c.places(a, b)
		return
	}
	for mask := a.Mask; mask != 0; {
		first := run.Pointer(a.Addrs[bits.TrailingZeros32(mask)])
		key := uint64(first) &^ offsetMask
		here := uint32(0)
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			if o := a.Addrs[i] - key; o <= offsetMask {
				c.offsets[i] = int64(o)
				here |= 1 << i
			}
		}
		mask &^= here
		c.key = key
		c.to(a, b, c.array(a, b, first), here)
	}
}

// offsetMask has the bits of a pointer that are an offset: what an observer is
// shown lies within its array, so that none is negative.
const offsetMask = 1<<40 - 1

// to is an access by some lanes to one array.
func (c *Checks) to(a *run.Access, b *block, to *array, mask uint32) {
	if to.missing > 0 {
		if a.Kind == run.Load || a.Kind == run.Atomic && a.Op != code.AtomicExchange {
			c.read(a, to, mask)
		}
		if a.Kind != run.Load {
			to.write(&c.offsets, mask, a.Width())
		}
	}
	if a.Kind == run.Atomic && len(to.early) > 0 {
		c.again(a, to, mask)
	}
	if b.race == nil || to.quiet(a) {
		return
	}
	n := c.site(a)
	if n < 0 || c.passOver(n, a) {
		return
	}
	if a.Kind == run.Atomic {
		for i := range c.sites[a.Pos] {
			c.sites[a.Pos][i].on = to
		}
	}
	b.race.Warp(a.Warp.Index).Access(n, to.race, mask, &c.offsets, a.Size, a.Width())
}

// places is Access where the lanes are at the places of a pattern.
func (c *Checks) places(a *run.Access, b *block) {
	p := a.Pattern
	first := run.Pointer(a.Addrs[bits.TrailingZeros32(a.Mask)&31])
	base := int64(uint64(first) & offsetMask)
	c.key = uint64(first) &^ offsetMask
	to := c.array(a, b, first)
	width := a.Width()
	if to.missing > 0 {
		if a.Kind == run.Load {
			for k, o := range p.Offsets[:p.Places] {
				if bad := to.unwritten(base+o, width); bad != 0 {
					to.note(base+o+int64(bits.TrailingZeros64(bad)), &early{a.Pos, threadOf(a.Warp, bits.TrailingZeros32(p.Lanes[k])), base + o, width})
				}
			}
		} else {
			for _, o := range p.Offsets[:p.Places] {
				to.wrote(base+o, width)
			}
		}
	}
	if b.race == nil || to.quiet(a) {
		return
	}
	if n := c.site(a); n >= 0 && !c.passOver(n, a) {
		b.race.Warp(a.Warp.Index).Places(n, to.race, base, p.Places, &p.Offsets, &p.Lanes, width)
	}
}

// site returns the detector's number of an access, -1 if there are too many.
func (c *Checks) site(a *run.Access) int {
	s := race.Site{Local: a.Kind == run.Atomic && a.Scope == code.BlockScope}
	switch {
	case a.Kind == run.Atomic:
		s.Kind = race.Atomic
	case a.Kind == run.Store && a.Volatile:
		s.Kind = race.VolatileWrite
	case a.Kind == run.Store:
		s.Kind = race.Write
	case a.Volatile:
		s.Kind = race.VolatileRead
	}
	list := c.sites[a.Pos]
	for i := range list {
		if list[i].Kind == s.Kind && list[i].Local == s.Local {
			return list[i].number
		}
	}
	s.Label = where{a.Pos, s.Kind}
	n := c.detector.Site(s)
	if n >= 0 {
		c.sites[a.Pos] = append(list, site{Site: s, number: n})
		c.raced = append(c.raced, raced{})
	}
	return n
}

// wanted reports whether a kind is to be reported.
func (c *Checks) wanted(k launch.ReportKind) bool {
	if c.options.Kinds == nil {
		return true
	}
	for _, want := range c.options.Kinds {
		if want == k {
			return true
		}
	}
	return false
}
