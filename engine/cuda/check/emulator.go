package check

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/launch"
	"workbench/kernels"
	"workbench/kernels/conform"
	"workbench/kernels/embedding"
)

// An Emulator runs kernels without a GPU.
type Emulator struct {
	Open    func(contract device.Contract) (device.Device, error) // as a device
	Kernels launch.Launcher                                       // launch by launch
}

// emulatorEntries hold the GPU against the emulator: the same source, compiled by
// NVIDIA and read by the workbench, has the same bits wherever a standard says
// which.
func emulatorEntries() []Entry {
	var out []Entry
	add := func(e Entry) {
		e.Group, e.Name, e.limit = "emulator", "emulator/"+e.Name, 3*time.Minute
		out = append(out, e)
	}
	for _, model := range decoders() {
		for _, p := range []device.Precision{device.Float64, device.Float32} {
			for _, c := range contracts {
				add(Entry{
					Name:  fmt.Sprintf("decoder/%s/%s/%s", model.name, p, c),
					Quick: model.name == "fixture",
					run: func(ctx context.Context, m *Machine, f *Findings) error {
						emulated, gpu, close, err := m.beside(ctx, m.spec(c), m.Emulator.Open)
						if err != nil {
							return err
						}
						defer close()
						return compareDecoder(ctx, f, model, p, emulated, gpu, "the emulator's")
					},
				})
			}
		}
	}
	for _, p := range device.Precisions {
		for _, c := range contracts {
			add(Entry{Name: fmt.Sprintf("requests/%s/%s", p, c), run: func(ctx context.Context, m *Machine, f *Findings) error {
				emulated, gpu, close, err := m.beside(ctx, m.spec(c), m.Emulator.Open)
				if err != nil {
					return err
				}
				defer close()
				d, err := hold(ctx, emulated, gpu, inPrecision(smallerThan(m.fitting(slices.Concat(products(), reductions())), 1<<22), p))
				if err != nil {
					return err
				}
				f.saw("%s", d)
				return d.err()
			}})
		}
	}
	for _, topic := range kernels.Catalogue() {
		add(Entry{Name: "kernels/" + topic.Name + "/" + strings.TrimSuffix(topic.File, ".cu"), Quick: topic.Name != "matmul", run: func(ctx context.Context, m *Machine, f *Findings) error {
			gpu, close, err := m.Kernels(ctx)
			if err != nil {
				return err
			}
			defer close()
			return m.emulatedTopic(ctx, topic, gpu, f)
		}})
	}
	for _, p := range []device.Precision{device.Float32, device.Float64} {
		add(Entry{Name: "functions/" + p.String(), run: func(ctx context.Context, m *Machine, f *Findings) error {
			if err := m.compiler(); err != nil {
				return err
			}
			gpu, close, err := m.Kernels(ctx)
			if err != nil {
				return err
			}
			defer close()
			return m.emulatedFunctions(ctx, p, gpu, f)
		}})
	}
	return out
}

// smallerThan returns the requests of fewer steps: an emulator takes its time for each.
func smallerThan(requests []request, steps int) []request {
	return slices.DeleteFunc(requests, func(r request) bool {
		if r.product == nil {
			return false
		}
		plan, err := r.product.Plan()
		return err == nil && plan.B*plan.M*plan.K*plan.N > steps
	})
}

// emulatedTopic runs the cases of a source's kernels on both, and compares what
// each launch left.
func (m *Machine) emulatedTopic(ctx context.Context, topic kernels.Topic, gpu launch.Launcher, f *Findings) error {
	p := &paired{gpu: gpu, emulated: m.Emulator.Kernels}
	switch topic.Name {
	case "softmax":
		p.most = exponentialUnits
	case "embedding":
		if topic.Symbols[0] == embedding.AtomicSource.Symbols[0] {
			if err := atomicWithoutRounding(ctx, p); err != nil {
				return err
			}
			f.saw("%s, of sums that no order rounds", p)
			return nil
		}
	}
	cases := slices.DeleteFunc(conform.Cases(), func(c conform.Case) bool {
		symbol, _, _ := strings.Cut(c.Name, "/")
		return !slices.Contains(topic.Symbols, symbol) || m.passesOver(c)
	})
	for i, c := range cases {
		if m.small && i%7 != 0 {
			continue
		}
		if err := c.Run(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	f.saw("%s", p)
	return p.err()
}

// exponentialUnits bounds how far apart two softmaxes of a row may lie, in units of
// the last place. Both have the same order and the same roundings but for the
// exponentials, whose errors of CUDA's 2 and the emulator's 1 unit are 6u of the
// value at most, with u half a unit of 1; for the row's sum these have other
// roundings, of up to 14 additions on each side (ceil(257/32) + 5); and the quotient
// has one on each. A difference of x·u of a value is x of its units at most.
const exponentialUnits = 6 + 6 + 2*14 + 2

// paired is a launcher that runs every launch on a GPU and on the emulator, and
// compares all buffers. What it returns is the emulator's: the ladder says whether
// the GPU's is right, this only whether both have the same.
type paired struct {
	gpu, emulated launch.Launcher
	most          uint64 // units of the last place that a value may differ by; 0 is none

	launches, values int
	patterns         int // NaNs whose bits differ
	wrong            int
	worst            uint64
	first            string // the first that is wrong
	at               int    // its element
}

func (p *paired) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(p.Sequence(ctx, []*launch.Launch{l}))
}

func (p *paired) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	want, err := p.emulated.Sequence(ctx, launches)
	if err != nil {
		return nil, fmt.Errorf("the emulator: %w", err)
	}
	got, err := p.gpu.Sequence(ctx, launches)
	if err != nil {
		return nil, err
	}
	for i, l := range launches {
		if n := len(want[i].Reports); n > 0 {
			return nil, fmt.Errorf("the emulator: %d reports, the first of %s: %s", n, want[i].Reports[0].Kind, want[i].Reports[0].Message)
		}
		p.launches++
		for k, a := range l.Buffers() {
			if a == nil || !a.Out {
				continue
			}
			if len(got[i].Buffers[k]) != len(want[i].Buffers[k]) {
				return nil, fmt.Errorf("%s: the buffer %d has %d bytes on the GPU and %d on the emulator", l.Kernel.Symbol, k, len(got[i].Buffers[k]), len(want[i].Buffers[k]))
			}
			p.compare(l, k, a.Type, got[i].Buffers[k], want[i].Buffers[k])
		}
	}
	return want, nil
}

func (p *paired) compare(l *launch.Launch, k int, ctype string, got, want []byte) {
	precision, floating := precisionOf(ctype)
	size := launch.ElementSize(ctype)
	p.values += len(want) / size
	for at := 0; at < len(want); at += size {
		x, y := want[at:at+size], got[at:at+size]
		if bytes.Equal(x, y) {
			continue
		}
		if floating {
			a, b := element(precision, x), element(precision, y)
			if math.IsNaN(a) && math.IsNaN(b) {
				p.patterns++
				continue
			}
			// A NaN is no number of units away from another value.
			distance := ulps(precision, a, b)
			p.worst = max(p.worst, distance)
			if p.most > 0 && distance <= p.most {
				continue
			}
		}
		if p.wrong++; p.first == "" {
			p.at = at / size
			p.first = fmt.Sprintf("%s under %s, buffer %d, element %d is % x on the GPU and % x on the emulator", l.Kernel.Symbol, l.Kernel.Contract, k, at/size, y, x)
		}
	}
}

func (p *paired) err() error {
	switch {
	case p.values == 0:
		return fmt.Errorf("nothing was compared")
	case p.wrong > 0:
		return fmt.Errorf("%s; %d of %d values differ", p.first, p.wrong, p.values)
	}
	return nil
}

func (p *paired) String() string {
	s := fmt.Sprintf("%d values of %d launches equal in every bit", p.values, p.launches)
	if p.most > 0 {
		s = fmt.Sprintf("%d values of %d launches, by %d ulp apart at most", p.values, p.launches, p.worst)
	}
	if p.patterns > 0 {
		s += fmt.Sprintf(", but for the bits of %d NaN", p.patterns)
	}
	return s
}

// precisionOf returns the precision whose elements C calls so.
func precisionOf(ctype string) (p device.Precision, ok bool) {
	for _, p := range device.Precisions {
		if launch.Element(p) == ctype {
			return p, true
		}
	}
	return 0, false
}

// element reads one element.
func element(p device.Precision, bytes []byte) float64 {
	switch p {
	case device.Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(bytes))
	case device.Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(bytes)))
	}
	half := binary.LittleEndian.Uint16(bytes)
	if p == device.Float16 {
		return dtype.Float16FromBits(half)
	}
	return dtype.BFloat16FromBits(half)
}

// atomicWithoutRounding adds whole numbers: however they are ordered, no addition is
// rounded, and both must have every bit.
func atomicWithoutRounding(ctx context.Context, p *paired) error {
	const positions, tokens, columns = 301, 29, 31
	s := newSource("atomic")
	text := make([]int32, positions)
	for i := range text {
		text[i] = int32(s.IntN(tokens))
	}
	whole := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(s.IntN(2001) - 1000)
		}
		return out
	}
	for _, precision := range embedding.AtomicSource.Precisions {
		buffer := func(n int) launch.Buffer {
			return launch.Buffer{Type: launch.Element(precision), Data: precision.AppendBytes(nil, whole(n))}
		}
		for _, c := range contracts {
			l, err := embedding.Atomic(c, precision, text, tokens, columns, buffer(positions*columns), buffer(tokens*columns))
			if err != nil {
				return err
			}
			if _, err := p.Launch(ctx, l); err != nil {
				return err
			}
		}
	}
	return p.err()
}
