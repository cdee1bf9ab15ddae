package record_test

import (
	"context"
	"fmt"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

// A block is recorded, stepped to where its barrier lets all go on, and back to who
// stored an element.
func Example() {
	l := &launch.Launch{
		Kernel: launch.Kernel{Symbol: "reverse", File: "reverse.cu", Source: `
__global__ void reverse(float* x) {
    __shared__ float kept[4];
    int i = threadIdx.x;
    kept[i] = x[i];
    __syncthreads();
    x[i] = kept[3 - i];
}`},
		Grid: launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: 4, Y: 1, Z: 1},
		Args: []launch.Arg{{Name: "x", Buffer: floats(4)}},
	}
	ctx := context.Background()
	_, recordings, err := new(simt.Emulator).Record(ctx, []*launch.Launch{l}, 0, []launch.Index{{0, 0, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := recordings[0]
	tape := r.Tape()
	fmt.Println(tape.Steps, "steps at lines", tape.Lines)

	at, _, _ := r.Seek(ctx, 0, launch.Goal{Kind: launch.GoalBarrier})
	m, _ := r.At(ctx, at, launch.View{Warps: []int{0}, Shared: true})
	kept := m.Shared[0]
	fmt.Printf("step %d: %s holds %v, stored by threads %v\n", at, tape.Arrays[kept.Array].Name, kept.Values, kept.Owners)
	for _, v := range m.Warps[0].Frames[0].Vars {
		fmt.Println(v.Type, v.Name, "=", v.Values[:min(len(v.Values), 4)])
	}

	back, _, _ := r.Seek(ctx, at, launch.Goal{Kind: launch.GoalElement, Back: true, Array: kept.Array, Element: 3})
	m, _ = r.At(ctx, back, launch.View{})
	for _, a := range m.Accesses {
		fmt.Println("line", a.Place.Line, a.Kind, a.Name, a.Elements, a.Values)
	}
	// Output:
	// 6 steps at lines [4 5 6 7]
	// step 3: kept holds [0.25 0.5 0.75 1], stored by threads [0 1 2 3]
	// float * x = [&x[0]]
	// int i = [0 1 2 3]
	// line 5 load x [0 1 2 3] [0.25 0.5 0.75 1]
	// line 5 store kept [0 1 2 3] [0.25 0.5 0.75 1]
}
