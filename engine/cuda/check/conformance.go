package check

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"workbench/engine/conform"
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
					d, err := place.open(m)(ctx, kind.spec(m))
					if err != nil {
						return err
					}
					return conforms(ctx, d, f)
				},
			})
		}
	}
	return out
}

// most is how many failures of a suite a detail names.
const most = 5

// conforms runs every case of package conform on d, which closes it.
func conforms(ctx context.Context, d device.Device, f *Findings) error {
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
	f.saw("%d cases passed, %d do not apply", passed, skipped)
	switch {
	case len(failures) > 0:
		shown := failures[:min(len(failures), most)]
		return fmt.Errorf("%d of %d cases failed:\n%s", len(failures), passed+len(failures), strings.Join(shown, "\n"))
	case passed == 0:
		return errors.New("no case was run")
	}
	return nil
}
