package differential_test

import (
	"encoding/binary"
	"fmt"
)

// vectors are structs that CUDA has.
var vectors = func() (list []*ctype) {
	for _, v := range []struct {
		name string
		k    kind
		n    int
	}{{"float4", float, 4}, {"int2", integer, 2}, {"float2", float, 2}, {"uint4", uinteger, 4}, {"double2", double, 2}, {"short4", short, 4}, {"uchar4", uchar, 4}, {"float3", float, 3}} {
		var fields []field
		for i := range v.n {
			fields = append(fields, field{name: string("xyzw"[i]), t: scalarOf(v.k)})
		}
		t := structOf(v.name, fields...)
		t.vector = true
		if v.n != 3 {
			t.align = t.size
		}
		list = append(list, t)
	}
	return list
}()

// generate makes a kernel of bytes.
func generate(data []byte) *kernelSource {
	g := &generator{
		data: data, k: &kernelSource{}, touched: map[*variable]bool{}, changed: map[*variable]bool{},
		effect: map[*function]bool{}, cost: map[*function]int{}, sums: map[int]string{},
	}
	g.source()
	g.k.write()
	return g.k
}

func (g *generator) source() {
	k := g.k
	k.block = pick(g, 32, 64, 40, 7, 96, 33)
	k.grid = pick(g, 2, 1, 3)
	k.half = g.one(5)
	k.fusable = g.one(2)
	for range g.n(3) {
		k.structs = append(k.structs, g.structType())
	}
	k.kernel = &function{name: "k"}
	if g.one(4) {
		k.kernel.template, k.kernel.n = "N", pick(g, 2, 1, 4)
	}
	if g.one(2) {
		g.constants()
	}
	// What functions may use of the kernel is handed to them.
	sets := g.sets
	for range g.n(4) {
		g.function()
	}
	g.scope, g.sets = nil, sets
	g.f, g.work, g.level, g.last = k.kernel, 1, wholeBlock, false
	g.budget = 8 + g.n(28)
	g.parameters()
	body := g.prologue()
	body = append(body, g.some(16)...)
	k.together = len(body)
	g.last, g.level = true, alone
	body = append(body, g.some(5)...)
	body = append(body, g.results()...)
	k.kernel.body = body
}

func (g *generator) structType() *ctype {
	var fields []field
	for i := range 2 + g.n(3) {
		t := scalarOf(g.kind())
		if len(g.k.structs) > 0 && g.one(5) {
			t = g.k.structs[0]
		}
		fields = append(fields, field{name: fmt.Sprintf("m%d", i), t: t})
	}
	if g.one(2) {
		fields = append(fields, field{name: "a", t: arrayOf(scalarOf(g.kind()), pick(g, 4, 2, 3))})
	}
	return structOf(fmt.Sprintf("S%d", len(g.k.structs)), fields...)
}

func (g *generator) constants() {
	t := scalarOf(g.kind())
	v := &variable{name: "table", t: arrayOf(t, 8), space: constantSpace, konst: true}
	for range 8 {
		v.init = binary.LittleEndian.AppendUint64(v.init, g.value(t.kind))[:len(v.init)+t.size]
	}
	g.k.variables = append(g.k.variables, v)
	g.sets = append(g.sets, &elements{elem: t, n: 8, base: func() expr { return &name{v} }})
}

// function makes a function of the source, that later ones and the kernel call.
func (g *generator) function() {
	f := &function{name: fmt.Sprintf("f%d", len(g.k.functions)), ret: scalarOf(g.kind())}
	f.words = pick(g, "", "", "__noinline__ ", "__forceinline__ ")
	if g.one(4) {
		f.template = "N"
	}
	if len(g.k.structs) > 0 && g.one(5) {
		f.ret = g.k.structs[0]
	}
	sets, scope, prints := len(g.sets), g.scope, g.prints
	g.f, g.scope, g.work, g.level, g.last = f, nil, 1, alone, true
	add := func(v *variable) {
		v.name = fmt.Sprintf("a%d", len(f.params))
		f.params = append(f.params, v)
		g.scope = append(g.scope, v)
	}
	f.depth = g.one(6) && f.ret.scalar()
	if f.depth {
		f.words, f.template = "", ""
		add(&variable{t: scalarOf(integer), konst: true})
	}
	for range 1 + g.n(3) {
		switch g.n(8) {
		case 0:
			add(&variable{t: scalarOf(g.kind()), ref: true})
		case 1:
			if !f.depth {
				v := &variable{t: pointerTo(scalarOf(pick(g, integer, float, uchar)))}
				v.t.konst = g.one(2)
				add(v)
				g.effect[f] = g.effect[f] || !v.t.konst
				g.sets = append(g.sets, &elements{elem: v.t.ptr, n: 4, base: func() expr { return &name{v} }, write: !v.t.konst})
			}
		case 2:
			if len(g.k.structs) > 0 {
				add(&variable{t: g.k.structs[0]})
			}
		default:
			add(&variable{t: scalarOf(g.kind())})
		}
	}
	if f.depth {
		// Deeper while the first parameter is above 0.
		again := &call{f: f, n: 1}
		for i, v := range f.params {
			var x expr = &name{v}
			if i == 0 {
				x = &operation{op: "-", x: x, y: integerOf(1)}
			} else if !v.ref && v.t.scalar() {
				x = g.any()
			}
			again.args = append(again.args, x)
		}
		f.body = append(f.body,
			&branch{c: &operation{op: "<=", x: &name{f.params[0]}, y: integerOf(0)}, then: []stmt{g.returned()}},
			g.declare(f.ret, again))
	}
	g.budget = 2 + g.n(7)
	f.body = append(f.body, g.some(6)...)
	f.body = append(f.body, g.returned())
	if f.depth {
		g.cost[f] *= 4
	}
	if g.prints != prints {
		g.effect[f] = true
	}
	g.k.functions = append(g.k.functions, f)
	g.scope, g.sets = scope, g.sets[:sets]
}

// parameters are the kernel's: buffers to read, one's own elements of others to
// write, sums that all add to, and numbers.
func (g *generator) parameters() {
	k := g.k
	threads := k.grid * k.block
	add := func(v *variable, b *buffer, x uint64) {
		k.kernel.params = append(k.kernel.params, v)
		k.buffers = append(k.buffers, b)
		k.scalars = append(k.scalars, x)
	}
	fill := func(kd kind, n int) *buffer {
		b := &buffer{elem: scalarOf(kd), n: n}
		for range n {
			b.data = binary.LittleEndian.AppendUint64(b.data, g.value(kd))[:len(b.data)+kd.size()]
		}
		return b
	}
	for i := range 1 + g.n(3) {
		kd := g.kind()
		n := pick(g, 16, 8, 32)
		v := &variable{name: fmt.Sprintf("in%d", i), t: pointerTo(scalarOf(kd)), konst: true}
		v.t.konst = true
		add(v, fill(kd, n), 0)
		g.sets = append(g.sets, &elements{elem: v.t.ptr, n: n, base: func() expr { return &name{v} }})
		for _, w := range vectors {
			if w.fields[0].t == v.t.ptr && len(w.fields) != 3 && g.one(2) {
				wide := pointerTo(w)
				wide.konst = true
				g.sets = append(g.sets, &elements{elem: w, n: n / len(w.fields), base: func() expr { return &cast{t: wide, x: &name{v}, form: pick(g, 0, 3)} }})
			}
		}
	}
	for i := range 1 + g.n(3) {
		kd := g.kind()
		per := pick(g, 4, 1, 8, 2)
		v := &variable{name: fmt.Sprintf("out%d", i), t: pointerTo(scalarOf(kd)), konst: true}
		data := fill(kd, per*3)
		b := &buffer{elem: scalarOf(kd), n: per * threads}
		for len(b.data) < b.n*kd.size() {
			b.data = append(b.data, data.data...)
		}
		b.data = b.data[:b.n*kd.size()]
		add(v, b, 0)
		own := func() expr { return &operation{op: "*", x: &name{g.self}, y: integerOf(per)} }
		if per == 1 {
			own = func() expr { return &name{g.self} }
		}
		g.sets = append(g.sets, &elements{elem: v.t.ptr, n: per, base: func() expr { return &name{v} }, offset: own, write: true})
		g.out = append(g.out, g.sets[len(g.sets)-1])
		for _, w := range vectors {
			if w.fields[0].t == v.t.ptr && len(w.fields) != 3 && per%len(w.fields) == 0 && g.one(2) {
				wide := pointerTo(w)
				g.sets = append(g.sets, &elements{elem: w, n: per / len(w.fields), base: func() expr {
					return &cast{t: wide, x: &operation{op: "+", x: &name{v}, y: own()}, form: pick(g, 0, 3)}
				}, write: true})
			}
		}
	}
	if g.one(2) {
		kd := pick(g, integer, uinteger, ullong)
		v := &variable{name: "sum", t: pointerTo(scalarOf(kd)), konst: true}
		g.sums[len(k.kernel.params)] = pick(g, "atomicAdd", "atomicMax", "atomicMin", "atomicXor", "atomicOr", "atomicAnd")
		add(v, fill(kd, 8), 0)
	}
	for i := range g.n(3) {
		kd := g.kind()
		v := &variable{name: fmt.Sprintf("x%d", i), t: scalarOf(kd), konst: true, uniform: true}
		add(v, nil, g.value(kd))
		g.scope = append(g.scope, v)
	}
}

// prologue says which thread this is, and gives shared memory its first values.
func (g *generator) prologue() (body []stmt) {
	k := g.k
	g.self = &variable{name: "self", t: scalarOf(pick(g, integer, uinteger, llong)), konst: true}
	body = append(body, &declaration{v: g.self, init: []expr{&operation{op: "+",
		x: &operation{op: "*", x: &special{"blockIdx.x"}, y: &special{"blockDim.x"}}, y: &special{"threadIdx.x"}}}})
	g.scope = append(g.scope, g.self)
	for i := range g.n(3) {
		kd := g.kind()
		s := &sharedArray{per: pick(g, 1, 2)}
		s.v = &variable{name: fmt.Sprintf("s%d", i), t: arrayOf(scalarOf(kd), s.per*k.block), space: sharedSpace}
		if i == 0 && g.one(3) {
			k.dynamic = s.v.t.size
			s.v.dynamic = true
		}
		k.variables = append(k.variables, s.v)
		for n := range s.per {
			at := &operation{op: "+", x: &operation{op: "*", x: &special{"threadIdx.x"}, y: integerOf(s.per)}, y: integerOf(n)}
			body = append(body, &expression{&assign{x: &index{&name{s.v}, at}, y: g.any()}})
		}
		g.shared = append(g.shared, s)
	}
	for _, s := range g.shared {
		g.sets = append(g.sets, &elements{elem: s.v.t.elem, n: s.per, base: func() expr { return &name{s.v} }, write: true, shared: s,
			offset: func() expr { return &operation{op: "*", x: &special{"threadIdx.x"}, y: integerOf(s.per)} }})
		g.sets = append(g.sets, &elements{elem: s.v.t.elem, n: s.per * k.block, base: func() expr { return &name{s.v} }, shared: s})
	}
	if len(g.shared) > 0 {
		body = append(body, g.barrier()...)
	}
	return body
}

// results writes what the variables are in the end, so that it is seen.
func (g *generator) results() (body []stmt) {
	at := 0
	for _, v := range g.scope {
		if !v.t.scalar() && v.t.fields == nil {
			continue
		}
		var parts []expr
		var take func(e expr)
		take = func(e expr) {
			switch t := e.typ(); {
			case t.fields != nil:
				for _, f := range t.fields {
					take(&member{base: e, f: f})
				}
			case t.elem != nil:
				for i := range t.n {
					take(&index{e, integerOf(i)})
				}
			case t.kind == half:
				parts = append(parts, &builtinCall{&halfBuiltins[1], []expr{e}})
			default:
				parts = append(parts, e)
			}
		}
		take(&name{v})
		for _, x := range parts {
			s := g.out[at%len(g.out)]
			at++
			to := &index{s.base(), integerOf(0)}
			if s.offset != nil {
				to.at = &operation{op: "+", x: s.offset(), y: integerOf(at % s.n)}
			}
			if s.elem.kind.floating() {
				body = append(body, &expression{&assign{x: to, y: x, op: pick(g, "", "+")}})
			} else {
				if x.typ().kind.floating() {
					x = &cast{t: scalarOf(llong), x: x}
				}
				body = append(body, &expression{&assign{x: to, y: x, op: pick(g, "+", "^", "")}})
			}
		}
	}
	return body
}
