package run_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// A kernel of one block doubles five numbers; the sixth thread would leave the
// buffer.
func ExampleMachine_Launch() {
	program, err := code.Read("double.code", `
		kernel double(x ptr %x) {
			reg u32 %i
			reg ptr %at
			reg f32 %v
			special tid.x %i
			index u32 %at %x %i 4
			load f32 global %v %at
			add f32 %v %v %v
			store f32 global %at %v
		}`)
	if err != nil {
		panic(err)
	}
	image, err := run.Compile(program)
	if err != nil {
		panic(err)
	}
	machine, err := run.New(image, 0)
	if err != nil {
		panic(err)
	}
	x, err := machine.Allocate("x", 5*4, "float", 4)
	if err != nil {
		panic(err)
	}
	for i := range 5 {
		binary.LittleEndian.PutUint32(x.Data[4*i:], math.Float32bits(float32(i)+0.5))
	}
	l := &run.Launch{
		Kernel: "double", Grid: launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: 5, Y: 1, Z: 1},
		Args: [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(x.Pointer()))},
	}
	if _, err := machine.Launch(context.Background(), l); err != nil {
		panic(err)
	}
	var doubled [5]float32
	for i := range doubled {
		doubled[i] = math.Float32frombits(binary.LittleEndian.Uint32(x.Data[4*i:]))
	}
	fmt.Println(doubled)

	l.Block.X = 6
	_, err = machine.Launch(context.Background(), l)
	fmt.Println(err)
	// Output:
	// [1 3 5 7 9]
	// double.code:8:4: out of bounds: load of 4 bytes at x[5], which has 20 bytes, float [5] (block 0,0,0 thread 5,0,0: warp 0 lane 5)
}
