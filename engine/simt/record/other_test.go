package record_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

// stored returns the last value that a recorded block stores to out, and where.
func stored(t *testing.T, r launch.Recording) (element int64, value string) {
	t.Helper()
	tape := r.Tape()
	out := arrayOf(t, tape, "out")
	for step := tape.Steps - 1; step >= 0; step-- {
		m, err := r.At(context.Background(), step, launch.View{})
		if err != nil {
			t.Fatal(err)
		}
		for i := len(m.Accesses) - 1; i >= 0; i-- {
			if a := m.Accesses[i]; a.Array == out && a.Kind == "store" {
				return a.Elements[len(a.Elements)-1], a.Values[len(a.Values)-1]
			}
		}
	}
	t.Fatal("nothing was stored")
	return 0, ""
}

// TestOther holds what a recording ends with against the result that is shown beside
// it, of kernels where the order of threads decides: it is the same, or the tape says
// that it is not.
func TestOther(t *testing.T) {
	parallel := &simt.Emulator{Unchecked: launch.ReportKinds, Unmeasured: true}
	for _, c := range []struct {
		name  string
		e     *simt.Emulator
		l     *launch.Launch
		block launch.Index
		other bool
	}{
		{"race", &simt.Emulator{}, language(t, "racing", 1, 64, 20000), launch.Index{}, false},
		{"race, unchecked", parallel, language(t, "racing", 1, 64, 20000), launch.Index{}, false},
		{"race of longer turns", &simt.Emulator{}, language(t, "racing_idle", 1, 64, 20000), launch.Index{}, true},
		{"atomics", &simt.Emulator{}, language(t, "queue", 40, 32, 200), launch.Index{17, 0, 0}, false},
		{"atomics, unchecked", parallel, language(t, "queue", 40, 32, 200), launch.Index{17, 0, 0}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, r := recorded(t, c.e, c.l, c.block)
			element, value := stored(t, r)
			bits := binary.LittleEndian.Uint32(result.Buffers[1][4*element:])
			was := fmt.Sprint(bits) // racing stores unsigned numbers
			if strings.HasPrefix(c.name, "atomics") {
				was = fmt.Sprint(math.Float32frombits(bits))
			}
			same := same(value, was)
			other := r.Tape().Other
			if same != (other == "") {
				t.Errorf("out[%d] is %s in the result and %s in the recording, of which it is said: %q", element, was, value, other)
			}
			if (other != "") != c.other {
				t.Errorf("of the recording it is said: %q", other)
			}
			if other != "" && !strings.Contains(other, "out[0]") {
				t.Errorf("the difference is not named: %q", other)
			}
		})
	}
}
