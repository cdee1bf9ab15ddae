package scalar

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The language lets a compiler fuse x*y + z into one rounding, across statements
// and inlined calls too, and on arm64, ppc64, s390x, riscv64 and amd64 of level
// v3 it does. Only a conversion of the product forbids it. So every floating-point
// product of this package stands directly in one, wherever its value goes, and the
// exported functions begin with one of their arguments.
func TestProductsAreConverted(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	sources := make(map[string]string)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = string(text)
	}
	products, bare, err := floatProducts(sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range bare {
		t.Errorf("%s: write float64(x*y), and x = float64(x) first in an exported function", where)
	}
	if products < 80 {
		t.Errorf("%d products found in %d files: the search is broken", products, len(sources))
	}
}

func TestProductsAreConvertedCatches(t *testing.T) {
	const head = "package p\nfunc f(x, y, z float64) float64 {\n"
	for body, want := range map[string]int{
		"return float64(x*y) + z":                                  0,
		"return float64((x)*(y)) + z":                              0,
		"return x*y + z":                                           1,
		"return (x * y) + z":                                       1,
		"t := x * y; return t + z":                                 1,
		"x *= y; return x + z":                                     1,
		"return float64(x*y*z)":                                    1,
		"return float64(float64(x*y)*z)":                           0,
		"return z - float64(x*y+z)":                                1,
		"const c = 2.0 * 3; return c":                              0,
		"n := 3; n *= n; return float64(n*n) + z":                  0,
		"return -x*y":                                              1,
		"return x - 1 }; func F(x float64) float64 { return x - 1": 1,
		"return x - 1 }; func F(x float64) float64 { x = x + float64(x); return x - 1":               1,
		"return x - 1 }; func F(x float64) float64 { x = float64(x); return x - 1":                   0,
		"return x - 1 }; func F(x, y float64) float64 { x = float64(x); return x - y":                1,
		"return x - 1 }; func F(x, y float64) float64 { x, y = float64(x), float64(y); return x - y": 0,
		"return x - 1 }; func F(n int, x float32) float64 { return float64(x) - 1":                   0,
	} {
		_, bare, err := floatProducts(map[string]string{"p.go": head + body + "\n}"})
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if len(bare) != want {
			t.Errorf("%s: %d bare products found, want %d: %v", body, len(bare), want, bare)
		}
	}
}

// floatProducts counts the floating-point products of a package that the compiler
// does not fold, and lists the places of those outside a conversion and of exported
// functions whose float64 arguments are not converted first. A float32 argument is
// of no use here before it is converted.
func floatProducts(sources map[string]string) (products int, bare []string, err error) {
	set := token.NewFileSet()
	var files []*ast.File
	for name, text := range sources {
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return 0, nil, err
		}
		files = append(files, file)
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	config := types.Config{Importer: importer.ForCompiler(set, "source", nil)}
	if _, err := config.Check("p", set, files, info); err != nil {
		return 0, nil, fmt.Errorf("type-checking: %w", err)
	}
	isFloat := func(e ast.Expr) bool {
		typed := info.Types[e]
		basic, ok := typed.Type.Underlying().(*types.Basic)
		return ok && basic.Info()&types.IsFloat != 0 && typed.Value == nil
	}
	converted := make(map[ast.Expr]bool)
	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				if node.Name.IsExported() && !convertsArguments(node) {
					bare = append(bare, set.Position(node.Pos()).String())
				}
			case *ast.CallExpr:
				if info.Types[node.Fun].IsType() {
					converted[ast.Unparen(node.Args[0])] = true
				}
			case *ast.BinaryExpr:
				if node.Op == token.MUL && isFloat(node) {
					products++
					if !converted[node] {
						bare = append(bare, set.Position(node.Pos()).String())
					}
				}
			case *ast.AssignStmt:
				if node.Tok == token.MUL_ASSIGN && isFloat(node.Lhs[0]) {
					products++
					bare = append(bare, set.Position(node.Pos()).String())
				}
			}
			return true
		})
	}
	return products, bare, nil
}

// convertsArguments reports whether f has no float64 argument or begins with the
// assignment of each one's conversion to itself.
func convertsArguments(f *ast.FuncDecl) bool {
	var names []string
	for _, field := range f.Type.Params.List {
		if types.ExprString(field.Type) == "float64" {
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
		}
	}
	if len(names) == 0 {
		return true
	}
	first, ok := f.Body.List[0].(*ast.AssignStmt)
	if !ok || first.Tok != token.ASSIGN || len(first.Lhs) != len(names) || len(first.Rhs) != len(names) {
		return false
	}
	for i, name := range names {
		if types.ExprString(first.Lhs[i]) != name || types.ExprString(first.Rhs[i]) != "float64("+name+")" {
			return false
		}
	}
	return true
}
