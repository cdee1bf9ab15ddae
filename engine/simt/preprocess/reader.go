package preprocess

import (
	"fmt"
	"maps"
	"strings"

	"workbench/engine/simt/source"
)

// Limits bound what a source may ask for.
type Limits struct {
	Bytes     int // of all files together, each as often as it is included
	Tokens    int // that come out
	Expansion int // words that macros make and read on the way
	Word      int // characters of a word that # or ## makes
	Nesting   int // of macros, of #include, and of parentheses in #if
}

// Default are limits that no source met in practice comes near.
var Default = Limits{Bytes: 8 << 20, Tokens: 1 << 19, Expansion: 1 << 20, Word: 1 << 14, Nesting: 200}

// Include returns the file that #include names, or nil if there is none. angled
// tells <name> from "name".
type Include func(name string, angled bool) (*source.File, error)

// Tokens reads the files one after the other, as one source, and returns its
// words, the last of which is EOF. Anything wrong is a *source.Error.
func Tokens(files []*source.File, include Include, limits Limits) ([]Token, error) {
	_, tokens, err := (*State)(nil).Read(files, include, limits)
	return tokens, err
}

// A State is what was read so far leaves behind for what follows: its macros. It
// does not change, and may be used by several goroutines.
type State struct {
	macros  map[string]*macro
	once    map[string]bool
	counter int
	missing []Missing
}

// A Missing is a header that was included and is not here: what it would declare
// may be needed, or not.
type Missing struct {
	Pos    source.Pos
	Name   string
	Reason string // what there is instead, or ""
}

// Missing returns the headers that were not here, in the order of the source.
func (s *State) Missing() []Missing { return s.missing }

// Read reads files after those that led to s, or, with nil, as the first.
func (s *State) Read(files []*source.File, include Include, limits Limits) (*State, []Token, error) {
	p := &reader{macros: map[string]*macro{}, once: map[string]bool{}, include: include, limits: limits}
	if s != nil {
		p.counter = s.counter
		maps.Copy(p.once, s.once)
		for name, m := range s.macros {
			own := *m
			p.macros[name] = &own
		}
	}
	tokens, err := p.all(files)
	if err != nil {
		return nil, nil, err
	}
	return &State{p.macros, p.once, p.counter, p.missing}, tokens, nil
}

// all reads files up to the end of the last.
func (p *reader) all(files []*source.File) ([]Token, error) {
	// A word has about four characters; what comes before every source is mostly
	// macros, which are longer than what calls them.
	size := 0
	for _, f := range files {
		size += len(f.Text)
	}
	if files[0].BuiltIn {
		size *= 4
	}
	out := make([]Token, 0, min(size/4, p.limits.Tokens)+1)
	for i, f := range files {
		if err := p.open(f, source.Pos{File: f}); err != nil {
			return nil, err
		}
		p.ended = false
		for {
			t, err := p.next()
			if err != nil {
				return nil, err
			}
			if t.Kind == EOF {
				if i == len(files)-1 {
					return append(out, t), nil
				}
				break
			}
			if len(out) >= p.limits.Tokens {
				return nil, source.Errorf(t.Pos, "source", "the source has more than %d words after its macros are expanded", p.limits.Tokens)
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// A reader is a source being preprocessed.
type reader struct {
	macros  map[string]*macro
	once    map[string]bool // files with #pragma once
	include Include
	limits  Limits

	files     []*open
	contexts  []*context
	isolated  int   // how deep in arguments that are expanded for themselves
	ended     bool  // the end of the file was read,
	last      Token // which is this
	directive source.Pos
	work      int
	bytes     int
	counter   int
	missing   []Missing
}

// An open file and the state of its conditions.
type open struct {
	lex    *lexer
	queue  []Token // tokens to come before those of lex
	branch []branch
}

// A branch is an #if whose #endif is to come.
type branch struct {
	pos   source.Pos
	name  string
	taken bool // one of its groups was read
	last  bool // #else was seen
}

func (p *reader) open(f *source.File, at source.Pos) error {
	if p.bytes += len(f.Text); p.bytes > p.limits.Bytes {
		return source.Errorf(at, "source", "the source has more than %d bytes with what it includes", p.limits.Bytes)
	}
	if len(p.files) > p.limits.Nesting {
		return source.Errorf(at, "#include", "files include each other more than %d deep", p.limits.Nesting).With("begin the header with #pragma once")
	}
	p.files = append(p.files, &open{lex: newLexer(f)})
	return nil
}

// read returns the next token of the files. It obeys directives.
func (p *reader) read() (Token, error) {
	for {
		if p.ended {
			return p.last, nil
		}
		f := p.files[len(p.files)-1]
		t, err := f.token()
		if err != nil {
			return t, err
		}
		if t.Kind == EOF {
			if len(f.branch) > 0 {
				b := f.branch[len(f.branch)-1]
				return t, source.Errorf(b.pos, b.name, "this %s has no #endif", b.name)
			}
			p.files = p.files[:len(p.files)-1]
			if len(p.files) == 0 {
				p.ended, p.last = true, t
				return t, nil
			}
			continue
		}
		if t.Is("#") && t.First {
			if err := p.obey(f, t); err != nil {
				return t, err
			}
			continue
		}
		return t, nil
	}
}

func (f *open) token() (Token, error) {
	if len(f.queue) > 0 {
		t := f.queue[0]
		f.queue = f.queue[1:]
		return t, nil
	}
	return f.lex.token()
}

// line reads the rest of a directive.
func (f *open) line() ([]Token, error) {
	var out []Token
	for {
		saved := *f.lex
		t, err := f.token()
		if err != nil {
			if *f.lex = saved; f.newline() {
				return out, nil // what is wrong is on the next line
			}
			return nil, err
		}
		if t.First || t.Kind == EOF {
			*f.lex = saved
			return out, nil
		}
		out = append(out, t)
	}
}

// newline reports whether the next token is on another line.
func (f *open) newline() bool {
	saved := *f.lex
	defer func() { *f.lex = saved }()
	_, line, err := f.lex.space()
	return err == nil && line
}

// obey carries out the directive after the # at hash.
func (p *reader) obey(f *open, hash Token) error {
	p.directive = hash.Pos
	if f.newline() {
		return nil // a lone #
	}
	saved := *f.lex
	name, err := f.token()
	if err != nil {
		return err
	}
	if name.Kind == EOF {
		*f.lex = saved
		return nil
	}
	if name.Kind == Ident && (name.Text == "error" || name.Text == "warning") {
		start := f.lex.at
		f.lex.skipLine()
		if name.Text == "error" {
			return source.Errorf(hash.Pos, "#error", "#error %s", strings.TrimSpace(f.lex.text[start:f.lex.at]))
		}
		return nil
	}
	line, err := f.line()
	if err != nil {
		return err
	}
	switch name.Text {
	case "define":
		return p.define(line)
	case "undef":
		if len(line) != 1 || line[0].Kind != Ident {
			return source.Errorf(hash.Pos, "#undef", "#undef takes one name")
		}
		delete(p.macros, line[0].Text)
		return nil
	case "include":
		return p.includeFile(f, hash, line)
	case "if", "ifdef", "ifndef":
		yes, err := p.condition(name, line)
		if err != nil {
			return err
		}
		if len(f.branch) >= p.limits.Nesting {
			return source.Errorf(hash.Pos, "#"+name.Text, "conditions are nested more than %d deep", p.limits.Nesting)
		}
		f.branch = append(f.branch, branch{pos: hash.Pos, name: "#" + name.Text, taken: yes})
		if !yes {
			return p.skip(f)
		}
		return nil
	case "elif", "elifdef", "elifndef", "else":
		b, err := f.current(name, hash)
		if err != nil {
			return err
		}
		b.last = name.Text == "else"
		return p.skip(f)
	case "endif":
		if len(f.branch) == 0 {
			return source.Errorf(hash.Pos, "#endif", "this #endif has no #if")
		}
		f.branch = f.branch[:len(f.branch)-1]
		return nil
	case "pragma":
		if len(line) > 0 && line[0].IsIdent("once") {
			p.once[f.lex.file.Name] = true
			return nil
		}
		f.queue = append(f.queue, pragma(line, hash.Pos)...)
		return nil
	case "line", "ident":
		return nil // places are those of the text as it is
	}
	return source.Errorf(name.Pos, "#"+name.Text, "there is no directive #%s", name)
}

// pragma returns the tokens that stand for a pragma, none for one that asks for
// nothing here.
func pragma(line []Token, at source.Pos) []Token {
	if len(line) == 0 || !line[0].IsIdent("unroll") && !line[0].IsIdent("nounroll") {
		return nil
	}
	out := []Token{{Kind: Pragma, Text: line[0].Text, Pos: at, First: true}}
	for _, t := range line[1:] {
		t.First = false
		out = append(out, t)
	}
	return append(out, Token{Kind: PragmaEnd, Pos: at})
}

// current returns the innermost #if, for #elif and #else.
func (f *open) current(name, hash Token) (*branch, error) {
	if len(f.branch) == 0 {
		return nil, source.Errorf(hash.Pos, "#"+name.Text, "this #%s has no #if", name.Text)
	}
	b := &f.branch[len(f.branch)-1]
	if b.last {
		return nil, source.Errorf(hash.Pos, "#"+name.Text, "this #%s comes after #else", name.Text).Note(b.pos, "the condition")
	}
	return b, nil
}

// skip passes over the groups of the innermost #if up to the one to be read, or
// to its #endif.
func (p *reader) skip(f *open) error {
	inner := 0
	for {
		saved := *f.lex
		f.lex.line()
		if f.lex.end() {
			return nil // read reports the missing #endif
		}
		if f.lex.c != '#' {
			f.lex.skipLine()
			continue
		}
		hash := Token{Pos: f.lex.pos(f.lex.at)}
		f.lex.next()
		if f.newline() {
			continue
		}
		name, err := f.lex.token()
		if err != nil {
			*f.lex = saved
			f.lex.line()
			f.lex.skipLine()
			continue
		}
		p.directive = hash.Pos
		switch name.Text {
		case "if", "ifdef", "ifndef":
			inner++
		case "endif":
			if inner == 0 {
				f.lex.skipLine()
				f.branch = f.branch[:len(f.branch)-1]
				return nil
			}
			inner--
		case "else", "elif", "elifdef", "elifndef":
			if inner > 0 {
				break
			}
			b, err := f.current(name, hash)
			if err != nil {
				return err
			}
			yes := true
			if name.Text == "else" {
				b.last = true
			} else if !b.taken {
				line, err := f.line()
				if err != nil {
					return err
				}
				name.Text = strings.TrimPrefix(name.Text, "el")
				if yes, err = p.condition(name, line); err != nil {
					return err
				}
				if yes {
					b.taken = true
					return nil
				}
				continue
			}
			if yes && !b.taken {
				f.lex.skipLine()
				b.taken = true
				return nil
			}
		}
		f.lex.skipLine()
	}
}

// line moves to the first character of a line that is neither space nor comment.
func (l *lexer) line() {
	if _, _, err := l.space(); err != nil {
		l.at = len(l.text)
		l.load()
	}
}

// skipLine moves to the end of the line, over comments and strings, which need not
// be well formed.
func (l *lexer) skipLine() {
	text := l.text
	i := l.at
scan:
	for i < len(text) {
		rest := text[i:]
		switch {
		case text[i] == '\n':
			break scan
		case text[i] == '\\' && splice(rest) > 0:
			i += splice(rest)
		case strings.HasPrefix(rest, "//"):
			for i < len(text) && text[i] != '\n' {
				i += max(1, splice(text[i:]))
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				i = len(text)
				break scan
			}
			i += 2 + end + 2
		case strings.HasPrefix(rest, `'"'`):
			i += 3
		case text[i] == '"':
			i += 1 + closing(rest[1:])
		default:
			i++
		}
	}
	l.at = i
	l.load()
}

// closing returns the length of a string after its opening quote, 0 if it does
// not end on its line.
func closing(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			return 0
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// includeFile carries out #include.
func (p *reader) includeFile(f *open, hash Token, line []Token) error {
	if len(line) > 0 && line[0].Kind == Ident {
		expanded, err := p.isolate(line, &macro{name: line[0].Text}, line[0])
		if err != nil {
			return err
		}
		line = expanded
	}
	bad := source.Errorf(hash.Pos, "#include", "#include takes <name> or \"name\"")
	if len(line) == 0 {
		return bad
	}
	var name string
	angled := false
	switch {
	case line[0].Kind == String && len(line) == 1:
		name = line[0].Text[1 : len(line[0].Text)-1]
	case line[0].Is("<") && line[len(line)-1].Is(">"):
		angled = true
		for _, t := range line[1 : len(line)-1] {
			name += t.Text
		}
	default:
		return bad
	}
	var file *source.File
	var err error
	if p.include != nil {
		file, err = p.include(name, angled)
	}
	if file == nil {
		if len(p.missing) >= mostMissing {
			return source.Errorf(line[0].Pos, "#include", "more than %d headers are not here", mostMissing)
		}
		m := Missing{Pos: line[0].Pos, Name: name}
		if err != nil {
			m.Reason = err.Error()
		}
		p.missing = append(p.missing, m)
		return nil
	}
	if p.once[file.Name] {
		return nil
	}
	return p.open(file, line[0].Pos)
}

// mostMissing is how many headers may be missing.
const mostMissing = 1000

// builtin replaces the macros that change with their place.
func (p *reader) builtin(t Token) (Token, bool) {
	switch t.Text {
	case "__LINE__":
		t.Kind, t.Text = Number, fmt.Sprint(t.Pos.Line())
	case "__FILE__":
		t.Kind, t.Text = String, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(t.Pos.File.Name)+`"`
	case "__COUNTER__":
		t.Kind, t.Text = Number, fmt.Sprint(p.counter)
		p.counter++
	default:
		return t, false
	}
	return t, true
}
