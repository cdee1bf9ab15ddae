package session_test

import (
	"encoding/binary"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/kernels/matmul"
)

// idle is a context whose calls do nothing: what is left is the session's own.
type idle struct{ nvidia.Context }

func (idle) CopyIn(nvidia.Pointer, []byte) error  { return nil }
func (idle) CopyOut([]byte, nvidia.Pointer) error { return nil }
func (idle) Record(nvidia.Event) error            { return nil }
func (idle) Synchronize() error                   { return nil }
func (idle) Elapsed(nvidia.Event, nvidia.Event) (float64, error) {
	return 0, nil
}
func (idle) Launch(nvidia.Function, nvidia.Dim3, nvidia.Dim3, uint32, [][]byte) error { return nil }

type idleDriver struct{ nvidia.Driver }

func (d idleDriver) Open(ordinal int) (nvidia.Context, error) {
	c, err := d.Driver.Open(ordinal)
	return idle{c}, err
}

// tinySession is a session with room for the tiny product, over the driver.
func tinySession(b testing.TB, wrap func(nvidia.Driver) nvidia.Driver) (*session.Session, request) {
	b.Helper()
	locked(b)
	l := libraries(b, fake.New(fake.Config{}))
	l.Driver = wrap(l.Driver)
	s, err := session.Open(l, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	r := filled(b, session.Product{B: 1, M: 2, K: 3, N: 2})
	if _, err := r.run(s); err != nil {
		b.Fatal(err)
	}
	return s, r
}

// BenchmarkOverhead is what a session costs beside the native calls of the tiny
// product, which do nothing here.
func BenchmarkOverhead(b *testing.B) {
	s, r := tinySession(b, func(d nvidia.Driver) nvidia.Driver { return idleDriver{d} })
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.run(s); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTinyProduct is the tiny product over the fake, through a session and
// by the same calls alone.
func BenchmarkTinyProduct(b *testing.B) {
	b.Run("session", func(b *testing.B) {
		s, r := tinySession(b, func(d nvidia.Driver) nvidia.Driver { return d })
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.run(s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("native calls", func(b *testing.B) {
		locked(b)
		m := fake.New(fake.Config{})
		check := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		d, err := m.Driver()
		check(err)
		c, err := d.Open(0)
		check(err)
		defer c.Close()
		module, err := c.Load(matmul.PTX(0))
		check(err)
		f, err := c.Function(module, "matmul_naive_f64")
		check(err)
		r := filled(b, session.Product{B: 1, M: 2, K: 3, N: 2})
		var at [3]nvidia.Pointer
		var arguments [][]byte
		for i := range at {
			at[i], err = c.Alloc(64)
			check(err)
			arguments = append(arguments, binary.LittleEndian.AppendUint64(nil, uint64(at[i])))
		}
		params := matmul.Packed(1, 2, 3, 2)
		arguments = append(arguments, params.Bytes())
		start, err := c.NewEvent()
		check(err)
		end, err := c.NewEvent()
		check(err)
		b.ReportAllocs()
		for b.Loop() {
			check(c.CopyIn(at[0], r.left))
			check(c.CopyIn(at[1], r.right))
			check(c.Record(start))
			check(c.Launch(f, nvidia.Dim3{X: 1, Y: 1, Z: 1}, nvidia.Dim3{X: 16, Y: 16, Z: 1}, 0, arguments))
			check(c.Record(end))
			check(c.Synchronize())
			_, err := c.Elapsed(start, end)
			check(err)
			check(c.CopyOut(r.out, at[2]))
		}
	})
}

// One request of a session that has its room allocates next to nothing.
func TestFewAllocations(t *testing.T) {
	s, r := tinySession(t, func(d nvidia.Driver) nvidia.Driver { return idleDriver{d} })
	got := testing.AllocsPerRun(100, func() {
		if _, err := r.run(s); err != nil {
			t.Fatal(err)
		}
	})
	if got > 2 { // the bytes of the kernel's struct
		t.Errorf("a request allocates %v times", got)
	}
}
