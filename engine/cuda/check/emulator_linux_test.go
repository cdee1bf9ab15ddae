package check

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt"
)

// doctored is a GPU that changes what its launches leave.
type doctored struct {
	launch.Launcher
	change func(l *launch.Launch, out []byte)
}

func (d doctored) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	results, err := d.Launcher.Sequence(ctx, launches)
	for i := range results {
		for k := len(launches[i].Args) - 1; k >= 0; k-- {
			if launches[i].Args[k].Buffer != nil {
				d.change(launches[i], results[i].Buffers[k])
				break
			}
		}
	}
	return results, err
}

func (d doctored) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(d.Sequence(ctx, []*launch.Launch{l}))
}

// A GPU whose result has one other bit is found, and which kernel and element it
// was; where only CUDA's promise holds, a result that breaks it is.
func TestEmulatorFinds(t *testing.T) {
	m := played(t, memory, "")
	gpu := &simt.Emulator{Unchecked: launch.ReportKinds}
	lastBit := func(word string) func(l *launch.Launch, out []byte) {
		return func(l *launch.Launch, out []byte) {
			if strings.Contains(l.Kernel.Symbol, word) {
				out[0] ^= 1
			}
		}
	}
	units := func(symbol string, n int) func(l *launch.Launch, out []byte) {
		return func(l *launch.Launch, out []byte) {
			if l.Kernel.Symbol == symbol && l.Args[2].Buffer.Type == "float" {
				binary.LittleEndian.PutUint32(out[4*7:], uint32(int(binary.LittleEndian.Uint32(out[4*7:]))+n))
			}
		}
	}
	nan := func(l *launch.Launch, out []byte) {
		if l.Kernel.Symbol == "of_erf" {
			binary.LittleEndian.PutUint32(out, math.Float32bits(float32(math.NaN())))
		}
	}
	for _, c := range []struct {
		check  string
		change func(l *launch.Launch, out []byte)
		says   string // "" passes
	}{
		{"kernels/matmul/tiled", lastBit("tiled_f64"), "buffer 2, element 0 is"},
		{"kernels/rmsnorm/rmsnorm", lastBit("rmsnorm_warp_f32"), "rmsnorm_warp_f32 under separate, buffer 2, element 0 is"},
		{"kernels/embedding/atomic", lastBit("atomic_f32"), "embedding_atomic_f32 under separate, buffer 2, element 0 is"},
		{"kernels/softmax/softmax", lastBit("softmax"), ""},
		{"functions/float32", units("of_exp", 3), ""},
		{"functions/float32", units("of_exp", 4), "of exp("},
		{"functions/float32", units("of_sqrt", 1), "of sqrt("},
		{"functions/float32", units("of_exp", -4), "3 ulp are allowed"},
		{"functions/float32", nan, "of erf("},
		{"functions/float64", units("of_exp", 4), ""},
	} {
		m.Kernels = func(context.Context) (launch.Launcher, func(), error) {
			return doctored{gpu, c.change}, func() {}, nil
		}
		o := outcomes(t, m, false, "emulator/"+c.check)["emulator/"+c.check]
		if o.Passed != (c.says == "") || !strings.Contains(o.Detail, c.says) {
			t.Errorf("%s: passed %v, %q, want %q", c.check, o.Passed, o.Detail, c.says)
		}
	}
	// And so is a wrong device.
	wrong := played(t, memory, "product")
	for _, name := range []string{"emulator/decoder/fixture/float64/separate", "emulator/requests/float64/separate"} {
		if o := outcomes(t, wrong, false, name)[name]; o.Passed {
			t.Errorf("%s passes on a GPU whose products are wrong: %q", name, o.Detail)
		}
	}
}

// The functions' kernels are CUDA C to NVIDIA's compiler too.
func TestFunctionsCompile(t *testing.T) {
	compiles(t, functionsFile, functionsSource(device.Float32), "of_exp")
	compiles(t, functionsFile, functionsSource(device.Float64), "of_exp")
}
