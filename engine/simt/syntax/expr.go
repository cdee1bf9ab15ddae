package syntax

import (
	"strconv"
	"strings"

	"workbench/engine/simt/preprocess"
	"workbench/engine/simt/source"
)

// expression reads an expression, with commas.
func (p *parser) expression() Expr {
	saved := p.inArgs
	p.inArgs = false
	defer func() { p.inArgs = saved }()
	x := p.assignment()
	for n := 0; p.is(","); n++ {
		p.chain(n)
		at := p.next().Pos
		x = &Binary{At{at}, ",", x, p.assignment()}
	}
	return x
}

// chain bounds how many operators follow each other.
func (p *parser) chain(n int) {
	if n > p.limits.Chain {
		p.fail(p.pos(), "expression", "the expression has more than %d operators", p.limits.Chain)
	}
}

// arguments reads what stands between parentheses, and the closing one.
func (p *parser) arguments(closing string) []Expr {
	saved := p.inArgs
	p.inArgs = false
	defer func() { p.inArgs = saved }()
	var out []Expr
	for !p.is(closing) {
		x := p.initializer()
		if p.is("...") {
			x = &Pack{At{p.next().Pos}, x}
		}
		out = append(out, x)
		if len(out) > 10000 {
			p.fail(p.pos(), "arguments", "there are more than 10000 arguments here")
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(closing, "after arguments")
	return out
}

// list reads { … } as a value.
func (p *parser) list() Expr {
	defer p.enter()()
	open := p.expect("{", "before a list")
	saved := p.inArgs
	p.inArgs = false
	defer func() { p.inArgs = saved }()
	l := &List{At: At{open.Pos}}
	for !p.is("}") {
		name := ""
		if p.is(".") && p.ahead(1).Kind == preprocess.Ident {
			p.next()
			name = p.next().Text
			if !p.is("{") {
				p.expect("=", "after the name of a member")
			}
		} else if p.is("[") && p.ahead(2).Is("]") && p.ahead(3).Is("=") {
			p.refuse(p.pos(), "designated element", "list the elements in order")
		}
		if name != "" && l.Names == nil {
			l.Names = make([]string, len(l.Elems))
		}
		x := p.initializer()
		if p.is("...") {
			x = &Pack{At{p.next().Pos}, x}
		}
		l.Elems = append(l.Elems, x)
		if l.Names != nil {
			l.Names = append(l.Names, name)
		}
		if len(l.Elems) > 1<<17 {
			p.fail(p.pos(), "list", "a list has more than %d elements here", 1<<17)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "after the elements of a list")
	return l
}

// assignment reads an expression without commas.
func (p *parser) assignment() Expr {
	defer p.enter()()
	if p.word("throw") {
		p.refuse(p.pos(), "throw", "there are no exceptions on a GPU: return a value that says what went wrong")
	}
	x := p.conditional()
	t := p.tok()
	if t.Kind != preprocess.Punct {
		return x
	}
	op := ""
	switch t.Text {
	case "=":
	case "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=":
		op = strings.TrimSuffix(t.Text, "=")
	case ">":
		if p.inArgs || !p.ahead(1).Is(">=") || p.ahead(1).Space {
			return x
		}
		op = ">>"
		p.next()
	default:
		return x
	}
	p.next()
	return &Assign{At{t.Pos}, op, x, p.initializer()}
}

func (p *parser) conditional() Expr {
	defer p.enter()()
	c := p.binary(1)
	if !p.is("?") {
		return c
	}
	at := p.next().Pos
	saved := p.inArgs
	p.inArgs = false
	x := p.expressionNoComma()
	p.inArgs = saved
	p.expect(":", "between the two values of ?")
	return &Conditional{At{at}, c, x, p.assignment()}
}

// expressionNoComma reads what stands between ? and :, where commas may be.
func (p *parser) expressionNoComma() Expr {
	if p.is(":") {
		p.refuse(p.pos(), "?: without a value between", "write the value twice: x ? x : y")
	}
	return p.expression()
}

// precedence of the operators on two values.
var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

func (p *parser) binary(level int) Expr {
	x := p.unary()
	for n := 0; ; n++ {
		t := p.tok()
		if t.Kind != preprocess.Punct {
			return x
		}
		op := t.Text
		if op == ">" {
			second := p.ahead(1)
			switch {
			case p.inArgs:
				return x
			case second.Is(">") && !second.Space:
				op = ">>"
			case second.Is(">=") && !second.Space:
				return x // >>=
			}
		}
		if op == ">=" && p.inArgs {
			return x
		}
		l, ok := precedence[op]
		if !ok || l < level {
			if op == ".*" || op == "->*" {
				p.refuse(t.Pos, "pointer to a member", "name the member, or index an array")
			}
			return x
		}
		if p.ahead(1).Is("...") {
			return x // a fold
		}
		p.chain(n)
		if op == "<<" && p.ahead(1).Is("<") && !p.ahead(1).Space {
			p.refuse(t.Pos, "launch of a kernel", "the launch is described outside of the source: call a __device__ function here")
		}
		p.next()
		if op == ">>" {
			p.next()
		}
		x = &Binary{At{t.Pos}, op, x, p.binary(l + 1)}
	}
}

func (p *parser) unary() Expr {
	defer p.enter()()
	t := p.tok()
	if t.Kind == preprocess.Punct {
		switch t.Text {
		case "+", "-", "!", "~", "*", "&", "++", "--":
			p.next()
			return &Unary{At{t.Pos}, t.Text, p.unary()}
		case "&&":
			p.refuse(t.Pos, "address of a label", "use switch")
		case "(":
			if x := p.cast(); x != nil {
				return x
			}
		}
	}
	if t.Kind == preprocess.Ident {
		switch t.Text {
		case "sizeof", "alignof", "_Alignof", "__alignof__":
			return p.sizeof()
		case "new", "delete":
			p.refuse(t.Pos, t.Text, "use memory that the kernel is given, or a local array")
		case "__extension__":
			p.next()
			return p.unary()
		}
	}
	return p.postfix(p.primary())
}

// cast reads (Type)X; nil if a parenthesis here is none.
func (p *parser) cast() Expr {
	start := p.at
	open := p.next()
	if !p.typeAhead() {
		p.at = start
		return nil
	}
	var t Type
	saved := p.inArgs
	p.inArgs = false
	err := p.attempt(func() { t = p.typeID() })
	p.inArgs = saved
	if err != nil || !p.is(")") {
		p.at = start
		return nil
	}
	p.next()
	if p.is("{") {
		l := p.list().(*List)
		return p.postfix(&Construct{At{open.Pos}, t, []Expr{l}, true})
	}
	return &Cast{At: At{open.Pos}, Type: t, X: p.unary()}
}

func (p *parser) sizeof() Expr {
	t := p.next()
	s := &Sizeof{At: At{t.Pos}, Align: t.Text != "sizeof"}
	if p.is("...") {
		p.next()
		p.expect("(", "after sizeof...")
		name := p.identifier("a pack of parameters")
		p.expect(")", "after sizeof...")
		s.X = &Pack{At{name.Pos}, &Ident{&Name{At: At{name.Pos}, Parts: []Part{{At: At{name.Pos}, Ident: name.Text}}}}}
		return s
	}
	if p.is("(") {
		start := p.at
		p.next()
		if p.typeAhead() {
			saved := p.inArgs
			p.inArgs = false
			err := p.attempt(func() { s.Type = p.typeID() })
			p.inArgs = saved
			if err == nil && p.is(")") {
				p.next()
				return s
			}
			s.Type = nil
		}
		p.at = start
	}
	s.X = p.unary()
	return s
}

func (p *parser) postfix(x Expr) Expr {
	for n := 0; ; n++ {
		p.chain(n)
		t := p.tok()
		if t.Kind != preprocess.Punct {
			return x
		}
		switch t.Text {
		case "[":
			p.next()
			i := p.expression()
			p.expect("]", "after an index")
			x = &Index{At{t.Pos}, x, i}
		case "(":
			p.next()
			x = &Call{At{x.Pos()}, x, p.arguments(")")}
		case ".", "->":
			p.next()
			x = &Member{Arrow: t.Text == "->", X: x, Name: p.memberName()}
			x.(*Member).Place = x.(*Member).Name.Pos()
		case "++", "--":
			p.next()
			x = &Postfix{At{t.Pos}, t.Text, x}
		default:
			return x
		}
	}
}

// memberName reads the name after . or ->.
func (p *parser) memberName() *Name {
	if p.is("~") {
		p.refuse(p.pos(), "call of a destructor", "leave it to the end of the block")
	}
	if p.word("template") || p.word("operator") || p.ahead(1).Is("::") {
		template := p.acceptWord("template")
		n, _ := p.name()
		if template && p.is("<") && !n.Last().HasArgs {
			n = &Name{At: n.At, Global: n.Global, Parts: append([]Part(nil), n.Parts...)}
			n.Last().HasArgs = true
			n.Last().Args = p.templateArgs()
		}
		return n
	}
	t := p.identifier("the name of a member")
	n := &Name{At: At{t.Pos}, Parts: []Part{{At: At{t.Pos}, Ident: t.Text}}}
	if p.is("<") && p.memberTemplates[t.Text] {
		start := p.at
		var args []Arg
		if err := p.attempt(func() { args = p.templateArgs() }); err == nil && p.is("(") {
			n.Parts[0].HasArgs, n.Parts[0].Args = true, args
			return n
		}
		p.at = start
	}
	return n
}

func (p *parser) primary() Expr {
	t := p.tok()
	switch t.Kind {
	case preprocess.Number:
		p.next()
		return p.number(t)
	case preprocess.String:
		return &String{At{t.Pos}, p.strings()}
	case preprocess.Char:
		p.next()
		s, err := preprocess.Unquote(t)
		if err != nil {
			panic(err)
		}
		if len(s) != 1 {
			p.fail(t.Pos, "character", "%s is not one character of one byte", t)
		}
		return &Char{At{t.Pos}, s[0]}
	case preprocess.Punct:
		switch t.Text {
		case "(":
			return p.paren()
		case "[":
			return p.lambda()
		case "::":
			return p.nameExpr()
		case "{":
			p.fail(t.Pos, "{", "a list in braces cannot stand here")
		}
	case preprocess.Ident:
		switch t.Text {
		case "true", "false":
			p.next()
			return &Bool{At{t.Pos}, t.Text == "true"}
		case "nullptr":
			p.next()
			return &Nullptr{At{t.Pos}}
		case "this":
			p.next()
			return &This{At{t.Pos}}
		case "static_cast", "reinterpret_cast", "const_cast":
			p.next()
			p.expect("<", "after "+t.Text)
			saved := p.inArgs
			p.inArgs = true
			to := p.typeID()
			p.inArgs = saved
			p.expect(">", "after the type of "+t.Text)
			p.expect("(", "before the value of "+t.Text)
			x := p.expression()
			p.expect(")", "after the value of "+t.Text)
			return &Cast{At{t.Pos}, t.Text, to, x}
		case "dynamic_cast", "typeid":
			p.refuse(t.Pos, t.Text, "types are known when the kernel is compiled: use static_cast or a template")
		case "goto":
			p.refuse(t.Pos, "goto", "use break, continue, return or a flag")
		case "operator":
			return p.nameExpr()
		}
		if p.typeAhead() {
			return p.construct()
		}
		if !keywords[t.Text] {
			return p.nameExpr()
		}
	}
	p.fail(t.Pos, "expression", "a value is expected here, not %s", t)
	return nil
}

func (p *parser) nameExpr() Expr {
	if p.typeAhead() {
		return p.construct()
	}
	n, what := p.name()
	if root := n.Parts[0]; what == nil && len(n.Parts) > 1 && !n.Global && p.scope.lookup(root.Ident) == nil {
		p.unknownRoot(root)
	}
	if what == nil && p.is("<") && !n.Last().HasArgs {
		// a<int> of an unknown a is a template that is not there.
		start := p.at
		p.next()
		if _, known := elsewhere[n.Last().Ident]; known || p.typeAhead() {
			p.noTemplate(n)
		}
		p.at = start
	}
	return &Ident{n}
}

// unknownRoot reports a::b where nothing is called a.
func (p *parser) unknownRoot(root Part) {
	err := source.Errorf(root.Pos(), root.Ident, "there is no %s here", root.Ident).Missing()
	if instead, ok := elsewhere[root.Ident]; ok {
		err.With("%s", instead).Refused()
	}
	panic(err)
}

// noTemplate reports a template that nothing has.
func (p *parser) noTemplate(n *Name) {
	err := source.Errorf(n.Pos(), n.String(), "there is no template %s here", n).Missing()
	if instead, ok := elsewhere[n.Last().Ident]; ok {
		err.With("%s", instead).Refused()
	} else if header, ok := ofHeader[n.String()]; ok {
		err.With("#include <%s>", header)
	}
	panic(err)
}

// construct reads Type(…) and Type{…}.
func (p *parser) construct() Expr {
	at := p.pos()
	var s Specs
	s, t := p.specifiers()
	_ = s
	if t == nil {
		p.notAType(at)
	}
	switch {
	case p.accept("("):
		return &Construct{At{at}, t, p.arguments(")"), false}
	case p.is("{"):
		return &Construct{At{at}, t, []Expr{p.list()}, true}
	}
	p.fail(at, "type", "a value is expected here, not a type")
	return nil
}

// paren reads (X), and the folds of a pack.
func (p *parser) paren() Expr {
	open := p.next()
	saved := p.inArgs
	p.inArgs = false
	defer func() { p.inArgs = saved }()
	if p.is("{") {
		p.refuse(p.pos(), "statement expression", "write a function")
	}
	if p.is("...") { // (... + x)
		p.next()
		op := p.foldOperator()
		f := &Fold{At: At{open.Pos}, Op: op, Y: p.unary(), Left: true}
		p.expect(")", "after a fold")
		return f
	}
	x := p.expression()
	if t := p.tok(); t.Kind == preprocess.Punct && !t.Is(")") && p.ahead(1).Is("...") {
		op := p.foldOperator()
		p.next()
		f := &Fold{At: At{open.Pos}, Op: op, X: x}
		if !p.is(")") { // (x + ... + y)
			p.foldOperator()
			f.Y = p.unary()
		}
		p.expect(")", "after a fold")
		return f
	}
	p.expect(")", "after an expression in parentheses")
	return &Paren{At{open.Pos}, x}
}

func (p *parser) foldOperator() string {
	t := p.next()
	if t.Kind != preprocess.Punct || precedence[t.Text] == 0 && t.Text != "," {
		p.fail(t.Pos, "fold", "a fold takes an operator between its dots and its pack, not %s", t)
	}
	return t.Text
}

// lambda reads [captures](parameters) { … }.
func (p *parser) lambda() Expr {
	open := p.next()
	l := &Lambda{At: At{open.Pos}}
	for !p.is("]") {
		t := p.tok()
		switch {
		case (t.Is("=") || t.Is("&")) && (p.ahead(1).Is(",") || p.ahead(1).Is("]")):
			p.next()
			l.Default = t.Text[0]
		case t.Is("*") && p.ahead(1).IsIdent("this"):
			p.refuse(t.Pos, "capture of *this", "copy what is needed to a variable")
		case t.IsIdent("this"):
			p.next()
			l.Captures = append(l.Captures, Capture{At: At{t.Pos}, Name: "this", Ref: true})
		default:
			c := Capture{At: At{t.Pos}}
			c.Ref = p.accept("&")
			name := p.identifier("a variable to capture")
			c.Name, c.Place = name.Text, name.Pos
			switch {
			case p.accept("="):
				c.Init = p.assignment()
			case p.is("{") || p.is("("):
				p.refuse(p.pos(), "capture with parentheses", "write [name = value]")
			}
			l.Captures = append(l.Captures, c)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect("]", "after the captures of a lambda")
	p.inside(func() {
		p.scope.class = ""
		for _, c := range l.Captures {
			if c.Init != nil {
				p.declare(c.Name, &entry{kind: valueName})
			}
		}
		if p.is("<") {
			p.refuse(p.pos(), "template of a lambda", "use auto for its parameters")
		}
		for p.word("__device__") || p.word("__host__") {
			p.next()
		}
		if p.is("(") {
			var variadic bool
			if l.Params, variadic = p.parameters(); variadic {
				p.refuse(p.pos(), "variadic lambda", "name its parameters")
			}
		}
		for {
			switch {
			case p.acceptWord("mutable"):
				l.Mutable = true
				continue
			case p.acceptWord("noexcept"), p.acceptWord("constexpr"), p.acceptWord("__device__"), p.acceptWord("__host__"):
				continue
			case p.accept("->"):
				l.Result = p.typeID()
				continue
			}
			break
		}
		saved, deferred := p.inArgs, p.deferred
		p.inArgs, p.deferred = false, nil
		l.Body = p.block()
		p.inArgs, p.deferred = saved, deferred
	})
	return l
}

// number reads an integer or a floating-point number.
func (p *parser) number(t preprocess.Token) Expr {
	text := strings.ReplaceAll(t.Text, "'", "")
	lower := strings.ToLower(text)
	hex := strings.HasPrefix(lower, "0x")
	float := strings.Contains(lower, ".") || !hex && strings.Contains(lower, "e") || hex && strings.Contains(lower, "p")
	if strings.HasPrefix(lower, "0b") {
		float = false
	}
	bad := func(reason string) Expr {
		p.fail(t.Pos, "number", "%s is no number: %s", t, reason)
		return nil
	}
	if len(text) > 400 {
		return bad("it is too long")
	}
	if float {
		digits := lower
		suffix := ""
		for len(digits) > 0 && !hex && (digits[len(digits)-1] < '0' || digits[len(digits)-1] > '9') && digits[len(digits)-1] != '.' ||
			len(digits) > 0 && hex && strings.ContainsAny(digits[len(digits)-1:], "fl") {
			suffix = digits[len(digits)-1:] + suffix
			digits = digits[:len(digits)-1]
		}
		switch suffix {
		case "", "f":
		case "l":
			suffix = "" // long double is double on a GPU
		case "h", "f16", "bf16":
			p.refuse(t.Pos, "suffix "+suffix, "write __float2half(1.0f)")
		default:
			return bad("its suffix " + suffix + " means nothing")
		}
		if hex && !strings.Contains(digits, "p") {
			return bad("hexadecimal digits with a point need an exponent, p")
		}
		if _, err := strconv.ParseFloat(digits, 64); err != nil && !strings.Contains(err.Error(), "range") {
			return bad("its digits and its exponent make no number")
		}
		return &Float{At{t.Pos}, digits, suffix}
	}
	digits := strings.TrimRight(lower, "ulz")
	suffix := lower[len(digits):]
	switch suffix {
	case "", "u", "l", "ll":
	case "ul", "lu":
		suffix = "ul"
	case "ull", "llu":
		suffix = "ull"
	default:
		return bad("its suffix " + suffix + " means nothing")
	}
	if suffix == "" && !hex && strings.HasSuffix(digits, "f") {
		panic(source.Errorf(t.Pos, "number", "%s is no number: f marks floating-point numbers only", t).With("write %s.0f", strings.TrimSuffix(digits, "f")))
	}
	v := &Int{At: At{t.Pos}, Suffix: suffix}
	base, body := 10, digits
	switch {
	case hex:
		base, body = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"):
		base, body = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, body = 8, digits[1:]
	default:
		v.Decimal = true
	}
	n, err := strconv.ParseUint(body, base, 64)
	if err != nil {
		if strings.Contains(err.Error(), "range") {
			return bad("it needs more than 64 bits")
		}
		return bad("its digits or its suffix do not belong there")
	}
	v.Value = n
	return v
}
