package assets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"time"
)

// Measurement is what gpu-check found on one GPU: one file of measurements/,
// whose README.md says what each field holds. Package check of the engine
// writes it.
type Measurement struct {
	GPU     string    `json:"gpu"`     // "NVIDIA H200"
	Driver  string    `json:"driver"`  // the driver's release: "580.95.05"
	CUDA    string    `json:"cuda"`    // the newest CUDA it supports: "13.0"
	Date    time.Time `json:"date"`    // when the run began, UTC
	Commit  string    `json:"commit"`  // of the binary; "+dirty" after it where that was changed
	Command string    `json:"command"` // that made the file
	Checks  []Check   `json:"checks"`  // in the order they ran
	Figures []Figure  `json:"figures"` // likewise
}

// Check is one thing that must hold on a GPU.
type Check struct {
	Name    string `json:"name"`
	Passed  bool   `json:"passed"`
	Detail  string `json:"detail"`            // what was seen
	Skipped string `json:"skipped,omitempty"` // why the machine could not be asked: then it did not pass, and did not fail
}

// Figure is one measured quantity.
type Figure struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`  // the median
	Unit   string  `json:"unit"`   // "µs", "GFLOP/s"
	Spread float64 `json:"spread"` // between the quartiles, in the same unit; 0 where it was measured once
	Peer   string  `json:"peer"`   // the figure it is held beside, of the same run; empty if none
	Ratio  float64 `json:"ratio"`  // Value divided by the peer's; 0 without a peer
}

// Figure returns the figure of a name.
func (m *Measurement) Figure(name string) (Figure, bool) {
	for _, f := range m.Figures {
		if f.Name == name {
			return f, true
		}
	}
	return Figure{}, false
}

// Measurements returns what was measured, by the names of the GPUs. There may be
// none. A file that is not as it should be is an error that names it and the
// field.
func Measurements() ([]Measurement, error) { return ReadMeasurements(FS) }

// ReadMeasurements is Measurements of other files than the embedded ones.
func ReadMeasurements(files fs.FS) ([]Measurement, error) {
	names, err := fs.Glob(files, "measurements/*.json")
	if err != nil {
		return nil, err
	}
	out := []Measurement{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		m, err := ParseMeasurement(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if want := MeasurementFile(m.GPU); path.Base(name) != want {
			return nil, fmt.Errorf("%s: gpu: the measurement of %q belongs into %s", name, m.GPU, want)
		}
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b Measurement) int { return strings.Compare(a.GPU, b.GPU) })
	return out, nil
}

// MeasurementFile returns the name of the file that a GPU's measurement is in:
// "nvidia-h200.json". Letters and digits stay, anything between them is a dash.
func MeasurementFile(gpu string) string {
	words := strings.FieldsFunc(strings.ToLower(gpu), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-") + ".json"
}

// ParseMeasurement reads one file, and refuses one that gpu-check would not have
// written.
func ParseMeasurement(text []byte) (*Measurement, error) {
	var m Measurement
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("there is something after the measurement")
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return &m, nil
}

// firstCUDA is the month of CUDA 1.0: no measurement is older.
var firstCUDA = time.Date(2007, time.June, 1, 0, 0, 0, 0, time.UTC)

// check returns the first field that is not as it should be. A comparison that
// must hold is written so that a NaN fails it.
func (m *Measurement) check() error {
	for _, f := range []struct{ name, value string }{
		{"gpu", m.GPU}, {"driver", m.Driver}, {"cuda", m.CUDA}, {"commit", m.Commit}, {"command", m.Command},
	} {
		if strings.TrimSpace(f.value) == "" {
			return fmt.Errorf("%s: it is missing", f.name)
		}
	}
	if MeasurementFile(m.GPU) == ".json" {
		return fmt.Errorf("gpu: %q has no letter and no digit to name a file after", m.GPU)
	}
	if _, offset := m.Date.Zone(); m.Date.Before(firstCUDA) || offset != 0 {
		return fmt.Errorf("date: %s is no time of a run: write it in UTC, as in 2026-01-31T12:00:00Z", m.Date.Format(time.RFC3339))
	}
	if len(m.Checks) == 0 {
		return errors.New("checks: there are none")
	}
	seen := map[string]bool{}
	for i, c := range m.Checks {
		at := fmt.Sprintf("checks[%d]", i)
		switch {
		case strings.TrimSpace(c.Name) == "":
			return fmt.Errorf("%s: name: it is missing", at)
		case seen[c.Name]:
			return fmt.Errorf("%s: name: %q is there twice", at, c.Name)
		case c.Passed && c.Skipped != "":
			return fmt.Errorf("%s: skipped: %q cannot have passed too", at, c.Name)
		case !c.Passed && c.Skipped == "" && strings.TrimSpace(c.Detail) == "":
			return fmt.Errorf("%s: detail: %q failed, and nothing says why", at, c.Name)
		}
		seen[c.Name] = true
	}
	values := map[string]Figure{}
	for i, f := range m.Figures {
		at := fmt.Sprintf("figures[%d]", i)
		_, twice := values[f.Name]
		switch {
		case strings.TrimSpace(f.Name) == "":
			return fmt.Errorf("%s: name: it is missing", at)
		case twice:
			return fmt.Errorf("%s: name: %q is there twice", at, f.Name)
		case strings.TrimSpace(f.Unit) == "":
			return fmt.Errorf("%s: unit: %q has none", at, f.Name)
		case !finite(f.Value):
			return fmt.Errorf("%s: value: %v is no measurement", at, f.Value)
		case !finite(f.Spread) || !(f.Spread >= 0):
			return fmt.Errorf("%s: spread: %v is no distance", at, f.Spread)
		}
		values[f.Name] = f
	}
	for i, f := range m.Figures {
		at := fmt.Sprintf("figures[%d]", i)
		if f.Peer == "" {
			if f.Ratio != 0 {
				return fmt.Errorf("%s: ratio: %q has one, and no peer", at, f.Name)
			}
			continue
		}
		peer, ok := values[f.Peer]
		switch {
		case !ok || f.Peer == f.Name:
			return fmt.Errorf("%s: peer: %q is no other figure of this file", at, f.Peer)
		case peer.Unit != f.Unit:
			return fmt.Errorf("%s: peer: %q is measured in %s, its peer in %s", at, f.Name, f.Unit, peer.Unit)
		}
		// The quotient of the two as written.
		want := f.Value / peer.Value
		if !finite(want) || !(math.Abs(f.Ratio-want) <= 1e-12*math.Abs(want)) {
			return fmt.Errorf("%s: ratio: %v, expected %v: the value divided by the peer's", at, f.Ratio, want)
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
