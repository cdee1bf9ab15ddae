package watch

import (
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// Join returns an observer that tells all of several, each what it wants; nil if
// there are none.
func Join(observers ...run.Observer) run.Observer {
	switch len(observers) {
	case 0:
		return nil
	case 1:
		return observers[0]
	}
	j := &joined{}
	for _, o := range observers {
		j.all = append(j.all, o)
		j.wants |= o.Wants()
		for _, l := range []struct {
			events run.Events
			list   *[]run.Observer
		}{
			{run.Statements, &j.statements}, {run.Segments, &j.segments}, {run.Branches, &j.branches}, {run.Accesses, &j.accesses}, {run.Syncs, &j.syncs},
		} {
			if o.Wants()&l.events != 0 {
				*l.list = append(*l.list, o)
			}
		}
	}
	return j
}

type joined struct {
	wants run.Events
	all   []run.Observer

	statements, segments, branches, accesses, syncs []run.Observer // that want them
}

func (j *joined) Wants() run.Events { return j.wants }

func (j *joined) Begin(b *run.Block) {
	for _, o := range j.all {
		o.Begin(b)
	}
}

func (j *joined) End(b *run.Block) {
	for _, o := range j.all {
		o.End(b)
	}
}

func (j *joined) Statement(w *run.Warp, pos code.Pos) {
	for _, o := range j.statements {
		o.Statement(w, pos)
	}
}

func (j *joined) Segment(w *run.Warp, s *run.Segment) {
	for _, o := range j.segments {
		o.Segment(w, s)
	}
}

func (j *joined) Branch(w *run.Warp, pos code.Pos, taken, others uint32) {
	for _, o := range j.branches {
		o.Branch(w, pos, taken, others)
	}
}

func (j *joined) Declare(w *run.Warp, pos code.Pos, local run.Pointer) {
	for _, o := range j.accesses {
		o.Declare(w, pos, local)
	}
}

func (j *joined) Access(a *run.Access) {
	for _, o := range j.accesses {
		o.Access(a)
	}
}

func (j *joined) Barrier(w *run.Warp, pos code.Pos) {
	for _, o := range j.syncs {
		o.Barrier(w, pos)
	}
}

func (j *joined) Release(b *run.Block) {
	for _, o := range j.syncs {
		o.Release(b)
	}
}

func (j *joined) SyncWarp(w *run.Warp, pos code.Pos, masks *[32]uint32) {
	for _, o := range j.syncs {
		o.SyncWarp(w, pos, masks)
	}
}

func (j *joined) Exchange(w *run.Warp, pos code.Pos, in code.Instr, masks *[32]uint32) {
	for _, o := range j.syncs {
		o.Exchange(w, pos, in, masks)
	}
}

func (j *joined) Fence(w *run.Warp, pos code.Pos, scope code.Scope) {
	for _, o := range j.syncs {
		o.Fence(w, pos, scope)
	}
}

// Fault tells all; the launch goes on if one of them wants it to.
func (j *joined) Fault(w *run.Warp, f *run.Fault) bool {
	on := false
	for _, o := range j.all {
		on = o.Fault(w, f) || on
	}
	return on
}
