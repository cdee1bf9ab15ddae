package suite

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// WriteTable prints what became of each phase, and a closing line that counts.
func WriteTable(w io.Writer, results []Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "phase\tresult\ttime")
	for _, r := range results {
		line := r.Name + "\t" + string(r.Status)
		switch {
		case r.Status == Passed || r.Status == Failed:
			line += "\t" + r.Elapsed.Round(100*time.Millisecond).String()
		case r.Status == LeftOut && r.Next != "":
			line += "\t" + r.Missing + ": " + r.Next
		case r.Status == LeftOut:
			line += "\t" + r.Missing
		}
		fmt.Fprintln(t, line)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	n := Count(results)
	_, err := fmt.Fprintf(w, "phases: %d passed, %d failed, %d skipped\n", n[Passed], n[Failed], n[LeftOut]+n[NotRun])
	return err
}

// Count returns how many phases ended in each status.
func Count(results []Result) map[Status]int {
	n := map[Status]int{}
	for _, r := range results {
		n[r.Status]++
	}
	return n
}
