package watch

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch/race"
)

// racing is the races between two sites in one array.
type racing struct {
	memory *run.Memory
	grid   *run.Grid
	sites  [2]where
	count  int64

	// How far apart the two were, whenever: in a warp, in a block, in the grid.
	lanes, warps, blocks bool
	differ               bool // not all were two writes of one same value

	// The lowest of them.
	threads [2]thread
	offset  int64
}

type raceKey struct {
	one, two int
	space    code.Space
	number   int
}

// found is told of a race by the detector.
func (c *Checks) found(r *race.Race) {
	a := r.Memory.Label.(*array)
	one, two := r.First, r.Second
	if a.early != nil && !stale(c.detector.Label(one.Site).(where), c.detector.Label(two.Site).(where)) {
		delete(a.early, r.Offset&^3)
	}
	if one.Site > two.Site {
		one, two = two, one
	}
	x, y := thread{int(one.Block), 32*one.Warp + one.Lane}, thread{int(two.Block), 32*two.Warp + two.Lane}
	if one.Site == two.Site && y.before(x) {
		x, y = y, x
	}
	k := raceKey{one.Site, two.Site, a.memory.Space, a.memory.Number}
	e := c.lastRacing
	if e == nil || k != c.lastRace {
		e = c.races[k]
	}
	if e == nil {
		e = &racing{
			memory: a.memory, grid: c.grid, threads: [2]thread{x, y}, offset: r.Offset,
			sites: [2]where{c.detector.Label(one.Site).(where), c.detector.Label(two.Site).(where)},
		}
		c.races[k] = e
	}
	c.lastRace, c.lastRacing = k, e
	e.count++
	far := &e.lanes
	switch {
	case x.block != y.block:
		far = &e.blocks
	case x.index/32 != y.index/32:
		far = &e.warps
	}
	news := !*far
	*far = true
	if !e.differ && !c.sameValue(r, a) {
		e.differ, news = true, true
	}
	if e.compare(x, y, r.Offset) > 0 {
		e.threads, e.offset, news = [2]thread{x, y}, r.Offset, true
	}
	c.raced[one.Site].next(news)
	if two.Site != one.Site {
		c.raced[two.Site].next(news)
	}
}

// raced is how many races a site had since the last of which there was something to
// say.
type raced struct {
	count  int64
	passed uint
}

func (r *raced) next(news bool) {
	if r.count++; news {
		r.count = 0
	}
}

// A loop that races does so with every access. What a site does that had so many
// races, all of them known, is looked at one time in lookAgain from then on, a
// number that no loop keeps time with: else a loop without end would take a minute to
// come to the limit of its instructions, and not seconds.
const (
	racesEnough = 1 << 20
	lookAgain   = 61
)

// passOver reports whether an access is not looked at. One that may order others is.
func (c *Checks) passOver(site int, a *run.Access) bool {
	s := &c.raced[site]
	if s.count < racesEnough || a.Kind == run.Atomic || a.Volatile {
		return false
	}
	s.passed++
	return s.passed%lookAgain != 0
}

// compare says whether e's example comes before or behind another.
func (e *racing) compare(x, y thread, offset int64) int {
	return cmp.Or(
		cmp.Compare(e.threads[0].block, x.block), cmp.Compare(e.threads[1].block, y.block), cmp.Compare(e.offset, offset),
		cmp.Compare(e.threads[0].index, x.index), cmp.Compare(e.threads[1].index, y.index),
	)
}

// sameValue reports whether a race is two writes of one same value.
func (c *Checks) sameValue(r *race.Race, a *array) bool {
	access := c.access
	if access.Kind != run.Store || !isWrite(c.detector.Label(r.First.Site).(where).kind) {
		return false
	}
	offset := func(lane int) int64 { return int64(access.Addrs[lane] - c.key) }
	element := func(lane int) (value uint64, ok bool) {
		n := (r.Offset - offset(lane)) / int64(access.Size)
		if r.Offset < offset(lane) || n >= int64(access.Count) {
			return 0, false
		}
		value = access.Value(lane, int(n))
		if access.Size < 8 {
			value &= 1<<(8*access.Size) - 1
		}
		return value, true
	}
	value, ok := element(r.Second.Lane)
	if !ok {
		return false
	}
	if r.First.Now && access.Mask>>r.First.Lane&1 != 0 {
		if first, ok := element(r.First.Lane); ok {
			return first == value
		}
	}
	var bytes [8]byte
	at := r.Offset - (r.Offset-offset(r.Second.Lane))%int64(access.Size)
	copy(bytes[:access.Size], a.memory.Data[at:])
	return binary.LittleEndian.Uint64(bytes[:]) == value
}

func isWrite(k race.Kind) bool { return k == race.Write || k == race.VolatileWrite }

// accessNames are what reports call the kinds of accesses.
var accessNames = [...]string{
	race.Read: "read", race.Write: "write", race.Atomic: "atomic", race.VolatileRead: "volatile read", race.VolatileWrite: "volatile write",
}

// verbs say what a thread does.
var verbs = [...]string{
	race.Read: "reads", race.Write: "writes", race.Atomic: "updates", race.VolatileRead: "reads", race.VolatileWrite: "writes",
}

// raceReports makes one report of all races in one array that end on one line.
// Without any barrier each line races with many before it: the nearest says it
// all.
func (c *Checks) raceReports() []launch.Report {
	type key struct {
		one, two string
		space    code.Space
		number   int
	}
	groups := map[key][]*racing{}
	across := map[key]bool{}   // by array: threads of different warps race
	lines := map[string]bool{} // of such races, in whichever array
	clashes := map[key]bool{}  // by array and line: several threads write one element
	flag := ""
	for _, e := range c.races {
		if c.harmless(e) {
			continue
		}
		// In the order of the source, whoever came first.
		x, y := e.grid.Program.Position(e.sites[0].pos), e.grid.Program.Position(e.sites[1].pos)
		if d := comparePositions(x, y); d > 0 || d == 0 && e.sites[0].kind > e.sites[1].kind {
			x, y = y, x
			e.sites[0], e.sites[1] = e.sites[1], e.sites[0]
			e.threads[0], e.threads[1] = e.threads[1], e.threads[0]
		}
		line := func(p code.Position) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }
		k := key{one: line(x), two: line(y), space: e.memory.Space, number: e.memory.Number}
		groups[k] = append(groups[k], e)
		if e.warps {
			across[key{space: k.space, number: k.number}] = true
			lines[k.one], lines[k.two] = true, true
		}
		if e.sites[0] == e.sites[1] && isWrite(e.sites[0].kind) {
			clashes[key{one: k.one, space: k.space, number: k.number}] = true
		}
		if e.blocks && strongly(e.sites[0]) != strongly(e.sites[1]) && !e.stale() && (flag == "" || e.memory.Label < flag) {
			flag = e.memory.Label
		}
	}
	best := map[key]launch.Report{}
	for k, g := range groups {
		slices.SortFunc(g, func(a, b *racing) int {
			return cmp.Or(
				a.compare(b.threads[0], b.threads[1], b.offset),
				comparePositions(a.grid.Program.Position(a.sites[0].pos), b.grid.Program.Position(b.sites[0].pos)),
				comparePositions(a.grid.Program.Position(a.sites[1].pos), b.grid.Program.Position(b.sites[1].pos)),
				cmp.Compare(a.sites[0].kind, b.sites[0].kind), cmp.Compare(a.sites[1].kind, b.sites[1].kind),
			)
		})
		array := key{space: k.space, number: k.number}
		one, two := array, array
		one.one, two.one = k.one, k.two
		r := c.raceReport(g, others{across[array] || lines[k.one] || lines[k.two], clashes[one] || clashes[two], flag})
		k.one, k.two = fmt.Sprintf("%s:%d", r.File, r.Line), ""
		if have, ok := best[k]; ok {
			count := have.Count + r.Count
			if nearer(have, r) {
				r = have
			}
			r.Count = count
		}
		best[k] = r
	}
	return slices.Collect(maps.Values(best))
}

// nearer reports whether a tells more than b of races that end on one line: that
// the result is wrong, that something is missing after a line before, and which
// line is the last before it.
func nearer(a, b launch.Report) bool {
	rank := func(r launch.Report) int {
		switch {
		case r.Severity == launch.Doubt:
			return 3
		case r.Other.File != r.File || r.Other.Line > r.Line:
			return 1
		case r.Other.Line == r.Line:
			return 2
		}
		return 0
	}
	if x, y := rank(a), rank(b); x != y {
		return x < y
	}
	return cmp.Or(cmp.Compare(a.Other.File, b.Other.File), cmp.Compare(b.Other.Line, a.Other.Line)) < 0
}

func comparePositions(a, b code.Position) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// raceReport is one report of several pairs of sites on the same two lines; the
// first is the one that is told of.
func (c *Checks) raceReport(group []*racing, more others) launch.Report {
	e := group[0]
	why := c.why(group, more)
	first, second := 0, 1
	if why.backwards {
		first, second = 1, 0
	}
	at := func(n int) launch.Place {
		p := c.place(e.grid, e.sites[n].pos, e.threads[n])
		p.Access = accessNames[e.sites[n].kind]
		return p
	}
	before := at(first)
	r := launch.Report{Kind: launch.Race, Severity: launch.Fault, Place: at(second), Other: &before, Cause: why.cause}
	offset := e.offset
	if size := int64(e.memory.ElemSize); size > 0 {
		offset -= offset % size
	}
	r.Address = e.memory.Name(offset)
	differ := false
	for _, g := range group {
		r.Count += g.count
		differ = differ || g.differ
	}
	who := func(n int) string {
		if e.threads[0].block == e.threads[1].block {
			return fmt.Sprintf("thread %v", threadIndex(e.grid, e.threads[n].index))
		}
		return fmt.Sprintf("thread %v of block %v", threadIndex(e.grid, e.threads[n].index), blockIndex(e.grid, e.threads[n].block))
	}
	what := func(n int) string { return verbs[e.sites[n].kind] }
	if differ {
		r.Message = fmt.Sprintf("%s %s %s, which %s %s, and nothing makes one of them wait for the other", who(second), what(second), r.Address, who(first), what(first))
		return r
	}
	r.Severity = launch.Doubt
	r.Message = fmt.Sprintf("%s and %s both write %s, the same value, and nothing makes one of them wait for the other", who(second), who(first), r.Address)
	return r
}
