package runner

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strconv"
	"strings"

	"workbench/lessons/lesson"
)

// packageName is what a learner's package is called.
const packageName = "exercise"

// packageClause says what is wrong with the package clause, if it can be read
// and is another; the go command would not say it well.
func (g *goCheck) packageClause() []lesson.Finding {
	if len(strings.TrimSpace(string(g.source))) == 0 {
		return []lesson.Finding{{
			Kind: lesson.Compile,
			Text: "The file is empty.",
			Next: "`reset` hands it out again",
		}}
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, g.file, g.source, parser.PackageClauseOnly)
	if err != nil || file.Name == nil || file.Name.Name == packageName {
		return nil
	}
	at := files.Position(file.Name.Pos())
	return []lesson.Finding{g.at(lesson.Finding{
		Kind: lesson.Compile,
		Text: fmt.Sprintf("The package is called %s, and the exercise looks for package %s.", file.Name.Name, packageName),
		Next: "write package " + packageName,
	}, at.Line, at.Column)}
}

// declared is a function or a method of the learner's file.
type declared struct {
	name      string // "FlatIndex", "View.At"
	pointer   bool   // its receiver is one
	signature string // without the receiver: "func(shape, index []int) int"
	line      int
	column    int
}

// declarations returns the functions of the learner's file, as far as it can be
// read.
func (g *goCheck) declarations() []declared {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, g.file, g.source, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	var all []declared
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		at := files.Position(f.Name.Pos())
		have := declared{name: f.Name.Name, signature: typeText(f.Type), line: at.Line, column: at.Column}
		if f.Recv != nil && len(f.Recv.List) == 1 {
			receiver := f.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver, have.pointer = star.X, true
			}
			have.name = typeText(receiver) + "." + have.name
		}
		all = append(all, have)
	}
	return all
}

// imports returns what the learner's file imports.
func (g *goCheck) imports() []string {
	file, _ := parser.ParseFile(token.NewFileSet(), g.file, g.source, parser.ImportsOnly)
	if file == nil {
		return nil
	}
	var paths []string
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// typeText writes a type on one line.
func typeText(t ast.Expr) string {
	var out strings.Builder
	if err := printer.Fprint(&out, token.NewFileSet(), t); err != nil {
		return "?"
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// result is one of a function's results.
type result struct {
	name    string
	place   int // among the results; -1 of what is none
	error   bool
	float32 bool  // its numbers are
	shape   []int // of a tensor that is written as one row of numbers
}

// signatureNames returns the names of a signature's parameters, "" of those that
// have none, and its results.
func signatureNames(signature string) (params []string, results []result) {
	expr, err := parser.ParseExpr(signature)
	f, ok := expr.(*ast.FuncType)
	if err != nil || !ok {
		panic(fmt.Sprintf("BUG: %q is no signature", signature))
	}
	for _, field := range f.Params.List {
		if len(field.Names) == 0 {
			params = append(params, "")
		}
		for _, name := range field.Names {
			params = append(params, name.Name)
		}
	}
	if f.Results == nil {
		return params, nil
	}
	for _, field := range f.Results.List {
		of := typeText(field.Type)
		names := []string{""}
		if len(field.Names) > 0 {
			names = nil
		}
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
		for _, name := range names {
			results = append(results, result{name: name, place: len(results), error: of == "error", float32: strings.Contains(of, "float32")})
		}
	}
	return params, results
}

// argumentName names a parameter.
func argumentName(params []string, k int, otherwise string) string {
	if k < len(params) && params[k] != "" {
		return params[k]
	}
	return fmt.Sprintf("%s %d", otherwise, k)
}

// learners says whether a line lies between the marks of what may be changed.
func (g *goCheck) learners(line int) bool {
	within := false
	for i, text := range g.lines {
		switch {
		case strings.Contains(text, lesson.Opens):
			within = true
		case strings.Contains(text, lesson.Closes):
			within = false
		}
		if i+1 == line {
			return within
		}
	}
	return false
}

// lineWith returns the first line of the learner's file that has one of the
// texts, or 0.
func (g *goCheck) lineWith(texts ...string) int {
	for i, line := range g.lines {
		code, _, _ := strings.Cut(line, "//")
		for _, text := range texts {
			if strings.Contains(code, text) {
				return i + 1
			}
		}
	}
	return 0
}
