package figure

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"workbench/engine/tensor"
	"workbench/engine/trace"
	"workbench/web/run/runtest"
)

// Numbers are spelt as String(x) does in the page's script.
func TestNumber(t *testing.T) {
	for want, x := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "64": 64, "-1.5": -1.5, "0.1": 0.1, "5.668398842431571": 5.668398842431571,
		"0.000001": 1e-6, "1e-7": 1e-7, "1.5e-7": 1.5e-7, "-2.5e-10": -2.5e-10, "5e-324": 5e-324,
		"100000000000000000000": 1e20, "1e+21": 1e21, "1.7976931348623157e+308": math.MaxFloat64,
		"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		if got := Number(tensor.Number(x)); got != want {
			t.Errorf("Number(%v) = %q, want %q", x, got, want)
		}
	}
}

func drawn(tr *trace.Trace) string {
	var out bytes.Buffer
	Trace(&out, tr)
	return out.String()
}

// Every number of a run is in its figure, whatever it is: these runs are wrong
// on purpose.
func TestTraceShowsEveryNumber(t *testing.T) {
	for _, tr := range []*trace.Trace{runtest.Product("cpu"), runtest.Reduction("cpu"), runtest.View("cpu"), runtest.Decoder("cpu")} {
		page := drawn(tr)
		for _, one := range tr.Tensors {
			for _, v := range one.Values {
				if want := "<td>" + Number(tensor.Number(v)) + "</td>"; !strings.Contains(page, want) {
					t.Errorf("%s: %s of %s is missing", tr.Example, want, one.Name)
				}
			}
			if one.Layout == nil {
				continue
			}
			for _, i := range one.Layout.Indices {
				if want := "<td>" + Number(tensor.Number(i)) + "</td>"; !strings.Contains(page, want) {
					t.Errorf("%s: storage index %s of %s is missing", tr.Example, want, one.Name)
				}
			}
		}
		for _, s := range tr.Steps {
			if !strings.Contains(page, html.EscapeString(s.Title)) {
				t.Errorf("%s: step %q is missing", tr.Example, s.Title)
			}
		}
		balanced(t, tr.Example, page)
	}
}

// balanced checks that every element that is opened is closed, in order.
func balanced(t *testing.T, name, page string) {
	t.Helper()
	var open []string
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("%s: %v are never closed", name, open)
			}
			return
		case html.StartTagToken:
			open = append(open, tokens.Token().Data)
		case html.EndTagToken:
			tag := tokens.Token().Data
			if len(open) == 0 || open[len(open)-1] != tag {
				t.Fatalf("%s: </%s> closes %v", name, tag, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// A cell whose terms do not lead to the run's value says so.
func TestCellThatDisagrees(t *testing.T) {
	page := drawn(runtest.Product("cpu"))
	for _, want := range []string{
		"<td>5.5</td>", "<td>12.125</td>", "q = (0·2 + 0)·2 + 1 = 1",
		"The run&#39;s value is 12.5, bits <code>4029000000000000</code>; cpu writes out 12.125, bits <code>4028400000000000</code>: they differ.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
}

// A cell's table is headed by the operands' names, as the live example has it.
func TestCellNamesItsOperands(t *testing.T) {
	tr := runtest.Product("cpu")
	tr.Tensors[1].Name = "Bᵀ"
	if page, want := drawn(tr), `<th scope="col">k</th><th scope="col">A</th><th scope="col">Bᵀ</th><th scope="col">product</th>`; !strings.Contains(strings.ReplaceAll(page, "\n", ""), want) {
		t.Errorf("%q is missing in\n%s", want, page)
	}
	tr = runtest.Reduction("cpu")
	tr.Steps[1].Cell = &trace.Cell{Terms: []trace.Term{{Left: 8.5, Right: 1, Product: 4711, Sum: 9.5}}, Omitted: &trace.Gap{First: 0, Count: 3}}
	page := strings.ReplaceAll(drawn(tr), "\n", "")
	for _, want := range []string{`<th scope="col">k</th><th scope="col">X</th><th scope="col">running sum</th>`, "<td>8.5</td><td>9.5</td>", `colspan="3">… 3 values left out …`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	balanced(t, "reduction", page)
}

// A long cell says how many of its terms are left out; those after them keep
// their numbers.
func TestLongCell(t *testing.T) {
	tr := runtest.Product("cpu")
	for i := range tr.Steps {
		if c := tr.Steps[i].Cell; c != nil {
			c.Omitted = &trace.Gap{First: 1, Count: 4711}
		}
	}
	page := drawn(tr)
	for _, want := range []string{`<th scope="row">0</th>`, "… 4711 products left out …", `<th scope="row">4712</th>`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	balanced(t, "long cell", page)
}

// A GPU's run has its name, and what it and each of its requests cost.
func TestTraceOfAGPU(t *testing.T) {
	r := runtest.Runner{GPU: true}
	tr, err := r.Run(t.Context(), "cuda:0", trace.ExampleProduct, []byte(`{"left":[[1]],"right":[[1]]}`))
	if err != nil {
		t.Fatal(err)
	}
	page := drawn(tr)
	for _, want := range []string{
		"Made by <code>cuda:0</code>, NVIDIA T39, in float64, each product rounded before it is added (separate).",
		" The device completed 1 matrix product in 1 launch; 96 bytes went to it and 32 bytes came back. Measured: copy in 4.1 µs, kernel 6.2 µs, copy out 5.0 µs.",
		`<p class="step-cost">Cost: 1 product, 1 launch, 96 bytes in, 32 bytes out; copy in 4.1 µs, kernel 6.2 µs, copy out 5.0 µs.</p>`,
	} {
		if strings.Count(page, want) != 1 {
			t.Errorf("%q is there %d times in\n%s", want, strings.Count(page, want), page)
		}
	}
	balanced(t, "GPU", page)
}

func TestShapesWithoutValues(t *testing.T) {
	for _, shape := range [][]int{{0}, {0, 3}, {3, 0}, {2, 0, 3}} {
		page := drawn(&trace.Trace{Tensors: []trace.Tensor{{Name: "X", Shape: shape}}})
		if want := "X has shape " + tensor.FormatShape(shape) + ": no values."; !strings.Contains(page, want) {
			t.Errorf("%v: %s", shape, page)
		}
	}
}

// A batch is one table for each of its matrices, named by its coordinate.
func TestBatches(t *testing.T) {
	values := make([]float64, 12)
	for i := range values {
		values[i] = float64(i)
	}
	page := drawn(&trace.Trace{Tensors: []trace.Tensor{{Name: "X", Shape: []int{2, 3, 1, 2}, Values: values}}})
	if n := strings.Count(page, "<table"); n != 6 {
		t.Errorf("%d tables, want 6", n)
	}
	if !strings.Contains(page, "<caption>X[1, 2] of shape [2, 3, 1, 2]</caption>") {
		t.Errorf("the last matrix has no name in\n%s", page)
	}
}

// A tensor too large for a page is cut off, and the page says so.
func TestLargeTensor(t *testing.T) {
	page := drawn(&trace.Trace{Tensors: []trace.Tensor{{Name: "X", Shape: []int{mostValues + 1, 1}, Values: make([]float64, mostValues+1)}}})
	if !strings.Contains(page, "X has 16385 values; the rest is in the page&#39;s data.") {
		t.Error("nothing says that values are left out")
	}
	balanced(t, "large", page)
}

func TestReport(t *testing.T) {
	var out bytes.Buffer
	Report(&out, runtest.Report("cpu", "cpu,fused"), "/x.csv?a=1&b=2", "/x.json")
	page := out.String()
	for _, want := range []string{
		"c is of <code>cpu</code>, A processor (slow), u of <code>cpu,fused</code> (quick, by a library), both in float4. Bits are as they are.",
		"<code>cpu,fused</code> does not agree with <code>cpu</code>: of 2 values, 1 have other bits and 1 are outside the tolerance.",
		"Allowed difference: 1e-10 absolute, 1e-10 relative (chosen for this test).",
		`href="/x.csv?a=1&amp;b=2"`,
		"[2] against [3]", "<td>0.375</td>", "<td>4611</td>", "<td>fails: the shapes differ</td>", "<td>fails</td>", "1 tensor could not be compared.", "All 2 values",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	balanced(t, "report", page)
}

func TestPart(t *testing.T) {
	for want, s := range map[string]trace.Step{
		"forward, block 0 attention":      {Phase: "forward", Section: "blocks.0.attention"},
		"backward, block 12 feed-forward": {Phase: "backward", Section: "blocks.12.ffn"},
		"forward, final norm":             {Phase: "forward", Section: "final_norm"},
		"backward, loss":                  {Phase: "backward", Section: "loss"},
		"loss":                            {Phase: "loss", Section: "loss"},
		"result":                          {Phase: "result"},
	} {
		if got := part(s); got != want {
			t.Errorf("part is %q, want %q", got, want)
		}
	}
}

// A request's way shows what lies where and what was counted, whatever that is;
// packed operands stand as the bytes that they are.
func TestBoundary(t *testing.T) {
	tr := runtest.Boundary("cuda:0")
	page := drawn(tr)
	for _, want := range []string{
		"<caption>What cuda:0 counted</caption>", "In the memory of cuda:0: packed A, packed B, C.", "<td>1.5</td><td>01 02</td>",
		`<tr><th scope="row">0: A·B</th><td>4711</td><td>9</td><td>0</td><td>17</td><td>19</td><td>–</td><td>–</td><td>–</td></tr>`,
		`<tr><th scope="row">the run</th><td></td><td>8</td><td>0</td><td>34</td><td>0</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	for _, one := range tr.Tensors {
		for _, v := range one.Values {
			if want := "<td>" + Number(tensor.Number(v)) + "</td>"; !strings.Contains(page, want) {
				t.Errorf("%s of %s is missing", want, one.Name)
			}
		}
	}
	balanced(t, "boundary", page)
	if empty := drawn(&trace.Trace{Example: trace.ExampleBoundary}); strings.Contains(empty, "counted</caption>") {
		t.Errorf("a run without requests counts:\n%s", empty)
	}
}

// Columns of devices that were not asked say so, and a distance that is none.
func TestContracts(t *testing.T) {
	report := runtest.Report("cpu", "cuda:0")
	report.Entries[1].Candidate, report.Entries[1].ULP = tensor.Number(math.NaN()), ""
	var out bytes.Buffer
	Contracts(&out, []Column{{Device: "cpu"}, {Device: "cuda:0", Report: report}, {Device: "cuda:0,library"}})
	page := out.String()
	for _, want := range []string{
		`<th scope="col">cuda:0,library</th>`, `<th scope="row">logits[0, 1]</th>`, "<td>not asked</td>",
		`no distance: one of them is no number`, "Not asked for this page: <code>cuda:0,library</code>.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	balanced(t, "contracts", page)
	out.Reset()
	if Contracts(&out, []Column{{Device: "cpu"}}); out.Len() > 0 {
		t.Errorf("nobody was asked, and the page says %s", out.String())
	}
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		text, other string
		want        []Part
	}{
		{"", "", nil},
		{"a0", "a0", []Part{{"a0", false}}},
		{"a0b1", "a1b2", []Part{{"a", false}, {"0", true}, {"b", false}, {"1", true}}},
		{"a0", "b", []Part{{"a0", true}}},
	} {
		if got := Differences(c.text, c.other); !slices.Equal(got, c.want) {
			t.Errorf("%q beside %q is %v, want %v", c.text, c.other, got, c.want)
		}
	}
}

// Measured numbers keep three digits that mean something, and small ones no
// exponent.
func TestDigits(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 6: "6", 4.1234: "4.12", 0.012345: "0.0123", 45.04: "45", 999.4: "999", 61234.4: "61234", -0.25: "-0.25", 123.456: "123", 1e-7: "0.0000001",
	} {
		if got := digits(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
}
