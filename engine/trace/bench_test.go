package trace_test

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"workbench/engine/trace"
)

// BenchmarkResults is the whole demo: the three tiny operations and the decoder
// forward and backward.
func BenchmarkResults(b *testing.B) {
	for _, name := range []string{"cpu", "cpu,fused"} {
		b.Run(name, func(b *testing.B) {
			d := open(b, name)
			b.ReportAllocs()
			for b.Loop() {
				r, err := trace.Results(context.Background(), d, trace.DecoderInput{})
				if err != nil || r.LossBits != "4016ac70bf03b620" {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompareDevices(b *testing.B) {
	separate, fused := open(b, "cpu"), open(b, "cpu,fused")
	b.ReportAllocs()
	for b.Loop() {
		report, err := trace.CompareDevices(context.Background(), separate, fused, trace.DecoderInput{}, nil)
		if err != nil || !report.Passed {
			b.Fatal(err)
		}
	}
}

// BenchmarkRun is what a page waits for: an example from its JSON to the JSON of
// its trace.
func BenchmarkRun(b *testing.B) {
	d := open(b, "cpu")
	for _, g := range goldens {
		b.Run(g.name, func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				out, err := trace.Run(context.Background(), d, d, g.example, json.RawMessage(g.input))
				if err != nil {
					b.Fatal(err)
				}
				data, err := json.Marshal(out)
				if err != nil {
					b.Fatal(err)
				}
				size = len(data)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// BenchmarkRunDecoder is the trace alone, without its JSON.
func BenchmarkRunDecoder(b *testing.B) {
	d := open(b, "cpu")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := trace.RunDecoder(context.Background(), d, trace.DecoderInput{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteText(b *testing.B) {
	out := run(b, open(b, "cpu"), trace.ExampleDecoder, `{}`)
	for b.Loop() {
		if err := out.WriteText(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExplain writes out one cell of 258 products: of the head's adjoint.
func BenchmarkExplain(b *testing.B) {
	d := open(b, "cpu")
	out := run(b, d, trace.ExampleDecoder, `{}`)
	step := 0
	for i, s := range out.Steps {
		if s.Product != nil && s.Product.K == 258 {
			step = i
		}
	}
	for b.Loop() {
		c, err := trace.Explain(b.Context(), out, step, [3]int{0, 2, 3}, d)
		if err != nil || !c.Agrees || len(c.Terms) != 258 {
			b.Fatal(err)
		}
	}
}
