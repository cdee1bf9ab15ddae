package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// demoFlags are the flags of `workbench demo`.
type demoFlags struct {
	device  string
	decoder decoderFlags
	asJSON  bool
}

func (p *program) demoCommand(name string) *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Print the course's complete result on one device",
		Long: "Print the course's complete result on one device: a small product, its row sums\n" +
			"and means, and the tiny decoder's every logit, its loss and every gradient.\n\n" +
			"With the defaults on cpu the loss is 5.668398842431571, bits 4016ac70bf03b620.",
		Example: example(name, "demo", "demo --json", "demo --device cpu,fused", "demo --device emulator", "demo --device cuda:0", "demo --text hello --width 8 --heads 2"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.demo(cmd, f)
		},
	}
	flags := cmd.Flags()
	deviceFlag(flags, &f.device)
	f.decoder.add(flags)
	flags.BoolVar(&f.asJSON, "json", false, "print JSON, every number exactly")
	return cmd
}

func (p *program) demo(cmd *cobra.Command, f demoFlags) error {
	d, err := p.openDevice(cmd.Context(), "--device", f.device)
	if err != nil {
		return err
	}
	defer d.Close()
	waiting := p.startProgress("running the decoder on " + f.device)
	result, err := trace.Results(cmd.Context(), d, f.decoder.input())
	waiting.Done()
	if err != nil {
		return flagOfField(err)
	}
	if f.asJSON {
		return p.writeJSON(result)
	}
	return writeResult(p.stdout, result)
}

// A line of text holds so many numbers, each the shortest decimal that reads
// back to the same bits, of at most so many characters.
const (
	valuesPerLine = 5
	valueWidth    = 24
)

// writeResult prints every value, and what sums them up last, where a terminal
// still shows it.
func writeResult(w io.Writer, r *trace.Result) error {
	out := bufio.NewWriter(w)
	writeValues(out, "matrix", r.Matrix)
	writeValues(out, "sums", r.Sums)
	writeValues(out, "means", r.Means)
	writeValues(out, "logits", r.Logits)
	for _, name := range r.Names {
		writeValues(out, "gradient of "+name, r.Gradients[name])
	}
	tied := "the token table and the head are two parameters"
	if r.Tied {
		tied = "the token table is also the head: one parameter, whose gradient sums both uses"
	}
	fmt.Fprintf(out, "device      %s, %s\n", device.Called(r.Device, r.DeviceName), r.Precision)
	fmt.Fprintf(out, "document    %v\n", r.Document)
	fmt.Fprintf(out, "parameters  %d in %d tensors; %s\n", r.ParameterScalars, r.ParameterTensors, tied)
	if r.Stats == (device.Stats{}) {
		fmt.Fprintln(out, "device work none: the CPU is the host")
	} else {
		fmt.Fprintf(out, "device work %s\n", r.Stats.Words())
	}
	fmt.Fprintf(out, "loss        %s nats, bits %s\n", strconv.FormatFloat(float64(r.Loss), 'g', -1, 64), r.LossBits)
	return out.Flush()
}

// writeValues prints a tensor, each run along its last axis on lines of its own.
func writeValues(out io.Writer, name string, v trace.ShapedValues) {
	fmt.Fprintf(out, "%s %s\n", name, tensor.FormatShape(v.Shape))
	row := len(v.Values)
	if n := len(v.Shape); n > 0 && v.Shape[n-1] > 0 {
		row = v.Shape[n-1]
	}
	for i, x := range v.Values {
		if column := i % row; column%valuesPerLine == 0 {
			if i > 0 {
				fmt.Fprintln(out)
			}
			if column == 0 && row > valuesPerLine {
				fmt.Fprintf(out, "  row %d\n", i/row)
			}
		}
		fmt.Fprintf(out, " %*s", valueWidth, strconv.FormatFloat(x, 'g', -1, 64))
	}
	fmt.Fprint(out, "\n\n")
}
