package differential_test

import (
	"fmt"
	"math"
	"strings"
)

// ---- evaluated -----------------------------------------------------------------

// A flow is how a statement was left.
type flow uint8

const (
	onward flow = iota
	breaking
	continuing
	returning
)

func (t *thread) block(f *frame, body []stmt) flow {
	for _, s := range body {
		if how := t.exec(f, s); how != onward {
			return how
		}
	}
	return onward
}

func (t *thread) exec(f *frame, s stmt) flow {
	switch s := s.(type) {
	case *declaration:
		p := t.region(s.v.t.size)
		if s.v.ref {
			p = t.place(f, s.init[0])
		} else if s.v.t.elem != nil {
			for i, x := range s.init {
				t.store(place{p.region, i * s.v.t.elem.size}, s.v.t.elem, t.as(f, x, s.v.t.elem))
			}
		} else if len(s.init) > 0 {
			t.store(p, s.v.t, t.as(f, s.init[0], s.v.t))
		}
		f.vars[s.v] = p
	case *expression:
		t.eval(f, s.x)
	case *branch:
		if t.holds(f, s.c) {
			return t.block(f, s.then)
		}
		return t.block(f, s.els)
	case *loop:
		return t.loop(f, s)
	case *selection:
		return t.selection(f, s)
	case *compound:
		return t.block(f, s.body)
	case *leave:
		if s.what == "break" {
			return breaking
		}
		return continuing
	case *result:
		if s.x != nil {
			f.result = t.as(f, s.x, f.f.ret)
		}
		return returning
	case *barrier:
		t.meet(s)
	case *syncwarp:
		t.meet(s)
	case *fence:
	case *text:
		t.visits = append(t.visits, visit{t.bid, t.tid, t.meetings})
	case *printed:
		t.print(f, s)
	default:
		panic(fmt.Sprintf("%T", s))
	}
	return onward
}

func (t *thread) loop(f *frame, s *loop) flow {
	if s.v != nil {
		t.exec(f, &declaration{v: s.v, init: []expr{s.init}})
	}
	for first := true; ; first = false {
		if !(s.form == doLoop && first) && !t.holds(f, s.c) {
			return onward
		}
		switch t.block(f, s.body) {
		case breaking:
			return onward
		case returning:
			return returning
		}
		if s.step != nil {
			t.eval(f, s.step)
		}
	}
}

func (t *thread) selection(f *frame, s *selection) flow {
	k := s.x.typ().kind.promoted()
	x := convert(k, s.x.typ().kind, t.eval(f, s.x).bits)
	start, other := -1, -1
	for i, c := range s.cases {
		if c.other {
			other = i
		}
		for _, n := range c.labels {
			if extend(k, uint64(n)) == x {
				start = i
			}
		}
	}
	if start < 0 {
		start = other
	}
	if start < 0 {
		return onward
	}
	for _, c := range s.cases[start:] {
		switch how := t.block(f, c.body); how {
		case breaking:
			return onward
		case continuing, returning:
			return how
		}
	}
	return onward
}

// print writes a line as printf does, for the formats that the generator uses.
func (t *thread) print(f *frame, s *printed) {
	var out strings.Builder
	rest := s.format
	for _, a := range s.args {
		i := strings.IndexByte(rest, '%')
		out.WriteString(rest[:i])
		n := i + 1
		for !strings.ContainsRune("diuxeEfgcs", rune(rest[n])) {
			n++
		}
		verb := rest[i : n+1]
		rest = rest[n+1:]
		x := t.eval(f, a).bits
		k := a.typ().kind
		switch verb[len(verb)-1] {
		case 'd':
			fmt.Fprintf(&out, strings.ReplaceAll(verb, "l", ""), int64(convert(k.promoted(), k, x)))
		case 'u':
			fmt.Fprintf(&out, strings.ReplaceAll(strings.ReplaceAll(verb, "l", ""), "u", "d"), x)
		case 'x':
			fmt.Fprintf(&out, strings.ReplaceAll(verb, "l", ""), x)
		case 'c':
			out.WriteByte(byte(x))
		default:
			x, k = convert(double, k, x), double // as any argument behind the format
			v := f64(x)
			switch {
			case v != v, math.IsInf(v, 0):
				text := map[bool]string{true: "nan", false: "inf"}[v != v]
				if x>>(8*k.size()-1) != 0 {
					text = "-" + text
				}
				width, _, _ := strings.Cut(verb[1:len(verb)-1], ".")
				fmt.Fprintf(&out, "%"+width+"s", text)
			default:
				fmt.Fprintf(&out, verb, v)
			}
		}
	}
	t.printed = append(t.printed, out.String()+rest)
}

// ---- written -------------------------------------------------------------------

// write makes the source of a kernel. What may be reported at a line of it, its
// nodes know then.
func (k *kernelSource) write() {
	p := &printer{line: 1}
	if k.half {
		p.put("#include <cuda_fp16.h>")
	}
	for _, s := range k.structs {
		p.put("struct %s {", s.name)
		p.depth++
		for _, f := range s.fields {
			p.put("%s;", f.t.declare(f.name))
		}
		p.depth--
		p.put("};")
	}
	for _, v := range k.variables {
		if v.space == constantSpace {
			var list []expr
			size := v.t.elem.size
			for i := range v.t.n {
				var x uint64
				for b := range size {
					x |= uint64(v.init[i*size+b]) << (8 * b)
				}
				list = append(list, &literal{t: v.t.elem, bits: extend(v.t.elem.kind, x)})
			}
			p.put("__constant__ %s = {%s};", v.t.declare(v.name), p.list(list))
		}
	}
	for _, f := range k.functions {
		ret := "void"
		if f.ret != nil {
			ret = f.ret.declare("")
		}
		if f.template != "" {
			p.put("template <int %s>", f.template)
		}
		p.put("__device__ %s%s %s(%s) {", f.words, ret, f.name, params(f))
		p.body(f.body)
		p.put("}")
	}
	if k.kernel.template != "" {
		p.put("template <int %s>", k.kernel.template)
	}
	p.put("__global__ void %s(%s) {", k.kernel.name, params(k.kernel))
	for _, v := range k.variables {
		if v.space != sharedSpace {
			continue
		}
		if v.dynamic {
			p.put("\textern __shared__ %s %s[];", v.t.elem.name, v.name)
			continue
		}
		p.put("\t__shared__ %s;", v.t.declare(v.name))
	}
	p.body(k.kernel.body)
	p.put("}")
	k.text = p.b.String()
}

func params(f *function) string {
	var list []string
	for _, v := range f.params {
		n := v.name
		if v.ref {
			n = "& " + n
		}
		list = append(list, v.t.declare(n))
	}
	return strings.Join(list, ", ")
}

func (p *printer) body(body []stmt) {
	p.depth++
	for _, s := range body {
		p.stmt(s)
	}
	p.depth--
}

func (p *printer) text(e expr) string {
	s, _ := p.expr(e)
	return s
}

func (p *printer) declared(v *variable, init []expr, auto bool) string {
	n := v.name
	if v.ref {
		n = "& " + n
	}
	d := v.t.declare(n)
	if v.konst {
		d = "const " + d
	}
	if auto {
		d = "auto " + n
	}
	switch {
	case len(init) == 0:
		return d
	case v.t.elem != nil:
		return d + " = {" + p.list(init) + "}"
	}
	return d + " = " + p.of(init[0], 2)
}

func (p *printer) stmt(s stmt) {
	switch s := s.(type) {
	case *declaration:
		p.put("%s;", p.declared(s.v, s.init, s.auto))
	case *expression:
		p.put("%s;", p.text(s.x))
	case *branch:
		p.put("if (%s) {", p.text(s.c))
		p.body(s.then)
		if len(s.els) > 0 {
			p.put("} else {")
			p.body(s.els)
		}
		p.put("}")
	case *loop:
		if s.pragma != "" {
			p.put("#pragma %s", s.pragma)
		}
		switch s.form {
		case whileLoop:
			p.put("while (%s) {", p.text(s.c))
		case doLoop:
			p.put("do {")
		default:
			init := ""
			if s.v != nil {
				init = p.declared(s.v, []expr{s.init}, false)
			}
			p.put("for (%s; %s; %s) {", init, p.text(s.c), p.text(s.step))
		}
		p.body(s.body)
		if s.form == doLoop {
			p.put("} while (%s);", p.text(s.c))
		} else {
			p.put("}")
		}
	case *selection:
		p.put("switch (%s) {", p.text(s.x))
		for _, c := range s.cases {
			for _, n := range c.labels {
				p.put("case %d:", n)
			}
			if c.other {
				p.put("default:")
			}
			p.put("{")
			p.body(c.body)
			p.put("}")
		}
		p.put("}")
	case *compound:
		p.put("{")
		p.body(s.body)
		p.put("}")
	case *leave:
		p.put("%s;", s.what)
	case *result:
		if s.x == nil {
			p.put("return;")
		} else {
			p.put("return %s;", p.text(s.x))
		}
	case *barrier:
		p.put("__syncthreads();")
	case *syncwarp:
		p.put("__syncwarp(%s);", p.text(s.mask))
	case *fence:
		p.put("__threadfence();")
	case *printed:
		s.line = p.line
		p.put("printf(%q, %s);", s.format, p.list(s.args))
	case *text:
		s.line = p.line
		p.put("%s", s.code)
	default:
		panic(fmt.Sprintf("%T", s))
	}
}
