package check

import (
	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// initialised returns the type of a variable and what it starts as: a place for a
// reference, a value otherwise, nil for nothing.
func (c *checker) initialised(d *syntax.Var, fn *Func) (*types.Type, Expr) {
	name := d.Name.Last().Ident
	if hasAuto(d.Type) {
		return c.initialisedAuto(d)
	}
	t := c.typeOf(d.Type)
	if d.Constexpr {
		t = t.Qualify(true, false)
	}
	if t.Kind == types.KindVoid {
		c.errorf(d.Pos(), name, "a variable cannot be void")
	}
	if t.Kind == types.KindFunction {
		c.refuse(d.Pos(), "pointer to a function", "take a struct with operator() as a template parameter, or switch over a number")
	}
	if t.Kind == types.KindReference {
		return t, c.referenceInit(d, t)
	}
	if inner := t.Innermost(); inner.Kind == types.KindStruct {
		c.requireComplete(inner, d.Pos(), "variable "+name)
	}
	what := name
	switch {
	case d.Paren:
		args := c.args(d.Args)
		if t.Kind == types.KindStruct {
			return t, c.construct(t.Unqualified(), args, d.Pos(), false)
		}
		if t.Kind == types.KindArray {
			c.fail(source.Errorf(d.Pos(), name, "an array starts as a list in braces").With("write {…} instead of (…)"))
		}
		if len(args) != 1 {
			c.errorf(d.Pos(), name, "%s is made of one value, not of %d", t, len(args))
		}
		return t, c.coerce(args[0], t, what)
	case d.Init == nil:
		if t.Kind == types.KindArray && t.Len < 0 {
			return t, nil
		}
		return t, c.defaultOf(t, d.Pos())
	}
	e := c.arg(d.Init)
	if l, ok := e.(*braced); ok {
		if t.Kind == types.KindArray && t.Len < 0 {
			t = c.lengthOf(t, l)
		}
		return t, c.listValue(l, t.Unqualified())
	}
	if t.Kind == types.KindArray {
		if text, ok := e.(*Text); ok && isChar(t.Elem) {
			if t.Len < 0 {
				t = types.ArrayOf(t.Elem, int64(len(text.Data))+1)
			}
			return t, c.textValue(text, t.Unqualified())
		}
		c.fail(source.Errorf(e.Pos(), name, "an array starts as a list in braces, not as %s", e.Type().Unqualified()).With("copy its elements in a loop"))
	}
	return t, c.coerce(e, t, what)
}

func isChar(t *types.Type) bool {
	return t.Kind == types.KindChar || t.Kind == types.KindSChar || t.Kind == types.KindUChar
}

func (c *checker) initialisedAuto(d *syntax.Var) (*types.Type, Expr) {
	name := d.Name.Last().Ident
	var x syntax.Expr
	switch {
	case d.Paren && len(d.Args) == 1:
		x = d.Args[0]
	case d.Init != nil && !d.Paren:
		x = d.Init
	default:
		c.errorf(d.Pos(), "auto", "auto takes the type of %s from its value, and there is none", name)
	}
	if l, ok := x.(*syntax.List); ok {
		if len(l.Elems) != 1 {
			c.fail(source.Errorf(x.Pos(), "auto", "a list says nothing of the type of %s", name).With("write the type instead of auto"))
		}
		x = l.Elems[0]
	}
	e := c.expr(x)
	t := c.deduceAuto(d.Type, e)
	if d.Constexpr {
		t = t.Qualify(true, false)
	}
	if t.Kind == types.KindReference {
		return t, c.bindTo(e, t, name)
	}
	return t, c.coerce(e, t, name)
}

func (c *checker) referenceInit(d *syntax.Var, t *types.Type) Expr {
	name := d.Name.Last().Ident
	switch {
	case d.Paren && len(d.Args) == 1:
		return c.bindTo(c.arg(d.Args[0]), t, name)
	case d.Init != nil:
		e := c.arg(d.Init)
		if l, ok := e.(*braced); ok && len(l.list.Elems) == 1 {
			e = c.arg(l.list.Elems[0])
		}
		return c.bindTo(e, t, name)
	}
	c.errorf(d.Pos(), name, "the reference %s does not say what it refers to", name)
	return nil
}

// lengthOf returns an array with the length that a list gives it.
func (c *checker) lengthOf(t *types.Type, l *braced) *types.Type {
	n := int64(len(l.list.Elems))
	if n == 1 && isChar(t.Elem) {
		if s, ok := l.list.Elems[0].(*syntax.String); ok {
			return types.ArrayOf(t.Elem, int64(len(s.Value))+1)
		}
	}
	if n == 0 {
		c.errorf(l.Pos(), "array", "an array of no elements is not possible")
	}
	if t.Elem.Kind == types.KindArray || t.Elem.Kind == types.KindStruct {
		// The braces of the elements may be left out: how many there are is found by
		// filling them.
		if _, nested := l.list.Elems[0].(*syntax.List); !nested && (t.Elem.Kind == types.KindArray || c.aggregate(t.Elem)) {
			cur := &cursor{list: l.list}
			n = 0
			for cur.at < len(cur.list.Elems) {
				before := cur.at
				c.fill(t.Elem.Unqualified(), cur)
				n++
				if cur.at == before {
					break
				}
			}
		}
	}
	return c.arrayOf(t.Elem, n, l.Pos())
}

func (c *checker) textValue(text *Text, t *types.Type) Expr {
	if int64(len(text.Data)) > t.Len {
		c.errorf(text.Pos(), "string", "the string has %d characters and the array room for %d", len(text.Data), t.Len)
	}
	g := &Group{Node: Node{T: t, At: text.Pos()}}
	for i := range text.Data {
		g.Parts = append(g.Parts, &Const{Node{T: t.Elem.Unqualified(), At: text.Pos()}, integer(t.Elem, uint64(text.Data[i]))})
	}
	return g
}

// zeroOf is the value of t that is zero, where the source asks for it: T().
func (c *checker) zeroOf(t *types.Type, pos source.Pos) Expr {
	if t.IsScalar() {
		return &Const{Node{T: t, At: pos}, Value{}}
	}
	if inner := t.Innermost(); inner.Kind == types.KindStruct {
		cl := c.classOf(inner)
		if cl != nil {
			if f := c.defaultConstructor(cl, pos); f != nil || c.setsMembers(cl) {
				return c.filled(t, pos, true)
			}
		}
	}
	return &Zero{Node{T: t, At: pos}}
}

// defaultOf is what a variable without an initial value starts as; nil where
// nothing is said of any part of it.
func (c *checker) defaultOf(t *types.Type, pos source.Pos) Expr {
	inner := t.Innermost()
	if inner.Kind != types.KindStruct {
		return nil
	}
	cl := c.classOf(inner)
	if cl == nil {
		return nil
	}
	if f := c.defaultConstructor(cl, pos); f == nil && !c.setsMembers(cl) {
		for _, f := range cl.typ.Struct.Fields {
			if f.Type.Kind == types.KindReference {
				c.fail(source.Errorf(pos, f.Name, "the member %s of %s is a reference: it must be said what it refers to", f.Name, cl.typ).With("write its variable in braces"))
			}
		}
		return nil
	}
	return c.filled(t.Unqualified(), pos, false)
}

// defaultConstructor returns the constructor of the source's own that takes
// nothing; nil where there is none and none is needed.
func (c *checker) defaultConstructor(cl *class, pos source.Pos) *function {
	c.complete(cl, pos)
	var list []*function
	for _, f := range cl.constructors {
		if f.decl.Default && len(f.decl.Params) == 0 {
			return nil
		}
		list = append(list, f)
	}
	if f, _ := c.best(list, nil, nil, nil); f != nil {
		return f
	}
	if cl.hostMade != nil {
		c.hostConstructor(cl, pos)
	}
	if cl.userMade && len(cl.constructors) > 0 {
		err := source.Errorf(pos, cl.typ.String(), "%s has no constructor that takes nothing", cl.typ)
		for i, f := range cl.constructors {
			if i < 3 && !f.builtIn {
				err.Note(f.pos, "a constructor")
			}
		}
		c.fail(err.With("give it what its constructor takes, or add %s() = default;", cl.name))
	}
	return nil
}

func (c *checker) hostConstructor(cl *class, pos source.Pos) {
	c.fail(source.Errorf(pos, cl.typ.String(), "the constructor of %s is a function of the host: a kernel cannot call it", cl.typ).With("put __device__ in front of it").Note(*cl.hostMade, "it is defined here"))
}

// setsMembers reports whether members have values of their own to start with.
func (c *checker) setsMembers(cl *class) bool {
	for i, f := range cl.typ.Struct.Fields {
		if cl.inits[i] != nil {
			return true
		}
		if inner := c.classOf(f.Type.Innermost()); inner != nil && inner != cl && (c.setsMembers(inner) || len(inner.constructors) > 0 && !trivial(inner)) {
			return true
		}
	}
	return false
}

// trivial reports whether a struct is made without running anything.
func trivial(cl *class) bool {
	for _, f := range cl.constructors {
		if len(f.decl.Params) == 0 && f.decl.Default {
			return true
		}
	}
	return len(cl.constructors) == 0
}

// filled is a value of which the members are what they start as, and zero or
// undefined where nothing is said.
func (c *checker) filled(t *types.Type, pos source.Pos, zero bool) Expr {
	n := Node{T: t, At: pos}
	if t.Kind == types.KindArray {
		if t.Len > 4096 {
			c.fail(source.Errorf(pos, "array", "an array of %d structs that have a constructor is too long to be made here", t.Len).With("give the struct no constructor, and set the elements in a loop"))
		}
		g := &Group{Node: n}
		for range t.Len {
			g.Parts = append(g.Parts, c.filled(t.Elem.Unqualified(), pos, zero))
		}
		return g
	}
	if t.Kind != types.KindStruct {
		if zero {
			return c.zeroOf(t, pos)
		}
		return &Undef{n}
	}
	cl := c.classOf(t)
	if f := c.defaultConstructor(cl, pos); f != nil {
		return c.made(cl, f, nil, pos)
	}
	if t.Struct.Union {
		for i := range t.Struct.Fields {
			if cl.inits[i] != nil {
				return &Group{Node: n, Parts: []Expr{c.memberInit(cl, i)}, First: i}
			}
		}
		if zero {
			return &Zero{n}
		}
		return &Undef{n}
	}
	g := &Group{Node: n}
	for i, f := range t.Struct.Fields {
		g.Parts = append(g.Parts, c.partOf(cl, i, f, pos, zero))
	}
	return g
}

// partOf is what one member starts as.
func (c *checker) partOf(cl *class, i int, f types.Field, pos source.Pos, zero bool) Expr {
	if cl.inits[i] != nil {
		return c.memberInit(cl, i)
	}
	if f.Type.Kind == types.KindReference {
		c.errorf(pos, f.Name, "the member %s of %s is a reference: it must be said what it refers to", f.Name, cl.typ)
	}
	if e := c.defaultOf(f.Type, pos); e != nil {
		return e
	}
	if zero {
		return c.zeroOf(f.Type.Unqualified(), pos)
	}
	return &Undef{Node{T: f.Type.Unqualified(), At: pos}}
}

// memberInit is the value that a member is declared with.
func (c *checker) memberInit(cl *class, i int) Expr {
	d := cl.inits[i]
	f := cl.typ.Struct.Fields[i]
	if c.depth > 10*c.limits.Nesting {
		c.errorf(d.Pos(), f.Name, "the value of %s asks for itself", f.Name)
	}
	defer c.enter(d.Pos())()
	var e Expr
	order, fn := c.order, c.fn
	c.order = everything
	if fn == nil || fn.fn.This == nil || !types.Same(fn.fn.This.Type.Elem, cl.typ) {
		c.fn = nil
	}
	c.in(cl.scope, func() {
		if f.Type.Kind == types.KindReference {
			place := c.referenceInit(d, f.Type)
			e = &AddrOf{Node{T: types.PointerTo(f.Type.Elem), At: d.Pos()}, place}
			return
		}
		_, e = c.initialised(d, nil)
	})
	c.order, c.fn = order, fn
	return e
}

// ---- structs from arguments --------------------------------------------------------

// construct makes a struct from arguments in parentheses.
func (c *checker) construct(t *types.Type, args []Expr, pos source.Pos, list bool) Expr {
	cl := c.classOf(t)
	if len(args) == 0 {
		return c.zeroOf(t, pos)
	}
	if len(args) == 1 {
		if _, ok := args[0].(*braced); !ok {
			from := args[0].Type()
			if types.Same(from, t) {
				return c.rvalue(args[0])
			}
			if c.baseDistance(from, t) > 0 && !cl.copies {
				return c.rvalue(c.toBase(args[0], cl))
			}
		}
	}
	if len(cl.constructors) == 0 {
		if cl.hostMade != nil {
			c.hostConstructor(cl, pos)
		}
		if len(args) == 1 {
			if _, ok := args[0].(*braced); !ok {
				if f := c.userConversion(args[0], args[0].Type().Unqualified(), t, true); f != nil {
					return c.applyUser(args[0], t, f)
				}
			} else {
				return c.listValue(args[0].(*braced), t)
			}
		}
		c.fail(source.Errorf(pos, t.String(), "%s has no constructor that takes %s", t, numbered(len(args))).With("write braces instead of parentheses: %s{…}", t))
	}
	f, err := c.best(cl.constructors, nil, args, nil)
	if f == nil {
		if cl.hostMade != nil {
			c.hostConstructor(cl, pos)
		}
		if len(args) == 1 {
			if g := c.userConversion(args[0], args[0].Type().Unqualified(), t, true); g != nil {
				return c.applyUser(args[0], t, g)
			}
		}
		err.Pos, err.Construct = pos, t.String()
		err.Message = replaceName(err.Message, "constructor of "+t.String())
		c.fail(err)
	}
	return c.made(cl, f, args, pos)
}

func numbered(n int) string {
	if n == 1 {
		return "one argument"
	}
	return string("0123456789"[min(n, 9)]) + " arguments"
}

func replaceName(message, name string) string {
	out := ""
	for _, r := range message {
		if r == 0 {
			out += name
			continue
		}
		out += string(r)
	}
	return out
}

// made is a struct that a constructor makes.
func (c *checker) made(cl *class, f *function, args []Expr, pos source.Pos) Expr {
	if !f.device && !f.builtIn {
		c.hostConstructorOf(f, cl, pos)
	}
	t := cl.typ
	if f.decl.Default && len(f.decl.Params) == 0 {
		return c.zeroOf(t, pos)
	}
	fn := c.use(f, pos)
	m := &Made{Node: Node{T: t, At: pos}, Func: fn}
	m.Args = c.convertArgs(f, args, pos)
	return m
}

func (c *checker) hostConstructorOf(f *function, cl *class, pos source.Pos) {
	c.fail(source.Errorf(pos, cl.typ.String(), "the constructor of %s is a function of the host: a kernel cannot call it", cl.typ).With("put __device__ in front of it").Note(f.pos, "it is declared here"))
}

// ---- lists ----------------------------------------------------------------------------

// aggregate reports whether a struct is made of a list of its members.
func (c *checker) aggregate(t *types.Type) bool {
	cl := c.classOf(t.Unqualified())
	if cl == nil {
		return false
	}
	c.complete(cl, cl.pos)
	return !cl.userMade
}

// listConversion returns how a list becomes a parameter.
func (c *checker) listConversion(l *braced, t *types.Type) conv {
	how := conv{ok: true, rank: user}
	elems := l.list.Elems
	if t.IsScalar() {
		switch len(elems) {
		case 0:
			return conv{ok: true}
		case 1:
			var x conv
			if err := c.attempt(func() { x = c.conversion(c.arg(elems[0]), t) }); err != nil {
				return conv{}
			}
			return x
		}
		return conv{}
	}
	if t.Kind == types.KindStruct && !c.aggregate(t) {
		var f *function
		err := c.attempt(func() {
			f, _ = c.best(c.classOf(t).constructors, nil, c.args(elems), nil)
		})
		how.ok = err == nil && (f != nil || len(elems) == 0)
		return how
	}
	err := c.attempt(func() { c.listValue(l, t) })
	how.ok = err == nil
	return how
}

// listValue is the value of type t that a list in braces stands for.
func (c *checker) listValue(l *braced, t *types.Type) Expr {
	defer c.enter(l.Pos())()
	elems := l.list.Elems
	if t.Kind != types.KindArray && t.Kind != types.KindStruct {
		switch len(elems) {
		case 0:
			return c.zeroOf(t, l.Pos())
		case 1:
			return c.coerce(c.arg(elems[0]), t, "the value")
		}
		c.errorf(l.Pos(), "list", "%s is one value, and the list has %d", t, len(elems))
	}
	if t.Kind == types.KindStruct {
		c.requireComplete(t, l.Pos(), "the value")
		if !c.aggregate(t) {
			return c.construct(t, c.args(elems), l.Pos(), true)
		}
		if len(elems) == 1 && l.list.Names == nil {
			// S{s} is a copy.
			if _, nested := elems[0].(*syntax.List); !nested {
				e := c.expr(elems[0])
				if types.Same(e.Type(), t) || c.baseDistance(e.Type(), t) > 0 {
					return c.coerce(e, t, "the value")
				}
			}
		}
	}
	cur := &cursor{list: l.list}
	v := c.listed(t, cur, true)
	if cur.at < len(elems) {
		n := len(elems)
		c.errorf(elems[cur.at].Pos(), "list", "the list has %d elements: more than %s", n, t)
	}
	return v
}

// A cursor is how far a list was read.
type cursor struct {
	list *syntax.List
	at   int
	seen Expr // the checked element at at
}

func (c *checker) element(cur *cursor) Expr {
	if cur.seen == nil {
		cur.seen = c.arg(cur.list.Elems[cur.at])
	}
	return cur.seen
}

func (cur *cursor) next() {
	cur.at++
	cur.seen = nil
}

// fill makes a value of type t from the next elements of a list. The braces of
// what is in an array or a struct may be left out.
func (c *checker) fill(t *types.Type, cur *cursor) Expr {
	e := c.element(cur)
	if l, ok := e.(*braced); ok {
		cur.next()
		return c.listValue(l, t)
	}
	switch t.Kind {
	case types.KindArray:
		if text, ok := e.(*Text); ok && isChar(t.Elem) {
			cur.next()
			return c.textValue(text, t)
		}
		return c.listed(t, cur, false)
	case types.KindStruct:
		if c.conversion(e, t).ok || !c.aggregate(t) {
			break
		}
		return c.listed(t, cur, false)
	}
	cur.next()
	return c.coerce(e, t, "the element")
}

// listed makes an array or a struct of the elements of a list; whole says that
// the list is for it alone.
func (c *checker) listed(t *types.Type, cur *cursor, whole bool) Expr {
	g := &Group{Node: Node{T: t, At: cur.list.Pos()}}
	more := func() bool { return cur.at < len(cur.list.Elems) }
	if t.Kind == types.KindArray {
		if whole && cur.list.Names != nil {
			c.errorf(cur.list.Pos(), "list", "the elements of an array have no names")
		}
		if e := cur.list; whole && len(e.Elems) == 1 && isChar(t.Elem) {
			if text, ok := c.element(cur).(*Text); ok {
				cur.next()
				return c.textValue(text, t)
			}
		}
		elem := t.Elem.Unqualified()
		for n := int64(0); n < t.Len && more(); n++ {
			g.Parts = append(g.Parts, c.fill(elem, cur))
		}
		if int64(len(g.Parts)) < t.Len && elem.Innermost().Kind == types.KindStruct {
			if z := c.zeroOf(elem, cur.list.Pos()); !isZero(z) {
				for int64(len(g.Parts)) < min(t.Len, 4096) {
					g.Parts = append(g.Parts, z)
				}
			}
		}
		return g
	}
	cl := c.classOf(t)
	s := t.Struct
	if s.Union {
		if !more() || len(s.Fields) == 0 { // of one without members there is too much
			return c.filled(t, cur.list.Pos(), true)
		}
		if whole && cur.list.Names != nil && cur.list.Names[cur.at] != "" {
			i := s.Field(cur.list.Names[cur.at])
			if i < 0 {
				c.errorf(cur.list.Pos(), "list", "%s has no member %s", t, cur.list.Names[cur.at])
			}
			g.First = i
		}
		g.Parts = []Expr{c.fill(s.Fields[g.First].Type.Unqualified(), cur)}
		return g
	}
	for i, f := range s.Fields {
		if whole && cur.list.Names != nil && more() {
			if want := cur.list.Names[cur.at]; want != "" && want != f.Name {
				if j := s.Field(want); j < i {
					err := source.Errorf(cur.list.Elems[cur.at].Pos(), "list", "%s has no member %s", t, want)
					if j >= 0 {
						err = source.Errorf(cur.list.Elems[cur.at].Pos(), "list", "member %s of %s comes earlier: the names are to stand in order", want, t)
					}
					c.fail(err)
				}
				g.Parts = append(g.Parts, c.partOf(cl, i, f, cur.list.Pos(), true))
				continue
			}
		}
		if !more() {
			g.Parts = append(g.Parts, c.partOf(cl, i, f, cur.list.Pos(), true))
			continue
		}
		if f.Type.Kind == types.KindReference {
			e := c.element(cur)
			cur.next()
			place := c.bindTo(e, f.Type, "member "+f.Name)
			g.Parts = append(g.Parts, &AddrOf{Node{T: types.PointerTo(f.Type.Elem), At: e.Pos()}, place})
			continue
		}
		if f.Base && f.Type.Struct.Empty() {
			if _, ok := c.element(cur).(*braced); !ok {
				g.Parts = append(g.Parts, nil)
				continue
			}
		}
		g.Parts = append(g.Parts, c.fill(f.Type.Unqualified(), cur))
	}
	return g
}

func isZero(e Expr) bool {
	switch e := e.(type) {
	case *Zero:
		return true
	case *Const:
		return e.Value.Bits == 0 && e.Value.Float == 0
	}
	return false
}
