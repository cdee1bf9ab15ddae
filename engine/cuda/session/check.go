package session

import (
	"fmt"
	"strings"

	"workbench/engine/launch"
)

// Limits of a launch that every device has (CUDA C++ Programming Guide,
// technical specifications per compute capability).
const (
	maxGridX          = 1<<31 - 1
	maxGridYZ         = 1<<16 - 1
	maxBlockXY        = 1024
	maxBlockZ         = 64
	maxParameterBytes = 4096 // newer devices and drivers take more
)

// checkLaunch refuses what no driver would launch, and says what it would.
func (s *Session) checkLaunch(l *launch.Launch) error {
	refuse := func(field, format string, args ...any) error {
		return &launch.ArgumentError{Symbol: l.Kernel.Symbol, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	if l.Kernel.Symbol == "" {
		return refuse("symbol", "is empty: name one of the source's kernels")
	}
	if strings.ContainsRune(l.Kernel.Symbol, 0) {
		return refuse("symbol", "contains a zero byte")
	}
	for _, c := range l.Constants {
		if c.Name == "" || strings.ContainsRune(c.Name, 0) {
			return refuse("constants", "%q is not the name of a variable", c.Name)
		}
	}
	for _, e := range []struct {
		field, axis string
		extent      int
		most        int
	}{
		{"grid", "x", l.Grid.X, maxGridX},
		{"grid", "y", l.Grid.Y, maxGridYZ},
		{"grid", "z", l.Grid.Z, maxGridYZ},
		{"block", "x", l.Block.X, maxBlockXY},
		{"block", "y", l.Block.Y, maxBlockXY},
		{"block", "z", l.Block.Z, maxBlockZ},
	} {
		if e.extent < 1 || e.extent > e.most {
			return refuse(e.field, "%s is %d: a device takes 1 to %d", e.axis, e.extent, e.most)
		}
	}
	if threads := l.Block.Count(); threads > s.device.MaxThreadsPerBlock {
		return refuse("block", "%s are %d threads: %s takes at most %d a block", l.Block, threads, s.device.Name, s.device.MaxThreadsPerBlock)
	}
	if l.SharedBytes < 0 || l.SharedBytes > s.device.MaxSharedPerBlock {
		return refuse("shared_bytes", "%d bytes for a block: %s has 0 to %d", l.SharedBytes, s.device.Name, s.device.MaxSharedPerBlock)
	}
	total := 0
	for _, a := range l.Args {
		if a.Buffer == nil {
			total += len(a.Value)
		} else {
			total += pointerBytes
		}
	}
	if total > maxParameterBytes {
		return refuse("args", "the arguments have %d bytes together: a launch takes at most %d, so pass more in a buffer", total, maxParameterBytes)
	}
	return nil
}

const pointerBytes = 8

// checkArguments holds the arguments against the kernel's own declaration. The
// driver does not: it would read whatever lies where an argument should be.
func (k *kernel) checkArguments(l *launch.Launch) error {
	if k.parameters == nil {
		return nil
	}
	if len(l.Args) != len(k.parameters) {
		return &launch.ArgumentError{Symbol: l.Kernel.Symbol, Field: "args", Reason: fmt.Sprintf("there are %d arguments, and the kernel has %d parameters: give each one", len(l.Args), len(k.parameters))}
	}
	for i, a := range l.Args {
		size, what := len(a.Value), "the value has"
		if a.Buffer != nil {
			size, what = pointerBytes, "a pointer to a buffer has"
		}
		if size != k.parameters[i] {
			return &launch.ArgumentError{
				Symbol: l.Kernel.Symbol, Field: fmt.Sprintf("args[%d]", i),
				Reason: fmt.Sprintf("%s %d bytes, and parameter %d of the kernel has %d", what, size, i, k.parameters[i]),
			}
		}
	}
	return nil
}
