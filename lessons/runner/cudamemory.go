package runner

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// fence is how much memory is kept on both sides of each array on a GPU, in bytes:
// it checks no bounds, and what is written there is found afterwards. It is a
// multiple of the alignment that an allocation has.
const fence = 4096

// fenced is what it holds: as a number of any type one that nobody would write.
const fenced = 0xa7

// memory is what a case's launches work on.
type memory struct {
	launches []*launch.Launch
	arrays   []placed // in the order of their first use
}

// placed is an array in the memory of a sequence.
type placed struct {
	*lesson.Array
	element element
	buffer  *launch.Buffer
	before  []byte // what the array itself holds at first
	fence   int    // bytes in front of it, and behind
}

// place makes the launches of a case. On the emulator a buffer is as large as its
// array, so that every access outside is seen; on a GPU there is a fence around it.
func (g *grading) place(c *lesson.Case) *memory {
	m := &memory{}
	at := map[*lesson.Array]int{}
	for i := range c.Launches {
		of := &c.Launches[i]
		l := &launch.Launch{
			Kernel: launch.Kernel{File: g.lesson.File(), Source: string(g.source), Symbol: of.Kernel, Contract: g.spec.Contract},
			Grid:   of.Grid, Block: of.Block, SharedBytes: of.SharedBytes,
		}
		for k, arg := range of.Args {
			array, ok := arg.(*lesson.Array)
			if !ok {
				l.Args = append(l.Args, launch.Arg{Name: fmt.Sprintf("argument %d", k), Value: scalar(arg)})
				continue
			}
			n, known := at[array]
			if !known {
				n = len(m.arrays)
				at[array] = n
				m.arrays = append(m.arrays, g.allocate(array))
			}
			p := m.arrays[n]
			l.Args = append(l.Args, launch.Arg{Name: array.Name, Buffer: p.buffer, Offset: p.fence})
		}
		m.launches = append(m.launches, l)
	}
	return m
}

// allocate fills the buffer of an array.
func (g *grading) allocate(a *lesson.Array) placed {
	n := 1
	for _, extent := range a.Shape {
		n *= extent
	}
	for what, values := range map[string][]float64{"values": a.Values, "wanted values": a.Want} {
		if values != nil && len(values) != n {
			panic(fmt.Sprintf("BUG: %s: %s has the shape %v and %d %s", g.lesson.ID, a.Name, a.Shape, len(values), what))
		}
	}
	p := placed{Array: a, element: elementOf(a.Type)}
	for i := range n {
		if a.Values == nil {
			p.before = append(p.before, p.element.poison()...)
		} else {
			p.before = p.element.append(p.before, a.Values[i])
		}
	}
	p.buffer = &launch.Buffer{Type: a.Type, Data: p.before, Out: true, Shape: a.Shape, Uninitialised: a.Values == nil}
	if !g.watched() {
		p.fence = fence
		rail := bytes.Repeat([]byte{fenced}, fence)
		p.buffer.Data, p.buffer.Shape = slices.Concat(rail, p.before, rail), nil
	}
	return p
}

// scalar is an argument that is no array, as C lays it out.
func scalar(x any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, x)
	if err != nil {
		panic(fmt.Sprintf("BUG: %T is no argument of a kernel: %v", x, err))
	}
	return b
}

// held holds what came out against what should.
func (g *grading) held(c *lesson.Case, m *memory, results []*launch.Result) []lesson.Finding {
	contents := map[*launch.Buffer][]byte{}
	for i, r := range results {
		for k, b := range m.launches[i].Buffers() {
			if b != nil && r.Buffers[k] != nil {
				contents[b] = r.Buffers[k]
			}
		}
	}
	var outside, wrong, changed []lesson.Finding
	for i := range m.arrays {
		p := &m.arrays[i]
		all := contents[p.buffer]
		got := all[p.fence : len(all)-p.fence]
		if f := p.outside(all); f != nil {
			outside = append(outside, *f)
		}
		switch {
		case p.Want != nil:
			if f := g.comparison(c, m, p, got).finding(); f != nil {
				wrong = append(wrong, *f)
			}
		case p.Values != nil && !bytes.Equal(got, p.before):
			changed = append(changed, p.changed(got))
		}
	}
	return slices.Concat(outside, changed, wrong)
}

// comparison is an array that came out beside what should have.
func (g *grading) comparison(c *lesson.Case, m *memory, p *placed, got []byte) *comparison {
	size := p.element.size
	out := &comparison{
		name: p.Name, shape: p.Shape, within: g.lesson.Within, loose: p.Loose, number: p.element.text, kept: p.Values != nil,
	}
	for _, m := range c.Mistakes {
		if m.Array == p.Name {
			out.mistakes = append(out.mistakes, m)
		}
	}
	for _, in := range m.arrays {
		if slices.ContainsFunc(in.Values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
			out.given = in.Name
		}
	}
	for i, want := range p.Want {
		bits := got[i*size:][:size]
		out.want = append(out.want, p.element.round(want))
		out.got = append(out.got, p.element.value(bits))
		out.unwritten = append(out.unwritten, bytes.Equal(bits, p.before[i*size:][:size]))
	}
	// Blocks divide the work; a launch that has one thread divides nothing.
	for _, l := range c.Launches {
		if l.Block.Count() > 1 {
			out.tiles = append(out.tiles, [2]int{l.Block.Y, l.Block.X})
		}
	}
	return out
}

// outside says that something was written around an array.
func (p *placed) outside(all []byte) *lesson.Finding {
	if p.fence == 0 {
		return nil
	}
	size := p.element.size
	n := (len(all) - 2*p.fence) / size
	written, first := 0, 0
	for i := -p.fence / size; i < n+p.fence/size; i++ {
		if i >= 0 && i < n {
			continue
		}
		if bits := all[p.fence+i*size:][:size]; bytes.Count(bits, []byte{fenced}) != size {
			if written == 0 {
				first = i
			}
			written++
		}
	}
	if written == 0 {
		return nil
	}
	where := "behind its end"
	if first < 0 {
		where = "in front of it"
	}
	return &lesson.Finding{
		Kind: lesson.WroteOutside,
		Text: fmt.Sprintf("%s has %s, and %s was written outside of it, the first at %s[%d], %s.", p.Name, count(n, "element"), count(written, "element"), p.Name, first, where),
		Next: "look for the guard: which threads have no element? The emulator names the line and the thread",
	}
}

// changed says that an array was written to that was to stay.
func (p *placed) changed(got []byte) lesson.Finding {
	size := p.element.size
	v := &lesson.Values{Array: p.Name, Shape: p.Shape, Count: len(p.Values), Within: "as it was"}
	for i := range p.Values {
		is, was := got[i*size:][:size], p.before[i*size:][:size]
		if bytes.Equal(is, was) {
			continue
		}
		if v.Wrong++; len(v.First) < mostWrong {
			v.First = append(v.First, lesson.Wrong{At: coordinates(p.Shape, i), Expected: p.element.text(p.element.value(was)), Actual: p.element.text(p.element.value(is))})
		}
	}
	return lesson.Finding{
		Kind: lesson.InputChanged, Values: v,
		Text: fmt.Sprintf("%s is to be read alone, and the kernel wrote to %s of it.", p.Name, count(v.Wrong, "element")),
		Next: fmt.Sprintf("look for an assignment with %s[…] on its left", p.Name),
	}
}

// element is a type of C, as the elements of arrays have it.
type element struct {
	size     int
	floating bool
	signed   bool
}

func elementOf(ctype string) element {
	switch ctype {
	case "float":
		return element{4, true, true}
	case "double":
		return element{8, true, true}
	case "char", "signed char":
		return element{1, false, true}
	case "unsigned char":
		return element{1, false, false}
	case "short":
		return element{2, false, true}
	case "unsigned short":
		return element{2, false, false}
	case "int":
		return element{4, false, true}
	case "unsigned int", "unsigned":
		return element{4, false, false}
	case "long long":
		return element{8, false, true}
	case "unsigned long long":
		return element{8, false, false}
	}
	panic("BUG: no array has elements of type " + ctype)
}

// poison is what an element holds that nobody has written: NaN, with a payload
// that no arithmetic makes, or an integer that stands out.
func (e element) poison() []byte {
	var word uint64
	switch {
	case e.floating && e.size == 4:
		word = 0x7fc0dead
	case e.floating:
		word = 0x7ff8dead0000beef
	default:
		word = 0xdeadbeefdeadbeef
	}
	return binary.LittleEndian.AppendUint64(nil, word)[:e.size]
}

// append writes a number, which is rounded to the type.
func (e element) append(b []byte, x float64) []byte {
	var word uint64
	switch {
	case e.floating && e.size == 4:
		word = uint64(math.Float32bits(float32(x)))
	case e.floating:
		word = math.Float64bits(x)
	case e.signed || x < 0:
		word = uint64(int64(x))
	default:
		word = uint64(x)
	}
	return append(b, binary.LittleEndian.AppendUint64(nil, word)[:e.size]...)
}

// value reads a number. Integers beyond 2^53 are rounded.
func (e element) value(b []byte) float64 {
	var whole [8]byte
	copy(whole[:], b[:e.size])
	word := binary.LittleEndian.Uint64(whole[:])
	switch {
	case e.floating && e.size == 4:
		return float64(math.Float32frombits(uint32(word)))
	case e.floating:
		return math.Float64frombits(word)
	case e.signed:
		unused := 64 - 8*e.size
		return float64(int64(word<<unused) >> unused)
	}
	return float64(word)
}

// round returns what is left of a number in the type.
func (e element) round(x float64) float64 { return e.value(e.append(nil, x)) }

// text writes a value of the type.
func (e element) text(x float64) string {
	bits := 64
	if e.floating && e.size == 4 {
		bits = 32
	}
	return number(x, bits)
}

// number writes a value as short as it can be told from its neighbours.
func number(x float64, bits int) string {
	switch {
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "−∞"
	case x == math.Trunc(x) && math.Abs(x) < 1e17:
		return strconv.FormatFloat(x, 'f', -1, bits)
	}
	return strconv.FormatFloat(x, 'g', -1, bits)
}

// extent is how much a case has to do: what its arrays hold and the threads of its
// launches.
func extent(c *lesson.Case) int {
	total := 0
	for _, l := range c.Launches {
		total += l.Grid.Count() * l.Block.Count()
		for _, arg := range l.Args {
			if a, ok := arg.(*lesson.Array); ok {
				n := 1
				for _, d := range a.Shape {
					n *= d
				}
				total += n
			}
		}
	}
	return total
}
