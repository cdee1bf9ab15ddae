package chapter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"workbench/assets"
	"workbench/engine/compare"
	"workbench/engine/trace"
	"workbench/web/run/runtest"
)

// A request's way to a device and back is a worked example like the others.
func TestBoundaryFence(t *testing.T) {
	page := rendered(t, "```boundary way\nleft: [[1, 2]]\nright: [[3], [4]]\nstep: 4\ncaption: There and back.\n```")
	for _, want := range []string{
		`<wb-boundary id="way" class="widget" data-chapter="01-test" data-example="boundary" data-device="cpu">`,
		"<figcaption>There and back.</figcaption>",
		"In host memory: A, B, packed A, packed B. In the memory of cpu: packed A, packed B.",
		"Counted so far: 0 products, 0 launches, 33 bytes in, 0 bytes out; kernel 5.5 µs.",
		"<caption>The bytes of packed A</caption>", ">a0 ff<", "<td>4711</td>", "<td>9</td><td>0</td><td>17</td><td>19</td>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
}

// asking notes which devices a page compares, and of which example.
type asking struct {
	runtest.Runner
	asked []string
}

func (a *asking) Compare(ctx context.Context, reference, candidate, example string, input json.RawMessage, progress func(string, int, int)) (*compare.Report, error) {
	a.asked = append(a.asked, fmt.Sprintf("%s of %s and %s", example, reference, candidate))
	return a.Runner.Compare(ctx, reference, candidate, example, input, progress)
}

// A page asks the CPUs and no other device: it is the same on every machine.
func TestContractsFence(t *testing.T) {
	for source, want := range map[string][]string{
		"devices: [cpu, \"cpu,fused\", \"cuda:0\"]\nleft: [[1]]\nright: [[2]]":                  {"product of cpu and cpu,fused"},
		"devices: [\"cpu,fused\", \"cuda:0,library\"]\nexample: reduction\ninput: [1]\naxis: 0": {"reduction of cpu,fused and cpu,fused"},
	} {
		c := Parse(Text{File: "01-test/chapter.md", Folder: "01-test", Body: []byte(front + "```contracts side\n" + source + "\ncaption: Side by side.\n```\n")})
		if len(c.Problems) > 0 {
			t.Fatal(c.Problems)
		}
		r := &asking{}
		c.Run(t.Context(), r)
		if len(c.Problems) > 0 || !slices.Equal(r.asked, want) {
			t.Errorf("%s: asked for %q, want %q (%v)", source, r.asked, want, c.Problems)
		}
		page := string(c.HTML())
		example := strings.Fields(want[0])[0]
		for _, want := range []string{
			`<wb-contracts id="side"`, `data-example="` + example + `"`, "<figcaption>Side by side.</figcaption>",
			"Not asked for this page: <code>cuda:0", `"devices":["cpu`, `"reports":[`,
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%q is missing in\n%s", want, page)
			}
		}
	}
	page := rendered(t, "```contracts side\ndevices: [cpu, \"cpu,fused\"]\nleft: [[1]]\nright: [[2]]\n```")
	for _, want := range []string{
		"<td>0.5 <code class=\"bits\">3fe0000000000000</code></td>",
		"<td>0.625 <code class=\"bits\">3fe<mark>4</mark>000000000000</code><span class=\"ulp\"> 4611 ulp</span></td>",
		"<td>77.75 <code class=\"bits\">4053700000000000</code></td>",
		"<code>cpu,fused</code>: 1 of 2 values have other bits than <code>cpu</code>.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	if strings.Contains(page, "Not asked for this page") {
		t.Error("every device was asked, and the page says otherwise")
	}
}

// A wrong input of such a widget is a problem at its line.
func TestDeviceFenceProblems(t *testing.T) {
	for name, test := range map[string]struct{ source, want string }{
		"one device":        {"```contracts x\ndevices: [cpu]\nleft: [[1]]\nright: [[1]]\n```", "7: devices: must be 2 to 8 devices"},
		"no devices":        {"```contracts x\nleft: [[1]]\nright: [[1]]\n```", "6: devices: must be 2 to 8 devices"},
		"a device unknown":  {"```contracts x\ndevices: [cpu, gpu]\nleft: [[1]]\nright: [[1]]\n```", "7: devices[1]: \"gpu\" is not a device"},
		"reference":         {"```contracts x\ndevices: [\"cuda:0\", cpu]\nleft: [[1]]\nright: [[1]]\n```", "7: devices[0]: must be cpu or cpu,fused"},
		"example":           {"```contracts x\ndevices: [cpu, \"cpu,fused\"]\nexample: decoder\n```", "8: example: must be product or reduction"},
		"input":             {"```contracts x\ndevices: [cpu, \"cpu,fused\"]\nleft: [[1]]\nright: [[1, 2], [3]]\n```", "9: right: row 1 has 1 value"},
		"nothing to show":   {"```measurements x\ncaption: c\nfigures: []\n```", "8: figures: is empty"},
		"no figures":        {"```measurements x\ncaption: c\n```", "7: figures: is missing"},
		"no caption":        {"```measurements x\nfigures: [a]\n```", "7: caption: is missing"},
		"a name for many":   {"```measurements x\ncaption: c\nfigures: {a: \"b*\"}\n```", "8: figures.a: is a name for many"},
		"another chart":     {"```measurements x\ncaption: c\nfigures: [a]\nchart: pie\n```", "9: chart: must be bars"},
		"another key":       {"```measurements x\ncaption: c\nfigures: [a]\ngpu: h\n```", "9: gpu: is not a key here"},
		"a name is needed":  {"```measurements\ncaption: c\nfigures: [a]\n```", "6: measurements: needs a name"},
		"boundary of means": {"```boundary x\nleft: [[], []]\nright: {shape: [0, 2], values: []}\n```", "7: left: mean [2, 0]: the axis is empty"},
	} {
		c := read(t, front+test.source+"\n")
		if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), "01-test/chapter.md:"+test.want) {
			t.Errorf("%s: %v, want 01-test/chapter.md:%s", name, c.Problems, test.want)
		}
	}
}

// elsewhere is a measurement of a GPU that does not exist.
func elsewhere() assets.Measurement {
	return assets.Measurement{
		GPU: "NVIDIA Test<1>", Driver: "580.1", CUDA: "13.0", Date: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), Commit: "0123abc", Command: "workbench gpu-check",
		Figures: []assets.Figure{
			{Name: "tiny product, copy in", Value: 4.1234, Unit: "µs", Spread: 0.25},
			{Name: "tiny product, GPU", Value: 6, Unit: "µs", Peer: "tiny product, copy in", Ratio: 1.4550613},
			{Name: "a large product", Value: 61234.5, Unit: "GFLOP/s"},
		},
	}
}

func measuredPage(t *testing.T, source string, all ...assets.Measurement) (string, *Chapter) {
	t.Helper()
	c := Parse(Text{File: "01-test/chapter.md", Folder: "01-test", Body: []byte(front + source), Measurements: all})
	if len(c.Problems) > 0 {
		t.Fatal(c.Problems)
	}
	return string(c.HTML()), c
}

// Figures say where and when they were measured, and that it was not here.
func TestMeasurementsFence(t *testing.T) {
	page, c := measuredPage(t, "```measurements times\ncaption: A tiny product.\nfigures: [\"tiny product*\", \"another\"]\nchart: bars\n```\n\n[there](#times)\n", elsewhere())
	for _, want := range []string{
		`<figure class="measurements" id="times">`, "<figcaption>A tiny product.</figcaption>",
		"<strong>an NVIDIA Test&lt;1&gt;</strong> on 31 January 2026, not on this machine.", "Driver 580.1, CUDA 13.0; workbench <code>0123abc</code>, by <code>workbench gpu-check</code>.",
		"tiny product, copy in</th><td class=\"number\">4.12\u00a0µs</td><td class=\"number\">0.25\u00a0µs</td><td></td><td class=\"number\"></td>",
		"<td class=\"number\">6\u00a0µs</td><td class=\"number\">measured once</td><td>tiny product, copy in</td><td class=\"number\">1.46</td>",
		`<div class="measured-chart" data-label="The figures of the table, as bars: A tiny product., NVIDIA Test&lt;1&gt;">`, `"value":4.1234`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	if strings.Contains(page, "a large product") {
		t.Error("there is a figure that nobody asked for")
	}
	if m := c.Measured; len(m) != 1 || m[0].ID != "times" || m[0].Empty || !slices.Equal(m[0].Absent, []string{"another"}) {
		t.Errorf("the chapter asked for %+v", m)
	}

	// A figure may have a name of the page's own, as a peer too.
	page, c = measuredPage(t, "```measurements times\ncaption: A tiny product.\nfigures: {on the device: \"tiny product, GPU\", the way there: \"tiny product, copy in\", none: another}\n```\n", elsewhere())
	if !strings.Contains(page, "<th scope=\"row\">on the device</th>") || !strings.Contains(page, "<td>the way there</td>") || strings.Contains(page, "tiny product,") {
		t.Errorf("figures under other names are\n%s", page)
	}
	if m := c.Measured; !slices.Equal(m[0].Absent, []string{"another"}) {
		t.Errorf("the chapter asked for %+v", m)
	}

	// Figures of several units have no common axis, and still a table.
	page, _ = measuredPage(t, "```measurements all\ncaption: All.\nfigures: [\"*\"]\nchart: bars\n```\n", elsewhere())
	if strings.Contains(page, "measured-chart") || !strings.Contains(page, "<td class=\"number\">61234\u00a0GFLOP/s</td>") && !strings.Contains(page, "<td class=\"number\">61235\u00a0GFLOP/s</td>") {
		t.Errorf("figures of two units are\n%s", page)
	}
	page, _ = measuredPage(t, "```measurements none\ncaption: None.\nfigures: [nothing]\n```\n", elsewhere())
	if !strings.Contains(page, "has none of the figures that belong here") || !strings.Contains(page, "NVIDIA Test&lt;1&gt;") {
		t.Errorf("without its figures a measurement is\n%s", page)
	}
}

// Without a measurement nothing is invented.
func TestNoMeasurements(t *testing.T) {
	page, c := measuredPage(t, "```measurements times\ncaption: A tiny product.\nfigures: [\"*\"]\nchart: bars\n```\n")
	if !strings.Contains(page, "No figures of a GPU come with this build") || !strings.Contains(page, "<code>./course gpu-check</code>") {
		t.Errorf("the page says\n%s", page)
	}
	if strings.Contains(page, "<table") || strings.Contains(page, "measured-chart") {
		t.Errorf("there are figures from nowhere:\n%s", page)
	}
	if m := c.Measured; len(m) != 1 || !m[0].Empty {
		t.Errorf("the chapter asked for %+v", m)
	}
}

// A run that is all zeros, as the CPU's, has no memory of a device in it.
func TestBoundaryOnTheHost(t *testing.T) {
	c := read(t, front+"```boundary way\nleft: [[1, 2]]\nright: [[3], [4]]\n```\n")
	w := c.Widget("way")
	for i := range w.Trace.Steps {
		if x := w.Trace.Steps[i].Crossing; x != nil {
			*x = trace.Crossing{Name: x.Name, Stage: x.Stage, Host: x.Host, Device: []int{}}
		}
	}
	page := string(c.HTML())
	if strings.Contains(page, "In the memory of") || !strings.Contains(page, "Counted so far: nothing.") {
		t.Errorf("the page says\n%s", page)
	}
}
