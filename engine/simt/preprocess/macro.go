package preprocess

import (
	"slices"
	"strings"

	"workbench/engine/simt/source"
)

// A macro is what #define defines.
type macro struct {
	name     string
	pos      source.Pos
	function bool // it takes arguments
	params   []string
	variadic bool // its last parameter is __VA_ARGS__
	body     []Token

	active bool // it is being expanded
}

// A context is text that is read before the rest: the expansion of a macro, or
// tokens that were pushed back.
type context struct {
	tokens []Token
	at     int
	macro  *macro // nil for tokens pushed back
}

// define reads what follows #define.
func (p *reader) define(line []Token) error {
	if len(line) == 0 || line[0].Kind != Ident {
		return source.Errorf(p.directive, "#define", "#define needs a name")
	}
	m := &macro{name: line[0].Text, pos: line[0].Pos}
	if m.name == "defined" || m.name == "__VA_ARGS__" {
		return source.Errorf(m.pos, "#define", "%s cannot be a macro", m.name)
	}
	body := line[1:]
	if len(body) > 0 && body[0].Is("(") && !body[0].Space {
		m.function = true
		rest, err := m.parameters(body[1:], body[0].Pos)
		if err != nil {
			return err
		}
		body = rest
	}
	m.body = slices.Clone(body)
	for i, t := range m.body {
		if t.Is("##") {
			if i == 0 || i == len(m.body)-1 {
				return source.Errorf(t.Pos, "##", "## joins two words: it cannot be the first or the last of a macro")
			}
		}
		if t.Is("#") && m.function {
			if i == len(m.body)-1 || m.parameter(m.body[i+1]) < 0 {
				return source.Errorf(t.Pos, "#", "# makes a string of a parameter of the macro: none follows it")
			}
		}
		if t.IsIdent("__VA_OPT__") {
			return source.Errorf(t.Pos, "__VA_OPT__", "__VA_OPT__ is not supported").With("write , ##__VA_ARGS__")
		}
		if t.IsIdent("__VA_ARGS__") && !m.variadic {
			return source.Errorf(t.Pos, "__VA_ARGS__", "__VA_ARGS__ stands for the arguments of a macro with ... only")
		}
	}
	p.macros[m.name] = m
	return nil
}

// parameters reads the names between the parentheses and returns what follows.
func (m *macro) parameters(line []Token, open source.Pos) ([]Token, error) {
	for i := 0; i < len(line); i++ {
		t := line[i]
		switch {
		case t.Is(")") && len(m.params) == 0:
			return line[i+1:], nil
		case t.Is("..."):
			m.variadic = true
			m.params = append(m.params, "__VA_ARGS__")
		case t.Kind == Ident:
			if slices.Contains(m.params, t.Text) {
				return nil, source.Errorf(t.Pos, "#define", "two parameters of macro %s are called %s", m.name, t.Text)
			}
			m.params = append(m.params, t.Text)
		default:
			return nil, source.Errorf(t.Pos, "#define", "a parameter of macro %s is expected here, not %s", m.name, t)
		}
		if i++; i == len(line) {
			break
		}
		if line[i].Is(")") {
			return line[i+1:], nil
		}
		if line[i].Is("...") && t.Kind == Ident {
			return nil, source.Errorf(line[i].Pos, "#define", "a named rest of arguments, %s..., is not supported", t.Text).With("write ... as the last parameter and __VA_ARGS__ in the macro")
		}
		if !line[i].Is(",") || m.variadic {
			return nil, source.Errorf(line[i].Pos, "#define", "the parameters of macro %s are to end here with ), not %s", m.name, line[i])
		}
	}
	return nil, source.Errorf(open, "#define", "the parameters of macro %s have no closing )", m.name)
}

// parameter returns the index of the parameter that t names, or -1.
func (m *macro) parameter(t Token) int {
	if t.Kind != Ident {
		return -1
	}
	return slices.Index(m.params, t.Text)
}

// next returns the next token after macro expansion.
func (p *reader) next() (Token, error) {
	for {
		t, err := p.raw()
		if err != nil || t.Kind != Ident || t.painted {
			return t, err
		}
		if t.Text == "_Pragma" {
			if err := p.pragmaOperator(t); err != nil {
				return t, err
			}
			continue
		}
		if builtin, ok := p.builtin(t); ok {
			return builtin, nil
		}
		m := p.macros[t.Text]
		if m == nil {
			return t, nil
		}
		if m.active {
			t.painted = true
			return t, nil
		}
		expanded, err := p.expand(m, t)
		if err != nil {
			return t, err
		}
		if !expanded {
			return t, nil
		}
	}
}

// raw returns the next token before macro expansion.
func (p *reader) raw() (Token, error) {
	for len(p.contexts) > 0 {
		c := p.contexts[len(p.contexts)-1]
		if c.at < len(c.tokens) {
			t := c.tokens[c.at]
			c.at++
			if t.Kind == placeholder {
				continue
			}
			return t, nil
		}
		if c.macro != nil {
			c.macro.active = false
		}
		p.contexts = p.contexts[:len(p.contexts)-1]
	}
	if p.isolated > 0 {
		return Token{Kind: EOF}, nil
	}
	return p.read()
}

func (p *reader) push(c *context) { p.contexts = append(p.contexts, c) }

// spend counts n tokens that an expansion of m at t makes.
func (p *reader) spend(n int, m *macro, t Token) error {
	p.work += n
	if p.work > p.limits.Expansion {
		return source.Errorf(t.Pos, "macro", "macro %s: the macros of this source expand to more than %d words", m.name, p.limits.Expansion).With("write the repetition as a loop or a template")
	}
	return nil
}

// expand puts the expansion of m, used at t, before the rest of the text. It
// reports false for a macro with parameters that is not called.
func (p *reader) expand(m *macro, t Token) (bool, error) {
	var args [][]Token
	if m.function {
		open, err := p.raw()
		if err != nil {
			return false, err
		}
		if !open.Is("(") {
			if open.Kind != EOF { // the end is read again
				p.push(&context{tokens: []Token{open}})
			}
			return false, nil
		}
		if args, err = p.arguments(m, t); err != nil {
			return false, err
		}
	}
	body, err := p.substitute(m, t, args)
	if err != nil {
		return false, err
	}
	if len(body) > 0 {
		body[0].Space, body[0].First = t.Space, t.First
	}
	if len(p.contexts) > p.limits.Nesting {
		return false, source.Errorf(t.Pos, "macro", "macro %s: macros are nested more than %d deep", m.name, p.limits.Nesting)
	}
	m.active = true
	p.push(&context{tokens: body, macro: m})
	return true, nil
}

// arguments reads the arguments of a call of m up to its closing parenthesis.
func (p *reader) arguments(m *macro, t Token) ([][]Token, error) {
	var args [][]Token
	var arg []Token
	depth := 0
	for {
		a, err := p.raw()
		if err != nil {
			return nil, err
		}
		switch {
		case a.Kind == EOF:
			return nil, source.Errorf(t.Pos, "macro", "the call of macro %s has no closing )", m.name).Note(m.pos, "the macro")
		case a.Is("("):
			depth++
		case a.Is(")"):
			if depth == 0 {
				if len(args) > 0 || len(arg) > 0 || len(m.params) > 0 {
					args = append(args, arg)
				}
				return args, m.count(t, &args)
			}
			depth--
		case a.Is(",") && depth == 0 && !(m.variadic && len(args) >= len(m.params)-1):
			args, arg = append(args, arg), nil
			if len(args) > 1000 {
				return nil, source.Errorf(t.Pos, "macro", "the call of macro %s has more than 1000 arguments", m.name)
			}
			continue
		}
		if err := p.spend(1, m, t); err != nil {
			return nil, err
		}
		if m := p.macros[a.Text]; a.Kind == Ident && m != nil && m.active {
			a.painted = true
		}
		arg = append(arg, a)
	}
}

// count holds the number of arguments against the parameters.
func (m *macro) count(t Token, args *[][]Token) error {
	if m.variadic && len(*args) == len(m.params)-1 {
		*args = append(*args, nil)
	}
	if len(*args) != len(m.params) {
		least := len(m.params)
		more := ""
		if m.variadic {
			least, more = least-1, " or more"
		}
		return source.Errorf(t.Pos, "macro", "macro %s takes %d%s %s and is called with %d", m.name, least, more, plural(least, "argument"), len(*args)).Note(m.pos, "the macro")
	}
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// substitute returns the body of m with its arguments in place.
func (p *reader) substitute(m *macro, t Token, args [][]Token) ([]Token, error) {
	expanded := make([][]Token, len(args)) // each argument with its own macros expanded, once it is needed
	ready := make([]bool, len(args))
	full := func(i int) ([]Token, error) {
		if !ready[i] {
			out, err := p.isolate(args[i], m, t)
			if err != nil {
				return nil, err
			}
			expanded[i], ready[i] = out, true
		}
		return expanded[i], nil
	}
	out := make([]Token, 0, len(m.body))
	add := func(tokens []Token, space bool) error {
		if err := p.spend(len(tokens), m, t); err != nil {
			return err
		}
		for i, a := range tokens {
			if i == 0 {
				a.Space = space
			}
			a.First = false
			out = append(out, a)
		}
		return nil
	}
	pasting := func(i int) bool { return i < len(m.body) && m.body[i].Is("##") }

	for i := 0; i < len(m.body); i++ {
		b := m.body[i]
		switch {
		case b.Is("##"):
			// The words on both sides are joined, after the right one is in place.
			i++
			right := []Token{m.located(m.body[i], t)}
			if m.function && m.body[i].Is("#") {
				i++
				s, err := p.stringize(m, t, args[m.parameter(m.body[i])])
				if err != nil {
					return nil, err
				}
				right[0] = s
			} else if n := m.parameter(m.body[i]); n >= 0 {
				right = args[n]
				if m.variadic && n == len(m.params)-1 && len(out) > 0 && out[len(out)-1].Is(",") {
					// , ## __VA_ARGS__ leaves the comma out where there are no arguments.
					if len(right) == 0 {
						out = out[:len(out)-1]
						continue
					}
					var err error
					if right, err = full(n); err != nil {
						return nil, err
					}
					if err := add(right, true); err != nil {
						return nil, err
					}
					continue
				}
			}
			if len(right) == 0 {
				continue
			}
			left := Token{Kind: placeholder}
			if len(out) > 0 {
				left, out = out[len(out)-1], out[:len(out)-1]
			}
			joined, err := p.paste(m, t, left, right[0])
			if err != nil {
				return nil, err
			}
			if err := add([]Token{joined}, left.Space); err != nil {
				return nil, err
			}
			if err := add(right[1:], len(right) > 1 && right[1].Space); err != nil {
				return nil, err
			}
		case m.function && b.Is("#"):
			i++
			s, err := p.stringize(m, t, args[m.parameter(m.body[i])])
			if err != nil {
				return nil, err
			}
			if err := add([]Token{s}, b.Space); err != nil {
				return nil, err
			}
		case m.parameter(b) >= 0:
			n := m.parameter(b)
			arg := args[n]
			if pasting(i + 1) {
				if len(arg) == 0 {
					arg = []Token{{Kind: placeholder, Pos: t.Pos}}
				}
			} else {
				var err error
				if arg, err = full(n); err != nil {
					return nil, err
				}
			}
			if err := add(arg, b.Space); err != nil {
				return nil, err
			}
		default:
			if err := add([]Token{m.located(b, t)}, b.Space); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// located is a word of the body, placed where the macro is used.
func (m *macro) located(b, use Token) Token {
	b.Pos = source.Pos{File: use.Pos.File, Offset: use.Pos.Offset, Macro: &source.Expansion{
		Name:  m.name,
		Token: source.Pos{File: b.Pos.File, Offset: b.Pos.Offset, Macro: use.Pos.Macro},
	}}
	return b
}

// isolate expands the macros in an argument as if it were the whole text.
func (p *reader) isolate(arg []Token, m *macro, t Token) ([]Token, error) {
	if !slices.ContainsFunc(arg, func(a Token) bool { return a.Kind == Ident && !a.painted }) {
		return arg, nil
	}
	if p.isolated++; p.isolated > p.limits.Nesting {
		return nil, source.Errorf(t.Pos, "macro", "macro %s: calls of macros are nested more than %d deep", m.name, p.limits.Nesting)
	}
	saved := p.contexts
	p.contexts = []*context{{tokens: arg}}
	defer func() { p.contexts, p.isolated = saved, p.isolated-1 }()
	var out []Token
	for {
		a, err := p.next()
		if err != nil {
			return nil, err
		}
		if a.Kind == EOF {
			return out, nil
		}
		if err := p.spend(1, m, t); err != nil {
			return nil, err
		}
		out = append(out, a)
	}
}

// stringize makes a string of an argument as it is written.
func (p *reader) stringize(m *macro, t Token, arg []Token) (Token, error) {
	var b strings.Builder
	b.WriteByte('"')
	for i, a := range arg {
		if i > 0 && (a.Space || a.First) {
			b.WriteByte(' ')
		}
		if a.Kind == String || a.Kind == Char {
			for j := 0; j < len(a.Text); j++ {
				if a.Text[j] == '"' || a.Text[j] == '\\' {
					b.WriteByte('\\')
				}
				b.WriteByte(a.Text[j])
			}
			continue
		}
		b.WriteString(a.Text)
		if b.Len() > p.limits.Word {
			break
		}
	}
	b.WriteByte('"')
	return Token{Kind: String, Text: b.String(), Pos: t.Pos}, p.length(m, t, b.Len())
}

func (p *reader) length(m *macro, t Token, n int) error {
	if n > p.limits.Word {
		return source.Errorf(t.Pos, "macro", "macro %s makes a word of more than %d characters", m.name, p.limits.Word)
	}
	return nil
}

// paste joins two words into one.
func (p *reader) paste(m *macro, t, left, right Token) (Token, error) {
	if left.Kind == placeholder {
		right.painted = false
		return right, nil
	}
	if right.Kind == placeholder {
		left.painted = false
		return left, nil
	}
	text := left.Text + right.Text
	if err := p.length(m, t, len(text)); err != nil {
		return left, err
	}
	l := newLexer(source.NewFile(m.name, text))
	joined, err := l.token()
	if err != nil || joined.Kind == EOF || !l.end() {
		return left, source.Errorf(t.Pos, "##", "macro %s joins %s and %s, which make no word", m.name, left, right).Note(m.pos, "the macro")
	}
	joined.Pos, joined.First = left.Pos, false
	return joined, nil
}

// pragmaOperator reads _Pragma("…") as the line #pragma ….
func (p *reader) pragmaOperator(t Token) error {
	var parts [3]Token
	for i := range parts {
		var err error
		if parts[i], err = p.next(); err != nil {
			return err
		}
	}
	if !parts[0].Is("(") || parts[1].Kind != String || !parts[2].Is(")") {
		return source.Errorf(t.Pos, "_Pragma", `_Pragma takes one string: _Pragma("unroll")`)
	}
	text := parts[1].Text[1 : len(parts[1].Text)-1]
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\"`, `"`), `\\`, `\`)
	l := newLexer(source.NewFile("_Pragma", text))
	var line []Token
	for {
		a, err := l.token()
		if err != nil {
			return source.Errorf(t.Pos, "_Pragma", "the string of _Pragma holds no words of CUDA C")
		}
		if a.Kind == EOF {
			break
		}
		a.Pos, a.First = t.Pos, false
		line = append(line, a)
	}
	if tokens := pragma(line, t.Pos); tokens != nil {
		p.push(&context{tokens: tokens})
	}
	return nil
}
