package session

import (
	"encoding/binary"
	"time"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/launch"
)

// Launch runs any kernel: one of the catalogue as it is from the PTX that comes
// with the workbench, and another one compiled for the device. Its buffers exist
// for the launch alone.
func (s *Session) Launch(l *launch.Launch) (*launch.Result, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if err := s.checkLaunch(l); err != nil {
		return nil, err
	}
	k, err := s.kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	if err := k.checkArguments(l); err != nil {
		return nil, err
	}
	s.output() // what came before is none of the kernel's

	buffers := make([]nvidia.Pointer, len(l.Args))
	if err := s.room(l.Args, buffers); err != nil {
		return nil, err
	}
	result, err := s.run(l, k, buffers)
	if err != nil {
		err = s.failed(err, "the kernel "+l.Kernel.Symbol)
	}
	if freed := s.give(buffers); err == nil {
		err = freed // otherwise the first error is the one to tell
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// give frees the buffers of a launch.
func (s *Session) give(buffers []nvidia.Pointer) error {
	if s.broken != nil {
		return nil // the driver takes nothing back any more
	}
	var first error
	for i, p := range buffers {
		if p == 0 {
			continue
		}
		buffers[i] = 0
		if err := s.context.Free(p); err != nil && first == nil {
			first = s.failed(err, "giving back the memory of a launch")
		}
	}
	return first
}

// room allocates the buffers of a launch. The staging buffers are idle, and make
// way if that helps.
func (s *Session) room(args []launch.Arg, buffers []nvidia.Pointer) error {
	var needs uint64
	for _, a := range args {
		if a.Buffer != nil {
			needs = plus(needs, uint64(len(a.Buffer.Data)))
		}
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
	for i, a := range args {
		// No pointer leads to nothing, and a kernel must not follow one.
		if a.Buffer == nil || len(a.Buffer.Data) == 0 {
			continue
		}
		p, err := s.context.Alloc(uint64(len(a.Buffer.Data)))
		if err == nil {
			buffers[i] = p
			continue
		}
		if isOutOfMemory(err) {
			err = s.outOfMemory(needs, free, err)
		} else {
			err = s.failed(err, "making room in device memory")
		}
		_ = s.give(buffers)
		return err
	}
	return nil
}

// run copies the buffers in, launches, waits, and copies those back that the
// launch asks for.
func (s *Session) run(l *launch.Launch, k *kernel, buffers []nvidia.Pointer) (*launch.Result, error) {
	result := &launch.Result{Device: s.device.Name, Buffers: make([][]byte, len(l.Args)), Log: k.log}
	parameters := make([][]byte, len(l.Args))
	clock := time.Now()
	for i, a := range l.Args {
		if a.Buffer == nil {
			parameters[i] = a.Value
			continue
		}
		parameters[i] = binary.LittleEndian.AppendUint64(nil, uint64(buffers[i]))
		if buffers[i] != 0 {
			if err := s.context.CopyIn(buffers[i], a.Buffer.Data); err != nil {
				return nil, err
			}
		}
	}
	result.Cost.CopyInNS = time.Since(clock).Nanoseconds()

	var err error
	if result.Cost.GPUNS, err = s.timed(func() error {
		return s.context.Launch(k.function, dim(l.Grid), dim(l.Block), uint32(l.SharedBytes), parameters)
	}); err != nil {
		return nil, err
	}
	result.Output = s.output()

	clock = time.Now()
	for i, a := range l.Args {
		if a.Buffer == nil || !a.Buffer.Out {
			continue
		}
		result.Buffers[i] = make([]byte, len(a.Buffer.Data))
		if buffers[i] != 0 {
			if err := s.context.CopyOut(result.Buffers[i], buffers[i]); err != nil {
				return nil, err
			}
		}
	}
	result.Cost.CopyOutNS = time.Since(clock).Nanoseconds()
	return result, nil
}

func (s *Session) output() string {
	if s.libraries.Output == nil {
		return ""
	}
	return s.libraries.Output()
}
