package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"workbench/engine/conform"
	driverconform "workbench/engine/cuda/nvidia/conform"
	"workbench/engine/device"
)

// conformEntries hold the GPU to the cases that every device is held to, in this
// process and behind its worker.
func conformEntries() []Entry {
	var out []Entry
	for _, place := range []struct {
		name string
		open func(m *Machine) func(context.Context, device.Spec) (device.Device, error)
	}{
		{"worker", func(m *Machine) func(context.Context, device.Spec) (device.Device, error) { return m.Worker }},
		{"in-process", func(m *Machine) func(context.Context, device.Spec) (device.Device, error) { return m.Direct }},
	} {
		for _, kind := range []struct {
			name string
			spec func(m *Machine) device.Spec
		}{
			{"separate", func(m *Machine) device.Spec { return m.spec(device.Separate) }},
			{"fused", func(m *Machine) device.Spec { return m.spec(device.Fused) }},
			{"library", (*Machine).library},
		} {
			out = append(out, Entry{
				Group: "conform", Name: "conform/" + place.name + "/" + kind.name, limit: 2 * time.Minute,
				Quick: place.name == "worker" && kind.name == "separate",
				run: func(ctx context.Context, m *Machine, f *Findings) error {
					if kind.name == "library" {
						if err := m.blas(ctx); err != nil {
							return err
						}
					}
					d, err := place.open(m)(ctx, kind.spec(m))
					if err != nil {
						return err
					}
					return conforms(ctx, d, f)
				},
			})
		}
	}
	out = append(out, Entry{Group: "conform", Name: "conform/driver", Quick: true, run: func(ctx context.Context, m *Machine, f *Findings) error {
		said, err := m.runPart(ctx, partDriver)
		if err != nil {
			return err
		}
		// What kernels print comes before it.
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		var told driverTally
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &told); err != nil {
			return fmt.Errorf("the part %s wrote %q: %w", partDriver, said, err)
		}
		f.saw("through %s", told.Through)
		return suite(f, told.Passed, 0, told.Failures)
	}})
	for _, c := range driverconform.Sticky() {
		out = append(out, Entry{Group: "conform", Name: "conform/driver/" + c.Name, run: func(ctx context.Context, m *Machine, f *Findings) error {
			said, err := m.runPart(ctx, partDriverCase+c.Name)
			if err != nil {
				return err
			}
			if want := "passed " + c.Name; !strings.Contains(string(said), want) {
				return fmt.Errorf("the process does not say %q: %q", want, said)
			}
			f.saw("in a process of its own, every call after it answers with the same error")
			return nil
		}})
	}
	return out
}

// most is how many failures of a suite a detail names.
const most = 5

// conforms runs every case of package conform on d, and closes it: a case that
// closes it may have failed.
func conforms(ctx context.Context, d device.Device, f *Findings) error {
	defer d.Close()
	var failures []string
	tally := conform.Run(ctx, d, func(name string, err error) {
		var skipped *conform.SkippedError
		if err != nil && !errors.As(err, &skipped) {
			failures = append(failures, name+": "+err.Error())
		}
	})
	return suite(f, tally.Passed, tally.Skipped, failures)
}

// suite says what came of the cases of a suite.
func suite(f *Findings, passed, skipped int, failures []string) error {
	f.saw("%d cases passed", passed)
	if skipped > 0 {
		f.saw("%d do not apply", skipped)
	}
	switch {
	case len(failures) > 0:
		shown := failures[:min(len(failures), most)]
		return fmt.Errorf("%d of %d cases failed:\n%s", len(failures), passed+len(failures), strings.Join(shown, "\n"))
	case passed == 0:
		return errors.New("no case was run")
	}
	return nil
}
