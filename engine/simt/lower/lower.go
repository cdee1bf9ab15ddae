package lower

import (
	"fmt"

	"workbench/engine/simt/check"
	"workbench/engine/simt/code"
	"workbench/engine/simt/source"
	"workbench/engine/simt/types"
)

// Limits bound the code that a source becomes.
type Limits struct {
	Instructions int   // of a program
	Inlined      int   // of a function, beyond which calls stay calls
	Memory       int64 // bytes of the variables of a program
}

// Default are limits that no source met in practice comes near.
var Default = Limits{Instructions: 2_000_000, Inlined: 200_000, Memory: 1 << 36}

// Program returns the register code of some kernels. Anything wrong with the
// source is a *source.Error.
func Program(kernels []*check.Func, limits Limits) (p *code.Program, err error) {
	return program(kernels, limits, nil)
}

// Named is Program with code.Names: the code says what the source's variables
// hold, and computes the same.
func Named(kernels []*check.Func, limits Limits) (p *code.Program, err error) {
	return program(kernels, limits, &code.Names{Scopes: []code.InScope{{Var: -1}}})
}

func program(kernels []*check.Func, limits Limits, names *code.Names) (p *code.Program, err error) {
	l := &lowerer{
		program: &code.Program{Names: names}, limits: limits, frames: map[*check.Func]int{}, slots: map[*check.Var]int{},
		scalars: map[types.Kind]*shape{}, structs: map[*types.Struct]*shape{},
		places: map[source.Pos]code.Pos{}, variables: map[*check.Var]int{}, texts: map[string]int{},
		functions: map[*check.Func]int{}, facts: map[*check.Func]*facts{}, cyclic: map[*check.Func]bool{}, sizes: map[*check.Func]int{},
	}
	defer func() {
		if e := recover(); e != nil {
			bad, ok := e.(*source.Error)
			if !ok {
				panic(e)
			}
			p, err = nil, bad
		}
	}()
	for _, k := range kernels {
		l.kernel(k)
		l.drain()
	}
	if err := code.Verify(l.program); err != nil {
		panic("BUG: " + err.Error())
	}
	return l.program, nil
}

// A lowerer makes one program.
type lowerer struct {
	program *code.Program
	limits  Limits

	scalars map[types.Kind]*shape
	structs map[*types.Struct]*shape

	places    map[source.Pos]code.Pos
	variables map[*check.Var]int // of global, constant and shared memory
	texts     map[string]int     // string literals in constant memory
	functions map[*check.Func]int
	queue     []*check.Func
	facts     map[*check.Func]*facts
	cyclic    map[*check.Func]bool
	calls     map[*check.Func][]*check.Func
	sizes     map[*check.Func]int
	frames    map[*check.Func]int // of code.Names
	slots     map[*check.Var]int  // in their frames
	emitted   int
	memory    int64
}

func (l *lowerer) fail(e *source.Error) { panic(e) }

// pos returns a place of the source as the register code has it.
func (l *lowerer) pos(p source.Pos) code.Pos {
	if !p.IsValid() {
		return 0
	}
	if at, ok := l.places[p]; ok {
		return at
	}
	line, column := p.Place()
	at := code.Position{File: p.File.Name, Line: line, Column: column}
	for x := p.Macro; x != nil; x = x.Token.Macro {
		if x.Token.File != nil && !x.Token.File.BuiltIn {
			at.Macro = x.Name
		}
	}
	n := l.program.Add(at)
	l.places[p] = n
	return n
}

// kernel lowers a kernel.
func (l *lowerer) kernel(k *check.Func) {
	if _, ok := l.functions[k]; ok {
		return
	}
	f := &code.Function{Name: k.Name, Kernel: true, MaxThreads: k.MaxThreads, Pos: l.pos(k.Pos)}
	l.functions[k] = len(l.program.Functions)
	l.program.Functions = append(l.program.Functions, f)
	w := l.newWriter(f, k)
	f.Frame = w.frame.number
	w.kernelParams(k)
	w.block(k.Body)
	w.finish()
}

// drain lowers the functions that stayed functions.
func (l *lowerer) drain() {
	for len(l.queue) > 0 {
		f := l.queue[0]
		l.queue = l.queue[1:]
		l.function(f)
	}
}

// outOfLine returns the number of a function that is called and not written out.
func (l *lowerer) outOfLine(fn *check.Func) int {
	if n, ok := l.functions[fn]; ok {
		return n
	}
	f := &code.Function{Name: fn.Name, Pos: l.pos(fn.Pos)}
	n := len(l.program.Functions)
	l.functions[fn] = n
	l.program.Functions = append(l.program.Functions, f)
	f.Regs = append(f.Regs, code.Register{})
	add := func(name string, t types.Scalar) {
		f.Regs = append(f.Regs, code.Register{Type: t, Name: name})
		f.Params = append(f.Params, code.Param{Name: name, Type: t, Reg: code.Reg(len(f.Regs) - 1)})
	}
	if fn.This != nil {
		add("this", types.Ptr)
	}
	for _, p := range fn.Params {
		switch s := l.shapeOf(stored(p.Type)); {
		case s.fits:
			for i, leaf := range s.leaves {
				add(leafName(p.Name, i, len(s.leaves)), leaf.t.Scalar())
			}
		default:
			add(p.Name, types.Ptr)
		}
	}
	switch s := l.shapeOf(stored(fn.Result)); {
	case s.fits:
		for _, leaf := range s.leaves {
			f.Results = append(f.Results, leaf.t.Scalar())
		}
	default:
		add("(result)", types.Ptr)
	}
	l.queue = append(l.queue, fn)
	return n
}

func leafName(name string, i, n int) string {
	if n == 1 || name == "" {
		return name
	}
	return fmt.Sprintf("%s.%d", name, i)
}

// function lowers a function that is called.
func (l *lowerer) function(fn *check.Func) {
	f := l.program.Functions[l.functions[fn]]
	w := l.newWriter(f, fn)
	w.functionParams(fn)
	w.block(fn.Body)
	if s := l.shapeOf(stored(fn.Result)); s.fits && len(s.leaves) > 0 && !w.ended() {
		// The end is reached without a return: what it returns is nothing's business.
		var values []code.Value
		for _, leaf := range s.leaves {
			values = append(values, w.undefined(leaf.t))
		}
		w.emit(&code.Return{At: w.b.At(), Values: values})
	}
	w.finish()
}

// variable returns the number of a variable of global, constant or shared memory.
func (l *lowerer) variable(v *check.Var) (code.Space, int) {
	space := code.Global
	list := &l.program.Globals
	switch v.Storage {
	case check.Shared, check.Dynamic:
		space, list = code.Shared, &l.program.Shared
	case check.Constant, check.Auto:
		space, list = code.Constant, &l.program.Constants
	}
	if n, ok := l.variables[v]; ok {
		return space, n
	}
	t := v.Type
	x := describe(v.Name, t)
	x.Align = int(max(v.Align, t.Align()))
	x.Pos = l.pos(v.Pos)
	switch {
	case v.Storage == check.Dynamic:
		x.Dynamic = true
		x.Size = max(t.Size(), 0)
	case v.Init != nil:
		x.Init = trimmed(check.Bytes(t, *v.Init))
	case v.Storage == check.Auto && v.Value() != nil:
		x.Init = trimmed(check.Bytes(t, *v.Value()))
	}
	if l.memory += x.Size; l.memory > l.limits.Memory {
		l.fail(source.Errorf(v.Pos, v.Name, "the variables of this source have more than %d bytes", l.limits.Memory))
	}
	n := len(*list)
	*list = append(*list, x)
	l.variables[v] = n
	return space, n
}

// describe returns a variable as messages show it.
func describe(name string, t *types.Type) *code.Variable {
	x := &code.Variable{Name: name, Size: t.Size(), Align: int(t.Align())}
	inner := t
	for inner.Kind == types.KindArray {
		x.Dims = append(x.Dims, int(max(inner.Len, 0)))
		inner = inner.Elem
	}
	x.Elem, x.ElemSize = inner.Unqualified().String(), int(inner.Size())
	return x
}

// trimmed leaves the zeros at the end out.
func trimmed(b []byte) []byte {
	n := len(b)
	for n > 0 && b[n-1] == 0 {
		n--
	}
	return b[:n]
}

// text returns the number of a string in constant memory.
func (l *lowerer) text(e *check.Text) int {
	if n, ok := l.texts[e.Data]; ok {
		return n
	}
	x := describe("string", e.Type())
	x.Init = []byte(e.Data)
	x.Pos = l.pos(e.Pos())
	n := len(l.program.Constants)
	l.program.Constants = append(l.program.Constants, x)
	l.texts[e.Data] = n
	return n
}
