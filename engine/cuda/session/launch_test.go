package session_test

import (
	"encoding/binary"
	"math"

	"workbench/engine/cuda/fake"
	"workbench/engine/launch"
)

func floats(values ...float32) []byte {
	var b []byte
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func int32Bytes(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(int32(n))) }

// sample is a launch of one of the fake's own kernels.
func sample(symbol string, args ...launch.Arg) *launch.Launch {
	return &launch.Launch{
		Kernel: launch.Kernel{File: "sample.cu", Source: fake.Source, Symbol: symbol},
		Grid:   launch.Dim3{X: 1, Y: 1, Z: 1},
		Block:  launch.Dim3{X: 32, Y: 1, Z: 1},
		Args:   args,
	}
}

// addOne adds 1 to n floats 0, 1, …, n−1.
func addOne(n int) *launch.Launch {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i)
	}
	return sample("add_one",
		launch.Arg{Name: "x", Buffer: &launch.Buffer{Type: "float", Data: floats(x...), Out: true}},
		launch.Arg{Name: "n", Value: int32Bytes(n)},
	)
}
