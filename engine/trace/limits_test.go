package trace_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"workbench/engine/decoder"
	"workbench/engine/trace"
)

// There is a text for every model that is small enough: the largest that the
// bound on parameters admits leaves room for at least the empty one.
func TestEmptyTextAlwaysFits(t *testing.T) {
	tried := 0
	for width := 2; width <= decoder.MaxWidth; width += 2 {
		for blocks := range decoder.MaxBlocks + 1 {
			for _, feedForward := range []int{1, 2, 64, 1024} {
				config := decoder.DefaultConfig()
				config.Width, config.Blocks, config.FeedForward, config.Positions = width, blocks, feedForward, decoder.MaxPositions
				scalars := config.Vocabulary*width + blocks*(2*width+4*width*width+3*width*feedForward) + width
				if scalars > trace.MaxScalars {
					continue
				}
				tried++
				if n := trace.DecoderValues(config, 1); n > trace.MaxDecoderValues {
					t.Errorf("%+v computes up to %d values for an empty text", config, n)
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("only %d models are small enough", tried)
	}
}

// The largest examples of each kind make a trace of a size that a page can take.
func TestLargestTraces(t *testing.T) {
	d := open(t, "cpu")
	for _, c := range []struct {
		example, input string
		most           int // bytes of JSON
	}{
		{trace.ExampleDecoder, fmt.Sprintf(`{"text": %q, "positions": 139}`, strings.Repeat("a", 138)), 24 << 20},
		{trace.ExampleView, `{"input": [1], "ops": [{"op": "broadcast", "shape": [65536]}, {"op": "pack"}]}`, 4 << 20},
		{trace.ExampleReduction, fmt.Sprintf(`{"input": %s, "axis": 1}`, lists(t, 1, 65536)), 1 << 20},
		{trace.ExampleProduct, fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, 256, 256), lists(t, 256, 256)), 4 << 20},
	} {
		out := run(t, d, c.example, c.input)
		text, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		values := 0
		for _, one := range out.Tensors {
			values += len(one.Values)
			if one.Layout != nil {
				values += len(one.Layout.Indices)
			}
		}
		t.Logf("%s: %d values, %d bytes", c.example, values, len(text))
		if len(text) > c.most || values > trace.MaxDecoderValues {
			t.Errorf("%s: %d values and %d bytes of JSON, want at most %d and %d", c.example, values, len(text), trace.MaxDecoderValues, c.most)
		}
	}
}
