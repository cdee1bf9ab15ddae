package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"workbench/engine"
	"workbench/engine/device"
)

// The menu and the door have to agree: what List calls available opens, and
// what it calls missing is refused with the same words.
func TestListAgreesWithOpen(t *testing.T) {
	var specs []string
	for _, info := range engine.List(t.Context()) {
		specs = append(specs, info.Spec)
		d, err := engine.Open(t.Context(), info.Spec)
		if info.Available {
			if err != nil {
				t.Errorf("%s is listed as available, but: %v", info.Spec, err)
				continue
			}
			if got := d.Spec().String(); got != info.Spec {
				t.Errorf("Open(%q) opened %q", info.Spec, got)
			}
			if info.Reason != "" || info.Next != "" {
				t.Errorf("%s is available and still has a reason: %q, %q", info.Spec, info.Reason, info.Next)
			}
			if err := d.Close(); err != nil {
				t.Errorf("close %s: %v", info.Spec, err)
			}
			continue
		}
		var missing *device.UnavailableError
		if !errors.As(err, &missing) {
			t.Errorf("Open(%q) = %v, want an UnavailableError", info.Spec, err)
			continue
		}
		if missing.Reason != info.Reason || missing.Next != info.Next || info.Reason == "" || info.Next == "" {
			t.Errorf("%s: List says %q, %q and Open says %q, %q", info.Spec, info.Reason, info.Next, missing.Reason, missing.Next)
		}
	}
	if want := []string{"cpu", "cpu,fused", "emulator", "emulator,fused", "cuda:0"}; !slices.Equal(specs, want) {
		t.Errorf("List has %q, want %q", specs, want)
	}
}

// A device that is there and cannot be opened as things are is no choice.
func TestListTriesTheDoor(t *testing.T) {
	t.Setenv("COURSE_CPU_TIERS", "abacus")
	for _, info := range engine.List(t.Context()) {
		if strings.HasPrefix(info.Spec, "emulator") {
			if !info.Available {
				t.Errorf("%+v, and it needs nothing of the CPU's tiers", info)
			}
			continue
		}
		if info.Available || info.Reason == "" || info.Next == "" {
			t.Errorf("%+v, and it cannot be opened", info)
		}
	}
}

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		spec, want string // part of the error
	}{
		{"", "the device's name is empty"},
		{"gpu", "is not a device"},
		{"cuda", "needs an ordinal"},
		{"emulator:0", "takes no ordinal"},
		{"emulator,library", "is an option of cuda alone"},
		{"cuda:1,library", "device cuda:1,library is not available"},
		{"cuda:1,library", "use the device cpu,fused, which fuses too"},
		{"cuda:1,fused", "use the device cpu,fused, which gives the same bits"},
	} {
		d, err := engine.Open(t.Context(), c.spec)
		if err == nil {
			t.Errorf("Open(%q) opened %s", c.spec, d.Spec())
			continue
		}
		if d != nil {
			t.Errorf("Open(%q) returned both a device and %v", c.spec, err)
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%q) = %q, want it to contain %q", c.spec, err, c.want)
		}
	}
}

// Opening is a request like any other: nothing is opened for a context that is
// done, and a name that cannot be read is said first.
func TestOpenHonoursTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if d, err := engine.Open(ctx, "cpu"); d != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Open returned %v, %v", d, err)
	}
	var unreadable *device.SpecError
	if _, err := engine.Open(ctx, "gpu"); !errors.As(err, &unreadable) {
		t.Errorf("Open(%q) = %v, want a SpecError", "gpu", err)
	}
}
