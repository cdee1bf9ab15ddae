package matmul_test

import (
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt"
	"workbench/kernels/matmul"
)

// What a version asks of memory is what the emulator counts.
func TestTraffic(t *testing.T) {
	emulator := &simt.Emulator{Unchecked: launch.ReportKinds}
	for _, v := range matmul.Versions {
		for _, p := range []device.Precision{device.Float64, device.Float32} {
			for _, n := range []int64{64, 128} {
				if n > 64 && testing.Short() {
					continue
				}
				count := int(n * n)
				l, err := v.Prepare(device.Fused, p, matmul.Packed(1, int(n), int(n), int(n)), buffer(p, count), buffer(p, count), buffer(p, count))
				if err != nil {
					t.Fatal(err)
				}
				r, err := emulator.Launch(t.Context(), l)
				if err != nil {
					t.Fatal(err)
				}
				m := r.Measurement
				if got, want := v.Traffic(p, n), int64(m.Loads.Sectors+m.Stores.Sectors)*matmul.Sector; got != want {
					t.Errorf("%s, %s, %d³: %d bytes, and the emulator counts %d", v, p, n, got, want)
				}
			}
		}
	}
}
