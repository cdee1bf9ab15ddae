package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"workbench/engine/wholefile"
)

// Report is what a run of the list found on one GPU. Its JSON form is the file
// that assets/measurements keeps of the GPU, whose README.md says what each field
// holds.
type Report struct {
	GPU     string    `json:"gpu"`
	Driver  string    `json:"driver"`
	CUDA    string    `json:"cuda"`
	Date    time.Time `json:"date"` // when the run began, UTC, to the second
	Commit  string    `json:"commit"`
	Command string    `json:"command"`
	Checks  []Outcome `json:"checks"`
	Figures []Figure  `json:"figures"`
}

// Outcome is what came of one check.
type Outcome struct {
	Name    string `json:"name"`
	Passed  bool   `json:"passed"`
	Detail  string `json:"detail"`
	Skipped string `json:"skipped,omitempty"` // why the machine could not be asked: neither passed nor failed
}

// Figure is one measured quantity.
type Figure struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"` // the median
	Unit   string  `json:"unit"`
	Spread float64 `json:"spread"` // between the quartiles; 0 where it was measured once
	Peer   string  `json:"peer"`   // the figure of the same report that it is held beside; empty if none
	Ratio  float64 `json:"ratio"`  // Value divided by the peer's; 0 without a peer
}

// Tally counts outcomes.
type Tally struct{ Passed, Failed, Skipped int }

// Tally counts the report's checks.
func (r *Report) Tally() Tally {
	var t Tally
	for _, c := range r.Checks {
		switch {
		case c.Passed:
			t.Passed++
		case c.Skipped != "":
			t.Skipped++
		default:
			t.Failed++
		}
	}
	return t
}

// Passed reports that something was checked and nothing failed.
func (r *Report) Passed() bool {
	t := r.Tally()
	return t.Failed == 0 && t.Passed > 0
}

// add takes in what a check measured. A figure that is no number, or whose peer
// was not measured before it in the same unit, is a fault of the check.
func (r *Report) add(f Figure) error {
	f.Value, f.Spread = rounded(f.Value), rounded(f.Spread)
	switch {
	case f.Name == "" || f.Unit == "":
		return fmt.Errorf("the figure %q in %q needs a name and a unit", f.Name, f.Unit)
	case !finite(f.Value) || !finite(f.Spread) || !(f.Spread >= 0):
		return fmt.Errorf("the figure %s is %v with the spread %v: that is no measurement", f.Name, f.Value, f.Spread)
	}
	f.Ratio = 0
	for _, other := range r.Figures {
		if other.Name == f.Name {
			return fmt.Errorf("the figure %s was measured twice", f.Name)
		}
		if f.Peer == other.Name {
			if other.Unit != f.Unit {
				return fmt.Errorf("the figure %s is in %s and its peer %s in %s", f.Name, f.Unit, other.Name, other.Unit)
			}
			f.Ratio = f.Value / other.Value
		}
	}
	if f.Peer != "" && (f.Ratio == 0 || !finite(f.Ratio)) {
		return fmt.Errorf("the figure %s cannot be held beside %s", f.Name, f.Peer)
	}
	r.Figures = append(r.Figures, f)
	return nil
}

// rounded keeps six digits of a measurement: no clock here gives more.
func rounded(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x
	}
	return y
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// WriteJSON writes the file's text.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// FileName returns the name of a GPU's file: "nvidia-h200.json". Letters and
// digits stay, anything between them is a dash.
func FileName(gpu string) string {
	words := strings.FieldsFunc(strings.ToLower(gpu), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-") + ".json"
}

// WriteFile writes the report to path, whole or not at all: a reader sees the
// file of before or the new one.
func (r *Report) WriteFile(path string) error {
	var text bytes.Buffer
	if err := r.WriteJSON(&text); err != nil {
		return err
	}
	return wholefile.Write(path, text.Bytes(), 0o644)
}

// WriteText writes the report for a terminal: the figures, the checks that did
// not pass with all they say, and the count.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, driver %s, CUDA %s\n%s, commit %s\n", r.GPU, r.Driver, r.CUDA, r.Date.Format("2006-01-02 15:04 MST"), r.Commit)
	if len(r.Figures) > 0 {
		b.WriteString("\n")
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "figure\tmedian\tspread\tbeside")
		for _, f := range r.Figures {
			beside := ""
			if f.Peer != "" {
				beside = fmt.Sprintf("%.3f of %s", f.Ratio, f.Peer)
			}
			fmt.Fprintf(table, "%s\t%s %s\t%s\t%s\n", f.Name, number(f.Value), f.Unit, number(f.Spread), beside)
		}
		table.Flush()
	}
	for _, state := range []string{"skipped", "failed"} {
		for _, c := range r.Checks {
			switch {
			case c.Passed, (c.Skipped != "") != (state == "skipped"):
			case c.Skipped != "":
				fmt.Fprintf(&b, "\nskipped: %s\n  %s\n", c.Name, indent(c.Skipped))
			default:
				fmt.Fprintf(&b, "\nfailed: %s\n  %s\n", c.Name, indent(c.Detail))
			}
		}
	}
	t := r.Tally()
	fmt.Fprintf(&b, "\n%d of %d checks passed, %d failed, %d skipped\n", t.Passed, len(r.Checks), t.Failed, t.Skipped)
	// The table pads its last column too.
	_, err := io.WriteString(w, trailing.ReplaceAllString(b.String(), "\n"))
	return err
}

var trailing = regexp.MustCompile(` +\n`)

func number(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

func indent(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") }
