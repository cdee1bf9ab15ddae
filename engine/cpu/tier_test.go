package cpu

import (
	"errors"
	"os"
	"strings"
	"testing"

	"workbench/engine/device"
)

func TestChooseTier(t *testing.T) {
	spec := device.Spec{Kind: device.CPU, Contract: device.Fused}
	have := tiers()
	for _, c := range []struct{ list, want string }{
		{"", have[len(have)-1].name},
		{"  ", have[len(have)-1].name},
		{"reference", "reference"},
		{"portable", "portable"},
		{"portable,reference", "portable"},
		{" reference , portable ", "portable"},
		{"reference,portable,avx2,avx512", have[len(have)-1].name},
	} {
		got, err := chooseTier(spec, c.list)
		if err != nil || got.name != c.want {
			t.Errorf("%q: got %v, %v, want %s", c.list, got, err, c.want)
		}
	}
	for _, tier := range have {
		if got, err := chooseTier(spec, tier.name); err != nil || got.name != tier.name {
			t.Errorf("%q: got %v, %v", tier.name, got, err)
		}
	}
	for _, list := range []string{"sse", "portable,sse", ",", "portable,", "Portable"} {
		got, err := chooseTier(spec, list)
		var typed *device.UnavailableError
		if got != nil || !errors.As(err, &typed) || typed.Spec != spec {
			t.Errorf("%q: got %v, %v, want a *device.UnavailableError", list, got, err)
			continue
		}
		for _, part := range []string{TiersVariable, "reference,portable,avx2,avx512"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: error %q does not contain %q", list, err, part)
			}
		}
	}
}

// A tier that a list may name and the processor has not is an error and no
// reason to take another one.
func TestChooseAbsentTier(t *testing.T) {
	have := map[string]bool{}
	for _, tier := range tiers() {
		have[tier.name] = true
	}
	for _, name := range tierNames {
		if have[name] {
			continue
		}
		_, err := chooseTier(device.Spec{Kind: device.CPU}, name)
		var typed *device.UnavailableError
		if !errors.As(err, &typed) || !strings.Contains(err.Error(), "portable") {
			t.Errorf("%q: got error %v, want a *device.UnavailableError that names what there is", name, err)
		}
	}
}

func TestNewReadsTheVariable(t *testing.T) {
	t.Setenv(TiersVariable, "portable")
	d, err := New(device.Spec{Kind: device.CPU})
	if err != nil || d.tier != portable {
		t.Errorf("got %+v, %v, want the portable tier", d, err)
	}
	t.Setenv(TiersVariable, "fastest")
	d, err = New(device.Spec{Kind: device.CPU})
	var typed *device.UnavailableError
	if d != nil || !errors.As(err, &typed) {
		t.Errorf("got %+v, %v, want a *device.UnavailableError", d, err)
	}
}

// TestTiersOfThisRun says in the log what was tested: a run with the variable
// or GODEBUG set has fewer tiers.
func TestTiersOfThisRun(t *testing.T) {
	names := make([]string, 0, 4)
	for _, tier := range tiers() {
		names = append(names, tier.name)
	}
	t.Logf("tiers of this processor: %s; %s=%q GODEBUG=%q", strings.Join(names, " "), TiersVariable, os.Getenv(TiersVariable), os.Getenv("GODEBUG"))
	if names[0] != "reference" || names[1] != "portable" {
		t.Errorf("the reference and the portable tier are everywhere, got %v", names)
	}
}
