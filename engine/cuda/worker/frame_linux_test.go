package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
)

// made returns the frame that f makes.
func made(t testing.TB, f func(b *frameBuilder)) []byte {
	t.Helper()
	var b frameBuilder
	f(&b)
	bytes, err := b.finish()
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// productFrame is a sound request.
func productFrame(t testing.TB, number uint64, p session.Product) []byte {
	at, err := placeOf(p)
	if err != nil {
		t.Fatal(err)
	}
	return made(t, func(b *frameBuilder) {
		b.product(number, 0, p, at, at.shared())
		if !at.operands {
			body := b.body(at.left + at.right)
			for i := range body {
				body[i] = byte(i)
			}
		}
	})
}

func launchFrame(t testing.TB, number uint64, launches []*launch.Launch) []byte {
	w, buffers, lengths := sequenceOf(launches)
	at, total, err := arrange(lengths)
	if err != nil {
		t.Fatal(err)
	}
	return made(t, func(b *frameBuilder) {
		if err := b.sequence(number, 0, w); err != nil {
			t.Fatal(err)
		}
		body := b.body(total)
		for i, buffer := range buffers {
			copy(body[at[i]:], buffer.Data)
		}
	})
}

// sampleLaunches are two with everything that launches have: a buffer twice, in a
// struct and in both, and constants.
var sampleLaunches = func() []*launch.Launch {
	k := launch.Kernel{File: "a.cu", Source: `extern "C" __global__ void f(float *x, int n) {}`, Symbol: "f", Contract: device.Fused}
	x := &launch.Buffer{Type: "float", Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}, Out: true}
	y := &launch.Buffer{Type: "char", Data: []byte{9, 8, 7}}
	again := k
	again.Symbol = "g<2>"
	return []*launch.Launch{
		{
			Kernel: k, Grid: launch.Dim3{X: 1, Y: 2, Z: 3}, Block: launch.Dim3{X: 4, Y: 5, Z: 6}, SharedBytes: 7,
			Args: []launch.Arg{{Name: "x", Buffer: x}, {Name: "n", Value: []byte{2, 0, 0, 0}}, {Name: "y", Buffer: y}, {Name: "z", Buffer: x, Offset: 4}},
		},
		{
			Kernel: again, Grid: launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: 1, Y: 1, Z: 1},
			Args:      []launch.Arg{{Name: "s", Value: make([]byte, 24), Pointers: []launch.Pointer{{Offset: 8, Buffer: y}, {Offset: 16, Buffer: x}}}},
			Constants: []launch.Constant{{Name: "weights", Value: []byte{1, 2}}},
		},
	}
}()

// Frames arrive whole however the stream is cut, and a read that is interrupted
// goes on where it was.
func TestFramesInPieces(t *testing.T) {
	p := session.Product{B: 2, M: 3, K: 4, N: 5, Precision: device.Float32, Contract: device.Fused, Library: true, Mean: true}
	large := productFrame(t, 8, session.Product{B: 1, M: 40, K: 90, N: 40})
	stream := bytes.Join([][]byte{
		productFrame(t, 7, p), large, launchFrame(t, 9, sampleLaunches),
		made(t, func(b *frameBuilder) { b.failure(10, failure{Text: strings.Repeat("x", 100000)}) }), large,
	}, nil)
	for name, source := range map[string]io.Reader{
		"at once":       bytes.NewReader(stream),
		"byte by byte":  iotest.OneByteReader(bytes.NewReader(stream)),
		"half by half":  iotest.HalfReader(bytes.NewReader(stream)),
		"data with EOF": iotest.DataErrReader(bytes.NewReader(stream)),
		"interrupted":   &interrupted{source: bytes.NewReader(stream)},
	} {
		r := newFrameReader(source)
		var got []uint64
		for {
			f, err := r.next()
			if errors.Is(err, os.ErrDeadlineExceeded) {
				continue
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: after %v: %v", name, got, err)
			}
			got = append(got, f.number)
			switch f.number {
			case 7:
				back, _, _, err := readProduct(f)
				if err != nil || back != p {
					t.Errorf("%s: %+v, %v", name, back, err)
				}
			case 8:
				if _, _, _, err := readProduct(f); err != nil || f.body[8*90*40-1] != byte((8*90*40-1)%256) {
					t.Errorf("%s: %v", name, err)
				}
			case 9:
				back, _, err := readSequence(f, nil)
				if err != nil || !reflect.DeepEqual(back, sampleLaunches) || back[0].Args[0].Buffer != back[1].Args[0].Pointers[1].Buffer {
					t.Errorf("%s: %+v, %v", name, back, err)
				}
			}
		}
		if fmt.Sprint(got) != "[7 8 9 10 8]" {
			t.Errorf("%s: frames %v", name, got)
		}
	}
	r := newFrameReader(bytes.NewReader(stream[:len(stream)-1]))
	var err error
	for err == nil {
		_, err = r.next()
	}
	if err != io.ErrUnexpectedEOF {
		t.Errorf("half a frame: %v", err)
	}
}

// interrupted gives three bytes between two deadlines.
type interrupted struct {
	source io.Reader
	odd    bool
}

func (r *interrupted) Read(p []byte) (int, error) {
	if r.odd = !r.odd; r.odd {
		return 0, os.ErrDeadlineExceeded
	}
	return r.source.Read(p[:min(3001, len(p))])
}

func TestMalformedFrames(t *testing.T) {
	sound := productFrame(t, 1, session.Product{B: 1, M: 2, K: 3, N: 2})
	with := func(at int, values ...byte) []byte {
		b := bytes.Clone(sound)
		copy(b[at:], values)
		return b
	}
	meta := func(at int, values ...byte) []byte { return with(headerBytes+at, values...) }
	for name, test := range map[string]struct {
		frame []byte
		want  string
	}{
		"magic":             {with(0, 'X'), "it begins with"},
		"kind zero":         {with(4, 0), "its kind is 0"},
		"kind":              {with(4, 99), "its kind is 99"},
		"no request":        {with(4, byte(kindResult)), "is no request"},
		"flags":             {with(5, 0x80), "its flags"},
		"zeros":             {with(6, 1), "its flags"},
		"metadata":          {with(16, 0xff, 0xff, 0xff, 0xff), "metadata"},
		"body":              {with(20, 0xff, 0xff, 0xff, 0xff), "shared memory"},
		"short metadata":    {with(16, 40), "instead of 48"},
		"no rows":           {meta(8, 0), "is empty"},
		"negative":          {meta(15, 0xff), "is empty"},
		"too many":          {meta(15, 0x7f), "more bytes"},
		"precision":         {meta(32, 9), "is not a precision"},
		"contract":          {meta(33, 9), "is not a contract"},
		"library separates": {meta(34, optionLibrary), "fused"},
		"options":           {meta(34, 0x10), "options"},
		"option zeros":      {meta(39, 1), "options"},
		"body of another":   {meta(8, 3), "has a body"},
		"shared":            {with(5, flagShared), "has a body"},
		"memory":            {meta(47, 0x7f), "shared memory"},
		"large, unshared":   {meta(9, 0xff), "has a body"},
	} {
		s := &server{requests: newFrameReader(bytes.NewReader(test.frame)), replies: io.Discard, gpu: &testGPU{}, room: func(int) ([]byte, error) {
			return nil, errors.New("no shared memory here")
		}}
		err := s.loop()
		var broken *frameError
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want it to say %q", name, err, test.want)
		}
	}
	s := &server{requests: newFrameReader(bytes.NewReader(with(3, 77))), replies: io.Discard}
	if err := s.loop(); !errors.Is(err, errOtherProtocol) {
		t.Errorf("another protocol: %v", err)
	}
	if _, err := (&frameBuilder{bytes: make([]byte, mostMeta+100), meta: -1}).finish(); err == nil {
		t.Error("metadata beyond the limit was made")
	}
}

// Every error that has a type arrives with it.
func TestFailures(t *testing.T) {
	spec := device.Spec{Kind: device.CUDA, Ordinal: 3}
	for _, err := range []error{
		&device.UnavailableError{Spec: spec, Reason: "r", Next: "n", Tried: []string{"a", "b"}},
		&device.MemoryError{Spec: spec, Asked: math.MaxUint64, Free: 2, Reserve: 3},
		&device.FaultError{Spec: spec, Fault: device.IllegalAddress, Detail: "d", Next: "n"},
		&launch.CompileError{File: "f", Log: "l", Diagnostics: []launch.Diagnostic{{Line: 1, Column: 2, Severity: "error", Message: "m", Source: "s"}}},
		&launch.ArgumentError{Symbol: "s", Field: "f", Reason: "r"},
		&tensor.ShapeError{Op: "matmul", Left: []int{1, 2}, Right: []int{3}, Reason: "r"},
	} {
		f := arrived(t, failureOf(fmt.Errorf("multiply: %w", err)))
		if got := f.err(device.Spec{}); !reflect.DeepEqual(got, err) {
			t.Errorf("%#v arrived as %#v", err, got)
		}
		if f.Sticky || f.Unhealthy {
			t.Errorf("%v is sticky", err)
		}
	}
	f := arrived(t, failureOf(&nvidia.Error{Library: "driver", Call: "cuMemcpyDtoH_v2", Code: nvidia.IllegalAddress, Name: "CUDA_ERROR_ILLEGAL_ADDRESS"}))
	var fault *device.FaultError
	if !f.Sticky || !errors.As(f.err(spec), &fault) || fault.Spec != spec || !strings.Contains(fault.Detail, "CUDA_ERROR_ILLEGAL_ADDRESS (700)") {
		t.Errorf("%+v, %v", f, f.err(spec))
	}
	// What is too long is cut, whatever it is made of.
	long := &launch.CompileError{File: "f", Log: strings.Repeat("\x01", 10<<20)}
	for range 100000 {
		long.Diagnostics = append(long.Diagnostics, launch.Diagnostic{Line: 1, Severity: "error", Message: "an error among many"})
	}
	if text := arrived(t, failureOf(long)).err(spec).Error(); !strings.Contains(text, "an error among many") {
		t.Errorf("a long error arrived as %.100q", text)
	}
	if text := arrived(t, failureOf(errors.New(strings.Repeat("é\xff", 1<<20)))).err(spec).Error(); !strings.Contains(text, "(cut)") {
		t.Errorf("a long error arrived as %.100q", text)
	}
}

// arrived sends a failure as a worker does.
func arrived(t *testing.T, f failure) failure {
	t.Helper()
	frame, err := newFrameReader(bytes.NewReader(made(t, func(b *frameBuilder) { b.failure(1, f) }))).next()
	if err != nil || frame.kind != kindFailure {
		t.Fatal(err)
	}
	got, err := readFailure(frame.meta)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Shared memory holds operands and result apart, in room that is counted right.
func TestPlaces(t *testing.T) {
	for _, p := range []session.Product{
		{B: 1, M: 2, K: 3, N: 2}, {B: 1, M: 100, K: 100, N: 100}, {B: 1, M: 1, K: 100000, N: 1}, {B: 1, M: 300, K: 1, N: 300},
		{B: 7, M: 33, K: 129, N: 31, Precision: device.Float16}, {B: 1, M: 99991, K: 1, N: 1}, {B: 1, M: 1, K: 1, N: 99991},
	} {
		at, err := placeOf(p)
		if err != nil {
			t.Fatal(err)
		}
		memory := make([]byte, at.shared())
		left, right, out := at.split(memory)
		want := 0
		for i, part := range [][]byte{left, right, out} {
			if part != nil && len(part) != []int{at.left, at.right, at.out}[i] {
				t.Errorf("%+v: part %d has %d bytes", p, i, len(part))
			}
			want += len(part)
			for j := range part {
				part[j]++
			}
		}
		for _, b := range memory {
			if b > 1 {
				t.Fatalf("%+v: two parts overlap", p)
			}
			want -= int(b)
		}
		if want != 0 {
			t.Errorf("%+v: two parts overlap", p)
		}
	}
	if at, err := placeOf(session.Product{B: 1, M: math.MaxInt / 8, K: 1, N: 1}); err == nil && at.shared() >= 0 {
		t.Error("a product of all the memory there is has room")
	}
}

// quiet is a GPU for fuzzing: it does what it is asked, and nothing with it.
type quiet struct{ testGPU }

func (*quiet) Multiply(p session.Product, left, right, out []byte) (device.Stats, error) {
	l, r, o, err := p.Sizes()
	if err != nil || len(left) != l || len(right) != r || len(out) != o {
		panic(fmt.Sprintf("a product of %d·%d to %d bytes is given %d, %d, %d: %v", l, r, o, len(left), len(right), len(out), err))
	}
	if p.Mean {
		return device.Stats{}, errors.New("no means")
	}
	copy(out, left)
	return device.Stats{Requests: 1}, nil
}

func (*quiet) Sequence(launches []*launch.Launch) ([]*launch.Result, error) {
	var results []*launch.Result
	contents := map[*launch.Buffer][]byte{}
	for _, b := range launch.Memories(launches) {
		contents[b] = bytes.Clone(b.Data)
	}
	for _, l := range launches {
		results = append(results, &launch.Result{Output: l.Kernel.Source})
	}
	launch.Collect(launches, results, contents)
	return results, nil
}

// FuzzServe feeds the worker's loop with what may be requests. It answers with
// frames that can be read, or ends.
func FuzzServe(f *testing.F) {
	f.Add(productFrame(f, 1, session.Product{B: 1, M: 2, K: 3, N: 2}))
	f.Add(productFrame(f, 2, session.Product{B: 1, M: 200, K: 300, N: 2, Precision: device.BFloat16}))
	f.Add(productFrame(f, 3, session.Product{B: 2, M: 1, K: 1, N: 9000, Contract: device.Fused, Library: true, Mean: true}))
	f.Add(launchFrame(f, 4, sampleLaunches))
	f.Add(bytes.Repeat(productFrame(f, 5, session.Product{B: 1, M: 1, K: 1, N: 1}), 3))
	memory := make([]byte, 256<<10)
	f.Fuzz(func(t *testing.T, stream []byte) {
		var replies bytes.Buffer
		s := &server{requests: newFrameReader(bytes.NewReader(stream)), replies: &replies, gpu: &quiet{}, room: func(n int) ([]byte, error) {
			if n > len(memory) {
				return nil, malformed("%d bytes of shared memory", n)
			}
			return memory, nil
		}}
		_ = s.loop()
		r := newFrameReader(&replies)
		for {
			f, err := r.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatalf("a reply cannot be read: %v", err)
			}
			if f.kind == kindFailure {
				if _, err := readFailure(f.meta); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// FuzzReplies feeds the program with what may be replies.
func FuzzReplies(f *testing.F) {
	p := session.Product{B: 1, M: 2, K: 3, N: 2}
	at, err := placeOf(p)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(made(f, func(b *frameBuilder) {
		b.result(1)
		b.body(at.out)
		b.setStats(device.Stats{Requests: 1})
	}))
	f.Add(made(f, func(b *frameBuilder) {
		results := []*launch.Result{{Output: "one"}, {Output: "two"}}
		launch.Collect(sampleLaunches, results, map[*launch.Buffer][]byte{sampleLaunches[0].Args[0].Buffer: make([]byte, 8)})
		if err := b.ran(1, sampleLaunches, results, nil); err != nil {
			f.Fatal(err)
		}
	}))
	f.Add(made(f, func(b *frameBuilder) { b.failure(1, failureOf(&device.MemoryError{Asked: 5})) }))
	f.Add(made(f, func(b *frameBuilder) {
		if err := b.hello(Hello{Build: "b", Device: nvidia.Device{Name: "n"}}); err != nil {
			f.Fatal(err)
		}
	}))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := newFrameReader(bytes.NewReader(stream))
		for {
			f, err := r.next()
			if err != nil {
				return
			}
			if s, err := readResult(f, at); err == nil && (s.Requests < 0 || len(f.body) != at.out) {
				t.Errorf("%+v with %d bytes was taken for a result", s, len(f.body))
			}
			if results, err := readRan(f, sampleLaunches, nil); err == nil && (len(results) != 2 || len(results[1].Buffers) != 3 || len(results[1].Buffers[2]) != 8) {
				t.Errorf("%+v was taken for what came of a sequence", results)
			}
			if hello, err := readHello(f.meta); err == nil {
				if _, err := json.Marshal(hello); err != nil {
					t.Error(err)
				}
			}
			if failed, err := readFailure(f.meta); err == nil {
				if failed.err(device.Spec{Kind: device.CUDA}).Error() == "" {
					t.Error("a failure says nothing")
				}
			}
		}
	})
}
