package worker

import (
	"encoding/json"
	"fmt"
	"slices"

	"workbench/engine/device"
	"workbench/engine/launch"
)

// wireSequence is a sequence of launches without the contents of its buffers.
// Those lie one after the other, each at a multiple of 64 bytes, in the frame's
// body or in shared memory.
type wireSequence struct {
	File     string          `json:"file"`
	Source   string          `json:"source"`
	Contract device.Contract `json:"contract"`
	Launches []wireLaunch    `json:"launches"`
	Buffers  []wireBuffer    `json:"buffers"` // each once, in the order of their first use
	Memory   int             `json:"memory"`  // bytes of shared memory there are, where buffers lie in it
}

type wireLaunch struct {
	Symbol      string            `json:"symbol"`
	Grid        launch.Dim3       `json:"grid"`
	Block       launch.Dim3       `json:"block"`
	SharedBytes int               `json:"shared_bytes,omitempty"`
	Args        []wireArg         `json:"args"`
	Constants   []launch.Constant `json:"constants,omitempty"`
}

// wireArg names buffers by their places in the sequence's list, from 1; 0 is none.
type wireArg struct {
	Name     string        `json:"name"`
	Value    []byte        `json:"value,omitempty"`
	Buffer   int           `json:"buffer,omitempty"`
	Offset   int           `json:"offset,omitempty"`
	Pointers []wirePointer `json:"pointers,omitempty"`
}

type wirePointer struct {
	Offset int `json:"offset"`
	Buffer int `json:"buffer"`
}

type wireBuffer struct {
	Type  string `json:"type"`
	Bytes int    `json:"bytes"`
	Out   bool   `json:"out,omitempty"`
}

// wireRan is what came of a sequence, without the contents of its buffers, which
// lie like those of the sequence. A length of -1 is a buffer that does not come
// back.
type wireRan struct {
	Results []wireResult `json:"results"`
	Lengths []int        `json:"lengths"`
}

// wireResult is what came of one launch.
type wireResult struct {
	Device string      `json:"device"`
	Output string      `json:"output,omitempty"`
	Log    string      `json:"log,omitempty"`
	Cost   launch.Cost `json:"cost"`
}

// mostSource bounds the source of a kernel, in bytes: escaped for JSON, it still
// fits into a frame.
const mostSource = 1 << 20

// mostArgs bounds the arguments of a launch. CUDA takes 4096 bytes of them
// (CUDA C++ Programming Guide, __global__ function parameters; 32764 from
// compute capability 7.0 on).
const mostArgs = 4096

// What the metadata of a sequence holds beside its source, and what its results say,
// in bytes: with JSON's own, it fits into a frame. Each argument counts perArg
// beside its name and value.
const (
	mostValues = 1 << 20
	perArg     = 64
	mostTexts  = 1 << 20
)

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

// tooLarge refuses a sequence that could not travel.
func tooLarge(launches []*launch.Launch) error {
	refuse := func(i int, field, format string, args ...any) error {
		return launch.At(launches, i, &launch.ArgumentError{Symbol: launches[i].Kernel.Symbol, Field: field, Reason: fmt.Sprintf(format, args...)})
	}
	if n := len(launches[0].Kernel.Source); n > mostSource {
		return refuse(0, "kernel.source", "it has %d bytes, and %d is the most", n, mostSource)
	}
	values := 0
	for i, l := range launches {
		if len(l.Args) > mostArgs {
			return refuse(i, "args", "there are %d, and %d is the most", len(l.Args), mostArgs)
		}
		values += len(l.Kernel.Symbol)
		for _, a := range l.Args {
			values += len(a.Name) + len(a.Value) + perArg*(1+len(a.Pointers))
		}
		for _, c := range l.Constants {
			values += len(c.Name) + len(c.Value)
		}
		if values > mostValues {
			return refuse(i, "args", "the values and constants of all launches up to here have more than %d bytes together: put them into buffers", mostValues)
		}
	}
	return nil
}

// sequenceOf returns what travels of launches in a frame's metadata, their buffers
// and the lengths of those.
func sequenceOf(launches []*launch.Launch) (w wireSequence, buffers []*launch.Buffer, lengths []int) {
	k := launches[0].Kernel
	w = wireSequence{File: k.File, Source: k.Source, Contract: k.Contract}
	buffers = launch.Memories(launches)
	number := map[*launch.Buffer]int{}
	for i, b := range buffers {
		number[b] = i + 1
		lengths = append(lengths, len(b.Data))
		w.Buffers = append(w.Buffers, wireBuffer{Type: b.Type, Bytes: len(b.Data), Out: b.Out})
	}
	for _, l := range launches {
		one := wireLaunch{Symbol: l.Kernel.Symbol, Grid: l.Grid, Block: l.Block, SharedBytes: l.SharedBytes, Constants: l.Constants, Args: make([]wireArg, len(l.Args))}
		for i, a := range l.Args {
			arg := wireArg{Name: a.Name, Value: a.Value, Buffer: number[a.Buffer], Offset: a.Offset}
			for _, p := range a.Pointers {
				arg.Pointers = append(arg.Pointers, wirePointer{p.Offset, number[p.Buffer]})
			}
			one.Args[i] = arg
		}
		w.Launches = append(w.Launches, one)
	}
	return w, buffers, lengths
}

// sequence makes the frame of a sequence; the buffers follow in its body unless
// they are in shared memory.
func (b *frameBuilder) sequence(number uint64, flags uint8, w wireSequence) error {
	meta, err := json.Marshal(w)
	if err != nil {
		return err
	}
	b.begin(kindLaunch, flags, number)
	b.bytes = append(b.bytes, meta...)
	return nil
}

// readSequence reads and checks the frame of a sequence. Room returns so many bytes
// of shared memory; the buffers are slices of it, or of the frame.
func readSequence(f frame, room func(bytes int) ([]byte, error)) (launches []*launch.Launch, memory []byte, err error) {
	fail := func(err error) ([]*launch.Launch, []byte, error) { return nil, nil, err }
	var w wireSequence
	if err := json.Unmarshal(f.meta, &w); err != nil {
		return fail(malformed("its launches: %v", err))
	}
	if n := len(w.Launches); n < 1 || n > launch.MaxSequence {
		return fail(malformed("a sequence has %d launches, and 1 to %d are possible", n, launch.MaxSequence))
	}
	if w.Memory < 0 || w.Memory > mostShared {
		return fail(malformed("a sequence is given %d bytes of shared memory", w.Memory))
	}
	lengths := make([]int, len(w.Buffers))
	for i, b := range w.Buffers {
		if lengths[i] = b.Bytes; b.Bytes < 0 {
			return fail(malformed("a buffer has %d bytes", b.Bytes))
		}
	}
	at, total, err := arrange(lengths)
	if err != nil {
		return fail(malformed("%v", err))
	}
	shared := f.flags&flagShared != 0
	if shared != (total >= inlineBelow) || shared && (len(f.body) != 0 || total > w.Memory) || !shared && len(f.body) != total {
		return fail(malformed("a sequence with buffers of %d bytes has a body of %d and %d bytes of shared memory", total, len(f.body), w.Memory))
	}
	contents := f.body
	if shared {
		if memory, err = room(w.Memory); err != nil {
			return fail(err)
		}
		contents = memory
	}
	buffers := make([]*launch.Buffer, len(w.Buffers))
	for i, b := range w.Buffers {
		buffers[i] = &launch.Buffer{Type: b.Type, Out: b.Out, Data: contents[at[i]:][:b.Bytes:b.Bytes]}
	}
	for _, one := range w.Launches {
		l, err := one.launch(w, buffers)
		if err != nil {
			return fail(err)
		}
		launches = append(launches, l)
	}
	// What refers to a buffer by its place reads the same list.
	if !slices.Equal(launch.Memories(launches), buffers) {
		return fail(malformed("a sequence's %d buffers are not those that its launches name, in their order", len(buffers)))
	}
	return launches, memory, nil
}

// launch returns a launch with its buffers.
func (one wireLaunch) launch(w wireSequence, buffers []*launch.Buffer) (*launch.Launch, error) {
	if len(one.Args) > mostArgs {
		return nil, malformed("a launch has %d arguments, and %d is the most", len(one.Args), mostArgs)
	}
	l := &launch.Launch{
		Kernel: launch.Kernel{File: w.File, Source: w.Source, Symbol: one.Symbol, Contract: w.Contract},
		Grid:   one.Grid, Block: one.Block, SharedBytes: one.SharedBytes, Constants: one.Constants,
		Args: make([]launch.Arg, len(one.Args)),
	}
	for i, a := range one.Args {
		if a.Buffer < 0 || a.Buffer > len(buffers) {
			return nil, malformed("an argument is buffer %d of %d", a.Buffer, len(buffers))
		}
		l.Args[i] = launch.Arg{Name: a.Name, Value: a.Value, Offset: a.Offset}
		if a.Buffer > 0 {
			l.Args[i].Buffer = buffers[a.Buffer-1]
		}
		for _, p := range a.Pointers {
			if p.Buffer < 1 || p.Buffer > len(buffers) {
				return nil, malformed("a pointer leads to buffer %d of %d", p.Buffer, len(buffers))
			}
			l.Args[i].Pointers = append(l.Args[i].Pointers, launch.Pointer{Offset: p.Offset, Buffer: buffers[p.Buffer-1]})
		}
	}
	return l, nil
}

// lengthsBack are the lengths of the buffers that come back, and whether they do in
// the frame. In shared memory each is where it was in the sequence.
func lengthsBack(buffers []*launch.Buffer) (back []int, inline bool, err error) {
	back = make([]int, len(buffers))
	for i, b := range buffers {
		back[i] = -1
		if b.Out {
			back[i] = len(b.Data)
		}
	}
	_, total, err := arrange(back)
	return back, total < inlineBelow, err
}

// placesBack says where the buffers that come back lie.
func placesBack(buffers []*launch.Buffer, back []int, inline bool) (at []int, total int, err error) {
	if inline {
		return arrange(back)
	}
	lengths := make([]int, len(buffers))
	for i, b := range buffers {
		lengths[i] = len(b.Data)
	}
	return arrange(lengths)
}

// wireResults are results without buffers. What all of them say together is
// bounded, so that it fits into a frame.
func wireResults(results []*launch.Result) []wireResult {
	out := make([]wireResult, len(results))
	room := mostTexts
	take := func(s string) string {
		s = clip(s)
		if len(s) > room {
			s = "(cut: all launches together said more than is kept)\n"
		}
		room -= min(len(s), room)
		return s
	}
	for i, r := range results {
		out[i] = wireResult{Device: r.Device, Output: take(r.Output), Cost: r.Cost}
		if i == 0 || r.Log != results[i-1].Log { // of one source it is one log
			out[i].Log = take(r.Log)
		}
	}
	return out
}

func resultsOf(list []wireResult) []*launch.Result {
	var out []*launch.Result
	for i, w := range list {
		r := &launch.Result{Device: w.Device, Output: w.Output, Log: w.Log, Cost: w.Cost}
		if r.Log == "" && i > 0 {
			r.Log = out[i-1].Log
		}
		out = append(out, r)
	}
	return out
}

// ran makes the frame of the results of launches. The buffers that come back are in
// its body, or in the shared memory of the sequence.
func (b *frameBuilder) ran(number uint64, launches []*launch.Launch, results []*launch.Result, memory []byte) error {
	buffers := launch.Memories(launches)
	back, inline, err := lengthsBack(buffers)
	if err != nil {
		return err
	}
	if len(results) != len(launches) {
		return fmt.Errorf("BUG: %d results of %d launches", len(results), len(launches))
	}
	contents := map[*launch.Buffer][]byte{}
	for i, r := range results {
		of := launches[i].Buffers()
		if len(r.Buffers) != len(of) {
			return fmt.Errorf("BUG: %d buffers came back of a launch with %d", len(r.Buffers), len(of))
		}
		for j, buffer := range of {
			if buffer != nil && buffer.Out {
				contents[buffer] = r.Buffers[j]
			}
		}
	}
	for i, n := range back {
		if got := len(contents[buffers[i]]); got != max(n, 0) {
			return fmt.Errorf("BUG: buffer %d came back with %d bytes instead of %d", i, got, max(n, 0))
		}
	}
	meta, err := json.Marshal(wireRan{Results: wireResults(results), Lengths: back})
	if err != nil {
		return err
	}
	b.begin(kindRan, 0, number)
	b.bytes = append(b.bytes, meta...)
	at, total, err := placesBack(buffers, back, inline)
	if err != nil {
		return err
	}
	to := memory
	if inline {
		to = b.body(total)
	}
	for i, buffer := range buffers {
		copy(to[at[i]:], contents[buffer])
	}
	return nil
}

// readRan reads the frame of the results of launches. Memory is the shared memory
// of the sequence. The buffers are copies.
func readRan(f frame, launches []*launch.Launch, memory []byte) ([]*launch.Result, error) {
	var w wireRan
	if f.kind != kindRan {
		return nil, malformed("kind %d as the answer to a launch", f.kind)
	}
	if err := json.Unmarshal(f.meta, &w); err != nil {
		return nil, malformed("its results: %v", err)
	}
	buffers := launch.Memories(launches)
	back, inline, err := lengthsBack(buffers)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(w.Lengths, back) {
		return nil, malformed("buffers of %v bytes came back instead of %v", w.Lengths, back)
	}
	if len(w.Results) != len(launches) {
		return nil, malformed("%d results came back of %d launches", len(w.Results), len(launches))
	}
	at, total, err := placesBack(buffers, back, inline)
	if err != nil {
		return nil, err
	}
	from := f.body
	if !inline {
		from = memory
	}
	if inline && len(f.body) != total || !inline && len(f.body) != 0 {
		return nil, malformed("buffers of %d bytes came back in a body of %d", total, len(f.body))
	}
	contents := map[*launch.Buffer][]byte{}
	for i, n := range back {
		if n >= 0 {
			contents[buffers[i]] = append(make([]byte, 0, n), from[at[i]:][:n]...)
		}
	}
	results := resultsOf(w.Results)
	launch.Collect(launches, results, contents)
	return results, nil
}
