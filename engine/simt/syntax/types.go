package syntax

import (
	"strings"

	"workbench/engine/simt/preprocess"
	"workbench/engine/simt/source"
)

// basicNames are the types that are words of the language, or that this compiler
// knows by itself.
var basicNames = map[string]string{
	"void": "void", "bool": "bool", "char": "char", "short": "short", "int": "int", "long": "long", "signed": "signed", "unsigned": "unsigned",
	"float": "float", "double": "double", "_Bool": "bool",
	"__half": "__half", "__nv_bfloat16": "__nv_bfloat16",
}

// refusedTypes are types that nothing here has.
var refusedTypes = map[string]string{
	"__int128": "use unsigned long long, and __umul64hi for the upper half of a product", "__int128_t": "use long long", "__uint128_t": "use unsigned long long",
	"wchar_t": "use char", "char16_t": "use char", "char32_t": "use char", "char8_t": "use char", "_Float16": "use __half", "__float128": "use double",
	"_Complex": "use float2 or double2",
}

// typeAhead reports whether a type begins here.
func (p *parser) typeAhead() bool {
	t := p.tok()
	if t.Is("[") && p.ahead(1).Is("[") {
		return true // [[maybe_unused]] int x
	}
	if t.Is("::") || p.isName() {
		if basicNames[t.Text] != "" {
			return true
		}
		start := p.at
		var what *entry
		err := p.attempt(func() { _, what = p.name() })
		p.at = start
		return err == nil && what != nil && (what.kind == typeName || what.kind == typeTemplate)
	}
	if t.Kind != preprocess.Ident {
		return false
	}
	switch t.Text {
	case "const", "volatile", "auto", "struct", "class", "union", "enum", "typename", "decltype":
		return true
	}
	return basicNames[t.Text] != ""
}

// specsAhead reports whether a declaration begins here.
func (p *parser) specsAhead() bool {
	t := p.tok()
	if t.Kind != preprocess.Ident {
		return false
	}
	switch t.Text {
	case "static", "extern", "inline", "constexpr", "typedef", "register", "mutable", "thread_local", "__shared__", "__constant__", "__device__", "__host__", "__global__",
		"__managed__", "__forceinline__", "__noinline__", "__inline__", "__inline", "__align__", "alignas", "__attribute__", "__restrict__", "__grid_constant__", "virtual", "explicit", "friend":
		return true
	}
	return false
}

// specifiers reads what stands before the names of a declaration: words like
// static and __device__, and a type; nil where there is none.
func (p *parser) specifiers() (Specs, Type) {
	defer p.enter()()
	var s Specs
	var t Type
	var isConst, isVolatile bool
	var basic []string
	var basicAt source.Pos
	for {
		tok := p.tok()
		if tok.Is("[") && p.ahead(1).Is("[") {
			p.skipBalanced() // [[nodiscard]]
			continue
		}
		if tok.Kind != preprocess.Ident && !tok.Is("::") {
			break
		}
		handled := true
		switch tok.Text {
		case "const":
			isConst = true
		case "volatile", "__volatile__":
			isVolatile = true
		case "static":
			s.Static = true
		case "extern":
			s.Extern = true
		case "inline", "__inline__", "__inline", "__forceinline__":
			s.Inline = true
		case "__noinline__":
			s.NoInline = true
		case "constexpr":
			s.Constexpr = true
		case "typedef":
			s.Typedef = true
		case "virtual":
			p.refuse(tok.Pos, "virtual", "use a template: which method runs is then known when the kernel is compiled")
		case "explicit":
			s.Explicit = true
		case "friend":
			s.Friend = true
		case "mutable":
			s.Mutable = true
		case "register", "__restrict__", "__restrict", "__grid_constant__", "__extension__":
		case "thread_local":
			p.refuse(tok.Pos, "thread_local", "a local variable belongs to its thread already")
		case "__global__":
			s.Global = true
		case "__device__":
			s.Device = true
		case "__host__":
			s.Host = true
		case "__shared__":
			s.Shared = true
		case "__constant__":
			s.Constant = true
		case "__managed__":
			s.Managed = true
		default:
			handled = false
		}
		if handled {
			p.next()
			continue
		}
		switch tok.Text {
		case "__launch_bounds__":
			p.next()
			p.expect("(", "after __launch_bounds__")
			s.Bounds = p.arguments(")")
			continue
		case "__cluster_dims__", "__block_size__":
			p.refuse(tok.Pos, tok.Text, "clusters of blocks are not supported: use blocks, and global memory between them")
		case "__align__", "alignas":
			p.next()
			p.expect("(", "after "+tok.Text)
			if p.typeAhead() {
				s.AlignTypes = append(s.AlignTypes, p.typeID())
			} else {
				s.Align = append(s.Align, p.assignment())
			}
			p.expect(")", "after the alignment")
			continue
		case "__attribute__":
			p.attribute(&s)
			continue
		case "struct", "class", "union":
			if t != nil || basic != nil {
				p.fail(tok.Pos, "type", "two types follow each other here")
			}
			t = p.structSpecifier()
			continue
		case "enum":
			if t != nil || basic != nil {
				p.fail(tok.Pos, "type", "two types follow each other here")
			}
			t = p.enumSpecifier()
			continue
		case "auto":
			if t == nil && basic == nil {
				p.next()
				t = &Auto{At{tok.Pos}}
				continue
			}
		case "decltype":
			if t == nil && basic == nil {
				t = p.decltype()
				continue
			}
		case "goto":
			p.refuse(tok.Pos, "goto", "use break, continue, return or a flag")
		case "consteval", "constinit", "concept", "requires", "co_await", "co_return", "co_yield":
			if t == nil && basic == nil {
				p.refuse(tok.Pos, tok.Text, "it is of C++20: kernels are compiled as C++17")
			}
		}
		if instead, refused := refusedTypes[tok.Text]; refused {
			p.refuse(tok.Pos, tok.Text, instead)
		}
		if b := basicNames[tok.Text]; b != "" {
			if t != nil || p.constructorAhead() {
				break
			}
			if basic == nil {
				basicAt = tok.Pos
			}
			basic = append(basic, b)
			p.next()
			continue
		}
		if t != nil || basic != nil {
			break
		}
		if tok.Text == "typename" || p.isName() || tok.Is("::") {
			if p.constructorAhead() {
				break
			}
			start := p.at
			n, what := p.name()
			if what == nil || what.kind != typeName && what.kind != typeTemplate {
				p.at = start
				break
			}
			if what.kind == typeTemplate && !what.injected {
				// Its arguments may be deduced from what a variable is initialised with:
				// check says that they are to be written.
				_ = what
			}
			t = &Named{n}
			continue
		}
		break
	}
	if basic != nil {
		t = &Basic{At{basicAt}, p.basic(basic, basicAt)}
	}
	if t != nil && (isConst || isVolatile) {
		t = &Qualified{t, isConst, isVolatile}
	}
	return s, t
}

// constructorAhead reports whether the name here is that of a constructor, or of
// a conversion operator's struct, and so no type of a declaration: S( in S, or
// S::S(.
func (p *parser) constructorAhead() bool {
	if p.scope.class != "" && p.tok().Text == p.scope.class && p.ahead(1).Is("(") {
		return true
	}
	// A::A(, A<T>::A( and A::operator T(
	if !p.isName() {
		return false
	}
	start := p.at
	defer func() { p.at = start }()
	var n *Name
	if err := p.attempt(func() { n, _ = p.name() }); err != nil || len(n.Parts) < 2 {
		return false
	}
	last := n.Last().Ident
	if n.Last().Convert != nil || strings.HasPrefix(last, "~") {
		return true
	}
	return last == n.Parts[len(n.Parts)-2].Ident && p.is("(")
}

// attribute reads __attribute__((…)), of which alignment is obeyed.
func (p *parser) attribute(s *Specs) {
	p.next()
	start := p.at
	if !p.is("(") {
		p.fail(p.pos(), "__attribute__", "__attribute__ takes arguments in double parentheses")
	}
	p.skipBalanced()
	end := p.at
	p.at = start + 2
	if p.at < end && (p.word("aligned") || p.word("__aligned__")) && p.ahead(1).Is("(") {
		p.next()
		p.next()
		s.Align = append(s.Align, p.assignment())
	}
	p.at = end
}

func (p *parser) decltype() Type {
	at := p.next().Pos
	p.expect("(", "after decltype")
	saved := p.inArgs
	p.inArgs = false
	x := p.expression()
	p.inArgs = saved
	p.expect(")", "after the expression of decltype")
	return &Decltype{At{at}, x}
}

// basic brings the words of a type into one form.
func (p *parser) basic(words []string, at source.Pos) string {
	count := map[string]int{}
	for _, w := range words {
		count[w]++
	}
	bad := func() string {
		p.fail(at, "type", "there is no type %s", strings.Join(words, " "))
		return ""
	}
	if count["signed"] > 1 || count["unsigned"] > 1 || count["signed"]+count["unsigned"] > 1 || count["long"] > 2 {
		return bad()
	}
	sign := ""
	if count["unsigned"] > 0 {
		sign = "unsigned "
	}
	rest := len(words) - count["signed"] - count["unsigned"]
	switch {
	case rest == 0, rest == 1 && count["int"] == 1:
		return sign + "int"
	case rest == 1 && count["char"] == 1:
		if count["signed"] > 0 {
			return "signed char"
		}
		return sign + "char"
	case count["short"] == 1 && rest == 1+count["int"] && count["int"] <= 1:
		return sign + "short"
	case count["long"] > 0 && rest == count["long"]+count["int"] && count["int"] <= 1:
		return sign + strings.TrimSpace(strings.Repeat("long ", count["long"]))
	case count["long"] == 1 && count["double"] == 1 && rest == 2:
		return "double" // GPUs have nothing wider
	case rest == 1 && len(words) == 1:
		return words[0]
	}
	return bad()
}

// typeID reads a type without a name: what a cast names.
func (p *parser) typeID() Type {
	at := p.pos()
	s, t := p.specifiers()
	if t == nil {
		p.notAType(at)
	}
	if s.Static || s.Extern || s.Typedef || s.Shared || s.Constant {
		p.fail(at, "type", "only a type is expected here")
	}
	d := p.declarator(t, abstract)
	return d.typ
}

// notAType reports a name that should be a type.
func (p *parser) notAType(at source.Pos) {
	t := p.tok()
	if instead, refused := refusedTypes[t.Text]; refused && t.Kind == preprocess.Ident {
		p.refuse(t.Pos, t.Text, instead)
	}
	if t.Kind == preprocess.Ident && !keywords[t.Text] {
		name, last := t.Text, t.Text
		if p.ahead(1).Is("::") {
			if p.scope.lookup(t.Text) == nil {
				p.unknownRoot(Part{At: At{t.Pos}, Ident: t.Text})
			}
			var n *Name
			if p.attempt(func() { n, _ = p.name() }) == nil {
				name, last = n.String(), n.Last().Ident
			}
		}
		err := source.Errorf(t.Pos, name, "there is no type %s here", name).Missing()
		if instead, ok := elsewhere[last]; ok {
			err.With("%s", instead).Refused()
		}
		panic(err)
	}
	p.fail(at, "type", "a type is expected here, not %s", t)
}

// elsewhere says of common names that nothing here has what to use.
var elsewhere = map[string]string{
	"array": "write T a[N]; in a struct if it is to be handed over", "pair": "write a struct", "tuple": "write a struct", "function": "take a struct with operator() as a template parameter",
	"block_tile_memory": "tiles are of one warp at most: use the block's sync() and shared memory", "multi_grid_group": "groups of several GPUs are not supported",
	"cluster_group": "clusters of blocks are not supported: use blocks, and global memory between them", "fragment": "matrix fragments are not supported: write the product with shared memory",
	"cuda":    "of libcu++ there is nothing: use atomicAdd and its like, __threadfence() and __syncthreads()",
	"texture": "textures are not supported: read a buffer", "surface": "surfaces are not supported: write to a buffer", "cudaTextureObject_t": "textures are not supported: read a buffer",
	"curandState": "random numbers are not supported: hand the kernel a buffer of them", "curandState_t": "random numbers are not supported: hand the kernel a buffer of them",
	"uchar": "write unsigned char, or typedef unsigned char uchar;", "byte": "write unsigned char", "bfloat16": "write __nv_bfloat16", "vec3": "write float3", "vec4": "write float4",
	"string": "kernels have char arrays only", "vector": "use an array, or a buffer that the kernel is given",
	"cudaError_t":  "it belongs to the host's program: leave it out of the kernel's file, or between #ifndef __CUDACC_RTC__ and #endif",
	"cudaStream_t": "it belongs to the host's program", "FILE": "it belongs to the host's program",
	"wmma": "matrix fragments are not supported: write the product with shared memory", "nvcuda": "matrix fragments are not supported: write the product with shared memory",
	"cg": "#include <cooperative_groups.h> and write namespace cg = cooperative_groups;", "cooperative_groups": "#include <cooperative_groups.h>",
	"thrust": "write it as a loop over threads", "cub": "write it with shared memory and __shfl_down_sync", "cute": "write it with shared memory", "cutlass": "write it with shared memory",
}

// ---- declarators ---------------------------------------------------------------

// mode is which declarators are possible.
type mode uint8

const (
	named    mode = iota // a name must be there
	abstract             // none
	optional             // of a parameter
)

// A declarator is a name with its type.
type declarator struct {
	at     source.Pos
	name   *Name
	typ    Type
	fn     *Func // of a function: its parameters and what follows them
	within *scope
	pack   bool // dots before the name
}

// declarator reads *, & and const, a name, and what follows it: [4] or (int x).
func (p *parser) declarator(base Type, m mode) declarator {
	defer p.enter()()
	t := base
	for n := 0; ; n++ {
		if n > p.limits.Nesting {
			p.fail(p.pos(), "type", "the type has more than %d *", p.limits.Nesting)
		}
		tok := p.tok()
		if tok.Is("*") {
			p.next()
			t = &Pointer{At{tok.Pos}, t}
			c, v := p.qualifiers()
			if c || v {
				t = &Qualified{t, c, v}
			}
			continue
		}
		if tok.Is("&") || tok.Is("&&") {
			p.next()
			t = &Reference{At{tok.Pos}, t, tok.Text == "&&"}
			p.qualifiers()
			continue
		}
		break
	}
	d := declarator{typ: t, pack: m == optional && p.ahead(1).Kind == preprocess.Ident && p.accept("...")}
	d.at = p.pos()
	switch {
	case p.is("(") && p.groupAhead(m):
		// (*p)[4]: what follows the parentheses is applied first.
		open := p.at
		p.skipBalanced()
		d.typ = p.suffixes(d.typ, true)
		end := p.at
		p.at = open + 1
		inner := p.declarator(d.typ, m)
		p.expect(")", "after the name")
		p.at = end
		return inner
	case m != abstract && (p.isName() || p.is("::") || p.word("operator") || p.is("~")):
		d.at = p.pos()
		n, _ := p.name()
		d.name = n
		if len(n.Parts) > 1 || n.Global {
			d.at = n.Pos()
		}
		p.attributesAfterName()
	case m == named:
		t := p.tok()
		if t.Kind == preprocess.Ident && keywords[t.Text] {
			p.fail(t.Pos, "name", "%s is a word of the language and cannot be a name", t.Text)
		}
		p.fail(t.Pos, "name", "a name is expected here, not %s", t)
	}
	if p.is("(") && m == named && p.functionAhead(d.name) {
		d.fn, d.within = p.functionRest(d.name)
		return d
	}
	d.typ = p.suffixes(d.typ, m != named)
	return d
}

// attributesAfterName passes over __attribute__ and [[…]] after a name.
func (p *parser) attributesAfterName() {
	for p.is("[") && p.ahead(1).Is("[") {
		p.skipBalanced()
	}
}

// qualifiers reads const, volatile and __restrict__.
func (p *parser) qualifiers() (isConst, isVolatile bool) {
	for {
		switch {
		case p.acceptWord("const"):
			isConst = true
		case p.acceptWord("volatile"):
			isVolatile = true
		case p.acceptWord("__restrict__"), p.acceptWord("__restrict"), p.acceptWord("restrict"):
		default:
			return isConst, isVolatile
		}
	}
}

// groupAhead reports whether a parenthesis here groups a declarator, and is not
// the list of a function's parameters or an initial value.
func (p *parser) groupAhead(m mode) bool {
	t := p.ahead(1)
	if t.Is("*") || t.Is("&") || t.Is("&&") {
		if m != named {
			return true
		}
		// (*p) and (&a) are followed by [ or (
		n := 1
		for p.ahead(n).Is("*") || p.ahead(n).Is("&") || p.ahead(n).Is("&&") || p.ahead(n).IsIdent("const") {
			n++
		}
		return p.ahead(n).Kind == preprocess.Ident && (p.ahead(n+1).Is(")") || p.ahead(n+1).Is("["))
	}
	return false
}

// suffixes reads [n] and, where the type may be a function's, (parameters).
func (p *parser) suffixes(base Type, function bool) Type {
	defer p.enter()()
	switch {
	case p.is("[") && !p.ahead(1).Is("["):
		at := p.next().Pos
		var n Expr
		if !p.is("]") {
			saved := p.inArgs
			p.inArgs = false
			n = p.assignment()
			p.inArgs = saved
		}
		p.expect("]", "after the length of an array")
		return &Array{At{at}, p.suffixes(base, false), n}
	case function && p.is("("):
		at := p.pos()
		start := p.at
		var params []*Param
		if err := p.attempt(func() { p.inside(func() { params, _ = p.parameters() }) }); err != nil {
			p.at = start
			return base
		}
		for p.acceptWord("const") || p.acceptWord("noexcept") {
		}
		return &Function{At{at}, base, params}
	}
	return base
}

// functionAhead reports whether the parenthesis after a declared name begins
// parameters, and not an initial value.
func (p *parser) functionAhead(name *Name) bool {
	if p.ahead(1).Is(")") || p.ahead(1).Is("...") {
		return true
	}
	if name != nil && (strings.HasPrefix(name.Last().Ident, "operator") && len(name.Last().Ident) > len("operator")) {
		return true
	}
	start := p.at
	defer func() { p.at = start }()
	p.next()
	saved := p.scope
	if s := p.scopeOf(name); s != nil {
		p.scope = s
	}
	defer func() { p.scope = saved }()
	if p.specsAhead() {
		return true
	}
	if !p.typeAhead() {
		// An unknown name that another name follows is an unknown type, and said so.
		n := 1
		for p.ahead(n).Is("*") || p.ahead(n).Is("&") || p.ahead(n).IsIdent("const") || p.ahead(n).IsIdent("__restrict__") {
			n++
		}
		if n > 1 && p.scope.lookup(p.tok().Text) != nil {
			return false // a product, or a bitwise and
		}
		return p.isName() && p.ahead(n).Kind == preprocess.Ident && !keywords[p.ahead(n).Text]
	}
	// A type that is followed by ( or { makes a value.
	err := p.attempt(func() { p.specifiers() })
	return err != nil || p.is("(") && p.groupAhead(named) || !p.is("(") && !p.is("{") && !p.is("::")
}

// scopeOf returns the scope of the struct or namespace that a qualified name is
// of, or nil.
func (p *parser) scopeOf(name *Name) *scope {
	if name == nil || len(name.Parts) < 2 {
		return nil
	}
	s := p.scope
	if name.Global {
		s = p.global
	}
	for i, part := range name.Parts[:len(name.Parts)-1] {
		var e *entry
		if i == 0 && !name.Global {
			e = s.lookup(part.Ident)
		} else {
			e = s.own(part.Ident, 0)
		}
		if e == nil || e.members == nil {
			return nil
		}
		s = e.members
	}
	return s
}

// parameters reads the list of a function's parameters.
func (p *parser) parameters() (params []*Param, variadic bool) {
	p.expect("(", "before the parameters")
	saved := p.inArgs
	p.inArgs = false
	defer func() { p.inArgs = saved }()
	if p.word("void") && p.ahead(1).Is(")") {
		p.next()
	}
	for !p.is(")") {
		if p.accept("...") {
			variadic = true
			break
		}
		params = append(params, p.parameter())
		if len(params) > 1000 {
			p.fail(p.pos(), "parameters", "a function has more than 1000 parameters here")
		}
		if p.accept("...") {
			variadic = true
			break
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "after the parameters")
	return params, variadic
}

func (p *parser) parameter() *Param {
	at := p.pos()
	s, t := p.specifiers()
	if t == nil {
		p.notAType(at)
	}
	if s.Shared || s.Constant || s.Static || s.Extern {
		p.fail(at, "parameter", "a parameter cannot be __shared__, __constant__, static or extern")
	}
	pack := p.accept("...")
	d := p.declarator(t, optional)
	pack = pack || d.pack
	if p.is("...") && d.name == nil {
		p.next()
		pack = true
	}
	out := &Param{At: At{d.at}, Type: d.typ, Pack: pack}
	if d.name != nil {
		if !d.name.Simple() {
			p.fail(d.at, "parameter", "the name of a parameter is one word")
		}
		out.Name = d.name.Last().Ident
		p.declare(out.Name, &entry{kind: valueName})
	} else {
		out.Place = at
	}
	if p.accept("=") {
		out.Default = p.initializer()
	}
	return out
}

// conversionType reads the type of a conversion operator.
func (p *parser) conversionType() Type {
	at := p.pos()
	_, t := p.specifiers()
	if t == nil {
		p.notAType(at)
	}
	for p.is("*") || p.is("&") {
		tok := p.next()
		if tok.Text == "*" {
			t = &Pointer{At{tok.Pos}, t}
		} else {
			t = &Reference{At{tok.Pos}, t, false}
		}
		p.qualifiers()
	}
	return t
}
