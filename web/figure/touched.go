package figure

import (
	"bytes"
	"fmt"
	"strconv"

	"workbench/engine/launch"
	"workbench/engine/tensor"
)

// shownPhases are those that a page without script lists.
const shownPhases = 24

// Touched writes what a block loaded and stored, phase by phase, counted from the
// accesses that were recorded.
func Touched(out *bytes.Buffer, t *launch.Tape, touched *launch.Touched) {
	w := writer{out}
	caption := fmt.Sprintf("What block %v loaded and stored in its %d phases, which barriers divide", t.Block, t.Phases)
	if t.Phases == 1 {
		caption = fmt.Sprintf("What block %v loaded and stored", t.Block)
	}
	if len(touched.Phases) > shownPhases {
		caption += fmt.Sprintf(": the first %d that have accesses", shownPhases)
	}
	if touched.Cut {
		caption += "; there was more than is counted here"
	}
	w.head(caption, "touched", []string{"phase", "array", "memory", "elements loaded", "loads", "for each", "elements stored", "stores"})
	for _, phase := range touched.Phases[:min(len(touched.Phases), shownPhases)] {
		for i := range phase.Arrays {
			a := &phase.Arrays[i]
			of := &t.Arrays[a.Array]
			loaded, loads := distinct(a.LoadElements, a.LoadCounts)
			stored, stores := distinct(a.StoreElements, a.StoreCounts)
			w.open("tr")
			w.element("th", strconv.Itoa(phase.Phase), "scope", "row")
			name := of.Name
			if len(of.Shape) > 0 {
				name += " " + tensor.FormatShape(of.Shape)
			}
			w.element("td", name)
			w.element("td", of.Space)
			w.element("td", strconv.Itoa(loaded))
			w.element("td", strconv.Itoa(loads))
			w.element("td", each(loads, loaded))
			w.element("td", strconv.Itoa(stored))
			w.element("td", strconv.Itoa(stores))
			w.line("tr")
		}
	}
	w.foot()
}

// distinct returns how many elements a list has, and how often they were accessed.
func distinct(elements []int64, counts []int) (n, sum int) {
	seen := make(map[int64]bool, len(elements))
	for i, e := range elements {
		seen[e] = true
		sum += counts[i]
	}
	return len(seen), sum
}

// each says how often one of n was accessed, on average.
func each(sum, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g", float64(sum)/float64(n))
}
