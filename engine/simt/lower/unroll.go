package lower

import (
	"workbench/engine/simt/check"
	"workbench/engine/simt/types"
)

// How large a loop may become when it is written out, as nodes of its tree: where
// the source asks for it with #pragma unroll, and where it does not.
const (
	mostAsked  = 40000
	mostRounds = 1024
	mostPlain  = 3000
	fewRounds  = 32
)

// rounds returns the variable of a loop that is written out and how often it goes
// round; 0 for any other loop. Such a loop counts a variable of its own, which
// its body does not change, from a constant to a constant.
func (s *study) rounds(x *check.Loop) (*check.Var, int) {
	if x.Unroll == 1 || x.Until || x.CondInit != nil || x.Cond == nil || x.Post == nil {
		return nil, 0
	}
	init, ok := x.Init.(*check.Local)
	if !ok || init.Init == nil || !init.Var.Type.Integer() || init.Var.Type.IsVolatile() {
		return nil, 0
	}
	v := init.Var
	start, ok := init.Init.(*check.Const)
	if !ok || s.changedIn(x.Body, v) || s.changedInExpr(x.Cond, v) {
		return nil, 0
	}
	limit := fewRounds
	if x.Unroll != 0 {
		limit = mostRounds
	}
	// It is run for the variable alone.
	value := start.Value
	n := 0
	for {
		again, ok := known(x.Cond, v, value)
		if !ok {
			return nil, 0
		}
		if again.Bits == 0 {
			break
		}
		if n++; n > limit {
			return nil, 0
		}
		if value, ok = stepped(x.Post, v, value); !ok {
			return nil, 0
		}
	}
	if x.Unroll > 1 && x.Unroll < n {
		return nil, 0 // in parts, which changes nothing that can be seen
	}
	size := s.l.bodySize(x.Body) * max(n, 1)
	if x.Unroll == 0 && size > mostPlain || size > mostAsked {
		return nil, 0
	}
	if s.l.nested(x.Body)*max(n, 1) > mostAsked {
		return nil, 0
	}
	if n == 0 {
		return nil, 0
	}
	return v, n
}

// bodySize returns how large a statement is, with the functions that it calls.
func (l *lowerer) bodySize(s check.Stmt) int {
	n := 0
	check.Walk(s, func(e check.Expr) {
		n++
		switch e := e.(type) {
		case *check.Call:
			n += l.sizeOf(e.Func)
		case *check.Made:
			n += l.sizeOf(e.Func)
		}
	})
	return min(n, 1<<24)
}

func (l *lowerer) sizeOf(fn *check.Func) int {
	if n, ok := l.sizes[fn]; ok {
		return n
	}
	l.sizes[fn] = 0 // for what calls itself
	n := 0
	if fn.Body != nil {
		n = l.bodySize(fn.Body)
	}
	l.sizes[fn] = n
	return n
}

// nested returns about how large the loops in a body become if they are all
// written out.
func (l *lowerer) nested(body check.Stmt) int {
	total := 0
	var visit func(s check.Stmt, times int)
	visit = func(s check.Stmt, times int) {
		switch s := s.(type) {
		case *check.Block:
			for _, x := range s.List {
				visit(x, times)
			}
		case *check.If:
			visit(s.Then, times)
			if s.Else != nil {
				visit(s.Else, times)
			}
		case *check.Switch:
			for _, g := range s.Groups {
				for _, x := range g.List {
					visit(x, times)
				}
			}
		case *check.Loop:
			visit(s.Body, min(times*guess(s), 1<<24))
		default:
			total += times * l.bodySize(s)
		}
	}
	visit(body, 1)
	return total
}

// guess is how often a loop goes round if it is written out, 1 if it is not.
func guess(x *check.Loop) int {
	init, ok := x.Init.(*check.Local)
	if !ok || x.Unroll == 1 || x.Cond == nil || x.Post == nil || x.Until {
		return 1
	}
	start, ok := init.Init.(*check.Const)
	if !ok {
		return 1
	}
	value := start.Value
	for n := 0; n <= mostRounds; n++ {
		again, ok := known(x.Cond, init.Var, value)
		if !ok {
			return 1
		}
		if again.Bits == 0 {
			return max(n, 1)
		}
		if value, ok = stepped(x.Post, init.Var, value); !ok {
			return 1
		}
	}
	return 1
}

// changedIn reports whether a statement may change a variable.
func (s *study) changedIn(body check.Stmt, v *check.Var) bool {
	yes := false
	check.Walk(body, func(e check.Expr) { yes = yes || changes(e, v) })
	// A reference to it could be what changes.
	var refs func(x check.Stmt)
	refs = func(x check.Stmt) {
		switch x := x.(type) {
		case *check.Block:
			for _, y := range x.List {
				refs(y)
			}
		case *check.Local:
			if x.Var.Type.Kind == types.KindReference && !x.Var.Type.Elem.IsConst() && rootVar(x.Init) == v {
				yes = true
			}
		case *check.If:
			refs(x.Then)
			if x.Else != nil {
				refs(x.Else)
			}
		case *check.Loop:
			refs(x.Body)
		case *check.Switch:
			for _, g := range x.Groups {
				for _, y := range g.List {
					refs(y)
				}
			}
		}
	}
	refs(body)
	return yes
}

func (s *study) changedInExpr(x check.Expr, v *check.Var) bool {
	yes := false
	check.WalkExpr(x, func(e check.Expr) { yes = yes || changes(e, v) })
	return yes
}

// changes reports whether an expression itself may change a variable.
func changes(e check.Expr, v *check.Var) bool {
	switch e := e.(type) {
	case *check.Assign:
		return rootVar(e.X) == v
	case *check.OpAssign:
		return rootVar(e.X) == v
	case *check.Step:
		return rootVar(e.X) == v
	case *check.AddrOf:
		return rootVar(e.X) == v
	case *check.Decay:
		return rootVar(e.X) == v
	case *check.Call:
		for i, a := range e.Args {
			if i < len(e.Func.Params) && e.Func.Params[i].Type.Kind == types.KindReference && !e.Func.Params[i].Type.Elem.IsConst() && rootVar(a) == v {
				return true
			}
		}
	case *check.Made:
		for i, a := range e.Args {
			if i < len(e.Func.Params) && e.Func.Params[i].Type.Kind == types.KindReference && !e.Func.Params[i].Type.Elem.IsConst() && rootVar(a) == v {
				return true
			}
		}
	case *check.Cond:
		return e.Place() && (rootVar(e.X) == v || rootVar(e.Y) == v)
	}
	return false
}

// known computes an expression of constants and one variable.
func known(e check.Expr, v *check.Var, value check.Value) (check.Value, bool) {
	switch e := e.(type) {
	case *check.Const:
		return e.Value, e.T.IsScalar() && e.Value.Text == nil
	case *check.Load:
		if r, ok := e.X.(*check.VarRef); ok && r.Var == v {
			return value, true
		}
	case *check.Convert:
		if !e.T.Arithmetic() || !e.X.Type().Arithmetic() {
			return check.Value{}, false
		}
		x, ok := known(e.X, v, value)
		return check.ConvertValue(e.T, e.X.Type(), x), ok
	case *check.Binary:
		x, ok1 := known(e.X, v, value)
		y, ok2 := known(e.Y, v, value)
		if !ok1 || !ok2 {
			return check.Value{}, false
		}
		return check.Compute(e.Op, e.T, x, y, e.Y.Type())
	case *check.Compare:
		x, ok1 := known(e.X, v, value)
		y, ok2 := known(e.Y, v, value)
		if !ok1 || !ok2 || !e.X.Type().Integer() {
			return check.Value{}, false
		}
		return check.CompareValues(e.Op, e.X.Type(), x, y), true
	case *check.Logical:
		x, ok1 := known(e.X, v, value)
		y, ok2 := known(e.Y, v, value)
		if !ok1 || !ok2 {
			return check.Value{}, false
		}
		if e.Op == "&&" {
			return check.Value{Bits: x.Bits & y.Bits}, true
		}
		return check.Value{Bits: x.Bits | y.Bits}, true
	}
	return check.Value{}, false
}

// stepped computes what a loop's last part makes of its variable.
func stepped(e check.Expr, v *check.Var, value check.Value) (check.Value, bool) {
	switch e := e.(type) {
	case *check.Step:
		if r, ok := e.X.(*check.VarRef); !ok || r.Var != v {
			return value, false
		}
		op := "+"
		if e.Down {
			op = "-"
		}
		return check.Compute(op, v.Type.Unqualified(), value, check.Value{Bits: 1}, types.Int)
	case *check.OpAssign:
		r, ok := e.X.(*check.VarRef)
		if !ok || r.Var != v || !e.Calc.Integer() {
			return value, false
		}
		y, ok := known(e.Y, v, value)
		if !ok {
			return value, false
		}
		out, ok := check.Compute(e.Op, e.Calc, check.ConvertValue(e.Calc, v.Type, value), y, e.Y.Type())
		return check.ConvertValue(v.Type.Unqualified(), e.Calc, out), ok
	case *check.Assign:
		r, ok := e.X.(*check.VarRef)
		if !ok || r.Var != v {
			return value, false
		}
		return known(e.Y, v, value)
	}
	return value, false
}
