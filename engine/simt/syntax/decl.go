package syntax

import (
	"slices"
	"strings"

	"workbench/engine/simt/preprocess"
	"workbench/engine/simt/source"
)

// declaration reads a declaration outside of functions.
func (p *parser) declaration() []Decl {
	defer p.enter()()
	t := p.tok()
	switch {
	case p.accept(";"):
		return nil
	case t.Kind == preprocess.Pragma:
		for p.next().Kind != preprocess.PragmaEnd {
		}
		return nil
	case t.IsIdent("extern") && p.ahead(1).Kind == preprocess.String:
		return p.linkage()
	case t.IsIdent("extern") && p.ahead(1).IsIdent("template"):
		p.next()
		return p.templateDeclaration()
	case t.IsIdent("template"):
		return p.templateDeclaration()
	case t.IsIdent("namespace"), t.IsIdent("inline") && p.ahead(1).IsIdent("namespace"):
		return p.namespace()
	case t.IsIdent("using"):
		return []Decl{p.using(false)}
	case t.IsIdent("static_assert"), t.IsIdent("_Static_assert"):
		return []Decl{p.staticAssert()}
	case t.IsIdent("asm"), t.IsIdent("__asm__"), t.IsIdent("__asm"):
		p.refuse(t.Pos, "asm", "assembly outside of functions has no effect here: leave it out")
	}
	if host := p.hostCode(); host != nil {
		return []Decl{host}
	}
	return p.simpleDeclaration(false)
}

// hostCode passes over a function or variable of the host, which has none of
// CUDA's words in front; nil if none is here.
func (p *parser) hostCode() Decl {
	start := p.tok()
	if start.Pos.File != nil && start.Pos.File.BuiltIn {
		return nil
	}
	switch start.Text {
	case "struct", "class", "union", "enum", "typedef", "friend":
		return nil
	}
	name := start
	function := false
	for i, angle := p.at, 0; ; i++ {
		t := p.tokens[i]
		if t.Kind == preprocess.EOF {
			return nil // what is wrong is reported where it is read
		}
		if t.Is("(") && i == p.at+1 && p.scope.class == "" {
			return nil // a call, and no declaration
		}
		if t.Kind == preprocess.Ident {
			switch t.Text {
			case "__device__", "__global__", "__shared__", "__constant__", "__managed__", "constexpr":
				return nil
			case "operator":
				name = t
			}
			if p.tokens[i+1].Is("(") && !function && !keywords[t.Text] {
				name, function = t, true
			}
		}
		if t.Is("<") {
			angle++
		}
		if t.Is(">") {
			angle--
		}
		if t.Is("(") {
			function = true
			saved := p.at
			p.at = i
			if err := p.attempt(p.skipBalanced); err != nil {
				p.at = saved
				return nil
			}
			// __host__ void f(__device__ …) is nothing: what counts is in front of
			// the parentheses, but they are passed over as one.
			i, p.at = p.at-1, saved
			continue
		}
		if t.Is("=") && !function || t.Is(";") || t.Is("{") {
			break
		}
		if t.Is("}") {
			return nil
		}
	}
	if !function {
		// A variable is the host's if its type is: std::vector<float> v;
		if p.isName() && p.ahead(1).Is("::") && p.scope.lookup(start.Text) == nil || strings.HasPrefix(start.Text, "std") && p.unknownAhead() || strings.HasPrefix(start.Text, "cuda") && p.scope.lookup(start.Text) == nil {
			p.skipDeclaration()
			return &HostCode{At: At{start.Pos}, Name: start.Text}
		}
		return nil
	}
	p.skipDeclaration()
	return &HostCode{At: At{name.Pos}, Name: name.Text}
}

// unknownAhead reports whether no type is known by the name here.
func (p *parser) unknownAhead() bool { return !p.typeAhead() }

// skipDeclaration passes over a declaration up to its ; or its body.
func (p *parser) skipDeclaration() {
	start := p.tok()
	assigned := false
	for {
		t := p.tok()
		switch {
		case t.Kind == preprocess.EOF:
			p.fail(start.Pos, "declaration", "this declaration has no end")
		case t.Is(";"):
			p.next()
			return
		case t.Is("="):
			assigned = true
			p.next()
		case t.Is("{"):
			p.skipBalanced()
			if !assigned && !p.is(",") && !p.is("{") && !p.is(";") {
				return
			}
			if !assigned && p.is(";") {
				p.next()
				return
			}
		case t.Is("("), t.Is("["):
			p.skipBalanced()
		default:
			p.next()
		}
	}
}

// linkage reads extern "C".
func (p *parser) linkage() []Decl {
	at := p.next().Pos
	language := p.next()
	if language.Text != `"C"` && language.Text != `"C++"` {
		p.fail(language.Pos, "extern", `extern takes "C" or "C++", not %s`, language)
	}
	c := language.Text == `"C"`
	var out []Decl
	if p.is("{") {
		open := p.next()
		for !p.accept("}") {
			if p.tok().Kind == preprocess.EOF {
				p.fail(open.Pos, "{", "this { is not closed")
			}
			out = append(out, p.outside()...)
		}
	} else {
		out = p.outside()
	}
	_ = at
	if c {
		markC(out)
	}
	return out
}

// markC gives the functions and variables of extern "C" their plain names.
func markC(decls []Decl) {
	for _, d := range decls {
		switch d := d.(type) {
		case *Func:
			d.C = true
		case *Var:
			d.C = true
		case *Namespace:
			markC(d.Decls)
		case *Trial:
			markC([]Decl{d.Decl})
		}
	}
}

func (p *parser) namespace() []Decl {
	inline := p.acceptWord("inline")
	at := p.next().Pos
	var parts []preprocess.Token
	for p.isName() {
		parts = append(parts, p.next())
		if !p.accept("::") {
			break
		}
	}
	if len(parts) == 1 && p.is("=") {
		p.next()
		of, what := p.name()
		p.semicolon("after the namespace")
		if what == nil || what.kind != namespaceName {
			panic(source.Errorf(of.Pos(), "namespace", "there is no namespace %s here", of).Missing())
		}
		p.declare(parts[0].Text, what)
		return []Decl{&NamespaceAlias{At{parts[0].Pos}, parts[0].Text, of}}
	}
	open := p.expect("{", "after namespace")
	if len(parts) == 0 {
		parts = []preprocess.Token{{Pos: at}}
		inline = true // its names are used as if they were outside
	}
	saved := p.scope
	defer func() { p.scope = saved }()
	var outer, inner *Namespace
	for _, name := range parts {
		e := p.scope.names[name.Text]
		if name.Text == "" || e == nil || e.kind != namespaceName {
			e = &entry{kind: namespaceName, members: newScope(p.scope)}
			if name.Text != "" {
				p.declare(name.Text, e)
			}
			if inline {
				p.scope.also = append(p.scope.also, e.members)
				clear(p.names)
			}
		}
		n := &Namespace{At: At{name.Pos}, Name: name.Text, Inline: inline}
		if outer == nil {
			outer = n
		} else {
			inner.Decls = []Decl{n}
		}
		inner = n
		p.scope = e.members
	}
	for !p.accept("}") {
		if p.tok().Kind == preprocess.EOF {
			p.fail(open.Pos, "{", "this { is not closed")
		}
		inner.Decls = append(inner.Decls, p.outside()...)
	}
	return []Decl{outer}
}

// using reads using namespace a; using a::b; and using T = type;
func (p *parser) using(template bool) Decl {
	at := p.next().Pos
	p.templated = false
	if p.acceptWord("namespace") {
		n, what := p.name()
		p.semicolon("after the namespace")
		if what == nil || what.kind != namespaceName {
			err := source.Errorf(n.Pos(), "namespace", "there is no namespace %s here", n).Missing()
			if header, ok := ofHeader[n.String()]; ok {
				err.With("#include <%s>", header)
			}
			panic(err)
		}
		p.scope.also = append(p.scope.also, what.members)
		clear(p.names)
		return &UsingNamespace{n}
	}
	if p.isName() && p.ahead(1).Is("=") {
		name := p.next()
		p.next()
		t := p.typeID()
		p.semicolon("after the type")
		e := p.typeEntry(t)
		if template {
			e = &entry{kind: typeTemplate, members: e.members}
		}
		p.declare(name.Text, e)
		return &Alias{At{name.Pos}, name.Text, t}
	}
	p.acceptWord("typename")
	n, what := p.name()
	p.semicolon("after the name")
	if len(n.Parts) < 2 && !n.Global {
		p.fail(at, "using", "using takes a qualified name: using a::b")
	}
	if what != nil {
		p.declare(n.Last().Ident, what)
	}
	return &Using{n}
}

// ofHeader says which header has a namespace, or a template.
var ofHeader = map[string]string{
	"cooperative_groups": "cooperative_groups.h",
	"std::is_same":       "type_traits", "std::enable_if": "type_traits", "std::enable_if_t": "type_traits", "std::conditional": "type_traits", "std::conditional_t": "type_traits",
	"std::is_integral": "type_traits", "std::is_floating_point": "type_traits", "std::remove_reference": "type_traits", "std::remove_cv": "type_traits", "std::numeric_limits": "limits",
}

// typeEntry returns the entry of a name that stands for t.
func (p *parser) typeEntry(t Type) *entry {
	e := &entry{kind: typeName}
	for {
		switch u := t.(type) {
		case *Qualified:
			t = u.Elem
			continue
		case *Named:
			var what *entry
			if s := p.scopeOf(u.Name); s != nil {
				what = s.own(u.Name.Last().Ident, 0)
			} else if len(u.Name.Parts) == 1 {
				what = p.scope.lookup(u.Name.Last().Ident)
			}
			if what != nil {
				e.members = what.members
			}
		case *Defined:
			e.members = p.anonymous[u.Decl]
		}
		return e
	}
}

func (p *parser) staticAssert() Decl {
	at := p.next().Pos
	p.expect("(", "after static_assert")
	d := &StaticAssert{At: At{at}, Cond: p.assignment()}
	if p.accept(",") {
		for p.tok().Kind == preprocess.String {
			text, err := preprocess.Unquote(p.next())
			if err != nil {
				panic(err)
			}
			d.Message += text
		}
	}
	p.expect(")", "after the condition of static_assert")
	p.semicolon("after static_assert")
	return d
}

// templateDeclaration reads template <…> and what follows.
func (p *parser) templateDeclaration() []Decl {
	at := p.next().Pos
	if !p.is("<") {
		// template __global__ void f<int>(int*); asks for an instance
		decls := p.simpleDeclaration(false)
		var out []Decl
		for _, d := range decls {
			out = append(out, &Instantiate{At{at}, d})
		}
		return out
	}
	saved := p.scope
	p.scope = newScope(saved)
	p.scope.class = saved.class
	defer func() { p.scope = saved }()
	t := &Template{At: At{at}, Order: p.at}
	t.Params = p.templateParams()
	inner := p.scope
	if p.word("requires") {
		p.refuse(p.pos(), "requires", "it is of C++20: use static_assert, or another overload")
	}
	if p.word("template") {
		more := p.templateDeclaration()
		if len(more) != 1 {
			return nil
		}
		p.promote(inner, saved)
		t.Decl = more[0]
		t.Place = t.Decl.Pos()
		return []Decl{t}
	}
	p.templated = true
	defer func() { p.templated = false }()
	switch {
	case p.word("using"):
		p.templated = false
		t.Decl = p.using(true)
		t.Place = t.Decl.Pos()
		p.promote(inner, saved)
		return []Decl{t}
	case p.word("friend"):
		p.refuse(p.pos(), "friend", "make what is needed public")
	}
	if host := p.hostCode(); host != nil {
		return []Decl{host}
	}
	decls := p.simpleDeclaration(p.scope.class != "" && p.deferred != nil)
	p.promote(inner, saved)
	if len(decls) == 1 {
		t.Decl = decls[0]
		t.Place = t.Decl.Pos()
		return []Decl{t}
	}
	p.fail(at, "template", "a template declares one thing: write several as several templates")
	return nil
}

// promote moves what a template declares out of the scope of its parameters.
func (p *parser) promote(from, to *scope) {
	for name, e := range from.names {
		if !slices.Contains(from.params, name) {
			p.declareIn(to, name, e)
		}
	}
	clear(p.names)
}

func (p *parser) templateParams() []*TemplateParam {
	open := p.expect("<", "after template")
	saved := p.inArgs
	p.inArgs = true
	defer func() { p.inArgs = saved }()
	var out []*TemplateParam
	for !p.is(">") {
		out = append(out, p.templateParam())
		if len(out) > 1000 {
			p.fail(open.Pos, "template", "a template has more than 1000 parameters here")
		}
		if !p.accept(",") {
			break
		}
	}
	if !p.is(">") {
		p.fail(p.pos(), "template", "the parameters of a template are to end here with >, not %s", p.tok())
	}
	p.next()
	return out
}

func (p *parser) templateParam() *TemplateParam {
	at := p.pos()
	out := &TemplateParam{At: At{at}}
	if p.word("template") {
		p.refuse(at, "template template parameter", "take the instance as a type: typename T")
	}
	isType := p.word("class") || p.word("typename") && (p.ahead(1).Kind == preprocess.Ident || p.ahead(1).Kind == preprocess.Punct) && !p.ahead(2).Is("::") && !p.ahead(2).Is("<")
	if isType {
		p.next()
		out.Pack = p.accept("...")
		if p.isName() {
			t := p.next()
			out.Name, out.Place = t.Text, t.Pos
		}
		p.scope.params = append(p.scope.params, out.Name)
		p.declare(out.Name, &entry{kind: typeName})
		if p.accept("=") {
			out.DefaultType = p.typeID()
		}
		return out
	}
	_, t := p.specifiers()
	if t == nil {
		p.notAType(at)
	}
	out.Pack = p.accept("...")
	d := p.declarator(t, optional)
	out.Type = d.typ
	if d.name != nil {
		out.Name, out.Place = d.name.Last().Ident, d.at
		p.scope.params = append(p.scope.params, out.Name)
		p.declare(out.Name, &entry{kind: valueName})
	}
	if p.accept("=") {
		out.Default = p.conditional()
	}
	return out
}

// simpleDeclaration reads variables, functions, types and typedefs.
func (p *parser) simpleDeclaration(member bool) []Decl {
	templated := p.templated
	at := p.pos()
	order := p.at
	var out []Decl
	p.definesTemplate = templated
	p.templated = false
	specs, t := p.specifiers()
	p.definesTemplate = false
	if d, ok := unqualified(t).(*Defined); ok {
		out = append(out, d.Decl)
		align(d.Decl, &specs)
	}
	if p.accept(";") {
		if len(out) == 0 {
			if n, ok := t.(*Named); ok && p.forward[n] != nil {
				return []Decl{p.forward[n]}
			}
			if t == nil {
				p.fail(at, "declaration", "this declares nothing")
			}
		}
		return out
	}
	if t == nil && !p.nameless() {
		p.unknownType(at)
	}
	for {
		d := p.declarator(t, named)
		if d.typ == nil && d.fn == nil {
			// A constructor, a destructor or an operator has no type, and nothing else.
			p.fail(d.at, "declaration", "this is declared without a type: a function needs its parameters in parentheses, and everything else a type in front")
		}
		switch {
		case specs.Typedef:
			if d.fn != nil {
				p.refuse(d.at, "typedef of a function", "call the function by its name, or take it as a template parameter")
			}
			p.declare(d.name.Last().Ident, p.typeEntry(d.typ))
			out = append(out, &Alias{At{d.at}, d.name.Last().Ident, d.typ})
		case d.fn != nil:
			f := d.fn
			f.Specs, f.Name, f.Place, f.Order = specs, d.name, d.at, order
			if f.Result == nil {
				f.Result = d.typ
			}
			p.special(f, t, member)
			kind := valueName
			if templated {
				kind = functionTemplate
				if member {
					if p.memberTemplates == nil {
						p.memberTemplates = map[string]bool{}
					}
					p.memberTemplates[d.name.Last().Ident] = true
				}
			}
			if len(d.name.Parts) == 1 && !f.Constructor && !f.Destructor {
				p.declare(d.name.Last().Ident, &entry{kind: kind})
			}
			body := p.functionBody(f, d.within)
			out = append(out, f)
			if body {
				return out
			}
		default:
			if d.name == nil {
				p.fail(d.at, "name", "a name is expected here, not %s", p.tok())
			}
			v := &Var{At: At{d.at}, Specs: specs, Name: d.name, Type: d.typ, Order: order}
			if len(d.name.Parts) == 1 {
				kind := valueName
				if templated {
					kind = functionTemplate // of variables: a < follows its name too
				}
				p.declare(d.name.Last().Ident, &entry{kind: kind})
			}
			p.initial(v, member)
			if p.word("__intrinsic") {
				v.Intrinsic = p.intrinsic()
			}
			out = append(out, v)
		}
		if !p.accept(",") {
			break
		}
	}
	p.semicolon("after a declaration")
	return out
}

func unqualified(t Type) Type {
	if q, ok := t.(*Qualified); ok {
		return q.Elem
	}
	return t
}

// align moves an alignment that is written before a struct to it.
func align(d Decl, specs *Specs) {
	if s, ok := d.(*Struct); ok {
		s.Align = append(s.Align, specs.Align...)
		s.AlignTypes = append(s.AlignTypes, specs.AlignTypes...)
		specs.Align, specs.AlignTypes = nil, nil
	}
}

// nameless reports whether what follows is declared without a type: a
// constructor, a destructor or a conversion.
func (p *parser) nameless() bool {
	return p.constructorAhead() || p.is("~") || p.word("operator")
}

// unknownType reports a declaration that begins with a name that is no type.
func (p *parser) unknownType(at source.Pos) {
	t := p.tok()
	if t.Kind == preprocess.Punct && t.Text == "}" {
		p.fail(t.Pos, "}", "this } closes nothing")
	}
	if p.isName() && p.ahead(1).Is("<") {
		if e := p.scope.lookup(t.Text); e == nil {
			p.noTemplate(&Name{At: At{t.Pos}, Parts: []Part{{At: At{t.Pos}, Ident: t.Text}}})
		}
	}
	if p.isName() && p.ahead(1).Is("(") {
		panic(source.Errorf(t.Pos, t.Text, "a declaration is expected here, not a call of %s", t.Text).With("statements belong into functions; a function needs a type in front, void if it returns nothing"))
	}
	p.notAType(at)
}

// special finds out what a function without a type in front is.
func (p *parser) special(f *Func, t Type, member bool) {
	last := f.Name.Last()
	switch {
	case last.Convert != nil:
		f.Result = last.Convert
	case strings.HasPrefix(last.Ident, "~"):
		f.Destructor = true
	case t == nil:
		f.Constructor = true
	}
	if f.Constructor || f.Destructor {
		f.Result = nil
	}
}

// initial reads the initial value of a variable.
func (p *parser) initial(v *Var, member bool) {
	switch {
	case member && p.accept(":"):
		v.Bits = p.conditional()
		p.refuse(v.Pos(), "bit-field", "use shifts and masks on an unsigned integer")
	case p.accept("="):
		v.Init = p.initializer()
	case p.is("{"):
		v.Init = p.list()
	case p.is("("):
		p.next()
		v.Args, v.Paren = p.arguments(")"), true
	}
}

// initializer reads a value or a list in braces.
func (p *parser) initializer() Expr {
	saved := p.inArgs
	defer func() { p.inArgs = saved }()
	if p.is("{") {
		return p.list()
	}
	return p.assignment()
}

// functionRest reads a function from its parameters up to its body, and returns
// the scope that the body is in.
func (p *parser) functionRest(name *Name) (*Func, *scope) {
	f := &Func{}
	saved := p.scope
	defer func() { p.scope = saved }()
	parent := p.scope
	if s := p.scopeOf(name); s != nil {
		// The names of a template's parameters, and behind them the struct's.
		joined := newScope(saved)
		joined.also = []*scope{s}
		joined.class = s.class
		for at := s.parent; at != nil && at != p.global; at = at.parent {
			joined.also = append(joined.also, at)
		}
		parent = joined
	}
	p.scope = newScope(parent)
	p.scope.class = parent.class
	f.Params, f.Variadic = p.parameters()
	for {
		switch {
		case p.acceptWord("const"):
			f.Const = true
			continue
		case p.acceptWord("volatile"), p.acceptWord("override"), p.acceptWord("final"), p.is("&") && p.acceptRef(), p.is("&&") && p.acceptRef():
			continue
		case p.acceptWord("noexcept"), p.acceptWord("throw"):
			if p.is("(") {
				p.skipBalanced()
			}
			continue
		case p.word("__attribute__"):
			var s Specs
			p.attribute(&s)
			continue
		case p.word("__launch_bounds__"):
			p.fail(p.pos(), "__launch_bounds__", "__launch_bounds__ belongs in front of the function's name")
		case p.is("[") && p.ahead(1).Is("["):
			p.skipBalanced()
			continue
		case p.word("__intrinsic"):
			f.intrinsic = p.intrinsic()
			continue
		case p.is("->"):
			p.next()
			f.Result = p.typeID()
			continue
		case p.word("requires"):
			p.refuse(p.pos(), "requires", "it is of C++20: use static_assert, or another overload")
		}
		break
	}
	return f, p.scope
}

// intrinsic reads __intrinsic(a.b), which the headers of this program use.
func (p *parser) intrinsic() string {
	if !p.pos().File.BuiltIn {
		p.refuse(p.pos(), "__intrinsic", "only built-in headers have it")
	}
	p.next()
	p.expect("(", "after __intrinsic")
	name := p.next().Text
	for p.accept(".") {
		part := p.next().Text
		if word, ok := spelled[part]; ok {
			part = word
		}
		name += "." + part
	}
	p.expect(")", "after the intrinsic")
	return name
}

// spelled has the names of operators that C++ also writes as words: and, or.
var spelled = map[string]string{"&&": "and", "||": "or", "^": "xor", "!": "not"}

func (p *parser) acceptRef() bool { p.next(); return true }

// functionBody reads what a function's declaration ends with, and reports whether
// that was a body.
func (p *parser) functionBody(f *Func, within *scope) bool {
	f.Specs.Intrinsic = f.intrinsic
	switch {
	case p.is("=") && (p.ahead(1).IsIdent("default") || p.ahead(1).IsIdent("delete")):
		p.next()
		f.Default = p.next().Text == "default"
		f.Deleted = !f.Default
		return false
	case p.is("=") && p.ahead(1).Text == "0":
		p.refuse(p.pos(), "pure virtual function", "use a template: which method runs is then known when the kernel is compiled")
	case p.word("try"):
		p.refuse(p.pos(), "try", "there are no exceptions on a GPU: return a value that says what went wrong")
	case !p.is("{") && !p.is(":"):
		if !p.is(";") && !p.is(",") {
			p.semicolon("after the declaration of a function")
		}
		return false
	}
	if p.deferred != nil {
		*p.deferred = append(*p.deferred, delayed{f, p.at, within})
		p.skipBody()
		f.End = p.at
		return true
	}
	p.bodyOrRefusal(f, within)
	return true
}

// skipBody passes over the initial values of a constructor and a body.
func (p *parser) skipBody() {
	if p.accept(":") {
		for {
			for !p.is("(") && !p.is("{") {
				if p.tok().Kind == preprocess.EOF || p.is(";") {
					p.fail(p.pos(), "constructor", "the value of a member is expected here, in parentheses or braces")
				}
				p.next()
			}
			p.skipBalanced()
			if !p.accept(",") {
				break
			}
		}
	}
	if !p.is("{") {
		p.expect("{", "before the body of a function")
	}
	p.skipBalanced()
}

// body reads the initial values of a constructor and the body of a function.
func (p *parser) body(f *Func, within *scope) {
	saved, deferred, inArgs := p.scope, p.deferred, p.inArgs
	p.scope, p.deferred, p.inArgs = within, nil, false
	defer func() { p.scope, p.deferred, p.inArgs = saved, deferred, inArgs }()
	clear(p.names)
	if p.accept(":") {
		for {
			n, _ := p.name()
			init := MemberInit{At: At{n.Pos()}, Name: n}
			switch {
			case p.accept("("):
				init.Args = p.arguments(")")
			case p.is("{"):
				l := p.list()
				init.Args, init.Brace = []Expr{l}, true
			default:
				p.fail(p.pos(), "constructor", "the value of %s is expected here, in parentheses or braces", n)
			}
			f.Inits = append(f.Inits, init)
			if !p.accept(",") {
				break
			}
		}
	}
	f.Body = p.block()
	f.End = p.at
}

// ---- structs and enums -----------------------------------------------------------

// structSpecifier reads struct, class or union: a definition, or a name.
func (p *parser) structSpecifier() Type {
	defer p.enter()()
	template := p.definesTemplate
	p.definesTemplate = false
	keyword := p.next()
	s := &Struct{At: At{keyword.Pos}, Keyword: keyword.Text}
	for {
		switch {
		case p.word("__align__"), p.word("alignas"):
			p.next()
			p.expect("(", "before the alignment")
			if p.typeAhead() {
				s.AlignTypes = append(s.AlignTypes, p.typeID())
			} else {
				s.Align = append(s.Align, p.assignment())
			}
			p.expect(")", "after the alignment")
			continue
		case p.word("__attribute__"):
			p.attribute(&s.Specs)
			continue
		case p.is("[") && p.ahead(1).Is("["):
			p.skipBalanced()
			continue
		case p.word("__device__"), p.word("__host__"):
			p.next()
			continue
		}
		break
	}
	var what *entry
	if p.isName() || p.is("::") {
		s.Name, what = p.name()
		s.Place = s.Name.Pos()
	}
	p.acceptWord("final")
	if !p.is("{") && !p.is(":") {
		if s.Name == nil {
			p.fail(p.pos(), keyword.Text, "a name or { is expected here, after %s, not %s", keyword.Text, p.tok())
		}
		t := &Named{s.Name}
		if len(s.Name.Parts) == 1 && (what == nil || what.kind != typeName && what.kind != typeTemplate) {
			kind := typeName
			if template {
				kind = typeTemplate
			}
			e := &entry{kind: kind, members: newScope(p.scope)}
			e.members.class = s.Name.Last().Ident
			e.open = true
			p.declare(s.Name.Last().Ident, e)
		}
		if p.is(";") {
			if p.forward == nil {
				p.forward = map[*Named]Decl{}
			}
			p.forward[t] = s
		}
		return t
	}
	members := newScope(p.scope)
	if s.Name != nil {
		members.class = s.Name.Last().Ident
		kind := typeName
		if template {
			kind = typeTemplate
		}
		specialised := s.Name.Last().HasArgs
		if len(s.Name.Parts) == 1 && !specialised {
			e := p.scope.names[members.class]
			if e != nil && e.open {
				members = e.members // a declaration came first
				members.parent = p.scope
				e.open = false
			} else {
				e = &entry{kind: kind, members: members}
				p.declare(members.class, e)
			}
		} else if len(s.Name.Parts) > 1 {
			if in := p.scopeOf(s.Name); in != nil {
				if e := in.names[members.class]; e != nil && e.open {
					members, e.open = e.members, false
				}
			}
		}
		members.names[members.class] = &entry{kind: kind, members: members, injected: true}
		if specialised {
			members.names[members.class].kind = typeTemplate
		}
	} else {
		if p.anonymous == nil {
			p.anonymous = map[Decl]*scope{}
		}
		p.anonymous[s] = members
	}
	if p.accept(":") {
		for {
			for p.acceptWord("public") || p.acceptWord("private") || p.acceptWord("protected") {
			}
			if p.word("virtual") {
				p.refuse(p.pos(), "virtual", "inherit without it")
			}
			at := p.pos()
			t := p.baseType()
			if e := p.typeEntry(t); e.members != nil {
				members.also = append(members.also, e.members)
			}
			s.Bases = append(s.Bases, Base{At{at}, t})
			if !p.accept(",") {
				break
			}
		}
	}
	p.members(s, members)
	if s.Name != nil && s.Name.Last().HasArgs {
		p.shareMembers(s.Name, members)
	}
	return &Defined{At{s.Place}, s}
}

// shareMembers has the template know the names that a specialisation of it has:
// which instance a name is looked up in is not known while reading.
func (p *parser) shareMembers(name *Name, members *scope) {
	from := p.scopeOf(name)
	var e *entry
	if from != nil {
		e = from.own(name.Last().Ident, 0)
	} else {
		e = p.scope.lookup(name.Last().Ident)
	}
	if e == nil || e.members == nil {
		return
	}
	for n, inner := range members.names {
		if e.members.names[n] == nil {
			e.members.names[n] = inner
		}
	}
	clear(p.names)
}

func (p *parser) baseType() Type {
	at := p.pos()
	_, t := p.specifiers()
	if t == nil {
		p.notAType(at)
	}
	return t
}

// members reads { … } of a struct.
func (p *parser) members(s *Struct, scope *scope) {
	s.Defined = true
	open := p.expect("{", "before the members")
	saved, outer, inArgs := p.scope, p.deferred, p.inArgs
	p.scope, p.inArgs = scope, false
	clear(p.names)
	var bodies []delayed
	if outer == nil {
		p.deferred = &bodies
	}
	for !p.accept("}") {
		t := p.tok()
		switch {
		case t.Kind == preprocess.EOF:
			p.fail(open.Pos, "{", "this { is not closed")
		case p.accept(";"):
		case (t.IsIdent("public") || t.IsIdent("private") || t.IsIdent("protected")) && p.ahead(1).Is(":"):
			p.next()
			p.next()
		case t.IsIdent("using"):
			s.Members = append(s.Members, p.using(false))
		case t.IsIdent("static_assert"):
			s.Members = append(s.Members, p.staticAssert())
		case t.IsIdent("template"):
			s.Members = append(s.Members, p.templateDeclaration()...)
		case t.IsIdent("friend"):
			p.friend(s)
		default:
			if host := p.hostMethod(); host != nil {
				s.Members = append(s.Members, host)
				continue
			}
			s.Members = append(s.Members, p.simpleDeclaration(true)...)
		}
	}
	p.scope, p.deferred, p.inArgs = saved, outer, inArgs
	if outer != nil {
		return
	}
	end, depth := p.at, p.depth
	for _, b := range bodies {
		p.at = b.at
		p.bodyOrRefusal(b.f, b.scope)
	}
	p.at, p.depth = end, depth
	clear(p.names)
}

// friend reads a friend, which matters only where it is a function defined
// there: who may use what is not checked.
func (p *parser) friend(s *Struct) {
	at := p.next().Pos
	if p.word("struct") || p.word("class") {
		p.skipDeclaration()
		return
	}
	if host := p.hostCode(); host != nil {
		return
	}
	decls := p.simpleDeclaration(true)
	for _, d := range decls {
		if f, ok := d.(*Func); ok {
			f.Friend = true
			if f.Body != nil || f.End > 0 {
				s.Members = append(s.Members, f)
			}
			continue
		}
		p.refuse(at, "friend", "make what is needed public")
	}
}

// hostMethod passes over a method of the host; nil if none is here.
func (p *parser) hostMethod() Decl {
	// = default and = delete are of both.
	for i := p.at; ; i++ {
		t := p.tokens[i]
		if t.Is("=") && (p.tokens[i+1].IsIdent("default") || p.tokens[i+1].IsIdent("delete")) {
			return nil
		}
		if t.Is(";") || t.Is("{") || t.Is("}") || t.Kind == preprocess.EOF {
			break
		}
	}
	if !p.methodAhead() {
		return nil
	}
	return p.hostCode()
}

// methodAhead reports whether the member here has parentheses before its end, and
// before any initial value.
func (p *parser) methodAhead() bool {
	for i := p.at; ; i++ {
		t := p.tokens[i]
		switch {
		case t.Is("("):
			// int (*p)[4] is no method, and an alignment no parameters
			before := p.tokens[max(i-1, 0)]
			if before.IsIdent("__align__") || before.IsIdent("alignas") || before.IsIdent("decltype") || before.IsIdent("__attribute__") {
				saved := p.at
				p.at = i
				err := p.attempt(p.skipBalanced)
				i, p.at = p.at-1, saved
				if err != nil {
					return false
				}
				continue
			}
			return !p.tokens[i+1].Is("*") && !p.tokens[i+1].Is("&")
		case t.Is(";"), t.Is("{"), t.Is("}"), t.Is("="), t.Kind == preprocess.EOF:
			return false
		case t.IsIdent("operator") && p.tokens[i+1].Is("="):
			i++
		}
	}
}

// enumSpecifier reads enum: a definition, or a name.
func (p *parser) enumSpecifier() Type {
	keyword := p.next()
	e := &Enum{At: At{keyword.Pos}}
	e.Class = p.acceptWord("class") || p.acceptWord("struct")
	if p.isName() {
		e.Name, _ = p.name()
		e.Place = e.Name.Pos()
		if len(e.Name.Parts) > 1 || e.Name.Global {
			return &Named{e.Name}
		}
	}
	if p.is(":") {
		p.next()
		at := p.pos()
		if _, e.Base = p.specifiers(); e.Base == nil {
			p.notAType(at)
		}
	}
	if !p.is("{") {
		if e.Name == nil {
			p.fail(p.pos(), "enum", "a name or { is expected here, after enum, not %s", p.tok())
		}
		if p.is(";") && e.Base != nil {
			p.declare(e.Name.Last().Ident, &entry{kind: typeName, members: newScope(nil)})
			return &Defined{At{e.Place}, e}
		}
		return &Named{e.Name}
	}
	members := newScope(nil)
	if e.Name != nil {
		p.declare(e.Name.Last().Ident, &entry{kind: typeName, members: members})
	}
	p.next()
	e.Defined = true
	for !p.is("}") {
		t := p.identifier("a name")
		v := Enumerator{At: At{t.Pos}, Name: t.Text}
		if p.accept("=") {
			v.Value = p.conditional()
		}
		e.Values = append(e.Values, v)
		members.names[t.Text] = &entry{kind: valueName}
		if !e.Class {
			p.declare(t.Text, &entry{kind: valueName})
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "after the values of an enum")
	return &Defined{At{e.Place}, e}
}
