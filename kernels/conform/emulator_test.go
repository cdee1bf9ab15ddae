package conform_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

// emulator is that of all tests: what one has read the next one runs.
var emulator = &simt.Emulator{}

// unwatched checks nothing: what a kernel computes shows in its result alone.
var unwatched = &simt.Emulator{Unchecked: launch.ReportKinds}

// checked makes a report the failure of its launch. The catalogue's kernels deserve
// none: where threads write to one element, as in the atomic embedding gradient,
// they do it by atomics, whose order is open and is no race.
type checked struct{ launch.Launcher }

func (c checked) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	r, err := c.Launcher.Launch(ctx, l)
	if err == nil && len(r.Reports) > 0 {
		err = &reported{r.Reports}
	}
	if err == nil && r.Log != "" {
		err = fmt.Errorf("not all was checked: %s", r.Log)
	}
	return r, err
}

// reported is a launch that a check had something to say of.
type reported struct{ reports []launch.Report }

func (e *reported) Error() string {
	first := e.reports[0]
	return fmt.Sprintf("%d reports, the first: %s: %s: %s", len(e.reports), first.Place, first.Kind, first.Message)
}

// edited launches with one text of the source replaced by another.
type edited struct {
	launch.Launcher
	old, new string
	done     bool // the source had it
}

func (e *edited) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	changed := *l
	changed.Kernel.Source = strings.Replace(l.Kernel.Source, e.old, e.new, 1)
	e.done = e.done || changed.Kernel.Source != l.Kernel.Source
	return e.Launcher.Launch(ctx, &changed)
}

var le = binary.LittleEndian

// recorder keeps what was launched, without the buffers.
type recorder struct {
	launch.Launcher
	launches []launch.Launch
}

func (r *recorder) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	kept := *l
	kept.Args = nil
	r.launches = append(r.launches, kept)
	return r.Launcher.Launch(ctx, l)
}

// symbols returns the kernels that were launched, each with its contract.
func (r *recorder) symbols() []string {
	var out []string
	for _, l := range r.launches {
		out = append(out, l.Kernel.Symbol+"/"+l.Kernel.Contract.String())
	}
	slices.Sort(out)
	return slices.Compact(out)
}
