package session

import (
	"encoding/binary"
	"slices"
	"time"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/launch"
)

// Launch runs a kernel: a sequence of one.
func (s *Session) Launch(l *launch.Launch) (*launch.Result, error) {
	return launch.One(s.Sequence([]*launch.Launch{l}))
}

// Sequence runs kernels of any source, one after the other: of the catalogue as it
// is from the PTX that comes with the workbench, and of another one compiled for
// the device. Their buffers exist for the sequence alone.
func (s *Session) Sequence(launches []*launch.Launch) ([]*launch.Result, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if len(launches) == 0 {
		return nil, nil
	}
	if err := launch.CheckSequence(launches); err != nil {
		return nil, err
	}
	for i, l := range launches {
		if err := s.checkLaunch(l); err != nil {
			return nil, launch.At(launches, i, err)
		}
	}
	of, err := s.named(launches)
	if err != nil {
		return nil, err
	}
	kernels := make([]*kernel, len(launches))
	constants := make([][]nvidia.Pointer, len(launches))
	for i, l := range launches {
		if kernels[i], err = s.kernel(of, l.Kernel); err == nil {
			err = kernels[i].checkArguments(l)
		}
		if err == nil {
			constants[i], err = s.constants(of, l)
		}
		if err != nil {
			return nil, launch.At(launches, i, err)
		}
	}
	s.output() // what came before is none of the kernels'

	memory := newBuffers(launches)
	if err := s.room(memory); err != nil {
		return nil, err
	}
	results, err := s.run(launches, kernels, constants, memory)
	if freed := s.give(memory); err == nil {
		err = freed // otherwise the first error is the one to tell
	}
	return results, err
}

// buffers are the device memory of a sequence.
type buffers struct {
	list []*launch.Buffer // each once
	at   map[*launch.Buffer]nvidia.Pointer
}

func newBuffers(launches []*launch.Launch) *buffers {
	return &buffers{list: launch.Memories(launches), at: map[*launch.Buffer]nvidia.Pointer{}}
}

// address returns the bytes of a pointer to b, or to so many bytes behind its
// beginning.
func (m *buffers) address(b *launch.Buffer, offset int) []byte {
	return binary.LittleEndian.AppendUint64(nil, uint64(m.at[b])+uint64(offset))
}

// give frees the buffers of a sequence.
func (s *Session) give(m *buffers) error {
	if s.broken != nil {
		return nil // the driver takes nothing back any more
	}
	var first error
	for _, b := range m.list {
		p := m.at[b]
		if p == 0 {
			continue
		}
		delete(m.at, b)
		if err := s.context.Free(p); err != nil && first == nil {
			first = s.failed(err, "giving back the memory of a launch")
		}
	}
	return first
}

// room allocates the buffers of a sequence. The staging buffers are idle, and make
// way if that helps.
func (s *Session) room(m *buffers) error {
	var needs uint64
	for _, b := range m.list {
		needs = plus(needs, uint64(len(b.Data)))
	}
	if needs == 0 {
		return nil
	}
	free, _, err := s.context.Memory()
	if err != nil {
		return s.failed(err, "the memory of the device")
	}
	if plus(needs, Reserve) > free {
		if held := s.staging.held(); plus(needs, Reserve) > free+held {
			return s.outOfMemory(needs, free, nil)
		}
		if err := s.staging.release(s.context); err != nil {
			return s.failed(err, "making room in device memory")
		}
	}
	for _, b := range m.list {
		// No pointer leads to nothing, and a kernel must not follow one.
		if len(b.Data) == 0 {
			continue
		}
		p, err := s.context.Alloc(uint64(len(b.Data)))
		if err == nil {
			m.at[b] = p
			continue
		}
		if isOutOfMemory(err) {
			err = s.outOfMemory(needs, free, err)
		} else {
			err = s.failed(err, "making room in device memory")
		}
		_ = s.give(m)
		return err
	}
	return nil
}

// run copies the buffers in, launches one kernel after the other, waiting for each,
// and copies those back that are to come back. Beside an error are the results of
// the launches before it, whose buffers went with the device.
func (s *Session) run(launches []*launch.Launch, kernels []*kernel, constants [][]nvidia.Pointer, memory *buffers) ([]*launch.Result, error) {
	clock := time.Now()
	for _, b := range memory.list {
		if p := memory.at[b]; p != 0 {
			if err := s.context.CopyIn(p, b.Data); err != nil {
				return nil, s.failed(err, "copying to the device")
			}
		}
	}
	copied := time.Since(clock)

	var results []*launch.Result
	for i, l := range launches {
		r := &launch.Result{Device: s.device.Name, Log: kernels[i].log}
		parameters := parametersFor(l, memory)
		for j, c := range l.Constants {
			if len(c.Value) == 0 {
				continue
			}
			if err := s.context.CopyIn(constants[i][j], c.Value); err != nil {
				return results, launch.At(launches, i, s.failed(err, "setting "+c.Name))
			}
		}
		var err error
		if r.Cost.KernelNS, err = s.timed(func() error {
			return s.context.Launch(kernels[i].function, dim(l.Grid), dim(l.Block), uint32(l.SharedBytes), parameters)
		}); err != nil {
			return results, launch.At(launches, i, s.failed(err, "the kernel "+l.Kernel.Symbol))
		}
		r.Output = s.output()
		results = append(results, r)
	}

	clock = time.Now()
	contents := map[*launch.Buffer][]byte{}
	for _, b := range memory.list {
		if !b.Out {
			continue
		}
		contents[b] = make([]byte, len(b.Data))
		if p := memory.at[b]; p != 0 {
			if err := s.context.CopyOut(contents[b], p); err != nil {
				return results, s.failed(err, "copying from the device")
			}
		}
	}
	launch.Collect(launches, results, contents)
	results[0].Cost.CopyInNS = copied.Nanoseconds()
	results[len(results)-1].Cost.CopyOutNS = time.Since(clock).Nanoseconds()
	return results, nil
}

// parametersFor are the arguments of a launch as its kernel takes them.
func parametersFor(l *launch.Launch, memory *buffers) [][]byte {
	out := make([][]byte, len(l.Args))
	for i, a := range l.Args {
		if a.Buffer != nil {
			out[i] = memory.address(a.Buffer, a.Offset)
			continue
		}
		out[i] = a.Value
		if len(a.Pointers) > 0 {
			out[i] = slices.Clone(a.Value)
		}
		for _, p := range a.Pointers {
			copy(out[i][p.Offset:], memory.address(p.Buffer, 0))
		}
	}
	return out
}

func (s *Session) output() string {
	if s.libraries.Output == nil {
		return ""
	}
	return s.libraries.Output()
}
