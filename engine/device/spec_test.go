package device

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseSpec(t *testing.T) {
	for _, c := range []struct {
		text string
		want Spec
		name string // the shortest that means the same
	}{
		{"cpu", Spec{Kind: CPU}, "cpu"},
		{"cpu,separate", Spec{Kind: CPU}, "cpu"},
		{"cpu,fused", Spec{Kind: CPU, Contract: Fused}, "cpu,fused"},
		{"emulator", Spec{Kind: Emulator}, "emulator"},
		{"emulator,fused", Spec{Kind: Emulator, Contract: Fused}, "emulator,fused"},
		{"cuda:0", Spec{Kind: CUDA}, "cuda:0"},
		{"cuda:7", Spec{Kind: CUDA, Ordinal: 7}, "cuda:7"},
		{"cuda:1023", Spec{Kind: CUDA, Ordinal: 1023}, "cuda:1023"},
		{"cuda:0,kernel", Spec{Kind: CUDA}, "cuda:0"},
		{"cuda:0,fused", Spec{Kind: CUDA, Contract: Fused}, "cuda:0,fused"},
		{"cuda:0,fused,kernel", Spec{Kind: CUDA, Contract: Fused}, "cuda:0,fused"},
		{"cuda:0,kernel,separate", Spec{Kind: CUDA}, "cuda:0"},
		{"cuda:0,library", Spec{Kind: CUDA, Contract: Fused, Library: true}, "cuda:0,library"},
		{"cuda:2,library,fused", Spec{Kind: CUDA, Ordinal: 2, Contract: Fused, Library: true}, "cuda:2,library"},
		{"cuda:2,fused,library", Spec{Kind: CUDA, Ordinal: 2, Contract: Fused, Library: true}, "cuda:2,library"},
	} {
		got, err := ParseSpec(c.text)
		if err != nil || got != c.want {
			t.Errorf("ParseSpec(%q) = %+v, %v, want %+v", c.text, got, err, c.want)
		}
		if got.String() != c.name {
			t.Errorf("%q is called %q, want %q", c.text, got, c.name)
		}
	}
}

func TestParseSpecRefuses(t *testing.T) {
	for _, c := range []struct {
		text, part, message string
	}{
		{"", "", `the device's name is empty; write cpu, emulator or cuda:N`},
		{"gpu", "gpu", `"gpu" is not a device; write`},
		{"CPU", "CPU", "is not a device"},
		{" cpu", " cpu", `" cpu" is not a device: write cpu without a blank beside it; write`},
		{"cpu ", "cpu ", "is not a device"},
		{",fused", "", `device ",fused": "" is not a device`},
		{"cpu,", "", `device "cpu,": "" is not an option`},
		{"cpu,,fused", "", `"" is not an option`},
		{"cpu,fast", "fast", `device "cpu,fast": "fast" is not an option`},
		{"cpu, fused", " fused", `" fused" is not an option: write fused without a blank beside it; write`},
		{"cpu:0", "cpu:0", "takes no ordinal"},
		{"cpu:", "cpu:", "takes no ordinal"},
		{"emulator:1,fused", "emulator:1", "takes no ordinal"},
		{"cuda", "cuda", "needs an ordinal, as in cuda:0"},
		{"cuda,fused", "cuda", "needs an ordinal, as in cuda:0"},
		{"cuda:", "cuda:", "needs an ordinal from 0 to 1023"},
		{"cuda:x", "cuda:x", "needs an ordinal from 0 to 1023"},
		{"cuda:-1", "cuda:-1", "needs an ordinal from 0 to 1023"},
		{"cuda:+1", "cuda:+1", "needs an ordinal from 0 to 1023"},
		{"cuda:01", "cuda:01", "needs an ordinal from 0 to 1023"},
		{"cuda:1024", "cuda:1024", "needs an ordinal from 0 to 1023"},
		{"cuda:99999999999999999999", "cuda:99999999999999999999", "needs an ordinal from 0 to 1023"},
		{"cuda:0:1", "cuda:0:1", "needs an ordinal from 0 to 1023"},
		{"cpu,fused,fused", "fused", "comes after fused: give one contract"},
		{"cpu,separate,fused", "fused", "comes after separate: give one contract"},
		{"cpu,kernel", "kernel", "is an option of cuda alone"},
		{"emulator,library", "library", "is an option of cuda alone"},
		{"cuda:0,kernel,library", "library", "comes after kernel: give one"},
		{"cuda:0,library,separate", "separate", "does not go with library: cuBLAS multiplies fused"},
		{"cuda:0,separate,library", "separate", "does not go with library"},
		{strings.Repeat("x", 1_000_000), strings.Repeat("x", 1_000_000), "is not a device"},
	} {
		got, err := ParseSpec(c.text)
		var fault *SpecError
		if !errors.As(err, &fault) || got != (Spec{}) {
			t.Errorf("ParseSpec(%.80q) = %+v, %v, want a SpecError", c.text, got, err)
			continue
		}
		if fault.Spec != c.text || fault.Part != c.part || !strings.Contains(fault.Error(), c.message) {
			t.Errorf("ParseSpec(%.80q) blames %.80q: %v; want %.80q and %q", c.text, fault.Part, fault, c.part, c.message)
		}
		if !strings.HasSuffix(fault.Error(), specGrammar) || len(fault.Error()) > 600 {
			t.Errorf("the message does not end with what to write, or is too long: %.700s", fault.Error())
		}
	}
}

// allSpecs returns every text that the grammar allows for a few ordinals.
func allSpecs() []string {
	texts := []string{}
	for _, contract := range []string{"", ",separate", ",fused"} {
		texts = append(texts, "cpu"+contract, "emulator"+contract)
		for _, multiplier := range []string{"", ",kernel", ",library"} {
			if contract == ",separate" && multiplier == ",library" {
				continue
			}
			for _, ordinal := range []int{0, 1, 1023} {
				texts = append(texts, fmt.Sprintf("cuda:%d%s%s", ordinal, contract, multiplier), fmt.Sprintf("cuda:%d%s%s", ordinal, multiplier, contract))
			}
		}
	}
	return texts
}

// A spec's name is the shortest of all that mean it.
func TestSpecStringIsShortest(t *testing.T) {
	shortest := map[Spec]int{}
	for _, text := range allSpecs() {
		spec, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := shortest[spec]; !ok || len(text) < n {
			shortest[spec] = len(text)
		}
	}
	if len(shortest) != 2*2+3*3 {
		t.Errorf("the grammar has %d specs, want 13: cpu and emulator under two contracts, cuda in three ways at three ordinals", len(shortest))
	}
	for spec, n := range shortest {
		if len(spec.String()) != n {
			t.Errorf("%+v is called %q, and a name of %d bytes means the same", spec, spec, n)
		}
	}
}

func TestSpecText(t *testing.T) {
	type message struct {
		Device Spec         `json:"device"`
		Counts map[Spec]int `json:"counts"`
		List   []Spec       `json:"list"`
	}
	in := message{
		Device: Spec{Kind: CUDA, Ordinal: 3, Contract: Fused, Library: true},
		Counts: map[Spec]int{{Kind: CPU}: 1},
		List:   []Spec{{}, {Kind: Emulator, Contract: Fused}},
	}
	text, err := json.Marshal(in)
	if want := `{"device":"cuda:3,library","counts":{"cpu":1},"list":["","emulator,fused"]}`; err != nil || string(text) != want {
		t.Errorf("written %s, %v, want %s", text, err, want)
	}
	var out message
	if err := json.Unmarshal(text, &out); err != nil || out.Device != in.Device || out.Counts[Spec{Kind: CPU}] != 1 || !slices.Equal(out.List, in.List) {
		t.Errorf("read back as %+v, %v", out, err)
	}
	spec := Spec{Kind: CPU}
	if err := json.Unmarshal([]byte(`"gpu"`), &spec); !errors.As(err, new(*SpecError)) || spec.Kind != CPU {
		t.Errorf("a bad name gives %+v, %v, want a SpecError and no change", spec, err)
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, text := range allSpecs() {
		f.Add(text)
	}
	for _, text := range []string{"", "cpu,", "cuda", "cuda:00", "cuda:0,library,separate", "cuda:0,,", "\xff", "emulator:0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := ParseSpec(text)
		if err != nil {
			var fault *SpecError
			if !errors.As(err, &fault) || spec != (Spec{}) || fault.Error() == "" || !strings.Contains(text, fault.Part) {
				t.Fatalf("ParseSpec(%q) = %+v, %v, want a SpecError that names a part", text, spec, err)
			}
			return
		}
		name := spec.String()
		again, err := ParseSpec(name)
		if err != nil || again != spec || len(name) > len(text) {
			t.Fatalf("%q is %+v, called %q, which is %+v, %v", text, spec, name, again, err)
		}
		var read Spec
		if written, err := spec.MarshalText(); err != nil || read.UnmarshalText(written) != nil || read != spec {
			t.Fatalf("%+v is written %q and read as %+v", spec, written, read)
		}
	})
}
