// Package simt runs kernels of CUDA C without a GPU, checks them for what is
// wrong, and measures what they do.
//
// What is where: front reads the source, code is what it becomes, run executes
// it, a warp at a time, and watch finds the faults and counts.
package simt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"workbench/engine/launch"
	"workbench/engine/simt/run"
	"workbench/engine/simt/source"
	"workbench/engine/simt/watch"
)

// Name is what a result says ran it.
const Name = "CUDA emulator"

// Emulator is a launch.Launcher. The zero value checks everything and measures;
// it may be used by any number of goroutines. It keeps the kernels it read last, and
// must not be copied once it is used.
type Emulator struct {
	Unchecked    []launch.ReportKind // what is not reported
	Instructions int64               // what a launch may execute; 0 is run.DefaultInstructions

	images images
}

var _ launch.Launcher = (*Emulator)(nil)

// Launch runs a kernel. What is wrong with it is in the result's reports, and no
// error.
func (e *Emulator) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("launch of %s: %w", l.Kernel.Symbol, err)
	}
	image, err := e.images.of(l.Kernel)
	if err != nil {
		return nil, uncompiled(l.Kernel, err)
	}
	m, err := run.New(image, 0)
	if err != nil {
		return nil, fmt.Errorf("launch of %s: %w", l.Kernel.Symbol, err)
	}

	checks := watch.NewChecks(watch.Options{Source: lines(l.Kernel), Kinds: e.kinds()})
	measures := watch.NewMeasures()
	buffers := l.Buffers()
	args, memory, err := place(m, checks, l, buffers)
	if err != nil {
		return nil, err
	}
	got, err := m.Launch(ctx, &run.Launch{
		Kernel: l.Kernel.Symbol, Grid: l.Grid, Block: l.Block, SharedBytes: l.SharedBytes, Args: args, Contract: l.Kernel.Contract,
		Limits: run.Limits{Instructions: e.Instructions}, Observer: watch.Join(checks, measures),
	})
	if err != nil && !checks.Ended(err) && !checks.Refused(image.Program, err) {
		return nil, err
	}

	out := &launch.Result{
		Device: Name, Buffers: make([][]byte, len(buffers)),
		Reports: checks.Reports(), Measurement: measures.Measurement(),
	}
	if got != nil {
		out.Output = got.Printed
	}
	if checks.Incomplete() {
		out.Log = "the kernel accesses more memory than races were looked for in: some may have been missed"
	}
	for i, b := range buffers {
		if b != nil && b.Out {
			out.Buffers[i] = slices.Clone(memory[b].Data)
		}
	}
	return out, nil
}

// kinds are the reports that are asked for.
func (e *Emulator) kinds() []launch.ReportKind {
	if len(e.Unchecked) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(launch.ReportKinds), func(k launch.ReportKind) bool { return slices.Contains(e.Unchecked, k) })
}

// place allocates the buffers of a launch, sets its constants, and makes its
// arguments point to them.
func place(m *run.Machine, checks *watch.Checks, l *launch.Launch, buffers []*launch.Buffer) (args [][]byte, memory map[*launch.Buffer]*run.Memory, err error) {
	refuse := func(field, format string, args ...any) error {
		return &launch.ArgumentError{Symbol: l.Kernel.Symbol, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	memory = map[*launch.Buffer]*run.Memory{}
	names := map[*launch.Buffer]string{}
	for _, a := range l.Args {
		if a.Buffer != nil && names[a.Buffer] == "" {
			names[a.Buffer] = a.Name
		}
		for i, p := range a.Pointers {
			if names[p.Buffer] == "" {
				names[p.Buffer] = fmt.Sprintf("%s.%d", a.Name, i)
			}
		}
	}
	for _, b := range buffers {
		if b == nil || memory[b] != nil {
			continue
		}
		x, err := m.Allocate(names[b], int64(len(b.Data)), b.Type, elementSize(b), b.Shape...)
		if err != nil {
			return nil, nil, fmt.Errorf("launch of %s: %w", l.Kernel.Symbol, err)
		}
		copy(x.Data, b.Data)
		if b.Uninitialised {
			checks.Unwritten(x)
		}
		memory[b] = x
	}
	for _, a := range l.Args {
		value := slices.Clone(a.Value)
		if a.Buffer != nil {
			value = address(memory[a.Buffer])
		}
		for _, p := range a.Pointers {
			copy(value[p.Offset:], address(memory[p.Buffer]))
		}
		args = append(args, value)
	}
	for _, c := range l.Constants {
		x := m.Variable(c.Name)
		if x == nil {
			return nil, nil, refuse("constants", "%s has no variable %s that the kernel uses", l.Kernel.File, c.Name)
		}
		if int64(len(c.Value)) > x.Size {
			return nil, nil, refuse("constants", "%s has %d bytes and was given %d", c.Name, x.Size, len(c.Value))
		}
		copy(x.Data, c.Value)
	}
	return args, memory, nil
}

// lines finds lines of a source for messages.
func lines(k launch.Kernel) func(file string, line int) string {
	list := strings.Split(k.Source, "\n")
	return func(file string, line int) string {
		if file != k.File || line < 1 || line > len(list) {
			return ""
		}
		return list[line-1]
	}
}

// uncompiled makes the error of a source what every Launcher gives.
func uncompiled(k launch.Kernel, err error) error {
	var at *source.Error
	if !errors.As(err, &at) {
		return fmt.Errorf("launch of %s: %w", k.Symbol, err)
	}
	return &launch.CompileError{File: k.File, Log: at.Error()}
}

// address returns the bytes of a pointer to x.
func address(x *run.Memory) []byte {
	return binary.LittleEndian.AppendUint64(nil, uint64(x.Pointer()))
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
