package run

import (
	"fmt"
	"sync"
	"sync/atomic"

	"workbench/engine/simt/code"
)

// An Image is a program that is ready to run. It holds no memory and may be
// used by any number of machines at once.
type Image struct {
	Program *code.Program

	mu     sync.Mutex
	forms  map[variant]*form
	writes map[int]origins // by kernel: where what it writes comes from
}

// variant is what the ops of a kernel are made for.
type variant struct {
	kernel int
	fused  bool
	events Events
}

// observedBy is v for blocks that o observes.
func (v variant) observedBy(o Observer) variant {
	v.events = 0
	if o != nil {
		v.events = o.Wants() | observed
	}
	return v
}

// Compile verifies a program. Its kernels are made ready when they are launched
// first. The program must not be changed any more.
func Compile(p *code.Program) (*Image, error) {
	if err := code.Verify(p); err != nil {
		return nil, err
	}
	return &Image{Program: p, forms: map[variant]*form{}, writes: map[int]origins{}}, nil
}

func (i *Image) form(v variant) *form {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := i.forms[v]
	if f == nil {
		f = compile(i.Program, v.kernel, v.fused, v.events)
		i.forms[v] = f
	}
	return f
}

// Machine is a program with its memory: the variables it declares, and what is
// allocated. One launch at a time runs on it.
type Machine struct {
	image     *Image
	limit     int64 // bytes
	allocated int64

	global, constant []region // by number
	locks            [locks]sync.Mutex
	fences           atomic.Int64
}

// A MemoryError is an allocation beyond a machine's memory.
type MemoryError struct {
	Label              string
	Asked, Used, Limit int64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s needs %d bytes, and %d of %d are in use", e.Label, e.Asked, e.Used, e.Limit)
}

// DefaultMemory is the memory of a machine that is given no limit: 4 GiB.
const DefaultMemory = 4 << 30

// New returns a machine with a memory of limit bytes, DefaultMemory if that is
// 0, in which the program's variables have their initial values.
func New(image *Image, limit int64) (*Machine, error) {
	if limit == 0 {
		limit = DefaultMemory
	}
	m := &Machine{image: image, limit: limit, global: make([]region, 1), constant: make([]region, 1)}
	for _, list := range []struct {
		space     code.Space
		variables []*code.Variable
		into      *[]region
	}{{code.Global, image.Program.Globals, &m.global}, {code.Constant, image.Program.Constants, &m.constant}} {
		for _, v := range list.variables {
			x := memoryOf(v, list.space)
			if err := m.claim(x.Label, x.Size); err != nil {
				return nil, err
			}
			x.Number = len(*list.into)
			x.Data = make([]byte, x.Size)
			copy(x.Data, v.Init)
			*list.into = append(*list.into, region{x.Data, x})
		}
	}
	return m, nil
}

func memoryOf(v *code.Variable, s code.Space) *Memory {
	return &Memory{Label: v.Name, Space: s, Size: v.Size, Elem: v.Elem, ElemSize: v.ElemSize, Dims: v.Dims, Pos: v.Pos}
}

func (m *Machine) claim(label string, size int64) error {
	if size < 0 || size > m.limit-m.allocated {
		return &MemoryError{Label: label, Asked: size, Used: m.allocated, Limit: m.limit}
	}
	m.allocated += size
	return nil
}

// Image returns the program that the machine runs.
func (m *Machine) Image() *Image { return m.image }

// Allocate returns new global memory, all zero. label, elem (C's name of an
// element), elemSize in bytes and dims are how messages speak of it; without
// dims it is one row of elements.
func (m *Machine) Allocate(label string, size int64, elem string, elemSize int, dims ...int) (*Memory, error) {
	if err := m.claim(label, size); err != nil {
		return nil, err
	}
	if len(m.global) > numberMask {
		return nil, &MemoryError{Label: label, Asked: size, Used: m.allocated, Limit: m.limit}
	}
	x := &Memory{
		Label: label, Space: code.Global, Number: len(m.global), Size: size, Elem: elem, ElemSize: elemSize, Dims: dims,
		Data: make([]byte, size),
	}
	m.global = append(m.global, region{x.Data, x})
	return x, nil
}

// Room returns how many bytes can still be allocated.
func (m *Machine) Room() int64 { return m.limit - m.allocated }

// Memories returns global and constant memory: the program's variables, and what
// was allocated.
func (m *Machine) Memories() []*Memory {
	var out []*Memory
	for _, list := range [][]region{m.global, m.constant} {
		for i := range list {
			if x := list[i].memory; x != nil {
				out = append(out, x)
			}
		}
	}
	return out
}

// Free takes memory back that Allocate returned. A pointer to it points to
// nothing from then on, and its number is not used again.
func (m *Machine) Free(x *Memory) {
	if x.Space == code.Global && x.Number < len(m.global) && m.global[x.Number].memory == x {
		m.global[x.Number] = region{}
		m.allocated -= x.Size
	}
}

// Variable returns the memory of a __device__ or __constant__ variable, or nil.
func (m *Machine) Variable(name string) *Memory {
	for _, list := range [][]region{m.constant, m.global} {
		for i := range list {
			if x := list[i].memory; x != nil && x.Label == name && name != "" {
				return x
			}
		}
	}
	return nil
}
