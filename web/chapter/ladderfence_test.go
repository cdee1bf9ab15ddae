package chapter

import (
	"slices"
	"strings"
	"testing"

	"workbench/assets"
)

// rungs is a measurement of another machine that has a ladder of size 64.
func rungs() assets.Measurement {
	m := elsewhere()
	m.Figures = []assets.Figure{
		{Name: "ladder/bandwidth/add", Value: 2000, Unit: "GB/s"},
		{Name: "ladder/64³/float32/naive", Value: 250, Unit: "GFLOP/s", Spread: 12},
		{Name: "ladder/64³/float32/blocked", Value: 5000, Unit: "GFLOP/s"},
		{Name: "ladder/64³/float32/cuBLAS", Value: 10000, Unit: "GFLOP/s"},
	}
	return m
}

func TestLadderFence(t *testing.T) {
	page, c := measuredPage(t, "```ladder rungs\ncaption: A <product>.\nsize: 64\nprecisions: [float32]\n```\n\n[there](#rungs)\n", rungs())
	for _, want := range []string{
		`<wb-ladder id="rungs">`, `{"caption":"A \u003cproduct\u003e.","precisions":["float32"],"sizes":[256,512,1024,2048,4096]}`, "<figcaption>A &lt;product&gt;.</figcaption>",
		"Measured on <strong>an NVIDIA Test&lt;1&gt;</strong> on 31 January 2026, not on this machine.", "Driver 580.1", "<code>0123abc</code>",
		"Two 64 × 64 matrices in float32",
		// The furthest mark, 2000 GB/s by 10.7 operations for a byte, is the end of the scale.
		`<th scope="row">naive<svg class="ladder-bar"`, `<rect class="ladder-speed" width="11.7" height="10"></rect><path class="ladder-allowed" d="M46.2 0V10"></path>`,
		"<td class=\"number\">250<span class=\"spread\">spread 12</span></td><td class=\"number\">2.5\u00a0%</td><td class=\"number\">0.00106\u00a0GB</td><td class=\"number\">985</td>",
		`<path class="ladder-allowed" d="M1000 0V10"></path>`, "<td class=\"number\">50.0\u00a0%</td>",
		"<th scope=\"row\">cuBLAS<svg", "<td class=\"number\">100.0\u00a0%</td><td class=\"number\">–</td><td class=\"number\">–</td>",
		"at the 2000 GB/s that an addition moves there",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	if m := c.Measured; len(m) != 1 || m[0].Empty || !slices.Equal(m[0].Absent, []string{"ladder/64³/float32/tiled"}) {
		t.Errorf("the chapter asked for %+v", m)
	}
	if want := []Ladder{{"rungs", "A <product>.", 0}}; !slices.Equal(c.Ladders, want) {
		t.Errorf("the chapter has the ladders %+v, want %+v", c.Ladders, want)
	}

	page, _ = measuredPage(t, "```ladder rungs\ncaption: A.\n```\n", rungs())
	if !strings.Contains(page, "has none of the figures that belong here") || strings.Contains(page, "<table") {
		t.Errorf("a ladder of a size that nobody measured is\n%s", page)
	}
	page, c = measuredPage(t, "```ladder rungs\ncaption: A.\n```\n")
	if !strings.Contains(page, "No figures of a GPU come with this build") || !c.Measured[0].Empty {
		t.Errorf("a ladder without measurements is\n%s", page)
	}
}

func TestLadderFenceMistakes(t *testing.T) {
	for name, test := range map[string]struct{ source, want string }{
		"no caption":        {"```ladder x\nsize: 64\n```", "7: caption: is missing"},
		"a size between":    {"```ladder x\ncaption: c\nsize: 100\n```", "8: size: must be a multiple of 64, and at most 4096"},
		"no number":         {"```ladder x\ncaption: c\nsize: [64]\n```", "8: size: must be a multiple"},
		"another precision": {"```ladder x\ncaption: c\nprecisions: [float32, float16]\n```", "8: precisions[1]: must be one of [float32 float64]"},
		"no precision":      {"```ladder x\ncaption: c\nprecisions: []\n```", "8: precisions: is empty"},
		"another key":       {"```ladder x\ncaption: c\ngpu: h\n```", "8: gpu: is not a key here"},
	} {
		c := read(t, front+test.source+"\n")
		if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), "01-test/chapter.md:"+test.want) {
			t.Errorf("%s: %v, want 01-test/chapter.md:%s", name, c.Problems, test.want)
		}
	}
}
