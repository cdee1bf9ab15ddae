package lower

import (
	"workbench/engine/simt/check"
	"workbench/engine/simt/types"
)

// facts are what is found out of a function before it is lowered.
type facts struct {
	memory   map[*check.Var]bool // variables that must be in memory
	assigned map[*check.Var]bool // variables that are changed after they are declared
	unrolled map[*check.Loop]int // loops that are written out, and how often they go round
	writes   bool                // through references or pointers, or by a call that may
	returns  int
	last     bool // its one return is its last statement
	size     int  // of its tree, about
}

// factsOf returns what is known of a function. While it is being found out, which
// only happens for one that calls itself, nothing is: nil.
func (l *lowerer) factsOf(fn *check.Func) *facts {
	if fn.Refused != nil {
		l.fail(fn.Refused)
	}
	if f, ok := l.facts[fn]; ok {
		return f
	}
	l.facts[fn] = nil
	f := &facts{memory: map[*check.Var]bool{}, assigned: map[*check.Var]bool{}, unrolled: map[*check.Loop]int{}}
	s := &study{l: l, fn: fn, f: f, constants: map[*check.Var]bool{}}
	if fn.Body != nil {
		s.changes(fn.Body)
		s.stmt(fn.Body)
		s.spread()
		if n := len(fn.Body.List); n > 0 && f.returns == 1 {
			_, f.last = fn.Body.List[n-1].(*check.Return)
		}
	}
	for _, p := range fn.Params {
		if p.Type.Kind != types.KindReference && s.needsMemory(p) {
			f.memory[p] = true
		}
	}
	l.facts[fn] = f
	return f
}

// recursive reports whether a function calls itself, by whatever way.
func (l *lowerer) recursive(fn *check.Func) bool {
	if yes, ok := l.cyclic[fn]; ok {
		return yes
	}
	seen := map[*check.Func]bool{}
	var reaches func(f *check.Func) bool
	reaches = func(f *check.Func) bool {
		for _, called := range l.callsOf(f) {
			if called == fn {
				return true
			}
			if !seen[called] {
				seen[called] = true
				if reaches(called) {
					return true
				}
			}
		}
		return false
	}
	yes := reaches(fn)
	l.cyclic[fn] = yes
	return yes
}

// callsOf returns the functions that a function calls.
func (l *lowerer) callsOf(fn *check.Func) []*check.Func {
	if list, ok := l.calls[fn]; ok {
		return list
	}
	var list []*check.Func
	if fn.Body != nil {
		known := map[*check.Func]bool{}
		check.Walk(fn.Body, func(e check.Expr) {
			var f *check.Func
			switch e := e.(type) {
			case *check.Call:
				f = e.Func
			case *check.Made:
				f = e.Func
			}
			if f != nil && f.Intrinsic == "" && !known[f] {
				known[f] = true
				list = append(list, f)
			}
		})
	}
	if l.calls == nil {
		l.calls = map[*check.Func][]*check.Func{}
	}
	l.calls[fn] = list
	return list
}

// written reports whether a call of fn is written out.
func (l *lowerer) written(fn *check.Func) bool {
	return fn.Intrinsic == "" && !fn.NoInline && !l.recursive(fn)
}

// A study finds the facts of one function.
type study struct {
	l         *lowerer
	fn        *check.Func
	f         *facts
	constants map[*check.Var]bool // variables of loops that are written out
	aliases   []alias
}

// An alias is a reference and the variable that it refers to.
type alias struct{ ref, to *check.Var }

// needsMemory reports whether a variable of that type cannot be registers.
func (s *study) needsMemory(v *check.Var) bool {
	t := v.Type
	return t.IsVolatile() || !s.l.shapeOf(t).fits
}

// spread takes what is known of references to what they refer to.
func (s *study) spread() {
	for changed := true; changed; {
		changed = false
		for _, a := range s.aliases {
			if s.f.memory[a.ref] && !s.f.memory[a.to] {
				s.f.memory[a.to], changed = true, true
			}
			if s.f.assigned[a.ref] && !s.f.assigned[a.to] {
				s.f.assigned[a.to], changed = true, true
			}
		}
	}
}

// changes notes which variables are assigned to anywhere: loops ask for that
// before the rest is looked at.
func (s *study) changes(body check.Stmt) {
	check.Walk(body, func(e check.Expr) {
		s.f.size++
		switch e := e.(type) {
		case *check.Assign:
			s.change(e.X)
		case *check.OpAssign:
			s.change(e.X)
		case *check.Step:
			s.change(e.X)
		case *check.AddrOf:
			s.change(e.X)
		case *check.Decay:
			s.change(e.X)
		case *check.Call:
			if e.This != nil {
				s.change(e.This)
			}
			for i, a := range e.Args {
				if i < len(e.Func.Params) && e.Func.Params[i].Type.Kind == types.KindReference {
					s.change(a)
				}
			}
		case *check.Made:
			for i, a := range e.Args {
				if i < len(e.Func.Params) && e.Func.Params[i].Type.Kind == types.KindReference {
					s.change(a)
				}
			}
		}
	})
}

func (s *study) change(e check.Expr) {
	v := rootVar(e)
	if v != nil {
		s.f.assigned[v] = true
	}
	if v == nil || v.Type.Kind == types.KindReference {
		s.f.writes = true
	}
}

// rootVar returns the variable that a place is in, or nil if that is elsewhere.
func rootVar(e check.Expr) *check.Var {
	for {
		switch x := e.(type) {
		case *check.VarRef:
			return x.Var
		case *check.Field:
			e = x.X
		case *check.Index:
			e = x.X
		default:
			return nil
		}
	}
}

// pin puts what a place is in into memory.
func (s *study) pin(e check.Expr) {
	switch x := e.(type) {
	case *check.VarRef:
		s.f.memory[x.Var] = true
	case *check.Field:
		s.pin(x.X)
	case *check.Index:
		s.pin(x.X)
	case *check.Cond:
		s.pin(x.X)
		s.pin(x.Y)
	case *check.Comma:
		s.pin(x.Y)
	case *check.Assign:
		s.pin(x.X)
	case *check.OpAssign:
		s.pin(x.X)
	case *check.Step:
		s.pin(x.X)
	case *check.Call:
		// A reference that a call returns may be to one of its arguments.
		if x.This != nil {
			s.pin(x.This)
		}
		for i, a := range x.Args {
			if i < len(x.Func.Params) && x.Func.Params[i].Type.Kind == types.KindReference {
				s.pin(a)
			}
		}
	}
}

// handed looks at a place that is handed over as a reference.
func (s *study) handed(e check.Expr, fn *check.Func, param *check.Var) {
	known := s.l.written(fn)
	var f *facts
	if known {
		f = s.l.factsOf(fn)
	}
	if f == nil || f.memory[param] {
		s.pin(e)
	}
	if f == nil || f.assigned[param] {
		s.f.writes = s.f.writes || rootVar(e) == nil || rootVar(e).Type.Kind == types.KindReference
	}
}

func (s *study) stmt(x check.Stmt) {
	switch x := x.(type) {
	case *check.Block:
		for _, y := range x.List {
			s.stmt(y)
		}
	case *check.Local:
		s.local(x)
	case *check.Eval:
		s.expr(x.X)
	case *check.If:
		s.expr(x.Cond)
		s.stmt(x.Then)
		if x.Else != nil {
			s.stmt(x.Else)
		}
	case *check.Loop:
		s.loop(x)
	case *check.Switch:
		s.expr(x.X)
		for _, g := range x.Groups {
			for _, y := range g.List {
				s.stmt(y)
			}
		}
	case *check.Return:
		s.f.returns++
		if x.X == nil {
			return
		}
		s.expr(x.X)
		if x.X.Place() && s.fn.Result.Kind == types.KindReference && !s.simple() {
			s.pin(x.X)
		}
	}
}

// simple reports whether a function is nothing but a return: then a reference that
// it returns is a place.
func (s *study) simple() bool { return simple(s.fn) }

func simple(fn *check.Func) bool {
	if fn.Body == nil || len(fn.Body.List) != 1 {
		return false
	}
	_, ok := fn.Body.List[0].(*check.Return)
	return ok
}

func (s *study) local(x *check.Local) {
	v := x.Var
	if v.Type.Kind == types.KindReference {
		s.expr(x.Init)
		if root := rootVar(x.Init); root != nil {
			s.aliases = append(s.aliases, alias{v, root})
		} else {
			s.pinTemp(x.Init)
		}
		return
	}
	if s.needsMemory(v) {
		s.f.memory[v] = true
	}
	if x.Init != nil {
		s.expr(x.Init)
	}
}

// pinTemp puts what a reference refers to into memory where no variable is named.
func (s *study) pinTemp(e check.Expr) {
	switch x := e.(type) {
	case *check.Temp, *check.Deref:
	default:
		s.pin(x)
	}
}

func (s *study) loop(x *check.Loop) {
	if x.Init != nil {
		s.stmt(x.Init)
	}
	v, n := s.rounds(x)
	if n > 0 {
		s.f.unrolled[x] = n
		s.constants[v] = true
		defer delete(s.constants, v)
	}
	if x.CondInit != nil {
		s.local(x.CondInit)
	}
	if x.Cond != nil {
		s.expr(x.Cond)
	}
	s.stmt(x.Body)
	if x.Post != nil {
		s.expr(x.Post)
	}
}

// constant reports whether an index is known once the loops that are written out
// are.
func (s *study) constant(e check.Expr) bool {
	switch e := e.(type) {
	case *check.Const:
		return true
	case *check.Load:
		v, ok := e.X.(*check.VarRef)
		return ok && s.constants[v.Var]
	case *check.Convert:
		return s.constant(e.X)
	case *check.Unary:
		return s.constant(e.X)
	case *check.Binary:
		return s.constant(e.X) && s.constant(e.Y)
	}
	return false
}

func (s *study) expr(e check.Expr) {
	switch e := e.(type) {
	case nil, *check.Const, *check.Text, *check.VarRef, *check.Zero, *check.Undef, *check.Register:
	case *check.Field:
		s.expr(e.X)
	case *check.Index:
		s.expr(e.X)
		s.expr(e.I)
		if !s.constant(e.I) {
			s.pin(e.X)
		}
	case *check.Deref:
		s.expr(e.X)
	case *check.Temp:
		s.expr(e.X)
	case *check.Load:
		s.loaded(e.X)
	case *check.AddrOf:
		s.expr(e.X)
		s.pin(e.X)
	case *check.Decay:
		s.expr(e.X)
		s.pin(e.X)
	case *check.Convert:
		s.expr(e.X)
	case *check.Unary:
		s.expr(e.X)
	case *check.Binary:
		s.expr(e.X)
		s.expr(e.Y)
	case *check.Compare:
		s.expr(e.X)
		s.expr(e.Y)
	case *check.Logical:
		s.expr(e.X)
		s.expr(e.Y)
	case *check.PtrAdd:
		s.expr(e.X)
		s.expr(e.I)
	case *check.PtrDiff:
		s.expr(e.X)
		s.expr(e.Y)
	case *check.Cond:
		s.expr(e.If)
		s.expr(e.X)
		s.expr(e.Y)
		if e.Place() {
			s.pin(e)
		}
	case *check.Comma:
		s.expr(e.X)
		s.expr(e.Y)
	case *check.Assign:
		s.expr(e.Y)
		s.expr(e.X)
	case *check.OpAssign:
		s.expr(e.Y)
		s.expr(e.X)
	case *check.Step:
		s.expr(e.X)
	case *check.Call:
		s.call(e)
	case *check.Made:
		for i, a := range e.Args {
			s.argument(e.Func, i, a)
		}
	case *check.Group:
		for _, p := range e.Parts {
			if p != nil {
				s.expr(p)
			}
		}
	case *check.Printf:
		for _, a := range e.Args {
			s.expr(a)
		}
	case *check.Assert:
		s.expr(e.Cond)
	}
}

// loaded looks at a place of which only the value is wanted.
func (s *study) loaded(e check.Expr) {
	if c, ok := e.(*check.Cond); ok && c.Place() {
		s.expr(c.If)
		s.loaded(c.X)
		s.loaded(c.Y)
		return
	}
	s.expr(e)
}

func (s *study) call(e *check.Call) {
	if e.This != nil {
		s.expr(e.This)
		if e.Func.This != nil {
			s.handed(e.This, e.Func, e.Func.This)
		}
	}
	for i, a := range e.Args {
		s.argument(e.Func, i, a)
	}
	if e.Func.Intrinsic == "" {
		if f := s.l.factsOf(e.Func); f == nil || f.writes || !s.l.written(e.Func) {
			s.f.writes = true
		}
	}
}

func (s *study) argument(fn *check.Func, i int, a check.Expr) {
	if fn.Intrinsic != "" {
		// What the function writes through a pointer need not be in memory for it.
		if p, ok := a.(*check.AddrOf); ok && writesThrough(fn, i) {
			s.expr(p.X)
			return
		}
	}
	s.expr(a)
	if i < len(fn.Params) && fn.Params[i].Type.Kind == types.KindReference {
		s.handed(a, fn, fn.Params[i])
	}
}

// writesThrough reports whether parameter i of an intrinsic is where it puts a
// result.
func writesThrough(fn *check.Func, i int) bool {
	if !fn.Params[i].Type.IsPointer() {
		return false
	}
	return len(fn.Intrinsic) > 5 && fn.Intrinsic[:5] == "math." || fn.Intrinsic == "match.all"
}
