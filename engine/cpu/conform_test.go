package cpu_test

import (
	"context"
	"testing"

	"workbench/engine/conform"
	"workbench/engine/device"
)

func TestConformance(t *testing.T) {
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		t.Run(contract.String(), func(t *testing.T) {
			conform.Run(context.Background(), open(t, contract), func(name string, err error) {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		})
	}
}
