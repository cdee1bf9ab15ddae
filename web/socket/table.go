package socket

// A Table has the runs that those who sit around it can ask about: one page, or
// all pages of a room.
type Table struct {
	hub      *Hub
	prefix   string // of its runs' names
	outcomes int    // of kernels that are kept at most
	runs     history
}

// Table returns an empty table. Prefix begins the names of its runs, so that no
// other table's are taken for them. It keeps as many runs as the limits say for a
// page, times the share.
func (h *Hub) Table(prefix string, share int) *Table {
	l := h.options.Limits
	return &Table{
		hub: h, prefix: prefix, outcomes: share * mostOutcomes,
		runs: history{prefix: prefix, mostRuns: share * l.Runs, mostValues: l.Values},
	}
}

// Clear forgets the runs.
func (t *Table) Clear() { t.hub.bench.drop(t) }

// Knows reports whether a run of that name is kept.
func (t *Table) Knows(name string) bool {
	return t.runs.get(name) != nil || t.hub.bench.get(t, name) != nil
}

// Rename gives a run the name of one that is not kept any more and was the same.
func (t *Table) Rename(from, to string) {
	t.runs.rename(from, to)
	t.hub.bench.rename(t, from, to)
}
