package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"workbench/engine/tensor"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// mixed is a report with everything a report can have.
func mixed() *Report {
	return Compare("cpu", "cuda:0", Float64(), []Group{
		{Name: "matrix", Shape: []int{2, 2}, CandidateShape: []int{2, 2}, Reference: []float64{58, 64, 139, 154}, Candidate: []float64{58, 64, 139, 154}},
		{Name: "means", Shape: []int{2}, CandidateShape: []int{2}, Reference: []float64{0.1, 0}, Candidate: []float64{0.1 + 0x1p-56, zero}},
		{Name: "loss", Shape: []int{}, CandidateShape: []int{}, Reference: []float64{5.668398842431571}, Candidate: []float64{5.668399}},
		{Name: "logits", Shape: []int{1, 2, 3}, CandidateShape: []int{1, 2, 3},
			Reference: []float64{1e-300, -2.5, 1e22, math.Inf(-1), 0, 1}, Candidate: []float64{2e-300, -2.5, 1e21, math.Inf(-1), math.NaN(), 1}},
		{Name: "gradient, tied", Shape: []int{2, 3}, CandidateShape: []int{3, 2}, Reference: make([]float64, 6), Candidate: make([]float64, 6)},
		{Name: "final_norm.gain", Shape: []int{4}, Reference: make([]float64, 4)},
		{Name: "product", Shape: []int{2}, CandidateShape: []int{2}, Reference: []float64{1, 2}, Candidate: []float64{1.25, 2}, Bound: []float64{0.25, 0.25}},
	})
}

func passing() *Report {
	return Compare("cpu", "cpu,fused", Float64(), []Group{
		{Name: "sums", Shape: []int{2}, CandidateShape: []int{2}, Reference: []float64{6, 15}, Candidate: []float64{6, 15}},
		{Name: "logits", Shape: []int{1, 2}, CandidateShape: []int{1, 2}, Reference: []float64{0.25, -0.125}, Candidate: []float64{0.25, -0.125 - 0x1p-55}},
	})
}

// exact is a report of devices that must agree in every bit, and do not.
func exact() *Report {
	return Compare("cpu", "cuda:0", Exact("both add in the same order"), []Group{
		{Name: "sums", Shape: []int{2}, CandidateShape: []int{2}, Reference: []float64{6, zero}, Candidate: []float64{6, zero}},
		{Name: "logits", Shape: []int{3}, CandidateShape: []int{3}, Reference: []float64{0.25, 0, 1}, Candidate: []float64{0.25, zero, 1 + 0x1p-52}},
	})
}

func TestGolden(t *testing.T) {
	for name, r := range map[string]*Report{"mixed": mixed(), "passing": passing(), "exact": exact()} {
		var csv bytes.Buffer
		if err := r.WriteCSV(&csv); err != nil {
			t.Fatal(err)
		}
		js, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		for ext, got := range map[string]string{".txt": text(t, r), ".csv": csv.String(), ".json": string(js) + "\n"} {
			path := filepath.Join("testdata", name+ext)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs; run the test with -update and read the change. Got:\n%s", path, got)
			}
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	for name, r := range map[string]*Report{"mixed": mixed(), "passing": passing(), "exact": exact(), "nothing": Compare("cpu", "cpu", Exact("x"), nil)} {
		first, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var back Report
		decoder := json.NewDecoder(bytes.NewReader(first))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&back); err != nil {
			t.Fatal(err)
		}
		second, err := json.Marshal(&back)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: %v; written again it is\n%s\nnot\n%s", name, err, second, first)
		}
		if (name == "passing" || name == "exact") && !reflect.DeepEqual(r, &back) {
			t.Errorf("read back as %+v, want %+v", &back, r)
		}
		if bytes.Contains(first, []byte("null")) {
			t.Errorf("%s: a list is null: %s", name, first)
		}
	}
}

// The decimals of the CSV read back to the bits beside them.
func TestCSVIsExact(t *testing.T) {
	for _, row := range csvRows(t, mixed()) {
		if row[12] != "" {
			continue
		}
		for column := 3; column <= 4; column++ {
			x, err := strconv.ParseFloat(row[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			if bits := tensor.Bits(x); bits != row[column+5] && !math.IsNaN(x) {
				t.Errorf("%s %s: %s has bits %s, not %s", row[0], row[1], row[column], bits, row[column+5])
			}
		}
	}
}

// full is a writer that takes a number of bytes and no more.
type full struct{ room int }

var errFull = errors.New("no room left")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return 0, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

func TestWritersReturnErrors(t *testing.T) {
	r := mixed()
	if err := r.WriteText(&full{}); !errors.Is(err, errFull) {
		t.Errorf("WriteText returned %v", err)
	}
	if err := r.WriteCSV(&full{}); !errors.Is(err, errFull) {
		t.Errorf("WriteCSV returned %v", err)
	}
}

func TestToleranceText(t *testing.T) {
	for _, c := range []struct {
		tol  Tolerance
		want string
	}{
		{Exact("why"), "u and c are equal in every bit"},
		{Tolerance{}, "|u − c| = 0"},
		{Float64(), "|u − c| ≤ 1e-10 + 1e-10·|c|"},
		{Tolerance{Absolute: 0.5}, "|u − c| ≤ 0.5"},
		{Tolerance{Relative: 0.5}, "|u − c| ≤ 0.5·|c|"},
	} {
		if got := c.tol.criterion(); got != c.want {
			t.Errorf("criterion of %+v: %q, want %q", c.tol, got, c.want)
		}
	}
	for _, tol := range []Tolerance{Exact("why"), Float64(), Bounded()} {
		if strings.TrimSpace(tol.Source) == "" {
			t.Errorf("the tolerance %+v does not say where it comes from", tol)
		}
	}
}
