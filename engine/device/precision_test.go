package device

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestPrecisionText(t *testing.T) {
	if len(Precisions) != 4 {
		t.Errorf("%d precisions are listed, want 4", len(Precisions))
	}
	for p, name := range map[Precision]string{Float64: "float64", Float32: "float32", Float16: "float16", BFloat16: "bfloat16"} {
		if p.String() != name {
			t.Errorf("precision %d is called %q, want %q", uint8(p), p, name)
		}
		if got, err := ParsePrecision(name); err != nil || got != p {
			t.Errorf("ParsePrecision(%q) = %v, %v", name, got, err)
		}
		text, err := json.Marshal(p)
		if err != nil || string(text) != `"`+name+`"` {
			t.Errorf("%v is written %s, %v", p, text, err)
		}
		var back Precision
		if err := json.Unmarshal(text, &back); err != nil || back != p {
			t.Errorf("%s is read as %v, %v", text, back, err)
		}
	}
	if got := Precision(9).String(); got != "Precision(9)" {
		t.Errorf("an unknown precision is called %q", got)
	}
	for _, name := range []string{"", "Float64", "f64", "double", "float64 ", "Precision(0)"} {
		p := BFloat16
		if err := p.UnmarshalText([]byte(name)); err == nil || !strings.Contains(err.Error(), "write float64, float32, float16 or bfloat16") || p != BFloat16 {
			t.Errorf("%q is read as %v, %v, want an error that says what to write, and no change", name, p, err)
		}
	}
}

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		precision Precision
		x, want   float64
	}{
		{Float64, 1 + 0x1p-52, 1 + 0x1p-52},
		{Float32, 1 + 0x1p-24, 1},
		{Float32, 1 + 0x1.8p-24, 1 + 0x1p-23},
		{Float16, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-10}, // a tie by way of float32
		{Float16, 65520, math.Inf(1)},
		{BFloat16, 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-7},
		{BFloat16, 65520, 65536},
	} {
		if got := c.precision.Round(c.x); got != c.want {
			t.Errorf("%b in %s is %b, want %b", c.x, c.precision, got, c.want)
		}
	}
	defer func() {
		if message, _ := recover().(string); !strings.HasPrefix(message, "BUG: Precision(9)") {
			t.Errorf("an unknown precision rounds, or says %q", message)
		}
	}()
	Precision(9).Round(1)
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		Separate.String(): "separate", Fused.String(): "fused", Contract(7).String(): "Contract(7)",
		Sum.String(): "sum", Mean.String(): "mean",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
