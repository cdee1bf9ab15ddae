package differential_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The tree of a kernel as the generator makes it: not what the front end reads,
// so that neither can be wrong for the other's reason.

// A ctype is a type: a scalar, a pointer, an array or a struct.
type ctype struct {
	kind   kind // of a scalar
	ptr    *ctype
	elem   *ctype // of an array
	n      int
	fields []field // of a struct
	name   string
	size   int
	align  int
	vector bool // one of CUDA's own structs: float4
	konst  bool // of a pointer: const
}

type field struct {
	name   string
	t      *ctype
	offset int
}

var scalarTypes = func() (list [kinds]*ctype) {
	for k := range kinds {
		list[k] = &ctype{kind: k, size: k.size(), align: k.size(), name: facts[k].name}
	}
	return list
}()

func (t *ctype) scalar() bool { return t.ptr == nil && t.elem == nil && t.fields == nil }

func pointerTo(t *ctype) *ctype {
	return &ctype{kind: ullong, ptr: t, size: 8, align: 8}
}

func arrayOf(t *ctype, n int) *ctype {
	return &ctype{elem: t, n: n, size: n * t.size, align: t.align}
}

func structOf(name string, fields ...field) *ctype {
	t := &ctype{name: name, align: 1}
	for _, f := range fields {
		f.offset = (t.size + f.t.align - 1) / f.t.align * f.t.align
		t.size = f.offset + f.t.size
		t.align = max(t.align, f.t.align)
		t.fields = append(t.fields, f)
	}
	t.size = (t.size + t.align - 1) / t.align * t.align
	return t
}

// declare writes a declaration of something of a type: int (*p)[3] does not occur.
func (t *ctype) declare(name string) string {
	switch {
	case t.ptr != nil && t.konst:
		return "const " + t.ptr.declare("* "+name)
	case t.ptr != nil:
		return t.ptr.declare("* " + name)
	case t.elem != nil:
		return t.elem.declare(fmt.Sprintf("%s[%d]", name, t.n))
	}
	return strings.TrimSpace(t.name + " " + name)
}

// A variable is a place with a name. Each thread has its own of those that are
// not shared or global.
type variable struct {
	name    string
	t       *ctype
	space   int // where it is
	ref     bool
	konst   bool // never assigned
	uniform bool // the same for all threads of a block, and never assigned by statements
	counter bool // of a loop: assigned by the loop alone
	nested  bool // its address is taken somewhere
	dynamic bool // shared memory as large as the launch says
	init    []byte
}

const (
	local = iota
	sharedSpace
	globalSpace
	constantSpace
)

// An expr is an expression; evaluate_test.go says what each means.
type expr interface{ typ() *ctype }

type (
	literal struct {
		t    *ctype
		bits uint64
		form int
	}
	name   struct{ v *variable }
	index  struct{ base, at expr } // of an array or a pointer
	member struct {
		base  expr
		f     field
		arrow bool
	}
	deref   struct{ p expr }
	address struct{ x expr }
	unary   struct {
		op string
		x  expr
	}
	operation struct {
		op   string
		x, y expr
		line int // where it was written
	}
	logical struct {
		op   string
		x, y expr
	}
	assign struct {
		op   string // "", or that of a compound assignment
		x, y expr
		line int
	}
	increment struct {
		x      expr
		by     int
		before bool
	}
	choice struct{ c, x, y expr }
	comma  struct{ x, y expr }
	cast   struct {
		t    *ctype
		x    expr
		form int
	}
	call struct {
		f    *function
		args []expr
		n    int // the argument of a template
	}
	builtinCall struct {
		b    *builtin
		args []expr
	}
	// aggregate is T{a, b}, or make_float2(a, b).
	aggregate struct {
		t    *ctype
		args []expr
	}
	sizeOf struct{ t *ctype }
	// special is threadIdx.x and its kin.
	special struct{ name string }
	// parameter is the number that a template is instantiated with.
	parameter struct{ name string }
	// together is what the lanes of a warp, or the threads of a block, do at one
	// time: a shuffle, a vote, a barrier that counts.
	together struct {
		op    string // its name in CUDA
		t     *ctype
		args  []expr // without the mask
		block bool
		mask  expr
	}
	// atomic is an atomic operation on a place.
	atomic struct {
		op   string
		x    expr
		args []expr
	}
)

func (e *literal) typ() *ctype { return e.t }
func (e *name) typ() *ctype    { return e.v.t }
func (e *index) typ() *ctype {
	if t := e.base.typ(); t.elem != nil {
		return t.elem
	}
	return e.base.typ().ptr
}
func (e *member) typ() *ctype  { return e.f.t }
func (e *deref) typ() *ctype   { return e.p.typ().ptr }
func (e *address) typ() *ctype { return pointerTo(e.x.typ()) }
func (e *unary) typ() *ctype {
	if e.op == "!" {
		return scalarTypes[boolean]
	}
	return scalarTypes[e.x.typ().kind.promoted()]
}
func (e *operation) typ() *ctype {
	x, y := e.x.typ(), e.y.typ()
	switch e.op {
	case "==", "!=", "<", "<=", ">", ">=":
		return scalarTypes[boolean]
	case "<<", ">>":
		return scalarTypes[x.kind.promoted()]
	}
	switch {
	case x.elem != nil:
		return pointerTo(x.elem)
	case x.ptr != nil && y.ptr != nil:
		return scalarTypes[long]
	case x.ptr != nil:
		return x
	}
	return scalarTypes[common(x.kind, y.kind)]
}
func (e *logical) typ() *ctype   { return scalarTypes[boolean] }
func (e *assign) typ() *ctype    { return e.x.typ() }
func (e *increment) typ() *ctype { return e.x.typ() }
func (e *choice) typ() *ctype {
	if x := e.x.typ(); !x.scalar() || x == e.y.typ() {
		return x
	}
	return scalarTypes[common(e.x.typ().kind, e.y.typ().kind)]
}
func (e *comma) typ() *ctype       { return e.y.typ() }
func (e *cast) typ() *ctype        { return e.t }
func (e *call) typ() *ctype        { return e.f.ret }
func (e *builtinCall) typ() *ctype { return scalarTypes[e.b.ret] }
func (e *aggregate) typ() *ctype   { return e.t }
func (e *sizeOf) typ() *ctype      { return scalarTypes[ulong] }
func (e *special) typ() *ctype {
	if e.name == "warpSize" {
		return scalarTypes[integer]
	}
	return scalarTypes[uinteger]
}
func (e *parameter) typ() *ctype { return scalarTypes[integer] }
func (e *together) typ() *ctype  { return e.t }
func (e *atomic) typ() *ctype    { return e.x.typ() }

// A stmt is a statement.
type stmt interface{}

type (
	declaration struct {
		v    *variable
		init []expr // one, of an array one for each element, of an uninitialised one none
		auto bool
	}
	expression struct{ x expr }
	branch     struct {
		c         expr
		then, els []stmt
	}
	loop struct {
		form   int // of while, do, for
		v      *variable
		init   expr
		c      expr
		step   expr
		body   []stmt
		pragma string
	}
	selection struct {
		x     expr
		cases []*alternative
	}
	alternative struct {
		labels []int64
		other  bool // default
		body   []stmt
	}
	compound struct{ body []stmt }
	leave    struct{ what string } // break, continue
	result   struct{ x expr }      // return
	barrier  struct{}
	syncwarp struct{ mask expr }
	fence    struct{}
	printed  struct {
		format string
		args   []expr
		line   int
	}
	// text is a statement that the evaluation only takes note of: a planted fault.
	text struct {
		code string
		line int
	}
)

const (
	whileLoop = iota
	doLoop
	forLoop
)

// A function is a function of the source, or its kernel.
type function struct {
	name     string
	params   []*variable
	ret      *ctype // nil for void
	body     []stmt
	template string // the name of its parameter, an int
	n        int    // of a kernel: its argument
	words    string // __noinline__
	depth    bool   // it calls itself, its first parameter counting down
}

// A kernelSource is a whole source, and how it is launched.
type kernelSource struct {
	structs   []*ctype
	variables []*variable // of shared and constant memory
	functions []*function
	kernel    *function
	buffers   []*buffer // what pointer parameters point to; nil for others
	scalars   []uint64
	grid      int
	block     int
	dynamic   int // bytes of dynamic shared memory
	half      bool
	fusable   bool // a product may be an operand of a sum
	together  int  // of the kernel's statements, those that all threads come to
	text      string
}

type buffer struct {
	elem *ctype
	n    int
	data []byte
}

// ---- as C ----------------------------------------------------------------------

type printer struct {
	b     strings.Builder
	line  int
	depth int
}

func (p *printer) put(format string, args ...any) {
	s := strings.Repeat("\t", p.depth) + fmt.Sprintf(format, args...) + "\n"
	p.b.WriteString(s)
	p.line += strings.Count(s, "\n")
}

var levels = map[string]int{
	"*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11, "<": 10, "<=": 10, ">": 10, ">=": 10, "==": 9, "!=": 9,
	"&": 8, "^": 7, "|": 6, "&&": 5, "||": 4,
}

// of writes an expression as an operand that binds at least as strongly as level
// says.
func (p *printer) of(e expr, level int) string {
	s, own := p.expr(e)
	if own < level {
		return "(" + s + ")"
	}
	return s
}

func (p *printer) list(args []expr) string {
	var out []string
	for _, a := range args {
		out = append(out, p.of(a, 2))
	}
	return strings.Join(out, ", ")
}

// expr writes an expression, and says how strongly it binds: 1 comma, 2
// assignment, 3 ?:, then levels, 14 unary, 16 postfix.
func (p *printer) expr(e expr) (string, int) {
	switch e := e.(type) {
	case *literal:
		return e.text()
	case *name:
		return e.v.name, 16
	case *index:
		return p.of(e.base, 15) + "[" + p.of(e.at, 1) + "]", 15
	case *member:
		if e.arrow {
			return p.of(e.base, 15) + "->" + e.f.name, 15
		}
		return p.of(e.base, 15) + "." + e.f.name, 15
	case *deref:
		return "*" + p.of(e.p, 14), 14
	case *address:
		return "&" + p.of(e.x, 14), 14
	case *unary:
		s := p.of(e.x, 14)
		if s[0] == e.op[0] {
			s = " " + s
		}
		return e.op + s, 14
	case *operation:
		e.line = p.line
		n := levels[e.op]
		return p.of(e.x, n) + " " + e.op + " " + p.of(e.y, n+1), n
	case *logical:
		n := levels[e.op]
		return p.of(e.x, n) + " " + e.op + " " + p.of(e.y, n+1), n
	case *assign:
		e.line = p.line
		return p.of(e.x, 14) + " " + e.op + "= " + p.of(e.y, 2), 2
	case *increment:
		op := "++"
		if e.by < 0 {
			op = "--"
		}
		if e.before {
			return op + p.of(e.x, 14), 14
		}
		return p.of(e.x, 15) + op, 15
	case *choice:
		return p.of(e.c, 4) + " ? " + p.of(e.x, 1) + " : " + p.of(e.y, 2), 3
	case *comma:
		return p.of(e.x, 1) + ", " + p.of(e.y, 2), 1
	case *cast:
		t := e.t.declare("")
		switch {
		case e.form == 0 || strings.ContainsAny(t, " *") && e.form == 1:
			return "(" + t + ")" + p.of(e.x, 14), 14
		case e.form == 1:
			return t + "(" + p.of(e.x, 2) + ")", 15
		case e.form == 2 || e.t.ptr == nil:
			return "static_cast<" + t + ">(" + p.of(e.x, 1) + ")", 15
		}
		return "reinterpret_cast<" + t + ">(" + p.of(e.x, 1) + ")", 15
	case *call:
		s := e.f.name
		if e.f.template != "" {
			s += fmt.Sprintf("<%d>", e.n)
		}
		return s + "(" + p.list(e.args) + ")", 15
	case *builtinCall:
		return e.b.name + "(" + p.list(e.args) + ")", 15
	case *aggregate:
		if e.t.vector {
			return "make_" + e.t.name + "(" + p.list(e.args) + ")", 15
		}
		return e.t.name + "{" + p.list(e.args) + "}", 15
	case *sizeOf:
		return "sizeof(" + e.t.declare("") + ")", 15
	case *special:
		return e.name, 15
	case *parameter:
		return e.name, 16
	case *together:
		args := p.list(e.args)
		if e.mask != nil {
			args = strings.TrimSuffix(p.of(e.mask, 2)+", "+args, ", ")
		}
		return e.op + "(" + args + ")", 15
	case *atomic:
		return e.op + "(" + p.of(&address{e.x}, 2) + ", " + p.list(e.args) + ")", 15
	}
	panic(fmt.Sprintf("%T", e))
}

func (e *literal) text() (string, int) {
	k := e.t.kind
	switch {
	case k == boolean:
		return strconv.FormatBool(e.bits != 0), 16
	case k == half:
		return fmt.Sprintf("__ushort_as_half(%d)", e.bits), 15
	case k.floating():
		x, n := number(k, e.bits), 24
		if k == double {
			n = 53
		}
		switch {
		case x != x || math.IsInf(x, 0) || e.form == 1:
			if k == float {
				return fmt.Sprintf("__int_as_float(0x%08x)", e.bits), 15
			}
			return fmt.Sprintf("__longlong_as_double(0x%016xll)", e.bits), 15
		}
		s := strconv.FormatFloat(x, 'g', -1, map[int]int{24: 32, 53: 64}[n])
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		if s[0] == '-' {
			return s + facts[k].suffix, 14
		}
		return s + facts[k].suffix, 16
	case k < integer:
		if x := int64(e.bits); k == char && x >= 32 && x < 127 && x != '\\' && x != '\'' {
			return fmt.Sprintf("'%c'", rune(x)), 16
		}
		return "(" + e.t.name + ")" + plain(integer, e.bits, e.form), 14
	}
	s := plain(k, e.bits, e.form)
	if s[0] == '(' {
		return s, 16
	}
	if s[0] == '-' {
		return s, 14
	}
	return s, 16
}

// plain writes an integer of at least the size of an int.
func plain(k kind, x uint64, form int) string {
	suffix := facts[k].suffix
	if !k.signed() {
		if form == 1 {
			return fmt.Sprintf("0x%x%s", x, suffix)
		}
		return fmt.Sprintf("%d%s", x, suffix)
	}
	n := int64(x)
	least := n == math.MinInt64 || k == integer && n == math.MinInt32
	switch {
	case least:
		return fmt.Sprintf("(%d%s - 1)", n+1, suffix)
	case form == 1 && n >= 0:
		return fmt.Sprintf("0x%x%s", n, suffix)
	case form == 2 && n >= 0:
		return fmt.Sprintf("0%o%s", n, suffix)
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
