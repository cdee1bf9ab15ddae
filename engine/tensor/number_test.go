package tensor

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

var awkward = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.1, 1.0 / 3, 5.668398842431571, 1e21, 1e-7, 1e300, -1e-300,
	math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 1 + 0x1p-52,
	math.Inf(1), math.Inf(-1), math.NaN(),
}

func sameNumber(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func TestBits(t *testing.T) {
	for x, want := range map[float64]string{
		58: "404d000000000000", 0: "0000000000000000", math.Inf(-1): "fff0000000000000", 5.668398842431571: "4016ac70bf03b620",
	} {
		if got := Bits(x); got != want {
			t.Errorf("the bits of %v are written %s, want %s", x, got, want)
		}
	}
	if got := Bits(math.Copysign(0, -1)); got != "8000000000000000" {
		t.Errorf("the bits of -0 are written %s", got)
	}
}

func TestNumberJSON(t *testing.T) {
	for _, x := range awkward {
		text, err := json.Marshal(Number(x))
		if err != nil {
			t.Fatal(err)
		}
		var back Number
		if err := json.Unmarshal(text, &back); err != nil || !sameNumber(x, float64(back)) {
			t.Errorf("%v is written %s and read back as %v, %v", x, text, back, err)
		}
	}
	for x, want := range map[float64]string{
		math.Inf(1): `"Infinity"`, math.Inf(-1): `"-Infinity"`, 0.1: "0.1", 64: "64", 1e21: "1e+21", 5.668398842431571: "5.668398842431571",
	} {
		if got, _ := json.Marshal(Number(x)); string(got) != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
	if got, _ := json.Marshal(Number(math.NaN())); string(got) != `"NaN"` {
		t.Errorf("NaN is written %s", got)
	}
}

func TestValuesJSON(t *testing.T) {
	text, err := json.Marshal(Values(awkward))
	if err != nil {
		t.Fatal(err)
	}
	var back Values
	if err := json.Unmarshal(text, &back); err != nil || len(back) != len(awkward) {
		t.Fatalf("%s reads back as %v, %v", text, back, err)
	}
	for i, x := range awkward {
		if !sameNumber(x, back[i]) {
			t.Errorf("value %d: %v reads back as %v", i, x, back[i])
		}
	}
	for _, empty := range []Values{nil, {}} {
		if text, err := json.Marshal(empty); err != nil || string(text) != "[]" {
			t.Errorf("no values are written %s, %v", text, err)
		}
	}
	if err := json.Unmarshal([]byte("[]"), &back); err != nil || back == nil || len(back) != 0 {
		t.Errorf("[] reads as %v, %v", back, err)
	}
}

func TestNumberRefuses(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{`"nan"`, `"nan" is not a number: write a number, "NaN"`},
		{`"1"`, "is not a number"},
		{`""`, "is not a number"},
		{`1e999`, "is not a number a float64 can hold"},
		{`null`, "null is not a number"},
		{`true`, "is not a number"},
		{`[1]`, "is not a number"},
		{`{}`, "is not a number"},
	} {
		n := Number(7)
		if err := json.Unmarshal([]byte(c.text), &n); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.reason)
		} else if size := strings.Contains(err.Error(), "float64"); size != (c.text == "1e999") {
			t.Errorf("%s: error %v, but only a number can be too large", c.text, err)
		}
		if n != 7 {
			t.Errorf("%s changed the number to %v", c.text, n)
		}
	}
	for _, text := range []string{`[1, "x"]`, `[1, null]`, `{"0": 1}`, `"NaN"`, `[[1]]`} {
		v := Values{7}
		if err := json.Unmarshal([]byte(text), &v); err == nil {
			t.Errorf("%s reads as %v, want an error", text, v)
		} else if len(v) != 1 || v[0] != 7 {
			t.Errorf("%s is an error and changed the values to %v", text, v)
		}
	}
	// UnmarshalJSON may be called with text that no JSON reader has seen.
	for _, text := range []string{"", `"NaN`, "Inf", "nan", "0x1p3", "1_0", "+1", "1 "} {
		if err := new(Number).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("UnmarshalJSON takes %q, which is not JSON", text)
		}
	}
}

func FuzzNumberJSON(f *testing.F) {
	for _, x := range awkward {
		f.Add(math.Float64bits(x), fmt.Sprint(x))
	}
	f.Add(uint64(0), `["NaN", -0, 1e-400, "Infinity"]`)
	f.Add(uint64(0), `"NaN"`)
	f.Fuzz(func(t *testing.T, bits uint64, text string) {
		x := math.Float64frombits(bits)
		written, err := json.Marshal(Values{x, -x})
		if err != nil {
			t.Fatal(err)
		}
		var back Values
		if err := json.Unmarshal(written, &back); err != nil || len(back) != 2 || !sameNumber(back[0], x) || !sameNumber(back[1], -x) {
			t.Fatalf("%016x is written %s and read as %v, %v", bits, written, back, err)
		}

		// What is read from any text can be written and read again.
		var n Number
		if json.Unmarshal([]byte(text), &n) == nil {
			again, err := json.Marshal(n)
			var m Number
			if err != nil || json.Unmarshal(again, &m) != nil || !sameNumber(float64(n), float64(m)) {
				t.Fatalf("%q reads as %v, which is written %s, %v", text, n, again, err)
			}
		}
		var v Values
		if json.Unmarshal([]byte(text), &v) == nil {
			if _, err := json.Marshal(v); err != nil {
				t.Fatalf("%q reads as %v, which cannot be written: %v", text, v, err)
			}
		}
	})
}
