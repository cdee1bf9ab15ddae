package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"workbench/engine/trace"
)

// maxInputBytes is the largest input that trace reads, the same as a page's.
const maxInputBytes = 1 << 20

// chapterInputs are what the examples run on if no input is given: the first
// worked example of the chapter about each.
var chapterInputs = map[string]string{
	trace.ExampleProduct:   `{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`,
	trace.ExampleReduction: `{"input": [[1, 2, 3], [4, 5, 6]], "axis": 1, "op": "both"}`,
	trace.ExampleView:      `{"input": [[1, 2, 3], [4, 5, 6]], "ops": [{"op": "transpose"}, {"op": "pack"}, {"op": "reshape", "shape": [2, 3]}]}`,
	trace.ExampleDecoder:   `{"text": "ab"}`,
	trace.ExampleBoundary:  `{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`,
}

// traceFlags are the flags of `workbench trace`.
type traceFlags struct {
	device, input string
	asJSON        bool
}

func (p *program) traceCommand(name string) *cobra.Command {
	var f traceFlags
	cmd := &cobra.Command{
		Use:   "trace EXAMPLE",
		Short: "Run a worked example and write out its steps",
		Long: "Run a worked example and write out its steps, each with its numbers: product,\n" +
			"reduction, view, decoder or boundary.\n\n" +
			"Without --input the example is that of its chapter. An input of your own is\n" +
			"JSON with the fields of the example, which are:\n" +
			"  product    left, right, transpose_left, transpose_right, precision\n" +
			"  reduction  input, axis, keep_dim, op (sum, mean or both), precision\n" +
			"  view       input, ops (transpose, slice, broadcast, reshape, pack, column-major)\n" +
			"  decoder    text, seed, width, heads, feed_forward, blocks, positions, precision\n" +
			"  boundary   left, right, transpose_left, transpose_right, precision\n\n" +
			"A precision is float64, float32, float16 or bfloat16. A view's ops are a list,\n" +
			"carried out one after the other:\n" +
			"  {\"input\": [[1, 2]], \"ops\": [{\"op\": \"transpose\"}, {\"op\": \"slice\", \"axis\": 0, \"stop\": 1}]}",
		Example: example(name, "trace product", "trace product --device cpu,fused --json", "trace boundary --device emulator", "trace view --input mine.json") +
			"\n  echo '{\"left\": [[1, 2]], \"right\": [[3], [4]]}' | " + name + " trace product --input -",
		ValidArgs: trace.Examples,
		Args: func(_ *cobra.Command, args []string) error {
			examples := list(trace.Examples, "or")
			switch {
			case len(args) == 0:
				return usagef("which example? Write %s", examples)
			case len(args) > 1:
				return usagef("%q is one argument too many: trace takes one example", args[1])
			case !slices.Contains(trace.Examples, args[0]):
				return usagef("%q is not an example: write %s", args[0], examples)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.trace(cmd, args[0], f)
		},
	}
	flags := cmd.Flags()
	deviceFlag(flags, &f.device)
	flags.StringVar(&f.input, "input", "", "a JSON file with an input of your own; - reads standard input")
	flags.BoolVar(&f.asJSON, "json", false, "print the trace as JSON, as a page receives it")
	return cmd
}

func (p *program) trace(cmd *cobra.Command, example string, f traceFlags) error {
	input := []byte(chapterInputs[example])
	if f.input != "" {
		var err error
		if input, err = p.readInput(f.input); err != nil {
			return usagef("--input: %w", err)
		}
	}
	d, err := p.openDevice(cmd.Context(), "--device", f.device)
	if err != nil {
		return err
	}
	defer d.Close()
	explain, done, err := p.explainer(cmd.Context(), d)
	if err != nil {
		return err
	}
	defer done()

	waiting := p.startProgress("running " + example + " on " + f.device)
	t, err := trace.Run(cmd.Context(), d, explain, example, json.RawMessage(input))
	waiting.Done()
	var field *trace.FieldError
	if errors.As(err, &field) {
		return usagef("--input %s: %w", f.input, err)
	}
	if err != nil {
		return err
	}
	if f.asJSON {
		return p.writeJSON(t)
	}
	return t.WriteText(p.stdout)
}

// readInput reads a file of at most maxInputBytes, or standard input for "-".
func (p *program) readInput(name string) ([]byte, error) {
	in := p.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxInputBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxInputBytes {
		return nil, fmt.Errorf("%s has more than %d bytes, which is the most an example takes", name, maxInputBytes)
	}
	return text, nil
}
