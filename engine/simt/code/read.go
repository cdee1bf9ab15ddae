package code

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"workbench/engine/simt/types"
)

// A ReadError is a text that Read cannot read.
type ReadError struct {
	File   string
	Line   int
	Reason string
}

func (e *ReadError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

// Read reads the form that Text writes, and verifies it. file names the text in
// errors; where a line has no position of its own, its place in the text is the
// position of what it says, so that a program written by hand can be spoken
// about. Registers of parameters need no reg line.
func Read(file, text string) (*Program, error) {
	r := reader{program: &Program{Positions: []Position{{}}}, file: file}
	if err := r.read(text); err != nil {
		return nil, err
	}
	if err := Verify(r.program); err != nil {
		return nil, err
	}
	return r.program, nil
}

// line is a line of the text in words; a quoted word begins with its quote.
type line struct {
	number int
	words  []string
	pos    Pos
}

type reader struct {
	program *Program
	file    string
	lines   []line
	next    int
}

type readFailure struct{ err *ReadError }

func (r *reader) fail(at line, format string, args ...any) {
	panic(readFailure{&ReadError{File: r.file, Line: at.number, Reason: fmt.Sprintf(format, args...)}})
}

func (r *reader) read(text string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			f, ok := p.(readFailure)
			if !ok {
				panic(p)
			}
			err = f.err
		}
	}()
	source := ""
	for n, s := range strings.Split(text, "\n") {
		l := line{number: n + 1}
		l.words = r.split(l, s)
		if len(l.words) == 0 {
			continue
		}
		if l.words[0] == "file" && len(l.words) == 2 {
			source = r.unquote(l, l.words[1])
			continue
		}
		at := Position{File: r.file, Line: l.number, Column: 1 + len(s) - len(strings.TrimLeft(s, " \t"))}
		if i := slices.IndexFunc(l.words, func(w string) bool { return strings.HasPrefix(w, "@") }); i >= 0 {
			at = Position{File: source}
			if _, err := fmt.Sscanf(l.words[i], "@%d:%d", &at.Line, &at.Column); err != nil {
				r.fail(l, "%s is no position", l.words[i])
			}
			if rest := l.words[i+1:]; len(rest) == 2 && rest[0] == "in" {
				at.Macro = r.unquote(l, rest[1])
			}
			l.words = l.words[:i]
		}
		l.pos = r.program.Add(at)
		r.lines = append(r.lines, l)
	}

	// Names first: a function may be called before it is written.
	type body struct {
		f     *Function
		start int
	}
	var bodies []body
	for i := 0; i < len(r.lines); i++ {
		l := r.lines[i]
		switch l.words[0] {
		case "global":
			r.program.Globals = append(r.program.Globals, r.variable(l))
		case "constant":
			r.program.Constants = append(r.program.Constants, r.variable(l))
		case "shared":
			r.program.Shared = append(r.program.Shared, r.variable(l))
		case "kernel", "func":
			f := r.header(l)
			r.program.Functions = append(r.program.Functions, f)
			bodies = append(bodies, body{f, i + 1})
			depth := 1
			for depth > 0 {
				i++
				if i == len(r.lines) {
					r.fail(l, "%s has no end", f.Name)
				}
				w := r.lines[i].words
				if w[0] == "}" {
					depth--
				}
				if w[len(w)-1] == "{" {
					depth++
				}
			}
		default:
			r.fail(l, "%s stands in no function", l.words[0])
		}
	}
	for _, b := range bodies {
		r.next = b.start
		r.body(b.f)
	}
	return nil
}

// split cuts a line into words. Brackets, parentheses and commas of a header are
// words of their own.
func (r *reader) split(at line, s string) []string {
	var words []string
	for {
		s = strings.TrimLeft(s, " \t\r")
		if s == "" || strings.HasPrefix(s, "//") {
			return words
		}
		switch s[0] {
		case '"':
			q, err := strconv.QuotedPrefix(s)
			if err != nil {
				r.fail(at, "a quoted word has no end")
			}
			words, s = append(words, q), s[len(q):]
		case '[', ']', '(', ')', ',', '{', '}':
			words, s = append(words, s[:1]), s[1:]
		default:
			n := strings.IndexAny(s, " \t\r\"[](),{}")
			if n < 0 {
				n = len(s)
			}
			words, s = append(words, s[:n]), s[n:]
		}
	}
}

func (r *reader) unquote(at line, w string) string {
	if !strings.HasPrefix(w, `"`) {
		return w
	}
	s, err := strconv.Unquote(w)
	if err != nil {
		r.fail(at, "%s: %v", w, err)
	}
	return s
}

func (r *reader) int(at line, w string) int64 {
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil {
		r.fail(at, "%s is no number", w)
	}
	return n
}

func (r *reader) scalar(at line, w string) types.Scalar {
	t, ok := types.ParseScalar(w)
	if !ok || t == types.Void {
		r.fail(at, "%s is no type", w)
	}
	return t
}

func (r *reader) variable(l line) *Variable {
	w := l.words
	if len(w) < 4 {
		r.fail(l, "a variable has a name, a size and an alignment")
	}
	x := &Variable{Name: r.unquote(l, w[1]), Size: r.int(l, w[2]), Align: int(r.int(l, w[3])), Pos: l.pos}
	for w = w[4:]; len(w) > 0; {
		switch {
		case w[0] == "elem" && len(w) >= 3:
			x.Elem, x.ElemSize = r.unquote(l, w[1]), int(r.int(l, w[2]))
			w = w[3:]
		case w[0] == "dims":
			for w = w[1:]; len(w) > 0 && w[0][0] >= '0' && w[0][0] <= '9'; w = w[1:] {
				x.Dims = append(x.Dims, int(r.int(l, w[0])))
			}
		case w[0] == "dynamic":
			x.Dynamic = true
			w = w[1:]
		case w[0] == "init" && len(w) >= 2:
			init, err := hex.DecodeString(w[1])
			if err != nil {
				r.fail(l, "%v", err)
			}
			x.Init = init
			w = w[2:]
		default:
			r.fail(l, "%s is nothing that a variable has", w[0])
		}
	}
	return x
}

// header reads kernel NAME(…) … {. Registers get their numbers in body.
func (r *reader) header(l line) *Function {
	w := l.words
	if len(w) < 5 || w[2] != "(" || w[len(w)-1] != "{" {
		r.fail(l, "a function begins as name(parameters) {")
	}
	f := &Function{Name: r.unquote(l, w[1]), Kernel: w[0] == "kernel", Regs: []Register{{}}, Pos: l.pos}
	w = w[3:]
	for w[0] != ")" {
		if len(w) < 3 {
			r.fail(l, "a parameter is a name, a type and a register")
		}
		p := Param{Name: r.unquote(l, w[0]), Reg: -1}
		if w[1] == "struct" && len(w) > 4 {
			p.Size, p.Align, p.Reg = int(r.int(l, w[2])), int(r.int(l, w[3])), 0
			w = w[4:]
		} else {
			p.Type = r.scalar(l, w[1])
			p.Size = max(p.Type.Size(), 1)
			p.Align = p.Size
			w = w[2:]
			if w[0] == "," || w[0] == ")" {
				p.Reg = 0
			} else if strings.HasPrefix(w[0], "%") {
				w = w[1:]
			}
		}
		if len(w) > 0 && strings.HasPrefix(w[0], `"`) {
			p.CType = r.unquote(l, w[0])
			w = w[1:]
		}
		f.Params = append(f.Params, p)
		if len(w) > 0 && w[0] == "," {
			w = w[1:]
		}
		if len(w) == 0 {
			r.fail(l, "the parameters have no end")
		}
	}
	for w = w[1:]; w[0] != "{"; w = w[1:] {
		if w[0] == "threads" {
			f.MaxThreads = int(r.int(l, w[1]))
			w = w[1:]
			continue
		}
		f.Results = append(f.Results, r.scalar(l, w[0]))
	}
	return f
}

// body reads what stands between a function's braces.
func (r *reader) body(f *Function) {
	head := r.lines[r.next-1]
	d := &decoder{reader: r, f: f, names: map[string]Reg{"_": 0}}
	for r.next < len(r.lines) {
		l := r.lines[r.next]
		if l.words[0] == "reg" && len(l.words) > 2 {
			t := r.scalar(l, l.words[1])
			for _, w := range l.words[2:] {
				d.declare(l, w, t)
			}
		} else if l.words[0] == "local" {
			f.Locals = append(f.Locals, r.variable(l))
		} else {
			break
		}
		r.next++
	}

	// The header's registers: those without a reg line are declared here.
	k := 0
	w := head.words
	for i := 3; w[i] != ")"; i++ {
		switch {
		case w[i] == ",":
			k++
		case strings.HasPrefix(w[i], "%"):
			reg, ok := d.names[w[i]]
			if !ok {
				reg = d.declare(head, w[i], f.Params[k].Type)
			}
			f.Params[k].Reg = reg
		}
	}
	f.Body = d.block()
	if l := r.lines[r.next]; len(l.words) != 1 {
		r.fail(l, "%s stands at the end of a function", l.words[1])
	}
}

// decoder is the codec that reads.
type decoder struct {
	*reader
	f     *Function
	names map[string]Reg // of registers
	at    line
	rest  []string
}

func (d *decoder) declare(l line, w string, t types.Scalar) Reg {
	name, ok := strings.CutPrefix(w, "%")
	if !ok || name == "" {
		d.fail(l, "%s is no register", w)
	}
	if _, twice := d.names[w]; twice {
		d.fail(l, "%s is declared twice", w)
	}
	if _, err := strconv.Atoi(name); err == nil {
		name = ""
	} else if stem, number, ok := strings.Cut(name, "."); ok {
		if _, err := strconv.Atoi(number); err == nil {
			name = stem
		}
	}
	d.f.Regs = append(d.f.Regs, Register{Type: t, Name: name})
	d.names[w] = Reg(len(d.f.Regs) - 1)
	return d.names[w]
}

// block reads up to the line that begins with a closing brace, and stops at it.
func (d *decoder) block() Block {
	var b Block
	for {
		if d.next == len(d.lines) {
			d.fail(d.lines[len(d.lines)-1], "a block has no end")
		}
		l := d.lines[d.next]
		if l.words[0] == "}" {
			return b
		}
		d.next++
		d.at, d.rest = l, l.words[1:]
		switch l.words[0] {
		case "if":
			i := &If{At: At{l.pos}}
			d.value(&i.Cond, types.Pred)
			d.open()
			i.Then = d.block()
			if d.closes("else") {
				i.Else = d.block()
			}
			d.close()
			b = append(b, i)
		case "loop":
			i := &Loop{At: At{l.pos}}
			d.open()
			i.Cond = d.block()
			if !d.closesWith("while") {
				d.fail(d.lines[d.next], "a loop goes on with } while")
			}
			d.at = d.lines[d.next]
			d.next++
			d.rest = d.at.words[2:]
			d.value(&i.Test, types.Pred)
			d.open()
			i.Body = d.block()
			if d.closes("step") {
				i.Step = d.block()
			}
			d.close()
			b = append(b, i)
		case "region":
			i := &Region{At: At{l.pos}}
			d.open()
			i.Body = d.block()
			d.close()
			b = append(b, i)
		default:
			in := blank(l.words[0])
			if in == nil {
				d.fail(l, "%s is no instruction", l.words[0])
			}
			setPos(in, l.pos)
			fields(in, d)
			if len(d.rest) > 0 {
				d.fail(l, "%s is one word too many", d.rest[0])
			}
			b = append(b, in)
		}
	}
}

// open takes the brace at the end of a line.
func (d *decoder) open() {
	if len(d.rest) != 1 || d.rest[0] != "{" {
		d.fail(d.at, "{ is expected at the end")
	}
}

func (d *decoder) closesWith(word string) bool {
	w := d.lines[d.next].words
	return len(w) > 1 && w[1] == word
}

// closes takes } word { if that is the line.
func (d *decoder) closes(word string) bool {
	if !d.closesWith(word) {
		return false
	}
	d.at = d.lines[d.next]
	d.next++
	d.rest = d.at.words[2:]
	d.open()
	return true
}

// close takes the } that ends a construct.
func (d *decoder) close() {
	l := d.lines[d.next]
	if len(l.words) != 1 {
		d.fail(l, "%s does not belong here", l.words[1])
	}
	d.next++
}

func (d *decoder) take() string {
	if len(d.rest) == 0 {
		d.fail(d.at, "the line ends too early")
	}
	w := d.rest[0]
	d.rest = d.rest[1:]
	return w
}

func (d *decoder) word(of *string)         { *of = d.unquote(d.at, d.take()) }
func (d *decoder) text(of *string)         { *of = d.unquote(d.at, d.take()) }
func (d *decoder) scalar(of *types.Scalar) { *of = d.reader.scalar(d.at, d.take()) }
func (d *decoder) number(of *int64)        { *of = d.int(d.at, d.take()) }
func (d *decoder) more(int) bool           { return len(d.rest) > 0 }

func (d *decoder) around() (*Program, *Function) { return d.program, d.f }

func (d *decoder) typeOf(r Reg) types.Scalar { return d.f.Regs[r].Type }

func (d *decoder) optional(of *int64) {
	if len(d.rest) > 0 {
		d.number(of)
	}
}

func (d *decoder) flag(of *bool, name string) {
	if len(d.rest) > 0 && d.rest[0] == name {
		*of = true
		d.rest = d.rest[1:]
	}
}

func (d *decoder) enum(of *uint8, names []string) {
	w := d.take()
	i := slices.Index(names, w)
	if i < 0 {
		d.fail(d.at, "%s is none of %s", w, strings.Join(names, ", "))
	}
	*of = uint8(i)
}

func (d *decoder) reg(of *Reg) {
	w := d.take()
	r, ok := d.names[w]
	if !ok {
		d.fail(d.at, "register %s is not declared", w)
	}
	*of = r
}

// list calls one for each of the words in brackets, or for the one that is
// there without.
func (d *decoder) list(one func()) {
	if len(d.rest) == 0 || d.rest[0] != "[" {
		one()
		return
	}
	d.take()
	for len(d.rest) > 0 && d.rest[0] != "]" {
		one()
	}
	d.take()
}

func (d *decoder) regs(of *[]Reg) {
	d.list(func() {
		var r Reg
		d.reg(&r)
		*of = append(*of, r)
	})
}

func (d *decoder) values(of *[]Value, t func(i int) types.Scalar) {
	d.list(func() {
		var x Value
		d.value(&x, t(len(*of)))
		*of = append(*of, x)
	})
}

func (d *decoder) printed(of *[]Printed) {
	for len(d.rest) > 0 {
		var a Printed
		d.scalar(&a.Type)
		d.value(&a.X, a.Type)
		*of = append(*of, a)
	}
}

func (d *decoder) value(of *Value, t types.Scalar) {
	if len(d.rest) > 0 && strings.HasPrefix(d.rest[0], "%") {
		d.reg(&of.Reg)
		return
	}
	w := d.take()
	bad := func(err error) {
		if err != nil {
			d.fail(d.at, "%s is no constant of type %v", w, t)
		}
	}
	switch {
	case t == types.Pred:
		v, err := strconv.ParseBool(w)
		bad(err)
		if v {
			of.Bits = 1
		}
	case t.Signed():
		v, err := strconv.ParseInt(w, 0, 64)
		bad(err)
		of.Bits = uint64(v)
	case t == types.F32 && !strings.HasPrefix(w, "0x"):
		v, err := strconv.ParseFloat(w, 32)
		bad(err)
		of.Bits = uint64(math.Float32bits(float32(v)))
	case t == types.F64 && !strings.HasPrefix(w, "0x"):
		v, err := strconv.ParseFloat(w, 64)
		bad(err)
		of.Bits = math.Float64bits(v)
	default:
		v, err := strconv.ParseUint(w, 0, 64)
		bad(err)
		of.Bits = v
	}
}

// index reads a name of a list, or # and its number.
func (d *decoder) index(names []string) int {
	w := d.take()
	if number, ok := strings.CutPrefix(w, "#"); ok {
		return int(d.int(d.at, number))
	}
	name := d.unquote(d.at, w)
	i := slices.Index(names, name)
	if i < 0 {
		d.fail(d.at, "there is no %s", name)
	}
	return i
}

func (d *decoder) variable(of *int, s Space) { *of = d.index(variables(d.program, d.f, s)) }

func (d *decoder) function(of *int) {
	var names []string
	for _, f := range d.program.Functions {
		names = append(names, f.Name)
	}
	*of = d.index(names)
}

func setPos(in Instr, pos Pos) {
	in.(interface{ set(Pos) }).set(pos)
}

func (a *At) set(pos Pos) { a.Pos = pos }
