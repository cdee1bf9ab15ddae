package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Entry is one check of the list: something that must hold on a GPU, or that is
// measured there.
type Entry struct {
	Group string // "bits"
	Name  string // "bits/products/float64/separate", or the name of a fault: "no driver"

	// Quick is part of a run that takes a minute.
	Quick bool

	// limit is the longest it may take; 0 is the list's own.
	limit time.Duration

	// run returns nil if what the name says holds. What it saw and measured it
	// writes to the findings. A *SkippedError says that this machine cannot be
	// asked.
	run func(ctx context.Context, m *Machine, f *Findings) error
}

// defaultLimit is how long a check without a limit of its own may take.
const defaultLimit = 60 * time.Second

// A SkippedError is a check that this machine cannot be asked: it neither passed
// nor failed.
type SkippedError struct{ Reason string }

func (e *SkippedError) Error() string { return "skipped: " + e.Reason }

// Findings is what one check saw and measured.
type Findings struct {
	quick   bool
	details []string
	figures []Figure
}

// saw adds a sentence to the check's detail.
func (f *Findings) saw(format string, args ...any) {
	f.details = append(f.details, fmt.Sprintf(format, args...))
}

// figure adds a measurement. Peer names one that was added before, or is empty.
func (f *Findings) figure(name, unit string, s sample, peer string) {
	f.figures = append(f.figures, Figure{Name: name, Value: s.median(), Unit: unit, Spread: s.spread(), Peer: peer})
}

// List returns every check, in the order they run. What can break the GPU's
// process comes behind what cannot, and what is measured behind both.
func List() []Entry {
	return slices.Concat(
		conformEntries(),
		bitsEntries(),
		libraryEntries(),
		statisticsEntries(),
		kernelEntries(),
		costEntries(),
		ladderEntries(),
		emulatorEntries(),
		faultEntries(),
		sanitizerEntries(),
	)
}

// Select returns the entries that one of only chooses, or all if there are none,
// without those of skip: a word chooses a group by its name, or every check whose
// name begins with it. A word that fits nothing is an error, which names what
// there is.
func Select(entries []Entry, only, skip []string, quick bool) ([]Entry, error) {
	isGroup := func(word string) bool {
		return slices.ContainsFunc(entries, func(e Entry) bool { return e.Group == word })
	}
	fits := func(e Entry, words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return w != "" && (e.Group == w || !isGroup(w) && strings.HasPrefix(e.Name, w))
		})
	}
	for _, word := range slices.Concat(only, skip) {
		if !slices.ContainsFunc(entries, func(e Entry) bool { return fits(e, []string{word}) }) {
			var groups []string
			for _, e := range entries {
				if !slices.Contains(groups, e.Group) {
					groups = append(groups, e.Group)
				}
			}
			return nil, fmt.Errorf("no check's name begins with %q; the groups are %s, and the list has every name", word, strings.Join(groups, ", "))
		}
	}
	var out []Entry
	for _, e := range entries {
		if (len(only) == 0 || fits(e, only)) && !fits(e, skip) && (e.Quick || !quick) {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("nothing is left to check")
	}
	return out, nil
}
