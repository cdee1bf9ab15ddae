package e2e

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"workbench/engine"
	"workbench/engine/trace"
	"workbench/web/run"
)

const decoderPage = "/chapters/04-tiny-decoder?widget=tiny-decoder&step=0&device=cpu#tiny-decoder"

func openDecoder(t *testing.T) (tab *Tab, id string) {
	t.Helper()
	tab = newTab(t, course(t, false))
	tab.open(decoderPage)
	tab.until("the focus", "e2e.focus().class === 'stage'")
	return tab, "tiny-decoder"
}

// decoderRun is what the engine makes of an input, by itself.
func decoderRun(t *testing.T, device, input string) *trace.Trace {
	t.Helper()
	e := run.NewEngine(engine.Open, engine.List, engine.Emulator)
	defer e.Close()
	made, err := e.Run(t.Context(), device, trace.ExampleDecoder, json.RawMessage(input))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestDecoderOfAnotherText runs another text: its tokens and its loss are those
// that the engine gives.
func TestDecoderOfAnotherText(t *testing.T) {
	t.Parallel()
	tab, id := openDecoder(t)
	before := tab.state(id)
	if want := decoderRun(t, "cpu", `{"text":"ab"}`).Document; !strings.Contains(before.Loss, want.Bits) || want.Bits != "4016ac70bf03b620" {
		t.Errorf("the chapter's text has the loss %q, want bits %s", before.Loss, want.Bits)
	}
	for _, text := range []string{"bca", "é☃", ""} {
		raw, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		want := decoderRun(t, "cpu", string(raw)).Document
		tab.edit(id, "Text", text)
		tab.press("Ctrl+Enter")
		tab.until("the loss of "+strconv.Quote(text), "!e2e.state(%s).stale && e2e.state(%s).loss.includes(%s)", id, id, want.Bits)
		rows := get[[][]string](tab, "e2e.cells(e2e.find(%s, 'table.tokens'))", id)
		var wanted [][]string
		for i, in := range want.Inputs {
			wanted = append(wanted, []string{want.Names[i] + " " + strconv.Itoa(in), want.Names[i+1] + " " + strconv.Itoa(want.Targets[i])})
		}
		if !reflect.DeepEqual(rows, wanted) {
			t.Errorf("the tokens of %q are %q, want %q", text, rows, wanted)
		}
	}
}

// TestDecoderMistakes holds a text that the model cannot take to be explained
// beside its field.
func TestDecoderMistakes(t *testing.T) {
	t.Parallel()
	tab, id := openDecoder(t)
	for _, c := range []struct{ name, field, text, at, mistake string }{
		{"too many tokens", "Text", "abcdefghij", "Text", "8 positions"},
		{"too many bytes", "Text", strings.Repeat("a", 300), "Text", "300 bytes"},
		{"no number", "Seed", "many", "Seed", "“many” is not a whole number"},
		{"odd heads", "Residual width", "3", "Residual width", "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			was := get[string](tab, "e2e.field(%s, %s).value", id, c.field)
			tab.edit(id, c.field, c.text)
			tab.press("Ctrl+Enter")
			tab.until("the mistake beside its field", "e2e.mistake(%s, %s).includes(%s)", id, c.at, c.mistake)
			if s := tab.state(id); !strings.Contains(s.Loss, "4016ac70bf03b620") || !s.Stale {
				t.Errorf("after a mistake: %+v", s)
			}
			tab.edit(id, c.field, was)
			tab.until("the mended field", "e2e.mistake(%s, %s) === '' && !e2e.state(%s).stale", id, c.at, id)
		})
	}
}

// TestDecoderSections jumps to every part of the run and holds the step to be
// its first.
func TestDecoderSections(t *testing.T) {
	t.Parallel()
	tab, id := openDecoder(t)
	made := decoderRun(t, "cpu", `{"text":"ab"}`)
	var firsts []int
	for i, s := range made.Steps {
		if i == 0 || s.Section != made.Steps[i-1].Section || (s.Phase == trace.PhaseBackward) != (made.Steps[i-1].Phase == trace.PhaseBackward) {
			firsts = append(firsts, i)
		}
	}
	count := get[int](tab, "e2e.widget(%s).querySelectorAll('.sections button').length", id)
	if count != len(firsts) {
		t.Fatalf("the run has %d parts, and %d buttons lead to them", len(firsts), count)
	}
	for i, first := range firsts {
		button := script("e2e.widget(%s).querySelectorAll('.sections button')[%s]", id, i)
		get[bool](tab, "("+button+".focus(), true)")
		tab.press("Enter")
		s := tab.state(id)
		if s.Step != first+1 || s.Title != words(made.Steps[first].Title) {
			t.Errorf("button %d leads to step %d %q, want %d %q", i, s.Step, s.Title, first+1, made.Steps[first].Title)
		}
		if !get[bool](tab, button+".getAttribute('aria-current') === 'step'") {
			t.Errorf("button %d is not marked as where the reader is", i)
		}
	}
}

// TestDecoderCellOnDemand chooses an element of a product in the model, by
// keyboard: its terms come from the server and are those of the engine.
func TestDecoderCellOnDemand(t *testing.T) {
	t.Parallel()
	tab, id := openDecoder(t)
	made := decoderRun(t, "cpu", `{"text":"ab"}`)
	e := run.NewEngine(engine.Open, engine.List, engine.Emulator)
	defer e.Close()
	forward := slices.IndexFunc(made.Steps, func(s trace.Step) bool { return s.Product != nil && s.Phase == trace.PhaseForward })
	backward := slices.IndexFunc(made.Steps, func(s trace.Step) bool {
		return s.Product != nil && s.Phase == trace.PhaseBackward && s.Product.TransposeLeft
	})
	mean := slices.IndexFunc(made.Steps, func(s trace.Step) bool { return s.Reduction != nil })
	if forward < 0 || backward < 0 || mean < 0 {
		t.Fatalf("the run has no such steps: %d, %d, %d", forward, backward, mean)
	}
	for _, c := range []struct {
		step int
		keys []string
		cell [3]int
	}{
		{forward, []string{"ArrowDown", "ArrowRight"}, [3]int{0, 1, 1}},
		{backward, []string{"ArrowRight"}, [3]int{0, 0, 1}},
		{mean, []string{"ArrowDown"}, [3]int{0, 1, 0}},
	} {
		tab.open("/chapters/04-tiny-decoder?widget=tiny-decoder&step=" + strconv.Itoa(c.step) + "&device=cpu#tiny-decoder")
		tab.until("the focus", "e2e.focus().class === 'stage'")
		want, err := e.Explain(t.Context(), made, c.step, c.cell)
		if err != nil {
			t.Fatal(err)
		}
		get[bool](tab, `(() => {
			const grid = [...e2e.widget(%s).querySelectorAll('.widget-live table.grid')].filter(e2e.shown).find((one) => one.hasAttribute('data-choosable'));
			grid.querySelector('[tabindex="0"]').focus();
			return true;
		})()`, id)
		tab.press(c.keys...)
		tab.press("Enter")
		tab.until("the terms", "e2e.terms(%s).length === %s && e2e.state(%s).flat.includes(%s)", id, len(want.Terms), id, want.Formula)
		if s := tab.state(id); s.Verdict != "yes" {
			t.Errorf("step %d: is the cell equal in every bit: %q", c.step, s.Verdict)
		}
		terms := get[[][]string](tab, "e2e.terms(%s)", id)
		for k, row := range terms {
			// A comparison in the page: it writes its numbers as it writes all.
			sum := get[string](tab, "String(%s)", float64(want.Terms[k].Sum))
			if row[len(row)-1] != sum {
				t.Errorf("step %d, term %d: the running sum is %s, want %s", c.step, k, row[len(row)-1], sum)
			}
		}
	}
}
