package session

import (
	"errors"
	"math"
	"math/bits"

	"workbench/engine/cuda/nvidia"
)

// buffer is device memory that a request is staged in.
type buffer struct {
	at   nvidia.Pointer
	size uint64 // 0 where there is none
}

// staging are the buffers of left, right and out. They grow and are used again:
// an allocation takes longer than a small product.
type staging [3]buffer

// held returns the bytes of all buffers.
func (st *staging) held() uint64 { return st[0].size + st[1].size + st[2].size }

func (st *staging) release(c nvidia.Context) error {
	var errs []error
	for i := range st {
		errs = append(errs, st.drop(c, i))
	}
	return errors.Join(errs...)
}

func (st *staging) drop(c nvidia.Context, i int) error {
	b := st[i]
	if b.size == 0 {
		return nil
	}
	st[i] = buffer{}
	return c.Free(b.at)
}

// smallest is the smallest staging buffer: the products of the course's examples
// fit into one, so that it is allocated once.
const smallest = 64 << 10

// roundUp returns the size of a buffer for so many bytes: the next power of two,
// so that a growing sequence of products allocates seldom.
func roundUp(n uint64) uint64 {
	if n <= smallest {
		return smallest
	}
	if n > 1<<62 {
		return n
	}
	return 1 << bits.Len64(n-1)
}

// stage makes room for buffers of these bytes. It frees a buffer before it
// allocates the larger one, so that both need not fit at a time, and it never
// leaves less than Reserve free: rather than that it gives up the rounding, and
// then the room that other buffers have to spare. What does not fit even so is a
// *device.MemoryError, before anything was allocated.
func (s *Session) stage(needs [3]uint64) error {
	st := &s.staging
	grow := [3]bool{}
	for i, n := range needs {
		grow[i] = n > st[i].size
	}
	if grow == [3]bool{} {
		return nil
	}
	free, _, err := s.context.Memory()
	if err != nil {
		return s.failed(err, "the memory of the device")
	}
	all := [3]bool{true, true, true}
	exact := func(n uint64) uint64 { return n }
	var refused error // by the driver, in spite of the reckoning
	for _, plan := range []struct {
		replace [3]bool
		size    func(uint64) uint64
	}{
		{grow, roundUp},
		{grow, exact},
		{all, exact},
	} {
		before, after := uint64(0), uint64(Reserve)
		for i, n := range needs {
			// What an earlier plan freed is none of st's any more.
			if plan.replace[i] || st[i].size < n {
				plan.replace[i] = true
				before += st[i].size
				after = plus(after, plan.size(n))
			}
		}
		if after > free+before {
			continue
		}
		err := s.replace(needs, plan.replace, plan.size)
		if err == nil {
			return nil
		}
		if refused = err; !isOutOfMemory(err) {
			return s.failed(err, "making room in device memory")
		}
		if free, _, err = s.context.Memory(); err != nil {
			return s.failed(err, "the memory of the device")
		}
	}
	return s.outOfMemory(plus(plus(needs[0], needs[1]), needs[2]), free, refused)
}

// plus adds sizes, and gives the largest for one that does not fit.
func plus(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// replace frees the chosen buffers and allocates new ones. If it cannot, none of
// them is left.
func (s *Session) replace(needs [3]uint64, which [3]bool, size func(uint64) uint64) error {
	st := &s.staging
	for i, chosen := range which {
		if chosen {
			if err := st.drop(s.context, i); err != nil {
				return err
			}
		}
	}
	for i, chosen := range which {
		if !chosen {
			continue
		}
		n := size(needs[i])
		p, err := s.context.Alloc(n)
		if err != nil {
			for j, chosen := range which {
				if chosen {
					// The first error is the one to tell.
					_ = st.drop(s.context, j)
				}
			}
			return err
		}
		st[i] = buffer{p, n}
	}
	return nil
}

// isOutOfMemory reports whether the driver had no memory left.
func isOutOfMemory(err error) bool {
	var refused *nvidia.Error
	return errors.As(err, &refused) && refused.Library == "driver" && refused.Code == nvidia.OutOfMemory
}
