package check

import (
	"strings"

	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// body checks the body of a function, once.
func (c *checker) body(fn *Func) {
	if fn.state != unchecked {
		return
	}
	f := fn.function
	d, env := f.decl, f.scope
	if f.defined != nil {
		d, env = f.defined, f.within
	}
	if d.Default && d.Body == nil {
		fn.Body, fn.state = &Block{}, checked
		return
	}
	if d.Body == nil {
		err := source.Errorf(fn.Pos, f.name, "the function %s is used, and has no body", fn.Name)
		if strings.HasPrefix(f.name, "~") {
			err = source.Errorf(fn.Pos, f.name, "the destructor has no body")
		}
		c.fail(err.With("define it in this file"))
	}
	if d.Refused != nil {
		if fn.Result == nil {
			c.fail(d.Refused)
		}
		c.refuseBody(fn, d.Refused)
		return
	}
	fn.state = checking
	saved := *c
	c.fn = &context{fn: fn, f: f}
	c.converting, c.autoAs, c.depth = 0, nil, 0
	c.order = d.End
	if f.from != nil || f.builtIn || f.class != nil && f.class.template != nil || f.class != nil && f.class.lambda != nil {
		c.order = everything
	}
	check := func() {
		c.scope = newScope(env)
		c.fn.lambda = lambdaOf(f)
		for _, v := range fn.Params {
			if v.Name == "" {
				continue
			}
			if c.scope.names[v.Name] != nil {
				c.errorf(v.Pos, v.Name, "two parameters are called %s", v.Name)
			}
			c.scope.names[v.Name] = v
		}
		block := &Block{At: At{d.Body.Pos()}}
		if d.Constructor {
			block.List = c.memberInits(f, d)
		}
		c.scope = newScope(c.scope)
		block.List = append(block.List, c.statements(d.Body.List)...)
		fn.Body = block
	}
	if f.args != nil || f.class != nil && f.class.args != nil {
		c.instantiate(f.pos, fn.Name, check)
	} else {
		c.stack = nil
		check()
	}
	if fn.Result == nil {
		fn.Result = types.VoidType
	}
	if fn.Result.Kind != types.KindVoid && !d.Constructor && !c.leaves(fn.Body) && !f.builtIn {
		fn.fallsOff = true
	}
	fn.state = checked
	c.scope, c.order, c.depth, c.fn, c.converting, c.autoAs, c.stack = saved.scope, saved.order, saved.depth, saved.fn, saved.converting, saved.autoAs, saved.stack
}

// leaves reports whether the end of a statement is never reached.
func (c *checker) leaves(s Stmt) bool {
	switch s := s.(type) {
	case *Return:
		return true
	case *Block:
		for _, x := range s.List {
			if c.leaves(x) {
				return true
			}
		}
	case *If:
		return s.Else != nil && c.leaves(s.Then) && c.leaves(s.Else)
	case *Loop:
		return s.Cond == nil && !hasBreak(s.Body)
	case *Eval:
		call, ok := s.X.(*Call)
		return ok && call.Func.Intrinsic == "trap"
	}
	return false
}

func hasBreak(s Stmt) bool {
	switch s := s.(type) {
	case *Break:
		return true
	case *Block:
		for _, x := range s.List {
			if hasBreak(x) {
				return true
			}
		}
	case *If:
		return hasBreak(s.Then) || s.Else != nil && hasBreak(s.Else)
	}
	return false
}

// memberInits is what a constructor does before its body.
func (c *checker) memberInits(f *function, d *syntax.Func) []Stmt {
	cl := f.class
	var out []Stmt
	this := c.thisPlace(f.pos)
	given := map[int]*syntax.MemberInit{}
	for i := range d.Inits {
		init := &d.Inits[i]
		e := c.find(init.Name, false)
		if t, ok := e.(*typeName); ok && t.class != nil {
			if t.class == cl {
				// Another constructor does it all.
				args := c.initArgs(init)
				made, ok := c.construct(cl.typ, args, init.Pos(), false).(*Made)
				if !ok {
					c.errorf(init.Pos(), cl.name, "another constructor is expected here")
				}
				call := &Call{Node: Node{T: types.VoidType, At: init.Pos()}, Func: made.Func, This: this, Args: made.Args}
				return []Stmt{&Eval{At{init.Pos()}, call}}
			}
			found := false
			for j, b := range cl.bases {
				if b == t.class {
					given[j], found = init, true
				}
			}
			if found {
				continue
			}
		}
		m, ok := cl.scope.names[init.Name.Last().Ident].(*member)
		if !ok || m.class != cl {
			c.errorf(init.Pos(), init.Name.String(), "%s has no member %s", cl.typ, init.Name)
		}
		if len(m.path) > 1 {
			c.refuse(init.Pos(), "value of a member of a struct without a name", "set it in the body of the constructor")
		}
		if given[m.path[0]] != nil {
			c.errorf(init.Pos(), init.Name.String(), "member %s is given two values", init.Name)
		}
		given[m.path[0]] = init
	}
	for i, field := range cl.typ.Struct.Fields {
		init := given[i]
		if init == nil {
			if cl.typ.Struct.Union && cl.inits[i] == nil {
				continue
			}
			v := c.partOf(cl, i, field, f.pos, false)
			if allUndef(v) {
				continue
			}
			out = append(out, c.setMember(this, i, v, c.posAt(v, f.pos)))
			continue
		}
		args := c.initArgs(init)
		t := field.Type
		var v Expr
		switch {
		case t.Kind == types.KindReference:
			if len(args) != 1 {
				c.errorf(init.Pos(), field.Name, "a reference refers to one variable")
			}
			v = &AddrOf{Node{T: types.PointerTo(t.Elem), At: init.Pos()}, c.bindTo(args[0], t, "member "+field.Name)}
		case init.Brace:
			v = c.listValue(args[0].(*braced), t.Unqualified())
		case t.Kind == types.KindStruct:
			v = c.construct(t.Unqualified(), args, init.Pos(), false)
		case len(args) == 0:
			v = c.zeroOf(t.Unqualified(), init.Pos())
		case t.Kind == types.KindArray:
			c.fail(source.Errorf(init.Pos(), field.Name, "an array starts as a list in braces").With("write %s{…}, or set its elements in the body", field.Name))
		case len(args) == 1:
			v = c.coerce(args[0], t, "member "+field.Name)
		default:
			c.errorf(init.Pos(), field.Name, "%s is made of one value, not of %d", t, len(args))
		}
		out = append(out, c.setMember(this, i, v, init.Pos()))
	}
	return out
}

func (c *checker) posAt(e Expr, other source.Pos) source.Pos {
	if e.Pos().IsValid() {
		return e.Pos()
	}
	return other
}

func (c *checker) initArgs(init *syntax.MemberInit) []Expr { return c.args(init.Args) }

// allUndef reports whether nothing is said of any part of a value.
func allUndef(e Expr) bool {
	switch e := e.(type) {
	case *Undef:
		return true
	case *Group:
		for _, p := range e.Parts {
			if p == nil || !allUndef(p) {
				return false
			}
		}
		return len(e.Parts) > 0
	}
	return false
}

// setMember stores what a member starts as.
func (c *checker) setMember(this Expr, i int, v Expr, pos source.Pos) Stmt {
	t := this.Type().Struct.Fields[i].Type
	if t.Kind == types.KindReference {
		t = types.PointerTo(t.Elem)
	}
	place := &Field{Node{T: t, At: pos, LV: true}, this, i}
	return &Eval{At{pos}, &Assign{Node{T: t, At: pos, LV: true}, place, v}}
}

// ---- statements ---------------------------------------------------------------------

func (c *checker) statements(list []syntax.Stmt) []Stmt {
	var out []Stmt
	for _, s := range list {
		out = append(out, c.statement(s)...)
	}
	return out
}

// scoped checks a statement with a scope of its own.
func (c *checker) scoped(s syntax.Stmt) Stmt {
	if b, ok := s.(*syntax.Block); ok {
		return c.block(b)
	}
	var out Stmt
	c.in(newScope(c.scope), func() {
		list := c.statement(s)
		if len(list) == 1 {
			out = list[0]
			return
		}
		out = &Block{At{s.Pos()}, list}
	})
	return out
}

func (c *checker) block(b *syntax.Block) *Block {
	out := &Block{At: At{b.Pos()}}
	c.in(newScope(c.scope), func() { out.List = c.statements(b.List) })
	return out
}

func (c *checker) statement(s syntax.Stmt) []Stmt {
	defer c.enter(s.Pos())()
	switch s := s.(type) {
	case *syntax.Block:
		return []Stmt{c.block(s)}
	case *syntax.DeclStmt:
		var out []Stmt
		for _, d := range s.Decls {
			out = append(out, c.localDecl(d)...)
		}
		return out
	case *syntax.ExprStmt:
		e := c.expr(s.X)
		return []Stmt{&Eval{At{startOf(s.X)}, e}}
	case *syntax.Empty:
		return nil
	case *syntax.If:
		return c.ifStmt(s)
	case *syntax.For:
		return c.forStmt(s)
	case *syntax.Range:
		return c.rangeStmt(s)
	case *syntax.While:
		return c.whileStmt(s)
	case *syntax.Do:
		l := &Loop{At: At{s.Pos()}, Until: true, Unroll: c.unroll(s.Unroll)}
		l.Body = c.loopBody(s.Body)
		l.Cond = c.truth(s.Cond)
		return []Stmt{l}
	case *syntax.Switch:
		return c.switchStmt(s)
	case *syntax.Case:
		c.fail(source.Errorf(s.Pos(), "case", "case and default belong directly into the braces of a switch").With("close the inner block first"))
	case *syntax.Break:
		if c.fn.breaks == 0 {
			c.errorf(s.Pos(), "break", "there is no loop and no switch here to leave")
		}
		return []Stmt{&Break{At{s.Pos()}}}
	case *syntax.Continue:
		if c.fn.loops == 0 {
			c.errorf(s.Pos(), "continue", "there is no loop here to go on with")
		}
		return []Stmt{&Continue{At{s.Pos()}}}
	case *syntax.Return:
		return []Stmt{c.returnStmt(s)}
	case *syntax.Asm:
		return c.asm(s)
	}
	c.errorf(s.Pos(), "statement", "this statement is not known")
	return nil
}

// startOf is where the first word of an expression is.
func startOf(x syntax.Expr) source.Pos {
	for {
		switch e := x.(type) {
		case *syntax.Binary:
			x = e.X
		case *syntax.Assign:
			x = e.X
		case *syntax.Conditional:
			x = e.Cond
		case *syntax.Postfix:
			x = e.X
		case *syntax.Index:
			x = e.X
		case *syntax.Member:
			x = e.X
		case *syntax.Call:
			x = e.Fun
		default:
			return x.Pos()
		}
	}
}

func (c *checker) ifStmt(s *syntax.If) []Stmt {
	var out []Stmt
	c.in(newScope(c.scope), func() {
		if s.Init != nil {
			out = c.statement(s.Init)
		}
		var cond Expr
		if s.Decl != nil {
			local, e := c.conditionVar(s.Decl)
			out = append(out, local)
			cond = e
		} else {
			cond = c.truth(s.Cond)
		}
		if s.Constexpr {
			v, ok := c.constant(cond)
			if !ok {
				c.errorf(s.Cond.Pos(), "if constexpr", "the condition of if constexpr must be known when the kernel is compiled")
			}
			// What is not taken is not looked at.
			switch {
			case v.Bits != 0:
				out = append(out, c.scoped(s.Then))
			case s.Else != nil:
				out = append(out, c.scoped(s.Else))
			}
			return
		}
		i := &If{At: At{s.Pos()}, Cond: cond}
		i.Then = c.scoped(s.Then)
		if s.Else != nil {
			i.Else = c.scoped(s.Else)
		}
		out = append(out, i)
	})
	if len(out) == 1 {
		return out
	}
	return []Stmt{&Block{At{s.Pos()}, out}}
}

// conditionVar declares the variable of if (int x = …).
func (c *checker) conditionVar(d *syntax.Var) (*Local, Expr) {
	v := &Var{Name: d.Name.Last().Ident, Pos: d.Pos(), Storage: Auto, function: c.fn.fn}
	var init Expr
	v.Type, init = c.initialised(d, c.fn.fn)
	c.declareLocal(v)
	return &Local{At{d.Pos()}, v, init}, c.asTruth(c.varRef(v, d.Pos()))
}

func (c *checker) loopBody(s syntax.Stmt) Stmt {
	c.fn.loops++
	c.fn.breaks++
	out := c.scoped(s)
	c.fn.loops--
	c.fn.breaks--
	return out
}

func (c *checker) forStmt(s *syntax.For) []Stmt {
	l := &Loop{At: At{s.Pos()}, Unroll: c.unroll(s.Unroll)}
	c.in(newScope(c.scope), func() {
		if s.Init != nil {
			list := c.statement(s.Init)
			if len(list) == 1 {
				l.Init = list[0]
			} else if len(list) > 1 {
				l.Init = &Block{At{s.Pos()}, list}
			}
		}
		if s.Cond != nil {
			l.Cond = c.truth(s.Cond)
		}
		if s.Post != nil {
			l.Post = c.expr(s.Post)
		}
		l.Body = c.loopBody(s.Body)
	})
	return []Stmt{l}
}

func (c *checker) whileStmt(s *syntax.While) []Stmt {
	l := &Loop{At: At{s.Pos()}, Unroll: c.unroll(s.Unroll)}
	c.in(newScope(c.scope), func() {
		if s.Decl != nil {
			l.CondInit, l.Cond = c.conditionVar(s.Decl)
		} else {
			l.Cond = c.truth(s.Cond)
		}
		l.Body = c.loopBody(s.Body)
	})
	return []Stmt{l}
}

// rangeStmt is for (T x : a), over an array or a struct with begin() and end().
func (c *checker) rangeStmt(s *syntax.Range) []Stmt {
	pos := s.Pos()
	var out []Stmt
	c.in(newScope(c.scope), func() {
		if l, ok := s.X.(*syntax.List); ok {
			c.refuse(l.Pos(), "for over a list", "put the list into an array first")
		}
		over := c.expr(s.X)
		var begin, end Expr
		switch t := over.Type(); {
		case t.Kind == types.KindArray && over.Place() && t.Len >= 0:
			begin = c.rvalue(over)
			end = &PtrAdd{Node{T: begin.Type(), At: pos}, c.rvalue(over), &Const{Node{T: types.Long, At: pos}, Value{Bits: uint64(t.Len)}}, false}
		case t.Kind == types.KindStruct:
			if !over.Place() {
				v := c.hidden("range", over.Type(), over, &out, pos)
				over = v
			}
			begin = c.rvalue(c.methodNamed(over, "begin", pos))
			end = c.rvalue(c.methodNamed(over, "end", pos))
		default:
			c.fail(source.Errorf(s.X.Pos(), "for", "for goes over arrays, not over %s", over.Type().Unqualified()).With("write for (int i = 0; i < n; i++)"))
		}
		first := c.hidden("begin", begin.Type(), begin, &out, pos)
		last := c.hidden("end", end.Type(), end, &out, pos)
		l := &Loop{At: At{pos}, Unroll: c.unroll(s.Unroll)}
		pointers := begin.Type().IsPointer()
		if pointers {
			l.Cond = c.arithmetic("!=", c.rvalue(first), c.rvalue(last), pos)
			l.Post = c.step(first, "++", false, pos)
		} else {
			l.Cond = c.asTruth(c.iteratorCall("!=", pos, first, last))
			l.Post = c.iteratorCall("++", pos, first)
		}
		c.in(newScope(c.scope), func() {
			var elem Expr
			if pointers {
				elem = &Deref{Node{T: begin.Type().Elem, At: pos, LV: true}, c.rvalue(first)}
			} else {
				elem = c.iteratorCall("*", pos, first)
			}
			v := &Var{Name: s.Var.Name.Last().Ident, Pos: s.Var.Pos(), Storage: Auto, function: c.fn.fn}
			if hasAuto(s.Var.Type) {
				v.Type = c.deduceAuto(s.Var.Type, elem)
			} else {
				v.Type = c.typeOf(s.Var.Type)
			}
			var init Expr
			if v.Type.Kind == types.KindReference {
				init = c.bindTo(elem, v.Type, v.Name)
			} else {
				init = c.coerce(elem, v.Type, v.Name)
			}
			c.declareLocal(v)
			body := c.loopBody(s.Body)
			l.Body = &Block{At{pos}, []Stmt{&Local{At{s.Var.Pos()}, v, init}, body}}
		})
		out = append(out, l)
	})
	return []Stmt{&Block{At{pos}, out}}
}

// iteratorCall calls what for needs of a struct that begin() returns.
func (c *checker) iteratorCall(op string, pos source.Pos, args ...Expr) Expr {
	if args[0].Type().Kind == types.KindStruct {
		if e, ok := c.operatorCall(op, args, pos); ok {
			return e
		}
	}
	c.fail(source.Errorf(pos, "for", "for needs %s of what begin() returns, which is of type %s", op, args[0].Type().Unqualified()).With("write for (int i = 0; i < n; i++)"))
	return nil
}

// hidden declares a variable that the source does not name.
func (c *checker) hidden(name string, t *types.Type, init Expr, out *[]Stmt, pos source.Pos) Expr {
	v := &Var{Name: "(" + name + ")", Type: t.Unqualified(), Pos: pos, Storage: Auto, function: c.fn.fn}
	*out = append(*out, &Local{At{pos}, v, init})
	return &VarRef{Node{T: v.Type, At: pos, LV: true}, v}
}

// methodNamed calls a method without arguments.
func (c *checker) methodNamed(obj Expr, name string, pos source.Pos) Expr {
	cl := c.classOf(obj.Type().Unqualified())
	c.complete(cl, pos)
	o, ok := cl.scope.own(name, everything, nil).(*overloads)
	if !ok {
		c.fail(source.Errorf(pos, "for", "for goes over arrays, and %s has no %s()", obj.Type().Unqualified(), name).With("write for (int i = 0; i < n; i++)"))
	}
	f := c.resolve(o.list, nil, nil, obj, pos, name)
	return c.callMethod(f, obj, nil, pos)
}

func (c *checker) unroll(u *syntax.Unroll) int {
	switch {
	case u == nil:
		return 0
	case u.Not:
		return 1
	case u.N == nil:
		return -1
	}
	e := c.value(u.N)
	v, ok := c.constant(e)
	if !ok || !e.Type().Integer() {
		c.errorf(u.N.Pos(), "#pragma unroll", "#pragma unroll takes a number that is known when the kernel is compiled")
	}
	n := int64(v.Bits)
	return int(min(max(n, 1), 1<<30))
}

func (c *checker) returnStmt(s *syntax.Return) Stmt {
	r := &Return{At: At{s.Pos()}}
	fn := c.fn.fn
	if s.X == nil {
		if fn.Result == nil {
			fn.Result = types.VoidType
		}
		if fn.Result.Kind != types.KindVoid {
			c.errorf(s.Pos(), "return", "%s returns %s, and here nothing", fn.Name, fn.Result)
		}
		return r
	}
	e := c.arg(s.X)
	if fn.Result == nil {
		if _, ok := e.(*braced); ok {
			c.errorf(e.Pos(), "return", "a list says nothing of the type that auto stands for")
		}
		result := c.fn.f.decl.Result
		if c.fn.f.decl.Result == nil {
			result = &syntax.Auto{}
		}
		if e.Type().Kind == types.KindVoid {
			fn.Result = types.VoidType
		} else {
			fn.Result = c.deduceAuto(result, e)
		}
		c.fn.f.sig.result = fn.Result
		c.fn.auto = true
	} else if c.fn.auto {
		if _, ok := e.(*braced); !ok && fn.Result.Kind != types.KindReference && fn.Result.Kind != types.KindVoid {
			if got := c.decayed(e.Type()).Unqualified(); !types.Same(got, fn.Result) {
				c.errorf(s.Pos(), "return", "%s returns %s at one place and %s at another", fn.Name, fn.Result, got)
			}
		}
	}
	switch {
	case c.fn.f.decl.Constructor:
		c.errorf(s.Pos(), "return", "a constructor returns nothing")
	case fn.Result.Kind == types.KindVoid:
		if e.Type().Kind != types.KindVoid || isBraced(e) {
			c.errorf(s.Pos(), "return", "%s returns nothing: it is void", fn.Name)
		}
		r.X = e
	case fn.Result.Kind == types.KindReference:
		r.X = c.bindTo(e, fn.Result, "the result")
		if v := rootOf(r.X); v != nil && (v.Storage == Auto || v.Storage == Param) && v.Type.Kind != types.KindReference && v.function == fn {
			c.fail(source.Errorf(s.Pos(), "return", "%s is gone when the function ends: a reference to it would refer to nothing", v.Name).With("return the value"))
		}
		if _, ok := r.X.(*Temp); ok {
			c.fail(source.Errorf(s.Pos(), "return", "this value is gone when the function ends: a reference to it would refer to nothing").With("return the value"))
		}
	default:
		r.X = c.coerce(e, fn.Result, "the result")
	}
	return r
}

func isBraced(e Expr) bool {
	_, ok := e.(*braced)
	return ok
}

func (c *checker) switchStmt(s *syntax.Switch) []Stmt {
	var out []Stmt
	c.in(newScope(c.scope), func() {
		if s.Init != nil {
			out = c.statement(s.Init)
		}
		var x Expr
		if s.Decl != nil {
			local, _ := c.conditionVar(s.Decl)
			out = append(out, local)
			x = c.rvalue(c.varRef(local.Var, s.Decl.Pos()))
		} else {
			x = c.value(s.X)
		}
		if x.Type().Kind == types.KindStruct {
			if u := c.asScalar(x, "switch", s.Pos()); u != nil {
				x = c.rvalue(u)
			}
		}
		t := x.Type().Unqualified()
		if !t.Integer() && t.Kind != types.KindEnum {
			c.fail(source.Errorf(x.Pos(), "switch", "switch takes an integer, not %s", t).With("use if and else"))
		}
		if t.Kind == types.KindEnum {
			base := t.Enum.Base
			x = c.convert(x, base)
		}
		p := promoted(x.Type())
		if t.Kind != types.KindEnum {
			t = p // of a bool or char too, a case is an int
		}
		sw := &Switch{At: At{s.Pos()}, X: c.convert(x, p)}
		c.fn.breaks++
		c.in(newScope(c.scope), func() { c.groups(sw, s.Body, t, p) })
		c.fn.breaks--
		out = append(out, sw)
	})
	if len(out) == 1 {
		return out
	}
	return []Stmt{&Block{At{s.Pos()}, out}}
}

// groups reads the statements of a switch by their labels.
func (c *checker) groups(sw *Switch, body syntax.Stmt, t, p *types.Type) {
	list := []syntax.Stmt{body}
	if b, ok := body.(*syntax.Block); ok {
		list = b.List
	}
	seen := map[uint64]source.Pos{}
	hasDefault := false
	for _, s := range list {
		label, ok := s.(*syntax.Case)
		if !ok {
			if len(sw.Groups) == 0 {
				if _, ok := s.(*syntax.Empty); ok {
					continue
				}
				if d, ok := s.(*syntax.DeclStmt); ok {
					c.fail(source.Errorf(d.Pos(), "switch", "this is in front of the first case and is never reached").With("declare it in front of the switch"))
				}
				c.errorf(s.Pos(), "switch", "this is in front of the first case and is never reached")
			}
			g := &sw.Groups[len(sw.Groups)-1]
			g.List = append(g.List, c.statement(s)...)
			continue
		}
		g := Case{}
		var inner syntax.Stmt
		for {
			if label.X == nil {
				if hasDefault {
					c.errorf(label.Pos(), "default", "the switch has two defaults")
				}
				hasDefault, g.Default = true, true
			} else {
				e := c.coerce(c.expr(label.X), t, "the value of the switch")
				v, ok := c.constant(e)
				if !ok {
					c.fail(source.Errorf(label.X.Pos(), "case", "the value of a case must be known when the kernel is compiled").With("use if and else"))
				}
				bits := wrap(p, v.Bits)
				if at, dup := seen[bits]; dup {
					c.fail(source.Errorf(label.X.Pos(), "case", "the switch has two cases for this value").Note(at, "the first one"))
				}
				seen[bits] = label.X.Pos()
				g.Values = append(g.Values, bits)
			}
			inner = label.Body
			next, ok := inner.(*syntax.Case)
			if !ok {
				break
			}
			label = next
		}
		sw.Groups = append(sw.Groups, g)
		at := &sw.Groups[len(sw.Groups)-1]
		at.List = append(at.List, c.statement(inner)...)
	}
}

// ---- declarations in functions ---------------------------------------------------------

func (c *checker) localDecl(d syntax.Decl) []Stmt {
	v, ok := d.(*syntax.Var)
	if !ok {
		if f, ok := d.(*syntax.Func); ok {
			if _, known := c.scope.lookup(functionName(f), c.order).(*overloads); known {
				return nil
			}
		}
		c.declare(d)
		return nil
	}
	name := v.Name.Last().Ident
	if len(v.Name.Parts) > 1 {
		c.errorf(v.Pos(), name, "a variable of a function has a plain name")
	}
	switch {
	case v.Managed:
		c.refuse(v.Pos(), "__managed__", "use a __device__ variable outside of functions")
	case v.Extern && v.Shared:
		c.declareLocal(c.dynamicShared(v))
		return nil
	case v.Extern:
		e := c.global.names[name]
		if g, ok := e.(*Var); ok {
			c.scope.names[name] = g
			return nil
		}
		c.errorf(v.Pos(), name, "there is no variable %s outside of functions", name)
	case v.Shared:
		c.sharedLocal(v)
		return nil
	case v.Constant || v.Device && !v.Static:
		word := "__constant__"
		if v.Device {
			word = "__device__"
		}
		c.fail(source.Errorf(v.Pos(), name, "a %s variable belongs outside of functions", word).With("move its declaration in front of the function"))
	case v.Static && !v.Constexpr:
		return c.staticLocal(v)
	}
	local := &Var{Name: name, Pos: v.Pos(), Storage: Auto, function: c.fn.fn}
	var init Expr
	// The name is in sight in its own value, as in int x = sizeof(x), but nothing
	// useful can be done with it there.
	local.Type, init = c.initialised(v, c.fn.fn)
	local.Align = c.alignment(v.Align, v.AlignTypes)
	t := local.Type
	if t.Kind == types.KindArray && t.Len < 0 {
		c.fail(source.Errorf(v.Pos(), name, "the length of the array %s is missing", name).With("write it in the brackets, or list the elements"))
	}
	c.requireComplete(t.Referred(), v.Pos(), "variable "+name)
	if t.Size() > 1<<19 {
		c.fail(source.Errorf(v.Pos(), name, "%s has %d bytes: a thread has 524288 bytes of local memory", name, t.Size()).With("use memory that the kernel is given"))
	}
	if init == nil && t.IsConst() && t.Innermost().Kind != types.KindStruct {
		c.errorf(v.Pos(), name, "the constant %s has no value", name)
	}
	c.destroyed(t, v.Pos())
	if t.IsConst() && init != nil && t.Kind != types.KindReference {
		if value, ok := c.constant(init); ok {
			if v.Constexpr || t.IsScalar() {
				local.value = &value
			}
		} else if v.Constexpr {
			c.errorf(init.Pos(), name, "the value of the constexpr %s is not known when the kernel is compiled", name)
		}
	}
	c.declareLocal(local)
	return []Stmt{&Local{At{v.Pos()}, local, init}}
}

// destroyed fails for a variable whose destructor has something to do.
func (c *checker) destroyed(t *types.Type, pos source.Pos) {
	cl := c.classOf(t.Innermost())
	if cl == nil || t.Kind == types.KindReference {
		return
	}
	if d := cl.destructor; d != nil && !d.decl.Default {
		body := d.decl.Body
		if d.defined != nil {
			body = d.defined.Body
		}
		if body == nil || len(body.List) > 0 {
			c.fail(source.Errorf(pos, "destructor", "the destructor of %s: not supported", cl.typ).With("call a method at the end of the block").Note(d.pos, "the destructor"))
		}
	}
	for _, f := range cl.typ.Struct.Fields {
		if f.Type.Kind != types.KindReference {
			c.destroyed(f.Type, pos)
		}
	}
}

func (c *checker) declareLocal(v *Var) {
	if old := c.scope.names[v.Name]; old != nil {
		if o, ok := old.(*Var); ok {
			c.fail(source.Errorf(v.Pos, v.Name, "%s is declared twice", v.Name).Note(o.Pos, "the first time"))
		}
	}
	c.scope.names[v.Name] = v
}

func (c *checker) sharedLocal(d *syntax.Var) {
	name := d.Name.Last().Ident
	t := c.typeOf(d.Type)
	if d.Init != nil || d.Paren {
		c.fail(source.Errorf(d.Pos(), name, "a __shared__ variable cannot have an initial value: every thread of the block would set it").With("let one thread set it, and call __syncthreads()"))
	}
	if t.Kind == types.KindReference {
		c.errorf(d.Pos(), name, "a __shared__ variable cannot be a reference")
	}
	if t.Kind == types.KindArray && t.Len < 0 {
		c.fail(source.Errorf(d.Pos(), name, "the length of the __shared__ array %s is missing", name).With("write extern __shared__ for an array whose size the launch gives"))
	}
	c.requireComplete(t, d.Pos(), "variable "+name)
	if cl := c.classOf(t.Innermost()); cl != nil && (c.setsMembers(cl) || len(cl.constructors) > 0 && !trivial(cl)) {
		c.fail(source.Errorf(d.Pos(), name, "a __shared__ variable cannot have a constructor: every thread of the block would run it").With("give %s() = default; to %s", cl.name, cl.typ))
	}
	v := &Var{Name: name, Type: t, Pos: d.Pos(), Storage: Shared, Align: c.alignment(d.Align, d.AlignTypes), function: c.fn.fn}
	c.declareLocal(v)
}

// staticLocal is a variable that keeps its value: it is in device memory.
func (c *checker) staticLocal(d *syntax.Var) []Stmt {
	name := d.Name.Last().Ident
	v := &Var{Name: name, Pos: d.Pos(), Storage: Global, function: c.fn.fn}
	c.globalVar(d, v)
	c.declareLocal(v)
	return nil
}

// ---- assembly --------------------------------------------------------------------------

// machineRegisters are the registers that assembly may read.
var machineRegisters = map[string]*types.Type{
	"laneid": types.UInt, "warpid": types.UInt, "smid": nil, "tid.x": types.UInt, "tid.y": types.UInt, "tid.z": types.UInt, "ntid.x": types.UInt, "ntid.y": types.UInt, "ntid.z": types.UInt,
	"ctaid.x": types.UInt, "ctaid.y": types.UInt, "ctaid.z": types.UInt, "nctaid.x": types.UInt, "nctaid.y": types.UInt, "nctaid.z": types.UInt,
	"lanemask_eq": types.UInt, "lanemask_lt": types.UInt, "lanemask_le": types.UInt, "lanemask_gt": types.UInt, "lanemask_ge": types.UInt,
	"clock": types.UInt, "clock64": types.ULongLong, "globaltimer": types.ULongLong, "dynamic_smem_size": types.UInt,
}

// asm takes assembly that reads a register of the machine, and no other.
func (c *checker) asm(s *syntax.Asm) []Stmt {
	text := strings.Join(strings.Fields(strings.TrimSuffix(strings.TrimSpace(s.Text), ";")), " ")
	text = strings.ReplaceAll(text, ";", "")
	word, rest, _ := strings.Cut(text, " ")
	if text == "" && len(s.Outputs) == 0 {
		return nil // a barrier for the compiler alone
	}
	if strings.HasPrefix(word, "mov.") && len(s.Outputs) == 1 && len(s.Inputs) == 0 {
		to, from, ok := strings.Cut(rest, ",")
		name := strings.TrimLeft(strings.TrimSpace(from), "%")
		if t := machineRegisters[name]; ok && strings.TrimSpace(to) == "%0" && t != nil {
			e := c.expr(s.Outputs[0].X)
			return []Stmt{&Eval{At{s.Pos()}, c.assignTo(e, &Register{Node{T: t, At: s.Pos()}, name}, s.Pos())}}
		}
	}
	instead := "write it in CUDA C"
	switch {
	case strings.HasPrefix(word, "cp.async"):
		instead = "copy with an assignment, and wait with __syncthreads()"
	case strings.HasPrefix(word, "mma"), strings.HasPrefix(word, "wmma"), strings.HasPrefix(word, "ldmatrix"):
		instead = "matrix instructions are not supported: write the product with fmaf"
	case strings.HasPrefix(word, "bar"), strings.HasPrefix(word, "barrier"):
		instead = "use __syncthreads() or __syncwarp()"
	case strings.HasPrefix(word, "membar"), strings.HasPrefix(word, "fence"):
		instead = "use __threadfence() or __threadfence_block()"
	case strings.HasPrefix(word, "ld"), strings.HasPrefix(word, "st"):
		instead = "read and write through a pointer"
	case strings.HasPrefix(word, "cvt"):
		instead = "use a cast, or a function such as __float2half_rn"
	case strings.HasPrefix(word, "fma"):
		instead = "use fmaf or fma"
	case strings.HasPrefix(word, "shfl"):
		instead = "use __shfl_sync and its like"
	case strings.HasPrefix(word, "atom"), strings.HasPrefix(word, "red"):
		instead = "use atomicAdd and its like"
	}
	name := word
	if len(name) > 30 {
		name = name[:30]
	}
	c.refuse(s.Pos(), "assembly "+name, instead)
	return nil
}
