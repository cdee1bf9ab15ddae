package socket

import (
	"fmt"
	"sync"

	"workbench/engine/trace"
)

// A history keeps the last runs of one table, so that its pages can ask for the terms
// behind their cells. It is bounded in runs and in values, and always keeps
// the newest.
type history struct {
	prefix               string // of the runs' names
	mostRuns, mostValues int

	mu     sync.Mutex
	count  int // of all runs ever kept
	runs   []kept
	values int
}

type kept struct {
	name   string
	trace  *trace.Trace
	values int
}

// keep stores a run and returns its name.
func (h *history) keep(t *trace.Trace) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count++
	k := kept{fmt.Sprintf("%sr%d", h.prefix, h.count), t, size(t)}
	h.runs = append(h.runs, k)
	h.values += k.values
	for len(h.runs) > 1 && (len(h.runs) > h.mostRuns || h.values > h.mostValues) {
		h.values -= h.runs[0].values
		h.runs[0] = kept{}
		h.runs = h.runs[1:]
	}
	return k.name
}

// get returns a kept run, or nil.
func (h *history) get(name string) *trace.Trace {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range h.runs {
		if k.name == name {
			return k.trace
		}
	}
	return nil
}

// rename gives a run another name.
func (h *history) rename(from, to string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.runs {
		if h.runs[i].name == from {
			h.runs[i].name = to
		}
	}
}

// size counts the values and storage indices of a trace.
func size(t *trace.Trace) int {
	n := 0
	for _, one := range t.Tensors {
		n += len(one.Values)
		if one.Layout != nil {
			n += len(one.Layout.Indices)
		}
	}
	return n
}
