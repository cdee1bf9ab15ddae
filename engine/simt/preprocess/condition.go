package preprocess

import (
	"fmt"
	"strconv"
	"strings"

	"workbench/engine/simt/source"
)

// condition evaluates #if, #ifdef and #ifndef.
func (p *reader) condition(name Token, line []Token) (bool, error) {
	directive := "#" + name.Text
	if name.Text != "if" {
		if len(line) == 0 || line[0].Kind != Ident {
			return false, source.Errorf(name.Pos, directive, "%s needs the name of a macro", directive)
		}
		return p.defined(line[0].Text) == (name.Text == "ifdef"), nil
	}
	line, err := p.resolve(line)
	if err != nil {
		return false, err
	}
	if line, err = p.isolate(line, &macro{name: "#if"}, name); err != nil {
		return false, err
	}
	e := &evaluator{tokens: line, at: name.Pos, limit: p.limits.Nesting}
	v, err := e.ternary(true)
	if err != nil {
		return false, err
	}
	if e.next < len(line) {
		return false, e.errorf("#if: %s is not expected here", line[e.next])
	}
	return v.bits != 0, nil
}

func (p *reader) defined(name string) bool {
	if p.macros[name] != nil {
		return true
	}
	switch name {
	case "__LINE__", "__FILE__", "__COUNTER__", "__has_include":
		return true
	}
	return false
}

// resolve replaces defined(X) and __has_include(<x>), whose operands are not
// expanded.
func (p *reader) resolve(line []Token) ([]Token, error) {
	var out []Token
	for i := 0; i < len(line); i++ {
		t := line[i]
		rest := line[i+1:]
		switch {
		case t.IsIdent("defined"):
			var operand Token
			switch {
			case len(rest) >= 3 && rest[0].Is("(") && rest[1].Kind == Ident && rest[2].Is(")"):
				operand = rest[1]
				i += 3
			case len(rest) >= 1 && rest[0].Kind == Ident:
				operand = rest[0]
				i++
			default:
				return nil, source.Errorf(t.Pos, "defined", "defined takes the name of a macro: defined(NAME)")
			}
			out = append(out, truth(t, p.defined(operand.Text)))
		case t.IsIdent("__has_include"):
			end := 0
			for end < len(rest) && !rest[end].Is(")") {
				end++
			}
			if end == len(rest) || !rest[0].Is("(") {
				return nil, source.Errorf(t.Pos, "__has_include", "__has_include takes a header: __has_include(<name>)")
			}
			var name strings.Builder
			for _, part := range rest[1:end] {
				name.WriteString(part.Text)
			}
			text := name.String()
			angled := strings.HasPrefix(text, "<")
			there := false
			if p.include != nil {
				f, err := p.include(strings.Trim(text, `<>"`), angled)
				there = err == nil && f != nil
			}
			out = append(out, truth(t, there))
			i += 1 + end
		default:
			out = append(out, t)
		}
	}
	return out, nil
}

func truth(at Token, yes bool) Token {
	at.Kind, at.Text = Number, "0"
	if yes {
		at.Text = "1"
	}
	return at
}

// A value of #if has 64 bits, with or without sign.
type value struct {
	bits     uint64
	unsigned bool
}

func boolean(yes bool) value {
	if yes {
		return value{bits: 1}
	}
	return value{}
}

// An evaluator computes the expression of an #if. Where live is false, the value
// does not matter: nothing that it would divide by is looked at.
type evaluator struct {
	tokens []Token
	next   int
	at     source.Pos // of the directive
	depth  int
	limit  int
}

func (e *evaluator) errorf(format string, args ...any) error {
	at := e.at
	if e.next < len(e.tokens) {
		at = e.tokens[e.next].Pos
	}
	return source.Errorf(at, "#if", format, args...)
}

func (e *evaluator) accept(op string) bool {
	if e.next < len(e.tokens) && e.tokens[e.next].Is(op) {
		e.next++
		return true
	}
	return false
}

func (e *evaluator) ternary(live bool) (value, error) {
	if e.depth++; e.depth > e.limit {
		return value{}, e.errorf("#if: parentheses and operators are nested more than %d deep", e.limit)
	}
	defer func() { e.depth-- }()
	c, err := e.binary(1, live)
	if err != nil || !e.accept("?") {
		return c, err
	}
	yes, err := e.ternary(live && c.bits != 0)
	if err != nil {
		return c, err
	}
	if !e.accept(":") {
		return c, e.errorf("#if: a : is expected here")
	}
	no, err := e.ternary(live && c.bits == 0)
	if err != nil {
		return c, err
	}
	out := yes
	if c.bits == 0 {
		out = no
	}
	out.unsigned = yes.unsigned || no.unsigned
	return out, nil
}

// levels are the operators by precedence.
var levels = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

func (e *evaluator) binary(level int, live bool) (value, error) {
	left, err := e.unary(live)
	if err != nil {
		return left, err
	}
	for e.next < len(e.tokens) {
		op := e.tokens[e.next]
		n := levels[op.Text]
		if op.Kind != Punct || n < level {
			break
		}
		e.next++
		rightLive := live && !(op.Text == "&&" && left.bits == 0) && !(op.Text == "||" && left.bits != 0)
		right, err := e.binary(n+1, rightLive)
		if err != nil {
			return left, err
		}
		if left, err = e.apply(op, left, right, live); err != nil {
			return left, err
		}
	}
	return left, nil
}

func (e *evaluator) apply(op Token, x, y value, live bool) (value, error) {
	u := x.unsigned || y.unsigned
	less := func(a, b value) bool {
		if u {
			return a.bits < b.bits
		}
		return int64(a.bits) < int64(b.bits)
	}
	out := value{unsigned: u}
	switch op.Text {
	case "||":
		return boolean(x.bits != 0 || y.bits != 0), nil
	case "&&":
		return boolean(x.bits != 0 && y.bits != 0), nil
	case "==":
		return boolean(x.bits == y.bits), nil
	case "!=":
		return boolean(x.bits != y.bits), nil
	case "<":
		return boolean(less(x, y)), nil
	case ">":
		return boolean(less(y, x)), nil
	case "<=":
		return boolean(!less(y, x)), nil
	case ">=":
		return boolean(!less(x, y)), nil
	case "|":
		out.bits = x.bits | y.bits
	case "^":
		out.bits = x.bits ^ y.bits
	case "&":
		out.bits = x.bits & y.bits
	case "+":
		out.bits = x.bits + y.bits
	case "-":
		out.bits = x.bits - y.bits
	case "*":
		out.bits = x.bits * y.bits
	case "<<", ">>":
		out.unsigned = x.unsigned
		switch {
		case y.bits > 63:
		case op.Text == "<<":
			out.bits = x.bits << y.bits
		case x.unsigned:
			out.bits = x.bits >> y.bits
		default:
			out.bits = uint64(int64(x.bits) >> y.bits)
		}
	case "/", "%":
		if y.bits == 0 {
			if !live {
				return out, nil
			}
			return out, source.Errorf(op.Pos, "#if", "#if: division by zero")
		}
		switch {
		case u && op.Text == "/":
			out.bits = x.bits / y.bits
		case u:
			out.bits = x.bits % y.bits
		case op.Text == "/":
			out.bits = uint64(int64(x.bits) / int64(y.bits))
		default:
			out.bits = uint64(int64(x.bits) % int64(y.bits))
		}
	}
	return out, nil
}

func (e *evaluator) unary(live bool) (value, error) {
	if e.depth++; e.depth > e.limit {
		return value{}, e.errorf("#if: parentheses and operators are nested more than %d deep", e.limit)
	}
	defer func() { e.depth-- }()
	if e.next == len(e.tokens) {
		return value{}, e.errorf("#if: a number, a name or ( is expected at the end")
	}
	t := e.tokens[e.next]
	switch {
	case e.accept("("):
		v, err := e.ternary(live)
		if err != nil {
			return v, err
		}
		if !e.accept(")") {
			return v, e.errorf("#if: a ) is expected here")
		}
		return v, nil
	case e.accept("!"):
		v, err := e.unary(live)
		return boolean(v.bits == 0), err
	case e.accept("-"):
		v, err := e.unary(live)
		v.bits = -v.bits
		return v, err
	case e.accept("+"):
		return e.unary(live)
	case e.accept("~"):
		v, err := e.unary(live)
		v.bits = ^v.bits
		return v, err
	case t.Kind == Ident:
		e.next++
		return boolean(t.Text == "true"), nil // a name that is no macro is 0
	case t.Kind == Number:
		bits, unsigned, err := integer(t.Text)
		if err != nil {
			return value{}, e.errorf("#if: %v", err)
		}
		e.next++
		return value{bits, unsigned}, nil
	case t.Kind == Char:
		c, err := Unquote(t)
		if err != nil {
			return value{}, err
		}
		if len(c) != 1 {
			return value{}, e.errorf("#if: %s is not one character", t)
		}
		e.next++
		return value{bits: uint64(int8(c[0]))}, nil
	}
	return value{}, e.errorf("#if: a number, a name or ( is expected here, not %s", t)
}

// integer reads an integer as #if takes it.
func integer(text string) (uint64, bool, error) {
	digits := strings.TrimRight(text, "uUlL")
	suffix := strings.ToLower(text[len(digits):])
	switch suffix {
	case "", "u", "l", "ul", "lu", "ll", "ull", "llu":
	default:
		return 0, false, fmt.Errorf("%s is no integer", text)
	}
	digits = strings.ReplaceAll(digits, "'", "")
	base, body := 10, digits
	switch {
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0X"):
		base, body = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"), strings.HasPrefix(digits, "0B"):
		base, body = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, body = 8, digits[1:]
	}
	v, err := strconv.ParseUint(body, base, 64)
	if err != nil {
		return 0, false, fmt.Errorf("%s is no integer of 64 bits", text)
	}
	return v, strings.Contains(suffix, "u") || v > 1<<63-1, nil
}
