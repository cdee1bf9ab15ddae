package record_test

import (
	"context"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

// A block whose threads ask the banks in every way: words side by side, a column,
// one word for all, wide ones, and atomics.
const banked = `
__global__ void banked(const float* in, float* out, int n) {
    __shared__ float words[32][32];
    __shared__ __align__(16) double wide[64];
    __shared__ int count[4];
    int i = threadIdx.x;
    if (i < 4) count[i] = 0;
    words[0][i] = in[i];
    __syncthreads();
    words[i][1] = words[0][3 * i % 32];
    wide[2 * i] = words[0][5];
    float4 four = ((const float4*)&words[0][0])[i];
    __syncthreads();
    atomicAdd(&count[i % 3], 1);
    out[i] = words[i][1] + (float)wide[63 - i] + four.x + count[0];
}`

// TestTurns holds the turns of each request, as a recording has them, against
// those that the launch was measured to take; and the ends of the phases against
// where the barriers are found.
func TestTurns(t *testing.T) {
	out := &launch.Buffer{Type: "float", Data: make([]byte, 4*64), Out: true}
	cases := map[string]*launch.Launch{
		"tiled": product(t, "tiled", 16),
		"banked": {
			Kernel: launch.Kernel{Symbol: "banked", File: "banked.cu", Source: banked},
			Grid:   launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: 32, Y: 1, Z: 1},
			Args: []launch.Arg{{Name: "in", Buffer: floats(64)}, {Name: "out", Buffer: out}, {Name: "n", Value: ints(32)}},
		},
	}
	for name, l := range cases {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			result, r := recorded(t, new(simt.Emulator), l, launch.Index{})
			steps := r.Tape().Steps
			touched, err := r.Touched(ctx, 0, steps)
			if err != nil {
				t.Fatal(err)
			}
			got, whole := map[string]launch.Banked{}, map[string]launch.Banked{}
			for _, p := range touched.Phases {
				for _, q := range p.Requests {
					b := got[q.Kind]
					b.Add(launch.Banked{Requests: int64(q.Requests), Turns: int64(q.Turns), Conflicts: int64(q.Conflicts)})
					got[q.Kind] = b
					m, err := r.At(ctx, q.Step, launch.View{})
					if err != nil {
						t.Fatal(err)
					}
					most := 0
					for _, a := range m.Accesses {
						if a.Array == q.Array && a.Kind == q.Kind {
							most = max(most, a.Turns)
						}
					}
					if most != q.Most {
						t.Errorf("%s of array %d at line %d: %d turns at most, and %d in step %d", q.Kind, q.Array, q.Place.Line, q.Most, most, q.Step)
					}
				}
			}
			for step := range steps {
				m, err := r.At(ctx, step, launch.View{})
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range m.Accesses {
					if a.Turns == 0 {
						continue
					}
					if len(a.Banks) != len(a.Elements) {
						t.Errorf("step %d: %d banks of %d lanes", step, len(a.Banks), len(a.Elements))
					}
					b := whole[a.Kind]
					b.Add(launch.Banked{Requests: 1, Turns: int64(a.Turns), Conflicts: int64(a.Conflicts)})
					whole[a.Kind] = b
				}
			}
			m := result.Measurement
			for kind, want := range map[string]launch.Banked{"load": m.SharedLoads, "store": m.SharedStores, "atomic": m.SharedAtomics} {
				want.Lanes, want.Bytes = 0, 0
				if got[kind] != want || whole[kind] != want {
					t.Errorf("%s: %+v by phase, %+v by step; measured were %+v", kind, got[kind], whole[kind], want)
				}
			}
			if name == "banked" && (m.SharedLoads.Conflicts == 0 || m.SharedStores.Conflicts == 0 || m.SharedAtomics.Conflicts == 0) {
				t.Errorf("there were no conflicts to count: %+v %+v %+v", m.SharedLoads, m.SharedStores, m.SharedAtomics)
			}

			for i, end := range touched.Ends {
				from := 0
				if i > 0 {
					from = touched.Ends[i-1].Step
				}
				at, found, err := r.Seek(ctx, from, launch.Goal{Kind: launch.GoalBarrier})
				if err != nil || !found || end != (launch.PhaseEnd{Phase: i, Step: at}) {
					t.Errorf("phase %d ends as %+v; the barrier is at %d (%v, %v)", i, end, at, found, err)
				}
			}
			if len(touched.Ends) != r.Tape().Phases {
				t.Errorf("%d phases have ended, of %d", len(touched.Ends), r.Tape().Phases)
			}
		})
	}
}
