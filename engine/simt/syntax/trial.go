package syntax

import (
	"strings"

	"workbench/engine/simt/preprocess"
)

// A source is a whole program: beside its kernels stands the host's part, with
// types and libraries that nothing here knows. So a declaration that cannot be read
// is no error at once. What has none of CUDA's words is passed over, and so is what
// is not supported: they are errors where a kernel needs them.

// outside reads a declaration outside of functions, or passes over it.
func (p *parser) outside() []Decl {
	start := p.at
	first := p.tok()
	if first.Pos.File != nil && first.Pos.File.BuiltIn {
		return p.declaration()
	}
	var out []Decl
	err := p.attempt(func() { out = p.declaration() })
	if err == nil {
		device := p.deviceWords(start, p.at)
		for i, d := range out {
			switch d.(type) {
			case *Namespace, *HostCode:
			default:
				out[i] = &Trial{At: At{d.Pos()}, Decl: d, Device: device}
			}
		}
		return out
	}
	if p.open {
		panic(err)
	}
	p.templated, p.definesTemplate = false, false
	clear(p.names)
	p.at = start
	if skip := p.attempt(p.skipDeclaration); skip != nil || p.at == start {
		p.open = true // nor has what is around it an end
		panic(err)
	}
	end := p.at
	header := err.Unknown && strings.HasPrefix(err.Instead, "#include")
	if !err.Unsupported && !p.limits.Incomplete && p.deviceWords(start, end) || first.IsIdent("static_assert") && !err.Unknown || header {
		panic(err)
	}
	host := p.named(start, end)
	host.Err, host.Device = err, p.deviceWords(start, end)
	if host.Device && p.limits.Incomplete {
		err.Unknown = true // a macro of a header, perhaps
	}
	return []Decl{host}
}

// deviceWords reports whether any of the words from start to end says that a
// declaration is for the device.
func (p *parser) deviceWords(start, end int) bool {
	for _, t := range p.tokens[start:end] {
		if t.Kind != preprocess.Ident {
			continue
		}
		switch t.Text {
		case "__device__", "__global__", "__shared__", "__constant__", "__managed__":
			return true
		}
	}
	return false
}

// named returns what stands for the declaration from start to end, which cannot be
// read, and declares the name that it seems to give.
func (p *parser) named(start, end int) *HostCode {
	out := &HostCode{At: At{p.tokens[start].Pos}}
	kind := valueName
	i := start
	template := false
	for p.tokens[i].IsIdent("template") && p.tokens[i+1].Is("<") {
		template = true
		depth := 0
		for i++; i < end; i++ {
			if p.tokens[i].Is("<") {
				depth++
			}
			if p.tokens[i].Is(">") {
				if depth--; depth == 0 {
					i++
					break
				}
			}
		}
	}
	types := false
	switch p.tokens[i].Text {
	case "struct", "class", "union", "enum", "using":
		types = true
		for i++; i < end; i++ {
			t := p.tokens[i]
			if t.Kind == preprocess.Ident && !keywords[t.Text] {
				out.Place, out.Name = t.Pos, t.Text
				break
			}
		}
	case "typedef":
		types = true
		fallthrough
	default:
		// The last name before the parameters, or before the end.
		for depth := 0; i < end; i++ {
			t := p.tokens[i]
			if depth == 0 && out.Name != "" && (t.Is("=") || t.Is("{") && !types || t.Is("(") && !types) {
				break
			}
			switch {
			case t.Is("(") || t.Is("{") || t.Is("[") || t.Is("<"):
				depth++
			case t.Is(")") || t.Is("}") || t.Is("]") || t.Is(">"):
				depth--
			case depth == 0 && t.Kind == preprocess.Ident && !keywords[t.Text]:
				out.Place, out.Name = t.Pos, t.Text
			}
		}
	}
	switch {
	case types && template:
		kind = typeTemplate
	case types:
		kind = typeName
	case template:
		kind = functionTemplate
	}
	if old := p.scope.lookup(out.Name); types || old == nil {
		p.declare(out.Name, &entry{kind: kind})
	}
	return out
}

// bodyOrRefusal reads the body of a function. One that has what is not supported, or
// what a header that is not here may have declared, is passed over, and is an error
// where a kernel needs the function.
func (p *parser) bodyOrRefusal(f *Func, within *scope) {
	start := p.at
	at := p.pos()
	err := p.attempt(func() { p.body(f, within) })
	if err == nil {
		return
	}
	if !err.Unsupported && !p.limits.Incomplete || at.File != nil && at.File.BuiltIn {
		panic(err)
	}
	if p.limits.Incomplete {
		err.Unknown = true
	}
	clear(p.names)
	p.at = start
	if skip := p.attempt(p.skipBody); skip != nil {
		panic(err)
	}
	f.Refused = err
	f.Inits, f.Body, f.End = nil, &Block{At: At{at}}, p.at
}
