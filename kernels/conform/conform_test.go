package conform_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels"
	"workbench/kernels/conform"
)

// Every case passes on the emulator, with all checks on and nothing to report.
func TestEmulator(t *testing.T) {
	r := &recorder{Launcher: checked{emulator}}
	for _, c := range conform.Cases() {
		if testing.Short() && strings.Contains(c.Name, "/67×23×71") {
			continue // the largest, which take a third of the time
		}
		if err := c.Run(t.Context(), r); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	checkLaunches(t, r)
}

// checkLaunches holds what was launched to the catalogue: every kernel under both
// contracts, with the block that its card says.
func checkLaunches(t *testing.T, r *recorder) {
	t.Helper()
	var want []string
	blocks := map[string]launch.Dim3{}
	for _, topic := range kernels.Catalogue() {
		for _, symbol := range topic.Symbols {
			blocks[symbol] = topic.Card.Block
			for _, c := range []device.Contract{device.Separate, device.Fused} {
				want = append(want, symbol+"/"+c.String())
			}
		}
	}
	slices.Sort(want)
	if got := r.symbols(); !slices.Equal(got, want) {
		t.Errorf("the cases launch %v, and the catalogue has %v", got, want)
	}
	for _, l := range r.launches {
		if b := blocks[l.Kernel.Symbol]; b != (launch.Dim3{}) && l.Block != b {
			t.Errorf("%s is launched with blocks of %s, and the catalogue says %s", l.Kernel.Symbol, l.Block, b)
		}
	}
}

// Names are how a report is read: no two cases share one.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range conform.Cases() {
		if seen[c.Name] {
			t.Errorf("two cases are named %s", c.Name)
		}
		seen[c.Name] = true
	}
}

// refusing is a launcher that runs nothing.
type refusing struct{ err error }

func (r refusing) Launch(context.Context, *launch.Launch) (*launch.Result, error) { return nil, r.err }

func (r refusing) Sequence(context.Context, []*launch.Launch) ([]*launch.Result, error) {
	return nil, r.err
}

func TestRun(t *testing.T) {
	broken := errors.New("the launcher is broken")
	var failures, all int
	tally := conform.Run(t.Context(), refusing{broken}, func(name string, err error) {
		all++
		if errors.Is(err, broken) {
			failures++
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	if tally.Failed != failures || tally.Passed+tally.Failed != all || tally.Passed == 0 || tally.Passed > 50 {
		t.Errorf("%+v of %d cases, %d failed by the launcher", tally, all, failures)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tally = conform.Run(ctx, refusing{broken}, func(name string, err error) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v after the context was done", name, err)
		}
	})
	if tally.Passed != 0 || tally.Failed != all {
		t.Errorf("%+v after the context was done", tally)
	}
}
