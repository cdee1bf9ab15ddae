package race

import "maps"

// reference finds races by the definition: every thread has a clock for every
// thread, and every access is held against every one before it. It shares
// nothing with the detector but the words.
type reference struct {
	event  int
	of     map[thread]*clock
	flags  map[place]*published
	past   map[place][]past
	primed map[thread]bool
	seen   map[place]map[thread]int // by place: up to which event a thread knows its atomics
	racing map[pair]bool
}

type thread struct{ block, warp, lane int }

type place struct {
	memory *Memory
	offset int64
}

// view is for each thread up to which event its accesses are known.
type view [refBlocks * refWarps * 32]int

const refBlocks, refWarps = 2, 2

func (t thread) index() int { return (t.block*refWarps+t.warp)*32 + t.lane }

type clock struct {
	now     view
	fenced  [2]view
	pending [2]view
}

type published struct {
	device view
	local  [refBlocks]view
}

type past struct {
	by     thread
	event  int
	site   int
	kind   Kind
	local  bool
	fenced bool
}

type pair struct {
	place
	a, b         thread
	aSite, bSite int
}

func newReference() *reference {
	r := &reference{
		of: map[thread]*clock{}, flags: map[place]*published{}, past: map[place][]past{},
		primed: map[thread]bool{}, seen: map[place]map[thread]int{}, racing: map[pair]bool{},
	}
	for b := range refBlocks {
		for w := range refWarps {
			for l := range 32 {
				r.of[thread{b, w, l}] = &clock{}
			}
		}
	}
	return r
}

func (v *view) join(other *view) {
	for t, e := range other {
		v[t] = max(v[t], e)
	}
}

// of returns what v says of one block.
func (v *view) of(block int) *view {
	var out view
	from := thread{block: block}.index()
	copy(out[from:from+refWarps*32], v[from:])
	return &out
}

func (r *reference) meet(group []thread) {
	var now view
	var fenced, pending [2]view
	for _, t := range group {
		c := r.of[t]
		now.join(&c.now)
		for s := range fenced {
			fenced[s].join(&c.fenced[s])
			pending[s].join(&c.pending[s])
		}
	}
	for _, t := range group {
		c := r.of[t]
		c.now.join(&now)
		for s := range fenced {
			c.fenced[s].join(&fenced[s])
			c.pending[s].join(&pending[s])
		}
	}
}

func (r *reference) barrier(block int) {
	var group []thread
	for w := range refWarps {
		for l := range 32 {
			group = append(group, thread{block, w, l})
			delete(r.primed, thread{block, w, l})
		}
	}
	r.meet(group)
	for _, seen := range r.seen {
		last := 0
		for _, t := range group {
			last = max(last, seen[t])
		}
		for _, t := range group {
			seen[t] = last
		}
	}
}

func (r *reference) fence(t thread, block bool) {
	c := r.of[t]
	r.primed[t] = true
	c.now.join(&c.pending[local])
	if block {
		c.now.join(c.pending[device].of(t.block))
	} else {
		c.now.join(&c.pending[device])
	}
	c.fenced[local].join(&c.now)
	if !block {
		c.fenced[device].join(&c.now)
	}
}

func (r *reference) access(t thread, at place, site int, s Site) {
	r.event++
	c := r.of[t]
	me := past{by: t, event: r.event, site: site, kind: s.Kind, local: s.Local, fenced: r.primed[t]}
	for _, p := range r.past[at] {
		if p.kind == Atomic && s.Kind == Write && r.seen[at][t] > p.event {
			continue
		}
		if p.by != t && c.now[p.by.index()] < p.event && races(p, me, at.memory.Shared) {
			r.racing[pair{at, p.by, t, p.site, site}] = true
		}
	}
	r.past[at] = append(r.past[at], me)
	c.now[t.index()] = r.event
	if s.Kind < Atomic {
		return
	}
	if s.Kind == Atomic && !s.Local {
		if r.seen[at] == nil {
			r.seen[at] = map[thread]int{}
		}
		r.seen[at][t] = r.event
	}
	f := r.flags[at]
	if f == nil {
		f = &published{}
		r.flags[at] = f
	}
	switch s.Kind {
	case Atomic:
		if s.Local {
			c.now.join(f.device.of(t.block))
		} else {
			c.now.join(&f.device)
		}
		c.now.join(&f.local[t.block])
	case VolatileRead:
		c.pending[device].join(&f.device)
		c.pending[local].join(&f.local[t.block])
		return
	case VolatileWrite:
		*f = published{}
	}
	if !s.Local {
		f.device.join(&c.fenced[device])
	}
	f.local[t.block].join(&c.fenced[local])
}

// races is the rule of the package's documentation.
func races(p, me past, shared bool) bool {
	plain := func(k Kind) bool { return k == Write }
	if plain(p.kind) || plain(me.kind) {
		return true
	}
	if p.kind == Atomic && me.kind == Atomic {
		return (p.local || me.local) && p.by.block != me.by.block
	}
	if p.kind == Atomic || me.kind == Atomic {
		return p.kind == Read || me.kind == Read
	}
	near := p.by.block == me.by.block && (shared || p.by.warp == me.by.warp)
	loose := p.kind == VolatileWrite && !p.fenced || me.kind == VolatileWrite && !me.fenced
	return near && loose
}

func (r *reference) places() map[place]bool {
	out := map[place]bool{}
	for p := range maps.Keys(r.racing) {
		out[p.place] = true
	}
	return out
}
