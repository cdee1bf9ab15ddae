package worker

import (
	"encoding/json"
	"fmt"
	"slices"

	"workbench/engine/launch"
)

// wireLaunch is a launch without the contents of its buffers. Those lie one
// after the other, each at a multiple of 64 bytes, in the frame's body or in
// shared memory.
type wireLaunch struct {
	Kernel      launch.Kernel `json:"kernel"`
	Grid        launch.Dim3   `json:"grid"`
	Block       launch.Dim3   `json:"block"`
	SharedBytes int           `json:"shared_bytes"`
	Args        []wireArg     `json:"args"`
	Memory      int           `json:"memory"` // bytes of shared memory there are, where buffers lie in it
}

type wireArg struct {
	Name   string `json:"name"`
	Value  []byte `json:"value,omitempty"`
	Buffer bool   `json:"buffer,omitempty"`
	Type   string `json:"type,omitempty"`
	Bytes  int    `json:"bytes,omitempty"`
	Out    bool   `json:"out,omitempty"`
}

// wireResult is a launch's result without the contents of its buffers, which
// lie like those of the launch. A length of -1 is no buffer.
type wireResult struct {
	Device  string      `json:"device"`
	Output  string      `json:"output"`
	Log     string      `json:"log"`
	Cost    launch.Cost `json:"cost"`
	Lengths []int       `json:"lengths"`
}

// mostSource bounds the source of a kernel, in bytes: escaped for JSON, it still
// fits into a frame.
const mostSource = 1 << 20

// mostArgs bounds the arguments of a launch. CUDA takes 4096 bytes of them
// (CUDA C++ Programming Guide, __global__ function parameters; 32764 from
// compute capability 7.0 on).
const mostArgs = 4096

// arrange places buffers one after the other: where each begins, and where the
// last ends. Lengths below zero are no buffers.
func arrange(lengths []int) (at []int, total int, err error) {
	at = make([]int, len(lengths))
	for i, n := range lengths {
		total = aligned(total)
		at[i] = total
		if n < 0 {
			continue
		}
		if n > mostShared-total {
			return nil, 0, fmt.Errorf("the buffers have more than %d bytes", mostShared)
		}
		total += n
	}
	return at, total, nil
}

// launchOf returns what travels of l in a frame's metadata.
func launchOf(l *launch.Launch) (w wireLaunch, lengths []int) {
	w = wireLaunch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block, SharedBytes: l.SharedBytes, Args: make([]wireArg, len(l.Args))}
	lengths = make([]int, len(l.Args))
	for i, a := range l.Args {
		w.Args[i] = wireArg{Name: a.Name, Value: a.Value}
		lengths[i] = -1
		if a.Buffer != nil {
			w.Args[i].Buffer, w.Args[i].Type, w.Args[i].Out, w.Args[i].Bytes = true, a.Buffer.Type, a.Buffer.Out, len(a.Buffer.Data)
			lengths[i] = len(a.Buffer.Data)
		}
	}
	return w, lengths
}

// launch makes the frame of a launch; the buffers follow in its body unless they
// are in shared memory.
func (b *frameBuilder) launch(number uint64, flags uint8, w wireLaunch) error {
	meta, err := json.Marshal(w)
	if err != nil {
		return err
	}
	b.begin(kindLaunch, flags, number)
	b.bytes = append(b.bytes, meta...)
	return nil
}

// readLaunch reads and checks the frame of a launch. Room returns so many bytes
// of shared memory; the buffers of the launch are slices of it, or of the frame.
func readLaunch(f frame, room func(bytes int) ([]byte, error)) (l *launch.Launch, memory []byte, err error) {
	fail := func(err error) (*launch.Launch, []byte, error) { return nil, nil, err }
	var w wireLaunch
	if err := json.Unmarshal(f.meta, &w); err != nil {
		return fail(malformed("its launch: %v", err))
	}
	if len(w.Args) > mostArgs {
		return fail(malformed("a launch has %d arguments, and %d is the most", len(w.Args), mostArgs))
	}
	if w.Memory < 0 || w.Memory > mostShared {
		return fail(malformed("a launch is given %d bytes of shared memory", w.Memory))
	}
	lengths := make([]int, len(w.Args))
	for i, a := range w.Args {
		lengths[i] = -1
		if a.Buffer {
			if lengths[i] = a.Bytes; a.Bytes < 0 {
				return fail(malformed("a buffer has %d bytes", a.Bytes))
			}
		}
	}
	at, total, err := arrange(lengths)
	if err != nil {
		return fail(malformed("%v", err))
	}
	shared := f.flags&flagShared != 0
	if shared != (total >= inlineBelow) || shared && (len(f.body) != 0 || total > w.Memory) || !shared && len(f.body) != total {
		return fail(malformed("a launch with buffers of %d bytes has a body of %d and %d bytes of shared memory", total, len(f.body), w.Memory))
	}
	contents := f.body
	if shared {
		if memory, err = room(w.Memory); err != nil {
			return fail(err)
		}
		contents = memory
	}
	l = &launch.Launch{Kernel: w.Kernel, Grid: w.Grid, Block: w.Block, SharedBytes: w.SharedBytes, Args: make([]launch.Arg, len(w.Args))}
	for i, a := range w.Args {
		l.Args[i] = launch.Arg{Name: a.Name, Value: a.Value}
		if a.Buffer {
			l.Args[i].Buffer = &launch.Buffer{Type: a.Type, Out: a.Out, Data: contents[at[i]:][:a.Bytes:a.Bytes]}
		}
	}
	return l, memory, nil
}

// ranLengths are the lengths of the buffers that come back of l, and whether they
// do in the frame. In shared memory each is where it was in the launch.
func ranLengths(l *launch.Launch) (back []int, inline bool, err error) {
	back = make([]int, len(l.Args))
	for i, a := range l.Args {
		back[i] = -1
		if a.Buffer != nil && a.Buffer.Out {
			back[i] = len(a.Buffer.Data)
		}
	}
	_, total, err := arrange(back)
	return back, total < inlineBelow, err
}

// ran makes the frame of the result of l. The buffers that come back are in its
// body, or in the shared memory of the launch.
func (b *frameBuilder) ran(number uint64, l *launch.Launch, r *launch.Result, memory []byte) error {
	back, inline, err := ranLengths(l)
	if err != nil {
		return err
	}
	if len(r.Buffers) != len(back) {
		return fmt.Errorf("BUG: %d buffers came back of a launch with %d arguments", len(r.Buffers), len(back))
	}
	for i, n := range back {
		if len(r.Buffers[i]) != max(n, 0) {
			return fmt.Errorf("BUG: argument %d came back with %d bytes instead of %d", i, len(r.Buffers[i]), max(n, 0))
		}
	}
	meta, err := json.Marshal(wireResult{Device: r.Device, Output: clip(r.Output), Log: clip(r.Log), Cost: r.Cost, Lengths: back})
	if err != nil {
		return err
	}
	b.begin(kindRan, 0, number)
	b.bytes = append(b.bytes, meta...)
	lengths := back
	if !inline {
		_, lengths = launchOf(l)
	}
	at, total, err := arrange(lengths)
	if err != nil {
		return err
	}
	to := memory
	if inline {
		to = b.body(total)
	}
	for i, data := range r.Buffers {
		copy(to[at[i]:], data)
	}
	return nil
}

// readRan reads the frame of the result of l. Memory is the shared memory of the
// launch. The buffers are copies.
func readRan(f frame, l *launch.Launch, memory []byte) (*launch.Result, error) {
	var w wireResult
	if f.kind != kindRan {
		return nil, malformed("kind %d as the answer to a launch", f.kind)
	}
	if err := json.Unmarshal(f.meta, &w); err != nil {
		return nil, malformed("its result: %v", err)
	}
	back, inline, err := ranLengths(l)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(w.Lengths, back) {
		return nil, malformed("buffers of %v bytes came back instead of %v", w.Lengths, back)
	}
	lengths, from := back, f.body
	if !inline {
		_, lengths = launchOf(l)
		from = memory
	}
	at, total, err := arrange(lengths)
	if err != nil {
		return nil, err
	}
	if inline && len(f.body) != total || !inline && len(f.body) != 0 {
		return nil, malformed("buffers of %d bytes came back in a body of %d", total, len(f.body))
	}
	r := &launch.Result{Device: w.Device, Output: w.Output, Log: w.Log, Cost: w.Cost, Buffers: make([][]byte, len(back))}
	for i, n := range back {
		if n >= 0 {
			r.Buffers[i] = append(make([]byte, 0, n), from[at[i]:][:n]...)
		}
	}
	return r, nil
}
