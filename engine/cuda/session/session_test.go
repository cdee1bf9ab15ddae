package session_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
)

const mebi = 1 << 20

// libraries are those of a pretended machine.
func libraries(t testing.TB, m *fake.Machine) session.Libraries {
	t.Helper()
	d, err := m.Driver()
	if err != nil {
		t.Fatal(err)
	}
	return session.Libraries{Driver: d, Compiler: m.Compiler, BLAS: m.BLAS}
}

// locked gives the test a thread of its own, on which sessions are opened.
func locked(t testing.TB) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

// open opens the first GPU of a pretended machine, and holds it at the end to
// having been given back everything.
func open(t testing.TB, c fake.Config) (*session.Session, *fake.Machine) {
	t.Helper()
	locked(t)
	m := fake.New(c)
	s, err := session.Open(libraries(t, m), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		broken := session.Sticky(s.Healthy())
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if got := m.Holds(0); !broken && got != (fake.Holdings{}) {
			t.Errorf("after closing, the device holds %+v", got)
		}
	})
	return s, m
}

// request is a product with its operands' bytes.
type request struct {
	session.Product
	left, right, out []byte
}

// filled makes a request whose operands count up from 1, with values that every
// format has.
func filled(t testing.TB, p session.Product) request {
	t.Helper()
	l, r, o, err := p.Sizes()
	if err != nil {
		t.Fatal(err)
	}
	size := p.Precision.Size()
	counting := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(i%100 + 1)
		}
		return out
	}
	return request{
		Product: p,
		left:    p.Precision.AppendBytes(nil, counting(l/size)),
		right:   p.Precision.AppendBytes(nil, counting(r/size)),
		out:     slices.Repeat([]byte{0xff}, o),
	}
}

func (r request) run(s *session.Session) (device.Stats, error) {
	return s.Multiply(r.Product, r.left, r.right, r.out)
}

// named keeps the calls of these names.
func named(calls []fake.Call, names ...string) []string {
	var out []string
	for _, c := range calls {
		if slices.Contains(names, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}

func TestDevice(t *testing.T) {
	s, _ := open(t, fake.Config{})
	if got, want := s.Device(), fake.GPUs(1)[0]; got != want {
		t.Errorf("the device is %+v, want %+v", got, want)
	}
	if got := s.DriverVersion(); got != 13000 {
		t.Errorf("the driver's version is %d", got)
	}
	if err := s.Healthy(); err != nil {
		t.Errorf("a new session is not healthy: %v", err)
	}
}

func TestClosed(t *testing.T) {
	locked(t)
	m := fake.New(fake.Config{})
	s, err := session.Open(libraries(t, m), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, library := range []bool{false, true} {
		if _, err := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2, Contract: device.Fused, Library: library}).run(s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Launch(addOne(5)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing it again: %v", err)
	}
	// The context's end frees everything, so what was given back before is seen
	// in the calls.
	count := map[string]int{}
	for _, c := range m.Calls() {
		count[c.Name]++
	}
	for made, undone := range map[string]string{
		"cuMemAlloc_v2": "cuMemFree_v2", "cuEventCreate": "cuEventDestroy_v2", "cuModuleLoadDataEx": "cuModuleUnload",
		"cublasCreate_v2": "cublasDestroy_v2", "cuDevicePrimaryCtxRetain": "cuDevicePrimaryCtxRelease_v2",
	} {
		if count[made] == 0 || count[made] != count[undone] {
			t.Errorf("%d calls of %s and %d of %s", count[made], made, count[undone], undone)
		}
	}
	var closed *device.ClosedError
	r := filled(t, session.Product{B: 1, M: 1, K: 1, N: 1})
	if _, err := r.run(s); !errors.As(err, &closed) {
		t.Errorf("a product of a closed session: %v", err)
	}
	if _, err := s.Launch(addOne(5)); !errors.As(err, &closed) {
		t.Errorf("a launch of a closed session: %v", err)
	}
	if err := s.Healthy(); !errors.As(err, &closed) {
		t.Errorf("a closed session is healthy: %v", err)
	}
}

// A request that the device answers by itself, or that does not fit its buffers,
// is refused before the GPU hears of it.
func TestRefusedBeforeTheGPU(t *testing.T) {
	s, m := open(t, fake.Config{})
	r := filled(t, session.Product{B: 2, M: 3, K: 4, N: 5})
	m.Forget()
	for name, try := range map[string]func() error{
		"no terms": func() error {
			p := r.Product
			p.K = 0
			_, err := s.Multiply(p, nil, nil, r.out)
			return err
		},
		"an empty output": func() error {
			p := r.Product
			p.M = 0
			_, err := s.Multiply(p, nil, r.right, nil)
			return err
		},
		"left short":  func() error { _, err := s.Multiply(r.Product, r.left[1:], r.right, r.out); return err },
		"right long":  func() error { _, err := s.Multiply(r.Product, r.left, append(r.right, 0), r.out); return err },
		"out missing": func() error { _, err := s.Multiply(r.Product, r.left, r.right, nil); return err },
	} {
		if try() == nil {
			t.Errorf("%s: it was multiplied", name)
		}
	}
	if calls := m.Calls(); len(calls) > 0 {
		t.Errorf("the GPU was called: %v", calls)
	}
}
