package emulator_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"workbench/engine/conform"
	"workbench/engine/cpu"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt"
	"workbench/engine/simt/emulator"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

func opened(t testing.TB, spec string) *emulator.Device {
	t.Helper()
	parsed, err := device.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	d, err := emulator.Open(parsed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// The emulator passes every case that any device must pass.
func TestConformance(t *testing.T) {
	for _, spec := range []string{"emulator", "emulator,fused"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			var explain int
			tally := conform.Run(context.Background(), opened(t, spec), func(name string, err error) {
				var skipped *conform.SkippedError
				switch {
				case errors.As(err, &skipped) && strings.HasPrefix(name, "explain"):
					explain++ // the CPU writes its cells out
				case err != nil:
					t.Errorf("%s: %v", name, err)
				}
			})
			if tally.Passed < 500 || tally.Skipped != explain {
				t.Errorf("%+v, of which %d are explanations", tally, explain)
			}
		})
	}
}

// Every value of the decoder, forward and backward, has the CPU's bits in every
// precision under both contracts.
func TestDecoder(t *testing.T) {
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		host, err := cpu.New(device.Spec{Kind: device.CPU, Contract: contract})
		if err != nil {
			t.Fatal(err)
		}
		d := opened(t, device.Spec{Kind: device.Emulator, Contract: contract}.String())
		for _, p := range device.Precisions {
			in, err := trace.DecodeInput(trace.ExampleDecoder, []byte(`{"text": "ab", "precision": "`+p.String()+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			r, err := trace.Compare(t.Context(), host, d, in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Passed || r.Differing != 0 || r.Count != 2155 {
				t.Errorf("%s in %s: %d of %d values have other bits", d.Spec(), p, r.Differing, r.Count)
			}
		}
	}
}

// The three tiny operations of the course, and what they cost: as much as on a GPU.
func TestTinyOperations(t *testing.T) {
	left := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)).View()
	right := tensor.Must(tensor.FromSlice([]float64{7, 8, 9, 10, 11, 12}, 3, 2)).View()
	run := device.NewRun(opened(t, "emulator"))
	check := func(got *tensor.Tensor, err error, want ...float64) {
		t.Helper()
		if err != nil || !slices.Equal(got.Data(), want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	product, err := run.Matmul(t.Context(), left, right)
	check(product, err, 58, 64, 139, 154)
	sums, err := run.SumAxis(t.Context(), left, 1, false)
	check(sums, err, 6, 15)
	means, err := run.MeanAxis(t.Context(), left, 1, false)
	check(means, err, 2, 5)
	s := run.Stats()
	if s.CopyInNS <= 0 || s.KernelNS <= 0 || s.CopyOutNS <= 0 {
		t.Errorf("something took no time: %+v", s)
	}
	s.CopyInNS, s.KernelNS, s.CopyOutNS = 0, 0, 0
	if want := (device.Stats{Requests: 3, Launches: 3, BytesIn: 240, BytesOut: 64}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
}

// The page that follows a request across the boundary has the emulator's counts, and
// says of its clock and its processors what is so.
func TestBoundary(t *testing.T) {
	in, err := trace.DecodeInput(trace.ExampleBoundary, []byte(`{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`))
	if err != nil {
		t.Fatal(err)
	}
	out, err := trace.RunBoundary(t.Context(), opened(t, "emulator"), *in.(*trace.BoundaryInput))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range out.Steps {
		if c := s.Crossing; c != nil && (!c.Crosses || s.Stats != nil && (s.Stats.BytesIn != c.Packed || s.Stats.BytesOut != c.Result)) {
			t.Errorf("%s: %+v, %+v", s.Title, c, s.Stats)
		}
	}
	if out.Stats.Requests != 3 || out.Stats.Launches != 3 || out.Stats.BytesIn != 240 || out.Stats.BytesOut != 64 {
		t.Errorf("%+v", out.Stats)
	}
	var b strings.Builder
	if err := out.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"96 bytes are copied into the memory of the emulator.", "no bus is crossed", "the host’s own processors run it.", "The emulator has finished: C is in its memory.",
		"Nothing follows from that for a GPU.", "32 bytes are copied back", "made by emulator.", ", kernel ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the text does not say %q", want)
		}
	}
	for _, wrong := range []string{"event", "the host goes on at once", "GPU 1", "cuda:"} {
		if strings.Contains(b.String(), wrong) {
			t.Errorf("the text says %q", wrong)
		}
	}
}

// Operands that do not fit are refused before anything is packed, and what else
// would give the same bits is said.
func TestMemory(t *testing.T) {
	one := tensor.Must(tensor.FromSlice([]float64{1}, 1, 1)).View()
	d := opened(t, "emulator,fused")
	for _, shape := range [][2]int{{1 << 14, 1 << 13}, {1 << 14, 1 << 14}} {
		left, err := one.Broadcast(shape[0], shape[1])
		if err != nil {
			t.Fatal(err)
		}
		out, stats, err := d.Reduce(t.Context(), device.Reduction{Input: left, Axis: 1})
		var memory *device.MemoryError
		if !errors.As(err, &memory) || out != nil || stats != (device.Stats{}) || memory.Asked <= emulator.Memory || memory.Free != emulator.Memory {
			t.Errorf("%v: %v", shape, err)
			continue
		}
		if !strings.Contains(err.Error(), "device emulator,fused is out of memory") || !strings.HasSuffix(err.Error(), "use cpu,fused, which gives the same bits") {
			t.Error(err)
		}
	}
}

// A product ends soon after its context, however short the turns of its threads
// are, and the device goes on.
func TestCancel(t *testing.T) {
	one := tensor.Must(tensor.FromSlice([]float64{1}, 1, 1)).View()
	square, err := one.Broadcast(2048, 2048)
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, "emulator")
	for _, after := range []time.Duration{20 * time.Millisecond, 300 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		defer cancel()
		out, stats, err := d.Multiply(ctx, device.Product{Left: square, Right: square})
		if out != nil || stats != (device.Stats{}) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, %+v, %v", out, stats, err)
		}
	}
	if out, _, err := d.Reduce(t.Context(), device.Reduction{Input: one, Axis: 0}); err != nil || out.Data()[0] != 1 {
		t.Errorf("after that: %v, %v", out, err)
	}
}

// It runs kernels of others with every check, and says their faults in reports.
func TestLaunch(t *testing.T) {
	d := opened(t, "emulator")
	l := &launch.Launch{
		Kernel: launch.Kernel{File: "k.cu", Symbol: "k", Source: "__global__ void k(float* x) {\n\tx[threadIdx.x + 1] = 2;\n}\n"},
		Grid:   launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: 2, Y: 1, Z: 1},
		Args: []launch.Arg{{Name: "x", Buffer: &launch.Buffer{Type: "float", Data: make([]byte, 8), Out: true}}},
	}
	r, err := d.Launch(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	if r.Device != simt.Name || len(r.Reports) != 1 || r.Reports[0].Kind != launch.OutOfBounds || r.Reports[0].Line != 2 || !slices.Equal(r.Buffers[0], []byte{0, 0, 0, 0, 0, 0, 0, 64}) {
		t.Errorf("%+v", r)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	var closed *device.ClosedError
	if _, err := d.Launch(t.Context(), l); !errors.As(err, &closed) {
		t.Errorf("a launch on the closed device: %v", err)
	}
}

func TestOpen(t *testing.T) {
	for _, spec := range []device.Spec{{}, {Kind: device.CPU}, {Kind: device.Emulator, Ordinal: 1}, {Kind: device.Emulator, Library: true}, {Kind: device.Emulator, Contract: 2}} {
		var refused *device.SpecError
		if d, err := emulator.Open(spec); d != nil || !errors.As(err, &refused) {
			t.Errorf("%+v: %v, %v", spec, d, err)
		}
	}
}

func BenchmarkProduct(b *testing.B) {
	one := tensor.Must(tensor.FromSlice([]float64{1}, 1, 1)).View()
	square, err := one.Broadcast(256, 256)
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range device.Precisions {
		b.Run("256/"+p.String(), func(b *testing.B) {
			d := opened(b, "emulator")
			for b.Loop() {
				if _, _, err := d.Multiply(b.Context(), device.Product{Left: square, Right: square, Precision: p}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
