package check

import "workbench/engine/simt/types"

// Value returns the value of a variable that is a constant, or nil.
func (v *Var) Value() *Value { return v.value }

// FallsOff reports whether the end of a function that returns something can be
// reached.
func (f *Func) FallsOff() bool { return f.fallsOff }

// ConvertValue is the conversion of a constant between scalar types.
func ConvertValue(to, from *types.Type, v Value) Value { return convertValue(to, from, v) }

// Walk calls visit for every expression in a statement, the outer ones first.
func Walk(s Stmt, visit func(Expr)) {
	switch s := s.(type) {
	case *Block:
		for _, x := range s.List {
			Walk(x, visit)
		}
	case *Local:
		walkExpr(s.Init, visit)
	case *Eval:
		walkExpr(s.X, visit)
	case *If:
		walkExpr(s.Cond, visit)
		Walk(s.Then, visit)
		if s.Else != nil {
			Walk(s.Else, visit)
		}
	case *Loop:
		if s.Init != nil {
			Walk(s.Init, visit)
		}
		if s.CondInit != nil {
			Walk(s.CondInit, visit)
		}
		walkExpr(s.Cond, visit)
		walkExpr(s.Post, visit)
		Walk(s.Body, visit)
	case *Switch:
		walkExpr(s.X, visit)
		for _, g := range s.Groups {
			for _, x := range g.List {
				Walk(x, visit)
			}
		}
	case *Return:
		walkExpr(s.X, visit)
	}
}

// WalkExpr calls visit for an expression and those in it.
func WalkExpr(e Expr, visit func(Expr)) { walkExpr(e, visit) }

func walkExpr(e Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	switch e := e.(type) {
	case *Field:
		walkExpr(e.X, visit)
	case *Index:
		walkExpr(e.X, visit)
		walkExpr(e.I, visit)
	case *Deref:
		walkExpr(e.X, visit)
	case *Temp:
		walkExpr(e.X, visit)
	case *Load:
		walkExpr(e.X, visit)
	case *AddrOf:
		walkExpr(e.X, visit)
	case *Decay:
		walkExpr(e.X, visit)
	case *Convert:
		walkExpr(e.X, visit)
	case *Unary:
		walkExpr(e.X, visit)
	case *Binary:
		walkExpr(e.X, visit)
		walkExpr(e.Y, visit)
	case *Compare:
		walkExpr(e.X, visit)
		walkExpr(e.Y, visit)
	case *Logical:
		walkExpr(e.X, visit)
		walkExpr(e.Y, visit)
	case *PtrAdd:
		walkExpr(e.X, visit)
		walkExpr(e.I, visit)
	case *PtrDiff:
		walkExpr(e.X, visit)
		walkExpr(e.Y, visit)
	case *Cond:
		walkExpr(e.If, visit)
		walkExpr(e.X, visit)
		walkExpr(e.Y, visit)
	case *Comma:
		walkExpr(e.X, visit)
		walkExpr(e.Y, visit)
	case *Assign:
		walkExpr(e.X, visit)
		walkExpr(e.Y, visit)
	case *OpAssign:
		walkExpr(e.X, visit)
		walkExpr(e.Y, visit)
	case *Step:
		walkExpr(e.X, visit)
	case *Call:
		walkExpr(e.This, visit)
		for _, a := range e.Args {
			walkExpr(a, visit)
		}
	case *Group:
		for _, p := range e.Parts {
			walkExpr(p, visit)
		}
	case *Made:
		for _, a := range e.Args {
			walkExpr(a, visit)
		}
	case *Printf:
		for _, a := range e.Args {
			walkExpr(a, visit)
		}
	case *Assert:
		walkExpr(e.Cond, visit)
	}
}
