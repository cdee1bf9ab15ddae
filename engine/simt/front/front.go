// Package front reads CUDA C: from the text of a file to the register code of its
// kernels.
//
//	unit, err := front.Read("reduce.cu", text, front.Options{})
//	program, err := unit.Program("reduce<256>", "copy<float, 4>")
//
// The way is preprocess (words), syntax (the tree), check (names and types) and
// lower (code). Whatever is wrong with a source, or not supported, is one
// *source.Error: file, line, column, what it is, and what to write instead. Work is
// bounded: a source that would take for ever, or all memory, is such an error too.
package front

import (
	"fmt"
	"slices"
	"sync"

	"workbench/engine/simt/check"
	"workbench/engine/simt/code"
	"workbench/engine/simt/header"
	"workbench/engine/simt/lower"
	"workbench/engine/simt/preprocess"
	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
)

// Options are what a source is read with. The zero value will do.
type Options struct {
	// Headers are files that #include finds beside those that CUDA C has, by name.
	Headers map[string]string

	// Defines are macros that are defined before the source: name and text.
	Defines map[string]string
}

// A Unit is a source that was read, with its names and types. It may be used by one
// goroutine at a time.
type Unit struct {
	file    *source.File
	tree    *syntax.File
	checked *check.Unit
	missing []preprocess.Missing
}

// Read reads a source; name is what messages call it. It finds what is wrong in
// every function of the source, but for templates that nothing uses, and what is not
// supported: that is an error of Program, of the kernels that need it, and so is what
// cannot be read for want of a header. The host's part of a source, and headers that
// are not here, are passed over.
func Read(name, text string, o Options) (u *Unit, err error) {
	defer guard(name, &err)
	return read(name, text, o)
}

func read(name, text string, o Options) (*Unit, error) {
	file := source.NewFile(name, text)
	files := []*source.File{file}
	if len(o.Defines) > 0 {
		files = []*source.File{defines(o.Defines), file}
	}
	before := prelude()
	state, tokens, err := before.state.Read(files, include(o.Headers), preprocess.Default)
	if err != nil {
		return nil, err
	}
	missing := state.Missing()
	reading, checking := syntax.Default, check.Default
	reading.Incomplete, checking.Incomplete = len(missing) > 0, len(missing) > 0
	tree, err := before.tree.Parse(tokens, reading)
	if err != nil {
		return nil, noteHeaders(err, missing)
	}
	checked, err := check.Check(slices.Concat(before.tree.Decls, tree.Decls), checking)
	if err != nil {
		return nil, noteHeaders(err, missing)
	}
	return &Unit{file: file, tree: tree, checked: checked, missing: missing}, nil
}

// mostHeaders is how many headers that are not here an error names.
const mostHeaders = 3

// noteHeaders says of a name that nothing has which headers might have had it.
func noteHeaders(err error, missing []preprocess.Missing) error {
	bad, ok := err.(*source.Error)
	if !ok || !bad.Unknown || len(missing) == 0 {
		return err
	}
	out := *bad
	out.Notes = slices.Clone(bad.Notes)
	for _, m := range missing[:min(len(missing), mostHeaders)] {
		if m.Reason != "" {
			out.Note(m.Pos, "%s", m.Reason)
			continue
		}
		out.Note(m.Pos, "there is no header %s here: what it declares is not known", m.Name)
	}
	return &out
}

// begun is what comes before every source, as words and as a tree: reading it takes
// longer than reading a kernel.
type begun struct {
	state *preprocess.State
	tree  *syntax.File
}

var prelude = sync.OnceValue(func() begun {
	state, tokens, err := (*preprocess.State)(nil).Read([]*source.File{header.Prelude()}, nil, preprocess.Default)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	tree, err := syntax.Parse(tokens, syntax.Default)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return begun{state, tree}
})

// guard makes an error of a mistake in this program: a source must not end the
// process that reads it.
func guard(name string, err *error) {
	if e := recover(); e != nil {
		*err = &source.Error{Pos: source.Pos{File: source.NewFile(name, "")}, Construct: Internal, Message: fmt.Sprintf("this source cannot be read, because of a mistake in the workbench: %v", e)}
	}
}

// Internal is the construct of an error that is this program's own mistake.
const Internal = "internal error"

// defines is the text of macros that are defined from outside.
func defines(list map[string]string) *source.File {
	var names []string
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	text := ""
	for _, name := range names {
		text += "#define " + name + " " + list[name] + "\n"
	}
	f := source.NewFile("defines", text)
	f.BuiltIn = true
	return f
}

// include finds the headers of the options, and those that CUDA C has.
func include(headers map[string]string) preprocess.Include {
	return func(name string, angled bool) (*source.File, error) {
		if text, ok := headers[name]; ok {
			return source.NewFile(name, text), nil
		}
		return header.Include(name)
	}
}

// Kernels returns the names of the kernels that are no templates, in the order of
// their definitions. Instances of templates are asked for by name.
func (u *Unit) Kernels() []string {
	var out []string
	for _, k := range u.checked.Kernels {
		out = append(out, k.Name)
	}
	return out
}

// Program returns the code of some kernels; without names, of all that Kernels
// lists. A kernel is named as the source does, add or ns::add, and an instance of a
// template by its arguments: reduce<256>. The code's functions have the names that
// were asked for.
func (u *Unit) Program(kernels ...string) (p *code.Program, err error) {
	defer guard(u.file.Name, &err)
	p, err = u.program(false, kernels...)
	return p, noteHeaders(err, u.missing)
}

// Named is Program with code.Names, for who shows the source's variables while
// the program runs. It computes the same.
func (u *Unit) Named(kernels ...string) (p *code.Program, err error) {
	defer guard(u.file.Name, &err)
	p, err = u.program(true, kernels...)
	return p, noteHeaders(err, u.missing)
}

func (u *Unit) program(names bool, kernels ...string) (*code.Program, error) {
	list := u.checked.Kernels
	if len(kernels) > 0 {
		list = nil
	}
	for _, name := range kernels {
		k, err := u.kernel(name)
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	lowered := lower.Program
	if names {
		lowered = lower.Named
	}
	p, err := lowered(list, lower.Default)
	if err != nil {
		return nil, err
	}
	at := make([]int, len(kernels))
	for i := range kernels {
		at[i] = p.Function(list[i].Name)
	}
	renamed := map[int]bool{}
	for i, name := range kernels {
		switch n := at[i]; {
		case n < 0 || p.Function(name) >= 0:
		case !renamed[n]:
			p.Functions[n].Name = name
			renamed[n] = true
		default: // one more name of the same: reduce<0x100>
			again := *p.Functions[n]
			again.Name = name
			p.Functions = append(p.Functions, &again)
		}
	}
	return p, nil
}

// kernel finds a kernel by its name.
func (u *Unit) kernel(name string) (*check.Func, error) {
	for _, k := range u.checked.Kernels {
		if name != "" && (k.Name == name || k.Symbol == name) {
			return k, nil
		}
	}
	tokens, err := preprocess.Tokens([]*source.File{source.NewFile("kernel", name)}, nil, preprocess.Default)
	if err != nil {
		return nil, err
	}
	n, err := u.tree.Name(tokens)
	if err != nil {
		return nil, err
	}
	return u.checked.Kernel(n)
}
