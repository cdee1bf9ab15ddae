package code

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"workbench/engine/simt/types"
)

// Text writes p in the form that Read reads:
//
//	global NAME BYTES ALIGN [elem "float" BYTES] [dims 16 17] [init HEX]    also constant, shared, and in a function local
//	shared NAME BYTES ALIGN dynamic
//	kernel NAME(n i32 %n, x ptr %x, m struct BYTES ALIGN) [threads 256] {
//	func NAME(x f32 %x) f32 {                                               results follow the parameters
//		reg f32 %acc %12                                                    a temporary's name is a number
//		muladd f32 %acc %x %12 %acc @7:3                                    @ line:column of the file …
//		file "other.cu"                                                     … that was named last
//	}
//
// A line is an instruction: its name, what it is specialised by, what it writes,
// what it reads. _ is no register; [ ] holds what there may be several of. A
// constant float is written in decimal, or as its bits in hexadecimal. // begins a
// comment.
func Text(p *Program) string {
	w := writer{program: p}
	for _, list := range []struct {
		keyword string
		of      []*Variable
	}{{"global", p.Globals}, {"constant", p.Constants}, {"shared", p.Shared}} {
		for _, x := range list.of {
			w.line(variableText(list.keyword, x), x.Pos)
		}
	}
	for i, f := range p.Functions {
		if i > 0 || len(p.Globals)+len(p.Constants)+len(p.Shared) > 0 {
			w.b.WriteByte('\n')
		}
		w.function(f)
	}
	return w.b.String()
}

type writer struct {
	program *Program
	f       *Function
	b       strings.Builder
	indent  int
	file    string
}

func (w *writer) line(text string, pos Pos) {
	at := w.program.Position(pos)
	if at.Line > 0 && at.File != w.file {
		w.file = at.File
		w.line("file "+strconv.Quote(at.File), 0)
	}
	w.b.WriteString(strings.Repeat("\t", w.indent))
	w.b.WriteString(text)
	if at.Line > 0 {
		fmt.Fprintf(&w.b, " @%d:%d", at.Line, at.Column)
		if at.Macro != "" {
			w.b.WriteString(" in " + quoted(at.Macro))
		}
	}
	w.b.WriteByte('\n')
}

func variableText(keyword string, x *Variable) string {
	s := fmt.Sprintf("%s %s %d %d", keyword, quoted(x.Name), x.Size, x.Align)
	if x.Elem != "" || x.ElemSize != 0 {
		s += fmt.Sprintf(" elem %s %d", strconv.Quote(x.Elem), x.ElemSize)
	}
	if len(x.Dims) > 0 {
		s += " dims"
		for _, d := range x.Dims {
			s += " " + strconv.Itoa(d)
		}
	}
	if x.Dynamic {
		s += " dynamic"
	}
	if len(x.Init) > 0 {
		s += " init " + hex.EncodeToString(x.Init)
	}
	return s
}

func (w *writer) function(f *Function) {
	w.f = f
	var params []string
	for _, p := range f.Params {
		s := quoted(p.Name) + " "
		if p.Type == types.Void {
			s += fmt.Sprintf("struct %d %d", p.Size, p.Align)
		} else {
			s += p.Type.String()
		}
		if p.Reg != 0 {
			s += " " + regName(f, p.Reg)
		}
		if p.CType != "" {
			s += " " + strconv.Quote(p.CType)
		}
		params = append(params, s)
	}
	keyword := "func"
	if f.Kernel {
		keyword = "kernel"
	}
	s := keyword + " " + quoted(f.Name) + "(" + strings.Join(params, ", ") + ")"
	for _, t := range f.Results {
		s += " " + t.String()
	}
	if f.MaxThreads > 0 {
		s += fmt.Sprintf(" threads %d", f.MaxThreads)
	}
	w.line(s+" {", f.Pos)
	w.indent++
	for i := 1; i < len(f.Regs); {
		t := f.Regs[i].Type
		s := "reg " + t.String()
		for n := 0; i < len(f.Regs) && f.Regs[i].Type == t && n < 16; n++ {
			s += " " + regName(f, Reg(i))
			i++
		}
		w.line(s, 0)
	}
	for _, x := range f.Locals {
		w.line(variableText("local", x), x.Pos)
	}
	w.block(f.Body)
	w.indent--
	w.line("}", 0)
	w.f = nil
}

func (w *writer) block(b Block) {
	for _, in := range b {
		switch i := in.(type) {
		case *If:
			w.line("if "+valueText(w.f, i.Cond, types.Pred)+" {", i.Pos)
			w.nested(i.Then)
			if len(i.Else) > 0 {
				w.line("} else {", 0)
				w.nested(i.Else)
			}
			w.line("}", 0)
		case *Loop:
			w.line("loop {", i.Pos)
			w.nested(i.Cond)
			w.line("} while "+valueText(w.f, i.Test, types.Pred)+" {", 0)
			w.nested(i.Body)
			if len(i.Step) > 0 {
				w.line("} step {", 0)
				w.nested(i.Step)
			}
			w.line("}", 0)
		case *Region:
			w.line("region {", i.Pos)
			w.nested(i.Body)
			w.line("}", 0)
		default:
			w.line(instrText(w.program, w.f, in), in.Position())
		}
	}
}

func (w *writer) nested(b Block) {
	w.indent++
	w.block(b)
	w.indent--
}

// instrText writes one instruction; of one with blocks inside, its name.
func instrText(p *Program, f *Function, in Instr) string {
	e := encoder{program: p, f: f}
	fields(in, &e)
	return strings.Join(e.tokens, " ")
}

// quoted writes a name as it is if it is one word, and in quotes otherwise.
func quoted(name string) string {
	for i, r := range name {
		word := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && (r >= '0' && r <= '9' || r == ':' || r == '.')
		if !word {
			return strconv.Quote(name)
		}
	}
	if name == "" || name == "_" {
		return strconv.Quote(name)
	}
	return name
}

// regName writes a register: %name if no other has it, %name.3 if one does, %3
// if it has none.
func regName(f *Function, r Reg) string {
	if r == 0 {
		return "_"
	}
	if int(r) >= len(f.Regs) || r < 0 {
		return fmt.Sprintf("%%(%d)", r)
	}
	name := f.Regs[r].Name
	if name == "" {
		return fmt.Sprintf("%%%d", r)
	}
	for i := range f.Regs {
		if i != int(r) && f.Regs[i].Name == name {
			return fmt.Sprintf("%%%s.%d", name, r)
		}
	}
	return "%" + name
}

func valueText(f *Function, x Value, t types.Scalar) string {
	if x.Reg != 0 {
		return regName(f, x.Reg)
	}
	switch {
	case t == types.Pred:
		return strconv.FormatBool(x.Bits != 0)
	case t.Signed():
		return strconv.FormatInt(int64(x.Bits), 10)
	case t.Integer():
		return strconv.FormatUint(x.Bits, 10)
	case t == types.F32:
		v := math.Float32frombits(uint32(x.Bits))
		if v == v && v-v == 0 {
			return decimal(strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
	case t == types.F64:
		v := math.Float64frombits(x.Bits)
		if v == v && v-v == 0 {
			return decimal(strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return fmt.Sprintf("%#x", x.Bits)
}

// decimal keeps a float from looking like an integer.
func decimal(s string) string {
	if strings.ContainsAny(s, ".e") {
		return s
	}
	return s + ".0"
}

// encoder is the codec that writes.
type encoder struct {
	program *Program
	f       *Function
	tokens  []string
}

func (e *encoder) put(s string) { e.tokens = append(e.tokens, s) }

func (e *encoder) word(of *string)                 { e.put(quoted(*of)) }
func (e *encoder) text(of *string)                 { e.put(strconv.Quote(*of)) }
func (e *encoder) scalar(of *types.Scalar)         { e.put(of.String()) }
func (e *encoder) reg(of *Reg)                     { e.put(regName(e.f, *of)) }
func (e *encoder) value(of *Value, t types.Scalar) { e.put(valueText(e.f, *of, t)) }
func (e *encoder) typeOf(r Reg) types.Scalar {
	if r > 0 && int(r) < len(e.f.Regs) {
		return e.f.Regs[r].Type
	}
	return types.U64
}
func (e *encoder) more(n int) bool { return n > 0 }

func (e *encoder) around() (*Program, *Function) { return e.program, e.f }

func (e *encoder) number(of *int64) { e.put(strconv.FormatInt(*of, 10)) }

func (e *encoder) optional(of *int64) {
	if *of != 0 {
		e.number(of)
	}
}

func (e *encoder) flag(of *bool, name string) {
	if *of {
		e.put(name)
	}
}

func (e *encoder) enum(of *uint8, names []string) { e.put(name(names, *of)) }

func (e *encoder) regs(of *[]Reg) {
	if len(*of) == 1 {
		e.reg(&(*of)[0])
		return
	}
	list := encoder{program: e.program, f: e.f}
	for i := range *of {
		list.reg(&(*of)[i])
	}
	e.put("[" + strings.Join(list.tokens, " ") + "]")
}

func (e *encoder) values(of *[]Value, t func(i int) types.Scalar) {
	if len(*of) == 1 {
		e.value(&(*of)[0], t(0))
		return
	}
	list := encoder{program: e.program, f: e.f}
	for i := range *of {
		list.value(&(*of)[i], t(i))
	}
	e.put("[" + strings.Join(list.tokens, " ") + "]")
}

func (e *encoder) printed(of *[]Printed) {
	for i := range *of {
		a := &(*of)[i]
		e.scalar(&a.Type)
		e.value(&a.X, a.Type)
	}
}

func (e *encoder) variable(of *int, s Space) {
	list := variables(e.program, e.f, s)
	if *of >= 0 && *of < len(list) && list[*of] != "" {
		unique := true
		for i := range list {
			unique = unique && (i == *of || list[i] != list[*of])
		}
		if unique {
			e.put(quoted(list[*of]))
			return
		}
	}
	e.put("#" + strconv.Itoa(*of))
}

func (e *encoder) function(of *int) {
	if *of >= 0 && *of < len(e.program.Functions) {
		if name := e.program.Functions[*of].Name; e.program.Function(name) == *of {
			e.put(quoted(name))
			return
		}
	}
	e.put("#" + strconv.Itoa(*of))
}

// variables returns the names that an Addr of that space may use.
func variables(p *Program, f *Function, s Space) []string {
	var names []string
	list := func(of []*Variable) []string {
		for _, x := range of {
			names = append(names, x.Name)
		}
		return names
	}
	switch s {
	case Global:
		return list(p.Globals)
	case Constant:
		return list(p.Constants)
	case Shared:
		return list(p.Shared)
	case Local:
		return list(f.Locals)
	case Parameter:
		for _, x := range f.Params {
			names = append(names, x.Name)
		}
	}
	return names
}
