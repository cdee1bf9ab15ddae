// Package differential_test holds the emulator against a second opinion, from
// the source of a kernel to the bytes that it leaves: random kernels of CUDA C,
// run by the front end, the register code and the interpreter, and evaluated by a
// tree walk over the tree that they were generated as.
//
// What must be equal, in any order of the warps, with and without checks: every
// byte of every buffer, what is printed, up to the order of its lines, and the
// lines at which an integer is divided by zero, which are the only reports.
//
// A NaN that is computed has the pattern 0x7fffffff as a float and
// 0xfff8000000000000 as a double; what moves a value, changes its sign or chooses
// between two keeps the pattern.
package differential_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt/front"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch"
)

// A way is how a kernel is run.
type way struct {
	checks   bool
	seed     uint64
	quantum  int
	contract device.Contract
}

// An outcome is what comes of a kernel.
type outcome struct {
	buffers [][]byte
	printed []string
	reports []launch.Report
}

func lines(s string) []string {
	list := strings.SplitAfter(s, "\n")
	list = list[:len(list)-1]
	slices.Sort(list)
	return list
}

func image(k *kernelSource) (*run.Image, string, error) {
	unit, err := front.Read("k.cu", k.text, front.Options{})
	if err != nil {
		return nil, "", err
	}
	name := "k"
	if k.kernel.template != "" {
		name = fmt.Sprintf("k<%d>", k.kernel.n)
	}
	program, err := unit.Program(name)
	if err != nil {
		return nil, "", err
	}
	image, err := run.Compile(program)
	return image, name, err
}

// prepare allocates a kernel's buffers, and returns its launch.
func prepare(k *kernelSource, m *run.Machine, name string, w way) (*run.Launch, []*run.Memory, error) {
	l := &run.Launch{
		Kernel: name, Grid: launch.Dim3{X: k.grid, Y: 1, Z: 1}, Block: launch.Dim3{X: k.block, Y: 1, Z: 1}, SharedBytes: k.dynamic,
		Contract: w.contract, Seed: w.seed, Quantum: w.quantum, Limits: run.Limits{Instructions: 1 << 20, Output: 1 << 18},
	}
	var memory []*run.Memory
	for i, v := range k.kernel.params {
		x := k.scalars[i]
		if b := k.buffers[i]; b != nil {
			mem, err := m.Allocate(v.name, int64(len(b.data)), b.elem.name, b.elem.size)
			if err != nil {
				return nil, nil, err
			}
			copy(mem.Data, b.data)
			memory = append(memory, mem)
			x = uint64(mem.Pointer())
		}
		l.Args = append(l.Args, binary.LittleEndian.AppendUint64(nil, x)[:v.t.size])
	}
	return l, memory, nil
}

func emulate(k *kernelSource, image *run.Image, name string, w way) (*outcome, error) {
	m, err := run.New(image, 0)
	if err != nil {
		return nil, err
	}
	l, memory, err := prepare(k, m, name, w)
	if err != nil {
		return nil, err
	}
	checks := watch.NewChecks(watch.Options{})
	if w.checks {
		l.Observer = checks
	}
	r, err := m.Launch(context.Background(), l)
	if err != nil {
		return nil, err
	}
	o := &outcome{printed: lines(r.Printed), reports: checks.Reports()}
	for _, mem := range memory {
		o.buffers = append(o.buffers, mem.Data)
	}
	return o, nil
}

// A verdict is what is wrong with an outcome.
type verdict struct{ class, text string }

func (v *verdict) Error() string { return v.text }

func wrong(class, format string, args ...any) *verdict {
	return &verdict{class, fmt.Sprintf(format, args...)}
}

// differ compares the emulator's outcome with the evaluation, and says where they
// are not the same; nil if they are.
func differ(k *kernelSource, want *evaluation, got *outcome, checked bool) *verdict {
	found := map[int]bool{}
	for _, r := range got.reports {
		if r.Kind != launch.DivideByZero {
			return wrong("report of "+string(r.Kind), "a report: line %d: %s: %s", r.Line, r.Kind, r.Message)
		}
		found[r.Line] = true
	}
	n := 0
	for i, b := range k.buffers {
		if b == nil {
			continue
		}
		w, g := want.regions[want.buffers[i].region], got.buffers[n]
		n++
		for at := 0; at < len(w); at += b.elem.size {
			if x, y := w[at:at+b.elem.size], g[at:at+b.elem.size]; !bytes.Equal(x, y) {
				return wrong("bytes", "%s[%d] is %x, want %x (bytes in order)", k.kernel.params[i].name, at/b.elem.size, y, x)
			}
		}
	}
	if w := lines(strings.Join(want.printed, "")); !slices.Equal(w, got.printed) {
		for i := range max(len(w), len(got.printed)) {
			if i >= len(w) || i >= len(got.printed) || w[i] != got.printed[i] {
				return wrong("print", "%d lines are printed, want %d; the first that differ: %q, want %q", len(got.printed), len(w), got.printed[i:min(i+1, len(got.printed))], w[i:min(i+1, len(w))])
			}
		}
	}
	if !checked {
		return nil
	}
	for line := range want.byZero {
		if !found[line] {
			return wrong("division", "a division by zero at line %d is not reported", line)
		}
		delete(found, line)
	}
	for line := range found {
		return wrong("division", "a division by zero is reported at line %d where there is none", line)
	}
	return nil
}

// judge runs a kernel in several ways, holds each against the evaluation, and says
// what is wrong. Of a kernel that takes too long to evaluate there is nothing to
// say.
func judge(k *kernelSource) *verdict {
	want, ok := evaluate(k)
	if !ok {
		return nil
	}
	image, name, err := image(k)
	if err != nil {
		return wrong("compile", "%v", err)
	}
	other := device.Fused
	if k.fusable {
		other = device.Separate
	}
	for _, w := range []way{
		{true, 0, 0, device.Separate},
		{false, 0, 0, device.Separate},
		{true, 1, 50, other},
		{false, 2, 20, other},
	} {
		got, err := emulate(k, image, name, w)
		if err != nil {
			return wrong("fault", "%+v: %v", w, err)
		}
		if v := differ(k, want, got, w.checks); v != nil {
			v.text = fmt.Sprintf("%+v: %s", w, v.text)
			return v
		}
	}
	return nil
}

// hold fails with the smallest kernel that goes wrong as this one does.
func hold(t *testing.T, k *kernelSource) {
	t.Helper()
	v := judge(k)
	if v == nil {
		return
	}
	fuzzing := flag.Lookup("test.fuzzworker").Value.String() == "true" // which makes inputs smaller itself, and waits for no one
	if v.class != "compile" && !fuzzing {
		reduce(k, func() bool {
			k.write()
			now := judge(k)
			if now == nil || now.class != v.class {
				return false
			}
			v = now
			return true
		})
	}
	t.Fatalf("%v\n<<<%d, %d>>>\n%s", v, k.grid, k.block, numbered(k.text))
}

func numbered(s string) string {
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
		fmt.Fprintf(&out, "%3d %s\n", i+1, line)
	}
	return out.String()
}

// seeded is as many bytes as a kernel takes.
func seeded(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 4))
	data := make([]byte, 3000)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

var (
	kernels = flag.Uint64("kernels", 200, "how many random kernels are held against their evaluation")
	first   = flag.Uint64("first", 0, "the seed of the first of them")
)

func TestDifferential(t *testing.T) {
	for seed := *first; seed < *first+*kernels; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { hold(t, generate(seeded(seed))) })
	}
}

func FuzzDifferential(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seeded(seed + 1000))
	}
	f.Fuzz(func(t *testing.T, data []byte) { hold(t, generate(data)) })
}
