package run

import (
	"slices"
	"testing"

	"workbench/engine/device"
)

func TestChoices(t *testing.T) {
	got := Choices([]device.Info{
		{Spec: "cpu", Name: "CPU", Available: true},
		{Spec: "cuda:0", Name: "NVIDIA H200", Available: true},
		{Spec: "cuda:0,library", Name: "NVIDIA H200, cuBLAS", Reason: "there is no cuBLAS"},
		{Spec: "cuda:1", Name: "NVIDIA T4", Available: true},
		{Spec: "cuda:2", Name: "CUDA GPU 2", Reason: "it is unplugged"},
		{Spec: "not a device", Available: true},
	})
	var lines []string
	for _, i := range got {
		line := i.Spec + " | " + i.Name
		if !i.Available {
			line += " | " + i.Reason
		}
		lines = append(lines, line)
	}
	want := []string{
		"cpu | CPU",
		"cuda:0 | NVIDIA H200",
		"cuda:0,fused | NVIDIA H200, fused multiply-add",
		"cuda:0,library | NVIDIA H200, cuBLAS | there is no cuBLAS",
		"cuda:1 | NVIDIA T4",
		"cuda:1,fused | NVIDIA T4, fused multiply-add",
		"cuda:1,library | NVIDIA T4, cuBLAS",
		"cuda:2 | CUDA GPU 2 | it is unplugged",
		"not a device | ",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("the choices are\n%q, want\n%q", lines, want)
	}
}
