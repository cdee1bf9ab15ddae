package decoder_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/decoder"
	"workbench/engine/device"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// line is one value of a run, as the golden files spell it.
type line struct {
	name string // "logits", "loss" or a parameter's, whose gradient it is
	text string
}

// bitsOf runs the fixture and returns every logit, the loss and every gradient.
func bitsOf(t *testing.T, contract device.Contract) []line {
	t.Helper()
	m := newModel(t, decoder.DefaultConfig())
	c := autograd.Recording(t.Context(), device.NewRun(open(t, contract)))
	logits, loss := forward(t, c, m, ab)
	if err := loss.Backward(c); err != nil {
		t.Fatal(err)
	}
	var lines []line
	add := func(name string, values []float64) {
		for i, x := range values {
			lines = append(lines, line{name, fmt.Sprintf("%s %d %016x", name, i, math.Float64bits(x))})
		}
	}
	add("logits", logits.Value().Data())
	add("loss", loss.Value().Data())
	for _, p := range m.Parameters() {
		add(p.Name(), p.Gradient().Data())
	}
	return lines
}

// goldenOf returns the lines of a golden file after rewriting it if asked to.
func goldenOf(t *testing.T, contract device.Contract, got []line) []string {
	t.Helper()
	path := "testdata/bits-" + contract.String() + ".golden"
	if *update {
		var out bytes.Buffer
		for _, l := range got {
			fmt.Fprintln(&out, l.text)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// TestGoldenBits holds every bit of the fixture on cpu and on cpu,fused, and
// shows that each golden file refuses the other device's values, logits and
// gradients: a loss alone would not, since many orders round to the same one.
//
// The files hold for every processor. On another one than this, by hand:
//
//	GODEBUG=cpu.fma=off go test ./engine/decoder     (cpu.all=off: no vector code either)
//	GOARCH=arm64 go test -c -o decoder.arm64 ./engine/decoder
//	cd engine/decoder && qemu-aarch64-static ../../decoder.arm64
func TestGoldenBits(t *testing.T) {
	contracts := []device.Contract{device.Separate, device.Fused}
	got, golden := map[device.Contract][]line{}, map[device.Contract][]string{}
	for _, contract := range contracts {
		got[contract] = bitsOf(t, contract)
		golden[contract] = goldenOf(t, contract, got[contract])
		if len(golden[contract]) != len(got[contract]) || len(got[contract]) != 774+1+1372 {
			t.Fatalf("%s: %d values, %d in the golden file, want 2147", contract, len(got[contract]), len(golden[contract]))
		}
	}
	for _, contract := range contracts {
		wrong := 0
		for i, l := range got[contract] {
			if l.text != golden[contract][i] {
				if wrong++; wrong <= 5 {
					t.Errorf("%s: got %q, want %q", contract, l.text, golden[contract][i])
				}
			}
		}
		if wrong > 5 {
			t.Errorf("%s: %d of %d values differ from the golden file", contract, wrong, len(got[contract]))
		}

		logits, gradients := 0, 0
		for i, l := range got[contract] {
			switch {
			case l.text == golden[1-contract][i]:
			case l.name == "logits":
				logits++
			case l.name != "loss":
				gradients++
			}
		}
		t.Logf("%s: %d of 774 logits and %d of 1372 gradients differ from the other contract's", contract, logits, gradients)
		if logits == 0 || gradients == 0 {
			t.Errorf("%s: the golden file of the other contract fits %d logits and %d gradients: it distinguishes nothing", contract, 774-logits, 1372-gradients)
		}
	}
}
