package chart

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"workbench/assets"
	"workbench/engine/launch"
)

func gpu(name string, figures ...assets.Figure) assets.Measurement {
	return assets.Measurement{GPU: name, Figures: figures}
}

var limits = []assets.Figure{
	{Name: "bandwidth/within the device, read and written", Value: 2000, Unit: "GB/s"},
	{Name: "ladder/4096³/float32/cuBLAS", Value: 40000, Unit: "GFLOP/s"},
	{Name: "ladder/4096³/float64/cuBLAS", Value: 20000, Unit: "GFLOP/s"},
}

// TestRooflines holds a launch below, at and beyond the ridge to what the GPU's
// figures allow it: below, the memory; beyond, the arithmetic.
func TestRooflines(t *testing.T) {
	launches := []*launch.Measurement{
		{Kernel: "add", ArithmeticIntensity: 0.125},
		{Kernel: "transpose"}, // no arithmetic
		{Kernel: "blocked", ArithmeticIntensity: 50},
		{Kernel: "doubles", ArithmeticIntensity: 5, Buffers: []launch.ArrayCounts{{Name: "a", Element: "double"}}},
	}
	got := Rooflines(launches, []assets.Measurement{gpu("A", limits...), gpu("unmeasured")})
	if len(got) != 3 {
		t.Fatalf("%d rooflines, want one for each launch with arithmetic on the GPU that was measured", len(got))
	}
	for i, want := range []struct {
		launch        int
		peak, allowed float64
		says          string
	}{{0, 40000, 250, "memory allows 250 GFLOP/s"}, {2, 40000, 40000, "memory is no limit"}, {3, 20000, 10000, "in float64"}} {
		r := got[i]
		if r.Launch != want.launch || r.GPU != "A" || r.Peak != want.peak || r.Allowed != want.allowed || !strings.Contains(r.Text, want.says) {
			t.Errorf("%+v, want %+v", r, want)
		}
		text, err := json.Marshal(r.Option)
		if err != nil {
			t.Fatal(err)
		}
		var drawn struct {
			XAxis []struct {
				Type     string
				Min, Max float64
			}
			YAxis []struct {
				Type     string
				Min, Max float64
			}
			Series []struct {
				Name string
				Data []struct{ Value [2]float64 }
			}
		}
		if err := json.Unmarshal(text, &drawn); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		x, y := drawn.XAxis[0], drawn.YAxis[0]
		if x.Type != "log" || y.Type != "log" || len(drawn.Series) != 2 {
			t.Fatalf("drawn: %s", text)
		}
		roof, kernel := drawn.Series[0].Data, drawn.Series[1].Data
		for _, p := range roof {
			if math.Abs(p.Value[1]-min(want.peak, p.Value[0]*2000)) > 1e-6*p.Value[1] {
				t.Errorf("the roof has %v, where the memory allows %v", p.Value, p.Value[0]*2000)
			}
		}
		if top := kernel[len(kernel)-1].Value; top != [2]float64{r.Intensity, r.Allowed} {
			t.Errorf("%s stands at %v", launches[want.launch].Kernel, top)
		}
		for _, s := range drawn.Series {
			for _, p := range s.Data {
				if p.Value[0] < x.Min || p.Value[0] > x.Max || p.Value[1] < y.Min || p.Value[1] > y.Max {
					t.Errorf("%v of %s is outside of the axes %v, %v", p.Value, s.Name, x, y)
				}
			}
		}
	}
}
