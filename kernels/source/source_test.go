package source_test

import (
	"errors"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/source"
)

func TestFile(t *testing.T) {
	f := source.File{
		Name: "k.cu", Text: "text", Separate: "one", Fused: "other",
		Precisions: []device.Precision{device.Float64, device.Float32}, Symbols: []string{"k_f64", "k_f32"},
	}
	k, err := f.Kernel(device.Fused, device.Float32)
	if want := (launch.Kernel{File: "k.cu", Source: "text", Symbol: "k_f32", Contract: device.Fused}); err != nil || k != want {
		t.Errorf("%+v, %v", k, err)
	}
	if s, f := string(f.PTX(device.Separate)), string(f.PTX(device.Fused)); s != "one\x00" || f != "other\x00" {
		t.Errorf("PTX %q and %q", s, f)
	}
	for _, c := range []struct {
		contract    device.Contract
		precision   device.Precision
		field, says string
	}{
		{device.Separate, device.Float16, "precision", "use one of [float64 float32]"},
		{9, device.Float64, "contract", "separate or fused"},
	} {
		_, err := f.Kernel(c.contract, c.precision)
		var bad *launch.ArgumentError
		if !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(bad.Reason, c.says) {
			t.Errorf("%s in %s: %v", c.contract, c.precision, err)
		}
	}
}
