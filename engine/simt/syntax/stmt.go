package syntax

import (
	"workbench/engine/simt/preprocess"
	"workbench/engine/simt/source"
)

// block reads { … }.
func (p *parser) block() *Block {
	defer p.enter()()
	open := p.expect("{", "before statements")
	b := &Block{At: At{open.Pos}}
	p.inside(func() {
		for !p.is("}") {
			if p.tok().Kind == preprocess.EOF {
				p.fail(open.Pos, "{", "this { is not closed")
			}
			b.List = append(b.List, p.statement())
		}
	})
	p.next()
	return b
}

// statement reads one statement.
func (p *parser) statement() Stmt {
	defer p.enter()()
	t := p.tok()
	switch t.Kind {
	case preprocess.Pragma:
		return p.unrolled()
	case preprocess.EOF:
		p.fail(t.Pos, "statement", "a statement is expected here, not the end of the file")
	case preprocess.Punct:
		switch t.Text {
		case "{":
			return p.block()
		case ";":
			p.next()
			return &Empty{At{t.Pos}}
		case "[":
			if p.ahead(1).Is("[") {
				p.skipBalanced()
				return p.statement()
			}
		}
	case preprocess.Ident:
		if s := p.keywordStatement(t); s != nil {
			return s
		}
		if p.ahead(1).Is(":") && !keywords[t.Text] {
			p.refuse(t.Pos, "label", "use break, continue, return or a flag instead of goto")
		}
	}
	if p.declarationAhead() {
		return p.declarationStatement()
	}
	start := p.at
	x := p.expression()
	if id, ok := x.(*Ident); ok && len(id.Name.Parts) > 1 && p.tok().Kind == preprocess.Ident && !keywords[p.tok().Text] {
		p.at = start
		p.notAType(t.Pos) // ns::unknown x;
	}
	p.semicolon("after an expression")
	return &ExprStmt{x}
}

// keywordStatement reads a statement that begins with its name.
func (p *parser) keywordStatement(t preprocess.Token) Stmt {
	switch t.Text {
	case "if":
		return p.ifStatement()
	case "for":
		return p.forStatement(nil)
	case "while":
		return p.whileStatement(nil)
	case "do":
		return p.doStatement(nil)
	case "switch":
		return p.switchStatement()
	case "case":
		p.next()
		s := &Case{At: At{t.Pos}, X: p.conditional()}
		if p.is("...") {
			p.refuse(p.pos(), "range of cases", "write each case, or compare with if")
		}
		p.expect(":", "after a case")
		s.Body = p.caseBody()
		return s
	case "default":
		p.next()
		p.expect(":", "after default")
		return &Case{At: At{t.Pos}, Body: p.caseBody()}
	case "break":
		p.next()
		p.semicolon("after break")
		return &Break{At{t.Pos}}
	case "continue":
		p.next()
		p.semicolon("after continue")
		return &Continue{At{t.Pos}}
	case "return":
		p.next()
		s := &Return{At: At{t.Pos}}
		if !p.is(";") {
			s.X = p.initializerOrExpression()
		}
		p.semicolon("after return")
		return s
	case "goto":
		p.refuse(t.Pos, "goto", "use break, continue, return or a flag")
	case "try", "throw", "catch":
		p.refuse(t.Pos, t.Text, "there are no exceptions on a GPU: return a value that says what went wrong")
	case "asm", "__asm__", "__asm":
		return p.asm()
	case "else":
		p.fail(t.Pos, "else", "this else has no if")
	}
	return nil
}

func (p *parser) caseBody() Stmt {
	if p.is("}") {
		return &Empty{At{p.pos()}}
	}
	return p.statement()
}

func (p *parser) initializerOrExpression() Expr {
	if p.is("{") {
		return p.list()
	}
	return p.expression()
}

// unrolled reads #pragma unroll and the loop it is for.
func (p *parser) unrolled() Stmt {
	t := p.next()
	u := &Unroll{At: At{t.Pos}, Not: t.Text == "nounroll"}
	if p.tok().Kind != preprocess.PragmaEnd {
		u.N = p.conditional()
	}
	if p.tok().Kind != preprocess.PragmaEnd {
		p.fail(p.pos(), "#pragma unroll", "#pragma unroll takes a number: %s does not belong there", p.tok())
	}
	p.next()
	switch {
	case p.word("for"):
		return p.forStatement(u)
	case p.word("while"):
		return p.whileStatement(u)
	case p.word("do"):
		return p.doStatement(u)
	}
	return p.statement() // the pragma has nothing to unroll
}

func (p *parser) ifStatement() Stmt {
	at := p.next().Pos
	s := &If{At: At{at}}
	s.Constexpr = p.acceptWord("constexpr")
	p.expect("(", "after if")
	p.inside(func() {
		s.Init, s.Decl, s.Cond = p.condition()
		p.expect(")", "after the condition")
		s.Then = p.scoped()
		if p.word("else") {
			p.next()
			s.Else = p.scoped()
		}
	})
	return s
}

// scoped reads a statement with a scope of its own.
func (p *parser) scoped() (s Stmt) {
	p.inside(func() { s = p.statement() })
	return s
}

// condition reads what stands between the parentheses of if and switch.
func (p *parser) condition() (init Stmt, decl *Var, cond Expr) {
	if p.is(";") {
		init = &Empty{At{p.next().Pos}}
	} else if p.initAhead() {
		init = p.simpleStatement()
	}
	if p.declarationAhead() {
		return init, p.conditionVar(), nil
	}
	return init, nil, p.expression()
}

// initAhead reports whether a ; comes before the closing parenthesis.
func (p *parser) initAhead() bool {
	depth := 0
	for i := p.at; ; i++ {
		t := p.tokens[i]
		switch {
		case t.Kind == preprocess.EOF:
			return false
		case t.Is("("), t.Is("["), t.Is("{"):
			depth++
		case t.Is(")"), t.Is("]"), t.Is("}"):
			if depth--; depth < 0 {
				return false
			}
		case t.Is(";") && depth == 0:
			return true
		}
	}
}

// conditionVar reads int x = … where a condition is expected.
func (p *parser) conditionVar() *Var {
	at := p.pos()
	order := p.at
	specs, t := p.specifiers()
	if t == nil {
		p.notAType(at)
	}
	d := p.declarator(t, named)
	if d.fn != nil || d.name == nil || !d.name.Simple() {
		p.fail(d.at, "condition", "a variable with a value is expected here")
	}
	v := &Var{At: At{d.at}, Specs: specs, Name: d.name, Type: d.typ, Order: order}
	p.declare(d.name.Last().Ident, &entry{kind: valueName})
	p.initial(v, false)
	if v.Init == nil {
		p.fail(d.at, "condition", "a variable that is a condition needs a value")
	}
	return v
}

// simpleStatement reads a declaration or an expression, and the ; after it.
func (p *parser) simpleStatement() Stmt {
	if p.accept(";") {
		return nil
	}
	if p.declarationAhead() {
		return p.declarationStatement()
	}
	x := p.expression()
	p.semicolon("after an expression")
	return &ExprStmt{x}
}

func (p *parser) forStatement(u *Unroll) (out Stmt) {
	at := p.next().Pos
	p.expect("(", "after for")
	p.inside(func() {
		if !p.initAhead() {
			v := p.rangeVar()
			p.expect(":", "after the variable of the loop")
			s := &Range{At: At{at}, Var: v, Unroll: u}
			s.X = p.initializerOrExpression()
			p.expect(")", "after what the loop goes over")
			s.Body = p.scoped()
			out = s
			return
		}
		s := &For{At: At{at}, Unroll: u}
		s.Init = p.simpleStatement()
		if !p.is(";") {
			s.Cond = p.expression()
		}
		p.expect(";", "after the condition of for")
		if !p.is(")") {
			s.Post = p.expression()
		}
		p.expect(")", "after for (…;…;…")
		s.Body = p.scoped()
		out = s
	})
	return out
}

func (p *parser) rangeVar() *Var {
	at := p.pos()
	order := p.at
	specs, t := p.specifiers()
	if t == nil {
		p.fail(at, "for", "for takes three parts, (int i = 0; i < n; i++), or a variable and what it goes over")
	}
	d := p.declarator(t, named)
	if d.fn != nil || d.name == nil || !d.name.Simple() {
		p.fail(d.at, "for", "a variable is expected here")
	}
	p.declare(d.name.Last().Ident, &entry{kind: valueName})
	return &Var{At: At{d.at}, Specs: specs, Name: d.name, Type: d.typ, Order: order}
}

func (p *parser) whileStatement(u *Unroll) Stmt {
	s := &While{At: At{p.next().Pos}, Unroll: u}
	p.expect("(", "after while")
	p.inside(func() {
		if p.declarationAhead() {
			s.Decl = p.conditionVar()
		} else {
			s.Cond = p.expression()
		}
		p.expect(")", "after the condition")
		s.Body = p.scoped()
	})
	return s
}

func (p *parser) doStatement(u *Unroll) Stmt {
	s := &Do{At: At{p.next().Pos}, Unroll: u}
	s.Body = p.scoped()
	if !p.acceptWord("while") {
		p.fail(p.pos(), "do", "while is expected here, after the body of do, not %s", p.tok())
	}
	p.expect("(", "after while")
	s.Cond = p.expression()
	p.expect(")", "after the condition")
	p.semicolon("after do … while (…)")
	return s
}

func (p *parser) switchStatement() Stmt {
	s := &Switch{At: At{p.next().Pos}}
	p.expect("(", "after switch")
	p.inside(func() {
		s.Init, s.Decl, s.X = p.condition()
		p.expect(")", "after the value of switch")
		s.Body = p.scoped()
	})
	return s
}

// asm reads assembly: its text, and what it reads and writes.
func (p *parser) asm() Stmt {
	s := &Asm{At: At{p.next().Pos}}
	for p.acceptWord("volatile") || p.acceptWord("__volatile__") || p.acceptWord("inline") {
	}
	p.expect("(", "after asm")
	s.Text = p.strings()
	for part := 0; p.is(":") || p.is("::"); {
		if p.next().Text == "::" {
			part += 2
		} else {
			part++
		}
		for p.tok().Kind == preprocess.String || p.is("[") {
			if p.is("[") {
				p.refuse(p.pos(), "named operand of asm", "use %0, %1 and so on")
			}
			constraint := p.strings()
			if part >= 3 { // what else is written
				p.accept(",")
				continue
			}
			p.expect("(", "after the constraint of an operand")
			operand := AsmOperand{constraint, p.expression()}
			p.expect(")", "after an operand")
			if part == 1 {
				s.Outputs = append(s.Outputs, operand)
			} else {
				s.Inputs = append(s.Inputs, operand)
			}
			if !p.accept(",") {
				break
			}
		}
	}
	p.expect(")", "after asm")
	p.semicolon("after asm")
	return s
}

// strings reads one string, or several that follow each other.
func (p *parser) strings() string {
	if p.tok().Kind != preprocess.String {
		p.fail(p.pos(), "string", "a string is expected here, not %s", p.tok())
	}
	text := ""
	for p.tok().Kind == preprocess.String {
		s, err := preprocess.Unquote(p.next())
		if err != nil {
			panic(err)
		}
		if text += s; len(text) > 1<<16 {
			p.fail(p.pos(), "string", "a string has more than 65536 characters here")
		}
	}
	return text
}

// declarationAhead reports whether a declaration begins here, and not an
// expression.
func (p *parser) declarationAhead() bool {
	t := p.tok()
	switch t.Text {
	case "using", "static_assert", "_Static_assert", "namespace", "template":
		return t.Kind == preprocess.Ident
	}
	if p.specsAhead() {
		return true
	}
	if !p.typeAhead() {
		if p.isName() && p.ahead(1).Kind == preprocess.Ident && !keywords[p.ahead(1).Text] {
			p.notAType(t.Pos)
		}
		return false
	}
	switch t.Text {
	case "const", "volatile", "struct", "class", "union", "enum", "auto":
		return true
	}
	start := p.at
	defer func() { p.at = start }()
	if err := p.attempt(func() { p.specifiers() }); err != nil {
		p.at = start
		return true // it is reported when it is read
	}
	switch {
	case p.is("("):
		return p.groupAhead(named)
	case p.is("{"), p.is("."), p.is("::"), p.is("->"):
		return false
	}
	return true
}

func (p *parser) declarationStatement() Stmt {
	at := p.pos()
	t := p.tok()
	switch {
	case t.IsIdent("using"):
		return &DeclStmt{At{at}, []Decl{p.using(false)}}
	case t.IsIdent("static_assert"), t.IsIdent("_Static_assert"):
		return &DeclStmt{At{at}, []Decl{p.staticAssert()}}
	case t.IsIdent("namespace"):
		if p.ahead(2).Is("=") {
			return &DeclStmt{At{at}, p.namespace()}
		}
		p.fail(at, "namespace", "a namespace cannot be in a function")
	case t.IsIdent("template"):
		p.fail(at, "template", "a template cannot be in a function: declare it in front")
	}
	if t.IsIdent("auto") || t.IsIdent("const") {
		n := 1
		for p.ahead(n).IsIdent("auto") || p.ahead(n).IsIdent("const") || p.ahead(n).Is("&") || p.ahead(n).Is("&&") {
			n++
		}
		if p.ahead(n).Is("[") {
			p.refuse(p.ahead(n).Pos, "structured binding", "name the members: auto v = f(); then v.x and v.y")
		}
	}
	decls := p.simpleDeclaration(false)
	for _, d := range decls {
		if f, ok := d.(*Func); ok {
			if f.Body != nil {
				p.fail(f.Pos(), "function", "a function cannot be in a function: define %s in front", f.Name)
			}
			if f.Device || f.Extern {
				continue
			}
			err := source.Errorf(f.Pos(), "declaration of a function", "this declares a function called %s", f.Name)
			if len(f.Params) == 0 {
				err.With("for a variable leave the parentheses out, or write {}")
			} else {
				err.With("declare functions outside of functions; for a variable write its value in braces")
			}
			panic(err)
		}
	}
	return &DeclStmt{At{at}, decls}
}
