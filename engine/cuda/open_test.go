package cuda

import (
	"strings"
	"testing"

	"workbench/engine/device"
)

// On other systems than Linux the error says so, and what computes the same.
func TestElsewhere(t *testing.T) {
	for _, c := range []struct {
		spec   device.Spec
		system string
		want   []string
	}{
		{device.Spec{Kind: device.CUDA}, "windows", []string{"device cuda:0 is not available", "this is windows", "the device cpu, which gives the same bits", "WSL 2"}},
		{device.Spec{Kind: device.CUDA, Contract: device.Fused}, "darwin", []string{"this is darwin", "the device cpu,fused, which gives the same bits"}},
		{device.Spec{Kind: device.CUDA, Contract: device.Fused, Library: true}, "darwin", []string{"the device cpu,fused, which fuses too"}},
	} {
		err := elsewhere(c.spec, c.system)
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s on %s: %q does not say %q", c.spec, c.system, err, want)
			}
		}
	}
}
