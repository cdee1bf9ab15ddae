package syntax

import (
	"maps"
	"strings"

	"workbench/engine/simt/preprocess"
	"workbench/engine/simt/source"
)

// Limits bound how deep a source may nest.
type Limits struct {
	Nesting int // of statements, parentheses, types and declarations in one another
	Chain   int // of operators in one expression without parentheses

	// Incomplete says that headers of the source are not here. What cannot be read
	// without them is no error then, but where a kernel needs it.
	Incomplete bool
}

// Default are limits that no source met in practice comes near.
var Default = Limits{Nesting: 200, Chain: 4000}

// A File is the tree of a source. It does not change.
type File struct {
	Decls []Decl

	p *parser
}

// Parse returns the tree of a source, whose words end with EOF. Anything wrong is
// a *source.Error.
func Parse(tokens []preprocess.Token, limits Limits) (*File, error) {
	p := &parser{tokens: split(tokens), limits: limits}
	p.global = newScope(nil)
	p.scope = p.global
	for name := range basicNames {
		p.global.names[name] = &entry{kind: typeName}
	}
	return p.file()
}

// Parse returns the tree of a source that follows f, whose names it knows: its
// declarations are those of the new source alone. Several sources may follow one
// file, at the same time too.
func (f *File) Parse(tokens []preprocess.Token, limits Limits) (*File, error) {
	c := copier{}
	p := &parser{tokens: split(tokens), limits: limits, memberTemplates: maps.Clone(f.p.memberTemplates)}
	p.global = c.scope(f.p.global)
	p.scope = p.global
	return p.file()
}

// A copier copies scopes, so that what is declared in a copy is not in the
// original.
type copier map[*scope]*scope

func (c copier) scope(s *scope) *scope {
	if s == nil {
		return nil
	}
	if out := c[s]; out != nil {
		return out
	}
	out := &scope{names: make(map[string]*entry, len(s.names)), class: s.class, params: s.params}
	c[s] = out
	out.parent = c.scope(s.parent)
	for name, e := range s.names {
		own := *e
		own.members = c.scope(e.members)
		out.names[name] = &own
	}
	for _, other := range s.also {
		out.also = append(out.also, c.scope(other))
	}
	return out
}

func (p *parser) file() (f *File, err error) {
	f = &File{p: p}
	bad := p.attempt(func() {
		for p.tok().Kind != preprocess.EOF {
			f.Decls = append(f.Decls, p.outside()...)
		}
	})
	if bad != nil {
		return nil, bad
	}
	return f, nil
}

// Name reads a name as the end of the file would: that of a kernel, with the
// arguments of a template.
func (f *File) Name(tokens []preprocess.Token) (n *Name, err error) {
	p := &parser{tokens: split(tokens), limits: f.p.limits, global: f.p.global, scope: f.p.global, memberTemplates: f.p.memberTemplates}
	bad := p.attempt(func() {
		n, _ = p.name()
		if p.tok().Kind != preprocess.EOF {
			p.fail(p.pos(), "name", "a name is expected here, such as reduce<256>, and nothing behind it")
		}
	})
	if bad != nil {
		return nil, bad
	}
	return n, nil
}

// split makes two words of each >>, which may close two lists of arguments.
func split(tokens []preprocess.Token) []preprocess.Token {
	out := make([]preprocess.Token, 0, len(tokens)+8)
	for _, t := range tokens {
		if t.Kind == preprocess.Punct && (t.Text == ">>" || t.Text == ">>=") {
			second := t
			second.Text, second.Space, second.First = t.Text[1:], false, false
			second.Pos.Offset++
			t.Text = ">"
			out = append(out, t, second)
			continue
		}
		out = append(out, t)
	}
	return out
}

// A parser reads the words of one source.
type parser struct {
	tokens []preprocess.Token
	at     int
	limits Limits
	depth  int

	global *scope
	scope  *scope

	inArgs   bool         // > ends a list of template arguments
	deferred *[]delayed   // bodies of methods, read when their struct is complete
	names    map[int]seen // names that were read ahead

	open            bool            // a declaration that cannot be read has no end
	templated       bool            // what is declared next is a template,
	definesTemplate bool            // and so is the struct
	memberTemplates map[string]bool // methods that are templates
	forward         map[*Named]Decl
	anonymous       map[Decl]*scope // of structs without a name
}

// delayed is a body that is read later.
type delayed struct {
	f     *Func
	at    int
	scope *scope
}

// seen is a name that begins at a word.
type seen struct {
	name *Name
	end  int
	what *entry
	err  *source.Error
}

func (p *parser) tok() preprocess.Token { return p.tokens[p.at] }

// ahead returns the word n further.
func (p *parser) ahead(n int) preprocess.Token {
	return p.tokens[min(p.at+n, len(p.tokens)-1)]
}

func (p *parser) pos() source.Pos { return p.tok().Pos }

func (p *parser) next() preprocess.Token {
	t := p.tokens[p.at]
	if p.at < len(p.tokens)-1 {
		p.at++
	}
	return t
}

func (p *parser) is(op string) bool  { return p.tok().Is(op) }
func (p *parser) word(w string) bool { return p.tok().IsIdent(w) }
func (p *parser) accept(op string) bool {
	if p.is(op) {
		p.next()
		return true
	}
	return false
}

func (p *parser) acceptWord(w string) bool {
	if p.word(w) {
		p.next()
		return true
	}
	return false
}

// expect takes the operator or separator op; after says what it belongs to.
func (p *parser) expect(op, after string) preprocess.Token {
	if !p.is(op) {
		panic(source.Errorf(p.pos(), op, "%s is expected here, %s, not %s", op, after, p.tok()))
	}
	return p.next()
}

// semicolon takes the end of a statement. Where it is missing the mistake is
// usually at the end of the line before.
func (p *parser) semicolon(after string) {
	if p.accept(";") {
		return
	}
	err := source.Errorf(p.pos(), ";", "; is expected here, %s, not %s", after, p.tok())
	if p.tok().First && p.at > 0 {
		last := p.tokens[p.at-1]
		end := last.Pos
		if end.Macro == nil && end.File != nil {
			end.Offset += int32(len(last.Text))
			err = source.Errorf(end, ";", "; is missing here, %s", after)
		}
	}
	panic(err)
}

func (p *parser) fail(pos source.Pos, construct, format string, args ...any) {
	panic(source.Errorf(pos, construct, format, args...))
}

// refuse ends parsing at something that is not supported.
func (p *parser) refuse(pos source.Pos, construct, instead string) {
	panic(source.Errorf(pos, construct, "%s: not supported", construct).With("%s", instead).Refused())
}

// enter counts a level of nesting; leave it again by calling what it returns.
func (p *parser) enter() func() {
	p.depth++
	if p.depth > p.limits.Nesting {
		p.fail(p.pos(), "nesting", "the source nests more than %d deep here", p.limits.Nesting)
	}
	return p.leave
}

func (p *parser) leave() { p.depth-- }

// ---- names -------------------------------------------------------------------

// nameKind is what a name stands for.
type nameKind uint8

const (
	valueName        nameKind = iota // a variable, a function, an enumerator
	typeName                         // a type
	typeTemplate                     // a template of types
	functionTemplate                 // a template of functions
	namespaceName
)

// An entry is a declared name.
type entry struct {
	kind     nameKind
	members  *scope // of a namespace or struct, if they are known
	injected bool   // the name of a template in itself: a type without arguments too
	open     bool   // a struct that is declared and not yet defined
}

// A scope holds the names of a block, struct or namespace.
type scope struct {
	parent *scope
	names  map[string]*entry
	also   []*scope // whose names can be used here: bases, and using namespace
	class  string   // the name of the struct whose scope it is
	params []string // of a template
}

func newScope(parent *scope) *scope {
	return &scope{parent: parent, names: map[string]*entry{}}
}

// own looks name up in s alone and in what it also uses.
func (s *scope) own(name string, depth int) *entry {
	if e := s.names[name]; e != nil {
		return e
	}
	if depth > 20 {
		return nil
	}
	for _, other := range s.also {
		if e := other.own(name, depth+1); e != nil {
			return e
		}
	}
	return nil
}

func (s *scope) lookup(name string) *entry {
	for ; s != nil; s = s.parent {
		if e := s.own(name, 0); e != nil {
			return e
		}
	}
	return nil
}

// declare enters a name into the innermost scope.
func (p *parser) declare(name string, e *entry) { p.declareIn(p.scope, name, e) }

func (p *parser) declareIn(s *scope, name string, e *entry) {
	if name == "" {
		return
	}
	old := s.names[name]
	if old != nil && old.kind == e.kind && e.members == nil {
		return
	}
	if old != nil && e.kind == valueName && old.kind == functionTemplate {
		return // an overload that is no template
	}
	if old != nil && e.kind == valueName && (old.kind == typeName || old.kind == typeTemplate) && old.members != nil && s.class == "" && s.parent == nil {
		return // struct stat and stat(): the type is what is needed to read on
	}
	s.names[name] = e
	clear(p.names)
}

// inside runs read with a new scope.
func (p *parser) inside(read func()) {
	saved := p.scope
	p.scope = newScope(saved)
	defer func() { p.scope = saved }()
	read()
}

// keywords cannot be names.
var keywords = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`
		alignas alignof asm auto bool break case catch char class const const_cast constexpr continue decltype default delete do double
		dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept nullptr
		operator private protected public register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
		template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile while
		__global__ __device__ __host__ __shared__ __constant__ __managed__ __forceinline__ __noinline__ __inline__ __inline __launch_bounds__ __cluster_dims__ __block_size__ __restrict__ __restrict
		__align__ __attribute__ __asm__ __asm __grid_constant__ __volatile__ _Bool`) {
		out[w] = true
	}
	return out
}()

func (p *parser) isName() bool {
	t := p.tok()
	return t.Kind == preprocess.Ident && !keywords[t.Text]
}

// identifier takes a name that is declared.
func (p *parser) identifier(what string) preprocess.Token {
	t := p.tok()
	if t.Kind != preprocess.Ident {
		p.fail(t.Pos, what, "%s is expected here, not %s", what, t)
	}
	if keywords[t.Text] {
		p.fail(t.Pos, what, "%s is a word of the language and cannot be %s", t.Text, what)
	}
	return p.next()
}

// name reads a name, with the arguments of templates, and returns what its last
// part stands for; nil if that is not known.
func (p *parser) name() (*Name, *entry) {
	if s, ok := p.names[p.at]; ok {
		if s.err != nil {
			panic(s.err)
		}
		p.at = s.end
		return s.name, s.what
	}
	start := p.at
	n, what := p.readName()
	if p.names == nil {
		p.names = map[int]seen{}
	}
	p.names[start] = seen{name: n, end: p.at, what: what}
	return n, what
}

func (p *parser) readName() (*Name, *entry) {
	defer p.enter()()
	n := &Name{At: At{p.pos()}}
	n.Typename = p.acceptWord("typename")
	n.Global = p.accept("::")
	var in *scope // what the parts before belong to
	if n.Global {
		in = p.global
	}
	known := true // whether what the parts before are is known
	for {
		template := len(n.Parts) > 0 && p.acceptWord("template")
		part, what := p.part(in, known, len(n.Parts) > 0 || n.Global, template, n.Typename)
		n.Parts = append(n.Parts, part)
		if len(n.Parts) > 100 {
			p.fail(n.Pos(), "name", "the name has more than 100 parts")
		}
		if !p.is("::") || p.ahead(1).Is("*") {
			if what == nil && n.Typename {
				what = &entry{kind: typeName}
			}
			n.Place = part.Place
			return n, what
		}
		p.next()
		// What a template's instance has inside is what the template has.
		known = what != nil && what.members != nil
		in = nil
		if known {
			in = what.members
		}
	}
}

// part reads one identifier and its template arguments.
func (p *parser) part(in *scope, known, qualified, template, typename bool) (Part, *entry) {
	part := Part{At: At{p.pos()}}
	switch {
	case p.word("operator"):
		return p.operatorName(), &entry{kind: valueName}
	case p.is("~") && p.ahead(1).Kind == preprocess.Ident:
		p.next()
		part.Ident = "~" + p.next().Text
		return part, &entry{kind: valueName}
	}
	t := p.tok()
	if t.Kind == preprocess.Ident && basicNames[t.Text] != "" && !keywords[t.Text] {
		p.next()
		part.Ident = t.Text
		return part, &entry{kind: typeName}
	}
	part.Ident = p.identifier("a name").Text
	var what *entry
	switch {
	case qualified && known && in != nil:
		what = in.own(part.Ident, 0)
	case !qualified:
		what = p.scope.lookup(part.Ident)
	}
	if !p.is("<") {
		return part, what
	}
	switch {
	case what != nil && (what.kind == typeTemplate || what.kind == functionTemplate), template:
		part.HasArgs = true
		part.Args = p.templateArgs()
		if what != nil && what.kind == typeTemplate {
			return part, &entry{kind: typeName, members: what.members}
		}
		if typename {
			return part, &entry{kind: typeName}
		}
		return part, what
	case what == nil && qualified && typename:
		// typename T::name<…>: what it is is not known before T is
		part.HasArgs = true
		part.Args = p.templateArgs()
	}
	return part, what
}

// operatorName reads operator+, operator() and operator T.
func (p *parser) operatorName() Part {
	part := Part{At: At{p.pos()}}
	p.next()
	t := p.tok()
	switch {
	case t.Is("(") && p.ahead(1).Is(")"):
		p.next()
		p.next()
		part.Ident = "operator()"
	case t.Is("[") && p.ahead(1).Is("]"):
		p.next()
		p.next()
		part.Ident = "operator[]"
	case t.Is(">"):
		p.next()
		op := ">"
		for (p.is(">") || p.is(">=") || p.is("=")) && !p.tok().Space {
			op += p.next().Text
		}
		part.Ident = "operator" + op
	case t.Kind == preprocess.Punct:
		p.next()
		part.Ident = "operator" + t.Text
	case t.IsIdent("new") || t.IsIdent("delete"):
		p.refuse(t.Pos, "operator "+t.Text, "use memory that the kernel is given, or a local array")
	case t.Kind == preprocess.String:
		p.refuse(t.Pos, "user-defined literal", "call a function")
	default:
		part.Ident = "operator T"
		part.Convert = p.conversionType()
	}
	return part
}

// templateArgs reads <…>.
func (p *parser) templateArgs() []Arg {
	defer p.enter()()
	open := p.expect("<", "before the arguments of a template")
	saved := p.inArgs
	p.inArgs = true
	defer func() { p.inArgs = saved }()
	var args []Arg
	for !p.is(">") {
		args = append(args, p.templateArg())
		if len(args) > 1000 {
			p.fail(open.Pos, "template", "a template has more than 1000 arguments here")
		}
		if !p.accept(",") {
			break
		}
	}
	if !p.is(">") {
		p.fail(p.pos(), "template", "the arguments of this template are to end here with >, not %s", p.tok())
	}
	p.next()
	return args
}

func (p *parser) templateArg() Arg {
	if p.typeAhead() {
		start := p.at
		var t Type
		if err := p.attempt(func() { t = p.typeID() }); err == nil && (p.is(",") || p.is(">") || p.is("...")) {
			if p.is("...") {
				dots := p.next()
				return Arg{Type: &PackType{At{dots.Pos}, t}}
			}
			return Arg{Type: t}
		}
		p.at = start
	}
	x := p.assignment()
	if p.is("...") {
		dots := p.next()
		x = &Pack{At{dots.Pos}, x}
	}
	return Arg{Expr: x}
}

// attempt runs read and returns its error instead of failing.
func (p *parser) attempt(read func()) (err *source.Error) {
	depth, scope, inArgs, deferred := p.depth, p.scope, p.inArgs, p.deferred
	defer func() {
		if e := recover(); e != nil {
			bad, ok := e.(*source.Error)
			if !ok {
				panic(e)
			}
			err = bad
			p.depth, p.scope, p.inArgs, p.deferred = depth, scope, inArgs, deferred
		}
	}()
	read()
	return nil
}

// skipBalanced passes over a bracket, what is in it, and the bracket that closes
// it.
func (p *parser) skipBalanced() {
	open := p.tok()
	var stack []string
	for {
		t := p.next()
		if t.Kind == preprocess.EOF {
			p.fail(open.Pos, open.Text, "this %s is not closed", open.Text)
		}
		if t.Kind != preprocess.Punct {
			continue
		}
		switch t.Text {
		case "(":
			stack = append(stack, ")")
		case "[":
			stack = append(stack, "]")
		case "{":
			stack = append(stack, "}")
		case ")", "]", "}":
			if len(stack) == 0 || stack[len(stack)-1] != t.Text {
				p.fail(t.Pos, t.Text, "this %s closes nothing", t.Text)
			}
			stack = stack[:len(stack)-1]
			if len(stack) == 0 {
				return
			}
		}
	}
}
