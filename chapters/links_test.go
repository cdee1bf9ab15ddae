package chapters_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"workbench/engine/trace"
)

// stepLink is a link to a step of chapter 4's decoder. Its title is the name
// of the tensor that the step makes.
var stepLink = regexp.MustCompile(`\]\(\?widget=tiny-decoder&step=(\d+)#tiny-decoder "([^"]+)"\)`)

// TestStepLinks holds every link into the decoder's steps against the run: a
// step that moved would take the reader to another tensor.
func TestStepLinks(t *testing.T) {
	text := source(t, "04-tiny-decoder")
	run, err := trace.RunDecoder(context.Background(), open(t, "cpu"), trace.DecoderInput{})
	if err != nil {
		t.Fatal(err)
	}
	links := stepLink.FindAllStringSubmatch(text, -1)
	if len(links) == 0 || len(links) != strings.Count(text, "&step=") {
		t.Errorf("%d links have the form that this test reads, of %d links to a step", len(links), strings.Count(text, "&step="))
	}
	for _, link := range links {
		at, err := strconv.Atoi(link[1])
		if err != nil || at >= len(run.Steps) {
			t.Errorf("step %s of %d: %v", link[1], len(run.Steps), err)
			continue
		}
		made := ""
		if outputs := run.Steps[at].Outputs; len(outputs) > 0 {
			made = run.Tensors[outputs[0]].Name
		}
		if made == link[2] {
			continue
		}
		t.Errorf("step %d makes %q, and the link says %q", at, made, link[2])
		for i, step := range run.Steps {
			if len(step.Outputs) > 0 && run.Tensors[step.Outputs[0]].Name == link[2] {
				t.Logf("%q is made by step %d (%s, %s)", link[2], i, step.Phase, step.Section)
			}
		}
	}
}
