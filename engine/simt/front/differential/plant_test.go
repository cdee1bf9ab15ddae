package differential_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch"
)

// A plant is a fault that is put into a random kernel, on one line: self is the
// number of the thread, planted an int for each. near is what is as it should be.
type plant struct {
	kind      launch.ReportKind
	bad, near string
	whole     bool // only where all threads come by
	two       bool // it takes two threads
}

var plants = []plant{
	{kind: launch.OutOfBounds, bad: "planted[self + 100000] = 1;", near: "planted[self] = 1;"},
	{kind: launch.OutOfBounds, bad: "planted[-1 - (int)(threadIdx.x & 3)] = 1;", near: "planted[self - (threadIdx.x & 0)] = 1;"},
	{kind: launch.OutOfBounds, bad: "{ int q[4] = {}; q[(threadIdx.x & 3) + 4] = 1; planted[self] = q[0]; }", near: "{ int q[4] = {}; q[threadIdx.x & 3] = 1; planted[self] = q[0]; }"},
	{kind: launch.OutOfBounds, bad: "{ __shared__ int q[96]; q[threadIdx.x + 96] = 1; }", near: "{ __shared__ int q[96]; q[threadIdx.x] = 1; }"},
	{kind: launch.OutOfBounds, bad: "*(planted + self - 4096) += 1;", near: "*(planted + self + 4096 - 4096) += 1;"},
	{kind: launch.Uninitialised, bad: "{ int u; planted[self] = u + 1; }", near: "{ int u; u = 2; planted[self] = u + 1; }"},
	{kind: launch.Uninitialised, bad: "{ int q[4]; q[0] = 1; planted[self] = q[1 + (threadIdx.x & 1)]; }", near: "{ int q[4]; q[0] = 1; planted[self] = q[threadIdx.x & 0]; }"},
	{kind: launch.Uninitialised, bad: "{ float u; if (threadIdx.x > 1000) u = 1; planted[self] = u; }", near: "{ float u; if (threadIdx.x < 1000) u = 1; planted[self] = u; }"},
	{kind: launch.Uninitialised, bad: "{ __shared__ int q[96]; planted[self] = q[threadIdx.x]; }", near: "{ __shared__ int q[96]; q[threadIdx.x] = 1; planted[self] = q[threadIdx.x]; }"},
	{kind: launch.Race, two: true, bad: "planted[0] = self;", near: "atomicAdd(&planted[0], 1);"},
	{kind: launch.Race, two: true, bad: "planted[blockIdx.x] += 1;", near: "atomicAdd(&planted[blockIdx.x], 1);"},
	{kind: launch.Race, two: true, bad: "{ __shared__ int q; q = threadIdx.x; }", near: "{ __shared__ int q; atomicExch(&q, threadIdx.x); }"},
	{kind: launch.Race, whole: true, bad: "{ __shared__ int q[96]; q[threadIdx.x] = 1; planted[self] = q[(threadIdx.x + 1) % blockDim.x]; }",
		near: "{ __shared__ int q[96]; __syncthreads(); q[threadIdx.x] = 1; __syncthreads(); planted[self] = q[(threadIdx.x + 1) % blockDim.x]; }"},
	{kind: launch.Race, whole: true, bad: "{ planted[self] = 1; if (threadIdx.x > 0) planted[self - 1] += 1; }", near: "{ planted[self] = 1; __syncthreads(); if (threadIdx.x > 0) planted[self - 1] += 1; __syncthreads(); }"},
	{kind: launch.DivergentBarrier, whole: true, bad: "if (threadIdx.x & 1) __syncthreads();", near: "if (blockDim.x & 127) __syncthreads();"},
	{kind: launch.DivergentBarrier, whole: true, bad: "if (threadIdx.x == 3) { __syncthreads(); } else { __syncthreads(); }", near: "if (blockIdx.x == 0) { __syncthreads(); } else { __syncthreads(); }"},
	{kind: launch.DivergentBarrier, whole: true, bad: "for (int r = threadIdx.x & 1; r < 2; r++) __syncthreads();", near: "for (int r = blockIdx.x & 1; r < 2; r++) __syncthreads();"},
	{kind: launch.Misaligned, bad: "*(short*)((char*)(planted + self) + 1) = 1;", near: "*((char*)(planted + self) + 1) = 1;"},
	{kind: launch.Assert, bad: "assert(self < 0 && gridDim.x > 0);", near: "assert(self >= 0 && gridDim.x > 0);"},
	{kind: launch.InactiveShuffle, whole: true, bad: "if (threadIdx.x & 1) planted[self] = __shfl_xor_sync(0xffffffffu, 1, 2);", near: "if (threadIdx.x & 1) planted[self] = __shfl_xor_sync(__activemask(), 1, 0);"},
	{kind: launch.EndlessLoop, bad: "for (int r = 1; r > 0; r = r * 3 % 1000 + 1) planted[self] = r;", near: "for (int r = 1; r > 0; r--) planted[self] = r;"},
}

// places are where a statement may be put into a kernel: lists of statements with
// an index.
type spot struct {
	list *[]stmt
	at   int
}

func spots(body *[]stmt, from int) (list []spot) {
	for i, s := range *body {
		if i >= from {
			list = append(list, spot{body, i})
		}
		inner, _ := within(s)
		for _, b := range inner {
			list = append(list, spots(b, 0)...)
		}
	}
	return list
}

// sow puts a statement into a kernel, at a place that choice picks.
func sow(k *kernelSource, p *plant, choice int) *text {
	planted := &variable{name: "planted", t: pointerTo(scalarOf(integer)), konst: true}
	n := k.grid * k.block
	k.kernel.params = append(k.kernel.params, planted)
	k.buffers = append(k.buffers, &buffer{elem: scalarOf(integer), n: n, data: make([]byte, 4*n)})
	k.scalars = append(k.scalars, 0)
	// Behind what gives self and shared memory their values.
	from := 1
	for i, s := range k.kernel.body[:k.together] {
		if _, ok := s.(*barrier); ok && from == 1 && len(k.variables) > 0 {
			from = i + 1
		}
	}
	var at spot
	if p.whole {
		at = spot{&k.kernel.body, from + choice%(k.together-from+1)}
	} else {
		list := spots(&k.kernel.body, from)
		at = list[choice%len(list)]
	}
	s := &text{}
	*at.list = slices.Insert(slices.Clone(*at.list), at.at, stmt(s))
	return s
}

// reports runs a kernel with checks, and returns them.
func reports(k *kernelSource, image *run.Image, name string, w way) ([]launch.Report, error) {
	m, err := run.New(image, 0)
	if err != nil {
		return nil, err
	}
	l, _, err := prepare(k, m, name, w)
	if err != nil {
		return nil, err
	}
	checks := watch.NewChecks(watch.Options{})
	l.Observer, l.Limits.Instructions = checks, 1<<18
	if _, err := m.Launch(context.Background(), l); err != nil && !checks.Ended(err) {
		return nil, err
	}
	return checks.Reports(), nil
}

// planted runs a kernel with a plant in it, and says what is wrong with the
// reports.
func planted(data []byte, p *plant, bad bool, choice int) string {
	k := generate(data)
	s := sow(k, p, choice)
	if s.code = p.near; bad {
		s.code = p.bad
	}
	k.write()
	want, ok := evaluate(k)
	if !ok {
		return ""
	}
	expected := bad && len(want.visits) > 0
	if bad && p.two && expected && !unordered(want.visits) {
		return "" // by one thread, or by several one after another
	}
	image, name, err := image(k)
	if err != nil {
		return fmt.Sprintf("%v\n%s", err, numbered(k.text))
	}
	for _, w := range []way{{seed: 0}, {seed: 1, quantum: 20}, {seed: 2, quantum: 300}} {
		found, err := reports(k, image, name, w)
		if err != nil {
			return fmt.Sprintf("%+v: %v\n%s", w, err, numbered(k.text))
		}
		there := false
		for _, r := range found {
			switch {
			case r.Kind == launch.DivideByZero && want.byZero[r.Line]:
			case bad && r.Kind == p.kind && r.Line == s.line:
				there = true
			case bad && p.kind == launch.DivergentBarrier && r.Kind == p.kind:
				// Who has waited once too often waits at another barrier than the rest
				// from there on.
			default:
				return fmt.Sprintf("%+v: %q at line %d: line %d: %s: %s\n%s", w, s.code, s.line, r.Line, r.Kind, r.Message, numbered(k.text))
			}
		}
		if there != expected {
			return fmt.Sprintf("%+v: %q at line %d: reported: %v, want %v\n<<<%d, %d>>>\n%s", w, s.code, s.line, there, expected, k.grid, k.block, numbered(k.text))
		}
	}
	return ""
}

// unordered reports whether two threads of a block came by with no meeting between
// them.
func unordered(visits []visit) bool {
	who := map[visit]int{}
	for _, v := range visits {
		when := visit{bid: v.bid, meetings: v.meetings}
		if tid, ok := who[when]; ok && tid != v.tid {
			return true
		}
		who[when] = v.tid
	}
	return false
}

// TestPlants: a fault in a random kernel is reported where it is, in any order of
// the warps, and nothing else is; what only looks like one is not.
func TestPlants(t *testing.T) {
	for i := range plants {
		p := &plants[i]
		t.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(string(p.kind), " ", "-"), i), func(t *testing.T) {
			for n := *first; n < *first+*kernels/50; n++ {
				data := seeded(n*uint64(len(plants)) + uint64(i) + 1<<32)
				choice := int(binary.LittleEndian.Uint16(data[len(data)-2:]))
				for _, bad := range []bool{true, false} {
					if s := planted(data, p, bad, choice); s != "" {
						t.Fatal(s)
					}
				}
			}
		})
	}
}
