package cpu

import (
	"context"
	"testing"

	"workbench/engine/conform"
	"workbench/engine/device"
)

// eachTier runs a test on every tier of this processor, under both contracts.
func eachTier(t *testing.T, test func(t *testing.T, d *Device)) {
	t.Helper()
	for _, tier := range tiers() {
		for _, contract := range []device.Contract{device.Separate, device.Fused} {
			t.Run(tier.name+"/"+contract.String(), func(t *testing.T) {
				test(t, &Device{spec: device.Spec{Kind: device.CPU, Contract: contract}, tier: tier})
			})
		}
	}
}

// eachTile is eachTier without the reference, which has no tiles.
func eachTile(t *testing.T, test func(t *testing.T, d *Device)) {
	t.Helper()
	eachTier(t, func(t *testing.T, d *Device) {
		if d.tier != plain {
			test(t, d)
		}
	})
}

func TestConformance(t *testing.T) {
	eachTier(t, func(t *testing.T, d *Device) {
		conform.Run(context.Background(), d, func(name string, err error) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	})
}
