package trace_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"workbench/engine/tensor"
	"workbench/engine/trace"
)

func TestDecoderTrace(t *testing.T) {
	for _, name := range []string{"cpu", "cpu,fused"} {
		out := run(t, open(t, name), trace.ExampleDecoder, `{}`)
		if out.Device != name || out.Document == nil {
			t.Fatalf("made by %q, document %v", out.Device, out.Document)
		}
		d := out.Document
		if d.Text != "ab" || !slices.Equal(d.IDs, []int{0, 99, 100, 1}) || !slices.Equal(d.Names, []string{"<begin>", "a", "b", "<end>"}) ||
			!slices.Equal(d.Inputs, []int{0, 99, 100}) || !slices.Equal(d.Targets, []int{99, 100, 1}) {
			t.Errorf("%s: document %+v", name, d)
		}
		if d.Bits != "4016ac70bf03b620" || tensor.Bits(float64(d.Loss)) != d.Bits {
			t.Errorf("%s: loss %v (%s)", name, d.Loss, d.Bits)
		}
		checkSteps(t, out)

		last := out.Steps[len(out.Steps)-1]
		if len(out.Result) != 22 || !slices.Equal(last.Outputs, out.Result) || last.Op != "result" {
			t.Fatalf("%s: the last step %q has %d outputs, the result %d tensors, want logits, loss and 20 gradients", name, last.Op, len(last.Outputs), len(out.Result))
		}
		values := 0
		for n, i := range out.Result {
			v := out.Tensors[i]
			switch {
			case n == 0 && (v.Name != "logits" || len(v.Values) != 774):
				t.Errorf("%s: the first result is %s with %d values", name, v.Name, len(v.Values))
			case n == 1 && (v.Name != "loss" || len(v.Values) != 1 || tensor.Bits(v.Values[0]) != d.Bits):
				t.Errorf("%s: the second result is %s with the values %v", name, v.Name, v.Values)
			case n > 1:
				values += len(v.Values)
				if !strings.HasPrefix(v.Name, "∂loss/∂(") || !slices.Contains(made(out), i) {
					t.Errorf("%s: result %d is %s, which no step made", name, n, v.Name)
				}
			}
		}
		if values != 1372 {
			t.Errorf("%s: %d gradient values, want 1372", name, values)
		}
	}
}

// made are the tensors that steps before the last made.
func made(out *trace.Trace) []int {
	var all []int
	for _, s := range out.Steps[:len(out.Steps)-1] {
		all = append(all, s.Outputs...)
	}
	return all
}

// checkSteps holds what every trace promises: tensors have as many values as
// their shapes say, labels as many words as their axes, steps read what was made
// before them, phases come in order, and only the device's steps name it.
func checkSteps(t *testing.T, out *trace.Trace) {
	t.Helper()
	for _, v := range out.Tensors {
		n, err := tensor.Elements(v.Shape)
		if err != nil || n != len(v.Values) || v.Name == "" {
			t.Errorf("tensor %q of shape %v has %d values", v.Name, v.Shape, len(v.Values))
		}
		rank := len(v.Shape)
		if v.Rows != nil && (rank < 2 || v.Shape[rank-2] != len(v.Rows)) {
			t.Errorf("tensor %q of shape %v has %d row labels", v.Name, v.Shape, len(v.Rows))
		}
		if v.Columns != nil && (rank < 1 || v.Shape[rank-1] != len(v.Columns)) {
			t.Errorf("tensor %q of shape %v has %d column labels", v.Name, v.Shape, len(v.Columns))
		}
	}
	phases := []string{trace.PhaseInputs, trace.PhaseForward, trace.PhaseLoss, trace.PhaseBackward, trace.PhaseResult}
	phase, seeds := 0, 0
	known := map[int]bool{}
	for i, s := range out.Steps {
		if n := slices.Index(phases, s.Phase); n < phase {
			t.Errorf("step %d is of phase %q after %q", i, s.Phase, phases[phase])
		} else {
			phase = n
		}
		if s.Title == "" || s.Op == "" || strings.Contains(s.Title, "()") || strings.Contains(s.Title, "?") {
			t.Errorf("step %d (%s) is titled %q", i, s.Op, s.Title)
		}
		onDevice := s.Product != nil || s.Reduction != nil || s.Op == "result"
		if s.Device != map[bool]string{true: out.Device, false: trace.Host}[onDevice] {
			t.Errorf("step %d (%s) was made by %q", i, s.Op, s.Device)
		}
		for _, in := range s.Inputs {
			if !known[in] {
				if v := out.Tensors[in]; s.Phase != trace.PhaseBackward || len(v.Values) != 1 || v.Values[0] != 1 {
					t.Errorf("step %d (%s) reads %s before it is made", i, s.Op, v.Name)
				}
				known[in] = true
				seeds++
			}
		}
		for _, o := range s.Outputs {
			known[o] = true
		}
	}
	if phase != len(phases)-1 || seeds != 1 || len(known) != len(out.Tensors) {
		t.Errorf("the trace ends in phase %q, starts its backward pass %d times and uses %d of %d tensors", phases[phase], seeds, len(known), len(out.Tensors))
	}
}

// Sections follow the model forward and come back in reverse.
func TestDecoderSections(t *testing.T) {
	out := run(t, open(t, "cpu"), trace.ExampleDecoder, `{}`)
	var sections []string
	for _, s := range out.Steps {
		if name := s.Phase + " " + s.Section; len(sections) == 0 || sections[len(sections)-1] != name {
			sections = append(sections, name)
		}
	}
	want := []string{"inputs tokens", "inputs parameters", "forward embedding",
		"forward blocks.0.attention", "forward blocks.0.ffn", "forward blocks.1.attention", "forward blocks.1.ffn",
		"forward final_norm", "forward head", "loss loss",
		"backward loss", "backward head", "backward final_norm",
		"backward blocks.1.ffn", "backward blocks.1.attention", "backward blocks.0.ffn", "backward blocks.0.attention",
		"backward embedding", "result result"}
	if !slices.Equal(sections, want) {
		t.Errorf("sections\n%q, want\n%q", sections, want)
	}
}

// Labels are of positions, tokens and the vocabulary, and of nothing that only
// happens to be as long: here texts have as many positions as the model has
// columns, heads, columns of a head, and channels.
func TestDecoderLabels(t *testing.T) {
	for _, c := range []struct{ input, what string }{
		{`{}`, "the fixture"},
		{`{"text": "abc"}`, "as many positions as columns"},
		{`{"text": "a", "heads": 2}`, "as many positions as heads, and as columns of a head"},
		{`{"text": "abc", "width": 16, "heads": 4, "feed_forward": 4}`, "as many positions as heads, columns of a head and channels"},
		{`{"text": "", "feed_forward": 258, "blocks": 1}`, "as many channels as tokens of the vocabulary, and one position"},
	} {
		out := run(t, open(t, "cpu"), trace.ExampleDecoder, c.input)
		checkSteps(t, out)
		positions := out.Document.Names[:len(out.Document.Names)-1]
		labelled := 0
		for _, v := range out.Tensors {
			name := subject(v.Name)
			parameter := strings.HasSuffix(name, ".weight") || strings.HasSuffix(name, ".gain")
			table := name == "token_embedding.weight"
			rank := len(v.Shape)
			between := strings.HasSuffix(name, " by head") || name == "contexts by position"

			var rows, columns []string
			switch {
			case name == "token IDs":
				columns = out.Document.Names
			case table:
				rows = vocabulary(out)
			case parameter || between || name == "cos θ" || name == "sin θ" || rank == 0:
			case rank == 1: // nll by position
				columns = positions
			case rank == 2 && name != "rows":
				columns = positions
			default:
				rows = positions
			}
			if slices.Contains([]string{"scores", "scores/√d", "causal scores", "scores − max", "weights"}, name) || name == "exp" && rank == 4 {
				columns = positions
			}
			if name == "logits" || name == "logits − max" || name == "exp" && rank == 3 {
				columns = vocabulary(out)
			}
			if !slices.Equal(v.Rows, rows) || !slices.Equal(v.Columns, columns) {
				t.Errorf("%s: %s %v has the rows %.60v and columns %.60v, want %.60v and %.60v", c.what, v.Name, v.Shape, v.Rows, v.Columns, rows, columns)
			}
			if rows != nil || columns != nil {
				labelled++
			}
		}
		if labelled < 100 {
			t.Errorf("%s: only %d tensors are labelled", c.what, labelled)
		}
	}
}

// subject is the value whose adjoint a tensor belongs to, or the tensor itself.
func subject(name string) string {
	if _, after, ok := strings.Cut(name, "∂loss/∂("); ok {
		name, _, _ = strings.Cut(after, "), ")
		if name == after {
			name = strings.TrimSuffix(after, ")")
		}
	}
	return name
}

// The bare name ∂loss/∂(x) belongs to one tensor for each x, the whole adjoint;
// every share, part sum and rearrangement on the way there has a name of its own.
func TestDecoderAdjointNames(t *testing.T) {
	for _, input := range []string{`{}`, `{"blocks": 0}`, `{"text": "abc", "heads": 2, "blocks": 3}`} {
		out := run(t, open(t, "cpu"), trace.ExampleDecoder, input)
		forward, whole := map[string]int{}, map[string]int{}
		made := map[int]string{} // by tensor, the step that made it
		for _, s := range out.Steps {
			names := map[string]bool{}
			for _, o := range s.Outputs {
				v := out.Tensors[o]
				if s.Op == "result" || s.Op == "tokenize" || s.Op == "tables" {
					continue
				}
				if before, twice := made[o]; twice {
					t.Errorf("%s: %q makes the tensor that %q made", input, s.Title, before)
				}
				made[o] = s.Title
				switch bare := "∂loss/∂(" + subject(v.Name) + ")"; {
				case s.Phase != trace.PhaseBackward:
					forward[v.Name]++
				case v.Name == bare:
					whole[subject(v.Name)]++
				case names[v.Name]:
					t.Errorf("%s: two outputs of a step are called %q", input, v.Name)
				}
				names[v.Name] = true
			}
		}
		// No gradient flows through a maximum, and the loss's own adjoint is given.
		for _, constant := range []string{"max", "row max", "loss"} {
			delete(forward, constant)
		}
		if !maps.Equal(forward, whole) {
			t.Errorf("%s: values\n%v\nhave the whole adjoints\n%v", input, forward, whole)
		}

		// In one section a name means one tensor.
		type place struct{ section, name string }
		seen := map[place]string{}
		for _, s := range out.Steps {
			if s.Phase != trace.PhaseBackward {
				continue
			}
			at := place{s.Section, out.Tensors[s.Outputs[0]].Name}
			if before, twice := seen[at]; twice {
				t.Errorf("%s: %s is made by %q and by %q", input, at, before, s.Title)
			}
			seen[at] = s.Title
		}
	}
}

// What a step reads is what it says it reads: the name of each operand stands in
// the title, or the title speaks of the result before.
func TestDecoderTitlesNameTheirOperands(t *testing.T) {
	out := run(t, open(t, "cpu"), trace.ExampleDecoder, `{"heads": 2}`)
	for i, s := range out.Steps {
		if len(s.Inputs) == 0 || s.Op == "result" {
			continue
		}
		name, value, ok := strings.Cut(s.Title, " = ")
		if !ok {
			name, value, ok = strings.Cut(s.Title, ": ")
		}
		if !ok || name != out.Tensors[s.Outputs[0]].Name || name == value {
			t.Errorf("step %d makes %s and is titled %q", i, out.Tensors[s.Outputs[0]].Name, s.Title)
		}
		for n, in := range s.Inputs {
			operand := out.Tensors[in].Name
			if s.Op == "accumulate" {
				operand, _, _ = strings.Cut(operand, " of ")
			}
			if strings.HasPrefix(value, "the result before") {
				if before := out.Steps[i-1].Outputs[0]; before != in {
					t.Errorf("step %d, %q, reads %s and not the result before", i, s.Title, operand)
				}
				continue
			}
			if known := strings.HasPrefix(s.Op, "rotate") && n > 0 || s.Op == "sigmoid-slope" && n == 1; !known && !strings.Contains(value, operand) {
				t.Errorf("step %d reads %s and is titled %q", i, operand, s.Title)
			}
		}
	}
}

// Shares are added one by one, and title and formula say which: x after ffn of
// block 0 is an operand of the residual sum, of its own scaling, and twice of its
// square.
func TestDecoderSharesAreNumbered(t *testing.T) {
	out := run(t, open(t, "cpu"), trace.ExampleDecoder, `{}`)
	var lines []string
	for _, s := range out.Steps {
		if s.Section == "blocks.1.attention" && s.Op == "accumulate" && strings.Contains(s.Title, "(x after ffn)") {
			lines = append(lines, s.Title+"  "+s.Formula)
		}
	}
	want := []string{
		`shares 1 and 2 of ∂loss/∂(x after ffn), added = share 1 + share 2  \bar x_1 + \bar x_2`,
		`shares 1 to 3 of ∂loss/∂(x after ffn), added = shares 1 and 2 + share 3  (\bar x_1 + \bar x_2) + \bar x_3`,
		`∂loss/∂(x after ffn) = shares 1 to 3 + share 4  \bar x = (\bar x_1 + \dots + \bar x_{3}) + \bar x_{4}`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
	last := out.Steps[len(out.Steps)-2]
	if want := "∂loss/∂(token_embedding.weight) = the head’s share + the look-up’s share"; last.Title != want || last.Formula != `\bar x = \bar x_1 + \bar x_2` {
		t.Errorf("the last step back is %q, %s, want %q", last.Title, last.Formula, want)
	}
}

// A mean's adjoint is divided: the title says by what, and the numbers agree.
func TestDecoderMeanAdjoint(t *testing.T) {
	out := run(t, open(t, "cpu"), trace.ExampleDecoder, `{}`)
	means := 0
	for i, s := range out.Steps {
		if s.Op != "repeat" {
			continue
		}
		in, share := out.Tensors[s.Inputs[0]], out.Tensors[s.Outputs[0]]
		k := len(share.Values) / len(in.Values)
		words, formula, divisor := "for every element that was added", `\bar x_{g,k} = \bar s_g`, 1.0
		if strings.Contains(in.Name, "mean") || in.Name == "∂loss/∂(loss)" {
			means++
			words, formula, divisor = fmt.Sprintf(" / %d for every element that was averaged", k), `\bar x_{g,k} = \bar m_g / K`, float64(k)
		}
		if !strings.HasSuffix(s.Title, words) || s.Formula != formula {
			t.Errorf("step %d, %q, %s: want %q and %s", i, s.Title, s.Formula, words, formula)
		}
		for flat, x := range share.Values {
			if want := in.Values[flat/k] / divisor; x != want {
				t.Errorf("step %d: element %d is %v, want %v", i, flat, x, want)
			}
		}
	}
	if means != 6 { // two norms in each of two blocks, the last norm, the loss
		t.Errorf("%d adjoints of means, want 6", means)
	}
}

// A text cannot reach the terminal as more than text.
func TestDecoderTitleIsPrintable(t *testing.T) {
	out := run(t, open(t, "cpu"), trace.ExampleDecoder, `{"text": "a\n\u001b[31m\u202e\\b", "positions": 16}`)
	if want := `“a\n\x1b[31m\u202e\\b” is 14 tokens`; !strings.HasPrefix(out.Steps[0].Title, want) {
		t.Errorf("the first step is titled %q, want %s …", out.Steps[0].Title, want)
	}
	for _, r := range text(t, out) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("the text has %q in it", r)
		}
	}
}

// vocabulary is the labels of the table's rows, checked where they are known.
func vocabulary(out *trace.Trace) []string {
	for _, v := range out.Tensors {
		if v.Name == "token_embedding.weight" && len(v.Rows) == 258 && v.Rows[0] == "<begin>" && v.Rows[99] == "a" && v.Rows[257] == "0xff" {
			return v.Rows
		}
	}
	return []string{"the table has no labels"}
}

// Other models and texts keep the promises too, and the bound on what they
// compute is one: never too small, and less than half too large.
func TestDecoderVariants(t *testing.T) {
	for _, input := range []string{
		`{}`,
		`{"text": ""}`,
		`{"text": "\u0000"}`,
		`{"text": "日本"}`,
		`{"blocks": 0}`,
		`{"heads": 2}`,
		`{"blocks": 3, "width": 12, "heads": 3, "feed_forward": 1}`,
		`{"text": "` + strings.Repeat("a", 60) + `", "positions": 64}`,
		`{"text": "` + strings.Repeat("a", 53) + `", "positions": 64, "width": 16, "heads": 8}`,
		`{"text": "` + strings.Repeat("a", 100) + `", "positions": 1024, "blocks": 0}`,
		`{"width": 64, "feed_forward": 128}`,
		`{"width": 128, "heads": 64, "feed_forward": 8, "blocks": 1, "text": "` + strings.Repeat("a", 17) + `", "positions": 31}`,
	} {
		name := fmt.Sprintf("%.70s", input)
		out := run(t, open(t, "cpu"), trace.ExampleDecoder, input)
		checkSteps(t, out)
		in, err := trace.DecodeInput(trace.ExampleDecoder, []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		values := 0
		for _, v := range out.Tensors {
			values += len(v.Values)
		}
		bound := trace.DecoderValues(in.(*trace.DecoderInput).Config(), len(out.Document.Inputs))
		if bound < values || bound > values*3/2 {
			t.Errorf("%s: the run has %d values, and the bound is %d", name, values, bound)
		}
	}
}
