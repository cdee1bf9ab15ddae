package device

import (
	"encoding/json"
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
