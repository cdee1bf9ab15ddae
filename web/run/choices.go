package run

import (
	"slices"

	"workbench/engine/device"
)

// Choices adds to a list of devices the other ways to use a GPU that is there:
// under the fused contract, and through the vendor's library. What the list has
// already it keeps as it is.
func Choices(infos []device.Info) []device.Info {
	var all []device.Info
	for _, info := range infos {
		all = append(all, info)
		spec, err := device.ParseSpec(info.Spec)
		if err != nil || spec.Kind != device.CUDA || spec.Contract != device.Separate || !info.Available {
			continue
		}
		for _, other := range []struct {
			spec device.Spec
			name string
		}{
			{device.Spec{Kind: device.CUDA, Ordinal: spec.Ordinal, Contract: device.Fused}, "fused multiply-add"},
			{device.Spec{Kind: device.CUDA, Ordinal: spec.Ordinal, Contract: device.Fused, Library: true}, "cuBLAS"},
		} {
			name := other.spec.String()
			if !slices.ContainsFunc(infos, func(i device.Info) bool { return i.Spec == name }) {
				all = append(all, device.Info{Spec: name, Name: info.Name + ", " + other.name, Available: true})
			}
		}
	}
	return all
}
