package differential_test

import (
	"fmt"
	"math"
	"slices"
)

// A generator makes a valid kernel of any bytes: each choice takes the next of
// them, and where they end the first choice is taken, which ends everything soon.
//
// Valid means that the kernel has one result, whatever the schedule: what threads
// share they write where only they do, or add to by atomics that commute, between
// barriers that all reach; an expression changes no variable that it uses twice.
// The one thing that is left to chance is a division by zero, which has a defined
// result here and is to be reported.
type generator struct {
	data []byte
	k    *kernelSource

	scope   []*variable
	sets    []*elements
	shared  []*sharedArray
	f       *function
	level   int // who is here together: the block, the warp, or nobody
	loops   []around
	nest    int
	budget  int
	work    int // how often the current place is executed, at most
	calm    int // no barriers: within something that cannot have them
	last    bool
	phase   int
	names   int
	touched map[*variable]bool // by the current full expression
	changed map[*variable]bool // by it, so that it may not be used again
	alike   int                // only what is the same for the block, or the warp
	quiet   int                // no effects
	prints  int
	effect  map[*function]bool
	cost    map[*function]int
	sums    map[int]string // parameters that all add to, and by what
	out     []*elements
	self    *variable // the number of the thread
}

const (
	alone = iota
	ofWarp
	wholeBlock
)

// around is a loop or switch that the current place is in.
type around struct {
	loop  bool
	level int // who must leave it together
	depth int
}

// elements are some values of one type that the current place may use by index.
type elements struct {
	elem    *ctype
	n       int
	base    func() expr
	offset  func() expr // of the first; nil for none
	write   bool
	of      *variable    // the array, if it is a local one
	private bool         // or a variable that has its address taken
	shared  *sharedArray // or a shared one, whose mode counts
}

// A sharedArray is used in one way between two barriers: each thread its own
// elements, or all may read it, or all may add to it.
type sharedArray struct {
	v    *variable
	per  int // elements of each thread
	mode int
	op   string
}

const (
	owned = iota
	readable
	addable
)

func (g *generator) n(n int) int {
	if n <= 1 {
		return 0
	}
	x := 0
	for range 1 + n>>8&1 {
		if len(g.data) > 0 {
			x = x<<8 | int(g.data[0])
			g.data = g.data[1:]
		}
	}
	return x % n
}

func (g *generator) word() (x uint64) {
	for range 8 {
		x = x<<8 | uint64(g.n(256))
	}
	return x
}

func (g *generator) one(in int) bool { return g.n(in) == in-1 }

func pick[T any](g *generator, list ...T) T { return list[g.n(len(list))] }

func (g *generator) fresh(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) kind() kind {
	return pick(g, integer, float, uinteger, double, llong, ullong, uchar, short, ushort, schar, boolean, char, long, ulong, float, integer)
}

func scalarOf(k kind) *ctype { return scalarTypes[k] }

func number0(k kind, x int64) *literal {
	bits := uint64(x)
	if k.floating() {
		bits = convert(k, llong, bits)
	}
	return &literal{t: scalarOf(k), bits: extend(k, bits)}
}

func integerOf(x int) *literal { return number0(integer, int64(x)) }

// value is bits of a kind: those at which something changes, and any.
func (g *generator) value(k kind) uint64 {
	switch g.n(6) {
	case 0, 1:
		x := pick[int64](g, 1, 0, 2, -1, 3, 7, 31, 32, 33, 63, 64, 100, -5, 255, 256)
		if k.floating() {
			return rounded(k, float64(x))
		}
		return extend(k, uint64(x))
	case 2, 3:
		if k.floating() {
			x := pick(g, 0.5, -1.5, 0.1, 1e10, -3e-5, 16777217, 1e-40, 1e300, 3.4e38, 65504, 2147483648, -2147483649, 4294967296, 9.3e18, 1.9e19, 127.5, -128.75)
			return rounded(k, x)
		}
		bits := 8 * k.size()
		most := uint64(1)<<(bits-1) - 1
		return extend(k, pick(g, most, most+1, most-1, most+2, ^uint64(0)>>(64-bits), 1<<(bits/2), 0x5555555555555555))
	case 4:
		if k.floating() {
			return rounded(k, pick(g, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), 5e-324, 1.5e-45, 1e-38, 2.2250738585072011e-308))
		}
	}
	x := extend(k, g.word())
	if k.floating() && number(k, x) != number(k, x) {
		return rounded(k, math.NaN())
	}
	return x
}

func (g *generator) literal(k kind) expr {
	return &literal{t: scalarOf(k), bits: g.value(k), form: g.n(4)}
}

// ---- leaves ---------------------------------------------------------------------

func (g *generator) usable(v *variable) bool {
	switch {
	case g.changed[v]:
		return false
	case g.alike > 0:
		return v.uniform
	}
	return true
}

func (g *generator) use(v *variable) expr {
	g.touched[v] = true
	return &name{v}
}

// variable picks one that fits, nil if there is none.
func (g *generator) variable(fits func(v *variable) bool) *variable {
	var list []*variable
	for _, v := range g.scope {
		if g.usable(v) && fits(v) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return nil
	}
	// The latest is the first choice.
	return list[len(list)-1-g.n(len(list))]
}

func (g *generator) leaf() expr {
	switch g.n(9) {
	case 0, 1, 2, 3:
		if v := g.variable(func(v *variable) bool { return v.t.scalar() && v.t.kind != half }); v != nil {
			return g.use(v)
		}
	case 4, 5:
		if x := g.element(false); x != nil {
			return x
		}
	case 6:
		if v := g.variable(func(v *variable) bool { return v.t.fields != nil }); v != nil {
			if x := g.inside(g.use(v)); x != nil && x.typ().kind != half {
				return x
			}
		}
	case 7:
		switch {
		case g.f != nil && g.f.template != "":
			return &parameter{g.f.template}
		case g.one(6):
			return &sizeOf{scalarOf(g.kind())}
		case g.alike == wholeBlock:
			return &special{pick(g, "blockIdx.x", "blockDim.x", "gridDim.x", "warpSize")}
		case g.alike == ofWarp:
			return &operation{op: ">>", x: &special{"threadIdx.x"}, y: integerOf(5)}
		}
		return &special{pick(g, "threadIdx.x", "blockIdx.x", "blockDim.x", "gridDim.x", "warpSize", "threadIdx.y", "blockDim.y")}
	}
	return g.literal(g.kind())
}

// inside is a scalar member of a struct.
func (g *generator) inside(e expr) expr {
	for {
		t := e.typ()
		switch {
		case t.fields != nil:
			e = &member{base: e, f: t.fields[g.n(len(t.fields))]}
		case t.elem != nil:
			e = &index{e, g.below(t.n)}
		default:
			return e
		}
	}
}

// below is an index from 0 to n−1.
func (g *generator) below(n int) expr {
	if g.one(3) || n == 1 {
		return integerOf(g.n(n))
	}
	if n&(n-1) == 0 {
		return &operation{op: "&", x: g.integer(1), y: integerOf(n - 1)}
	}
	return &operation{op: "%", x: g.cast(uinteger, g.integer(1)), y: number0(uinteger, int64(n))}
}

// element is one of some elements; to write it, or nil.
func (g *generator) element(write bool) expr {
	if g.alike > 0 {
		return nil
	}
	var list []*elements
	for _, s := range g.sets {
		if write && !s.write || s.of != nil && g.changed[s.of] {
			continue
		}
		if s.shared != nil && (s.shared.mode == addable || s.shared.mode == owned != s.write) {
			continue
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil
	}
	return g.elementOf(list[g.n(len(list))])
}

func (g *generator) elementOf(s *elements) expr {
	if s.of != nil {
		g.touched[s.of] = true
	}
	at := g.below(s.n)
	if s.offset != nil {
		at = &operation{op: "+", x: s.offset(), y: at}
		if g.one(4) {
			return &deref{&operation{op: "+", x: s.base(), y: at}}
		}
	}
	var x expr = &index{s.base(), at}
	if s.elem.fields != nil {
		x = g.inside(x)
	}
	return x
}

// ---- expressions ----------------------------------------------------------------

func (g *generator) cast(k kind, x expr) expr {
	if x.typ() == scalarOf(k) {
		return x
	}
	return &cast{t: scalarOf(k), x: x, form: g.n(3)}
}

// integer is an expression of an integer kind.
func (g *generator) integer(depth int) expr {
	x := g.scalar(depth)
	if x.typ().kind.floating() {
		return g.cast(pick(g, integer, uinteger, llong, uchar, short), x)
	}
	return x
}

func (g *generator) condition(depth int) expr {
	if g.one(4) {
		return g.scalar(depth)
	}
	return &operation{op: pick(g, "<", ">", "==", "!=", "<=", ">="), x: g.scalar(depth), y: g.scalar(depth)}
}

// full is the whole of a statement's expression.
func (g *generator) full(f func() expr) expr {
	t, c := g.touched, g.changed
	g.touched, g.changed = map[*variable]bool{}, map[*variable]bool{}
	defer func() { g.touched, g.changed = t, c }()
	return f()
}

func (g *generator) any() expr { return g.full(func() expr { return g.scalar(3) }) }

// uniform is a condition that is the same for all who are here.
func (g *generator) uniform(level int) expr {
	g.alike = level
	defer func() { g.alike = 0 }()
	return g.full(func() expr { return g.condition(1) })
}

func (g *generator) scalar(depth int) expr {
	if depth <= 0 {
		return g.leaf()
	}
	depth--
	switch g.n(18) {
	case 1, 2, 3:
		return g.arithmetic(depth, pick(g, "+", "-", "*"))
	case 4:
		return g.division(depth)
	case 5:
		return &operation{op: pick(g, "&", "|", "^"), x: g.integer(depth), y: g.integer(depth)}
	case 6:
		n := g.integer(depth)
		if g.one(2) {
			n = &operation{op: "&", x: n, y: integerOf(31)}
		}
		return &operation{op: pick(g, "<<", ">>"), x: g.integer(depth), y: n}
	case 7:
		return &operation{op: pick(g, "<", ">", "==", "!=", "<=", ">="), x: g.scalar(depth), y: g.scalar(depth)}
	case 8:
		return &logical{pick(g, "&&", "||"), g.condition(depth), g.condition(depth)}
	case 9:
		return &choice{g.condition(depth), g.scalar(depth), g.scalar(depth)}
	case 10:
		switch g.n(4) {
		case 0:
			return &unary{"~", g.integer(depth)}
		case 1:
			return &unary{"!", g.scalar(depth)}
		case 2:
			return &unary{"+", g.scalar(depth)}
		}
		return &unary{"-", g.scalar(depth)}
	case 11, 12:
		return &cast{t: scalarOf(g.kind()), x: g.scalar(depth), form: g.n(3)}
	case 13, 14:
		return g.builtin(depth)
	case 15:
		if x := g.called(depth, false); x != nil {
			return x
		}
	case 16:
		if x := g.effectful(depth); x != nil {
			return x
		}
	case 17:
		if x := g.halfNumber(depth); x != nil {
			return x
		}
	}
	return g.leaf()
}

// arithmetic has no product of floating numbers where a compiler may fuse it with
// a sum, unless the kernel is only run where nothing is fused.
func (g *generator) arithmetic(depth int, op string) expr {
	x, y := g.scalar(depth), g.scalar(depth)
	if k := common(x.typ().kind, y.typ().kind); op == "*" && k.floating() && !g.k.fusable {
		b := &builtin{"__fmul_rn", []kind{float, float}, float, func(a []uint64) uint64 { z, _ := arithmetic("*", float, a[0], a[1]); return z }}
		if k == double {
			b = &builtin{"__dmul_rn", []kind{double, double}, double, func(a []uint64) uint64 { z, _ := arithmetic("*", double, a[0], a[1]); return z }}
		}
		return &builtinCall{b, []expr{x, y}}
	}
	return &operation{op: op, x: x, y: y}
}

func (g *generator) division(depth int) expr {
	if g.one(3) {
		return &operation{op: "/", x: g.scalar(depth), y: g.cast(pick(g, float, double), g.scalar(depth))}
	}
	y := g.integer(depth)
	if !g.one(6) {
		y = &operation{op: "|", x: y, y: number0(pick(g, integer, uinteger, llong), 1)}
	}
	return &operation{op: pick(g, "/", "%"), x: g.integer(depth), y: y}
}

func (g *generator) builtin(depth int) expr {
	b := &builtins[g.n(len(builtins))]
	var args []expr
	for _, k := range b.args {
		args = append(args, g.cast(k, g.scalar(depth-1)))
	}
	return &builtinCall{b, args}
}

// effectful changes a variable within an expression.
func (g *generator) effectful(depth int) expr {
	if g.alike > 0 || g.quiet > 0 {
		return nil
	}
	v := g.variable(func(v *variable) bool {
		return v.t.scalar() && v.t.kind != half && !v.konst && !v.counter && !v.uniform && !v.nested && !v.ref && !g.touched[v]
	})
	if v == nil {
		return nil
	}
	g.changed[v] = true
	switch k := v.t.kind; {
	case g.one(4):
		return &comma{&assign{op: "", x: &name{v}, y: g.scalar(depth)}, g.scalar(depth)}
	case g.one(2) && k != boolean:
		return &increment{x: &name{v}, by: pick(g, 1, -1), before: g.one(2)}
	default:
		return g.assignment(&name{v}, depth)
	}
}

// assignment gives a scalar place a value.
func (g *generator) assignment(x expr, depth int) expr {
	k := x.typ().kind
	if k == half {
		return &assign{x: x, y: g.halfOf(depth), op: pick(g, "", "+", "-", "/")}
	}
	ops := []string{"", "", "+", "-", "+"}
	y := g.scalar(depth)
	ty := y.typ().kind
	if g.k.fusable || !common(k, ty).floating() {
		ops = append(ops, "*")
	}
	if !k.floating() && !ty.floating() && k != boolean {
		ops = append(ops, "<<", ">>", "&", "|", "^")
	}
	op := ops[g.n(len(ops))]
	if op == "" || k == boolean && op != "" {
		return &assign{x: x, y: y}
	}
	if g.one(8) && !k.floating() {
		y = &operation{op: "|", x: g.cast(k.promoted(), y), y: integerOf(1)}
		op = pick(g, "/", "%")
	}
	return &assign{x: x, y: y, op: op}
}

// halfNumber is a float or a comparison of halves.
func (g *generator) halfNumber(depth int) expr {
	if !g.k.half || g.alike > 0 {
		return nil
	}
	if g.one(3) {
		return &operation{op: pick(g, "<", "==", ">="), x: g.halfOf(depth), y: g.halfOf(depth)}
	}
	return &builtinCall{&halfBuiltins[g.n(2)], []expr{g.halfOf(depth)}}
}

func (g *generator) halfOf(depth int) expr {
	if depth > 0 && g.one(2) {
		op := pick(g, "+", "-", "*", "/")
		if op == "*" && !g.k.fusable {
			op = "-"
		}
		return &operation{op: op, x: g.halfOf(depth - 1), y: g.halfOf(depth - 1)}
	}
	switch g.n(4) {
	case 0:
		return &literal{t: scalarOf(half), bits: g.value(half)}
	case 1:
		if v := g.variable(func(v *variable) bool { return v.t.kind == half && v.t.scalar() }); v != nil {
			return g.use(v)
		}
	case 2:
		return &unary{"-", g.halfOf(depth - 1)}
	}
	return &builtinCall{&toHalves[0], []expr{g.cast(float, g.scalar(depth-1))}}
}

// called is a call of a function of the source.
func (g *generator) called(depth int, effects bool) expr {
	if g.alike > 0 {
		return nil
	}
	var list []*function
	for _, f := range g.k.functions {
		if f != g.f && f.ret != nil && (f.ret.scalar() || effects) && (effects || !g.effect[f]) && g.work*g.cost[f] <= 400 {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil
	}
	f := list[g.n(len(list))]
	g.cost[g.f] += g.work * g.cost[f]
	g.effect[g.f] = g.effect[g.f] || g.effect[f]
	var args []expr
	for i, v := range f.params {
		switch {
		case f.depth && i == 0:
			args = append(args, &operation{op: "&", x: g.integer(depth - 1), y: integerOf(3)})
		case v.ref:
			r := g.variable(func(r *variable) bool {
				return r.t == v.t && !r.konst && !r.counter && !r.uniform && !r.nested && !r.ref && !g.touched[r]
			})
			if r == nil || g.quiet > 0 {
				return nil
			}
			g.changed[r] = true
			args = append(args, &name{r})
		case v.t.ptr != nil:
			s := g.set(func(s *elements) bool {
				return s.elem == v.t.ptr && s.n >= 4 && !s.private && (v.t.konst && s.shared == nil || s.write && s.of == nil)
			})
			if s == nil {
				return nil
			}
			var p expr = s.base()
			if s.offset != nil {
				p = &operation{op: "+", x: p, y: s.offset()}
			}
			args = append(args, p)
		case v.t.fields != nil:
			s := g.variable(func(s *variable) bool { return s.t == v.t })
			if s == nil {
				args = append(args, g.structOf(v.t, depth-1))
			} else {
				args = append(args, g.use(s))
			}
		default:
			args = append(args, g.scalar(depth-1))
		}
	}
	n := 0
	if f.template != "" {
		n = pick(g, 1, 2, 3, 5)
	}
	return &call{f: f, args: args, n: n}
}

// set picks elements that fit, nil if there are none.
func (g *generator) set(fits func(s *elements) bool) *elements {
	list := slices.DeleteFunc(slices.Clone(g.sets), func(s *elements) bool { return !fits(s) })
	if len(list) == 0 {
		return nil
	}
	return list[g.n(len(list))]
}

func (g *generator) structOf(t *ctype, depth int) expr {
	var args []expr
	for _, f := range t.fields {
		switch {
		case f.t.elem != nil:
			return &aggregate{t, args}
		case f.t.fields != nil:
			args = append(args, g.structOf(f.t, depth-1))
		case f.t.kind == half:
			args = append(args, g.halfOf(0))
		default:
			// Braces take no narrowing.
			args = append(args, &cast{t: f.t, x: g.scalar(depth)})
		}
	}
	return &aggregate{t, args}
}
