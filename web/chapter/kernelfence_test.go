package chapter

import (
	"fmt"
	"strings"
	"testing"

	"workbench/web/run/runtest"
)

const addSource = "__global__ void add(const float* x, float* y) {\n\ty[threadIdx.x] += x[threadIdx.x]; // <b>\n}\n"

const addBody = `source: add.cu
launch: {kernel: add, grid: [1], block: [4], args: [{name: x, type: f32, shape: [4], fill: iota}, {name: c, type: f32, shape: [4], fill: ones, out: true}]}
`

func kernelChapter(word, body string) *Chapter {
	return Parse(Text{
		File: "01-test/chapter.md", Folder: "01-test", Body: []byte(front + "```" + word + " my-kernel\n" + body + "```\n"),
		Beside: func(name string) ([]byte, error) {
			if name != "add.cu" {
				return nil, fmt.Errorf("no such file")
			}
			return []byte(addSource), nil
		},
	})
}

// A kernel is on the page before any script runs: source, reports, outputs, what was
// measured, and a step of the recorded block, all as the runner says.
func TestKernelFence(t *testing.T) {
	for word, body := range map[string]string{
		"kernel": addBody + "block: [0, 0, 0]\nstep: 1\ncaption: An addition.\n",
		"tiles":  "kernels:\n  - title: one & only\n    " + strings.ReplaceAll(strings.TrimSpace(addBody), "\n", "\n    ") + "\nstep: 1\ncaption: An addition.\n",
	} {
		c := kernelChapter(word, body)
		if len(c.Problems) > 0 {
			t.Fatal(c.Problems)
		}
		c.Run(t.Context(), &runtest.Runner{})
		if len(c.Problems) > 0 {
			t.Fatal(c.Problems)
		}
		page := string(c.HTML())
		for _, want := range []string{
			"<wb-" + word + ` id="my-kernel"`, `data-device="emulator"`, "<figcaption>An addition.</figcaption>",
			`y[threadIdx.x] += x[threadIdx.x]; // &lt;b&gt;`, `\u003cb\u003e`, `"source":"add.cu"`,
			"Line 3, race: tile[3][5] is read and written at once", "from the kernel", ">77.5<", ">NaN<",
			">4711<", "4.25", "at step 1 of 2: warp 0 begins line 3", "2 of its 4 lanes are active", ">101<",
		} {
			if want == ">4711<" {
				want = "17, 4711, 19"
			}
			if !strings.Contains(page, want) {
				t.Errorf("%s: %q is missing in\n%s", word, want, page)
			}
		}
		row := `<th scope="row">0</th><td>a [4, 4]</td><td>global</td><td>4</td><td>4</td><td>1</td><td>0</td><td>0</td>`
		if strings.Contains(page, row) != (word == "tiles") {
			t.Errorf("%s: what the block touched is there, or not, in\n%s", word, page)
		}
	}
}

// A mistake is reported at its line, with its field.
func TestKernelFenceProblems(t *testing.T) {
	for _, tc := range []struct{ word, body, field, reason string }{
		{"kernel", "launch: {kernel: add}\n", "source", "is missing"},
		{"kernel", "source: other.cu\nlaunch: {kernel: add}\n", "source", "is not in the chapter’s folder"},
		{"kernel", "source: ../add.cu\nlaunch: {kernel: add}\n", "source", "beside the chapter"},
		{"kernel", "source: add.cu\n", "launch", "must be a launch"},
		{"kernel", "source: add.cu\nlaunch: {}\n", "launch", "kernel"},
		{"kernel", "source: add.cu\nlaunch: {source: x.cu}\n", "launch.source", "stands beside"},
		{"kernel", strings.Replace(addBody, "shape: [4]", "shape: [-4]", 1), "launch.args[0].shape[0]", ""},
		{"kernel", addBody + "reference: {of: nothing, out: c}\n", "reference.of", "no operation"},
		{"kernel", addBody + "reference: {off: add}\n", "reference", "unknown field"},
		{"kernel", addBody + "block: [1]\n", "block", "three numbers"},
		{"kernel", addBody + "blok: [1]\n", "blok", "did you mean block"},
		{"kernel", addBody + "step: 99\n", "step", "past the end"},
		{"tiles", "kernels: []\n", "kernels", "one kernel or two"},
		{"tiles", "kernels:\n  - source: other.cu\n    launch: {kernel: add}\n", "kernels[0].source", "folder"},
	} {
		c := kernelChapter(tc.word, tc.body)
		if len(c.Problems) == 0 {
			c.Run(t.Context(), &runtest.Runner{})
		}
		if len(c.Problems) != 1 || !strings.HasPrefix(c.Problems[0].Field, tc.field) || !strings.Contains(c.Problems[0].Error(), tc.reason) || c.Problems[0].Line < 2 {
			t.Errorf("%q: %v, want %s … %s", tc.body, c.Problems, tc.field, tc.reason)
		}
	}
}
