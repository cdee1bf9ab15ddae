package preprocess

import "workbench/engine/simt/source"

// Kind says what a token is.
type Kind uint8

const (
	EOF         Kind = iota
	Ident            // a name or a keyword
	Number           // as it is written, with its suffix
	Char             // with its quotes and prefix
	String           // with its quotes and prefix
	Punct            // an operator or a separator
	Pragma           // Text is the pragma's name; its tokens follow, and a PragmaEnd
	PragmaEnd        //
	placeholder      // an empty argument beside ##
)

// A Token is a word of the source.
type Token struct {
	Kind Kind
	Text string
	Pos  source.Pos

	Space bool // white space comes before it
	First bool // it is the first of its line

	painted bool // it names a macro that was being expanded: it is expanded no more
}

// Is reports whether t is the operator or separator text.
func (t Token) Is(text string) bool { return t.Kind == Punct && t.Text == text }

// IsIdent reports whether t is the word text.
func (t Token) IsIdent(text string) bool { return t.Kind == Ident && t.Text == text }

// String writes t as a message names it.
func (t Token) String() string {
	switch t.Kind {
	case EOF:
		return "the end of the file"
	case Pragma:
		return "#pragma " + t.Text
	case PragmaEnd:
		return "the end of the line"
	}
	const longest = 40
	if len(t.Text) > longest {
		return t.Text[:longest] + "…"
	}
	return t.Text
}
