package session_test

import (
	"errors"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
)

// column is a product of float64 whose left side has so many bytes, its right
// side 8 and its result as many as the left one.
func column(left int) session.Product {
	return session.Product{B: 1, M: left / 8, K: 1, N: 1}
}

// vectors is a product of float64 with so many bytes on either side, and 8 in
// its result.
func vectors(n int) session.Product { return session.Product{B: 1, M: 1, K: n / 8, N: 1} }

func allocations(m *fake.Machine) (sizes []uint64) {
	for _, c := range m.Calls() {
		if c.Name == "cuMemAlloc_v2" {
			sizes = append(sizes, c.Bytes)
		}
	}
	return sizes
}

// Buffers grow to the next power of two, and are used again by everything that
// fits into them.
func TestStagingGrows(t *testing.T) {
	s, m := open(t, fake.Config{})
	for _, step := range []struct {
		left int
		want []uint64 // allocated
	}{
		{8, []uint64{64 << 10, 64 << 10, 64 << 10}},
		{8, nil},
		{64 << 10, nil},
		{64<<10 + 8, []uint64{128 << 10, 128 << 10}},
		{8, nil},
		{128 << 10, nil},
		{3 << 20, []uint64{4 << 20, 4 << 20}},
		{4 << 20, nil},
	} {
		m.Forget()
		if _, err := filled(t, column(step.left)).run(s); err != nil {
			t.Fatal(err)
		}
		got := allocations(m)
		if len(got) != len(step.want) {
			t.Fatalf("for %d bytes %v are allocated, want %v", step.left, got, step.want)
		}
		for i := range got {
			if got[i] != step.want[i] {
				t.Errorf("for %d bytes %v are allocated, want %v", step.left, got, step.want)
			}
		}
		// What is needed is asked for only where something is allocated.
		if asked := len(named(m.Calls(), "cuMemGetInfo_v2")); (asked > 0) != (len(step.want) > 0) {
			t.Errorf("for %d bytes the free memory is asked for %d times", step.left, asked)
		}
		if held := m.Holds(0).Allocations; held != 3 {
			t.Errorf("for %d bytes %d allocations are held", step.left, held)
		}
	}
}

// TestReserve holds the staging buffers to leaving the reserve free, to the byte.
func TestReserve(t *testing.T) {
	const small = 3 * (64 << 10) // of the buffers of a tiny product
	for _, c := range []struct {
		name   string
		beyond uint64 // memory beyond the reserve
		first  int    // bytes of a product before, or 0
		p      session.Product
		want   []uint64 // allocated
		asked  uint64   // of a request that does not fit
	}{
		{"all rounded, to the byte", small, 0, column(8), []uint64{64 << 10, 64 << 10, 64 << 10}, 0},
		{"a byte too little to round", small - 1, 0, column(8), []uint64{8, 8, 8}, 0},
		{"exact, to the byte", 2*mebi + 8, 0, column(mebi), []uint64{mebi, 8, mebi}, 0},
		{"a byte too little", 2*mebi + 7, 0, column(mebi), nil, 2*mebi + 8},
		{"nothing free", 0, 0, column(8), nil, 24},
		{"no growth", 2*mebi + 64<<10, mebi, column(mebi), []uint64{}, 0},
		// The old buffers are freed first: 64 KiB of right stay.
		{"growth without rounding", 2*mebi + 64<<10 + 16, mebi, column(mebi + 8), []uint64{mebi + 8, mebi + 8}, 0},
		// Left's buffer gives the room it has to spare.
		{"what others have to spare", 2*mebi + 64<<10, mebi, vectors(mebi), []uint64{mebi, mebi, 8}, 0},
		{"a byte too little in all", 2*mebi + 64<<10, mebi, vectors(mebi + 32<<10), nil, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := open(t, fake.Config{Memory: session.Reserve + c.beyond})
			if c.first > 0 {
				if _, err := filled(t, column(c.first)).run(s); err != nil {
					t.Fatal(err)
				}
			}
			before := m.Holds(0)
			m.Forget()
			_, err := filled(t, c.p).run(s)
			got := allocations(m)
			if c.want == nil {
				var e *device.MemoryError
				if !errors.As(err, &e) {
					t.Fatalf("the error is %v", err)
				}
				free := session.Reserve + c.beyond - before.Bytes
				if e.Asked != c.asked || e.Free != free {
					t.Errorf("the error is %+v, want %d asked and %d free", e, c.asked, free)
				}
				if len(got) > 0 || m.Holds(0).Bytes != before.Bytes {
					t.Errorf("%v were allocated, and the device holds %+v after %+v", got, m.Holds(0), before)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(c.want) {
				t.Fatalf("%v are allocated, want %v", got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("%v are allocated, want %v", got, c.want)
				}
			}
			if held := m.Holds(0).Bytes; held > c.beyond {
				t.Errorf("%d bytes are held, and %d are there beyond the reserve", held, c.beyond)
			}
		})
	}
}

// A launch takes the memory of the idle staging buffers where it needs it, and
// leaves the reserve too.
func TestLaunchReserve(t *testing.T) {
	s, m := open(t, fake.Config{Memory: session.Reserve + 3*mebi})
	if _, err := filled(t, column(mebi)).run(s); err != nil {
		t.Fatal(err)
	}
	held := m.Holds(0).Bytes // 2 MiB and 64 KiB
	if _, err := s.Launch(addOne(100_000)); err != nil {
		t.Fatal(err)
	}
	if got := m.Holds(0).Bytes; got != held {
		t.Errorf("%d bytes are held after a launch that fits beside %d", got, held)
	}
	if _, err := s.Launch(addOne(3 * mebi / 4)); err != nil {
		t.Fatal(err)
	}
	if got := m.Holds(0).Bytes; got != 0 {
		t.Errorf("%d bytes are held after a launch that needs all", got)
	}
	if _, err := filled(t, column(mebi)).run(s); err != nil {
		t.Fatal(err)
	}
	l := addOne(0)
	l.Args[0].Buffer.Type, l.Args[0].Buffer.Data = "char", make([]byte, 3*mebi+1)
	var e *device.MemoryError
	if _, err := s.Launch(l); !errors.As(err, &e) || e.Asked != 3*mebi+1-held {
		t.Errorf("a byte more: %v", err)
	}
	if got := m.Holds(0).Bytes; got != held {
		t.Errorf("%d bytes are held after a launch that had no room beside %d", got, held)
	}
	if _, err := filled(t, column(mebi)).run(s); err != nil {
		t.Error(err)
	}
}

// A product of more bytes than any device has is refused as one.
func TestHugeRequest(t *testing.T) {
	s, m := open(t, fake.Config{})
	p := session.Product{B: 1, M: 1 << 29, K: 1 << 29, N: 1}
	if l, _, _, err := p.Sizes(); err != nil || l != 1<<61 {
		t.Fatal(l, err)
	}
	m.Forget()
	// Operands of this size cannot be made, so the buffers are short: it is
	// the lengths that are refused.
	if _, err := s.Multiply(p, nil, nil, nil); err == nil {
		t.Error("it was multiplied")
	}
	if calls := m.Calls(); len(calls) > 0 {
		t.Errorf("the GPU was called: %v", calls)
	}
}
