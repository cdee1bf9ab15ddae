package engine_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestNoFusableProduct finds products that a compiler may fuse with a sum.
//
// Go lets an implementation compute x*y + z with one rounding, across
// statements too, and the one for arm64 does where the one for amd64 does not:
// the same program would give other bits. An explicit conversion of the product
// forbids it, so the engine writes float64(x*y) + z. Refused here are a product
// that is an operand of a sum or a difference, one that += or -= takes, and one
// that a variable carries on unrounded.
func TestNoFusableProduct(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
		Dir:  ".",
	}, "./...")
	if err != nil {
		t.Skipf("the go command cannot list the engine's packages: %v", err)
	}
	sums := 0
	for _, p := range loaded {
		for _, problem := range p.Errors {
			t.Errorf("%s: %v", p.PkgPath, problem)
		}
		if p.PkgPath == module+"/engine/conform" {
			continue // it computes no result, and what it expects in exact arithmetic
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				for _, e := range carried(n) {
					if isFloat(p.TypesInfo, e) {
						sums++
						if product(p.TypesInfo, e) {
							t.Errorf("%s: a compiler may fuse this product with a sum: write float64(x*y)", p.Fset.Position(e.Pos()))
						}
					}
				}
				return true
			})
		}
	}
	if sums == 0 {
		t.Error("no floating-point sum was found in the engine: this test no longer sees it")
	}
}

// carried returns the expressions of n that a sum takes, or that a variable
// may carry to one.
func carried(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.ADD || n.Op == token.SUB {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.AssignStmt:
		switch n.Tok {
		case token.ADD_ASSIGN, token.SUB_ASSIGN:
			return n.Rhs
		case token.ASSIGN, token.DEFINE:
			var out []ast.Expr
			for i, left := range n.Lhs {
				if _, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					out = append(out, n.Rhs[i])
				}
			}
			return out
		}
	case *ast.ValueSpec:
		return n.Values
	}
	return nil
}

// product reports whether e is a product that no conversion has rounded.
func product(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return product(info, e.X)
	case *ast.BinaryExpr:
		// A constant is exact until it is used.
		return e.Op == token.MUL && info.Types[e].Value == nil
	}
	return false
}

func isFloat(info *types.Info, e ast.Expr) bool {
	t := info.TypeOf(e)
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsFloat != 0
}
