package lower

import (
	"workbench/engine/simt/check"
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

func (w *writer) block(b *check.Block) {
	w.scoped(func() {
		for _, s := range b.List {
			w.stmt(s)
		}
	})
}

// begins marks the beginning of a statement of the source. What a built-in header
// does is part of the statement that calls it.
func (w *writer) begins(s check.Stmt) {
	w.mark(s.Pos())
	if !w.at.IsValid() && s.Pos().IsValid() && !s.Pos().File.BuiltIn {
		w.emit(&code.Stmt{At: w.b.At(), Scope: w.frame.scope})
	}
}

func (w *writer) stmt(s check.Stmt) {
	switch s := s.(type) {
	case *check.Block:
		w.block(s)
	case *check.Local:
		w.declare(s)
	case *check.Eval:
		w.begins(s)
		w.discard(s.X)
	case *check.If:
		w.ifStmt(s)
	case *check.Loop:
		w.scoped(func() { w.loop(s) })
	case *check.Switch:
		w.scoped(func() { w.switchStmt(s) })
	case *check.Break:
		w.begins(s)
		w.leaveTo(func(c control) bool {
			return c.kind == loopControl || c.kind == switchControl || c.kind == unrolledRegion
		})
	case *check.Continue:
		w.begins(s)
		w.next()
	case *check.Return:
		w.returnStmt(s)
	}
}

// leaveTo breaks out of the innermost construct of the function that fits.
func (w *writer) leaveTo(fits func(c control) bool) {
	for i := len(w.control) - 1; i >= 0; i-- {
		if c := w.control[i]; c.frame == w.frame && fits(c) {
			w.emit(&code.Break{At: w.b.At(), Depth: len(w.control) - 1 - i})
			return
		}
	}
	panic("BUG: there is nothing to leave")
}

// next goes on with the innermost loop.
func (w *writer) next() {
	for i := len(w.control) - 1; i >= 0; i-- {
		c := w.control[i]
		if c.frame != w.frame {
			continue
		}
		depth := len(w.control) - 1 - i
		switch c.kind {
		case loopControl:
			w.emit(&code.Continue{At: w.b.At(), Depth: depth})
			return
		case iterationRegion:
			w.emit(&code.Break{At: w.b.At(), Depth: depth})
			return
		}
	}
	panic("BUG: there is no loop to go on with")
}

// within runs write inside a construct that can be left.
func (w *writer) within(kind controlKind, write func()) {
	w.control = append(w.control, control{kind, w.frame})
	write()
	w.control = w.control[:len(w.control)-1]
}

func (w *writer) declare(s *check.Local) {
	v := s.Var
	w.begins(s)
	t := v.Type
	if t.Kind == types.KindReference {
		p := w.place(s.Init)
		if w.frame.facts.memory[v] && !p.memory {
			p = w.spilled(p)
		}
		w.frame.places[v] = w.stable(p)
		w.declared(v, w.frame.places[v], true)
		return
	}
	if v.Value() != nil {
		if !w.hidden() {
			w.declared(v, w.constantPlace(v, t), true)
		}
		return // where it is named, its value is known
	}
	if w.frame.facts.memory[v] || !w.l.shapeOf(t).fits {
		p := w.local(v.Name, t, v.Align)
		p.volatile = t.IsVolatile()
		w.begin(p)
		w.frame.places[v] = p
		w.declared(v, p, true)
		if s.Init != nil {
			w.initialise(p, s.Init)
		}
		return
	}
	if s.Init == nil {
		p := w.variable(v, t, nil)
		w.frame.places[v] = p
		w.undefine(p)
		w.declared(v, p, false)
		return
	}
	if m, ok := s.Init.(*check.Made); ok {
		f := w.l.factsOf(m.Func)
		if f != nil && w.l.written(m.Func) && !f.memory[m.Func.This] {
			p := w.variable(v, t, nil)
			w.declared(v, p, false)
			w.construct(m, p)
			w.frame.places[v] = p
			return
		}
	}
	x := w.value(s.Init)
	w.mark(s.Where)
	if !w.frame.facts.assigned[v] {
		// It stays what it is: if that is a temporary, it is the variable.
		if p := w.adopted(v, x); p != nil {
			w.frame.places[v] = p
			w.declared(v, p, true)
			return
		}
	}
	w.frame.places[v] = w.variable(v, t, x.leaves)
	w.declared(v, w.frame.places[v], true)
}

// adopted gives temporaries the name of a variable that does not change; nil if
// one of them is another variable.
func (w *writer) adopted(v *check.Var, x *value) *place {
	for i, leaf := range x.leaves {
		if leaf.Reg == 0 {
			continue
		}
		r := &w.f.Regs[leaf.Reg]
		if w.named[leaf.Reg] {
			return nil
		}
		for _, other := range x.leaves[:i] {
			if other.Reg == leaf.Reg {
				return nil
			}
		}
		if r.Name == "" && !w.shared(leaf) {
			r.Name = w.leafOf(v.Name, v.Type, i)
		}
	}
	return &place{t: v.Type, vals: x.leaves}
}

// shared reports whether a register is one of those computed once.
func (w *writer) shared(x code.Value) bool {
	for _, v := range w.specials {
		if v == x {
			return true
		}
	}
	for _, v := range w.addrs {
		if v == x {
			return true
		}
	}
	return false
}

func (w *writer) ifStmt(s *check.If) {
	w.begins(s)
	c := w.scalar(s.Cond)
	if c.Reg == 0 {
		switch {
		case c.Bits != 0:
			w.stmt(s.Then)
		case s.Else != nil:
			w.stmt(s.Else)
		}
		return
	}
	w.mark(s.Where)
	i := &code.If{At: w.b.At(), Cond: c}
	i.Then = w.b.Block(func() { w.stmt(s.Then) })
	if s.Else != nil {
		i.Else = w.b.Block(func() { w.stmt(s.Else) })
	}
	w.emit(i)
}

func (w *writer) loop(s *check.Loop) {
	if n, ok := w.frame.facts.unrolled[s]; ok {
		w.unroll(s, n)
		return
	}
	if s.Init != nil {
		w.stmt(s.Init)
	}
	w.mark(s.Where)
	l := &code.Loop{At: w.b.At(), Test: code.True}
	cond := func() code.Value {
		w.begins(s)
		if s.CondInit != nil {
			w.declare(s.CondInit)
		}
		c := w.scalar(s.Cond)
		w.mark(s.Where)
		return c
	}
	w.within(loopControl, func() {
		if s.Cond != nil && !s.Until {
			l.Cond = w.b.Block(func() { l.Test = cond() })
		} else if s.Cond == nil {
			l.Cond = w.b.Block(func() { w.begins(s) })
		}
		l.Body = w.b.Block(func() { w.stmt(s.Body) })
		l.Step = w.b.Block(func() {
			if s.Post != nil {
				w.mark(s.Post.Pos())
				w.discard(s.Post)
			}
			if s.Until && s.Cond != nil {
				c := cond()
				if c.Reg == 0 && c.Bits != 0 {
					return
				}
				w.emit(&code.If{At: w.b.At(), Cond: c, Else: code.Block{&code.Break{At: w.b.At()}}})
			}
		})
	})
	w.mark(s.Where)
	w.emit(l)
}

// unroll writes a loop out that goes round n times.
func (w *writer) unroll(s *check.Loop, n int) {
	v := s.Init.(*check.Local).Var
	value := s.Init.(*check.Local).Init.(*check.Const).Value
	w.begins(s)
	breaks, continues := leaves(s.Body)
	body := func() {
		scope := w.frame.scope
		for range n {
			w.frame.scope = scope
			w.declared(v, &place{t: v.Type, vals: []code.Value{{Bits: check.Bits(v.Type, value)}}}, true)
			w.begins(s)
			w.frame.known[v] = value
			if continues {
				r := &code.Region{At: w.b.At()}
				r.Body = w.b.Block(func() { w.within(iterationRegion, func() { w.stmt(s.Body) }) })
				w.emit(r)
			} else {
				w.stmt(s.Body)
			}
			value, _ = stepped(s.Post, v, value)
		}
		delete(w.frame.known, v)
	}
	if !breaks {
		body()
		return
	}
	r := &code.Region{At: w.b.At()}
	r.Body = w.b.Block(func() { w.within(unrolledRegion, body) })
	w.emit(r)
}

// leaves reports whether a loop's body has a break or a continue of its own.
func leaves(s check.Stmt) (breaks, continues bool) {
	var visit func(s check.Stmt, inSwitch bool)
	visit = func(s check.Stmt, inSwitch bool) {
		switch s := s.(type) {
		case *check.Block:
			for _, x := range s.List {
				visit(x, inSwitch)
			}
		case *check.If:
			visit(s.Then, inSwitch)
			if s.Else != nil {
				visit(s.Else, inSwitch)
			}
		case *check.Switch:
			for _, g := range s.Groups {
				for _, x := range g.List {
					visit(x, true)
				}
			}
		case *check.Break:
			breaks = breaks || !inSwitch
		case *check.Continue:
			continues = true
		}
	}
	visit(s, false)
	return breaks, continues
}

// switchStmt is a region that break leaves. Lanes that are in a group fall through
// to the next one.
func (w *writer) switchStmt(s *check.Switch) {
	w.begins(s)
	x := w.scalar(s.X)
	t := s.X.Type()
	if x.Reg == 0 {
		w.knownSwitch(s, x.Bits)
		return
	}
	x = w.fixed(x, t.Scalar())
	w.mark(s.Where)
	is := func(v uint64) code.Value { return w.compare("==", t, x, code.Value{Bits: v}) }
	or := func(a, b code.Value) code.Value {
		dst := w.temp(types.Pred)
		w.emit(&code.Binary{At: w.b.At(), Op: code.Or, Type: types.Pred, Dst: dst, X: a, Y: b})
		return code.R(dst)
	}
	r := &code.Region{At: w.b.At()}
	r.Body = w.b.Block(func() {
		w.within(switchControl, func() {
			on := w.temp(types.Pred)
			fallen := false // whether lanes may come from the group before
			for i, g := range s.Groups {
				w.mark(s.Where)
				last := i == len(s.Groups)-1
				if g.Default && last {
					w.list(g.List)
					break
				}
				var match code.Value
				for k, v := range g.Values {
					m := is(v)
					if k > 0 {
						m = or(match, m)
					}
					match = m
				}
				if g.Default {
					// Those that no other group takes.
					var any code.Value
					first := true
					for _, other := range s.Groups {
						if other.Default {
							continue
						}
						for _, v := range other.Values {
							m := is(v)
							if !first {
								m = or(any, m)
							}
							any, first = m, false
						}
					}
					none := code.True
					if !first {
						none = w.b.Unary(code.Not, types.Pred, any)
					}
					if len(g.Values) > 0 {
						none = or(match, none)
					}
					match = none
				}
				if fallen {
					match = or(code.R(on), match)
				}
				leaves := ends(g.List)
				if !leaves && !last {
					w.emit(&code.Move{At: w.b.At(), Dst: on, X: match})
					match = code.R(on)
				}
				in := &code.If{At: w.b.At(), Cond: match}
				in.Then = w.b.Block(func() { w.list(g.List) })
				w.emit(in)
				fallen = !leaves
			}
		})
	})
	w.emit(r)
}

func (w *writer) list(list []check.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

// ends reports whether control does not come to the end of a list.
func ends(list []check.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *check.Break, *check.Continue, *check.Return:
		return true
	case *check.Block:
		return ends(s.List)
	case *check.If:
		return s.Else != nil && ends([]check.Stmt{s.Then}) && ends([]check.Stmt{s.Else})
	}
	return false
}

// knownSwitch is a switch over a constant.
func (w *writer) knownSwitch(s *check.Switch, x uint64) {
	start := -1
	for i, g := range s.Groups {
		for _, v := range g.Values {
			if v == x {
				start = i
			}
		}
	}
	for i, g := range s.Groups {
		if start < 0 && g.Default {
			start = i
		}
	}
	if start < 0 {
		return
	}
	r := &code.Region{At: w.b.At()}
	r.Body = w.b.Block(func() {
		w.within(switchControl, func() {
			for _, g := range s.Groups[start:] {
				w.list(g.List)
				if ends(g.List) {
					break
				}
			}
		})
	})
	w.emit(r)
}

func (w *writer) returnStmt(s *check.Return) {
	w.begins(s)
	f := w.frame
	result := f.fn.Result
	var values []code.Value
	switch {
	case s.X == nil:
	case result.Kind == types.KindVoid:
		w.discard(s.X)
	case result.Kind == types.KindReference:
		p := w.place(s.X)
		if !f.top && f.region < 0 {
			f.ref = w.stable(p)
			return
		}
		w.mark(s.Where)
		values = []code.Value{w.pointer(p)}
	case f.result != nil:
		w.initialise(f.result, s.X)
	default:
		v := w.value(s.X)
		if !f.top && f.region < 0 {
			f.value = v
			return
		}
		values = v.leaves
	}
	w.mark(s.Where)
	if f.top {
		if f.fn.Kernel {
			values = nil
		}
		w.emit(&code.Return{At: w.b.At(), Values: values})
		return
	}
	if f.region < 0 {
		return // the end of the function
	}
	if len(values) > 0 {
		w.moves(f.results, values)
	}
	w.leaveTo(func(c control) bool { return c.kind == returnRegion })
}
