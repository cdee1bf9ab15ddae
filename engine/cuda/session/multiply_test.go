package session_test

import (
	"slices"
	"testing"
	"time"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
)

// tiny are the three operations of the first chapter: 2×3 · 3×2, the sums of
// the rows of 2×3, and their means.
func tiny(contract device.Contract, library bool) (requests []request, want [][]float64) {
	a := []float64{1, 2, 3, 4, 5, 6}
	ones := []float64{1, 1, 1}
	for _, c := range []struct {
		n     int
		right []float64
		mean  bool
		want  []float64
	}{
		{2, []float64{7, 8, 9, 10, 11, 12}, false, []float64{58, 64, 139, 154}},
		{1, ones, false, []float64{6, 15}},
		{1, ones, true, []float64{2, 5}},
	} {
		requests = append(requests, request{
			Product: session.Product{B: 1, M: 2, K: 3, N: c.n, Contract: contract, Library: library, Mean: c.mean},
			left:    device.Float64.AppendBytes(nil, a),
			right:   device.Float64.AppendBytes(nil, c.right),
			out:     slices.Repeat([]byte{0xff}, 8*2*c.n),
		})
		want = append(want, c.want)
	}
	return requests, want
}

func TestTinyOperations(t *testing.T) {
	for _, c := range []struct {
		name     string
		contract device.Contract
		library  bool
	}{
		{"separate", device.Separate, false}, {"fused", device.Fused, false}, {"library", device.Fused, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := open(t, fake.Config{})
			requests, want := tiny(c.contract, c.library)
			var total device.Stats
			for i, r := range requests {
				before := slices.Concat(r.left, r.right)
				stats, err := r.run(s)
				if err != nil {
					t.Fatal(err)
				}
				total = total.Add(stats)
				for j, w := range want[i] {
					// A library scales by 1/3, which is not quite a third.
					if got := element(device.Float64, r.out, j); got != w && !(c.library && r.Mean && got > w-1e-15 && got < w+1e-15) {
						t.Errorf("operation %d: cell %d is %v, want %v", i, j, got, w)
					}
				}
				if !slices.Equal(before, slices.Concat(r.left, r.right)) {
					t.Errorf("operation %d changed its operands", i)
				}
			}
			if total.Requests != 3 || total.Launches != 3 || total.BytesIn != 240 || total.BytesOut != 64 {
				t.Errorf("the statistics are %+v, want 3 requests, 240 bytes in and 64 out", total)
			}
			// The same from the driver's side.
			var in, out uint64
			for _, c := range m.Calls() {
				switch c.Name {
				case "cuMemcpyHtoD_v2":
					in += c.Bytes
				case "cuMemcpyDtoH_v2":
					out += c.Bytes
				}
			}
			if in != 240 || out != 64 {
				t.Errorf("%d bytes were copied in and %d out", in, out)
			}
			launch := "cuLaunchKernel"
			if c.library {
				launch = "cublasGemmStridedBatchedEx"
			}
			if got := len(named(m.Calls(), launch)); got != 3 {
				t.Errorf("%d calls of %s", got, launch)
			}
		})
	}
}

// TestOrderOfCalls is what one request asks of the driver: nothing that it does
// not need, and nothing allocated once there is room.
func TestOrderOfCalls(t *testing.T) {
	s, m := open(t, fake.Config{})
	r := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2})
	if _, err := r.run(s); err != nil {
		t.Fatal(err)
	}
	m.Forget()
	if _, err := r.run(s); err != nil {
		t.Fatal(err)
	}
	want := []fake.Call{
		{Name: "cuMemcpyHtoD_v2", Bytes: 48}, {Name: "cuMemcpyHtoD_v2", Bytes: 48},
		{Name: "cuEventRecord"}, {Name: "cuLaunchKernel", What: "matmul_naive_f64"}, {Name: "cuEventRecord"},
		{Name: "cuCtxSynchronize"}, {Name: "cuEventElapsedTime"},
		{Name: "cuMemcpyDtoH_v2", Bytes: 32},
	}
	if got := m.Calls(); !slices.Equal(got, want) {
		t.Errorf("the calls are\n%v, want\n%v", got, want)
	}
}

// A module is loaded for each contract, a function looked up for each precision,
// and each only once; cuBLAS is opened once, and only if it is asked for.
func TestLoadedOnce(t *testing.T) {
	s, m := open(t, fake.Config{})
	for range 2 {
		for _, contract := range []device.Contract{device.Separate, device.Fused} {
			for _, precision := range device.Precisions {
				if _, err := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2, Contract: contract, Precision: precision}).run(s); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if got := named(m.Calls(), "cuModuleLoadDataEx"); len(got) != 2 {
		t.Errorf("%d modules were loaded", len(got))
	}
	if got := named(m.Calls(), "cuModuleGetFunction"); len(got) != 8 {
		t.Errorf("%d functions were looked up", len(got))
	}
	for _, c := range m.Calls() {
		if lib := c.Name[:5]; lib == "nvrtc" || lib == "cubla" {
			t.Errorf("%s was called, which nothing needs", c.Name)
		}
	}
	for range 2 {
		if _, err := filled(t, byLibrary).run(s); err != nil {
			t.Fatal(err)
		}
	}
	if got := named(m.Calls(), "cublasCreate_v2"); len(got) != 1 {
		t.Errorf("cuBLAS was opened %d times", len(got))
	}
}

// The operands change places for cuBLAS: shapes whose three extents differ, in a
// batch, show every other way to swap them.
func TestLibraryOperands(t *testing.T) {
	s, _ := open(t, fake.Config{})
	for _, precision := range device.Precisions {
		for _, shape := range [][4]int{{3, 2, 5, 4}, {2, 1, 5, 4}, {2, 4, 5, 1}, {1, 3, 1, 2}} {
			p := session.Product{B: shape[0], M: shape[1], K: shape[2], N: shape[3], Precision: precision, Contract: device.Fused}
			own := filled(t, p)
			p.Library = true
			library := filled(t, p)
			for _, r := range []request{own, library} {
				if _, err := r.run(s); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(own.out, library.out) {
				t.Errorf("%s %v: cuBLAS gives % x, our kernel % x", precision, shape, library.out, own.out)
			}
		}
	}
}

// ticking moves on with every look at it.
type ticking struct{ now time.Duration }

func (c *ticking) Now() time.Duration    { c.now += time.Microsecond; return c.now }
func (c *ticking) Sleep(d time.Duration) { c.now += d }

// The time of the GPU is that between its own events, to the nanosecond, and
// that of the copies the host's.
func TestTimes(t *testing.T) {
	s, _ := open(t, fake.Config{Slow: 7 * time.Millisecond, Clock: &ticking{}})
	stats, err := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}).run(s)
	if err != nil {
		t.Fatal(err)
	}
	if least := (7 * time.Millisecond).Nanoseconds(); stats.KernelNS < least || stats.KernelNS > least+20_000 {
		t.Errorf("the kernel took %d ns, want %d and a few clock ticks", stats.KernelNS, least)
	}
	if limit := time.Second.Nanoseconds(); stats.CopyInNS <= 0 || stats.CopyOutNS <= 0 || stats.CopyInNS > limit || stats.CopyOutNS > limit {
		t.Errorf("the copies took %d and %d ns", stats.CopyInNS, stats.CopyOutNS)
	}
	r, err := s.Launch(addOne(3))
	if err != nil {
		t.Fatal(err)
	}
	if r.Cost.KernelNS < 7_000_000 || r.Cost.KernelNS > 7_020_000 || r.Cost.CopyInNS <= 0 || r.Cost.CopyOutNS <= 0 {
		t.Errorf("the launch took %+v", r.Cost)
	}
}
