package differential_test

import (
	"fmt"
	"slices"
)

// most is how often a statement may be executed by a thread, about.
const most = 60

// within makes a block, whose variables end with it.
func (g *generator) within(f func() []stmt) []stmt {
	scope, sets := len(g.scope), len(g.sets)
	g.nest++
	body := f()
	g.nest--
	g.scope, g.sets = g.scope[:scope], g.sets[:sets]
	return body
}

func (g *generator) statements(n int) []stmt {
	return g.within(func() []stmt { return g.some(n) })
}

// some makes up to n statements and more, while the budget lasts.
func (g *generator) some(n int) (body []stmt) {
	for i := 1 + g.n(n); i > 0 && g.budget > 0; i-- {
		g.budget--
		g.cost[g.f] += g.work
		list, ended := g.statement()
		if body = append(body, list...); ended {
			break
		}
	}
	return body
}

// here runs f where fewer threads are together than outside.
func (g *generator) here(level int, f func()) {
	old := g.level
	g.level = min(level, old)
	f()
	g.level = old
}

// statement makes one, of a few parts; ended says that nothing may follow.
func (g *generator) statement() (list []stmt, ended bool) {
	one := func(s stmt) ([]stmt, bool) { return []stmt{s}, false }
	deep := g.nest >= 5
	switch g.n(26) {
	case 0, 1, 2:
		if s := g.assigning(); s != nil {
			return one(s)
		}
	case 3, 4:
		return one(g.declaring())
	case 5, 6, 7:
		if !deep {
			return one(g.branching())
		}
	case 8, 9, 10:
		if !deep && g.work <= most {
			return g.looping(), false
		}
	case 11:
		if !deep {
			return one(g.selecting())
		}
	case 12:
		return one(g.array())
	case 13:
		return one(g.structure())
	case 14, 15:
		return g.jump()
	case 16:
		if s := g.printing(); s != nil {
			return one(s)
		}
	case 17, 18:
		if s := g.meeting(); s != nil {
			return s, false
		}
	case 19:
		if g.level == wholeBlock && g.calm == 0 {
			return g.barrier(), false
		}
	case 20:
		if s := g.adding(); s != nil {
			return one(s)
		}
	case 21:
		if s := g.pointing(); s != nil {
			return s, false
		}
	case 22:
		if s := g.doing(); s != nil {
			return one(s)
		}
	case 23:
		return one(&compound{g.statements(3)})
	case 24:
		if g.level >= ofWarp && g.k.block%32 == 0 {
			return one(&syncwarp{number0(uinteger, 0xffffffff)})
		}
		return one(&fence{})
	}
	return one(g.declaring())
}

func (g *generator) declare(t *ctype, init ...expr) *declaration {
	v := &variable{name: g.fresh("v"), t: t}
	g.scope = append(g.scope, v)
	return &declaration{v: v, init: init}
}

func (g *generator) declaring() stmt {
	if g.k.half && g.one(5) {
		return g.declare(scalarOf(half), g.full(func() expr { return g.halfOf(2) }))
	}
	x := g.any()
	if _, unsure := x.(*builtinCall); !unsure && g.one(6) { // isnan is an int for some and a bool for others
		d := g.declare(x.typ(), x)
		d.auto = true
		return d
	}
	k := g.kind()
	d := g.declare(scalarOf(k), x)
	d.v.konst = g.one(6)
	return d
}

// target is a place that may be written.
func (g *generator) target() expr {
	if g.one(2) {
		if x := g.element(true); x != nil {
			return x
		}
	}
	v := g.variable(func(v *variable) bool {
		return (v.t.scalar() || v.t.fields != nil) && !v.konst && !v.counter && !v.uniform
	})
	if v == nil {
		return g.element(true)
	}
	return g.inside(g.use(v))
}

func (g *generator) assigning() stmt {
	x := g.full(func() expr {
		x := g.target()
		if x == nil {
			return nil
		}
		if _, ok := x.(*name); ok && g.one(6) && x.typ().kind != boolean && x.typ().kind != half {
			return &increment{x: x, by: pick(g, 1, -1), before: g.one(2)}
		}
		return g.assignment(x, 3)
	})
	if x == nil {
		return nil
	}
	return &expression{x}
}

func (g *generator) modes() (list []int) {
	for _, s := range g.shared {
		list = append(list, s.mode)
	}
	return list
}

func (g *generator) branching() stmt {
	level := alone
	if g.level > alone && g.one(2) {
		level = 1 + g.n(g.level)
	}
	var c expr
	if level > alone {
		c = g.uniform(level)
	} else {
		c = g.full(func() expr { return g.condition(2) })
	}
	s := &branch{c: c}
	phase, modes := g.phase, g.modes()
	g.here(level, func() {
		s.then = g.statements(4)
		if g.one(2) {
			for i, m := range modes {
				g.shared[i].mode = m
			}
			s.els = g.statements(4)
		}
	})
	if g.phase != phase {
		return &compound{append([]stmt{s}, g.barrier()...)}
	}
	return s
}

func (g *generator) looping() []stmt {
	return []stmt{&compound{g.within(g.loop)}}
}

func (g *generator) loop() []stmt {
	level := alone
	if g.level > alone && g.one(2) {
		level = g.level
	}
	// How often: the same for all who are here, or not.
	rounds := 1 + g.n(5)
	var bound expr = integerOf(rounds)
	switch {
	case level == alone && g.one(2):
		rounds = pick(g, 3, 7)
		bound = &operation{op: "&", x: g.full(func() expr { return g.integer(2) }), y: integerOf(rounds)}
	case g.f != nil && g.f.template != "" && g.one(2):
		rounds, bound = 5, &parameter{g.f.template}
	case level == wholeBlock && g.one(3):
		rounds = 3
		bound = &operation{op: "&", x: g.cast(integer, g.uniform(wholeBlock)), y: integerOf(3)}
	}
	k := pick(g, integer, integer, uinteger, llong, short, uchar)
	v := &variable{name: g.fresh("i"), t: scalarOf(k), counter: true, uniform: level == wholeBlock}
	s := &loop{form: forLoop, v: v, init: integerOf(0)}
	var before []stmt
	// The bound is computed once: what it is made of may change.
	if _, plain := bound.(*operation); plain {
		d := g.declare(scalarOf(pick(g, integer, uinteger, llong)), bound)
		d.v.konst, d.v.uniform = true, level == wholeBlock
		bound = &name{d.v}
		before = append(before, d)
	}
	cond := func(op string) expr {
		return &operation{op: op, x: &cast{t: scalarOf(llong), x: &name{v}}, y: &cast{t: scalarOf(llong), x: bound}}
	}
	if g.one(2) {
		cond = func(op string) expr { return &operation{op: op, x: &name{v}, y: bound} }
	}
	form := g.n(6)
	switch {
	case form == 4: // while (i++ < n), whose counter stands outside
		s.form, s.v = whileLoop, nil
		before = append(before, &declaration{v: v, init: []expr{integerOf(0)}})
		s.c = &operation{op: "<", x: &increment{x: &name{v}, by: 1}, y: bound}
	case form == 5:
		s.form, s.v = doLoop, nil
		before = append(before, &declaration{v: v, init: []expr{integerOf(0)}})
		s.c = &operation{op: "<", x: &increment{x: &name{v}, by: 1, before: true}, y: bound}
	case form == 3 && k.signed(): // downwards
		s.init = bound
		s.c = &operation{op: ">", x: &name{v}, y: integerOf(0)}
		s.step = &increment{x: &name{v}, by: -1, before: g.one(2)}
	default:
		s.c = cond(pick(g, "<", "!="))
		s.step = &increment{x: &name{v}, by: 1, before: g.one(2)}
		if g.one(4) {
			s.step = &assign{x: &name{v}, y: integerOf(1), op: "+"}
		}
	}
	s.pragma = pick(g, "", "", "unroll", "unroll 1", "unroll 2", "")
	phases := level == wholeBlock && g.level == wholeBlock && g.calm == 0 && g.one(2)
	work := g.work
	g.work *= max(1, rounds)
	phase := g.phase
	g.here(level, func() {
		g.loops = append(g.loops, around{true, level, g.nest})
		if !phases {
			g.calm++
		}
		s.body = g.within(func() []stmt {
			g.scope = append(g.scope, v)
			var first []stmt
			if phases {
				first = g.barrier()
			}
			return append(first, g.some(5)...)
		})
		if !phases {
			g.calm--
		}
		g.loops = g.loops[:len(g.loops)-1]
	})
	g.work = work
	list := append(before, s)
	if g.phase != phase {
		list = append(list, g.barrier()...)
	}
	return list
}

func (g *generator) selecting() stmt {
	s := &selection{x: g.full(func() expr {
		if g.one(3) {
			return g.integer(2)
		}
		return &operation{op: "&", x: g.integer(2), y: integerOf(7)}
	})}
	labels := []int64{0, 1, 2, 3, 4, 5, 6, 7, -1, 100}
	if k := s.x.typ().kind.promoted(); !k.signed() {
		labels[8] = 200
	}
	g.calm++
	g.here(alone, func() {
		g.loops = append(g.loops, around{false, alone, g.nest})
		other := g.n(6)
		for i := range 2 + g.n(4) {
			c := &alternative{other: i == other}
			for n := 1 + g.n(2); n > 0; n-- {
				at := g.n(len(labels))
				c.labels = append(c.labels, labels[at])
				labels = slices.Delete(labels, at, at+1)
			}
			c.body = g.statements(3)
			if !g.one(3) {
				c.body = append(c.body, &leave{"break"})
			}
			s.cases = append(s.cases, c)
		}
		g.loops = g.loops[:len(g.loops)-1]
	})
	g.calm--
	return s
}

// jump leaves a loop, or the function; mostly within a condition.
func (g *generator) jump() ([]stmt, bool) {
	var s stmt
	what := g.n(3)
	n := len(g.loops)
	together := n > 0 && g.loops[n-1].level > alone // they go round together: so they leave
	switch {
	case what < 2 && n > 0:
		s = &leave{"break"}
		if what == 1 {
			// continue goes past switches.
			inner := slices.IndexFunc(g.loops, func(a around) bool { return a.loop })
			if inner < 0 {
				return []stmt{g.declaring()}, false
			}
			last := inner
			for i, a := range g.loops {
				if a.loop {
					last = i
				}
			}
			together = g.loops[last].level > alone
			s = &leave{"continue"}
		}
	case g.f != g.k.kernel:
		s, together = g.returned(), false
	case g.last:
		s, together = &result{}, false
	default:
		return []stmt{g.declaring()}, false
	}
	if together {
		if g.level < wholeBlock {
			return []stmt{g.declaring()}, false
		}
		if g.one(4) {
			return []stmt{s}, true
		}
		return []stmt{&branch{c: g.uniform(wholeBlock), then: []stmt{s}}}, false
	}
	if g.one(4) && g.nest > 1 {
		return []stmt{s}, true
	}
	return []stmt{&branch{c: g.full(func() expr { return g.condition(2) }), then: []stmt{s}}}, false
}

func (g *generator) returned() stmt {
	if g.f.ret == nil {
		return &result{}
	}
	return &result{g.full(func() expr {
		if g.f.ret.fields != nil {
			return g.structOf(g.f.ret, 1)
		}
		return g.scalar(3)
	})}
}

// array declares a local array, which is then used by index.
func (g *generator) array() stmt {
	t := scalarOf(g.kind())
	n := pick(g, 4, 2, 8, 3, 5)
	var init []expr
	full := n
	if g.one(3) {
		full = 1 + g.n(n) // the others are zero
	}
	for range full {
		init = append(init, g.full(func() expr { return &cast{t: t, x: g.scalar(1)} }))
	}
	d := g.declare(arrayOf(t, n), init...)
	g.sets = append(g.sets, &elements{elem: t, n: n, base: func() expr { return &name{d.v} }, write: true, of: d.v})
	return d
}

func (g *generator) structure() stmt {
	types := append(slices.Clone(g.k.structs), vectors...)
	t := types[g.n(len(types))]
	if v := g.variable(func(v *variable) bool { return v.t == t }); v != nil && g.one(2) {
		return g.declare(t, &name{v})
	}
	if v := g.variable(func(v *variable) bool { return v.t == t && !v.konst }); v != nil && g.one(2) {
		return &expression{g.full(func() expr {
			x := g.use(v)
			return &assign{x: x, y: g.structOf(t, 2)}
		})}
	}
	return g.declare(t, g.full(func() expr { return g.structOf(t, 2) }))
}

func (g *generator) printing() stmt {
	if g.prints > 3 || g.work > 8 || g.quiet > 0 {
		return nil
	}
	g.prints++
	s := &printed{format: fmt.Sprintf("p%d", g.prints)}
	for range 1 + g.n(3) {
		x := g.any()
		k := x.typ().kind
		var verb string
		switch {
		case k == half:
			continue
		case k.floating():
			verb = pick(g, "%e", "%f", "%.3f", "%12.4e", "%g")
			if verb == "%g" {
				verb = "%.9g"
			}
		case k.size() < 4 || k == integer:
			verb = pick(g, "%d", "%5d", "%-6d")
		case k == uinteger:
			verb = pick(g, "%u", "%x", "%08x")
		case k == long:
			verb = "%ld"
		case k == ulong:
			verb = pick(g, "%lu", "%lx")
		case k == llong:
			verb = "%lld"
		default:
			verb = pick(g, "%llu", "%llx", "%016llx")
		}
		s.format += " " + verb
		s.args = append(s.args, x)
	}
	if len(s.args) == 0 {
		s.args = []expr{integerOf(0)}
		s.format += " %d"
	}
	s.format += "\n"
	return s
}

// meeting is a vote, a shuffle or a counting barrier.
func (g *generator) meeting() []stmt {
	if g.level == wholeBlock && g.calm == 0 && g.one(4) {
		x := &together{op: pick(g, "__syncthreads_count", "__syncthreads_and", "__syncthreads_or"), t: scalarOf(integer), block: true}
		x.args = []expr{g.full(func() expr { return &cast{t: scalarOf(integer), x: g.condition(2)} })}
		d := g.declare(scalarOf(integer), x)
		g.choose()
		return []stmt{d}
	}
	if g.level < ofWarp || g.k.block%32 != 0 {
		return nil
	}
	x := &together{mask: number0(uinteger, 0xffffffff), t: scalarOf(integer)}
	k := pick(g, integer, uinteger, float, double, llong, ullong)
	switch g.n(8) {
	case 0:
		x.op, x.args = "__all_sync", []expr{g.cast(integer, g.any())}
	case 1:
		x.op, x.args = "__any_sync", []expr{g.cast(integer, g.any())}
	case 2:
		x.op, x.args, x.t = "__ballot_sync", []expr{g.cast(integer, g.any())}, scalarOf(uinteger)
	case 3:
		x.op, x.args, x.t = "__match_any_sync", []expr{&operation{op: "&", x: g.cast(uinteger, g.any()), y: number0(uinteger, 3)}}, scalarOf(uinteger)
	case 4:
		x.op, x.mask, x.t = "__activemask", nil, scalarOf(uinteger)
	default:
		x.t = scalarOf(k)
		x.op = pick(g, "__shfl_xor_sync", "__shfl_down_sync", "__shfl_up_sync", "__shfl_sync")
		lane := &operation{op: "&", x: g.full(func() expr { return g.integer(1) }), y: integerOf(31)}
		if g.one(2) {
			lane = &operation{op: "|", x: integerOf(g.n(32)), y: integerOf(0)}
		}
		x.args = []expr{g.cast(k, g.any()), lane}
		if g.one(2) {
			x.args = append(x.args, integerOf(pick(g, 16, 8, 4, 32)))
		}
	}
	return []stmt{g.declare(x.t, x)}
}

// barrier ends a phase: each shared array is used in a new way behind it.
func (g *generator) barrier() []stmt {
	g.choose()
	return []stmt{&barrier{}}
}

func (g *generator) choose() {
	g.phase++
	for _, s := range g.shared {
		s.mode = g.n(3)
		if k := s.v.t.elem.kind; s.mode == addable && k != integer && k != uinteger && k != ullong {
			s.mode = readable
		}
		s.op = pick(g, "atomicAdd", "atomicMax", "atomicMin", "atomicXor", "atomicOr", "atomicAnd")
	}
}

// adding is an atomic: one that commutes, on what all share and nobody reads, or
// any on an element of the thread's own.
func (g *generator) adding() stmt {
	if g.quiet > 0 {
		return nil
	}
	var list []func() expr
	for _, s := range g.shared {
		if s.mode == addable && g.f == g.k.kernel {
			list = append(list, func() expr { return &atomic{s.op, &index{&name{s.v}, g.below(g.elementsOf(s))}, nil} })
		}
	}
	for i, b := range g.k.buffers {
		if op := g.sums[i]; b != nil && op != "" && g.f == g.k.kernel {
			list = append(list, func() expr { return &atomic{op, &index{&name{g.k.kernel.params[i]}, g.below(b.n)}, nil} })
		}
	}
	for _, s := range g.sets {
		if k := s.elem.kind; s.write && s.shared == nil && s.of == nil && !s.private && s.elem.scalar() && (k == integer || k == uinteger || k == ullong) {
			list = append(list, func() expr {
				op := pick(g, "atomicAdd", "atomicMax", "atomicExch", "atomicCAS", "atomicMin", "atomicAnd", "atomicOr", "atomicXor")
				if k == uinteger && g.one(3) {
					op = pick(g, "atomicInc", "atomicDec")
				}
				a := &atomic{op: op, x: g.elementOf(s)}
				if op == "atomicCAS" {
					a.args = []expr{g.cast(k, g.scalar(1))}
				}
				return a
			})
		}
	}
	if len(list) == 0 {
		return nil
	}
	x := g.full(func() expr {
		a := list[g.n(len(list))]().(*atomic)
		a.args = append(a.args, g.cast(a.x.typ().kind, g.scalar(2)))
		return a
	})
	if a := x.(*atomic); len(a.args) > 0 {
		// The result is one's own only if the element is.
		if n, ok := a.x.(*index); ok {
			if b, ok := n.base.(*name); ok && (b.v.space == sharedSpace || slices.Contains(g.k.kernel.params, b.v) && g.isSum(b.v)) {
				return &expression{x}
			}
		}
	}
	if g.one(2) {
		return g.declare(x.typ(), x)
	}
	return &expression{x}
}

func (g *generator) isSum(v *variable) bool {
	i := slices.Index(g.k.kernel.params, v)
	return i >= 0 && g.sums[i] != ""
}

func (g *generator) elementsOf(s *sharedArray) int { return s.per * g.k.block }

// pointing takes the address of something, or names it a second time.
func (g *generator) pointing() []stmt {
	if v := g.variable(func(v *variable) bool {
		return v.t.scalar() && v.t.kind != half && !v.konst && !v.counter && !v.uniform && !v.ref
	}); v != nil && g.one(2) {
		if g.one(2) {
			d := g.declare(v.t, &name{v})
			d.v.ref, v.nested = true, true
			return []stmt{d}
		}
		v.nested = true
		d := g.declare(pointerTo(v.t), &address{&name{v}})
		d.v.konst, d.v.name = false, g.fresh("p")
		g.sets = append(g.sets, &elements{elem: v.t, n: 1, base: func() expr { return &name{d.v} }, write: true, private: true})
		return []stmt{d}
	}
	// A walk over elements.
	s := g.set(func(s *elements) bool {
		return (s.shared == nil || s.shared.mode == owned) && s.elem.scalar() && s.n > 1 && s.elem.kind != half && s.write
	})
	if s == nil || g.work > most/4 {
		return nil
	}
	var first expr = s.base()
	if s.offset != nil {
		first = &operation{op: "+", x: first, y: s.offset()}
	}
	t := pointerTo(s.elem)
	p := &variable{name: g.fresh("p"), t: t, counter: true}
	end := &variable{name: g.fresh("p"), t: t, konst: true}
	list := []stmt{
		&declaration{v: p, init: []expr{first}},
		&declaration{v: end, init: []expr{&operation{op: "+", x: &name{p}, y: integerOf(s.n)}}, auto: true},
	}
	if s.of != nil {
		s.of.nested = true
	}
	var x expr = &deref{&name{p}}
	form := g.n(3)
	if form == 0 {
		x = &deref{&increment{x: &name{p}, by: 1}}
	}
	l := &loop{form: whileLoop, c: &operation{op: pick(g, "!=", "<"), x: &name{p}, y: &name{end}}}
	if form != 0 {
		l.form, l.step = forLoop, &increment{x: &name{p}, by: 1, before: form == 1}
		if g.one(3) {
			l.step = &assign{x: &name{p}, y: integerOf(1), op: "+"}
		}
	}
	l.body = []stmt{&expression{g.full(func() expr { return g.assignment(x, 2) })}}
	list = append(list, l)
	if g.one(2) {
		list = append(list, g.declare(scalarOf(llong), &operation{op: "-", x: &name{p}, y: &name{end}}))
	}
	return list
}

// doing calls a function for what it does.
func (g *generator) doing() stmt {
	x := g.full(func() expr { return g.called(2, true) })
	if x == nil {
		return nil
	}
	if g.one(3) {
		return &expression{x}
	}
	return g.declare(x.typ(), x)
}
