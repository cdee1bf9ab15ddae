package compare

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"workbench/engine/tensor"
)

var (
	nan  = math.NaN()
	inf  = math.Inf(1)
	zero = math.Copysign(0, -1)
)

// one compares a single pair of values.
func one(tol Tolerance, c, u float64) *Report {
	return Compare("cpu", "cpu,fused", tol, []Group{pair("x", c, u)})
}

func pair(name string, c, u float64) Group {
	return Group{Name: name, Shape: []int{1}, CandidateShape: []int{1}, Reference: []float64{c}, Candidate: []float64{u}}
}

func TestCriterion(t *testing.T) {
	tol := func(atol, rtol float64) Tolerance {
		return Tolerance{Absolute: tensor.Number(atol), Relative: tensor.Number(rtol)}
	}
	for _, c := range []struct {
		name      string
		tol       Tolerance
		reference float64
		candidate float64
		pass      bool
		differs   bool
		absolute  float64
		relative  float64
		ulp       string
		allowed   float64
	}{
		{"equal", tol(0, 0), 1.5, 1.5, true, false, 0, 0, "0", 0},
		{"one step at zero tolerance", tol(0, 0), 1, 1 + 0x1p-52, false, true, 0x1p-52, 0x1p-52, "1", 0},
		{"exactly the absolute part", tol(0.25, 0), 1, 1.25, true, true, 0.25, 0.25, "1125899906842624", 0.25},
		{"a step beyond it", tol(0.25, 0), 1, 1.25 + 0x1p-52, false, true, 0.25 + 0x1p-52, 0.25 + 0x1p-52, "1125899906842625", 0.25},
		{"exactly the relative part", tol(0, 0.5), -8, -4, true, true, 4, 0.5, "4503599627370496", 4},
		{"relative to the reference, not the candidate", tol(0, 0.5), -4, -8, false, true, 4, 1, "4503599627370496", 2},
		{"both parts", tol(1, 0.5), 8, 13, true, true, 5, 0.625, "2814749767106560", 5},
		{"signed zeros agree and differ", tol(0, 0), 0, zero, true, true, 0, 0, "0", 0},
		{"signed zeros under Exact", Exact(""), 0, zero, false, true, 0, 0, "0", 0},
		{"the same negative zero under Exact", Exact(""), zero, zero, true, false, 0, 0, "0", 0},
		{"one step under Exact", Exact(""), 1, 1 + 0x1p-52, false, true, 0x1p-52, 0x1p-52, "1", 0},
		{"the same NaN under Exact", Exact(""), nan, nan, false, false, nan, nan, "", nan},
		{"the same infinity under Exact", Exact(""), inf, inf, false, false, nan, nan, "0", nan},
		{"zero reference", tol(0.5, 0.5), 0, 0.25, true, true, 0.25, inf, "4598175219545276416", 0.5},
		{"NaN in the reference", tol(1, 1), nan, 1, false, true, nan, nan, "", nan},
		{"NaN in the candidate", tol(1, 1), 1, nan, false, true, nan, nan, "", 2},
		{"the same NaN", tol(1, 1), nan, nan, false, false, nan, nan, "", nan},
		{"equal infinities", tol(1, 1), inf, inf, false, false, nan, nan, "0", inf},
		{"opposite infinities", tol(1, 1), inf, -inf, false, true, inf, nan, "18437736874454810624", inf},
		{"infinity in the candidate", tol(inf, 0), 1, inf, false, true, inf, inf, "4611686018427387904", inf},
		{"a difference that overflows", tol(1, 4), -math.MaxFloat64, math.MaxFloat64, false, true, inf, inf, "18437736874454810622", inf},
		{"a tolerance of NaN", tol(nan, 0), 1, 1, false, false, 0, 0, "0", nan},
		{"an infinite tolerance", tol(inf, 0), 1, 2, false, true, 1, 1, "4503599627370496", inf},
		{"a negative tolerance", tol(-1, 0), 1, 1, false, false, 0, 0, "0", -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := one(c.tol, c.reference, c.candidate)
			e := r.Entries[0]
			if e.Pass != c.pass || r.Passed != c.pass || r.Groups[0].Passed != c.pass {
				t.Errorf("pass = %v, report %v, group %v, want %v", e.Pass, r.Passed, r.Groups[0].Passed, c.pass)
			}
			if failures := map[bool]int{true: 0, false: 1}[c.pass]; r.Failures != failures || r.Groups[0].Failures != failures || (r.Groups[0].First == nil) != c.pass {
				t.Errorf("failures %d, first %v, want %d", r.Failures, r.Groups[0].First, failures)
			}
			if differing := map[bool]int{true: 1, false: 0}[c.differs]; r.Differing != differing || r.Groups[0].Differing != differing {
				t.Errorf("differing %d, want %d", r.Differing, differing)
			}
			if (r.Groups[0].Worst != nil) != (c.differs || !c.pass) {
				t.Errorf("worst %v: want one where bits differ or the value fails", r.Groups[0].Worst)
			}
			for _, n := range []struct {
				name      string
				got, want float64
			}{{"absolute", float64(e.Absolute), c.absolute}, {"relative", float64(e.Relative), c.relative}, {"allowed", float64(e.Allowed), c.allowed}} {
				if !(n.got == n.want || math.IsNaN(n.got) && math.IsNaN(n.want)) {
					t.Errorf("%s = %v, want %v", n.name, n.got, n.want)
				}
			}
			if e.ULP != c.ulp {
				t.Errorf("ulp = %q, want %q", e.ULP, c.ulp)
			}
			if e.ReferenceBits != fmt.Sprintf("%016x", math.Float64bits(c.reference)) || e.CandidateBits != fmt.Sprintf("%016x", math.Float64bits(c.candidate)) {
				t.Errorf("bits %s and %s of %v and %v", e.ReferenceBits, e.CandidateBits, c.reference, c.candidate)
			}
		})
	}
}

// decoderLike returns three groups as a decoder's result has them, all values
// equal, distinct and not zero.
func decoderLike(random *rand.Rand) []Group {
	groups := []Group{}
	for _, g := range []struct {
		name  string
		shape []int
	}{{"logits", []int{1, 3, 258}}, {"loss", []int{}}, {"blocks.0.ffn.gate.weight", []int{4, 8}}} {
		n, _ := tensor.Elements(g.shape)
		values := make([]float64, n)
		for i := range values {
			values[i] = random.Float64() - 0.5
		}
		groups = append(groups, Group{Name: g.name, Shape: g.shape, CandidateShape: slices.Clone(g.shape), Reference: values, Candidate: slices.Clone(values)})
	}
	return groups
}

func csvRows(t *testing.T, r *Report) [][]string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows[0], csvHeader) {
		t.Fatalf("CSV begins with %q", rows[0])
	}
	return rows[1:]
}

func text(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// One flipped bit, anywhere, is named at its coordinate in the report, in its
// text and in its CSV, and nothing else is.
func TestFlippedBitIsNamed(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 1))
	for trial := range 200 {
		groups := decoderLike(random)
		g := random.IntN(len(groups))
		flat := random.IntN(len(groups[g].Candidate))
		bit := random.IntN(64)
		if trial%8 == 0 {
			// A zero's sign is a bit like the others.
			groups[g].Reference[flat], groups[g].Candidate[flat], bit = 0, 0, 63
		}
		groups[g].Candidate[flat] = math.Float64frombits(math.Float64bits(groups[g].Candidate[flat]) ^ 1<<bit)
		coordinate := tensor.Coordinate(groups[g].Shape, flat)

		r := Compare("cpu", "flipped", Exact("the same contract and order"), groups)
		if r.Passed || r.Failures != 1 || r.Differing != 1 || r.Count != 774+1+32 || len(r.Entries) != r.Count {
			t.Fatalf("trial %d: passed %v, %d failures, %d differing of %d", trial, r.Passed, r.Failures, r.Differing, r.Count)
		}
		for i, report := range r.Groups {
			if report.Passed != (i != g) || (report.First != nil) != (i == g) || (report.Worst != nil) != (i == g) {
				t.Fatalf("trial %d: bit %d of %s[%d] flipped; group %+v", trial, bit, groups[g].Name, flat, report)
			}
		}
		for _, e := range []*Entry{r.Groups[g].First, r.Groups[g].Worst} {
			if e.Group != groups[g].Name || e.Flat != flat || !slices.Equal(e.Coordinate, coordinate) {
				t.Fatalf("trial %d: named %s%v, want %s%v", trial, e.Group, e.Coordinate, groups[g].Name, coordinate)
			}
		}

		at := groups[g].Name
		if len(coordinate) > 0 {
			at += tensor.FormatShape(coordinate)
		}
		out := text(t, r)
		if !strings.Contains(out, "first failure  "+at+": c = ") || !strings.Contains(out, "worst          "+at+": c = ") || !strings.Contains(out, "FAIL: 1 of 807 values lies outside the tolerance.") {
			t.Fatalf("trial %d: the text does not name %s:\n%s", trial, at, out)
		}
		failing := 0
		for _, row := range csvRows(t, r) {
			if row[11] == "true" {
				continue
			}
			failing++
			if row[0] != groups[g].Name || row[1] != tensor.FormatShape(coordinate) || row[2] != fmt.Sprint(flat) || row[8] == row[9] {
				t.Fatalf("trial %d: the CSV fails %q, want %s", trial, row, at)
			}
		}
		if failing != 1 {
			t.Fatalf("trial %d: the CSV has %d failing rows, want 1", trial, failing)
		}
	}
}

// Inside the tolerance a flipped bit passes, and is named all the same.
func TestSmallDifferencePassesAndIsNamed(t *testing.T) {
	groups := decoderLike(rand.New(rand.NewPCG(39, 2)))
	groups[0].Candidate[275] = math.Float64frombits(math.Float64bits(groups[0].Candidate[275]) ^ 1)
	r := Compare("cpu", "cpu,fused", Float64(), groups)
	if !r.Passed || r.Failures != 0 || r.Differing != 1 || r.Groups[0].First != nil {
		t.Fatalf("passed %v, %d failures, %d differing", r.Passed, r.Failures, r.Differing)
	}
	if worst := r.Groups[0].Worst; worst == nil || !slices.Equal(worst.Coordinate, []int{0, 1, 17}) || worst.ULP != "1" {
		t.Errorf("worst %v, want one ulp at [0, 1, 17]", worst)
	}
	if out := text(t, r); !strings.Contains(out, "worst          logits[0, 1, 17]: ") || !strings.Contains(out, "PASS: 807 values lie within the tolerance; 1 differs in bits.") {
		t.Errorf("the text does not name the difference:\n%s", out)
	}
}

func TestEqualInEveryBit(t *testing.T) {
	r := Compare("cpu", "emulator", Exact("the same contract and order"), decoderLike(rand.New(rand.NewPCG(39, 3))))
	if !r.Passed || r.Differing != 0 || r.worst() != nil || r.firstFailure() != nil {
		t.Errorf("equal results: passed %v, differing %d, worst %v", r.Passed, r.Differing, r.worst())
	}
	if out := text(t, r); !strings.Contains(out, "PASS: 807 values are equal in every bit.") {
		t.Errorf("text:\n%s", out)
	}
}

func TestWorst(t *testing.T) {
	group := func(c, u []float64) Group {
		shape := []int{len(c)}
		return Group{Name: "x", Shape: shape, CandidateShape: shape, Reference: c, Candidate: u}
	}
	for _, c := range []struct {
		name  string
		group Group
		worst int
	}{
		{"the largest", group([]float64{1, 1, 1}, []float64{2, 4, 3}), 1},
		{"the first of equals", group([]float64{1, 1, 1}, []float64{1, 3, -1}), 1},
		{"NaN before all", group([]float64{0, 1, 1}, []float64{1e300, 1, nan}), 2},
		{"infinity before all", group([]float64{0, inf, 1}, []float64{1e300, inf, 2}), 1},
		{"the first that is not finite", group([]float64{0, 1, nan}, []float64{1, inf, 1}), 1},
		{"a zero's sign", group([]float64{0, 0, 0}, []float64{0, zero, zero}), 1},
		{"a failure before a larger one's equal", Group{Name: "x", Shape: []int{2}, CandidateShape: []int{2}, Reference: []float64{1, 1}, Candidate: []float64{2, 2}, Bound: []float64{1, 0.5}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			worst := Compare("cpu", "x", Exact(""), []Group{c.group}).Groups[0].Worst
			if worst == nil || worst.Flat != c.worst {
				t.Errorf("worst %v, want value %d", worst, c.worst)
			}
		})
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	six := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		name   string
		group  Group
		reason string
	}{
		{"swapped shapes", Group{Shape: []int{2, 3}, CandidateShape: []int{3, 2}, Reference: six, Candidate: six}, "the shapes differ: the reference has [2, 3] and the candidate [3, 2]"},
		{"another rank", Group{Shape: []int{1}, CandidateShape: []int{}, Reference: six[:1], Candidate: six[:1]}, "the reference has [1] and the candidate []"},
		{"missing in the candidate", Group{Shape: []int{6}, Reference: six}, "missing in the candidate; the reference has shape [6]"},
		{"missing in the reference", Group{CandidateShape: []int{6}, Candidate: six}, "missing in the reference; the candidate has shape [6]"},
		{"missing on both", Group{}, "missing on both sides"},
		{"too few in the reference", Group{Shape: []int{6}, CandidateShape: []int{6}, Reference: six[:5], Candidate: six}, "the reference has 5 values where the shape [6] has 6"},
		{"too many in the candidate", Group{Shape: []int{5}, CandidateShape: []int{5}, Reference: six[:5], Candidate: six}, "the candidate has 6 values where the shape [5] has 5"},
		{"a shape no tensor has", Group{Shape: []int{1e6, 1e6}, CandidateShape: []int{1e6, 1e6}, Reference: six, Candidate: six}, "has more than"},
		{"too few bounds", Group{Shape: []int{6}, CandidateShape: []int{6}, Reference: six, Candidate: six, Bound: six[:2]}, "there are 2 bounds for the 6 values"},
		{"a name used twice", Group{Name: "good", Shape: []int{6}, CandidateShape: []int{6}, Reference: six, Candidate: six}, "the name is used by an earlier group"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.group.Name == "" {
				c.group.Name = "bad"
			}
			good := Group{Name: "good", Shape: []int{6}, CandidateShape: []int{6}, Reference: six, Candidate: six}
			last := good
			last.Name = "last"
			r := Compare("cpu", "cuda:0", Float64(), []Group{good, c.group, last})
			bad := r.Groups[1]
			if r.Passed || bad.Passed || !r.Groups[0].Passed || !r.Groups[2].Passed || r.Mismatched != 1 {
				t.Fatalf("passed %v, groups %+v", r.Passed, r.Groups)
			}
			if !strings.Contains(bad.Reason, c.reason) {
				t.Errorf("reason %q, want %q", bad.Reason, c.reason)
			}
			if bad.Count != 0 || r.Count != 12 || len(r.Entries) != 12 || bad.Shape == nil {
				t.Errorf("%d values of %d compared, shape %v", bad.Count, r.Count, bad.Shape)
			}
			if same := slices.Equal(c.group.Shape, c.group.CandidateShape); (bad.CandidateShape == nil) != same {
				t.Errorf("candidate shape %v in the report", bad.CandidateShape)
			}
			if out := text(t, r); !strings.Contains(out, "not compared   "+c.group.Name+": "+bad.Reason) || !strings.Contains(out, "FAIL: 1 of 3 groups could not be compared.") {
				t.Errorf("text:\n%s", out)
			}
			rows := csvRows(t, r)
			if len(rows) != 13 {
				t.Fatalf("CSV has %d rows, want 13", len(rows))
			}
			for i, row := range rows {
				if want := i != 6; (row[11] == "true") != want || (row[12] == "") != want {
					t.Errorf("row %d of the CSV: %q", i, row)
				}
			}
		})
	}
}

func TestNothingCompared(t *testing.T) {
	r := Compare("cpu", "cuda:0", Float64(), nil)
	if r.Passed {
		t.Error("a report without groups passes")
	}
	if out := text(t, r); !strings.Contains(out, "FAIL: nothing was compared.") {
		t.Errorf("text:\n%s", out)
	}
	r = Compare("cpu", "cuda:0", Float64(), []Group{{Name: "empty", Shape: []int{0, 3}, CandidateShape: []int{0, 3}, Reference: []float64{}, Candidate: nil}})
	if !r.Passed || r.Count != 0 {
		t.Errorf("two empty tensors of one shape: passed %v with %d values", r.Passed, r.Count)
	}
	if out := text(t, r); !strings.Contains(out, "PASS: the shapes agree and there are no values to compare.") {
		t.Errorf("text:\n%s", out)
	}
}

func TestBoundReplacesTolerance(t *testing.T) {
	group := Group{
		Name: "product", Shape: []int{4}, CandidateShape: []int{4},
		Reference: []float64{1, 1, 1, 1}, Candidate: []float64{1.5, 1.5, 1, 1},
		Bound: []float64{0.5, 0.25, inf, nan},
	}
	r := Compare("cpu", "cuda:0", Tolerance{Absolute: 1, Relative: 1}, []Group{group, pair("loss", 1, 1.5)})
	var passed []bool
	for _, e := range r.Entries {
		passed = append(passed, e.Pass)
	}
	if want := []bool{true, false, false, false, true}; !slices.Equal(passed, want) {
		t.Errorf("passed %v, want %v: a bound that is not finite passes nothing", passed, want)
	}
	if !r.Groups[0].Bounded || r.Groups[1].Bounded || r.Entries[1].Allowed != 0.25 || r.Entries[4].Allowed != 2 {
		t.Errorf("groups %+v", r.Groups)
	}
	if out := text(t, r); !strings.Contains(out, "criterion  |u − c| ≤ 1 + 1·|c|, and the value's own bound in product\n") || !strings.Contains(out, "3 of 5 values lie outside the allowed difference") {
		t.Errorf("text:\n%s", out)
	}
	if out := text(t, Compare("cpu", "cuda:0", Bounded(), []Group{group})); !strings.Contains(out, "criterion  |u − c| ≤ the value's own bound\n") {
		t.Errorf("text:\n%s", out)
	}
}

func TestCompareKeepsItsInputs(t *testing.T) {
	g := pair("x", 1, 2)
	r := Compare("cpu", "x", Exact(""), []Group{g})
	g.Shape[0], g.Reference[0], g.Candidate[0] = 9, 9, 9
	r.Groups[0].First.Coordinate = nil
	if r.Groups[0].Shape[0] != 1 || r.Entries[0].Reference != 1 || r.Entries[0].Candidate != 2 || r.Entries[0].Coordinate == nil {
		t.Errorf("the report shares memory with what it was made of: %+v", r)
	}
}
