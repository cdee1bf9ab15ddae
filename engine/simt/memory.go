package simt

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt/run"
)

// MaxMemory is the memory of a sequence that is given no limit, in bytes: of its
// buffers, of the variables of its source, and of the blocks that run.
const MaxMemory = run.DefaultMemory

// allocate makes the memory of a sequence, with what its buffers hold before the
// first launch. It is refused as a whole, before anything is allocated.
func (s *sequence) allocate() error {
	var err error
	if s.machine, err = run.New(s.image, cmp.Or(s.emulator.Memory, MaxMemory)); err != nil {
		return noRoom(err)
	}
	buffers := launch.Memories(s.launches)
	free, asked := s.machine.Room(), int64(0)
	for _, b := range buffers {
		if asked += int64(len(b.Data)); asked > free {
			return &device.MemoryError{Spec: spec, Asked: uint64(asked), Free: uint64(free)}
		}
	}
	names := s.names()
	s.memory = make(map[*launch.Buffer]*run.Memory, len(buffers))
	for _, b := range buffers {
		x, err := s.machine.Allocate(names[b], int64(len(b.Data)), b.Type, elementSize(b), b.Shape...)
		if err != nil {
			return noRoom(err)
		}
		copy(x.Data, b.Data)
		if b.Uninitialised && s.checks != nil {
			s.checks.Unwritten(x)
		}
		s.memory[b] = x
	}
	return nil
}

// names are what messages call the buffers: as the first argument that is one, and
// else as the member of the first struct that points to it.
func (s *sequence) names() map[*launch.Buffer]string {
	names := map[*launch.Buffer]string{}
	for _, l := range s.launches {
		for _, a := range l.Args {
			if a.Buffer != nil && names[a.Buffer] == "" {
				names[a.Buffer] = a.Name
			}
		}
	}
	for _, l := range s.launches {
		for _, a := range l.Args {
			for i, p := range a.Pointers {
				if names[p.Buffer] == "" {
					names[p.Buffer] = fmt.Sprintf("%s.%d", a.Name, i)
				}
			}
		}
	}
	return names
}

// ready is a launch as the machine runs it: its arguments point to the buffers.
func (s *sequence) ready(l *launch.Launch) *run.Launch {
	out := &run.Launch{
		Kernel: l.Kernel.Symbol, Grid: l.Grid, Block: l.Block, SharedBytes: l.SharedBytes, Contract: l.Kernel.Contract,
		Limits: run.Limits{Instructions: s.emulator.Instructions},
	}
	for _, a := range l.Args {
		value := slices.Clone(a.Value)
		if a.Buffer != nil {
			value = address(s.memory[a.Buffer], a.Offset)
		}
		for _, p := range a.Pointers {
			copy(value[p.Offset:], address(s.memory[p.Buffer], 0))
		}
		out.Args = append(out.Args, value)
	}
	return out
}

// checkConstants refuses constants that the source does not have.
func (s *sequence) checkConstants(l *launch.Launch) error {
	for _, c := range l.Constants {
		reason := ""
		switch x := s.machine.Variable(c.Name); {
		case x == nil:
			reason = fmt.Sprintf("%s has no variable %s that the kernel uses", l.Kernel.File, c.Name)
		case int64(len(c.Value)) > x.Size:
			reason = fmt.Sprintf("%s has %d bytes and was given %d", c.Name, x.Size, len(c.Value))
		default:
			continue
		}
		return &launch.ArgumentError{Symbol: l.Kernel.Symbol, Field: "constants", Reason: reason}
	}
	return nil
}

// setConstants gives variables the values that a launch sets.
func (s *sequence) setConstants(l *launch.Launch) {
	for _, c := range l.Constants {
		copy(s.machine.Variable(c.Name).Data, c.Value)
	}
}

// address returns the bytes of a pointer to x, or to so many bytes behind its
// beginning.
func address(x *run.Memory, offset int) []byte {
	return binary.LittleEndian.AppendUint64(nil, uint64(x.Pointer())+uint64(offset))
}

// elementSize returns the bytes of a buffer's elements: by its shape, or by the
// name of its type, which is 1 where C has another one.
func elementSize(b *launch.Buffer) int {
	n := 1
	for _, d := range b.Shape {
		n *= d
	}
	if len(b.Shape) > 0 && n > 0 && len(b.Data)%n == 0 {
		return len(b.Data) / n
	}
	return launch.ElementSize(b.Type)
}
